"""Passes of labelling: which exports cover new items, and which go over the same items again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def first_passes(files: Sequence[Sequence[T]], text: Callable[[T], str]) -> list[Sequence[T]]:
    """Return the files that cover items of their own; one whose texts are all in another file is a later pass."""
    texts = [{text(one) for one in items} for items in files]
    kept: list[int] = []
    for at in sorted(range(len(files)), key=lambda at: (-len(texts[at]), at)):
        if not any(texts[at] <= texts[other] for other in kept):
            kept.append(at)
    return [files[at] for at in sorted(kept)]
