"""Writing TOML: tables, arrays, texts and numbers, so that `tomllib` reads back what was given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from karatage.errors import UsageError

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def to_toml(data: Mapping[str, Any]) -> str:
    """Return TOML: plain values first, then a table for each mapping, and one for each member of a list of them."""
    return "\n".join(_lines(data, ())) + "\n"


def _lines(data: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    tables = {key: value for key, value in data.items() if isinstance(value, Mapping) or _is_tables(value)}
    yield from (f"{_key(key)} = {_value(value)}" for key, value in data.items() if key not in tables)
    for key, value in tables.items():
        name = ".".join(map(_key, (*path, key)))
        for table in [value] if isinstance(value, Mapping) else value:
            yield f"\n[{name}]" if isinstance(value, Mapping) else f"\n[[{name}]]"
            yield from _lines(table, (*path, key))


def _is_tables(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(one, Mapping) for one in value)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return float.__repr__(value)
    if isinstance(value, str):
        return _long_text(value) if "\n" in value else _text(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(_value, value)) + "]"
    raise UsageError(f"TOML cannot represent {value!r:.40} of type {type(value).__name__}")


def _text(text: str) -> str:
    return '"' + "".join(_escaped(text)) + '"'


def _long_text(text: str) -> str:
    """Keep line breaks as they are, which reads better; the first one only opens the text."""
    return '"""\n' + "\n".join("".join(_escaped(line)) for line in text.split("\n")) + '"""'


def _escaped(text: Iterable[str]) -> Iterator[str]:
    for sign in text:
        code = ord(sign)
        if 0xD800 <= code <= 0xDFFF:
            raise UsageError(f"the character {sign!r} is an unpaired surrogate, which UTF-8 cannot encode")
        # Separators that some editors take for line ends are escaped too.
        odd = code < 0x20 or 0x7F <= code < 0xA0 or code in (0x2028, 0x2029, 0xFEFF)
        yield _SHORT.get(sign, f"\\u{code:04X}" if odd else sign)
