"""The demo's recall benchmark: what share of the makers in 20,000 titles does the tagger `context` find?

Every word that names a maker of parts or of cars is a candidate, in two strata. A seeded sample of each is labelled (by
the generator, which knows the answer); the positives are the benchmark, each with the tagger's result.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterable
from dataclasses import dataclass

from karatage.demo.demo_taggers import TAGGERS
from karatage.demo.demo_titles import BRAKE_MAKERS, MAKER, TIMING_MAKERS, VEHICLES, Title, titles

FOLDER = "makers"
CORPUS = 20_000
LABELLED = 200
STRATA = {"part-makers": (*BRAKE_MAKERS, *TIMING_MAKERS), "car-makes": tuple(VEHICLES)}


@dataclass(frozen=True)
class _Candidate:
    """A word of a title that may belong to the name of a maker."""

    title: Title
    token: int

    def maker(self) -> tuple[int, int] | None:
        """Return the tokens of the maker that the word belongs to, if it does."""
        spans = _makers(self.title.tags)
        return next((span for span in spans if span[0] <= self.token < span[1]), None)


def benchmark_contents() -> dict[str, str]:
    """Return the text of each file of the benchmark by its name."""
    corpus = titles(CORPUS)
    rows, out = [], {}
    for stratum, names in STRATA.items():
        words = {name.split()[0].upper() for name in names}
        found = [_Candidate(t, k) for t in corpus for k, token in enumerate(t.tokens) if token.upper() in words]
        drawn = random.Random(stratum).sample(found, LABELLED)  # noqa: S311  made-up data, no secret
        positives = [(c.title, span) for c in drawn if (span := c.maker()) is not None]
        file = f"{FOLDER}/data/recall_sets/{stratum}.csv"
        out[file] = _table(["", "text", "span", "correct"], (_positive(*one) for one in positives))
        rows.append((stratum, len(found), len(positives), file))
    total = sum(count for _, count, _, _ in rows)
    estimated = [count * positive / LABELLED for _, count, positive, _ in rows]
    head = ["", "population", "occurences", "labelled", "positive", "occurence_ratio", "detection_ratio"]
    description = (
        [name, count, LABELLED, positive, count / total, positive / LABELLED, share / sum(estimated), file]
        for (name, count, positive, file), share in zip(rows, estimated, strict=True)
    )
    return {f"{FOLDER}/data_description.csv": _table([*head, "relative_frequency", "file"], description)} | out


def _positive(title: Title, span: tuple[int, int]) -> list[object]:
    """Return the row of a positive: its title, its span in characters, and whether the tagger finds just that span."""
    start = len(" ".join([*title.tokens[: span[0]], ""]))
    entity = " ".join(title.tokens[slice(*span)])
    found = span in _makers(TAGGERS["context"](title.tokens))
    value = {"start": start, "end": start + len(entity), "text": entity, "labels": [MAKER]}
    return [" ".join(title.tokens), str(value), "yes" if found else "no"]


def _makers(tags: Iterable[str]) -> list[tuple[int, int]]:
    """Return the first token of each maker, and the one after its last."""
    spans: list[tuple[int, int]] = []
    for k, tag in enumerate(tags):
        if tag == f"B-{MAKER}":
            spans.append((k, k + 1))
        elif tag == f"I-{MAKER}":
            spans[-1] = (spans[-1][0], k + 1)
    return spans


def _table(head: list[str], rows: Iterable[list[object]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([k, *row] for k, row in enumerate(rows))
    return stream.getvalue()
