"""A process that does parts of some work: `python -m karatage.engine.worker`, started by `LocalProcesses`.

It imports the modules that it is called with while its work is still being prepared. Then it reads a function and a
part from standard input, and writes what the function returns to standard output, until standard input ends. When the
process that started it is gone, it ends by itself, also in the middle of a part, which may take hours.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import time
from contextlib import suppress
from importlib import import_module
from threading import Thread

from karatage._start import COLLECTED
from karatage.errors import EngineError


def main() -> None:
    """Do parts until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes: who started this one ends it
    gc.set_threshold(COLLECTED)
    answers = os.fdopen(os.dup(1), "wb")
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    os.dup2(2, 1)  # whatever prints something must not print it into an answer
    for module in sys.argv[1:]:
        with suppress(Exception):  # it is imported again with the function, where errors are told
            import_module(module)
    while True:
        try:
            function, part = pickle.load(sys.stdin.buffer)  # noqa: S301  # what our own process wrote
        except EOFError:
            return
        try:
            answer: tuple[str, object] = "", function(part)
        except Exception as error:  # it is told, and the work is done again where its message can be shown
            answer = f"{type(error).__name__}: {error}", error if isinstance(error, EngineError) else None
        pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()
        del answer  # not while the next part is done


def _end_with(parent: int) -> None:
    """End this process when its parent is gone; on Windows, a process keeps the number of its parent."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


if __name__ == "__main__":
    main()
