"""Slices that are gathered in batches are those of the whole, also where batches have other attributes or labels."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

import karatage
from karatage.claims import Claims, Units
from karatage.explanation.drawn_rows import Placing
from karatage.explanation.slices import slice_outcomes
from karatage.explanation.slices.entity_slices import frequent_labels, main_measure, score_slices
from karatage.explanation.slices.facts import Attributes
from karatage.explanation.slices.slice_gathering import SliceGathering
from karatage.explanation.slices.slicings import LABELS
from karatage.scoring import Outcomes, Result
from karatage.stats import Resampling

WORDS = ["Ann", "NATO", "iPhone", "42", "x9", "in"]


def batches(rng: random.Random, sizes: Sequence[int], labels: Sequence[str]) -> tuple[list[Outcomes], Result]:
    """Make batches of sentences; each but the first lacks one of the attributes or has one more."""
    sides: tuple[list[Claims], list[Claims]] = [], []
    for k, size in enumerate(sizes):
        tokens = [[rng.choice(WORDS) for _ in range(rng.randint(1, 7))] for _ in range(size)]
        attributes = {
            "year": [str(rng.randint(1999, 2002)) for _ in tokens],
            "kind": [rng.choice(["a", "b", ""]) for _ in tokens],
            "document": [str(rng.randrange(9)) for _ in tokens],
        }
        if k % 3 == 1:
            del attributes["kind"]
        if k % 3 == 2:
            attributes["source"] = [rng.choice("xy") for _ in tokens]
        units = Units(size, tokens=tokens, attributes=attributes)
        for side, noise in zip(sides, (0.5, 0.6), strict=True):
            rows = [
                (u, rng.choice(labels), at, at + 1, None, None)
                for u, own in enumerate(tokens)
                for at in range(len(own))
                if rng.random() < noise
            ]
            side.append(Claims.build(units, "token", rows))
    parts = [karatage.score(*pair, resamples=0).outcomes() for pair in zip(*sides, strict=True)]
    return parts, karatage.score(*map(Claims.concatenate, sides), resamples=0)


@pytest.mark.parametrize("by", [[], ["kind", "year > 2000", "source == 'x' or label == 'A'", "length"]])
@pytest.mark.parametrize(
    "resampling",
    [Resampling(), Resampling(cluster_by="document"), Resampling(stratify_by="year", cluster_by=None)],
    ids=["plain", "clusters", "strata"],
)
@pytest.mark.parametrize("seed", range(3))
def test_batches_add_up(by: list[str], resampling: Resampling, seed: int) -> None:
    """An attribute that a batch lacks is empty there."""
    rng = random.Random(seed)
    parts, result = batches(rng, [7, 1, 12, 5, 9], ["A", "B", "C"])
    whole = slice_outcomes(result.outcomes(), result.profile, resampling, by=by)
    assert len(whole) > 5
    attributes = Attributes.of(part.units for part in parts)
    plan: Any = (main_measure(result.profile), by, None, attributes, None)
    found, placing = SliceGathering(*plan), Placing(resampling)
    for a, b in pairwise([0, 2, 3, 5]):
        own, places = found.fresh(), Placing(resampling)
        for part in parts[a:b]:
            own.add(part, places.of(part.units))
        found += own
        placing += places
    placing.check()
    assert [one.to_dict() for one in score_slices(found, result.profile, resampling)] == [
        one.to_dict() for one in whole
    ]


def test_the_rarest_of_many_labels_are_one_slice() -> None:
    """Gold and predictions have the same frequent labels: those of most entities in both."""
    labels = [f"L{k:03}" for k in range(LABELS + 20)]
    gold = [[(label, 0, 1)] * 1 for label in labels] + [[(label, 0, 1)] for label in labels[5:]]
    result = karatage.score(gold, gold, resamples=0)
    kept = frequent_labels({label: 2 + 2 * (label > "L004") for label in labels})
    assert kept == frozenset(labels[5 : LABELS + 4])
    found = {
        one.name: one.counts for one in slice_outcomes(result.outcomes(), result.profile, Resampling(0), by=["label"])
    }
    assert list(found) == [*labels[5 : LABELS + 4], "other"]
    # The first five labels have one gold entity each, the last 16 two.
    assert found["other"] == {"gold": 5 + 2 * 16, "predicted": 5 + 2 * 16, "correct": 5 + 2 * 16}


def test_an_attribute_like_an_id_is_no_slicing_unless_asked_for() -> None:
    units = Units(60, attributes={"name": [f"n{k}" for k in range(60)], "part": ["x", "y"] * 30})
    claims = Claims.build(units, "char", [(u, "A", 0, 1, None, None) for u in range(60)])
    result = karatage.score(claims, claims, resamples=0)
    found = slice_outcomes(result.outcomes(), result.profile, Resampling(0))
    assert {one.by for one in found} == {"part"}
    asked = slice_outcomes(result.outcomes(), result.profile, Resampling(0), by=["name"])
    assert [one.units for one in asked] == [1] * 19 + [41]
