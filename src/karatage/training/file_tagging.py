"""Tagging files: any format in, any format out, in batches."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from karatage.claims import Claims
from karatage.errors import FormatError, UsageError
from karatage.formats import ATTRIBUTES, POSITIONS, TEXTS, WORDS, convert, get_format, prefetch, sniff
from karatage.inputs import as_input, format_by_ending, scan
from karatage.taggers import Tagger, open_tagger, tag_batches
from karatage.training.model_folder import ModelCard
from karatage.training.trained_tagger import TrainedTagger

_SUBMISSION = "ebay-submission"
_MANY = 10_000
"""How many different values of an attribute are remembered."""


@dataclass(frozen=True)
class TaggingSummary:
    """What was tagged.

    Attributes:
        seconds: how long it took, without loading the model.
    """

    units: int
    claims: int
    format: str
    seconds: float
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        rate = self.units / self.seconds if self.seconds else 0.0
        return (
            f"Tagged {_count(self.units, 'text', 'texts')} and found {_count(self.claims, 'entity', 'entities')}, "
            f"written as {self.format} ({rate:,.0f} texts per second)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**vars(self), "warnings": list(self.warnings)}


def tag_file(
    model: str,
    source: str,
    out: str,
    *,
    to: str | None = None,
    format: str | None = None,  # noqa: A002  users say format
    columns: Sequence[str] = (),
    unit: str = "sentence",
    words: str | None = None,
    threshold: float | None = None,
    device: str = "auto",
    progress: Callable[[int], None] | None = None,
) -> TaggingSummary:
    """Tag a corpus and write it, completely or not at all.

    Args:
        model: the folder of a trained model, or the name of another tagger.
        source: what to tag.
        out: the file to write.
        to: the output format. Default: by the extension of `out`.
        format: the input format. Default: detected automatically.
        columns: the tag columns of a column file.
        unit: `sentence` or `document`, for formats with both.
        words: the words that spans are made of, for other taggers.
        threshold: entities with a lower confidence are dropped. Default: the model's threshold.
        device: where a neural model runs.
        progress: called with the number of units done so far.
    """
    tagger = open_tagger(model, words=words, device=device)
    if threshold is not None:
        if not isinstance(tagger, TrainedTagger):
            raise UsageError("--threshold works only with a model that Karatage trained")
        tagger = tagger.with_threshold(threshold)
    if source != "-" and out != "-" and Path(out).exists() and Path(source).exists() and Path(out).samefile(source):
        raise UsageError(f"{out} is the input file. Write to another file")
    format = format or _read_as(source)  # noqa: A001
    target = get_format(to or _target(out, source, format))
    counts = _Counts()
    notes: Counter[str] = Counter()
    began = time.monotonic()
    batches = scan(source, format=format, columns=list(columns), unit=unit, notes=notes, unlabelled=True)  # type: ignore[arg-type]
    scores = "confidence" in target.holds  # they take extra time
    # Reading, tagging and writing wait for different things, so each has its own thread.
    with prefetch(batches) as ready, prefetch(tag_batches(tagger, ready, progress, scores=scores)) as found:
        lost = convert(counts.counted(found), target, out)
    seconds = time.monotonic() - began
    warnings = [f"{what}: {count:,}" for what, count in notes.items()]
    losses = {what: count for what, count in lost.items() if what not in (ATTRIBUTES, POSITIONS, TEXTS, WORDS)}
    warnings += [f"{target.name} cannot store {what}: {count:,}" for what, count in losses.items()]
    return TaggingSummary(counts.units, counts.claims, target.name, seconds, (*warnings, *counts.warnings(tagger)))


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


class _Counts:
    """Counts units, claims and attribute values."""

    def __init__(self) -> None:
        self.units = self.claims = 0
        self.values: dict[str, set[str]] = {}

    def counted(self, batches: Iterable[Claims]) -> Iterator[Claims]:
        for batch in batches:
            self.units += len(batch.units)
            self.claims += len(batch)
            for name, column in batch.units.attributes.items():
                known = self.values.setdefault(name, set())
                if len(known) < _MANY:
                    known.update(column)
            yield batch

    def warnings(self, tagger: Tagger) -> Iterator[str]:
        """Warn of categories that a trained model did not see in training."""
        card: ModelCard | None = getattr(tagger, "card", None)
        if card is None or not card.group_by or not self.units:
            return
        if card.group_by not in self.values:
            yield f"the model uses {card.group_by}, which the input does not have"
        elif new := sorted(self.values[card.group_by] - set(card.by_group)):
            some = ", ".join(map(repr, new[:5]))
            yield f"{card.group_by} not seen in training, tagged with all labels: {some}"


def _read_as(source: str) -> str | None:
    """Read a .txt or .jsonl file that no format recognises as plain texts."""
    first = as_input(source).sources[0]
    if first.once or first.is_folder or not first.suffixes.endswith((".txt", ".jsonl")):
        return None
    try:
        return sniff(first).name
    except FormatError:
        return "text"


def _target(out: str, source: str, given: str | None) -> str:
    """Return the output format: a submission for eBay's files, if the extension fits."""
    plain = out.lower().removesuffix(".gz").removesuffix(".zst")
    first = as_input(source, format=given).sources[0]
    if plain.endswith(".tsv") and not first.once and (given or sniff(first).name).startswith("ebay"):
        return _SUBMISSION
    return format_by_ending(out)
