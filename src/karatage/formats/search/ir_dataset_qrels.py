"""Judgements of a data set of the package ir_datasets, by its name: `ir_datasets:NAME`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karatage.claims import Relevance
from karatage.errors import InputError, KaratageError, UsageError, missing_package
from karatage.formats.format import ReadOptions
from karatage.formats.search.search_rows import SearchRows

_SIGN = "ir_datasets:"


def is_dataset_name(path: str) -> bool:
    """Whether a path names a data set."""
    return path.startswith(_SIGN)


def read_dataset(path: str, options: ReadOptions) -> Iterator[Relevance]:
    """Yield the judgements of a data set, with the texts of its queries; where results are wanted, those that it has.

    The package downloads what it does not have yet.
    """
    name = path.removeprefix(_SIGN)
    found = _load(name)
    scores = options.relevance == "scores"
    has = found.has_scoreddocs() if scores else found.has_qrels()
    if not has:
        raise InputError(f"the data set has no {'results (scoreddocs)' if scores else 'judgements'}", source=path)
    rows = SearchRows(path, "scores" if scores else "grades")
    try:
        texts = _texts(found)
        for number, one in enumerate(found.scoreddocs_iter() if scores else found.qrels_iter(), 1):
            value = one.score if scores else one.relevance
            rows.add(one.query_id, one.doc_id, value, number, texts.get(one.query_id, ""))
    except KaratageError:
        raise
    except Exception as error:  # the package downloads and unpacks, and says what went wrong in many ways
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise InputError(f"ir_datasets cannot read the data set: {reason:.200}", source=path) from None
    yield rows.relevance(options)


def _load(name: str) -> Any:
    try:
        import ir_datasets
    except ImportError as error:
        raise missing_package("ir_datasets", extra="irds", error=error) from None
    try:
        return ir_datasets.load(name)
    except KeyError:
        known = sorted(str(one) for one in ir_datasets.registry._registered if str(one).startswith(name[:4]))[:5]
        near = f" Similar names: {', '.join(known)}" if known else ""
        raise UsageError(f"ir_datasets does not know the data set {name!r}.{near}") from None


def _texts(found: Any) -> dict[str, str]:
    """Return the texts of the queries, where they have some."""
    if not found.has_queries():
        return {}
    every = ((one.query_id, getattr(one, "text", None) or getattr(one, "title", None)) for one in found.queries_iter())
    return {str(query): str(text or "") for query, text in every}
