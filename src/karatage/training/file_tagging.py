"""Tagging files: any format in, any format out, in batches."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from karatage.claims import Claims
from karatage.errors import FormatError, UsageError
from karatage.formats import ATTRIBUTES, POSITIONS, TEXTS, WORDS, convert, get_format, prefetch, sniff
from karatage.inputs import as_input, format_by_ending, scan
from karatage.taggers import Tagger, open_tagger, tag_batches
from karatage.training.model_folder import ModelCard
from karatage.training.tagging_counts import TaggingCounts, TaggingSummary, summary_of
from karatage.training.trained_tagger import TrainedTagger

_SUBMISSION = "ebay-submission"
_MANY = 10_000
"""How many different values of an attribute are remembered."""


@dataclass(frozen=True, kw_only=True)
class TaggingOptions:
    """How files are read, tagged and written; see `tag_file`."""

    to: str | None = None
    format: str | None = None
    columns: tuple[str, ...] = ()
    unit: str = "sentence"
    words: str | None = None
    threshold: float | None = None
    device: str = "auto"

    def open(self, model: str) -> Tagger:
        """Open a tagger."""
        tagger = open_tagger(model, words=self.words, device=self.device)
        if self.threshold is None:
            return tagger
        if not isinstance(tagger, TrainedTagger):
            raise UsageError("--threshold works only with a model that Karatage trained")
        return tagger.with_threshold(self.threshold)


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
    options = TaggingOptions(
        to=to, format=format, columns=tuple(columns), unit=unit, words=words, threshold=threshold, device=device
    )
    tagger = options.open(model)
    if source != "-" and out != "-" and Path(out).exists() and Path(source).exists() and Path(out).samefile(source):
        raise UsageError(f"{out} is the input file. Write to another file")
    began = time.monotonic()
    counts = tag_into(tagger, source, out, options, progress=progress)
    return summary_of(counts, tagger, time.monotonic() - began)


def tag_into(
    tagger: Tagger,
    source: str,
    out: str,
    options: TaggingOptions,
    *,
    named: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> TaggingCounts:
    """Tag a corpus with an open tagger, and write it.

    Args:
        tagger: the tagger.
        source: what to tag.
        out: the file to write.
        options: how to read and write.
        named: the name that the file will have, if it is written under another one.
        progress: called with the number of units done so far.
    """
    form = options.format or _read_as(source)
    target = get_format(options.to or output_format(named or out, source, form))
    counting, notes = _Counting(), Counter[str]()
    batches = scan(
        source, format=form, columns=list(options.columns), unit=options.unit, notes=notes, unlabelled=True  # type: ignore[arg-type]
    )  # fmt: skip
    scores = "confidence" in target.holds  # they take extra time
    # Reading, tagging and writing wait for different things, so each has its own thread.
    with prefetch(batches) as ready, prefetch(tag_batches(tagger, ready, progress, scores=scores)) as found:
        lost = convert(counting.counted(found), target, out)
    losses = {what: count for what, count in lost.items() if what not in (ATTRIBUTES, POSITIONS, TEXTS, WORDS)}
    notes.update({f"{target.name} cannot store {what}": count for what, count in losses.items()})
    return counting.result(tagger, target.name, notes)


class _Counting:
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

    def result(self, tagger: Tagger, written: str, notes: Counter[str]) -> TaggingCounts:
        card: ModelCard | None = getattr(tagger, "card", None)
        ungrouped, unseen = 0, frozenset[str]()
        if card is not None and card.group_by and self.units:
            ungrouped = int(card.group_by not in self.values)
            unseen = frozenset(self.values.get(card.group_by, set()) - set(card.by_group))
        return TaggingCounts(1, self.units, self.claims, frozenset({written}), dict(notes), ungrouped, unseen)


def _read_as(source: str) -> str | None:
    """Read a .txt or .jsonl file that no format recognises as plain texts."""
    first = as_input(source).sources[0]
    if first.once or first.is_folder or not first.suffixes.endswith((".txt", ".jsonl")):
        return None
    try:
        return sniff(first).name
    except FormatError:
        return "text"


def output_format(out: str, source: str, given: str | None) -> str:
    """Return the output format for a file's name: a submission for eBay's files, if the extension fits."""
    plain = out.lower().removesuffix(".gz").removesuffix(".zst")
    first = as_input(source, format=given).sources[0]
    if plain.endswith(".tsv") and not first.once and (given or sniff(first).name).startswith("ebay"):
        return _SUBMISSION
    return format_by_ending(out)
