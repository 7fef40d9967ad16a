"""Tag scores at tokens: weights are summed once per key of a feature column, then looked up for each token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from karatage.training.crf.crfsuite_model import CrfsuiteModel
from karatage.training.crf.features import FeatureColumn
from karatage.training.crf.trellis import Trellis
from karatage.training.tagset import OUTSIDE, TagSet


@dataclass(frozen=True, eq=False)
class CrfDecoder:
    """A CRF for units that may have certain tags.

    Attributes:
        attributes: the number of each attribute, by its prefix and the rest.
        states: the weight of each attribute with each tag of the trellis.
    """

    attributes: Mapping[str, Mapping[str, int]]
    states: csr_array
    trellis: Trellis

    @classmethod
    def of(cls, weights: CrfsuiteModel, tags: TagSet, permitted: NDArray[np.bool_]) -> CrfDecoder:
        """Make the decoder for units with the permitted tags, without tags that the model never saw."""
        number_of = {label: number for number, label in enumerate(weights.labels)}
        from_label = np.array([number_of.get(tag, -1) for tag in tags.tags])
        seen = permitted & (from_label >= 0)
        seen[OUTSIDE] = True
        known = np.flatnonzero(from_label >= 0)
        steps = np.zeros((len(tags), len(tags)))
        steps[np.ix_(known, known)] = weights.steps[np.ix_(from_label[known], from_label[known])]
        trellis = Trellis.of(seen, tags.follows, steps)
        # For a tag that the model never saw, there is an empty column after its own.
        states = weights.states.tocsc()
        states.resize((states.shape[0], len(weights.labels) + 1))
        return cls(weights.attributes, csr_array(states[:, from_label[trellis.codes]]), trellis)

    def scores(self, columns: Sequence[FeatureColumn]) -> NDArray[np.float64]:
        """Return the score of each tag of the trellis at each token."""
        width = len(self.trellis.codes)
        tables, keys, count = [np.zeros((1, width))], [], 1
        for column in columns:
            row, table = self._looked_up(column)
            keys.append(np.where(row < 0, 0, row + count)[column.keys])
            tables.append(table)
            count += len(table)
        tokens = len(columns[0].keys)
        chosen = np.stack(keys, 1)
        ones = csr_array(
            (np.ones(chosen.size), chosen.ravel(), np.arange(0, chosen.size + 1, len(columns))), shape=(tokens, count)
        )
        return np.asarray(ones @ np.concatenate(tables))

    def _looked_up(self, column: FeatureColumn) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the row of each key of a column, or -1 if it has no weights, and the scores of each row."""
        number = self.attributes.get(column.prefix, {}).get
        found = np.array([number(name, -1) for name in column.names], np.int64)
        known = found >= 0
        ends = np.concatenate([[0], np.cumsum(known)])[column.starts]
        any_known = np.diff(ends) > 0
        kept = csr_array((np.ones(int(ends[-1])), found[known], ends), shape=(len(any_known), self.states.shape[0]))
        table = (kept[any_known] @ self.states).toarray()
        return np.where(any_known, np.cumsum(any_known) - 1, -1), table
