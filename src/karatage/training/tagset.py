"""The tags that a model can give: B and I for each label, and which may follow which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from karatage.claims import Claims, Tagged, Tags, Units
from karatage.training.training_choices import TagScheme

OUTSIDE = 0
"""The code of the tag O."""


@dataclass(frozen=True)
class TagSet:
    """The labels of a model as tags: `O`, then B and I of each label, numbered in that order.

    With B and I, adjacent entities with the same label stay separate. With one tag per label they are merged.

    Attributes:
        by_group: the labels of each group of units in the training data, e.g. of each category; empty without groups.
        scheme: `IOB2` for B and I of each label, `IO` for one tag per label.
    """

    labels: tuple[str, ...]
    by_group: Mapping[str, frozenset[str]] = field(default_factory=dict)
    scheme: TagScheme = "IOB2"

    @property
    def letters(self) -> str:
        """The prefixes of a label's tags, in the order of their codes."""
        return "BI" if self.scheme == "IOB2" else "I"

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The tags, in the order of their codes."""
        return ("O", *(f"{letter}-{label}" for label in self.labels for letter in self.letters))

    def __len__(self) -> int:
        """Count the tags."""
        return 1 + len(self.letters) * len(self.labels)

    @cached_property
    def follows(self) -> NDArray[np.bool_]:
        """Whether the tag of the column may follow that of the row: after B, I follows only B and I of its label."""
        allowed = np.ones((len(self), len(self)), bool)
        if self.scheme == "IO":
            return allowed
        inside = np.arange(2, len(self), 2)
        allowed[:, inside] = False
        allowed[inside, inside] = allowed[inside - 1, inside] = True
        return allowed

    @cached_property
    def starts(self) -> NDArray[np.bool_]:
        """Whether a tag may come first: I may not, unless it is the only tag of its label."""
        return np.array([True, *(letter == self.letters[0] for _ in self.labels for letter in self.letters)])

    def permitted(self, group: str | None) -> NDArray[np.bool_]:
        """Tell which tags a unit of this group may have; an unseen group may have all."""
        known = self.by_group.get(group) if group is not None else None
        if known is None:
            return np.ones(len(self), bool)
        return np.array([True, *(label in known for label in self.labels for _ in self.letters)])

    @cached_property
    def _codes(self) -> NDArray[np.int64]:
        """Our codes in a stream of tags, where 0 is the break and 1 is O."""
        return np.arange(1, len(self) + 1)

    def begin_codes(self, claims: Claims) -> NDArray[np.int64]:
        """Return the code of the first token for the label of each claim, -1 for a label that is not in the tag set."""
        known = {label: 1 + len(self.letters) * at for at, label in enumerate(self.labels)}
        return np.array([known.get(label, -1) for label in claims.labels], np.int64)[claims.label]

    def inside_codes(self, begin: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the code of later tokens for that of the first one."""
        return begin + len(self.letters) - 1

    def starting(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return codes with which a sequence may begin: B for I, where labels have both."""
        return codes - ((codes > OUTSIDE) & (codes % 2 == 0)) if self.scheme == "IOB2" else codes

    def continues(self, codes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell which tokens of a unit continue the entity before them."""
        again = codes % 2 == 0 if self.scheme == "IOB2" else codes == np.append(OUTSIDE, codes[:-1])
        return np.asarray((codes > OUTSIDE) & again, bool)

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
            "scheme": self.scheme,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TagSet:
        """Read what `to_dict` returned; anything else raises ValueError, KeyError or TypeError."""
        labels = data["labels"]
        groups = data["by_group"]
        scheme = data.get("scheme", "IOB2")
        known = {str(group): frozenset(map(str, own)) for group, own in groups.items()}
        if not all(isinstance(label, str) and label for label in labels) or len(set(labels)) < len(labels):
            raise ValueError("labels must be distinct strings")
        if any(not own <= set(labels) for own in known.values()):
            raise ValueError("a group has an unknown label")
        if scheme not in get_args(TagScheme):
            raise ValueError(f"unknown tagging scheme {scheme!r}")
        return cls(tuple(labels), known, scheme)
