"""A process that does parts of some work: `python -m karatage.engine.worker`, started by `LocalProcesses`.

It imports the modules that it is called with while its work is still being prepared. Then it reads a function and a
part from standard input, and writes what the function returns to standard output, until standard input ends. So it
ends by itself when the process that started it is gone.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from contextlib import suppress
from importlib import import_module


def main() -> None:
    """Do parts until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes: who started this one ends it
    answers = os.fdopen(os.dup(1), "wb")
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
            answer = f"{type(error).__name__}: {error}", None
        pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


if __name__ == "__main__":
    main()
