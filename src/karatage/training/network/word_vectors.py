"""Pre-trained word vectors from text files, as fastText, GloVe and word2vec write them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from karatage.errors import FormatError
from karatage.formats import Source, guard


def read_vectors(path: str, limit: int, *, lowercase: bool) -> tuple[list[str], NDArray[np.float32] | None]:
    """Read the first vectors of a file; none if there is no file.

    Args:
        path: the file, compressed or not; a header line of two numbers is skipped.
        limit: how many vectors to read at most.
        lowercase: whether words are lowercased; the first of equal words counts.
    """
    if not path:
        return [], None
    source = Source(path)
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
                    f"expected a word and {width or 'some'} numbers, separated by spaces", source=source.name, line=line
                )
            found.setdefault(word.lower() if lowercase else word, vector)
            if len(found) >= limit:
                break
    if not found:
        raise FormatError("contains no vectors", source=source.name)
    return list(found), np.stack(list(found.values()))
