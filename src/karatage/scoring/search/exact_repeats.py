"""Judgements and results that say the same twice, of which one counts; contradicting ones are an error."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from karatage.claims import Relevance
from karatage.errors import InputError

REPEATS = "duplicate documents of a query, counted once"


def without_repeats(found: Relevance, notes: Counter[str]) -> Relevance:
    """Drop documents that occur again for a query with the same grade, or with the same score and rank.

    Args:
        found: judgements or results.
        notes: counts what is dropped.
    """
    import polars as pl

    if not found.repeats():
        return found
    columns = {"unit": found.unit, "document": found.document, "value": found.value, "given": found.written}
    kept = pl.DataFrame(columns).with_row_index("row").unique([*columns], keep="first", maintain_order=True)
    again = kept.filter(kept.select("unit", "document").is_duplicated())
    if len(again):
        unit, document = again["unit"][0], again["document"][0]
        values = again.filter((again["unit"] == unit) & (again["document"] == document))["given"].unique()
        said = " and ".join(f"{value:g}" for value in values[:2])
        what = f"the {found.what} {said}" if len(values) > 1 else "different ranks"
        raise InputError(
            f"the document {document!r:.40} occurs twice for this query, with {what}",
            source=found.units.source,
            unit=(found.units.ids or ())[unit],
            hint="--duplicates dedupe drops exact duplicates only: list each document once per query",
        )
    notes[REPEATS] += len(found) - len(kept)
    rows = kept["row"].to_numpy()
    given = None if found.given is None else found.given[rows]
    return replace(
        found, unit=found.unit[rows], document=found.document.gather(rows), value=found.value[rows], given=given
    )
