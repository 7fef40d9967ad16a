"""Settings and numbers as plain data that TOML and JSON can store."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import PurePath
from typing import Any

from karatage.errors import UsageError


def to_json_values(value: Any) -> Any:
    """Return plain data that JSON can store: NaN and infinity become null."""
    if isinstance(value, Mapping):
        return {str(key): to_json_values(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_values(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def flatten_settings(config: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    """Return settings as a flat mapping that TOML can store: nested names are joined with a dot, None is dropped."""
    out: dict[str, object] = {}
    for key, value in config.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            out |= flatten_settings(value, f"{name}.")
        elif value is not None:
            out[name] = _plain(value, name)
    return out


def _plain(value: object, name: str) -> object:
    if isinstance(value, Enum):
        return _plain(value.value, name)
    if isinstance(value, set | frozenset):
        return _plain(sorted(value, key=str), name)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_plain(one, name) for one in value if one is not None]
    for kind in (bool, int, float, str):  # of exactly these types: NumPy's floats are floats too, but print otherwise
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, PurePath):
        return str(value)
    if hasattr(value, "tolist"):  # NumPy's scalars and arrays
        return _plain(value.tolist(), name)
    raise UsageError(f"the setting {name} must be text, a number or a list of these, not {value!r:.40}")
