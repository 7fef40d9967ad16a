"""Reporters that write the rows of a classification report to a dict or a text table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from karatage.compat.seqeval._scores import ALL_METRICS, AVERAGES, scores
from karatage.matching import SpanCounts

__all__ = ["DictReporter", "Reporter", "StringReporter"]

_HEADERS = ("precision", "recall", "f1-score", "support")


class Reporter(ABC):
    """Collects the rows of a report."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: B027  # seqeval accepts and ignores any arguments
        pass

    @abstractmethod
    def report(self) -> Any:
        """Return the finished report."""
        raise NotImplementedError

    @abstractmethod
    def write(self, row_name: str, precision: float, recall: float, f1: float, support: int) -> None:
        """Add a row."""
        raise NotImplementedError


class DictReporter(Reporter):
    """Collects rows as `{row name: {column: value}}`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self.report_dict: dict[str, dict[str, Any]] = {}

    def report(self) -> dict[str, dict[str, Any]]:
        """Return the rows."""
        return self.report_dict

    def write(self, row_name: str, precision: float, recall: float, f1: float, support: int) -> None:
        """Add a row; a second row of the same name replaces the first."""
        self.report_dict[row_name] = dict(zip(_HEADERS, (precision, recall, f1, support), strict=True))

    def write_blank(self) -> None:
        """Do nothing: a dict has no blank lines."""


class StringReporter(Reporter):
    """Formats rows as a text table.

    Args:
        width: Width of the column of names. Default: 10.
        digits: Digits after the decimal point. Default: 4.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self.buffer: list[str] = []
        self.row_fmt = "{:>{width}s} " + " {:>9.{digits}f}" * 3 + " {:>9}"
        self.width = kwargs.get("width", 10)
        self.digits = kwargs.get("digits", 4)

    def report(self) -> str:
        """Return the table with its header."""
        return self.write_header() + "\n".join(self.buffer)

    def write(self, row_name: str, precision: float, recall: float, f1: float, support: int) -> None:
        """Add a row."""
        cells = (row_name, precision, recall, f1, support)
        self.buffer.append(self.row_fmt.format(*cells, width=self.width, digits=self.digits))

    def write_header(self) -> str:
        """Return the header and the blank line below it."""
        names = "".join(f" {name:>9}" for name in _HEADERS)
        return f"{'':>{self.width}s} {names}\n\n"

    def write_blank(self) -> None:
        """Add an empty line."""
        self.buffer.append("")


def report(
    count: Callable[[], SpanCounts], check: Callable[[], None], *, digits: int, output_dict: bool, zero_division: Any
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
