"""The linear-chain CRF, against all sequences of tags."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import pytest
from tests.training.corpora import valid

torch = pytest.importorskip("torch")

from karatage.training.network.crf_layer import CrfLayer  # noqa: E402  PyTorch is optional
from karatage.training.tagset import TagSet  # noqa: E402

AB = TagSet(("a", "b"))
SIZES = (3, 1, 0, 4, 2)
"""Units of one batch; one has no tokens, as those that fill a batch."""


def chain_of(seed: int, spread: float = 1.0) -> tuple[CrfLayer, Any, Any]:
    """A chain with random weights, emissions for a batch, and the sizes; in float64."""
    dice = torch.Generator().manual_seed(seed)
    chain = CrfLayer(AB).double()
    with torch.no_grad():
        for weights in chain.parameters():
            weights.copy_(torch.randn(weights.shape, generator=dice, dtype=torch.float64) * spread)
    emissions = torch.randn((len(SIZES), max(SIZES), len(AB)), generator=dice, dtype=torch.float64) * spread
    return chain, emissions, torch.tensor(SIZES)


def paths(size: int) -> Iterator[tuple[int, ...]]:
    return (path for path in product(range(len(AB)), repeat=size) if valid(path, [size]))


def score(chain: CrfLayer, emissions: Any, path: tuple[int, ...]) -> float:
    """Add up what a path is worth, term by term."""
    first, last, steps = (weights.detach() for weights in (chain.first, chain.last, chain.transitions))
    total = float(first[path[0]] + last[path[-1]])
    total += sum(float(emissions[at, tag]) for at, tag in enumerate(path))
    return total + sum(float(steps[a, b]) for a, b in pairwise(path))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("spread", [0.3, 3.0])
def test_against_all_sequences(seed: int, spread: float) -> None:
    chain, emissions, sizes = chain_of(seed, spread)
    with torch.no_grad():
        partition, best = chain.partition(emissions, sizes), chain.decode(emissions, sizes)
    marginals = chain.marginals(emissions, sizes)
    for unit, size in enumerate(SIZES):
        if not size:
            continue
        worth = {path: score(chain, emissions[unit], path) for path in paths(size)}
        whole = torch.logsumexp(torch.tensor(list(worth.values()), dtype=torch.float64), 0)
        assert float(partition[unit]) == pytest.approx(float(whole), abs=1e-9)
        assert tuple(best[unit, :size].tolist()) == max(worth, key=worth.__getitem__)
        expected = torch.zeros(size, len(AB), dtype=torch.float64)
        for path, value in worth.items():
            for at, tag in enumerate(path):
                expected[at, tag] += math.exp(value - float(whole))
        torch.testing.assert_close(marginals[unit, :size], expected, atol=1e-9, rtol=0)
        assert not marginals[unit, size:].any()
        tags = torch.zeros(len(SIZES), max(SIZES), dtype=torch.long)
        for path in list(worth)[::7]:
            tags[unit, :size] = torch.tensor(path)
            found = chain.score(emissions, tags, sizes)[unit].detach()
            assert float(found) == pytest.approx(worth[path], abs=1e-9)


def test_padding_does_not_matter() -> None:
    """A unit by itself has the same scores as one in a batch of longer ones, whatever stands in the padding."""
    chain, emissions, sizes = chain_of(9)
    noisy = emissions.clone()
    for unit, size in enumerate(SIZES):
        noisy[unit, size:] = 100.0
    some = [unit for unit, size in enumerate(SIZES) if size]
    tags = torch.zeros(len(SIZES), max(SIZES), dtype=torch.long)
    with torch.no_grad():
        for unit in some:
            size = SIZES[unit]
            alone = emissions[unit : unit + 1, :size]
            torch.testing.assert_close(
                chain.partition(noisy, sizes)[unit], chain.partition(alone, sizes[unit : unit + 1])[0]
            )
            torch.testing.assert_close(
                chain.score(noisy, tags, sizes)[unit],
                chain.score(alone, tags[unit : unit + 1, :size], sizes[unit : unit + 1])[0],
            )
            assert (
                chain.decode(noisy, sizes)[unit, :size].tolist()
                == chain.decode(alone, sizes[unit : unit + 1])[0].tolist()
            )


def test_a_loss_is_the_mean_over_units_with_tokens() -> None:
    chain, emissions, sizes = chain_of(2)
    tags = torch.tensor([[1, 2, 0, 0], [3, 0, 0, 0], [0, 0, 0, 0], [1, 1, 3, 4], [0, 0, 0, 0]])
    each = []
    for unit, size in enumerate(SIZES):
        if size:
            gold = tuple(tags[unit, :size].tolist())
            every = torch.tensor([score(chain, emissions[unit], path) for path in paths(size)], dtype=torch.float64)
            each.append(float(torch.logsumexp(every, 0)) - score(chain, emissions[unit], gold))
    assert len(each) == 4
    assert float(chain.loss(emissions, tags, sizes).detach()) == pytest.approx(sum(each) / 4, abs=1e-9)


def test_a_batch_without_tokens_has_no_loss() -> None:
    chain, emissions, _ = chain_of(2)
    loss = chain.loss(
        emissions, torch.zeros(len(SIZES), max(SIZES), dtype=torch.long), torch.zeros(len(SIZES), dtype=torch.long)
    )
    loss.backward()
    assert float(loss.detach()) == 0.0
    assert chain.first.grad is not None
    assert not chain.first.grad.any()


def test_gradients() -> None:
    """Those of emissions and weights are the finite differences of the loss."""
    chain, emissions, sizes = chain_of(5)
    tags = torch.tensor([[1, 2, 0, 0], [3, 0, 0, 0], [0, 0, 0, 0], [1, 1, 3, 4], [0, 0, 0, 0]])
    emissions.requires_grad_()
    chain.loss(emissions, tags, sizes).backward()
    step = 1e-6
    for tensor in (emissions, chain.transitions, chain.first, chain.last):
        assert tensor.grad is not None
        flat, expected = tensor.detach().view(-1), tensor.grad.view(-1)
        for at in range(0, len(flat), 3):
            with torch.no_grad():
                flat[at] += step
                above = float(chain.loss(emissions, tags, sizes))
                flat[at] -= 2 * step
                below = float(chain.loss(emissions, tags, sizes))
                flat[at] += step
            assert float(expected[at]) == pytest.approx((above - below) / (2 * step), abs=1e-7)


def test_large_scores_stay_numbers() -> None:
    """In float32, with scores far beyond those of a trained network."""
    chain, emissions, sizes = chain_of(6)
    chain = chain.float()
    given = (emissions * 300).float().requires_grad_()
    tags = torch.zeros(len(SIZES), max(SIZES), dtype=torch.long)
    loss = chain.loss(given, tags, sizes)
    loss.backward()
    assert torch.isfinite(loss)
    assert torch.isfinite(given.grad).all()
    assert all(torch.isfinite(weights.grad).all() for weights in chain.parameters() if weights.grad is not None)
    decoded = chain.decode(given, sizes)
    for unit, size in enumerate(SIZES):
        assert valid(decoded[unit, :size].tolist(), [size])
