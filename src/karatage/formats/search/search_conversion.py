"""From judgements or results in any format to any other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from karatage._writing import check_file
from karatage.claims import Relevance, Units
from karatage.errors import FormatError, InputError, UsageError
from karatage.formats.format import Format, Lost, WriteOptions


def convert_relevance(batches: Sequence[Any], name: str, target: Format, path: str) -> Lost:
    """Write judgements or results in a format and return what that format could not represent.

    Args:
        batches: the judgements or results, of one or several files.
        name: what a message calls them.
        target: the format to write.
        path: the file to write.
    """
    if not target.search:
        raise UsageError(f"{name} contains search results or judgements, which {target.name!r} cannot store")
    if target.write is None:
        raise UsageError(f"the format {target.name!r} can be read but not written")
    if not target.folder:
        check_file(path)
    if not all(isinstance(one, Relevance) for one in batches):
        raise UsageError(f"{name} is a matrix of labels, which cannot be converted")
    found = join_relevance(batches, name)
    if found.what == "numbers":
        grades, scores = ("grades" in target.holds), ("scores" in target.holds)
        if grades and scores:
            raise FormatError(
                "whole numbers may be grades or scores", source=name, hint="Convert to trec-qrels or to trec-run"
            )
        found = replace(found, what="grades" if grades else "scores")
    lost = Lost()
    target.write([found], path, WriteOptions(), lost)
    return Lost({what: count for what, count in lost.items() if count})


def join_relevance(parts: Sequence[Relevance], name: str, role: str = "", *, repeats: bool = False) -> Relevance:
    """Put the parts of several files together; a document that is twice there for a query is an error, unless allowed.

    Args:
        parts: what the files contain.
        name: what a message calls them all.
        role: whether they are gold or predictions.
        repeats: whether a document may be twice there for a query.
    """
    import polars as pl

    before = f"{role}: " if role else ""
    if len(parts) == 1:
        return parts[0]
    if len({part.what for part in parts}) > 1:
        raise InputError(f"{before}the files have different formats", source=name)
    number: dict[str, int] = {}
    texts: dict[str, str] = {}
    for part in parts:
        for query in part.units.ids or ():
            number.setdefault(query, len(number))
        for query, text in zip(part.units.ids or (), part.units.texts or (), strict=False):
            texts.setdefault(query, text)
    unit = np.concatenate([np.array([number[q] for q in p.units.ids or ()], np.int64)[p.unit] for p in parts])
    documents = pl.concat([part.document for part in parts])
    if not repeats and pl.DataFrame({"unit": unit, "document": documents}).is_duplicated().any():
        raise InputError(f"{before}a document occurs twice for a query, in different files", source=name)
    values = np.concatenate([part.value for part in parts])
    own = [texts.get(query, "") for query in number] if texts else None
    units = Units(len(number), list(number), texts=own, source=name)
    given = None if all(part.given is None for part in parts) else np.concatenate([part.written for part in parts])
    return Relevance(units, unit, documents, values, parts[0].what, given)
