"""One side of labels with each query and document once: the last judgement, or the first prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Ints
from karatage.claims import ABSENT, RELEVANT, UNJUDGED, Matrix
from karatage.matching.label_rules import (
    no_judgement,
    no_query,
    positions_of,
)

Labels = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class LabelSide:
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


def last_judgements(gold: Matrix) -> LabelSide:
    """Take the last judgement of each pair; the queries by their first one, and only those that have one."""
    labels = gold.labels
    if (labels == ABSENT).any():
        labels = np.where(labels == ABSENT, np.int8(UNJUDGED), labels)
    if not gold.queries:
        raise no_query(gold)
    if not len(labels):
        raise no_judgement(gold)
    given = labels != UNJUDGED
    width = len(gold.queries)
    first = np.where(given.any(axis=0), given.argmax(axis=0) * width + np.arange(width), np.iinfo(np.int64).max)
    start: dict[str, int] = {}
    for query, key in zip(gold.queries, first.tolist(), strict=True):
        start[query] = min(key, start.get(query, key))
    queries = sorted((q for q, key in start.items() if key < np.iinfo(np.int64).max), key=start.__getitem__)
    if not queries:
        raise no_judgement(gold)
    if len(set(gold.queries)) == width and len(set(gold.documents)) == len(gold.documents):
        number = {query: k for k, query in enumerate(gold.queries)}
        own = labels if queries == list(gold.queries) else labels.take([number[q] for q in queries], axis=1)
        return LabelSide(queries, gold.documents, own, np.arange(len(labels)), (own == RELEVANT).view(np.int8))
    by_query, by_document = positions_of(gold.queries), positions_of(gold.documents)
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
    return LabelSide(queries, list(by_document), last, rows, times)


def first_predictions(pred: Matrix) -> LabelSide:
    """Take the first prediction of each pair."""
    queries, documents = positions_of(pred.queries), positions_of(pred.documents)
    none = np.zeros((0, 0), np.int8)
    if len(queries) == len(pred.queries) and len(documents) == len(pred.documents):
        return LabelSide(pred.queries, pred.documents, pred.labels, np.arange(len(pred.documents)), none)
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
    return LabelSide(list(queries), list(documents), labels, rows, none)
