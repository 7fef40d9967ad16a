"""`python -m karatage.compat.conlleval`: the script's options, and the same output byte for byte."""

from __future__ import annotations

import sys

from karatage.compat.conlleval.conlleval_command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], sys.stdin.buffer, sys.stdout.buffer))
