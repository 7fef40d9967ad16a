"""Starting a command: a signal ends it without a traceback from the first import on, and closed streams do no harm."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time

TYPE_CHECKING = False  # as in `typing`, whose import takes longer than the rest: a signal may come any time
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

_AGAIN = 1.0
"""How many seconds must pass until another signal interrupts the cleaning up after the first one."""

_FOLDING = ("karatage.scoring.folding", "karatage.scoring.extraction_counts", "karatage.formats.columns.conll")
"""What counting a part of a column file takes."""

COLLECTED = 10_000
"""How many new objects are looked through for cycles at a time. Imports make many objects, and next to no cycles."""

_received: list[tuple[int, float]] = []
"""The signals so far, with their time."""
_finished: list[bool] = []


class Interruption(KeyboardInterrupt):
    """A signal. It has its own class, as Python ends itself by SIGINT after some interrupts that were seen to."""


def main() -> NoReturn:
    """Run `karatage`."""

    def run() -> None:
        if sys.argv[1:2] and sys.argv[1] in ("score", "compare"):
            from karatage.engine import start_early

            start_early(sys.argv[2:], _FOLDING)
        from karatage.cli import main

        main()

    start(run)


def start(command: Callable[[], int | None]) -> NoReturn:
    """Run a command, which does its imports itself, and exit with its status.

    A signal ends it with 128 and its number, as in a shell. If the reader of its output goes away, the status is 1.
    """
    _open_closed_streams()
    gc.set_threshold(COLLECTED)
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    sys.unraisablehook = _unraisable
    status = None
    try:
        status = command()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for what Python still has to write when it exits
        status = 1
    except BaseException:
        # A library whose import was interrupted may raise anything.
        if not _received:
            raise
    finally:
        _finished.append(True)
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
    sys.exit(128 + _received[0][0] if _received else status)


def _interrupt(number: int, _: object) -> None:
    """Interrupt the work, so that whatever it has under way is cleaned up."""
    now = time.monotonic()
    if _received and now - _received[-1][1] < _AGAIN:
        return  # a shell and a terminal may both send one
    _received.append((number, now))
    raise Interruption


def _unraisable(found: Any) -> None:
    """Repeat an interrupt that came where nothing can be raised, such as in a destructor, a moment later."""
    if not _received or not issubclass(found.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(found)
    elif hasattr(signal, "setitimer") and not _finished:  # not on Windows, nor where there is nothing left to interrupt
        signal.signal(signal.SIGALRM, _repeat)
        signal.setitimer(signal.ITIMER_REAL, 0.01)


def _repeat(*_: object) -> None:
    raise Interruption


def _open_closed_streams() -> None:
    """Open the null device in place of closed standard streams, which the next file would take the number of."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  it stays open
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  it stays open
