"""Pre-trained word vectors from text files, as fastText, GloVe and word2vec write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karatage.errors import FormatError
from karatage.formats import Source, guard

if TYPE_CHECKING:
    from numpy.typing import NDArray


def read_vectors(place: str, limit: int, *, lowercase: bool) -> tuple[list[str], NDArray[np.float32] | None]:
    """Read the first vectors of a file; none where no file is named.

    Args:
        place: the file, compressed or not; a first line of two numbers, the size of the table, is passed over.
        limit: how many to read at most.
        lowercase: whether words are taken in lower case; the first of equal ones counts.
    """
    if not place:
        return [], None
    source = Source(place)
    found: dict[str, NDArray[np.float32]] = {}
    width = 0
    with guard(source):
        for line, text in source.lines():
            word, *numbers = text.rstrip().split(" ")
            if line == 1 and len(numbers) == 1:
                continue
            width = width or len(numbers)
            try:
                vector = np.array(numbers, np.float32)
            except ValueError:
                vector = np.zeros(0, np.float32)
            if len(vector) != width or not width or not np.isfinite(vector).all():
                raise FormatError(
                    f"expected a word and {width or 'some'} numbers, parted by blanks", source=source.name, line=line
                )
            found.setdefault(word.lower() if lowercase else word, vector)
            if len(found) >= limit:
                break
    if not found:
        raise FormatError("holds no vectors", source=source.name)
    return list(found), np.stack(list(found.values()))
