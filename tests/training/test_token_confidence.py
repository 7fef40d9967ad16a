"""How sure a model is of its claims, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from karatage.claims import Units
from karatage.training.tagset import TagSet
from karatage.training.token_confidence import candidates, confidences

AB = TagSet(("a", "b"))


def test_the_least_sure_tag_decides() -> None:
    """Tags O, B-a, I-a, B-b, I-b at six tokens of two units."""
    marginals = np.array(
        [
            [0.1, 0.7, 0.1, 0.1, 0.0],  # B-a .7
            [0.0, 0.3, 0.6, 0.1, 0.0],  # I-a .6, so the claim has .6
            [0.1, 0.4, 0.1, 0.4, 0.0],  # B-a .4, a claim of its own
            [0.9, 0.0, 0.1, 0.0, 0.0],  # O
            [0.0, 0.2, 0.0, 0.8, 0.0],  # another unit: B-b .8
            [0.0, 0.0, 0.0, 0.1, 0.9],  # I-b .9, so the claim has .8
        ],
        np.float32,
    )
    sizes = np.array([4, 0, 2])
    units = Units(3, tokens=[["x"] * size for size in sizes.tolist()])
    claims = AB.claims(np.array([1, 2, 1, 0, 3, 4]), units, sizes)
    assert confidences(claims, marginals, AB, sizes).tolist() == pytest.approx([0.6, 0.4, 0.8])


def test_an_entity_that_begins_with_i() -> None:
    """A softmax tagged I-a I-a: at the first token it is .8 sure of I-a and .1 of B-a."""
    marginals = np.array([[0.1, 0.1, 0.8, 0.0, 0.0], [0.1, 0.2, 0.7, 0.0, 0.0]], np.float32)
    sizes = np.array([2])
    claims = AB.claims(np.array([2, 2]), Units(1, tokens=[["x", "y"]]), sizes)
    assert confidences(claims, marginals, AB, sizes).tolist() == pytest.approx([0.7])


def test_one_tag_per_label() -> None:
    """Tags O, I-a, I-b: the claim of the first two tokens is as sure as its second one."""
    tags = TagSet(("a", "b"), {}, "IO")
    marginals = np.array([[0.1, 0.9, 0.0], [0.3, 0.6, 0.1], [0.1, 0.1, 0.8]], np.float32)
    sizes = np.array([3])
    claims = tags.claims(np.array([1, 1, 2]), Units(1, tokens=[["x", "y", "z"]]), sizes)
    assert confidences(claims, marginals, tags, sizes).tolist() == pytest.approx([0.6, 0.8])


def test_no_claims() -> None:
    sizes = np.array([2])
    claims = AB.claims(np.array([0, 0]), Units(1, tokens=[["x", "y"]]), sizes)
    assert confidences(claims, np.zeros((2, 5), np.float32), AB, sizes).tolist() == []
    assert candidates(np.zeros(0)) == [0.0]


def test_thresholds_to_try() -> None:
    """From dropping nothing to dropping three of five claims."""
    found = candidates(np.linspace(0, 1, 101), most=7)
    assert found == pytest.approx([0.0, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert candidates(np.full(10, 0.75)) == [0.0, 0.75]
