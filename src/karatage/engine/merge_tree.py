"""Adding up many results in their order, a few adjacent ones at a time: a tree that grows with its leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Node = TypeVar("Node")

_WIDTH = 8
"""How many adjacent results are added up at a time."""


class MergeTree(Generic[Node]):
    """Adds up results in their order; only adjacent ones are added.

    Args:
        merge: adds up a few adjacent results.
    """

    def __init__(self, merge: Callable[[Sequence[Node]], Node]) -> None:
        self._merge = merge
        self._levels: list[list[Node]] = []

    def add(self, node: Node) -> None:
        """Add the result that follows."""
        self._put(node, 0)

    def _put(self, node: Node, level: int) -> None:
        if level == len(self._levels):
            self._levels.append([])
        row = self._levels[level]
        row.append(node)
        if len(row) == _WIDTH:
            merged = self._merge(row[:])
            row.clear()
            self._put(merged, level + 1)

    def finish(self) -> Node | None:
        """Return all together; None if there is nothing."""
        rest: list[Node] = []
        for row in self._levels:  # the higher, the earlier in the order
            rest = [*row, *rest]
            if len(rest) > 1:
                rest = [self._merge(rest)]
        return rest[0] if rest else None
