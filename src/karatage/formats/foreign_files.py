"""Files that no format can be: workbooks, archives, texts in another encoding or with other line ends, cut-off JSON."""

from __future__ import annotations

import json

from karatage.errors import FormatError
from karatage.formats.io import HEAD

_ZIP = b"PK\x03\x04"
_EXCEL = b"\xd0\xcf\x11\xe0"
_WORKBOOK = "Save it as CSV in UTF-8, and pass that"


def foreign_file(data: bytes, name: str) -> FormatError | None:
    """Return the error for a file that no format can be; None where that does not show.

    Args:
        data: the first bytes of the file.
        name: what the message calls it.
    """
    problem, hint = _kind(data)
    return FormatError(problem, source=name, hint=hint) if problem else None


def _kind(data: bytes) -> tuple[str, str]:
    """Return what a file is, and what to do with it; nothing where it may be one of a known format."""
    if data.startswith(_EXCEL) or (data.startswith(_ZIP) and (b"[Content_Types].xml" in data or b"xl/" in data)):
        return "this is an Excel workbook", _WORKBOOK
    if data.startswith(_ZIP):
        return "this is a ZIP archive", "Unpack it, and pass a file in it"
    high, low = data[1:400:2], data[:400:2]
    for order, zeros, letters in (("LE", high, low), ("BE", low, high)):
        if len(zeros) > 1 and zeros.count(0) > 0.8 * len(zeros) and letters.count(0) < 0.2 * len(letters):
            what = "this looks like text in UTF-16, without a byte order mark"
            return what, f"Convert it to UTF-8, e.g. with iconv -f UTF-16{order} -t UTF-8"
    if b"\r" in data and b"\n" not in data and b"\0" not in data:
        return "lines end with a carriage return (CR) only", "Save it with the line ends LF or CRLF"
    return "", ""


def cut_off(data: bytes) -> str:
    """Say that JSON is cut off or damaged, and what to do, if the whole file is there to tell; else nothing."""
    text = data.decode("utf-8", "replace").strip()
    if not text.startswith(("{", "[")) or len(data) >= HEAD:
        return ""
    try:
        json.loads(text)
    except RecursionError:
        return ""
    except ValueError as error:
        try:
            json.loads(text.partition("\n")[0])  # JSON lines
        except (ValueError, RecursionError):
            return f"It is not valid JSON, perhaps because it was cut off: {error}. Save it again as a whole"
    return ""
