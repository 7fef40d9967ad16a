"""The exceptions that Karatage raises, as a tree.

::

    KaratageError
    ├── UsageError          invalid call: an unknown name or an option that does not apply
    │   └── UnknownNameError    no such metric, system, profile and so on; also a KeyError
    ├── EngineError         a cluster cannot be reached or is gone, or finished parts cannot be kept
    └── InputError          invalid data; the message says where, and what to do
        ├── FormatError     a file does not match its format, or a format cannot store the data
        ├── TagError        a tag that the tagging scheme does not allow
        ├── ClaimError      an invalid entity or value, e.g. an empty span or a duplicate in the gold data
        └── UnitError       gold and predictions do not cover the same sentences, documents or queries

The command line prints the message to standard error and exits with code 2.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class KaratageError(Exception):
    """Base class of all exceptions that Karatage raises on purpose."""


class UsageError(KaratageError):
    """Invalid call: an unknown name or an option that does not apply."""


class UnknownNameError(UsageError, KeyError):
    """No such metric, system, profile and so on. It is also a KeyError, as results are mappings."""

    __str__ = KaratageError.__str__  # a KeyError shows the repr of its message


class EngineError(KaratageError):
    """A cluster cannot be reached or is gone, its workers lack something, or finished parts cannot be kept."""


class InputError(KaratageError):
    """Invalid data. The message says what is wrong, where, and what to do.

    Args:
        message: What is wrong, without a full stop.
        source: The file, or another name for the input; none if it is empty.
        line: Line number in the file, starting at 1.
        unit: Id of the sentence, document or query, or its number starting at 1.
        hint: What to do.
        noun: What the data calls a unit: sentence, query and so on.
    """

    def __init__(
        self,
        message: str,
        *,
        source: str | None = None,
        line: int | None = None,
        unit: str | int | None = None,
        hint: str | None = None,
        noun: str = "unit",
    ) -> None:
        self.message, self.source, self.line, self.unit, self.hint = message, source or None, line, unit, hint
        self.noun = noun
        super().__init__(self._text())

    def _text(self) -> str:
        where = self.source or ""
        if self.line is not None:
            where += f":{self.line}" if where else f"line {self.line}"
        if self.unit is not None:
            where += f"{', ' if where else ''}{self.noun} {self.unit}"
        text = f"{where}: {self.message}" if where else self.message
        return f"{text}. {self.hint}" if self.hint else text

    def at(self, *, source: str | None = None, line: int | None = None, unit: str | int | None = None) -> InputError:
        """Return the same error with the missing parts of its location filled in."""
        return type(self)(
            self.message,
            source=self.source or source,
            line=self.line if self.line is not None else line,
            unit=self.unit if self.unit is not None else unit,
            hint=self.hint,
            noun=self.noun,
        )

    def called(self, noun: str) -> InputError:
        """Return the same error with the data's own noun for a unit, such as sentence or query."""
        return type(self)(self.message, source=self.source, line=self.line, unit=self.unit, hint=self.hint, noun=noun)

    def hinting(self, more: str) -> InputError:
        """Return the same error with a further hint."""
        where = {"source": self.source, "unit": self.unit, "noun": self.noun}
        hint = f"{self.hint}. {more}" if self.hint else more
        return type(self)(self.message, line=self.line, hint=hint, **where)  # type: ignore[arg-type]

    def from_file(self, source: str) -> InputError:
        """Return the same error, naming the file where it really is; an empty name changes nothing."""
        where = {"source": source or self.source, "unit": self.unit, "hint": self.hint, "noun": self.noun}
        return type(self)(self.message, line=self.line, **where)  # type: ignore[arg-type]

    def of(self, whose: str) -> InputError:
        """Return the same error, saying whose input it is about."""
        where = {"source": self.source, "unit": self.unit, "hint": self.hint, "noun": self.noun}
        return type(self)(f"{whose}: {self.message}", line=self.line, **where)  # type: ignore[arg-type]


class FormatError(InputError):
    """A file does not match its format, or a format cannot store the data."""


class TagError(InputError):
    """A tag that the tagging scheme does not allow."""


class ClaimError(InputError):
    """An invalid entity or value, e.g. an empty span or a duplicate in the gold data."""


class UnitError(InputError):
    """Gold and predictions do not cover the same sentences, documents or queries."""


def unknown(kind: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """Return the error for an unknown name, with a suggestion."""
    names = sorted(known)
    close = difflib.get_close_matches(str(name).lower(), [n.lower() for n in names], n=1, cutoff=0.6)
    meant = next((f" Did you mean {n!r}?" for n in names if close and n.lower() == close[0]), "")
    return UnknownNameError(f"unknown {kind} {name!r}.{meant} Known: {', '.join(names)}")


def missing_package(package: str, *, extra: str, error: ImportError) -> UsageError:
    """Return the error for an optional package that cannot be imported, with the command that installs it."""
    reason = str(error).strip().partition("\n")[0] or type(error).__name__
    return UsageError(f"cannot import {package} ({reason}). In a checkout of Karatage, run: pip install '.[{extra}]'")
