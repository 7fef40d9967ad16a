"""`python -m karatage.compat.sigir19`: the script's options, and the same output byte for byte."""

from __future__ import annotations

import argparse
import sys

from karatage._printing import tell
from karatage._processes import forget_current_folder
from karatage._start import start
from karatage.errors import KaratageError

forget_current_folder()


def main() -> None:
    """Score the given files and print the values."""
    from karatage.compat.sigir19 import evaluate_submission

    parser = argparse.ArgumentParser(
        prog="python -m karatage.compat.sigir19", description="Score predictions like the SIGIR eCom'19 challenge."
    )
    parser.add_argument("-g", "--ground-truth-file", required=True, help="matrix of judgements")
    parser.add_argument("-p", "--prediction-file", required=True, help="matrix of predictions")
    parser.add_argument("-d", "--document-file", help="documents with their prices; without it, both price nDCGs are 0")
    given = parser.parse_args()
    try:
        values = evaluate_submission(given.ground_truth_file, given.prediction_file, given.document_file)
    except (KaratageError, OSError) as error:
        tell(str(error))
        sys.exit(2)
    print()  # noqa: T201
    print(values)  # noqa: T201


if __name__ == "__main__":
    start(main)
