"""What the commands of `karatage recall` share."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.errors import UsageError

Benchmark = Annotated[
    str, typer.Argument(metavar="BENCHMARK", help="A benchmark: its folder, or its data_description.csv.")
]
Folder = Annotated[str, typer.Argument(metavar="FOLDER", help="The folder of the draw, or of a benchmark.")]
Level = Annotated[float, typer.Option(help="How sure an interval is to hold the true value.")]
Map = Annotated[
    list[str] | None,
    typer.Option("--map", metavar="FROM=TO", help="Rename a label, such as GPE=LOC. Repeat the option for more."),
]


def pairs(option: str, given: list[str] | None, value: str) -> dict[str, str]:
    """Read NAME=VALUE options; the value may hold further signs of equality, the name may not."""
    out: dict[str, str] = {}
    for text in given or ():
        name, sign, rest = text.partition("=")
        if not sign or not name:
            raise UsageError(f"{option} {text!r}: it reads NAME={value}")
        if name in out:
            raise UsageError(f"{option} {text!r}: {name} was named before")
        out[name] = rest
    return out


def numbers(option: str, given: list[str] | None) -> dict[str, float]:
    """Read NAME=NUMBER options."""
    out = {}
    for name, text in pairs(option, given, "NUMBER").items():
        try:
            out[name] = float(text.replace(",", ""))
        except ValueError:
            raise UsageError(f"{option} {name}={text}: {text!r} is no number") from None
        if not 0 <= out[name] < 2**53:
            raise UsageError(f"{option} {name}={text}: it must be a number from 0")
    return out


def counts(option: str, given: list[str] | None) -> dict[str, int]:
    """Read NAME=COUNT options."""
    out = numbers(option, given)
    broken = next((name for name, value in out.items() if value != int(value)), None)
    if broken is not None:
        raise UsageError(f"{option} {broken}={out[broken]}: it must be a whole number")
    return {name: int(value) for name, value in out.items()}


def in_strata(given: list[str] | None) -> list[tuple[str | None, str]]:
    """Read [STRATUM=]FILE; a file whose own name holds a sign of equality is taken as it is, if it is there."""
    from pathlib import Path

    out: list[tuple[str | None, str]] = []
    for text in given or ():
        name, sign, path = text.partition("=")
        out.append((None, text) if not sign or Path(text).exists() else (name, path))
    return out
