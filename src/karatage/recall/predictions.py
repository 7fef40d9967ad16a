"""Predictions on the texts of a benchmark, from a tagger or from a file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from karatage.errors import InputError, UsageError, unknown
from karatage.inputs import scan
from karatage.recall.benchmark import Benchmark
from karatage.taggers import DROPPED, Span, TaggedTexts, Tagger, tag_texts


def run_tagger(
    benchmark: Benchmark,
    tagger: Tagger,
    *,
    save: str | Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> TaggedTexts:
    """Run a tagger on the texts of a benchmark; an interrupted run resumes where it stopped.

    Args:
        save: File for its predictions. Default: a journal in the user's cache, which `remove_journal` removes.
        progress: Called with the number of texts tagged so far.
    """
    check_labels(benchmark, tagger.labels, tagger.name)
    journal = Path(save) if save is not None else _journal(benchmark, tagger)
    return tag_texts(tagger, benchmark.texts, journal=journal, progress=progress)


def remove_journal(benchmark: Benchmark, tagger: Tagger) -> None:
    """Remove the journal of a finished run from the cache."""
    journal = _journal(benchmark, tagger)
    if journal is not None:
        journal.unlink(missing_ok=True)


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
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder / name if os.access(folder, os.W_OK) else None


def predicted_spans(
    benchmark: Benchmark,
    source: Any,
    *,
    label_map: Mapping[str, str] | None = None,
    partial: bool = False,
    format: str | None = None,  # noqa: A002  users say format
) -> tuple[tuple[Span, ...] | None, ...]:
    """Read predictions and match them with the positives by text.

    Args:
        source: Anything that `karatage.scan` reads and that has texts and character offsets.
        label_map: New names for labels. A label mapped to "" or "O" is dropped.
        partial: Whether texts may be missing; their spans are then None.
    """
    wanted = set(benchmark.texts)
    found: dict[str, set[Span]] = {}
    labels: set[str] = set()
    seen: set[str] = set()
    renamed = dict(label_map or {})
    for batch in scan(source, format=format):
        if batch.units.texts is None or batch.space != "char":
            hint = "Use a format with texts and character offsets, such as JSONL, Label Studio or brat"
            raise InputError("has no texts with character offsets", source=batch.units.source or None, hint=hint)
        texts = batch.units.texts
        for text in wanted.intersection(texts):
            found.setdefault(text, set())
        for unit, label, start, end, _, _ in batch.rows():
            seen.add(label)
            name = renamed.get(label, label)
            if name in DROPPED:
                continue
            labels.add(name)
            if texts[unit] in wanted:
                found[texts[unit]].add((start, end, name))
    missing = [text for text in benchmark.texts if text not in found]
    if missing and not partial:
        problem = f"no predictions for {len(missing):,} of {len(benchmark.texts):,} texts, e.g. {missing[0][:60]!r}"
        hint = "Use --failed leave-out to leave them out, or --failed miss to count them as missed"
        raise InputError(problem, source=str(source), hint=hint)
    for label in renamed:
        if label not in seen:
            raise unknown("label of the predictions", label, seen)
    check_labels(benchmark, frozenset(labels) if seen else None, str(source))
    return tuple(tuple(sorted(found[text])) if text in found else None for text in benchmark.texts)


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
