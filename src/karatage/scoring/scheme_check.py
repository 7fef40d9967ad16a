"""Tagging schemes that differ between gold and predictions, where that changes a score.

Tags are read in any scheme, so correct entities stay correct. Three things do change: accuracy, which compares whole
tags; entities next to each other, where one side cannot separate them; and tools that do not know a scheme.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from karatage.claims import Spans, TagDecoder, Tags
from karatage.errors import TagError
from karatage.matching import Pair, TaggedPair, match_spans
from karatage.metrics import Tally
from karatage.profiles import Profile
from karatage.scoring.nouns import Nouns
from karatage.scoring.unit_examples import UnitExample

_SIDES = ("gold", "the predictions")
_INSIDE = frozenset("I")
"""The only prefix of a side that cannot separate adjacent entities."""


class SchemeCheck:
    """Counts what differing schemes do to the scores of a profile, whatever batches and parts the tags come in."""

    def __init__(self, profile: Profile) -> None:
        self._profile, self._decoder = profile, profile.decoder()
        self._correct = self._retagged = 0
        self._letters: dict[str, frozenset[str]] = dict.fromkeys(_SIDES, frozenset())
        self._adjacent = dict.fromkeys(_SIDES, 0)
        self._joined = dict.fromkeys(_SIDES, 0)
        self._unreadable: set[str] = set()
        self._example: UnitExample | None = None

    def add(self, pair: Pair | TaggedPair, counts: Tally) -> None:
        """Look at a batch of tags over the same tokens; what is merged on purpose is not looked at."""
        if len(pair.gold.tags) != 1 or len(pair.pred.tags) != 1 or self._profile.merge:
            return
        layers = pair.gold.tags[0], pair.pred.tags[0]
        correct, retagged = int(counts.column("correct").sum()), counts.facts["retagged"]
        self._correct += correct
        self._retagged += retagged
        if self._example is None and retagged:
            place, ours, theirs = self._first_retagged(*layers)
            self._example = UnitExample(pair.gold.units.name(place), f"{ours} in gold, {theirs} in the predictions")
        letters = [_letters(layer.vocabulary, self._profile.style.suffix) for layer in layers]
        for side, layer, own, other in zip(_SIDES, layers, letters, letters[::-1], strict=True):
            self._letters[side] |= own
            if self._letters[side] <= _INSIDE and other - _INSIDE:
                self._adjacent[side] += _adjacent(self._decoder(layers[layer is layers[0]]))
            if self._decoder.flavour == "conlleval" and own & {"L", "U"}:
                try:
                    separate = len(TagDecoder(style=self._profile.style)(layer).starts)
                except TagError:
                    self._unreadable.add(side)
                else:
                    self._joined[side] += separate - len(self._decoder(layer).starts)

    def __iadd__(self, other: SchemeCheck) -> SchemeCheck:
        """Add what was found in the part that follows."""
        self._correct += other._correct
        self._retagged += other._retagged
        for side in _SIDES:
            self._letters[side] |= other._letters[side]
            self._adjacent[side] += other._adjacent[side]
            self._joined[side] += other._joined[side]
        self._unreadable |= other._unreadable
        self._example = self._example or other._example
        return self

    def shift(self, before: int) -> None:
        """Count the number of a unit from behind so many others."""
        self._example = None if self._example is None else self._example.moved(before)

    def _first_retagged(self, gold: Tags, pred: Tags) -> tuple[int, str, str]:
        """Return the unit of the first correct entity that has other tags, and the first tags that differ."""
        spans = self._decoder(pred)
        hit = match_spans(self._decoder(gold), spans).hit
        edges = np.stack([spans.starts[hit], spans.ends[hit] - 1], axis=1).ravel()
        ours, theirs = (np.array(layer.vocabulary, object)[layer.codes[edges]] for layer in (gold, pred))
        first = int(np.flatnonzero(ours != theirs)[0])
        return gold.place(int(edges[first]))[0], ours[first], theirs[first]

    def warnings(self, nouns: Nouns) -> list[str]:
        """Say which scores the schemes change, and how."""
        out = []
        measures = [metric.measure for metric in self._profile.metrics.values()]
        mixed = _most(self._retagged, self._correct)
        if mixed and any(measure.name == "accuracy" for measure in measures):
            out.append(
                f"correct {nouns.claims} with other tags in the predictions (e.g. {nouns.unit} {self._example}), as in "
                f"another tagging scheme; accuracy counts these tags as wrong: {self._retagged:,} of {self._correct:,}"
            )
        for side, other in zip(_SIDES, _SIDES[::-1], strict=True):
            merged = self._adjacent[side] if self._letters[side] == _INSIDE else 0
            if mixed and merged and not all(measure.by_token for measure in measures):
                out.append(
                    f"adjacent {nouns.claims} of one type in {other}, which {side} cannot separate with I- tags only: "
                    f"{merged:,}"
                )
            if self._joined[side] and side not in self._unreadable:
                out.append(
                    f"{nouns.claims} in {side} that are joined with the one before, because the profile "
                    f"{self._profile.name} does not know the prefixes L and U: {self._joined[side]:,}"
                )
        return out


def _most(part: int, whole: int) -> bool:
    """Whether a scheme shows: a model that errs in a few tags has the same scheme."""
    return 2 * part > whole


@lru_cache(maxsize=64)
def _letters(vocabulary: tuple[str, ...], suffix: bool) -> frozenset[str]:
    """Return the prefixes of tags, without O."""
    return frozenset(tag[-1 if suffix else 0] for tag in vocabulary[1:] if tag) - {"O"}


def _adjacent(spans: Spans) -> int:
    """Count the spans that start where one of the same type ends."""
    next_to = (spans.starts[1:] == spans.ends[:-1]) & (spans.types[1:] == spans.types[:-1])
    return int(np.count_nonzero(next_to))
