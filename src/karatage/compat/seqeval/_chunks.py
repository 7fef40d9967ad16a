"""Entities as conlleval and seqeval's default mode read them, tag by tag.

This is the fallback for flat lists, and for input that the columnar decoder does not support.
"""

from __future__ import annotations

import warnings
from typing import Any

_BARE = ["O", "B", "I", "E", "S"]
_PREFIXED = ("B-", "I-", "E-", "S-")
_SUFFIXED = ("-B", "-I", "-E", "-S")

Chunk = tuple[str, int, int]
"""Type, and the indices of the first and the last tag."""


def end_of_chunk(prev_tag: str, tag: str, prev_type: str, type_: str) -> bool:
    """Return whether a chunk ended between two adjacent tags, each given by its prefix and its type."""
    return bool(
        prev_tag in ("E", "S")
        or (prev_tag in ("B", "I") and tag in ("B", "S", "O"))
        or (prev_tag not in ("O", ".") and prev_type != type_)
    )


def start_of_chunk(prev_tag: str, tag: str, prev_type: str, type_: str) -> bool:
    """Return whether a chunk started between two adjacent tags, each given by its prefix and its type."""
    return bool(
        tag in ("B", "S")
        or (prev_tag in ("E", "S", "O") and tag in ("E", "I"))
        or (tag not in ("O", ".") and prev_type != type_)
    )


def plausible(tag: Any, suffix: bool) -> bool:
    """Return whether seqeval accepts a tag without a warning."""
    return bool(tag in _BARE or (tag.endswith(_SUFFIXED) if suffix else tag.startswith(_PREFIXED)))


def warn_implausible(tag: str) -> None:
    """Warn about one occurrence of a tag that does not look like one."""
    warnings.warn(f"{tag} seems not to be NE tag.", stacklevel=2)


def chunks_in(seq: Any, suffix: bool) -> list[Chunk]:
    """Return the chunks of a flat or nested list, as if every inner list were followed by an `O`."""
    if any(isinstance(part, list) for part in seq):
        seq = [tag for part in seq for tag in part + ["O"]]  # noqa: RUF005  # only a list is allowed here
    chunks: list[Chunk] = []
    prefix_before, type_before, begin = "O", "", 0
    for index, tag in enumerate(seq + ["O"]):  # noqa: RUF005  # the same
        if not plausible(tag, suffix):
            warn_implausible(tag)
        if suffix:
            prefix, kind = tag[-1], tag[:-1].rsplit("-", maxsplit=1)[0] or "_"
        else:
            prefix, kind = tag[0], tag[1:].split("-", maxsplit=1)[-1] or "_"
        if end_of_chunk(prefix_before, prefix, type_before, kind):
            chunks.append((type_before, begin, index - 1))
        if start_of_chunk(prefix_before, prefix, type_before, kind):
            begin = index
        prefix_before, type_before = prefix, kind
    return chunks
