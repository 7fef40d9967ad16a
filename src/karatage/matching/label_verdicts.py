"""Labels of documents beside the judgements on them: who was right about which pair of query and document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Bools, Floats, Ints
from karatage.claims import ABSENT, IRRELEVANT, ODD, RELEVANT, UNJUDGED, Matrix, Units
from karatage.errors import ClaimError, InputError

Labels = NDArray[np.int8]


@dataclass(frozen=True, kw_only=True)
class LabelRules:
    """What to do about labels and prices that are not as they should be.

    Attributes:
        odd_labels: a prediction other than 1 and -1 is an error, or wrong.
        ragged_rows: a row with fewer or more labels than queries is an error, or what is missing counts as absent.
        repeated_pairs: a pair that occurs twice is an error; or gold's last label and the first prediction count.
        priced: which documents must have a price: all that are judged, or the relevant ones.
        repeated_prices: a document with two different prices is an error, or the last price counts.
        unpriced: the value of metrics that need prices where no prices are given; NaN leaves them undefined.
        sums: how values of queries are added up: exactly, or one after the other, which rounds as a plain loop does.
    """

    odd_labels: Literal["error", "wrong"] = "error"
    ragged_rows: Literal["error", "absent"] = "error"
    repeated_pairs: Literal["error", "first"] = "error"
    priced: Literal["judged", "relevant"] = "judged"
    repeated_prices: Literal["error", "last"] = "error"
    unpriced: float = float("nan")
    sums: Literal["exact", "in-order"] = "exact"

    def shown(self) -> list[tuple[str, str]]:
        """Return each rule and its choice, for tables."""
        choices = asdict(self) | {"unpriced": "undefined" if isnan(self.unpriced) else f"{self.unpriced:g}"}
        return [(name.replace("_", " "), choice) for name, choice in choices.items()]


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Judged pairs with what was predicted of them; a row a document, a column a query.

    Attributes:
        units: the queries that have a judgement, in the order of their first one.
        documents: the ids of gold's documents.
        truth: what gold says; 0 where nothing is judged.
        answer: what was predicted; `ABSENT` where nothing was.
        relevant: how often gold says of each pair that it is relevant; more than once only where it repeats itself.
        position: where each pair stands in the predictions, those that are absent behind the others; of one dimension
            where it is the same for all queries.
        prices: the price of each document, where known.
        unjudged: how many queries have no judgement.
        absent: how many judged pairs the predictions lack.
        odd: how many judged pairs have a label that is none.
    """

    units: Units
    documents: Sequence[str]
    truth: Labels
    answer: Labels
    relevant: NDArray[np.signedinteger]
    position: Ints
    prices: Floats | None
    unjudged: int
    absent: int
    odd: int

    @property
    def shown(self) -> Bools:
        """Which judged pairs the system shows: all that are not labelled as irrelevant, or wrongly left out."""
        judged = self.truth != UNJUDGED
        left_out = (self.answer == IRRELEVANT) | ((self.answer == ABSENT) & (self.truth == RELEVANT))
        shown: Bools = judged & ~left_out
        return shown

    def counts(self) -> Ints:
        """Return for each query how many pairs are relevant, taken as relevant, both, and neither."""
        relevant, irrelevant = self.truth == RELEVANT, self.truth == IRRELEVANT
        found, rejected = relevant & (self.answer == RELEVANT), irrelevant & (self.answer == IRRELEVANT)
        gold, correct, wrong, negatives = (
            np.add.reduce(mask.view(np.int8), axis=0, dtype=np.int64)
            for mask in (relevant, found, irrelevant, rejected)
        )
        return np.stack([gold, correct + wrong - negatives, correct, negatives], axis=1)


_LEGAL = "1 and -1"


