"""What a tagger, or a file of predictions, says of the texts of a benchmark."""

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

Spans = tuple[tuple[Span, ...] | None, ...]
"""For each positive the spans on its text; None where the tagger failed."""


def tagged(
    benchmark: Benchmark,
    tagger: Tagger,
    *,
    save: str | Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> TaggedTexts:
    """Run a tagger over the texts of a benchmark; an interrupted run goes on where it stopped.

    Args:
        benchmark: the benchmark.
        tagger: the tagger.
        save: where to keep what it says. Left out, it is kept in the user's cache; `forget` removes it there.
        progress: gets the number of texts done.
    """
    check_labels(benchmark, tagger.labels, tagger.name)
    journal = Path(save) if save is not None else _cached(benchmark, tagger)
    return tag_texts(tagger, benchmark.texts, journal=journal, progress=progress)


def forget(benchmark: Benchmark, tagger: Tagger) -> None:
    """Remove what is kept of a run until it is done."""
    journal = _cached(benchmark, tagger)
    if journal is not None:
        journal.unlink(missing_ok=True)


def _cached(benchmark: Benchmark, tagger: Tagger) -> Path | None:
    """Return a place for what a run has done so far; None where there is none to write to."""
    version = getattr(tagger, "version", "")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    name = hashlib.sha256(f"{benchmark.hash}\n{tagger.name}\n{version}".encode()).hexdigest()[:24]
    folder = base / "karatage" / "recall"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder / f"{name}.jsonl" if os.access(folder, os.W_OK) else None


def predicted(
    benchmark: Benchmark,
    source: Any,
    *,
    label_map: Mapping[str, str] | None = None,
    partial: bool = False,
    **options: Any,
) -> Spans:
    """Read a file of predictions, which are matched with the positives by their texts.

    Args:
        benchmark: the benchmark.
        source: anything that `karatage.scan` takes and that has texts and spans in characters.
        label_map: other names for its labels; one that is mapped to "" or "O" is dropped.
        partial: whether texts may be missing; they count as failures then.
        options: how to read, as for `karatage.scan`.
    """
    wanted = set(benchmark.texts)
    found: dict[str, set[Span]] = {}
    labels: set[str] = set()
    seen: set[str] = set()
    renamed = dict(label_map or {})
    for batch in scan(source, **options):
        if batch.units.texts is None or batch.space != "char":
            hint = "Use a format with texts and character offsets, such as JSONL, Label Studio or brat"
            raise InputError("has no texts with spans in characters", source=batch.units.source or None, hint=hint)
        texts = batch.units.texts
        for text in texts:
            if text in wanted:
                found.setdefault(text, set())
        for unit, label, start, end, _, _ in batch.rows():
            seen.add(label)
            name = renamed.get(label, label)
            if name in DROPPED:
                continue
            labels.add(name)
            if texts[unit] in wanted:
                found[texts[unit]].add((start, end, name))
    name = str(source)
    missing = [text for text in benchmark.texts if text not in found]
    if missing and not partial:
        problem = (
            f"has no predictions for {len(missing):,} of {len(benchmark.texts):,} texts, such as {missing[0][:60]!r}"
        )
        hint = "Count them as failures with --failed leave-out, or as misses with --failed miss"
        raise InputError(problem, source=name, hint=hint)
    for label in renamed:
        if label not in seen:
            raise unknown("label of the predictions", label, seen)
    check_labels(benchmark, frozenset(labels) if seen else None, name)
    return tuple(tuple(sorted(found[text])) if text in found else None for text in benchmark.texts)


def check_labels(benchmark: Benchmark, known: frozenset[str] | None, name: str) -> None:
    """Refuse predictions that cannot be right, as none of them has a label of the benchmark."""
    wanted = {label for one in benchmark.positives for label in one.labels}
    if known is not None and wanted and not wanted & known:
        problem = f"{name} never says {', '.join(sorted(wanted))}"
        if not known:
            raise UsageError(f"{problem}: no label is left")
        has = ", ".join(sorted(known)[:10])
        raise UsageError(f"{problem}: its labels are {has}. Rename one, such as --map {min(known)}={min(wanted)}")
