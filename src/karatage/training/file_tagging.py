"""Tagging files: any format in, any format out, batch by batch."""

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
from karatage.training.model_folder import Card
from karatage.training.trained_tagger import TrainedTagger

_SUBMISSION = "ebay-submission"
_MANY = 10_000
"""So many different values of an attribute are remembered."""


@dataclass(frozen=True)
class Tagged:
    """What was tagged.

    Attributes:
        units: how many units.
        claims: how many claims were found in them.
        format: the format that was written.
        seconds: how long it took, loading the model left out.
        warnings: what the user should know.
    """

    units: int
    claims: int
    format: str
    seconds: float
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        rate = self.units / self.seconds if self.seconds else 0.0
        return (
            f"{self.units:,} units tagged, {self.claims:,} claims found, written as {self.format} "
            f"({rate:,.0f} units a second)"
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
) -> Tagged:
    """Tag a corpus and write it, whole or not at all.

    Args:
        model: the folder of a trained model, or the name of another tagger.
        source: what to tag.
        out: the file to write.
        to: the format to write; told from the ending of `out` if left out.
        format: the format of the source; sniffed if left out.
        columns: which columns of a column file hold tags.
        unit: `sentence` or `document`, where a format knows both.
        words: the words that spans are made of, for taggers of others.
        threshold: claims that a trained model is less sure of are dropped; left out, the model's own threshold.
        device: where a neural model runs.
        progress: told how many units are done.
    """
    tagger = open_tagger(model, words=words, device=device)
    if threshold is not None:
        if not isinstance(tagger, TrainedTagger):
            raise UsageError("only a model that Karatage trained knows how sure it is: leave --threshold out")
        tagger = tagger.with_threshold(threshold)
    if source != "-" and out != "-" and Path(out).exists() and Path(source).exists() and Path(out).samefile(source):
        raise UsageError(f"{out} is the file to tag: name another one to write")
    format = format or _read_as(source)  # noqa: A001
    target = get_format(to or _target(out, source, format))
    met = _Met()
    notes: Counter[str] = Counter()
    began = time.monotonic()
    batches = scan(source, format=format, columns=list(columns), unit=unit, notes=notes)  # type: ignore[arg-type]
    scores = "confidence" in target.holds  # which cost time to make
    # Reading, tagging and writing wait for different things, so each has a thread.
    with prefetch(batches) as ready, prefetch(tag_batches(tagger, ready, progress, scores=scores)) as found:
        lost = convert(met.watched(found), target, out)
    seconds = time.monotonic() - began
    warnings = [f"{what}: {count:,}" for what, count in notes.items()]
    losses = {what: count for what, count in lost.items() if what not in (ATTRIBUTES, POSITIONS, TEXTS, WORDS)}
    warnings += [f"the format {target.name} cannot hold {what}: {count:,}" for what, count in losses.items()]
    return Tagged(met.units, met.claims, target.name, seconds, (*warnings, *met.strange(tagger)))


class _Met:
    """Counts what goes by."""

    def __init__(self) -> None:
        self.units = self.claims = 0
        self.values: dict[str, set[str]] = {}

    def watched(self, batches: Iterable[Claims]) -> Iterator[Claims]:
        for batch in batches:
            self.units += len(batch.units)
            self.claims += len(batch)
            for name, column in batch.units.attributes.items():
                known = self.values.setdefault(name, set())
                if len(known) < _MANY:
                    known.update(column)
            yield batch

    def strange(self, tagger: Tagger) -> Iterator[str]:
        """Say what a trained model did not know of the units."""
        card: Card | None = getattr(tagger, "card", None)
        if card is None or not card.group_by or not self.units:
            return
        if card.group_by not in self.values:
            yield f"the model knows units by their {card.group_by}, which the input lacks: it was tagged without"
        elif new := sorted(self.values[card.group_by] - set(card.by_group)):
            some = ", ".join(map(repr, new[:5]))
            yield f"{card.group_by} that the model never saw, tagged with the labels of all: {some}"


def _read_as(source: str) -> str | None:
    """Take a file that no format recognises for texts, where its name says so."""
    place = as_input(source).sources[0]
    if place.once or place.is_folder or not place.suffixes.endswith((".txt", ".jsonl")):
        return None
    try:
        return sniff(place).name
    except FormatError:
        return "text"


def _target(out: str, source: str, given: str | None) -> str:
    """Tell the format to write: for eBay's files a submission, where the ending fits that."""
    plain = out.lower().removesuffix(".gz").removesuffix(".zst")
    place = as_input(source, format=given).sources[0]
    if plain.endswith(".tsv") and not place.once and (given or sniff(place).name).startswith("ebay"):
        return _SUBMISSION
    return format_by_ending(out)
