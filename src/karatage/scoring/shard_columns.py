"""Shards of column files whose lines have different numbers of columns: the last one may be something else in some."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from karatage.errors import KaratageError
from karatage.formats import column_count
from karatage.inputs import Input

_LOOKED_AT = 1000
"""At so many files, evenly spaced, if there are more."""


def differing_columns(side: str, own: Input) -> Iterator[str]:
    """Warn of files with different numbers of columns, unless somebody said where the tags are.

    Args:
        side: gold or predictions.
        own: the files.
    """
    if own.content != "files" or len(own.sources) < 2 or own.options.columns or own.once:
        return
    found: dict[int, str] = {}
    step = -(-len(own.sources) // _LOOKED_AT)
    for source in islice(own.sources, 0, None, step):
        try:
            count = column_count(source) if own.format_of(source).name == "conll" else None
        except (KaratageError, OSError):
            continue  # who reads it says what is wrong
        if count is not None:
            found.setdefault(count, source.name)
    if len(found) > 1:
        shown = ", ".join(f"{count} in {name}" for count, name in sorted(found.items()))
        yield (
            f"{side}: files have different numbers of columns ({shown}), and tags are read from the last one. Use "
            "--columns to name it, if that is wrong"
        )
