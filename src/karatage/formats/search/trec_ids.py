"""Ids for files whose fields are separated by blanks: TREC's, and those of learning to rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karatage.claims import Relevance
from karatage.errors import FormatError
from karatage.formats.format import Lost

if TYPE_CHECKING:
    import polars as pl

BLANKS_IN_IDS = "blanks in ids, written as _"


def field_ids(ids: pl.Series, part: str, found: Relevance, lost: Lost) -> pl.Series:
    """Return ids without blanks. The same id always becomes the same, so that judgements and results still fit.

    Args:
        ids: the ids, of queries or of documents.
        part: which of the two.
        found: where they come from.
        lost: counts the ids that are changed.
    """
    import polars as pl

    written = _written(ids)
    changed = ids.filter(written != ids).unique()
    if not len(changed) and not (part == "query" and ids.str.starts_with("#").any()):
        return ids
    lost[BLANKS_IN_IDS] += len(changed)
    own = ids.unique()
    taken = pl.DataFrame({"id": own, "written": _written(own)})
    same = taken.filter(taken["written"].is_duplicated())
    if len(same):
        both = sorted(same.filter(same["written"] == same["written"][0])["id"].to_list())[:2]
        problem = f"the ids {both[0]!r:.40} and {both[1]!r:.40} would both be written as {same['written'][0]!r:.40}"
        raise FormatError(problem, source=found.units.source, hint="Rename one of them")
    if part == "query" and written.str.starts_with("#").any():
        raise FormatError(
            f"the query {written.filter(written.str.starts_with('#'))[0]!r:.40} would be read as a comment",
            source=found.units.source,
            hint="Rename it",
        )
    return written


def _written(ids: pl.Series) -> pl.Series:
    return ids.str.replace_all(r"[\s\x00]", "_")
