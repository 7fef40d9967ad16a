"""Why no query of a run is one of gold's, where the ids of both sides show it."""

from __future__ import annotations

from karatage.claims import Relevance, Units

_BY_TEXT = "Use --columns query=NAME with the name of that column, e.g. query=query; convert other formats to CSV first"


def why_unpaired(gold: Relevance, run: Relevance) -> str | None:
    """Return why no query of a run has judgements, and what to do; None where that does not show.

    Queries are not paired by their texts without being asked to: two queries may have the same text.
    """
    ours, theirs = set(gold.units.ids or ()), set(run.units.ids or ())
    if len(run) and set(run.document.unique().to_list()) <= ours:
        return "All documents of the run are queries of gold: are the columns of queries and documents swapped?"
    if theirs & _texts(gold.units):
        return f"Queries of the run are texts of queries in gold, which pairs queries by its column of ids. {_BY_TEXT}"
    if ours & _texts(run.units):
        return f"Queries of gold are texts of queries in the run, which pairs queries by its column of ids. {_BY_TEXT}"
    return None


def _texts(units: Units) -> set[str]:
    return set(filter(None, units.texts or ()))
