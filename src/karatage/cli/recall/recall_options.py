"""Options that several commands of `karatage recall` share."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.errors import UsageError

Benchmark = Annotated[
    str, typer.Argument(metavar="BENCHMARK", help="Benchmark: its folder, or its data_description.csv.")
]

Fresh = Annotated[
    bool,
    typer.Option("--fresh", help="Tag all texts again, and throw away the predictions that an earlier run stored."),
]

LabelMap = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="FROM=TO",
        help="Label in the exports that stands for a label of the entities. A candidate with such a label is the whole "
        "entity if it is labelled positive without a span. Repeatable.",
    ),
]


def pairs(option: str, given: list[str] | None, value: str) -> dict[str, str]:
    """Parse NAME=VALUE options. The value may contain further equals signs, the name may not."""
    out: dict[str, str] = {}
    for text in given or ():
        name, sign, rest = text.partition("=")
        if not sign or not name:
            raise UsageError(f"{option} {text!r}: expected NAME={value}")
        if name in out:
            raise UsageError(f"{option} {text!r}: {name} is given twice")
        out[name] = rest
    return out


def numbers(option: str, given: list[str] | None) -> dict[str, float]:
    """Parse NAME=NUMBER options."""
    out = {}
    for name, text in pairs(option, given, "NUMBER").items():
        try:
            out[name] = float(text.replace(",", ""))
        except ValueError:
            raise UsageError(f"{option} {name}={text}: {text!r} is not a number") from None
        if not 0 <= out[name] < 2**53:
            raise UsageError(f"{option} {name}={text}: the number must not be negative")
    return out


def counts(option: str, given: list[str] | None) -> dict[str, int]:
    """Parse NAME=COUNT options."""
    out = numbers(option, given)
    broken = next((name for name, value in out.items() if value != int(value)), None)
    if broken is not None:
        raise UsageError(f"{option} {broken}={out[broken]}: expected a whole number")
    return {name: int(value) for name, value in out.items()}


def whole_numbers(text: str) -> list[int] | None:
    """Parse whole numbers separated by slashes; None if the text is anything else."""
    parts = text.split("/")
    return [int(part) for part in parts] if all(part.isdecimal() and len(part) < 16 for part in parts) else None


def named_files(given: list[str] | None) -> list[tuple[str | None, str]]:
    """Parse [NAME=]FILE. A file whose own name contains an equals sign is taken as it is, if it exists."""
    from pathlib import Path

    out: list[tuple[str | None, str]] = []
    for text in given or ():
        name, sign, path = text.partition("=")
        out.append((None, text) if not sign or Path(text).exists() else (name, path))
    return out
