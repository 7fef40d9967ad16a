"""Exports of Label Studio other than JSON, which lack something: what they are, and which export to choose."""

from __future__ import annotations

import csv

from karatage.errors import FormatError
from karatage.formats.format import FileStart

_HINT = "In Label Studio, export as JSON"
_COLUMNS = "CoNLL2003"
_MIN = {"annotation_id", "annotator", "lead_time"}
"""What CSV and TSV say of each annotation."""


def refuse_other_exports(start: FileStart, name: str, *, columns: bool = False) -> None:
    """Refuse an export that is not JSON.

    Args:
        start: the start of the file.
        name: the name of the file.
        columns: whether CoNLL2003 is refused as well, where its tokens and tags will not do.
    """
    kind = _other_export(start)
    if kind is not None and (columns or kind != _COLUMNS):
        raise FormatError(f"this is a {kind} export of Label Studio", source=name, hint=_HINT)


def _other_export(start: FileStart) -> str | None:
    """Return what Label Studio calls an export, if it is one other than JSON."""
    if start.objects_are(lambda one: "annotation_id" in one and "data" not in one):
        return "JSON-MIN"
    first = start.lines[0] if start.lines else ""
    for delimiter, name in ((",", "CSV"), ("\t", "TSV")):
        if set(next(csv.reader([first], delimiter=delimiter), ())) >= _MIN:
            return name
    if first == "-DOCSTART- -X- O" and len(start.lines) > 1 and " -X- _ " in start.lines[1]:
        return _COLUMNS
    return None
