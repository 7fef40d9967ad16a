"""Labels that are not as they should be: what may be done about them, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from karatage.claims import ABSENT, Matrix
from karatage.errors import ClaimError, InputError


@dataclass(frozen=True, kw_only=True)
class LabelRules:
    """What to do about labels and prices that are not as they should be.

    Attributes:
        odd_labels: a prediction other than 1 and -1 is an error, or wrong.
        ragged_rows: a row with fewer or more labels than queries is an error, or what is missing counts as absent.
        repeated_pairs: a pair that occurs twice is an error; or gold's last label and the first prediction count.
        priced: which documents must have a price: all that are judged, or the relevant ones.
        repeated_prices: a document with two different prices is an error, or the last price counts.
        unpriced: the value of metrics that need prices where no prices are given; None leaves them undefined.
        sums: how values of queries are added up: exactly, or one after the other, which rounds as a plain loop does.
    """

    odd_labels: Literal["error", "wrong"] = "error"
    ragged_rows: Literal["error", "absent"] = "error"
    repeated_pairs: Literal["error", "first"] = "error"
    priced: Literal["judged", "relevant"] = "judged"
    repeated_prices: Literal["error", "last"] = "error"
    unpriced: float | None = None  # not NaN, which would not equal itself
    sums: Literal["exact", "in-order"] = "exact"

    def shown(self) -> list[tuple[str, str]]:
        """Return each rule and its choice, for tables."""
        choices = asdict(self) | {"unpriced": "undefined" if self.unpriced is None else f"{self.unpriced:g}"}
        return [(name.replace("_", " "), choice) for name, choice in choices.items()]


LEGAL = "1 and -1"


def positions_of(names: Sequence[str]) -> dict[str, list[int]]:
    """Return where each name stands."""
    out: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        out.setdefault(name, []).append(k)
    return out


def check_gold(gold: Matrix, rules: LabelRules) -> None:
    """Refuse gold whose labels or rows are not as they must be."""
    check_shape(gold, rules)
    check_labels(gold, "1, -1 and 0")
    for row, texts in gold.beyond.items():
        if any(text != "0" for text in texts):
            raise too_long(gold, row)


def check_labels(matrix: Matrix, legal: str) -> None:
    """Refuse a label that is none."""
    for (row, column), text in matrix.odd.items():
        raise no_label(matrix, row, column, text, legal)


def no_label(matrix: Matrix, row: int, column: int, text: str, legal: str) -> InputError:
    """Say that a label is none of the legal ones."""
    return InputError(
        f"the label {text!r} of document {matrix.documents[row]!r} for query {matrix.queries[column]!r} "
        f"(column {column + 2}) is not one of {legal}",
        source=matrix.source,
        line=row + 2,
        hint="1 is relevant, -1 is not",
    )


def check_shape(matrix: Matrix, rules: LabelRules) -> None:
    """Refuse rows that are too short or too long, and repeated pairs, unless the rules allow them."""
    if rules.ragged_rows == "error":
        _check_rows(matrix)
    if rules.repeated_pairs == "error":
        _check_repeats(matrix)


def _check_rows(matrix: Matrix) -> None:
    if not matrix.queries:
        raise no_query(matrix)
    for row in matrix.beyond:
        raise too_long(matrix, row)
    short = (matrix.labels == ABSENT).any(axis=1)
    for row in np.flatnonzero(short).tolist():
        count = int((matrix.labels[row] != ABSENT).sum())
        if count or matrix.documents[row]:  # and not an empty line
            raise InputError(
                f"the row of document {matrix.documents[row]!r} has {count} of {len(matrix.queries)} labels",
                source=matrix.source,
                line=row + 2,
                hint="Give each query a label in each row",
            )


def _check_repeats(matrix: Matrix) -> None:
    for what, names in (("query", matrix.queries), ("document", matrix.documents)):
        for name, positions in positions_of(names).items():
            if what == "document" and not name:  # an empty line is none
                positions = [k for k in positions if (matrix.labels[k] != ABSENT).any()]
            if len(positions) > 1:
                one, other = positions[0] + 2, positions[1] + 2
                where, line = f"first in line {one}", other
                if what == "query":
                    where, line = f"in columns {one} and {other}", 1
                message, hint = f"the {what} {name!r} occurs twice ({where})", f"Give each {what} once"
                raise ClaimError(message, source=matrix.source, line=line, hint=hint)


def no_query(matrix: Matrix) -> InputError:
    """Say that there is no query."""
    hint = "The cells of a row are separated by tabs"
    return InputError("the first row names no query", source=matrix.source, line=1, hint=hint)


def no_judgement(gold: Matrix) -> InputError:
    """Say that gold judges nothing."""
    return InputError("no pair is judged", source=gold.source, hint="Judgements are 1 for relevant and -1 for not")


def too_long(matrix: Matrix, row: int) -> InputError:
    """Say that a row has more labels than there are queries."""
    found = len(matrix.queries) + len(matrix.beyond[row])
    return InputError(
        f"the row of document {matrix.documents[row]!r} has {found} labels for {len(matrix.queries)} queries",
        source=matrix.source,
        line=row + 2,
        hint="The first row names a query for each column",
    )
