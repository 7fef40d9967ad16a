"""What eBay's files need of each unit: a record number and a category."""

from __future__ import annotations

from collections.abc import Sequence

from karatage.claims import Units
from karatage.errors import FormatError

CATEGORY = "category"
OBSCURE = "O"


def names(units: Units) -> Sequence[str]:
    """Return the record numbers: the ids, or the numbers of the units where they have none."""
    return units.ids if units.ids is not None else [str(units.name(i)) for i in range(len(units))]


def categories(units: Units) -> Sequence[str]:
    """Return the categories; without them nobody can write eBay's files."""
    if not len(units):
        return ()
    if CATEGORY not in units.attributes:
        raise FormatError(
            "eBay's formats need a category for every record",
            source=units.source or None,
            hint="Start from a file with categories",
        )
    return units.attributes[CATEGORY]
