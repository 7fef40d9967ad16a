"""Many results are added up in their order, a few adjacent ones at a time."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from karatage.engine.merge_tree import MergeTree


@pytest.mark.parametrize("count", [*range(1, 20), 63, 64, 65, 512, 1000])
def test_everything_is_added_once_and_in_order(count: int) -> None:
    widest = 0

    def merge(nodes: Sequence[str]) -> str:
        nonlocal widest
        widest = max(widest, len(nodes))
        return "".join(nodes)

    tree = MergeTree(merge)
    for number in range(count):
        tree.add(f"{number} ")
    assert tree.finish() == "".join(f"{number} " for number in range(count))
    assert widest <= 8, "eight of a level at a time, or seven and what is left of those below"


def test_nothing_adds_up_to_nothing() -> None:
    assert MergeTree(lambda nodes: nodes[0]).finish() is None
