"""Settings: the options of a model as a frozen record, read from TOML and from `key=value`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import Field, asdict, field, fields
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from karatage.errors import InputError, UsageError, unknown

S = TypeVar("S")

PRESETS = "karatage.training.presets"


def option(default: Any, about: str, *, least: float | None = None, most: float | None = None, of: Any = ()) -> Any:
    """Make a field of settings.

    Args:
        default: its value where nothing is said.
        about: one sentence for the documentation.
        least: the least value.
        most: the largest value.
        of: the texts that it may be.
    """
    return field(default=default, metadata={"help": about, "least": least, "most": most, "of": tuple(of)})


def settings_from(kind: type[S], given: Mapping[str, Any], source: str) -> S:
    """Make settings of what a user wrote.

    Args:
        kind: the settings of a model: a frozen dataclass.
        given: names with values.
        source: what a message calls where they come from.
    """
    known = {one.name: one for one in fields(kind)}  # type: ignore[arg-type]  # every kind of settings is a dataclass
    hints = get_type_hints(kind)
    for name in given:
        if name not in known:
            raise _at(source, unknown("setting", name, known))
    values = {name: _checked(known[name], hints[name], value, source) for name, value in given.items()}
    try:
        return kind(**values)
    except UsageError as error:
        raise _at(source, error) from None


def _at(source: str, error: UsageError) -> UsageError:
    return UsageError(f"{source}: {error}")


def _checked(one: Field[Any], hint: Any, value: Any, source: str) -> Any:
    """Return a value of the field's type, or say what it must be."""
    facts = one.metadata
    fit, value = _fitted(hint, value)
    if not fit:
        raise _at(source, UsageError(f"{one.name} must be {_described(hint)}, not {value!r}"))
    if facts.get("of") and value not in facts["of"]:
        raise _at(source, unknown(f"value of {one.name}", str(value), facts["of"]))
    least, most = facts.get("least"), facts.get("most")
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value != value:
            raise _at(source, UsageError(f"{one.name} must be a number, not nan"))
        if (least is not None and value < least) or (most is not None and value > most):
            top = "" if most is None else f" and at most {most:g}"
            raise _at(source, UsageError(f"{one.name} must be at least {least or 0:g}{top}, not {value:g}"))
    return value


def _fitted(hint: Any, value: Any) -> tuple[bool, Any]:
    if hint is bool:
        return isinstance(value, bool), value
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool), value
    if hint is float:
        good = isinstance(value, int | float) and not isinstance(value, bool)
        return good, float(value) if good else value
    if hint is str:
        return isinstance(value, str), value
    if get_origin(hint) is tuple:
        inner = get_args(hint)[0]
        good = isinstance(value, list | tuple)
        parts = [_fitted(inner, part) for part in value] if good else []
        return good and all(fit for fit, _ in parts), tuple(part for _, part in parts) if good else value
    good = isinstance(value, Mapping) and all(isinstance(part, str) for part in value.values())
    return good, dict(value) if good else value


def _described(hint: Any) -> str:
    plain = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
    return plain.get(hint) or ("a list" if get_origin(hint) is tuple else "a table of texts")


def as_mapping(settings: Any) -> dict[str, Any]:
    """Return settings as plain data."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(settings).items()}


def assigned(texts: Iterable[str]) -> dict[str, Any]:
    """Read settings as a command has them: `dropout=0.4`; a value that is not TOML is a text."""
    out: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        name, value = name.strip(), value.strip()
        if not sign or not name:
            raise UsageError(f"--set needs KEY=VALUE, not {text!r}")
        out[name] = value_of(value)
    return out


def value_of(text: str) -> Any:
    """Read one value: a number, true or false, a list, or else a text as it stands."""
    if text in ("True", "False"):
        return text == "True"
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def read_settings(place: str) -> dict[str, Any]:
    """Read settings from a TOML file, or from a preset by its name, such as `exp-001`."""
    path = Path(place)
    if path.suffix != ".toml" and (path.is_dir() or not path.exists()):
        names = presets()
        if place not in names:
            raise unknown("preset", place, names)
        return tomllib.loads((resources.files(PRESETS) / f"{place}.toml").read_text("utf-8"))
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise InputError("no such file", source=place, hint=f"Presets are: {', '.join(presets())}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"is not TOML ({error})", source=place) from None


def presets() -> list[str]:
    """Return the names of the presets."""
    return sorted(
        item.name.removesuffix(".toml") for item in resources.files(PRESETS).iterdir() if item.name.endswith(".toml")
    )
