"""Files that are parsed once and then served from memory, for commands that look at the same input several times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from karatage.formats import ReadOptions
from karatage.inputs.corpus import open_corpus


def read_once(given: Any, *, format: str | None = None, name: str = "data") -> Any:  # noqa: A002  users say format
    """Return an input that parses its files once, however often it is read; what is in memory is returned as it is.

    Args:
        given: what a user passes.
        format: the format of the files; detected automatically by default.
        name: what messages call an input that has no path.
    """
    if not isinstance(given, str | Path):
        return given
    corpus = open_corpus(given, format=format, name=name)
    parse = corpus.read
    parsed: dict[ReadOptions, tuple[list[Any], Counter[str]]] = {}

    def read(options: ReadOptions) -> Iterator[Any]:
        if options in parsed:
            batches, notes = parsed[options]
            options.notes.update(notes)
            yield from batches
            return
        before, batches = Counter(options.notes), []
        for batch in parse(options):
            batches.append(batch)
            yield batch
        parsed[options] = batches, options.notes - before

    corpus.read = read
    return corpus
