"""Tagging the files of a large corpus, on several processes, each with its own model."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, closing, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Unpack

from karatage._folders import check_place, made_folder
from karatage._locking import locked
from karatage._options import takes
from karatage._temporaries import temporary_folder
from karatage.engine import Engine, Running, RunningKeywords, WorkLost
from karatage.errors import InputError, KaratageError, UsageError
from karatage.taggers import Tagger, one_line
from karatage.training.file_tagging import TaggingOptions, output_format, tag_into
from karatage.training.one_thread import one_thread
from karatage.training.shard_records import (
    FileState,
    TaggingJob,
    discard_unused,
    finished,
    open_records,
    publish,
)
from karatage.training.shards import Shard, check_apart, find_shards
from karatage.training.tagging_counts import TaggingCounts, TaggingSummary, summary_of, total
from karatage.training.trained_tagger import TrainedTagger
from karatage.training.worker_count import shared_engine, used_memory

_BATCHES = 512 << 20
"""How much memory a process takes for the texts that it tags, in bytes, besides its model."""

_SHOWN = 3
"""How many files that could not be tagged are named."""

Told = Callable[[int, int, int], None]
"""Called with the number of units done so far, of files done so far, and of all files."""


@dataclass(frozen=True)
class ShardWork:
    """A file to tag, with all that it takes to do it anywhere.

    Attributes:
        folder: the folder that relative paths start from.
        scratch: where the file is written before it has its name, without its extensions.
    """

    job: TaggingJob
    shard: Shard
    folder: str
    scratch: str


@dataclass(frozen=True)
class ShardResult:
    """What was tagged in a file, or why it could not be tagged."""

    shard: Shard
    counts: TaggingCounts
    problem: str = ""


@takes(Running)
def tag_files(
    model: str,
    sources: Sequence[str],
    out: str,
    *,
    to: str | None = None,
    format: str | None = None,  # noqa: A002  users say format
    columns: Sequence[str] = (),
    unit: str = "sentence",
    words: str | None = None,
    threshold: float | None = None,
    device: str = "auto",
    progress: Told | None = None,
    **options: Unpack[RunningKeywords],
) -> TaggingSummary:
    """Tag each file of a corpus, and write a file of the same name into a folder.

    Each file is written completely or not at all. Files that an earlier call finished are not tagged again. The output
    does not depend on the number of processes.

    Args:
        model: the folder of a trained model, or the name of another tagger.
        sources: paths, folders or patterns.
        out: the folder to write to.
        to: the output format. Default: by the extension of each file.
        format: the input format. Default: detected automatically.
        columns: the tag columns of column files.
        unit: `sentence` or `document`, for formats with both.
        words: the words that spans are made of, for other taggers.
        threshold: entities with a lower confidence are dropped. Default: the model's threshold.
        device: where a neural model runs.
        progress: called with the number of units and of files done so far, and of all files.
        options: Running options. By default, a process per core, as far as their models fit into memory, or one on
            a GPU.
    """
    where = Running(**options)
    how = TaggingOptions(
        to=to, format=format, columns=tuple(columns), unit=unit, words=words, threshold=threshold, device=device
    )
    shards = find_shards(sources, to=to, format=format)
    check_place(Path(out))
    check_apart(shards, Path(out))
    try:
        tagger = _opened(model, how)
        if to is None:  # what is wrong with all files is told at once
            output_format(shards[0].name, shards[0].source, format)
        version = getattr(tagger, "version", "")
        name = "" if isinstance(tagger, TrainedTagger) and version else tagger.name
        job = TaggingJob(model, name, version, out, how)
        began = time.monotonic()
        busy = UsageError(f"another run is writing to {out}. Wait until it is done, or use another folder")
        with made_folder(Path(out)), locked(Path(out), patience=0, busy=busy):
            found, before, more = _tag_all(job, shards, where, progress)
        return summary_of(found, tagger, time.monotonic() - began, before, *more)
    finally:
        _opened.cache_clear()


def _tag_all(
    job: TaggingJob, shards: Sequence[Shard], running: Running, progress: Told | None
) -> tuple[TaggingCounts, TaggingCounts, list[str]]:
    """Tag what is not done; return what is done now, what was done before, and warnings."""
    open_records(job)
    try:
        done = {shard.name: counts for shard in shards if (counts := finished(job, shard)) is not None}
        before, warnings = total(done.values()), list[str]()
        failed: dict[str, str] = {}
        shown = _Shown(progress, before, len(shards))
        for result in _results(job, [one for one in shards if one.name not in done], running, shown, warnings):
            if result.problem:
                failed[result.shard.name] = result.problem
            else:
                done[result.shard.name] = result.counts
            shown.add(result.counts)
    finally:
        discard_unused(job)
    if failed:
        raise _unfinished([failed[name] for name in sorted(failed)], len(shards))
    return total(done[shard.name] for shard in shards), before, warnings


def _results(
    job: TaggingJob, todo: Sequence[Shard], running: Running, shown: _Shown, warnings: list[str]
) -> Iterator[ShardResult]:
    """Tag files, the largest first: what is left at the end is small, so that no process waits long for the others."""
    todo = sorted(todo, key=lambda one: (-Path(one.source).stat().st_size, one.name))
    with temporary_folder(Path(job.out) / "files") as scratch:
        left = {one.name: ShardWork(job, one, str(Path.cwd()), str(scratch / f"{at}")) for at, one in enumerate(todo)}
        engine = None
        if left:
            hints = {"on_gpu": _on_gpu(), "neural": _is_neural(job.options.device)}
            engine = shared_engine(running, len(left), memory=used_memory() + _BATCHES, **hints)
        try:
            for result in _on_engine(engine, list(left.values())):
                del left[result.shard.name]
                yield result
        except WorkLost as error:
            warnings.append(f"{error}. The rest was tagged by one process: with fewer --jobs, each has more memory")
        for work in left.values():
            counts = finished(job, work.shard)  # by a process whose answer was lost
            yield tag_shard(work, shown.within) if counts is None else ShardResult(work.shard, counts)


def _on_engine(engine: Engine | None, work: Sequence[ShardWork]) -> Iterator[ShardResult]:
    if engine is not None:
        with closing(engine.map(tag_shard, work)) as results:
            yield from results


def tag_shard(work: ShardWork, progress: Callable[[int], None] | None = None) -> ShardResult:
    """Tag a file in any process, and record that it is done. A model is loaded once per process."""
    job, shard = work.job, work.shard
    try:
        with nullcontext() if work.folder == os.getcwd() else chdir(work.folder):  # noqa: PTH109  a string
            tagger = _same(job)
            before = FileState.of(shard.source)
            written = Path(f"{work.scratch}{shard.endings}")
            with one_thread():
                counts = tag_into(tagger, shard.source, str(written), job.options, named=shard.name, progress=progress)
            if FileState.of(shard.source) != before:
                raise InputError("changed while it was tagged", source=shard.source, hint="Run the same command again")
            publish(job, shard, written, before, counts)
            return ShardResult(shard, counts)
    except Exception as error:  # a tagger can be anyone's code, and one file must not end the work on all others
        text = str(error) if isinstance(error, KaratageError) else f"{type(error).__name__}: {one_line(error)}"
        named = text if shard.source in text else f"{shard.source}: {text}"
        return ShardResult(shard, TaggingCounts(), named)


@lru_cache(1)
def _opened(model: str, options: TaggingOptions) -> Tagger:
    return options.open(model)


def _same(job: TaggingJob) -> Tagger:
    """Return the tagger of a job; a process that lives long may have an earlier version of it."""
    tagger = _opened(job.model, job.options)
    if getattr(tagger, "version", "") != job.version:
        _opened.cache_clear()
        tagger = _opened(job.model, job.options)
    if getattr(tagger, "version", "") != job.version:
        raise UsageError(f"{job.model} changed while it was used. Run the command again")
    return tagger


def _on_gpu() -> bool:
    """Whether a model has been loaded onto a GPU."""
    torch = sys.modules.get("torch")
    return torch is not None and bool(torch.cuda.is_initialized())


def _is_neural(device: str) -> bool:
    """Whether a model would use a GPU wherever there is one: it was opened with PyTorch, and not for the processor."""
    return device != "cpu" and "torch" in sys.modules


def _unfinished(problems: Sequence[str], files: int) -> UsageError:
    """Return the error that names the files that could not be tagged."""
    more = len(problems) - _SHOWN
    shown = "; ".join(problems[:_SHOWN]) + (f"; and {more:,} more" if more > 0 else "")
    rest = "" if len(problems) == files else ". The other files are done: run the same command again to tag the rest"
    return UsageError(f"{len(problems):,} of {files:,} files could not be tagged: {shown}{rest}")


class _Shown:
    """How much is done of all files."""

    def __init__(self, progress: Told | None, before: TaggingCounts, files: int) -> None:
        self._progress, self._files = progress, files
        self._done = before
        self._tell(0)

    def add(self, counts: TaggingCounts) -> None:
        """Add a file."""
        self._done += counts
        self._tell(0)

    def within(self, units: int) -> None:
        """Count so many units of the next file as well."""
        self._tell(units)

    def _tell(self, units: int) -> None:
        if self._progress is not None:
            self._progress(self._done.units + units, self._done.files, self._files)
