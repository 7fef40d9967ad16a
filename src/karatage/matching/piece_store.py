"""Pieces of batches that are put aside, in memory as long as they are few, and in temporary files otherwise."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import gettempdir
from typing import NamedTuple

from karatage._arrays import Ints
from karatage._temporaries import scratch_folder
from karatage._writing import writing
from karatage.claims import Claims
from karatage.errors import InputError

_MEMORY = 128 << 20
"""About how many bytes of pieces are in memory at a time, of gold and of the predictions each."""


class Piece(NamedTuple):
    """Some units of a batch.

    Attributes:
        claims: the units and their claims.
        places: where each of them belongs.
    """

    claims: Claims
    places: Ints


class PieceStore:
    """Keeps pieces by the number of the chunk that they belong to, until it is closed.

    A file that is written has the pieces of many chunks, so that there are few files however many chunks there are.
    """

    def __init__(self) -> None:
        self._waiting: dict[int, list[Piece]] = {}
        self._size = 0
        self._stored: dict[int, list[tuple[Path, int]]] = {}
        self._files = 0
        self._open = ExitStack()
        self._folder: Path | None = None

    def add(self, chunk: int, piece: Piece) -> None:
        """Keep a piece."""
        self._waiting.setdefault(chunk, []).append(piece)
        self._size += weight(piece.claims)
        if self._size > _MEMORY:
            self._write()

    def pieces(self, chunk: int) -> Iterator[Piece]:
        """Yield the pieces of a chunk, in the order in which they were added."""
        for path, start in self._stored.get(chunk, ()):
            with path.open("rb") as stream:
                stream.seek(start)
                yield from pickle.load(stream)  # noqa: S301  # what this process wrote, where nobody else may
        yield from self._waiting.get(chunk, ())

    def close(self) -> None:
        """Remove all files."""
        self._open.close()

    def _write(self) -> None:
        """Write what is in memory to one more file."""
        try:
            if self._folder is None:
                self._folder = self._open.enter_context(scratch_folder())
            path = self._folder / f"{self._files}.pieces"
            with writing(path) as out:
                for chunk, pieces in sorted(self._waiting.items()):
                    self._stored.setdefault(chunk, []).append((path, out.tell()))
                    pickle.dump(pieces, out, pickle.HIGHEST_PROTOCOL)
        except (OSError, InputError) as error:
            reason = error.message if isinstance(error, InputError) else error.strerror or str(error)
            raise InputError(
                f"cannot put aside what does not fit into memory, as gold and predictions are not in the same order: "
                f"{reason}",
                source=_temporary_folder(),
                hint="Set TMPDIR to a folder with more space, or bring both sides into the same order",
            ) from None
        self._files += 1
        self._waiting, self._size = {}, 0


def weight(claims: Claims) -> int:
    """Return about how many bytes units and their claims take in memory."""
    units = claims.units
    tokens = sum(map(len, units.tokens)) if units.tokens is not None else 0
    texts = sum(map(len, units.texts)) if units.texts is not None else 0
    return 200 * len(units) + 64 * len(claims) + 70 * tokens + texts + sum(layer.codes.nbytes for layer in claims.tags)


def _temporary_folder() -> str:
    try:
        return gettempdir()
    except OSError:
        return "the temporary folder"
