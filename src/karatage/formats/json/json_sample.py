"""The first objects of a JSON text that may be cut off anywhere, for sniffing."""

from __future__ import annotations

import json
from typing import Any

_BLANKS = " \t\r\n"


def sample(text: str, most: int = 50) -> list[dict[str, Any]]:
    """Return the objects at the start of a JSON text, arrays opened; of one that is cut, what is there."""
    found: list[dict[str, Any]] = []
    at = 0
    decoder = json.JSONDecoder()
    while len(found) < most:
        while at < len(text) and text[at] in "[]," + _BLANKS:
            at += 1
        if not text.startswith("{", at):
            break
        try:
            record, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            part = _part(text, at, decoder)
            return [*found, part] if part and not found else found
        found.append(record)
    return found


def _part(text: str, at: int, decoder: json.JSONDecoder) -> Any:
    """Read as much of a value as there is: an object's or array's first members; None for others."""
    if not text.startswith(("{", "["), at):
        return None
    out: Any = {} if text.startswith("{", at) else []
    try:
        while True:
            at = _skip(text, at + 1)
            if isinstance(out, dict):
                key, at = decoder.raw_decode(text, at)
                at = _skip(text, _skip(text, at) + 1)
                out[key] = None
            try:
                value, end = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                value, end = _part(text, at, decoder), len(text)
            if isinstance(out, dict):
                out[key] = value
            else:
                out.append(value)
            at = _skip(text, end)
    except (ValueError, RecursionError, TypeError):
        return out


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANKS:
        at += 1
    if at >= len(text):
        raise ValueError("the text ends")
    return at
