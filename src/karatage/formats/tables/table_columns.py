"""The columns of a table of claims, under the names that other tools give them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from karatage.errors import FormatError, UsageError
from karatage.formats.cells import is_null, whole, whole_text

DOCUMENTS = ("doc_id", "document_id", "doc", "document")
"""What tables call the document of a row."""
SENTENCES = ("sentence_id", "sent_id")
"""What tables call the sentence of a row, which may be numbered within its document."""
RECORDS = ("text_id", "record_id", "example_id", "sample_id", "sample", "id")
"""What tables call the text of a row; some number rows, or the entities of a text, in such a column."""

ALIASES = {
    "unit": (*DOCUMENTS, *SENTENCES, *RECORDS),
    "label": ("type", "entity_group", "entity_type"),
    "start": ("start_offset", "start_char", "begin"),
    "end": ("end_offset", "end_char"),
    "value": ("word", "entity_text", "surface"),
}
"""Other names of columns, taken in this order if a table does not have the usual one."""

TEXT = "text"
"""The text of the unit, or of the entity: see `text_is_value`."""

ACCEPTED = (
    "Expected the columns "
    + ", ".join(f"{name} (or {', '.join(others)})" for name, others in ALIASES.items())
    + ". Name others with --columns, e.g. unit=article,label=tag"
)
"""What the columns of a table may be called."""


def named_roles(columns: Sequence[str]) -> dict[str, str]:
    """Return what `--columns unit=NAME,label=NAME` says; columns of other files, such as numbers, are left to those."""
    entries = (one.strip() for one in ",".join(columns).split(","))
    parts = [entry.partition("=") for entry in entries if "=" in entry]
    found = {role.strip(): column.strip() for role, _, column in parts}
    for role, column in found.items():
        if role not in ALIASES or not column:
            raise UsageError(
                f"cannot read --columns {role}={column}: for tables of entities, name columns as in "
                f"unit=article,label=tag. Known: {', '.join(ALIASES)}"
            )
    return found


def usual_names(
    header: Sequence[str], named: Mapping[str, str] | None = None, notes: Counter[str] | None = None
) -> list[str]:
    """Return the header with the usual names; a unit that several columns identify is left to `choose_unit`.

    Args:
        header: the names of the columns.
        named: the columns that the user names, by role.
        notes: counts those that the table does not have.
    """
    out = list(header)
    for name, others in ALIASES.items():
        wanted = (named or {}).get(name)
        if wanted is not None and name == "unit" and "+" in wanted and wanted not in out:
            continue
        if wanted is not None and wanted not in out and notes is not None:
            notes[f"no column {wanted!r}, named with --columns for the {name}; usual names apply"] += 1
        if wanted in out:
            _rename(out, wanted, name)
        other = next((one for one in others if one in out), None)
        if name not in out and other is not None:
            out[out.index(other)] = name
    return out


def _rename(header: list[str], old: str, new: str) -> None:
    """Rename a column; one that has the new name already is no longer what its name says."""
    if old != new and new in header:
        header[header.index(new)] = f"{new} (column)"
    header[header.index(old)] = new


def is_claim_table(header: Sequence[str], named: Mapping[str, str] | None = None) -> bool:
    """Whether columns are those of a table of claims: its own, or other tools' with offsets or values."""
    names = usual_names(header, named)
    if "unit" not in names and not set((named or {}).get("unit", "\0").split("+")) <= {*header}:
        return False
    if "label" not in names:
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
                hint=ACCEPTED,
            )


def text_is_value(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> bool:
    """Whether the column `text` has the text of each entity, and not that of its unit.

    It has, if there are no offsets and no column `value`. Beside offsets, a text that ends before its entity does
    cannot be the unit's; if there is one, and at least half of all are as long as their entity, or one longer, as with
    inclusive ends, they are the entities'.

    Args:
        header: the columns, under their usual names.
        rows: start, end and text of each row.
    """
    if TEXT not in header or "value" in header:
        return False
    if not {"start", "end"} <= set(header):
        return not {"pieces", "start", "end"} & set(header)
    short = alike = longer = count = 0
    for start, end, text in rows:
        low, high = position(start), position(end)
        if not isinstance(text, str) or low is None or high is None:
            continue
        count += 1
        short += len(text) < high
        alike += len(text) == high - low
        longer += len(text) == high - low + 1
    return short > 0 and 2 * max(alike, longer) >= count


def position(cell: Any) -> int | None:
    """Return the offset in a cell; None if there is none."""
    if is_null(cell):
        return None
    return whole_text(cell) if isinstance(cell, str) else whole(cell)
