"""What can go wrong, as a tree.

::

    KaratageError
    ├── UsageError          the call is wrong: an unknown name, an option that does not fit
    └── InputError          the data is wrong; says where and what to do
        ├── FormatError     a file cannot be read as its format, or a format cannot hold the content
        ├── TagError        a tag that no scheme explains
        ├── ClaimError      a claim that cannot be: an empty span, the same gold claim twice
        └── UnitError       gold and predictions do not speak of the same units

The command prints the message of any of them on standard error and exits with code 2.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class KaratageError(Exception):
    """The root: catch this to catch everything that Karatage raises on purpose."""


class UsageError(KaratageError):
    """The call is wrong: an unknown name or an option that does not fit."""


class InputError(KaratageError):
    """The data is wrong. The message names the place and what to do about it.

    Args:
        message: what is wrong, without a full stop at its end.
        source: the file, or another name of the input.
        line: the line in it, counted from 1.
        unit: the unit, by its id or by its number from 1.
        hint: what to do now.
    """

    def __init__(
        self,
        message: str,
        *,
        source: str | None = None,
        line: int | None = None,
        unit: str | int | None = None,
        hint: str | None = None,
    ) -> None:
        self.message, self.source, self.line, self.unit, self.hint = message, source, line, unit, hint
        super().__init__(self._text())

    def _text(self) -> str:
        where = self.source or ""
        if self.line is not None:
            where += f":{self.line}" if where else f"line {self.line}"
        if self.unit is not None:
            where += f"{', ' if where else ''}unit {self.unit}"
        text = f"{where}: {self.message}" if where else self.message
        return f"{text}. {self.hint}" if self.hint else text

    def at(self, *, source: str | None = None, line: int | None = None, unit: str | int | None = None) -> InputError:
        """Return the same error with places that it did not know filled in."""
        return type(self)(
            self.message,
            source=self.source or source,
            line=self.line if self.line is not None else line,
            unit=self.unit if self.unit is not None else unit,
            hint=self.hint,
        )

    def of(self, whose: str) -> InputError:
        """Return the same error with a word on whose input it is."""
        where = {"source": self.source, "unit": self.unit, "hint": self.hint}
        return type(self)(f"{whose}: {self.message}", line=self.line, **where)  # type: ignore[arg-type]


class FormatError(InputError):
    """A file cannot be read as its format, or a format cannot hold the content."""


class TagError(InputError):
    """A tag that the scheme or the style does not explain."""


class ClaimError(InputError):
    """A claim that cannot be, such as an empty span or the same gold claim twice."""


class UnitError(InputError):
    """Gold and predictions do not speak of the same units."""


def unknown(kind: str, name: str, known: Iterable[str]) -> UsageError:
    """Make the error for a name that is not known, with what was probably meant."""
    names = sorted(known)
    close = difflib.get_close_matches(name.lower(), [n.lower() for n in names], n=1, cutoff=0.6)
    meant = next((f" Did you mean {n!r}?" for n in names if close and n.lower() == close[0]), "")
    return UsageError(f"unknown {kind} {name!r}.{meant} Known: {', '.join(names)}")
