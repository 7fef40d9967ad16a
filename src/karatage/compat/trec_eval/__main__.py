"""`python -m karatage.compat.trec_eval`: trec_eval's options, and the same output byte for byte."""

from __future__ import annotations

import sys

from karatage.compat.trec_eval.trec_command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
