"""Tagging a corpus batch by batch, one batch or several at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Barrier, Lock

import pytest

from karatage.claims import Claims, Units
from karatage.taggers import tag_batches


@dataclass
class Slow:
    """A tagger that finds nothing, and that waits until as many batches are there as it takes at once."""

    at_once: int
    labels: frozenset[str] = frozenset({"X"})
    name: str = "slow"
    failing: str = ""
    seen: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._together, self._lock = Barrier(self.at_once), Lock()

    def tag(
        self, texts: Sequence[str] | Sequence[Sequence[str]], attributes: Mapping[str, Sequence[str]] | None = None
    ) -> Claims:
        del attributes
        self._together.wait(timeout=20)
        with self._lock:
            self.seen.append(str(texts[0]))
        if texts[0] == self.failing:
            raise ValueError(f"cannot tag {texts[0]}")
        return empty(*(str(text) for text in texts))


def empty(*texts: str) -> Claims:
    return Claims.build(Units(len(texts), texts=list(texts)), "char", [])


@pytest.mark.parametrize("at_once", [1, 2])
def test_batches_come_in_order(at_once: int) -> None:
    """With two at once, each call waits for another one: if they came one by one, it would fail."""
    tagger, told = Slow(at_once), list[int]()
    batches = [empty(f"text {k}", "more") for k in range(6)]
    found = list(tag_batches(tagger, batches, told.append))
    assert [one.units.texts[0] for one in found] == [f"text {k}" for k in range(6)]  # type: ignore[index]
    assert told == [2, 4, 6, 8, 10, 12]
    assert sorted(tagger.seen) == [f"text {k}" for k in range(6)]


def test_what_goes_wrong_is_raised_where_its_batch_is_due() -> None:
    found = tag_batches(Slow(2, failing="text 1"), [empty(f"text {k}") for k in range(2)])
    assert len(next(found).units) == 1
    with pytest.raises(ValueError, match="cannot tag text 1"):
        next(found)
