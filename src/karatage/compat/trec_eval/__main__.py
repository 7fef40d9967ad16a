"""`python -m karatage.compat.trec_eval`: trec_eval's options, and the same output byte for byte."""

from __future__ import annotations

import sys

from karatage._processes import forget_current_folder

forget_current_folder()

from karatage._start import start  # noqa: E402  nothing else is imported before


def run() -> int:
    """Score the given files."""
    from karatage.compat.trec_eval.trec_command import main

    return main(sys.argv[1:])


if __name__ == "__main__":
    start(run)
