"""Intervals with several annotators hold the score by all annotators; those by one of them do not."""

from __future__ import annotations

from benchmarks.annotators import coverage


def test_annotators_who_differ() -> None:
    """150 test sets: the standard error of a coverage of 95 % is 1.8 points."""
    held = coverage("differ", 5, 400, range(150))
    assert held["by one annotator"].share < 0.75
    assert held["all annotators"].share >= 0.93
    assert held["difference"].share >= 0.88
