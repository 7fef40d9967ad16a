"""Losses, tags and probabilities of the networks' last part, against formulas written out."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from karatage.training.network.heads import CrfHead, SoftmaxHead, TagHead, class_weights  # noqa: E402  optional
from karatage.training.tagset import TagSet  # noqa: E402

AB = TagSet(("a", "b"), {"1": frozenset("a"), "2": frozenset("b"), "3": frozenset()})


def batch(seed: int = 0) -> tuple[Any, Any, Any]:
    """Emissions, a batch of three units, of which one has no tokens, and gold with -100 in the padding."""
    dice = torch.Generator().manual_seed(seed)
    emissions = torch.randn((3, 5, len(AB)), generator=dice, requires_grad=True)
    sizes = torch.tensor([5, 0, 3])
    inside = torch.arange(5) < sizes.unsqueeze(1)
    tags = torch.randint(0, len(AB), (3, 5), generator=dice) * inside
    return emissions, SimpleNamespace(tags=tags, sizes=sizes, inside=inside), torch.where(inside, tags, -100)


def test_cross_entropy() -> None:
    emissions, given, gold = batch()
    expected = torch.nn.functional.cross_entropy(emissions.flatten(0, 1), gold.flatten(), ignore_index=-100)
    found = SoftmaxHead(AB).loss(emissions, given)
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(
        torch.autograd.grad(found, emissions)[0], torch.autograd.grad(expected, emissions)[0], atol=1e-7, rtol=1e-5
    )


def test_cross_entropy_by_class() -> None:
    emissions, given, gold = batch(1)
    weights = np.array([0.1, 2.0, 1.0, 0.5, 3.0], np.float32)
    expected = torch.nn.functional.cross_entropy(
        emissions.flatten(0, 1), gold.flatten(), torch.from_numpy(weights), ignore_index=-100
    )
    torch.testing.assert_close(SoftmaxHead(AB, (), weights).loss(emissions, given), expected)


@pytest.mark.parametrize("gamma", [0.5, 2.0])
def test_focal_loss(gamma: float) -> None:
    """The mean over the tokens of w (1 - p)^γ (-log p), weighted."""
    emissions, given, gold = batch(2)
    weights = np.array([0.1, 2.0, 1.0, 0.5, 3.0], np.float32)
    total = share = 0.0
    for unit in range(3):
        for at in range(5):
            tag = int(gold[unit, at])
            if tag >= 0:
                scores = [math.exp(x) for x in emissions[unit, at].tolist()]
                p = scores[tag] / sum(scores)
                total += float(weights[tag]) * (1 - p) ** gamma * -math.log(p)
                share += float(weights[tag])
    found = SoftmaxHead(AB, (), weights, gamma).loss(emissions, given)
    assert float(found.detach()) == pytest.approx(total / share, rel=1e-5)
    found.backward()
    assert torch.isfinite(emissions.grad).all()


def test_a_sure_focal_loss_has_a_finite_gradient() -> None:
    """Where p is 1, (1 - p) to a power below 1 has a slope without end."""
    emissions = torch.zeros(1, 2, len(AB))
    emissions[:, :, 1] = 200.0
    emissions.requires_grad_()
    given = SimpleNamespace(
        tags=torch.ones(1, 2, dtype=torch.long), sizes=torch.tensor([2]), inside=torch.ones(1, 2, dtype=torch.bool)
    )
    loss = SoftmaxHead(AB, (), None, 0.5).loss(emissions, given)
    loss.backward()
    assert float(loss.detach()) == 0.0
    assert torch.isfinite(emissions.grad).all()


def test_a_batch_without_tokens_has_no_loss() -> None:
    emissions, given, _ = batch()
    given.sizes, given.inside, given.tags = given.sizes * 0, given.inside & False, given.tags * 0
    for head in (SoftmaxHead(AB), CrfHead(AB)):
        assert float(head.loss(emissions, given).detach()) == 0.0


def test_weights_of_classes() -> None:
    """Eight tokens: six O, one B-a, one B-b. Balanced: 8 / (3 kinds · count), what never occurs as one."""
    codes = np.array([0, 0, 0, 1, 0, 0, 3, 0])
    assert class_weights("none", codes, 5) is None
    rarity = [8 / 18, 8 / 3, 8 / 3, 8 / 3, 8 / 3]
    assert class_weights("balanced", codes, 5) == pytest.approx(rarity)
    assert class_weights("sqrt", codes, 5) == pytest.approx([math.sqrt(x) for x in rarity])
    assert class_weights("balanced", codes[:0], 5) is None  # as for a model that is loaded


@pytest.mark.parametrize("kind", [SoftmaxHead, CrfHead])
def test_a_category_has_only_its_own_labels(kind: type[TagHead]) -> None:
    """Whatever the network says. A category that training did not see has number 0 and all labels."""
    head = kind(AB, ("1", "2", "3"))
    dice = torch.Generator().manual_seed(3)
    groups = torch.tensor([0, 1, 2, 3] * 25)
    sizes = torch.full((100,), 6)
    emissions = head.restricted(torch.randn((100, 6, len(AB)), generator=dice) * 20, groups)
    with torch.no_grad():
        tags, chances = head.decode(emissions, sizes), head.marginals(emissions, sizes)
    allowed = {0: {0, 1, 2, 3, 4}, 1: {0, 1, 2}, 2: {0, 3, 4}, 3: {0}}
    for group, known in allowed.items():
        assert set(tags[groups == group].flatten().tolist()) == known
        barred = [code for code in range(5) if code not in known]
        assert not chances[groups == group][:, :, barred].any()
    torch.testing.assert_close(chances.sum(-1), torch.ones(100, 6))


@pytest.mark.parametrize("kind", [SoftmaxHead, CrfHead])
def test_without_groups_nothing_is_barred(kind: type[TagHead]) -> None:
    head = kind(AB)
    emissions = torch.randn(2, 3, len(AB))
    assert head.restricted(emissions, torch.tensor([0, 0])) is emissions


def test_a_softmax_is_the_probability() -> None:
    emissions, given, _ = batch(4)
    head = SoftmaxHead(AB)
    exp = emissions.detach().double().exp()
    torch.testing.assert_close(
        head.marginals(emissions, given.sizes).double(), exp / exp.sum(-1, keepdim=True), atol=1e-6, rtol=0
    )
    assert torch.equal(head.decode(emissions, given.sizes), exp.argmax(-1))
