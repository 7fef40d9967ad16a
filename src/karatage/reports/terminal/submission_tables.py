"""The check of a submission in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from karatage.reports.terminal.result_tables import counted

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.challenges.ebay_2025 import Occurrence, SubmissionReport

_STYLES = {"error": "bold red", "warning": "yellow"}


def submission_parts(report: SubmissionReport) -> Iterator[RenderableType]:
    """Yield what a terminal shows of a check: what was found, where, and the verdict."""
    against = f" · against {report.listings}" if report.listings is not None else ""
    counts = ", ".join(
        (counted(report.rows, "row"), counted(report.records, "record"), counted(report.values, "value"))
    )
    yield Text.assemble(("karatage", "bold"), f" · submission {report.source} · {counts}{against}")
    for finding in report.findings:
        style = _STYLES[finding.severity]
        yield Text.assemble(
            (f"{finding.severity} ", style), (finding.kind, "bold"), f"  {finding.count:,} × {finding.what}"
        )
        for place in finding.places:
            yield Text(f"    {_where(place)}", "dim")
        if finding.count > len(finding.places) > 0:
            yield Text("    …", "dim")
    if report.listings is None:
        yield Text("Records and titles were not checked: pass the listings with --listings", "dim")
    yield Text(_verdict(report), "bold")


def _where(place: Occurrence) -> str:
    at = [f"line {place.line}"] if place.line is not None else []
    at += [f"record {place.record}"] if place.record is not None else []
    return f"{', '.join(at)}{': ' if at and place.text else ''}{place.text}"


def _verdict(report: SubmissionReport) -> str:
    if not report:
        return f"not ready: {_kinds(len(report.errors), 'error')}, which would be rejected or misread"
    if report.warnings:
        one = len(report.warnings) == 1
        which = "costs points or looks like a mistake" if one else "cost points or look like mistakes"
        return f"no errors, but {_kinds(len(report.warnings), 'warning')}, which {which}"
    return "no problems found"


def _kinds(count: int, noun: str) -> str:
    return f"1 kind of {noun}" if count == 1 else f"{count} kinds of {noun}s"
