"""A warning of mappings with numbers that were read as search, and may be records with numbers in their fields."""

from __future__ import annotations

import numpy as np

from karatage._arrays import Ints
from karatage.claims import Relevance


def possible_fields(gold: Relevance, run: Relevance, number: Ints) -> list[str]:
    """Warn where nothing shows that this is search, and more than one thing speaks for fields.

    Both sides have whole numbers, as grades have and scores rarely; some are neither 0 nor 1; no document has a digit
    in its id; and most queries have the same documents, as records have the same fields.

    Args:
        gold: the judgements.
        run: the results.
        number: for each query of the run which one of gold's it is, -1 for none.
    """
    if gold.what != "numbers" or run.what != "numbers" or np.isin(gold.value, (0, 1)).all():
        return []
    if gold.document.head(100).str.contains(r"\d").any() or gold.document.str.contains(r"\d").any():
        return []
    if gold.document.n_unique() > 2 * len(gold) / len(np.unique(gold.unit)) or (number < 0).all():
        return []
    query, document, grade = gold.units.name(int(gold.unit[0])), gold.document[0], f"{gold.value[0]:g}"
    return [
        f"read as search: {query!r} is a query, {document!r} a document with the grade {grade}. For fields with their "
        f"values, write numbers as text ({grade!r}) and set like='values'; like='trec' confirms that this is search"
    ]
