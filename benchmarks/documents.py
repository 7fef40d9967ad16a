"""Do intervals and tests hold where units come in documents? `python -m benchmarks.documents` prints a table.

Sentences of a document go together: each document is easy or difficult for a system. Intervals and tests rest on the
documents, as they do by default, or on the sentences, as if nobody knew of documents.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from benchmarks.coverage import Held
from benchmarks.simulating import GrowingTable, processes
from benchmarks.worlds import dense_rows
from karatage.metrics import Metric, Rows, Score
from karatage.stats import Resampling, Sampler, TwoSystems, difference_interval, with_intervals

CELLS = (("", "A"),)
RECALL = Metric.parse("recall")
DOCUMENTS = (3, 5, 10, 20, 50, 200)
MEAN = 0.8


class Corpus(NamedTuple):
    """A world: what is special about it, how alike the sentences of a document are, and how long documents are."""

    about: str
    alike: float
    long: float = 0.0


WORLDS = {
    "independent": Corpus("sentences do not depend on their document", 1e6),
    "mild": Corpus("documents differ a little", 20.0),
    "strong": Corpus("documents differ a lot", 3.0),
    "uneven": Corpus("documents differ a lot, and a few are very long", 3.0, 1.0),
}


def draw(world: Corpus, rng: np.random.Generator, documents: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Return gold, predicted and correct of each sentence for two equal systems, and the document of each sentence."""
    sentences = np.maximum(1, np.round(20 * rng.lognormal(-(world.long**2) / 2, world.long, documents))).astype(int)
    document = np.repeat(np.arange(documents), sentences)
    gold = rng.poisson(1.5, len(document))
    out = []
    for _ in range(2):
        ease = rng.beta(MEAN * world.alike, (1 - MEAN) * world.alike, documents)
        correct = rng.binomial(gold, ease[document])
        out.append(np.stack([gold, correct, correct], axis=1)[:, None])
    return out, document


def coverage(name: str, documents: int, sets: Iterable[int]) -> dict[str, Held]:
    """Draw test sets by their numbers; return what became of intervals of a score and of a difference."""
    out: dict[str, Held] = {}
    for number in sets:
        rng = np.random.default_rng([documents, number, list(WORLDS).index(name)])
        counts, document = draw(WORLDS[name], rng, documents)
        apart = [dense_rows(CELLS, own) for own in counts]
        names = document.astype(str).tolist()
        for over, rows in (("documents", [own.in_clusters(names) for own in apart]), ("sentences", apart)):
            for what, score, true in _intervals(rows):
                key = f"{what} over {over}"
                out[key] = out.get(key, Held()).plus(score, true, False)
    return out


def _intervals(rows: list[Rows]) -> list[tuple[str, Score, float]]:
    sampler = Sampler(rows)
    drawn = sampler.population(RECALL)
    both = sampler.values(RECALL, drawn.layout)(drawn.totals)
    difference = difference_interval(RECALL, float(both[0] - both[1]), Resampling(), TwoSystems(sampler, 0, 1))
    score = with_intervals({RECALL: Score(float(both[0]))}, sampler, Resampling())[RECALL]
    return [("score", score, MEAN), ("difference", difference, 0.0)]


def report(sets: int) -> None:
    """Print the coverage of intervals over documents and over sentences, and how wide they are."""
    names = [f"{what} over {over}" for over in ("documents", "sentences") for what in ("score", "difference")]
    table = GrowingTable("setting", "documents", *names)
    with processes() as in_parts:
        for world in WORLDS:
            for documents in DOCUMENTS:
                total: dict[str, Held] = {}
                for part in in_parts(coverage, sets, world, documents):
                    total |= {key: total.get(key, Held()).add(held) for key, held in part.items()}
                table.row(world, f"{documents:,}", *(f"{total[n]}, {total[n].mean_width:.2f}" for n in names))
    table.save("documents")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="benchmarks.documents")
    parser.add_argument("--sets", type=int, default=2000, help="test sets of each size")
    report(parser.parse_args().sets)
