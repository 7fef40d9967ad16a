"""Texts that a spreadsheet would run: in tables for people they get a leading ', which is undone when they are read.

A label or a note that starts with = is a formula to a spreadsheet, and a formula can run a program. Tables that people
open and fill in are written with `quoted_formula` and read with `unquoted_formula`. Formats for data, such as the CSV
of entities, the files of a recall benchmark and TREC's, are exact: a converter or a peer would take the sign for data.
"""

from __future__ import annotations

import re

_SIGNS = r"'*[=+\-@\t\r\n＝＋－＠]"
FORMULA = f"^({_SIGNS})"
"""What a spreadsheet takes for the start of a formula, after any sign of our own."""

_FORMULA = re.compile(_SIGNS)
_QUOTED = re.compile(f"'{_SIGNS}")
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")


def quoted_formula(text: str) -> str:
    """Return a text as a cell that no spreadsheet runs; a number stays one."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def unquoted_formula(cell: str) -> str:
    """Return the text of a cell that `quoted_formula` made, exactly."""
    return cell[1:] if _QUOTED.match(cell) else cell
