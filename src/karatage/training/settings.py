"""Settings: the options of a model as a frozen record, read from TOML and from `key=value`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import Field, asdict, field, fields
from importlib import resources
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from karatage.errors import InputError, UsageError, unknown

S = TypeVar("S")

_PRESETS = "karatage.training.presets"


def option(default: Any, about: str, *, least: float | None = None, most: float | None = None) -> Any:
    """Make a field of settings; `about` is for the documentation. Closed sets of values are `Literal` types."""
    return field(default=default, metadata={"help": about, "least": least, "most": most})


def redefine(kind: type[Any], name: str, default: Any) -> Any:
    """Make the same field as in the base class, with another default."""
    return field(default=default, metadata=next(one for one in fields(kind) if one.name == name).metadata)


def settings_from(kind: type[S], given: Mapping[str, Any], source: str) -> S:
    """Make settings of a kind from what a user wrote; messages name the source."""
    known = {one.name: one for one in fields(kind)}  # type: ignore[arg-type]  # every kind of settings is a dataclass
    hints = get_type_hints(kind)
    try:
        for name in given:
            if name not in known:
                raise unknown("setting", name, known)
        return kind(**{name: _checked(known[name], hints[name], value) for name, value in given.items()})
    except UsageError as error:
        raise UsageError(f"{source}: {error}") from None


def _checked(one: Field[Any], hint: Any, value: Any) -> Any:
    """Return a value of the field's type, or say what it must be."""
    fits, value = _converted(hint, value)
    if not fits and get_origin(hint) is Literal and isinstance(value, str):
        raise unknown(f"value of {one.name}", value, get_args(hint))
    if not fits:
        raise UsageError(f"{one.name} must be {_described(hint)}, not {value!r}")
    least, most = one.metadata.get("least"), one.metadata.get("most")
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value != value:
            raise UsageError(f"{one.name} must be a number, not nan")
        if (least is not None and value < least) or (most is not None and value > most):
            top = "" if most is None else f" and at most {most:g}"
            raise UsageError(f"{one.name} must be at least {least or 0:g}{top}, not {value:g}")
    return value


def _converted(hint: Any, value: Any) -> tuple[bool, Any]:
    """Tell whether a value fits a type, and return it in that type."""
    if hint in (bool, int, str):
        return type(value) is hint, value
    if hint is float:
        good = isinstance(value, int | float) and not isinstance(value, bool)
        return good, float(value) if good else value
    if get_origin(hint) is Literal:
        return value in get_args(hint), value
    if get_origin(hint) is tuple:
        if not isinstance(value, list | tuple):
            return False, value
        parts = [_converted(get_args(hint)[0], part) for part in value]
        return all(fits for fits, _ in parts), tuple(part for _, part in parts)
    good = isinstance(value, Mapping) and all(isinstance(part, str) for part in value.values())
    return good, dict(value) if good else value


def _described(hint: Any) -> str:
    plain = {bool: "true or false", int: "a whole number", float: "a number", str: "a string"}
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(get_args(hint))
    if get_origin(hint) is tuple:
        inner = get_args(hint)[0]
        return "a list" + (f" of {', '.join(get_args(inner))}" if get_origin(inner) is Literal else "")
    return plain.get(hint, "a table of strings")


def to_mapping(settings: Any) -> dict[str, Any]:
    """Return settings as plain data."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(settings).items()}


def parse_assignments(texts: Iterable[str]) -> dict[str, Any]:
    """Parse settings as on the command line: `dropout=0.4`. A value that is not TOML is a string."""
    out: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise UsageError(f"--set needs KEY=VALUE, not {text!r}")
        out[name.strip()] = parse_value(value.strip())
    return out


def parse_value(text: str) -> Any:
    """Parse one value: a number, true or false, a list, or else a string."""
    if text in ("True", "False"):
        return text == "True"
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def read_settings(name: str) -> dict[str, Any]:
    """Read settings from a TOML file, or from a preset by its name, e.g. `exp-001`."""
    path = Path(name)
    if path.suffix != ".toml" and (path.is_dir() or not path.exists()):
        if name not in preset_names():
            raise unknown("preset", name, preset_names())
        return tomllib.loads((resources.files(_PRESETS) / f"{name}.toml").read_text("utf-8"))
    return read_toml(name, hint=f"Presets: {', '.join(preset_names())}")


def preset_name(config: str, changes: Mapping[str, Any]) -> str:
    """Name the preset that settings come from, and what was changed; empty if they come from a file."""
    if Path(config).suffix == ".toml" or config not in preset_names():
        return ""
    changed = ", ".join(f"{name}={value}" for name, value in changes.items())
    return config + (f" with {changed}" if changed else "")


def read_toml(path: str, *, hint: str | None = None) -> dict[str, Any]:
    """Read a TOML file; the hint says what to do if it does not exist."""
    try:
        return tomllib.loads(Path(path).read_text("utf-8"))
    except FileNotFoundError:
        raise InputError("no such file", source=path, hint=hint) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"is not TOML ({error})", source=path) from None


def preset_names() -> list[str]:
    """Return the names of the presets."""
    return sorted(
        item.name.removesuffix(".toml") for item in resources.files(_PRESETS).iterdir() if item.name.endswith(".toml")
    )
