"""Options declared once: the fields of a record carry their help.

The command line, the signatures and docstrings of the Python functions and the reference page are made from them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

from karatage.errors import unknown

Record = TypeVar("Record")
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Option:
    """What users read about an option; stands in the annotation of a record's field.

    Attributes:
        help: a noun phrase or an imperative, with a full stop.
        flags: its names on the command line, where `--name` will not do.
        sets: what a flag without a value sets.
        least: the smallest number allowed.
        names: where the values are listed that the shell completes, as `karatage.room.name`.
    """

    help: str
    flags: tuple[str, ...] = ()
    sets: bool = True
    least: float | None = None
    names: str = ""


@dataclass(frozen=True)
class Declared:
    """An option of a record: its name, type, default and what users read about it."""

    name: str
    type: Any
    default: Any
    option: Option


def declared(*records: type) -> list[Declared]:
    """Return the options of records."""
    return [option for record in records for option in _declared(record)]


@cache
def _declared(record: type) -> list[Declared]:
    hints = get_type_hints(record, include_extras=True)
    return [Declared(field.name, *_parts(hints[field.name], field.default)) for field in fields(record)]


def _parts(hint: Any, default: Any) -> tuple[Any, Any, Option]:
    kind, option = get_args(hint)
    return kind, default, option


def pick(record: type[Record], given: Mapping[str, Any]) -> Record:
    """Make a record of those keywords that are its own."""
    own = {field.name for field in fields(record)}  # type: ignore[arg-type]  # records are dataclasses
    return record(**{name: value for name, value in given.items() if name in own})


def check_names(given: Mapping[str, Any], *records: type) -> None:
    """Refuse a keyword that no record has."""
    known = [field.name for record in records for field in fields(record)]
    for name in given:
        if name not in known:
            raise unknown("option", name, known)


def takes(*records: type) -> Callable[[Function], Function]:
    """Give a function with `**options` the signature and the docstring of its options."""

    def describe(function: Function) -> Function:
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        options = [one for one in declared(*records) if one.name not in signature.parameters]
        keywords = [
            inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=one.type)
            for one in options
        ]
        function.__signature__ = signature.replace(parameters=[*own, *keywords])  # type: ignore[attr-defined]
        lines = "".join(f"    {one.name}: {described(one)}\n" for one in options)
        text, marker, rest = inspect.cleandoc(function.__doc__ or "").partition("    options: ")
        function.__doc__ = text + lines + rest.partition("\n")[2] if marker else text
        return function

    return describe


def described(one: Declared) -> str:
    """Return the help of an option of Python: a flag that turns something off says so, a default is shown."""
    text = one.option.help if one.option.sets else f"False: {one.option.help[0].lower()}{one.option.help[1:]}"
    return text if one.default in (None, ()) else f"{text} [default: {one.default}]"
