"""Normal forms of values: what may differ between two values that count as equal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from unicodedata import category, normalize

from karatage.claims import Claims
from karatage.errors import unknown

VALUE_FORMS = {
    "case": "upper and lower case are the same",
    "space": "runs of blanks and line breaks are one blank, and those at both ends are ignored",
    "unicode": "compatible characters are the same (NFKC): é in one or two code points, fullwidth and plain letters",
    "punctuation": "punctuation marks are ignored",
}
"""What may be ignored when values are compared, and what that means."""


@dataclass(frozen=True)
class ValueForm:
    """The form in which values are compared.

    Attributes:
        ignored: names of `VALUE_FORMS`; none compares values as they are.
    """

    ignored: tuple[str, ...] = ()

    @classmethod
    def of(cls, names: Iterable[str]) -> ValueForm:
        """Make a form of names, in any order; one that is unknown is an error."""
        given = [part.strip() for name in names for part in str(name).split(",")]
        for name in given:
            if name not in VALUE_FORMS:
                raise unknown("normalisation", name, VALUE_FORMS)
        return cls(tuple(name for name in VALUE_FORMS if name in given))

    def __bool__(self) -> bool:
        return bool(self.ignored)

    def __call__(self, value: str) -> str:
        """Return a value in this form."""
        if not self.ignored:
            return value
        text = "".join(folded(letter, self) for letter in value)
        if "unicode" in self.ignored:
            text = normalize("NFKC", text)
        return " ".join(text.split()) if "space" in self.ignored else text

    def applied(self, claims: Claims) -> Claims:
        """Return claims whose values are in this form."""
        return replace(claims, values=tuple(map(self, claims.values))) if self.ignored else claims


@lru_cache(maxsize=1 << 16)
def folded(letter: str, form: ValueForm) -> str:
    """Return one character in a form; Unicode's compatible characters are taken apart, blanks stay."""
    out = letter
    if "unicode" in form.ignored:
        out = normalize("NFKD", out)
    if "case" in form.ignored:
        out = out.casefold()
        out = normalize("NFKD", out) if "unicode" in form.ignored else out
    if "punctuation" in form.ignored:
        out = "".join(one for one in out if not category(one).startswith("P"))
    return out
