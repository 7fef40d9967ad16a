"""The cells of a row in a table of claims: texts, positions, tokens, pieces and confidence scores."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from karatage.claims import Fragments
from karatage.errors import FormatError
from karatage.formats.cells import is_null, whole, whole_text
from karatage.formats.json.json_members import LARGEST, as_number

SCORE = "score"
"""A column of numbers that says how sure the source is of each claim."""

COLUMNS = "Expected the columns unit, label, start, end, value; a row without a label is a unit without entities"

_FRAGMENTS = re.compile(r"[0-9]+-[0-9]+(?:;[0-9]+-[0-9]+)*")


def score_in(cell: Any) -> float | None:
    """Return the number in a cell, NaN for none; None for what is neither."""
    number = as_number(cell)
    if number is not None:
        return number
    empty = is_null(cell)
    # An empty cell of CSV is null, and some tools write NaN for it.
    return math.nan if empty or (isinstance(cell, str) and cell.lower() in ("", "nan")) else None


class TableRow:
    """The cells of one row by column name, and where it stands."""

    def __init__(self, row: Sequence[Any], at: dict[str, int], source: str, line: int | None, unit: str) -> None:
        self._row, self._at, self._source, self._line, self._unit = row, at, source, line, unit

    def fail(self, problem: str, hint: str) -> NoReturn:
        """Refuse the row."""
        raise FormatError(problem, source=self._source, line=self._line, unit=self._unit, hint=hint)

    def get(self, name: str) -> Any:
        """Return a cell; None if there is no such column."""
        return self._row[self._at[name]] if name in self._at else None

    def text(self, name: str) -> str | None:
        """Return a cell as text; None if it is null."""
        value = self.get(name)
        if value is None or isinstance(value, str):
            return value
        if not is_null(value):
            self.fail(f"the column {name!r} must contain strings, got {value!r:.40}", COLUMNS)
        return None

    def number(self, name: str) -> int | None:
        """Return a cell as a position. Tools that cannot hold null among whole numbers write 5.0 and NaN."""
        value = self.get(name)
        if type(value) is int and 0 <= value <= LARGEST:  # as nearly always
            return value
        if isinstance(value, str):
            number = whole_text(value)
        elif is_null(value):
            return None
        else:
            number = whole(value)
        if number is None or not 0 <= number <= LARGEST:
            self.fail(f"the column {name!r} must contain integers from 0, got {value!r:.40}", COLUMNS)
        return number

    def score(self) -> float:
        """Return how sure the source is of the claim; NaN where it does not say."""
        number = score_in(self.get(SCORE))
        if number is None:
            self.fail(
                f"the score {self.get(SCORE)!r:.40} is not a finite number, unlike those before it",
                "Correct it, or rename the column if it does not contain scores",
            )
        return number

    def tokens(self) -> list[str]:
        """Return the unit's tokens: an array, or the JSON of one in tables that hold text only."""
        value = self.get("tokens")
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                self.fail(f"the tokens {value!r:.40} are not a JSON array", 'Expected e.g. ["New", "York"]')
        if not isinstance(value, list) or not all(isinstance(token, str) for token in value):
            self.fail(f"the column 'tokens' must contain arrays of strings, got {value!r:.40}", COLUMNS)
        return value

    def fragments(self) -> Fragments | None:
        """Return the pieces of a discontinuous span."""
        text = self.text("pieces")
        if text is None:
            return None
        if not _FRAGMENTS.fullmatch(text) or any(len(number) > 10 for number in re.findall(r"\d+", text)):
            self.fail(f"invalid pieces {text!r:.60}", "Expected e.g. 4-7;12-16")
        parts = (part.split("-") for part in text.split(";"))
        return tuple((int(a), int(b)) for a, b in parts)
