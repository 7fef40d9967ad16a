"""Checking a submission to eBay's challenge before it is sent."""

from __future__ import annotations

from pathlib import Path

from karatage.challenges.ebay_2025.aspects import OBSCURE
from karatage.challenges.ebay_2025.submission.submission_report import Findings, SubmissionReport
from karatage.formats import Source, guard


def check(path: str | Path, listings: str | Path | None = None) -> SubmissionReport:
    """Check a submission: its columns, categories, aspects and values; with the listings, also records and titles.

    Args:
        path: the submission, tab-separated: record number, category, aspect and value.
        listings: the records that it should answer for, as listings: the quiz's, or all.
    """
    from karatage.challenges.ebay_2025.submission.against_listings import compare
    from karatage.challenges.ebay_2025.submission.submission_checks import checked
    from karatage.challenges.ebay_2025.submission.submission_rows import read_rows

    findings = Findings()
    source = Source(path)
    titles = Source(listings) if listings is not None else None
    with guard(source):
        rows, count = checked(read_rows(source, findings), findings, titles=titles is not None)
    if titles is not None:
        with guard(titles):
            compare(rows, titles, findings)
    return SubmissionReport(
        source=source.name,
        listings=None if titles is None else titles.name,
        rows=count,
        records=rows["number"].n_unique(),
        values=int((rows["aspect"] != OBSCURE).fill_null(True).sum()),
        findings=findings.found(),
    )
