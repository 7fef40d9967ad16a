"""What a person sees who waits: how much is done, how long it has taken, and about how long it will still take."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from glob import glob
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from karatage._printing import console, is_quiet, visible
from karatage.engine import PartsDone

if TYPE_CHECKING:
    from rich.console import RenderableType

DELAY = 1.0
"""How many seconds some work takes before its progress is shown."""

_KNOWN = 0.01
"""The share of the work from which on the time left can be estimated."""

_BAR = 24


def terminal() -> bool:
    """Whether a person is looking at standard error, and has not asked for quiet."""
    return sys.stderr.isatty() and not is_quiet()


@dataclass
class FollowedWork:
    """How far some work is.

    Attributes:
        what: what is counted, e.g. `texts tagged`.
        text: what else to say.
        done: how many are done; None if that is not counted.
        share: which part of everything is done, from 0 to 1; None if unknown.
        metered: tells which part of the files was read, where that is as good as what is done.
        counts: whether it tells how many are done; until it has, somebody may read the files to cut them into parts.
        began: when the work began.
        first: when a share was told first, and which: some of it may have been done before an interruption.
        passes: how often everything was read, and then read again.
        total: how many there are, which is known from the second pass on.
    """

    what: str = ""
    text: str = ""
    done: int | None = None
    share: float | None = None
    metered: Callable[[], float] | None = None
    counts: bool = False
    began: float = field(default_factory=monotonic)
    first: tuple[float, float] | None = None
    passes: int = 0
    total: int | None = None

    def count(self, done: int) -> None:
        """Take how many are done; it may know how many parts of the work that is. Fewer than before: another pass."""
        if self.done is not None and done < self.done:
            self.passes, self.total, self.first, self.metered = self.passes + 1, self.done, None, None
        self.done = int(done)
        if self.total:
            self.reach(min(self.done, self.total), self.total)
        elif isinstance(done, PartsDone):
            self.metered = None  # others read the files
            self.reach(done.parts, done.of)

    def reach(self, done: float, of: float | None) -> None:
        """Take how much of everything is done."""
        self.share = done / of if of else None
        if self.first is None and self.share is not None:
            self.first = monotonic(), self.share

    def line(self, now: float) -> tuple[float | None, str]:
        """Return the share that is done, if it is known, and what to say."""
        share = self.share
        if share is None and self.metered is not None and (self.done is not None or not self.counts):
            share = self.metered()
        if share is not None and share >= 1:
            share = None  # what follows takes its time, too
        counted = "" if self.done is None else f"{self.done:,} {self.what}"
        again = f"pass {self.passes + 1}" if self.passes else ""
        said = [part for part in (self.text, again, counted) if part] or ["reading" if self.counts else self.what]
        return share, f"{self._time(now, share)}   {', '.join(said)}"

    def _time(self, now: float, share: float | None) -> str:
        passed = clock(now - self.began)
        start, before = self.first or (self.began, 0.0)
        if share is None or share - before < _KNOWN:
            return passed
        return f"{passed}, about {clock((now - start) * (1 - share) / (share - before))} left"


def clock(seconds: float) -> str:
    """Return a time as 0:05 or 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@contextmanager
def shown_work(what: str = "", reading: Iterable[object] | None = None) -> Iterator[FollowedWork | None]:
    """Show how far some work is, in a terminal, if it takes longer than a moment; the line goes away at the end.

    Args:
        what: what is counted, or what is done.
        reading: the files that it reads, if they are read from start to end while it goes on.
    """
    if not terminal():
        yield None
        return
    from karatage.formats import ReadingMeter

    work, meter, over = FollowedWork(what), ReadingMeter(), Event()
    total = None if reading is None else total_size(reading)
    if total:
        work.metered = lambda: min(meter.read / total, 1.0)
    thread = Thread(target=_show, args=(work, over), name="progress", daemon=True)
    thread.start()
    try:
        with meter.running():
            yield work
    finally:
        over.set()
        thread.join()


def _show(work: FollowedWork, over: Event) -> None:
    """Draw the line until the work is over."""
    if over.wait(DELAY):
        return
    from rich.live import Live

    shown: Any = _Line(work)
    with Live(shown, console=console(stderr=True), refresh_per_second=4, transient=True, redirect_stdout=False):
        over.wait()


class _Line:
    """The line, as it is now."""

    def __init__(self, work: FollowedWork) -> None:
        self._work = work

    def __rich__(self) -> RenderableType:
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        share, said = self._work.line(monotonic())
        line = Text(visible(said), no_wrap=True, overflow="ellipsis")
        if share is None:
            return line
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(width=_BAR)
        grid.add_column(width=5, justify="right")
        grid.add_column()
        grid.add_row(ProgressBar(total=1.0, completed=share, width=_BAR), f"{int(100 * share)} %", line)
        return grid


def total_size(given: Iterable[object]) -> int | None:
    """Return the size of files, folders and glob patterns in bytes; None if that of one of them is unknown."""
    total = 0
    for one in given:
        if one is None:
            continue
        found = [Path(path) for path in ([str(one)] if Path(str(one)).exists() else glob(str(one)))]  # noqa: PTH207
        if not found:
            return None  # standard input, a list of files, a store
        for path in found:
            inside = path.rglob("*") if path.is_dir() else [path]
            total += sum(file.stat().st_size for file in inside if file.is_file())
    return total
