"""The tags that a model can give: B and I for each label, and which may follow which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage.claims import Claims, Tagged, Tags, Units

OUTSIDE = 0
"""The code of the tag O."""


@dataclass(frozen=True)
class TagSet:
    """The labels of a model as tags: `O`, then B and I of each label, numbered in that order.

    Every label has B and I, so that adjacent entities with the same label stay separate.

    Attributes:
        by_group: the labels of each group of units in the training data, e.g. of each category; empty without groups.
    """

    labels: tuple[str, ...]
    by_group: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The tags, in the order of their codes."""
        return ("O", *(f"{letter}-{label}" for label in self.labels for letter in "BI"))

    def __len__(self) -> int:
        """Count the tags."""
        return 1 + 2 * len(self.labels)

    @cached_property
    def follows(self) -> NDArray[np.bool_]:
        """Whether the tag of the column may follow that of the row: I follows only B and I of its label."""
        allowed = np.ones((len(self), len(self)), bool)
        inside = np.arange(2, len(self), 2)
        allowed[:, inside] = False
        allowed[inside, inside] = allowed[inside - 1, inside] = True
        return allowed

    @cached_property
    def starts(self) -> NDArray[np.bool_]:
        """Whether a tag may come first: I may not."""
        codes = np.arange(len(self))
        allowed: NDArray[np.bool_] = (codes % 2 == 1) | (codes == OUTSIDE)
        return allowed

    def permitted(self, group: str | None) -> NDArray[np.bool_]:
        """Tell which tags a unit of this group may have; an unseen group may have all."""
        known = self.by_group.get(group) if group is not None else None
        if known is None:
            return np.ones(len(self), bool)
        return np.array([True, *(label in known for label in self.labels for _ in "BI")])

    @cached_property
    def _codes(self) -> NDArray[np.int64]:
        """Our codes in a stream of tags, where 0 is the break and 1 is O."""
        return np.arange(1, len(self) + 1)

    def begin_codes(self, claims: Claims) -> NDArray[np.int64]:
        """Return the code of B for the label of each claim, -1 for a label that is not in the tag set."""
        known = {label: 1 + 2 * at for at, label in enumerate(self.labels)}
        return np.array([known.get(label, -1) for label in claims.labels], np.int64)[claims.label]

    def claims(self, codes: NDArray[Any], units: Units, sizes: NDArray[np.int64]) -> Claims:
        """Make claims in tokens of the tag codes of all tokens, unit after unit."""
        starts = np.zeros(len(sizes) + 1, np.int64)
        np.cumsum(sizes + 1, out=starts[1:])
        stream = np.zeros(int(starts[-1]), np.int32)
        inside = np.ones(len(stream), bool)
        inside[starts[1:] - 1] = False
        stream[inside] = self._codes[codes]
        # Without the stream of tags: claims that are dropped later must not come back from it.
        return replace(Tagged(units, (Tags(stream, ("", *self.tags), sizes),)).decode(), tags=())

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "labels": list(self.labels),
            "by_group": {group: sorted(known) for group, known in sorted(self.by_group.items())},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TagSet:
        """Read what `to_dict` returned; anything else raises ValueError, KeyError or TypeError."""
        labels = data["labels"]
        groups = data["by_group"]
        known = {str(group): frozenset(map(str, own)) for group, own in groups.items()}
        if not all(isinstance(label, str) and label for label in labels) or len(set(labels)) < len(labels):
            raise ValueError("labels must be distinct strings")
        if any(not own <= set(labels) for own in known.values()):
            raise ValueError("a group has an unknown label")
        return cls(tuple(labels), known)