def verdicts(
    gold: Matrix,
    pred: Matrix,
    *,
    rules: LabelRules,
    prices: Mapping[str, float] | None = None,
    priced_in: str | None = None,
) -> Verdicts:
    """Put predictions beside gold.

    Args:
        gold: the ground truth.
        pred: the predictions.
        rules: what to do about labels that are not as they should be.
        prices: the prices of the judged documents, where they are known.
        priced_in: what a message calls the source of the prices.
    """
    _check_gold(gold, rules)
    _check_shape(pred, rules)
    truth = _last(gold)
    if rules.odd_labels == "error":
        _check_labels(pred, _LEGAL)
    queries = truth.queries
    answer = _first(pred)
    documents, columns = _positions(truth.documents, answer.documents), _positions(queries, answer.queries)
    if pred.beyond:
        judged = {truth.documents[k] for k in np.flatnonzero((truth.labels != UNJUDGED).any(axis=1)).tolist()}
        for row in pred.beyond:
            if pred.documents[row] in judged:
                raise _too_long(pred, row)
    aligned = _taken(answer.labels, documents, columns)
    if rules.odd_labels == "error":
        for row, column in np.argwhere((truth.labels != UNJUDGED) & (aligned == UNJUDGED))[:1].tolist():
            raise _no_label(pred, int(documents[row]), int(columns[column]), "0", _LEGAL)
    absent = aligned == ABSENT
    whole = absent.all(axis=1) == absent.any(axis=1)  # a document is there for all queries, or for none
    plain = answer.rows.ndim == 1 and bool(whole.all())
    behind = len(pred.documents)
    if plain and truth.rows.ndim == 1:
        position = np.where(documents >= 0, documents, behind + truth.rows)
    else:
        rows = answer.rows if answer.rows.ndim == 2 else np.repeat(answer.rows[:, None], len(answer.queries), 1)
        missing = truth.rows if truth.rows.ndim == 2 else truth.rows[:, None]
        position = np.where(absent, behind + missing, _taken(rows, documents, columns))
    return Verdicts(
        units=Units(len(queries), list(queries), source=gold.source),
        documents=truth.documents,
        truth=truth.labels,
        answer=aligned,
        relevant=truth.relevant,
        position=position,
        prices=None if prices is None else _priced(truth, prices, priced_in or gold.source, rules),
        unjudged=len(set(gold.queries)) - len(queries),
        absent=int(np.count_nonzero(truth.labels[absent])) if absent.any() else 0,
        odd=int(np.count_nonzero(truth.labels[(aligned == ODD) | (aligned == UNJUDGED)])),
    )


def judged_documents(gold: Matrix) -> set[str]:
    """Return the documents that gold says anything of."""
    some = ((gold.labels == RELEVANT) | (gold.labels == IRRELEVANT)).any(axis=1)
    return {gold.documents[k] for k in np.flatnonzero(some).tolist()}


def opposite_pairs(matrix: Matrix) -> int:
    """Count the pairs of query and document that occur twice, once as relevant and once as not."""
    sides = [_where(names) for names in (matrix.documents, matrix.queries)]
    if len(sides[0]) == len(matrix.documents) and len(sides[1]) == len(matrix.queries):
        return 0
    rows, columns = (np.zeros(sum(map(len, own.values())), np.int64) for own in sides)
    for codes, own in zip((rows, columns), sides, strict=True):
        for code, positions in enumerate(own.values()):
            codes[positions] = code
    said = np.zeros((2, len(sides[0]), len(sides[1])), bool)
    for own_said, label in zip(said, (RELEVANT, IRRELEVANT), strict=True):
        at, query = np.nonzero(matrix.labels == label)
        own_said[rows[at], columns[query]] = True
    return int(said.all(axis=0).sum())


@dataclass(frozen=True, eq=False)
class _LabelSide:
    """One side with each query and document once.

    Attributes:
        rows: the row of the file that each pair's label is taken from, or comes first in; of one dimension where it
            is the same for all queries.
    """

    queries: Sequence[str]
    documents: Sequence[str]
    labels: Labels
    rows: Ints
    relevant: NDArray[np.signedinteger]


