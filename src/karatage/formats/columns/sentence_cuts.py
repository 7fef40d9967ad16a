"""Where a column file can be cut: after the blank line that ends a sentence. Sentences are counted, not read."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.formats.io import Source

_CHUNK = 1 << 20
_LINE_END = 10


class SentenceCuts:
    """A place between two sentences of a file, which moves ahead.

    Only line ends are looked at. Where a blank line has blanks in it, or a block has comments only, the count is wrong:
    a part may have another number of sentences than was counted, which its reader must check.

    Args:
        source: an uncompressed file.

    Attributes:
        place: how many bytes come before it.
    """

    def __init__(self, source: Source) -> None:
        self._path = source.path
        self.place = 0

    def ahead(self, size: int) -> int:
        """Move to the last cut within so many bytes, or to the first one after them; return the sentences between.

        At the end of the file, stay and return 0: the last sentence may have no blank line after it.
        """
        count, last, wanted = 0, self.place, self.place + size
        for chunk in self._chunks():
            if chunk.end >= wanted and (count or chunk.count):
                within = int(np.searchsorted(chunk.cuts, wanted, "right"))
                within = max(within, 0 if count else 1)
                self.place = int(chunk.cuts[within - 1]) if within else last
                return count + within
            if chunk.count:
                count, last = count + chunk.count, int(chunk.cuts[-1])
        return 0

    def skip(self, count: int) -> bool:
        """Move ahead by so many sentences; return whether there are as many."""
        for chunk in self._chunks():
            if chunk.count >= count:
                self.place = int(chunk.cuts[count - 1])
                return True
            count -= chunk.count
        return False

    def rest(self) -> int:
        """Count the sentences from here to the end of the file; the last one may have no blank line after it."""
        count, blank = 0, True
        for chunk in self._chunks():
            count, blank = count + chunk.count, chunk.blank
        return count + (not blank)

    def _chunks(self) -> Iterator[_Chunk]:
        """Yield the text from here on in chunks."""
        at, buffer = self.place, np.full(_CHUNK + 2, _LINE_END, np.uint8)  # starts with the two bytes before the text
        with self._path.open("rb", buffering=0) as stream:
            stream.seek(at)
            while read := stream.readinto(buffer[2:].data):
                line_end = buffer[: read + 2] == _LINE_END
                blank = line_end[1:] & line_end[:-1]
                # Of several blank lines, only the first ends a sentence.
                yield _Chunk(at, blank[1:] > blank[:-1], bool(blank[-1]))
                at += read
                buffer[:2] = buffer[read : read + 2]


class _Chunk:
    """A piece of text.

    Args:
        start: how many bytes come before it in the file.
        ends: at which of its bytes a sentence ends.
        blank: whether a blank line is the last.

    Attributes:
        end: where it ends in the file.
        count: how many sentences end in it.
    """

    def __init__(self, start: int, ends: Bools, blank: bool) -> None:
        self._start, self._ends, self.blank = start, ends, blank
        self.end, self.count = start + len(ends), int(np.count_nonzero(ends))

    @cached_property
    def cuts(self) -> Ints:
        """Where in the file its sentences end."""
        return np.flatnonzero(self._ends) + (self._start + 1)
