"""Drop-in replacement for the script of the SIGIR eCom'19 high-accuracy recall task: functions, options and output.

```console
$ python -m karatage.compat.sigir19 -g ground_truth.tsv -p predictions.tsv -d documents.tsv
```

Where the script stops with a traceback, such as for a ground truth without any judgements, a `karatage.KaratageError`
is raised that says what is wrong.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

__all__ = ["evaluate", "evaluate_submission"]

PHASES = ("unsupervised", "supervised", "final")


def evaluate_submission(
    ground_truth_file: str | os.PathLike[str],
    prediction_file: str | os.PathLike[str],
    doc_file: str | os.PathLike[str] | None = None,
) -> dict[str, float]:
    """Score predictions against a ground truth.

    Args:
        ground_truth_file: Matrix of judgements.
        prediction_file: Matrix of predictions.
        doc_file: Documents with their prices; without it, both price nDCGs are 0.

    Returns:
        The fourteen values, in the script's order. As in the script, a value that is 1 or 0 by rule, not by division,
        is an integer and prints without a decimal point.
    """
    from karatage.scoring import score

    result = score(
        os.fspath(ground_truth_file),
        os.fspath(prediction_file),
        like="sigir-ecom19",
        format="sigir19",
        documents=None if doc_file is None else os.fspath(doc_file),
        resamples=0,
    )
    values = {name: float(found) for name, found in result.metrics.items()}
    counts = result.counts
    missed = counts["gold"] - counts["correct"]
    spurious = counts["predicted"] - counts["correct"]
    by_rule = {
        "precision": spurious == 0,
        "recall": missed == 0,
        "tpr": missed == 0,
        "fpr": counts["true_negatives"] == 0,
        "f1": values["f1"] == 0 and (missed == spurious == 0 or (values["precision"] == values["recall"] == 0)),
    }
    return {name: int(value) if by_rule.get(name) else value for name, value in values.items()}


def evaluate(
    test_annotation_file: str | os.PathLike[str],
    user_submission_file: str | os.PathLike[str],
    phase_codename: str,
    **kwargs: Any,
) -> dict[str, Any]:
    """Score a submission when EvalAI calls it, and print the script's progress messages.

    Args:
        test_annotation_file: Matrix of judgements.
        user_submission_file: Matrix of predictions.
        phase_codename: Phase: unsupervised, supervised or final; in any other phase, all values are 0.
        kwargs: Other arguments of EvalAI, which are ignored. Documents with their prices are read from `documents.tsv`
            or else `documents.tsv.gz` in the folder `doc_folder`, by default the folder of this package, as the script
            does; or from `doc_file`.

    Returns:
        The values under `result`, in the split `data`, and under `submission_result`.
    """
    known = phase_codename in PHASES
    print("Starting Evaluation.....")  # noqa: T201  like the script
    if known:
        print(f"evaluating for {phase_codename} phase")  # noqa: T201
    doc_file = kwargs.get("doc_file") or _documents_in(kwargs.get("doc_folder", __path__[0]))
    if doc_file is not None:
        print("Document metadata found.")  # noqa: T201
    values = evaluate_submission(test_annotation_file, user_submission_file, doc_file)
    if known:
        print(f"completed evaluation for {phase_codename} phase")  # noqa: T201
    else:
        print(f"Invalid phase name: {phase_codename}")  # noqa: T201
        values = dict.fromkeys(values, 0)
    return {"result": [{"data": values}], "submission_result": values}


def _documents_in(folder: str | os.PathLike[str]) -> str | None:
    """Return the file of documents in a folder; None if there is none."""
    paths = [Path(folder) / name for name in ("documents.tsv", "documents.tsv.gz")]
    return next((str(path) for path in paths if path.exists()), None)
