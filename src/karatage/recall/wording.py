"""Counts in messages, with singular and plural."""

from __future__ import annotations


def count_noun(count: int, noun: str, plural: str | None = None) -> str:
    """Return a count with its noun: 1 item, 2 items.

    >>> count_noun(1, "stratum", "strata"), count_noun(1200, "positive")
    ('1 stratum', '1,200 positives')
    """
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"
