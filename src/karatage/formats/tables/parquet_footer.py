"""The row groups of a Parquet file, from its footer: how many rows each has, and how large they are once unpacked.

Polars reads row groups but does not tell where they end, and a slice that ends inside one unpacks all of it again. The
footer is a structure in Thrift's compact protocol, of which this reads as much as it takes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

_MAGIC = b"PAR1"
_LARGEST = 64 << 20
"""The largest footer to look at, in bytes; of larger ones, rows are read in slices."""
_DEEPEST = 16
_ROW_GROUPS, _SIZE, _ROWS = 4, 2, 3
"""The numbers of fields: the row groups of a file, and the unpacked size and the rows of a group."""


class RowGroup(NamedTuple):
    """A row group.

    Attributes:
        rows: how many rows it has.
        size: its size in bytes, unpacked.
    """

    rows: int
    size: int


def row_groups(path: Path) -> list[RowGroup] | None:
    """Return the row groups of a file; None where the footer does not tell."""
    try:
        found = _Compact(_footer(path)).struct().get(_ROW_GROUPS)
        groups = [RowGroup(int(one[_ROWS]), int(one[_SIZE])) for one in found or ()]
    except (OSError, ValueError, IndexError, KeyError, TypeError, struct.error):
        return None  # who reads the file says what is wrong with it
    return groups if all(group.rows >= 0 for group in groups) else None


def _footer(path: Path) -> bytes:
    with path.open("rb") as stream:
        end = stream.seek(0, 2)
        stream.seek(max(0, end - 8))
        size, magic = struct.unpack("<I4s", stream.read(8))
        if magic != _MAGIC or size > min(end - 8, _LARGEST):
            raise ValueError
        stream.seek(end - 8 - size)
        return stream.read(size)


class _Compact:
    """Reads values in Thrift's compact protocol, one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at, self._depth = data, 0, 0

    def struct(self) -> dict[int, Any]:
        """Read a structure: its fields by their numbers."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ValueError
        out: dict[int, Any] = {}
        field = 0
        while kind := (head := self._byte()) & 15:
            field = field + (head >> 4) if head >> 4 else self._zigzag()
            out[field] = kind == 1 if kind in (1, 2) else self._value(kind)
        self._depth -= 1
        return out

    def _value(self, kind: int) -> Any:
        return _READERS[kind](self)

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _varint(self) -> int:
        out = shift = 0
        while True:
            byte = self._byte()
            out |= (byte & 127) << shift
            if byte < 128:
                return out
            shift += 7

    def _zigzag(self) -> int:
        number = self._varint()
        return (number >> 1) ^ -(number & 1)

    def _skip(self, count: int) -> None:
        """Pass over texts and fractions, which nobody asks for."""
        if count > len(self._data) - self._at:
            raise ValueError
        self._at += count

    def _list(self) -> list[Any]:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._varint()
        if count > len(self._data) - self._at:  # each takes a byte at least
            raise ValueError
        kind = head & 15
        return [self._byte() if kind in (1, 2) else self._value(kind) for _ in range(count)]


_READERS: dict[int, Callable[[_Compact], Any]] = {
    3: _Compact._byte,
    4: _Compact._zigzag,
    5: _Compact._zigzag,
    6: _Compact._zigzag,
    7: lambda own: own._skip(8),
    8: lambda own: own._skip(own._varint()),
    9: _Compact._list,
    10: _Compact._list,
    12: _Compact.struct,
}
"""How values of each type are read; maps, which footers do not have, are not."""