def _last(gold: Matrix) -> _LabelSide:
    """Take the last judgement of each pair; the queries by their first one, and only those that have one."""
    labels = gold.labels
    if (labels == ABSENT).any():
        labels = np.where(labels == ABSENT, np.int8(UNJUDGED), labels)
    if not gold.queries:
        raise _no_query(gold)
    if not len(labels):
        raise _no_judgement(gold)
    given = labels != UNJUDGED
    width = len(gold.queries)
    first = np.where(given.any(axis=0), given.argmax(axis=0) * width + np.arange(width), np.iinfo(np.int64).max)
    start: dict[str, int] = {}
    for query, key in zip(gold.queries, first.tolist(), strict=True):
        start[query] = min(key, start.get(query, key))
    queries = sorted((q for q, key in start.items() if key < np.iinfo(np.int64).max), key=start.__getitem__)
    if not queries:
        raise _no_judgement(gold)
    if len(set(gold.queries)) == width and len(set(gold.documents)) == len(gold.documents):
        number = {query: k for k, query in enumerate(gold.queries)}
        own = labels if queries == list(gold.queries) else labels.take([number[q] for q in queries], axis=1)
        return _LabelSide(queries, gold.documents, own, np.arange(len(labels)), (own == RELEVANT).view(np.int8))
    by_query, by_document = _where(gold.queries), _where(gold.documents)
    columns, ones = np.zeros((len(labels), len(queries)), np.int8), np.zeros((len(labels), len(queries)), np.int32)
    for q, query in enumerate(queries):
        for c in by_query[query]:
            columns[:, q] = np.where(given[:, c], labels[:, c], columns[:, q])
            ones[:, q] += labels[:, c] == RELEVANT
    nowhere = len(gold.documents)
    top = np.array([own[0] for own in by_document.values()])
    last, times = columns[top], ones[top]
    rows = np.where(last != UNJUDGED, top[:, None], nowhere)
    for d, own_rows in enumerate(by_document.values()):
        for r in own_rows[1:]:
            said = columns[r] != UNJUDGED
            last[d, said] = columns[r, said]
            rows[d] = np.minimum(rows[d], np.where(said, r, nowhere))
            times[d] += ones[r]
    return _LabelSide(queries, list(by_document), last, rows, times)


def _first(pred: Matrix) -> _LabelSide:
    """Take the first prediction of each pair."""
    queries, documents = _where(pred.queries), _where(pred.documents)
    none = np.zeros((0, 0), np.int8)
    if len(queries) == len(pred.queries) and len(documents) == len(pred.documents):
        return _LabelSide(pred.queries, pred.documents, pred.labels, np.arange(len(pred.documents)), none)
    columns = np.full((len(pred.documents), len(queries)), ABSENT, np.int8)
    for q, own in enumerate(queries.values()):
        for c in reversed(own):
            columns[:, q] = np.where(pred.labels[:, c] == ABSENT, columns[:, q], pred.labels[:, c])
    labels = np.full((len(documents), len(queries)), ABSENT, np.int8)
    rows = np.full(labels.shape, len(pred.documents), np.int64)
    for d, own in enumerate(documents.values()):
        for r in reversed(own):
            given = columns[r] != ABSENT
            labels[d, given], rows[d, given] = columns[r, given], r
    return _LabelSide(list(queries), list(documents), labels, rows, none)


def _where(names: Sequence[str]) -> dict[str, list[int]]:
    out: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        out.setdefault(name, []).append(k)
    return out


def _positions(wanted: Sequence[str], names: Sequence[str]) -> Ints:
    """Return where each wanted name is among the names; -1 where it is not."""
    if list(wanted) == list(names):
        return np.arange(len(names))
    number = {name: k for k, name in enumerate(names)}
    return np.array([number.get(name, -1) for name in wanted], np.int64)


