"""The classification report of both modes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from karatage.compat.seqeval._counting import SpanCounts
from karatage.compat.seqeval._scores import ALL_METRICS, AVERAGES, scores
from karatage.compat.seqeval.reporters import DictReporter, StringReporter


def report(
    count: Callable[[], SpanCounts],
    check: Callable[[], None],
    *,
    digits: int,
    output_dict: bool,
    zero_division: Any,
) -> str | dict[str, dict[str, Any]]:
    """Write one row per type and one per average; like seqeval, it determines the types before it checks the input."""
    names = count().names
    reporter: DictReporter | StringReporter
    if output_dict:
        reporter = DictReporter()
    else:
        width = max(max(map(len, names)), len("weighted avg"), digits)
        reporter = StringReporter(width=width, digits=digits)
    check()
    for average in AVERAGES:
        row = scores(count(), average=average, warn_for=ALL_METRICS, zero_division=zero_division)
        if average is None:
            for cells in zip(names, *row, strict=True):
                reporter.write(*cells)
            reporter.write_blank()
        else:
            reporter.write(f"{average} avg", *row)
    reporter.write_blank()
    return reporter.report()
