"""Labels of documents beside the judgements on them: who was right about which pair of query and document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Bools, Floats, Ints
from karatage.claims import ABSENT, IRRELEVANT, ODD, RELEVANT, UNJUDGED, Matrix, Units
from karatage.errors import InputError
from karatage.matching.label_rules import (
    LEGAL,
    LabelRules,
    check_gold,
    check_labels,
    check_shape,
    no_label,
    positions_of,
    too_long,
)
from karatage.matching.label_sides import Labels, LabelSide, first_predictions, last_judgements


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
    check_gold(gold, rules)
    check_shape(pred, rules)
    truth = last_judgements(gold)
    if rules.odd_labels == "error":
        check_labels(pred, LEGAL)
    queries = truth.queries
    answer = first_predictions(pred)
    documents, columns = _positions(truth.documents, answer.documents), _positions(queries, answer.queries)
    if pred.beyond:
        judged = {truth.documents[k] for k in np.flatnonzero((truth.labels != UNJUDGED).any(axis=1)).tolist()}
        for row in pred.beyond:
            if pred.documents[row] in judged:
                raise too_long(pred, row)
    aligned = _taken(answer.labels, documents, columns)
    if rules.odd_labels == "error":
        for row, column in np.argwhere((truth.labels != UNJUDGED) & (aligned == UNJUDGED))[:1].tolist():
            raise no_label(pred, int(documents[row]), int(columns[column]), "0", LEGAL)
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
    sides = [positions_of(names) for names in (matrix.documents, matrix.queries)]
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


def _priced(truth: LabelSide, prices: Mapping[str, float], source: str, rules: LabelRules) -> Floats:
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
