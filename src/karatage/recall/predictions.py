"""Predictions on the texts of a benchmark, from a tagger or from a file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from karatage._folders import make_folder
from karatage._temporaries import remove
from karatage.claims import Units
from karatage.errors import InputError, UsageError, unknown
from karatage.inputs import scan
from karatage.recall.benchmark import Benchmark
from karatage.scoring import counted
from karatage.taggers import DROPPED, Span, TaggedTexts, Tagger, tag_texts


def run_tagger(
    benchmark: Benchmark,
    tagger: Tagger,
    *,
    save: str | Path | None = None,
    fresh: bool = False,
    progress: Callable[[int], None] | None = None,
) -> TaggedTexts:
    """Run a tagger on the texts of a benchmark; an interrupted run resumes where it stopped.

    Args:
        save: File for its predictions. Default: a journal in the user's cache, which `remove_journal` removes.
        fresh: Throw stored predictions away.
        progress: Called with the number of texts tagged so far.
    """
    check_labels(benchmark, tagger.labels, tagger.name)
    journal = Path(save) if save is not None else _journal(benchmark, tagger)
    return tag_texts(tagger, benchmark.texts, journal=journal, fresh=fresh, progress=progress)


def stored_answers(benchmark: Benchmark, tagging: TaggedTexts, save: str | Path | None) -> list[str]:
    """Say how many predictions were stored by an earlier run, and when; the tagger may have changed since."""
    if not tagging.resumed or tagging.written is None:
        return []
    where = f"in {save}" if save is not None else "by an earlier run"
    share = f"{tagging.resumed:,} of {counted(len(benchmark.texts), 'text')}"
    return [
        f"{share} not tagged again: predictions stored {where}, last on {tagging.written:%Y-%m-%d %H:%M} UTC; "
        "use --fresh to tag again"
    ]


def remove_journal(benchmark: Benchmark, tagger: Tagger) -> None:
    """Remove the journal of a finished run from the cache."""
    journal = _journal(benchmark, tagger)
    if journal is not None:
        remove(journal)


def _journal(benchmark: Benchmark, tagger: Tagger) -> Path | None:
    """Return the path of a run's journal in the cache; None if the cache is not writable."""
    version = getattr(tagger, "version", "")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    name = hashlib.sha256(f"{benchmark.hash}\n{tagger.name}\n{version}".encode()).hexdigest()[:24] + ".jsonl"
    old = cache / "karat" / "recall" / name  # begun before the project was renamed
    if old.exists():
        return old
    folder = cache / "karatage" / "recall"
    try:
        make_folder(folder)
    except OSError:
        return None
    return folder / name if os.access(folder, os.W_OK) else None


@dataclass(frozen=True)
class PredictedTexts:
    """Predictions from a file on the texts of a benchmark.

    Attributes:
        spans: The spans of each positive's text; None if the file does not have the text.
        repeated: Number of texts that the file has several times, always with the same spans.
    """

    spans: tuple[tuple[Span, ...] | None, ...]
    repeated: int = 0

    @property
    def warnings(self) -> list[str]:
        """What a reader should know."""
        if not self.repeated:
            return []
        return [f"{counted(self.repeated, 'text')} several times in the predictions, with the same entities"]


def predicted_spans(
    benchmark: Benchmark,
    source: Any,
    *,
    label_map: Mapping[str, str] | None = None,
    partial: bool = False,
    format: str | None = None,  # noqa: A002  users say format
) -> PredictedTexts:
    """Read predictions and match them with the positives by text.

    A text may be there several times, but only with the same spans: a tagger answers a text once.

    Args:
        source: Anything that `karatage.scan` reads and that has texts and character offsets.
        label_map: New names for labels. A label mapped to "" or "O" is dropped.
        partial: Whether texts may be missing; their spans are then None.
    """
    wanted = set(benchmark.texts)
    found: dict[str, tuple[frozenset[Span], str | int]] = {}
    repeated: set[str] = set()
    seen: set[str] = set()
    renamed = dict(label_map or {})
    for batch in scan(source, format=format):
        if batch.units.texts is None or batch.space != "char":
            hint = "Use a format with texts and character offsets, such as JSONL, Label Studio or brat"
            raise InputError("has no texts with character offsets", source=batch.units.source, hint=hint)
        texts = batch.units.texts
        own: dict[int, set[Span]] = {unit: set() for unit, text in enumerate(texts) if text in wanted}
        for unit, label, start, end, _, _ in batch.rows():
            seen.add(label)
            name = renamed.get(label, label)
            if unit in own and name not in DROPPED:
                own[unit].add((start, end, name))
        for unit, spans in own.items():
            text, answer = texts[unit], (frozenset(spans), batch.units.name(unit))
            if text in found:
                repeated.add(text)
                if found[text][0] != spans:
                    raise _two_answers(text, found[text][1], batch.units, unit)
            found[text] = answer
    missing = [text for text in benchmark.texts if text not in found]
    if missing and not partial:
        problem = f"no predictions for {len(missing):,} of {len(benchmark.texts):,} texts, e.g. {missing[0][:60]!r}"
        hint = "Use --failed leave-out to leave them out, or --failed miss to count them as missed"
        raise InputError(problem, source=str(source), hint=hint)
    for label in renamed:
        if label not in seen:
            raise unknown("label of the predictions", label, seen)
    labels = frozenset(renamed.get(label, label) for label in seen) - set(DROPPED)
    check_labels(benchmark, labels if seen else None, str(source))
    answers = (found.get(text) for text in benchmark.texts)
    return PredictedTexts(tuple(None if one is None else tuple(sorted(one[0])) for one in answers), len(repeated))


def _two_answers(text: str, first: str | int, units: Units, unit: int) -> InputError:
    problem = f"the text {text[:60]!r} has other entities than in unit {first}, where it is too"
    hint = "List each text once, with all its entities"
    return InputError(problem, source=units.source, line=units.line(unit), unit=units.name(unit), hint=hint)


def check_labels(benchmark: Benchmark, known: frozenset[str] | None, name: str) -> None:
    """Raise an error if none of a tagger's labels is a label of the benchmark."""
    wanted = benchmark.labels
    if known is None or not wanted or wanted & known:
        return
    problem = f"{name} never predicts {', '.join(sorted(wanted))}"
    if not known:
        raise UsageError(f"{problem}: all its labels are dropped")
    labels = ", ".join(sorted(known)[:10])
    raise UsageError(f"{problem}. Its labels are {labels}. Rename one, e.g. --map {min(known)}={min(wanted)}")
