"""The columns of a table of claims, under the names that other tools give them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from karatage.errors import FormatError
from karatage.formats.cells import is_null, whole, whole_text
from karatage.formats.tables.table_cells import COLUMNS

ALIASES = {
    "unit": ("doc_id", "document_id", "sentence_id", "text_id", "record_id", "id"),
    "label": ("type", "entity_group", "entity_type"),
    "start": ("start_offset", "start_char"),
    "end": ("end_offset", "end_char"),
    "value": ("word", "entity_text", "surface"),
}
"""Other names of columns, taken in this order if a table does not have the usual one."""

TEXT = "text"
"""The text of the unit, or of the entity: see `text_is_value`."""


def usual_names(header: Sequence[str]) -> list[str]:
    """Return the header with the usual names."""
    out = list(header)
    for name, others in ALIASES.items():
        other = next((one for one in others if one in out), None)
        if name not in out and other is not None:
            out[out.index(other)] = name
    return out


def is_claim_table(header: Sequence[str]) -> bool:
    """Whether columns are those of a table of claims: its own, or other tools' with offsets or values."""
    names = usual_names(header)
    if "unit" not in names or "label" not in names:
        return False
    own = "unit" in header and "label" in header
    return own or {"start", "end"} <= set(names) or bool({"value", TEXT} & set(names))


def check_columns(header: Sequence[str], source: str) -> None:
    """Refuse a table without a unit or a label; the message has the columns that there are."""
    for name in ("unit", "label"):
        if name not in header:
            there = ", ".join(header[:12]) or "none"
            raise FormatError(
                f"no column {name!r} (or {', '.join(ALIASES[name])}). The columns are: {there}",
                source=source,
                line=1,
                hint=COLUMNS,
            )


def text_is_value(header: Sequence[str], rows: Iterable[tuple[Any, Any, Any]]) -> bool:
    """Whether the column `text` has the text of each entity, and not that of its unit.

    It has, if there are no offsets and no column `value`. Beside offsets, a text that ends before its entity does
    cannot be the unit's; if there is one, and at least half of all are as long as their entity, they are the entities'.

    Args:
        header: the columns, under their usual names.
        rows: start, end and text of each row.
    """
    if TEXT not in header or "value" in header:
        return False
    if not {"start", "end"} <= set(header):
        return not {"pieces", "start", "end"} & set(header)
    short = alike = count = 0
    for start, end, text in rows:
        low, high = _position(start), _position(end)
        if not isinstance(text, str) or low is None or high is None:
            continue
        count += 1
        short += len(text) < high
        alike += len(text) == high - low
    return short > 0 and 2 * alike >= count


def _position(cell: Any) -> int | None:
    if is_null(cell):
        return None
    return whole_text(cell) if isinstance(cell, str) else whole(cell)
