"""The weights of a CRF, read from CRFsuite's model file.

CRFsuite itself trusts every number in the file and crashes on a damaged one, and it does not return the scores that are
needed to restrict the tags of a group.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from karatage.errors import InputError
from karatage.training.model_folder import RESTORE

_HEADER = struct.Struct("<4sI4sI8I")
"""Magic, file size, type, version, 0, number of labels and of attributes; offsets of weights, labels, attributes, and
of references that only CRFsuite's own tagger needs."""

_CHUNK = struct.Struct("<4s2I")
"""The header of the weights: magic, size and count."""

_NAMES = struct.Struct("<4s5I")
"""A table of names: magic, size, flags, byte order, count, and the offset of an array with their offsets."""

_BYTE_ORDER = 0x62445371

_FEATURE = np.dtype([("type", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
_STATE, _STEP = 0, 1


class _DamageError(Exception):
    """The file is damaged."""


@dataclass(frozen=True)
class CrfsuiteModel:
    """The weights of a linear-chain CRF.

    Attributes:
        labels: the names of its labels, which are our tags.
        attributes: the number of each attribute, by the prefix for its token and by the rest.
        states: the weight of each attribute with each label.
        steps: the weight of each label (column) after each label (row).
        content: the content of the file.
    """

    labels: tuple[str, ...]
    attributes: dict[str, dict[str, int]]
    states: csr_array
    steps: NDArray[np.float64]
    content: bytes = field(repr=False)

    @classmethod
    def read(cls, content: bytes, source: str) -> CrfsuiteModel:
        """Read the content of a model file; a damaged file is an `InputError`."""
        try:
            return cls._read(content)
        except _DamageError as error:
            raise InputError(f"is damaged or not a CRFsuite model ({error})", source=source, hint=RESTORE) from None

    @classmethod
    def _read(cls, content: bytes) -> CrfsuiteModel:
        if len(content) < _HEADER.size:
            raise _DamageError(f"{len(content)} bytes")
        magic, size, kind, version, _, labels, attributes, at, of_labels, of_attributes, *_ = _HEADER.unpack_from(
            content
        )
        if (magic, kind, version) != (b"lCRF", b"FOMC", 100):
            raise _DamageError("wrong first bytes")
        if size != len(content):
            raise _DamageError(f"{len(content):,} bytes instead of {size:,}")
        names = _names(content, of_labels, labels)
        known = _by_prefix(_names(content, of_attributes, attributes))
        if sum(map(len, known.values())) < attributes or len(set(names)) < labels:
            raise _DamageError("duplicate name")
        if at + _CHUNK.size > size:
            raise _DamageError("missing weights")
        magic, length, count = _CHUNK.unpack_from(content, at)
        if magic != b"FEAT" or length != _CHUNK.size + count * _FEATURE.itemsize or at + length > size:
            raise _DamageError("missing weights")
        found = np.frombuffer(content, _FEATURE, count, at + _CHUNK.size)
        return cls(tuple(names), known, *_split(found, attributes, labels), content)


def _split(found: NDArray[np.void], attributes: int, labels: int) -> tuple[csr_array, NDArray[np.float64]]:
    """Return the weights of attributes and of transitions."""
    state, step = found[found["type"] == _STATE], found[found["type"] == _STEP]
    for part, sources in ((state, attributes), (step, labels)):
        if np.any(part["source"] >= sources) or np.any(part["target"] >= labels):
            raise _DamageError("invalid reference")
    if len(state) + len(step) < len(found) or not np.isfinite(found["weight"]).all():
        raise _DamageError("invalid weight")
    cells = (state["source"].astype(np.int64), state["target"].astype(np.int64))
    steps = np.zeros((labels, labels))
    steps[step["source"], step["target"]] = step["weight"]
    return csr_array((state["weight"].astype(np.float64), cells), shape=(attributes, labels)), steps


def _by_prefix(names: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return the number of each name, by its prefix (an offset, e.g. `-1:`) and the rest."""
    out: dict[str, dict[str, int]] = {"": {}}
    for number, name in enumerate(names):
        start = name.find(":") + 1 if name[:1] in ("+", "-") else 0
        out.setdefault(name[:start], {})[name[start:]] = number
    return out


def _names(content: bytes, start: int, count: int) -> list[str]:
    """Read a table of names, in the order of their numbers."""
    if start + _NAMES.size > len(content):
        raise _DamageError("missing names")
    magic, size, _, order, stored, offset = _NAMES.unpack_from(content, start)
    if (magic, order) != (b"CQDB", _BYTE_ORDER) or stored != count or start + size > len(content):
        raise _DamageError("missing names")
    if not count:
        return []
    if offset + 4 * count > size:
        raise _DamageError("missing names")
    raw = np.frombuffer(content, np.uint8, size, start)
    starts = np.frombuffer(content, "<u4", count, start + offset).astype(np.int64)
    if starts.max() + 8 > size:
        raise _DamageError("invalid name")
    # Each name: its number, its length including a zero byte, and its bytes.
    heads = np.ascontiguousarray(raw[starts[:, None] + np.arange(8)]).view("<u4").astype(np.int64)
    ends = starts + 8 + heads[:, 1]
    if (heads[:, 0] != np.arange(count)).any() or ends.max() > size or (heads[:, 1] < 1).any():
        raise _DamageError("invalid name")
    texts = content[start : start + size]
    try:
        return [
            texts[low:high].decode("utf-8", "surrogatepass")
            for low, high in zip((starts + 8).tolist(), (ends - 1).tolist(), strict=True)
        ]
    except UnicodeDecodeError:
        raise _DamageError("a name is not UTF-8") from None