def _taken(labels: NDArray[np.signedinteger], rows: Ints, columns: Ints) -> NDArray[np.signedinteger]:
    """Return the labels of some rows and columns; those that are nowhere are absent."""
    if not labels.size:
        return np.full((len(rows), len(columns)), ABSENT, labels.dtype)
    out = labels if _in_order(columns, labels.shape[1]) else labels.take(columns, axis=1)
    out = out if _in_order(rows, len(labels)) else out.take(rows, axis=0)
    nowhere = (rows < 0)[:, None] | (columns < 0)
    return np.where(nowhere, labels.dtype.type(ABSENT), out) if nowhere.any() else out


def _in_order(positions: Ints, count: int) -> bool:
    return len(positions) == count and bool((positions == np.arange(count)).all())


def _priced(truth: _LabelSide, prices: Mapping[str, float], source: str, rules: LabelRules) -> Floats:
    needed = ((truth.labels != UNJUDGED) if rules.priced == "judged" else (truth.relevant > 0)).any(axis=1)
    for k in np.flatnonzero(needed).tolist():
        if truth.documents[k] not in prices:
            query = truth.queries[int(np.flatnonzero(truth.labels[k])[0])]
            raise InputError(
                f"the document {truth.documents[k]!r}, judged for query {query!r}, has no price",
                source=source,
                hint="Add it to the documents file",
            )
    out = np.array([prices.get(document, 0.0) for document in truth.documents])
    endless = np.flatnonzero(np.isinf(out) & (truth.relevant > 0).any(axis=1))
    for k in endless.tolist():
        raise InputError(f"the price of document {truth.documents[k]!r} is not a finite number", source=source)
    return out


def _check_gold(gold: Matrix, rules: LabelRules) -> None:
    _check_shape(gold, rules)
    _check_labels(gold, "1, -1 and 0")
    for row, texts in gold.beyond.items():
        if any(text != "0" for text in texts):
            raise _too_long(gold, row)


def _check_labels(matrix: Matrix, legal: str) -> None:
    for (row, column), text in matrix.odd.items():
        raise _no_label(matrix, row, column, text, legal)


def _no_label(matrix: Matrix, row: int, column: int, text: str, legal: str) -> InputError:
    return InputError(
        f"the label {text!r} of document {matrix.documents[row]!r} for query {matrix.queries[column]!r} "
        f"(column {column + 2}) is not one of {legal}",
        source=matrix.source,
        line=row + 2,
        hint="1 is relevant, -1 is not",
    )


def _check_shape(matrix: Matrix, rules: LabelRules) -> None:
    if rules.ragged_rows == "error":
        _check_rows(matrix)
    if rules.repeated_pairs == "error":
        _check_repeats(matrix)


def _check_rows(matrix: Matrix) -> None:
    if not matrix.queries:
        raise _no_query(matrix)
    for row in matrix.beyond:
        raise _too_long(matrix, row)
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
        for name, positions in _where(names).items():
            if what == "document" and not name:  # an empty line is none
                positions = [k for k in positions if (matrix.labels[k] != ABSENT).any()]
            if len(positions) > 1:
                one, other = positions[0] + 2, positions[1] + 2
                where, line = f"first in line {one}", other
                if what == "query":
                    where, line = f"in columns {one} and {other}", 1
                message, hint = f"the {what} {name!r} occurs twice ({where})", f"Give each {what} once"
                raise ClaimError(message, source=matrix.source, line=line, hint=hint)


def _no_query(matrix: Matrix) -> InputError:
    hint = "The cells of a row are separated by tabs"
    return InputError("the first row names no query", source=matrix.source, line=1, hint=hint)


def _no_judgement(gold: Matrix) -> InputError:
    return InputError("no pair is judged", source=gold.source, hint="Judgements are 1 for relevant and -1 for not")


def _too_long(matrix: Matrix, row: int) -> InputError:
    found = len(matrix.queries) + len(matrix.beyond[row])
    return InputError(
        f"the row of document {matrix.documents[row]!r} has {found} labels for {len(matrix.queries)} queries",
        source=matrix.source,
        line=row + 2,
        hint="The first row names a query for each column",
    )
