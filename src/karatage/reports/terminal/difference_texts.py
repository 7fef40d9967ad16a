"""Differences between two systems in words: values, intervals, p-values, verdicts."""

from __future__ import annotations

from karatage.comparison import Difference, MarginTest

_MOST_DIGITS = 9
"""A p-value that is nearer to the level of significance than this many decimal places tell looks like it."""

BRIEF = {"no significant difference": "not significant", "same counts everywhere": "same counts"}
"""Verdicts in fewer words, for narrow tables."""


def margin_verdict(difference: Difference, test: MarginTest) -> str:
    """Say in words what the tests against a margin show."""
    if test.one_no_worse and test.other_no_worse:
        return f"equivalent within {test.margin:g}"
    if test.one_no_worse:
        return f"no worse than {difference.other} by more than {test.margin:g}"
    if test.other_no_worse:
        return f"{difference.other} no worse than {difference.one} by more than {test.margin:g}"
    return "not shown"


def signed(value: float | None) -> str:
    """Return a difference as text."""
    return "undefined" if value is None else f"{value:+.4f}"


def ends(difference: Difference) -> str:
    """Return the interval of a difference as text."""
    if difference.low is None or difference.high is None:
        return f"({difference.withheld})" if difference.withheld and difference.units else ""
    return f"{difference.low:+.4f} to {difference.high:+.4f}"


def p_value(p: float | None, alpha: float = 0.05) -> str:
    """Return a p-value as text; one just above the level of significance does not look as if it were at most that."""
    if p is None:
        return ""
    digits, above = 4, p > alpha + 10**-_MOST_DIGITS
    while above and digits < _MOST_DIGITS and round(p, digits) <= alpha + 10**-_MOST_DIGITS:
        digits += 1
    return f"{p:.{digits}f}" if p >= 0.00005 else "<0.0001"


def p_equals(p: float | None, alpha: float = 0.05) -> str:
    """Return a p-value as text after its symbol: `p = 0.0312`, or `p < 0.0001`."""
    shown = p_value(p, alpha)
    return f"p < {shown[1:]}" if shown.startswith("<") else f"p = {shown}"


def verdict(difference: Difference) -> str:
    """Say in words what a test found."""
    if difference.value is None:
        return "undefined"
    if not difference.units:
        return "same counts everywhere"
    if difference.corrected is None:
        return "no test"
    return "better" if difference.significant else "no significant difference"
