"""What a check of a submission found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from karatage._shown import Shown

if TYPE_CHECKING:
    from rich.console import RenderableType

ERROR, WARNING = "error", "warning"
SHOWN = 5
"""How many places of a finding are kept."""

KINDS = {
    "byte-order-mark": (ERROR, "the file starts with a byte order mark, which becomes part of the first record number"),
    "no-rows": (ERROR, "the file has no valid rows"),
    "header": (ERROR, "the first line contains column names, but a submission has no header"),
    "columns": (ERROR, "lines without exactly 4 tab-separated columns"),
    "encoding": (ERROR, "lines that are not UTF-8"),
    "carriage-return": (ERROR, "lines that end in a carriage return, which becomes part of the value"),
    "quoting": (ERROR, "rows with quoted fields, but a submission is not quoted"),
    "record-number": (ERROR, "record numbers that are not integers from 1"),
    "category": (ERROR, "categories other than 1 and 2"),
    "two-categories": (ERROR, "rows with a different category from the first row of their record"),
    "unknown-aspect": (ERROR, "unknown aspects"),
    "other-aspect": (ERROR, "aspects of the other category"),
    "empty-value": (ERROR, "aspects without a value"),
    "unknown-record": (ERROR, "records that are not in the listings"),
    "other-category": (ERROR, "records with a different category in the listings"),
    "quoted-value": (WARNING, "quoted values: the quotes become part of the value"),
    "blanks": (WARNING, "values with leading, trailing or repeated spaces"),
    "not-in-title": (WARNING, "values that are not consecutive tokens of the title, so they can never be correct"),
    "too-often": (WARNING, "values that occur more often than in the title"),
    "missing-record": (WARNING, "records of the listings without a row, which are scored as having no aspects"),
}
"""What can be found: an error would be rejected or misread, a warning costs points or looks like a mistake."""


@dataclass(frozen=True)
class Occurrence:
    """Where something was found: the line, counted from 1, the record, and what stands there, each where known."""

    line: int | None
    record: str | None
    text: str


@dataclass(frozen=True)
class SubmissionFinding:
    """Something that is wrong with a submission, or looks like it.

    Attributes:
        kind: a short name, one of `KINDS`.
        severity: `error` if it would be rejected or misread, `warning` if it costs points or looks like a slip.
        what: what it is.
        count: how often it was found.
        places: the first places.
    """

    kind: str
    severity: str
    what: str
    count: int
    places: tuple[Occurrence, ...]


@dataclass(frozen=True)
class SubmissionReport(Shown):
    """What a check of a submission found; true if there is no error.

    Attributes:
        source: the submission.
        listings: what it was held against, if anything.
        rows: how many rows could be read, those tagged O included.
        records: how many records they are about.
        values: how many values they give.
        findings: what was found, errors first.
    """

    source: str
    listings: str | None
    rows: int
    records: int
    values: int
    findings: tuple[SubmissionFinding, ...]

    def __bool__(self) -> bool:
        return not self.errors

    def __repr__(self) -> str:
        return f"<Report: {self.rows:,} rows, {len(self.errors)} kinds of errors, {len(self.warnings)} of warnings>"

    @property
    def errors(self) -> tuple[SubmissionFinding, ...]:
        """What would be rejected or misread."""
        return tuple(one for one in self.findings if one.severity == ERROR)

    @property
    def warnings(self) -> tuple[SubmissionFinding, ...]:
        """What costs points or looks like a slip."""
        return tuple(one for one in self.findings if one.severity == WARNING)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, in the shape that `--json` prints."""
        return {"ok": bool(self), **asdict(self)}

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows."""
        from karatage.reports import submission_parts

        return submission_parts(self)


class Findings:
    """Collects what is found, over any number of blocks."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._places: dict[str, list[Occurrence]] = {}

    def add(self, kind: str, count: int, places: Iterable[Occurrence]) -> None:
        """Count something, and keep its first places."""
        if count:
            self._counts[kind] = self._counts.get(kind, 0) + count
            kept = self._places.setdefault(kind, [])
            kept += [place for place, _ in zip(places, range(SHOWN - len(kept)), strict=False)]

    def found(self) -> tuple[SubmissionFinding, ...]:
        """Return all, in the order of `KINDS`."""
        return tuple(
            SubmissionFinding(kind, severity, what, self._counts[kind], tuple(self._places[kind]))
            for kind, (severity, what) in KINDS.items()
            if kind in self._counts
        )
