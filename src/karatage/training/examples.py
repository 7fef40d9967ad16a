"""Training examples: tokens with their tags, as columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import first_indices, ranges
from karatage.claims import Claims, layers_of
from karatage.errors import InputError
from karatage.formats import Lost, find_words, to_tokens
from karatage.training.tagset import TagSet
from karatage.training.training_choices import TagScheme

NESTED = "nested spans, which tags cannot express"


@dataclass(frozen=True)
class Examples:
    """Tagged units.

    Attributes:
        groups: the group of each unit, such as its category; None if there are none.
        codes: the codes of the tags, unit after unit.
    """

    tokens: Sequence[Sequence[str]]
    groups: Sequence[str] | None
    codes: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def __len__(self) -> int:
        """Count the units."""
        return len(self.sizes)

    def take(self, units: NDArray[np.int64]) -> Examples:
        """Return the units with these indices, in that order."""
        sizes = self.sizes[units]
        rows = ranges(first_indices(self.sizes)[units], sizes)
        order = units.tolist()
        groups = None if self.groups is None else [self.groups[i] for i in order]
        return Examples([self.tokens[i] for i in order], groups, self.codes[rows], sizes)


def in_tokens(claims: Claims, lost: Counter[str]) -> Claims:
    """Return claims in tokens and without nesting; what tags cannot express is dropped and counted."""
    if claims.space == "value":
        raise InputError(
            "has values without positions, which a tagger cannot learn from",
            source=claims.units.source,
            hint="Use a format with the positions of entities",
        )
    if claims.space == "token" and claims.units.tokens is None:
        raise InputError("has no tokens", source=claims.units.source, hint="Use a format with tokens")
    passed = Lost()
    claims = to_tokens(claims, passed)
    lost.update({kind: count for kind, count in passed.items() if count})
    outer = layers_of(claims) == 0
    if claims.shape is not None:
        outer &= claims.shape < 0
    if not outer.all():
        lost[NESTED] += int((~outer).sum())
        claims = claims.keep(outer)
    return claims


def tagset_of(claims: Claims, group_by: str, scheme: TagScheme = "IOB2") -> TagSet:
    """Return the tags that claims need."""
    used = np.unique(claims.label).tolist()
    groups = claims.units.attributes.get(group_by)
    by_group: dict[str, set[str]] = {group: set() for group in groups or ()}
    if groups is not None:
        for unit, label in {(u, k) for u, k in zip(claims.unit.tolist(), claims.label.tolist(), strict=True)}:
            by_group[groups[unit]].add(claims.labels[label])
    return TagSet(
        tuple(sorted(claims.labels[code] for code in used)),
        {group: frozenset(known) for group, known in sorted(by_group.items())},
        scheme,
    )


def examples_of(claims: Claims, tags: TagSet, group_by: str) -> Examples:
    """Make examples of flat claims in tokens; claims with a label that is not in the tag set are dropped."""
    tokens = claims.units.tokens or []
    sizes = sizes_of(tokens)
    first = tags.begin_codes(claims)
    rows = first > 0
    low, lengths = (first_indices(sizes)[claims.unit] + claims.start)[rows], (claims.end - claims.start)[rows]
    codes = np.zeros(int(sizes.sum()), np.int64)
    codes[ranges(low, lengths)] = np.repeat(tags.inside_codes(first[rows]), lengths)
    codes[low] = first[rows]
    return Examples(tokens, groups_of(claims, group_by), codes, sizes)


def groups_of(claims: Claims, group_by: str) -> Sequence[str] | None:
    """Return the group of each unit, if units have groups."""
    return claims.units.attributes.get(group_by) if group_by else None


def sizes_of(tokens: Sequence[Sequence[str]]) -> NDArray[np.int64]:
    """Return the number of tokens of each unit."""
    known: Any = getattr(tokens, "sizes", None)  # a column of tokens has them
    return np.fromiter(map(len, tokens), np.int64, len(tokens)) if known is None else np.asarray(known, np.int64)


def tokenization_of(claims: Claims) -> str:
    """Tell how a corpus was tokenized: at `spaces`, or into `words` and punctuation."""
    tokens, texts = claims.units.tokens or [], claims.units.texts
    sample = range(min(len(tokens), 200))
    if texts is not None:
        spaced = sum(list(tokens[i]) == texts[i].split() for i in sample)
        return "spaces" if spaced >= len(sample) / 2 else "words"
    marked = 0
    for i in sample:
        text = " ".join(tokens[i])
        marked += [text[a:b] for a, b in find_words(text)] == list(tokens[i])
    return "words" if marked >= len(sample) / 2 else "spaces"


def flat(tokens: Sequence[Sequence[str]]) -> list[str]:
    """Return all tokens in one list."""
    return list(chain.from_iterable(tokens))
