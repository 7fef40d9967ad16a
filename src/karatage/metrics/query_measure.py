"""Measures that belong to single queries, with the parameters that their texts can set."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal

from karatage.metrics.measure import Measure


@dataclass(frozen=True)
class Parameter:
    """A parameter of a measure, as its text names it.

    Attributes:
        default: its value where it is not named.
        read: reads its text; None is an error.
        what: what it may be, for messages.
        named: whether a metric's text always names it.
    """

    default: float | int | str
    read: Callable[[str], float | int | str | None]
    what: str
    named: bool = False


def parameter(own: Parameter) -> Any:
    """Return the field of a measure that a text can set."""
    return field(default=own.default, metadata={"parameter": own})


def whole(most: int) -> Callable[[str], int | None]:
    """Read a whole number from 1."""
    return lambda text: int(text) if re.fullmatch(r"[0-9]{1,9}", text) and 0 < int(text) <= most else None


def decimal(below: float) -> Callable[[str], float | None]:
    """Read a number above 0."""
    number = re.compile(r"[0-9]{0,15}\.?[0-9]{0,15}")
    return lambda text: float(text) if number.fullmatch(text) and text.strip(".") and 0 < float(text) < below else None


def choice(**names: float | int | str) -> Callable[[str], float | int | str | None]:
    """Read one of some names."""
    return lambda text: names.get(text.replace("-", "_").lower())


REL = Parameter(1, whole(999_999_999), "a whole number from 1: the lowest grade that counts as relevant")
JUDGED_ONLY = Parameter(
    False, choice(true=True, false=False), "True to leave out results that were not judged, or False"
)


@dataclass(frozen=True)
class QueryMeasure(Measure):
    """A measure that belongs to a query each.

    Attributes:
        example: its value for `EXAMPLE`, as one works it out by hand.
        cutoffs: whether its text names a rank to cut at.
        aliases: other names, in lower case; `@` stands for a cutoff.
        cutoff: the rank up to which the list counts; None for all of it.
    """

    search_only = True
    example: ClassVar[str] = ""
    cutoffs: ClassVar[Literal["needed", "optional", "none"]] = "none"
    aliases: ClassVar[tuple[str, ...]] = ()

    cutoff: int | None = None

    def __str__(self) -> str:
        shown = [
            f"{name}={getattr(self, name)}"
            for name, own in self.parameters().items()
            if own.named or getattr(self, name) != own.default
        ]
        inside = f"({', '.join(shown)})" if shown else ""
        return self.name + inside + (f"@{self.cutoff}" if self.cutoff is not None else "")

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """Return what its text can set, beside the cutoff."""
        return {own.name: own.metadata["parameter"] for own in fields(cls) if "parameter" in own.metadata}

    @classmethod
    def written(cls) -> str:
        """Return how its text looks."""
        inside = f"({', '.join(f'{name}=' for name in cls.parameters())})" if cls.parameters() else ""
        return cls.name + inside + {"needed": "@k", "optional": "[@k]", "none": ""}[cls.cutoffs]
