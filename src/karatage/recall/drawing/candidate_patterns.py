"""What counts as a candidate: word lists and regular expressions, one per stratum."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import polars as pl

from karatage.errors import InputError, UsageError
from karatage.formats import Source, guard

MOST_WORDS = 3000
"""With more alternatives than this, the search is very slow or fails."""

_PROBE = "aa  \r\r\n\na\n \ra \n\r a\ra"
"""Has every pair of a letter, a space and line breaks, so a pattern that matches the empty string shows here."""


@dataclass(frozen=True)
class WordList:
    """A word list. Matches whole words in any case; `järv*` matches any ending, `*saar` any beginning.

    Composed and decomposed letters are the same (NFC and NFD), and so are ß and ss.
    """

    words: tuple[str, ...]  # or phrases, whose words are separated by spaces
    name: str = "words"
    named: bool = False  # by the user; if not, strata by an attribute have its value alone as their name

    def definition(self) -> dict[str, object]:
        """Return the entry in the manifest."""
        return {"stratum": self.name, "named": self.named, "words": list(self.words)}


@dataclass(frozen=True)
class Pattern:
    """A regular expression in the syntax of Rust's `regex`, which has no look-around."""

    expression: str
    name: str = "pattern"
    named: bool = False

    def definition(self) -> dict[str, object]:
        """Return the entry in the manifest."""
        return {"stratum": self.name, "named": self.named, "pattern": self.expression}


class Alternative(NamedTuple):
    """One alternative of the search."""

    exact: str
    loose: str  # without word boundaries, which are slow; matches every text that `exact` matches
    word: str | None = None  # for the whole word, if the alternative is a single word
    inside: str = ""  # for a substring of that word


class SearchedStratum(NamedTuple):
    """A stratum with the alternatives to search for."""

    name: str
    named: bool
    alternatives: list[Alternative]


def read_words(given: str) -> WordList:
    """Read a word list given as `FILE` or `STRATUM=FILE`. Lines that start with # are comments."""
    name, named, path = _split(given, whole=Path(given).exists())
    source = Source(path)
    words: dict[str, None] = {}
    with guard(source):
        for number, line in source.lines():
            word = " ".join(line.split())
            if word.startswith("#") or not word:
                continue
            if not word.replace("*", "").strip():
                hint = "Use * for any ending or beginning of a word, e.g. järv*"
                raise InputError(f"{word!r} matches every word", source=source.name, line=number, hint=hint)
            words[word] = None
    if not words:
        raise InputError("the word list is empty", source=source.name, hint="Write one word per line")
    return WordList(tuple(words), name if named else source.path.name.partition(".")[0] or "words", named)


def read_pattern(given: str) -> Pattern:
    """Parse a regular expression given as `REGEX` or `STRATUM=REGEX`."""
    name, named, expression = _split(given, whole=re.match(r"[^=]*[\\()\[\]{}*+?|^$]", given) is not None)
    return Pattern(expression, name if named else "pattern", named)


def _split(given: str, whole: bool) -> tuple[str, bool, str]:
    name, sign, rest = given.partition("=")
    if whole or not sign:
        return "", False, given
    if not name.strip():
        raise UsageError(f"{given!r}: expected the name of a stratum before the =")
    return name, True, rest


def word_alternative(word: str) -> Alternative:
    """Return the alternative for one entry of a word list."""
    body = r"\s+".join(_in_any_form(part) for part in word.split())
    if _is_word(word.replace("*", "")) and " " not in word:
        inside = _in_any_form(word.strip("*"))
        return Alternative(rf"(?i:\b{body}\b)", rf"(?i:{inside})", f"(?i:{body})", f"(?i:{inside})")
    first, last = (r"\b" if end == "*" or _is_word(end) else "" for end in (word[0], word[-1]))
    return Alternative(f"(?i:{first}{body}{last})", f"(?i:{body})")


def _in_any_form(word: str) -> str:
    """Return an expression for a word, composed and decomposed; ß is ss, as in upper case."""
    forms = dict.fromkeys(unicodedata.normalize(form, word) for form in ("NFC", "NFD"))
    bodies = [r"\w*".join(map(pl.escape_regex, form.split("*"))) for form in forms]
    found = [re.sub("ss|ß|ẞ", "(?:ss|ß)", body, flags=re.IGNORECASE) for body in bodies]
    return found[0] if len(found) == 1 else f"(?:{'|'.join(found)})"


def _is_word(text: str) -> bool:
    return bool(pl.Series([text]).str.contains(r"\A\w+\z").item())


def pattern_alternative(pattern: Pattern) -> Alternative:
    """Return the alternative for a regular expression, or raise an error if it is invalid."""
    expression = pattern.expression
    check_expression(expression, f"invalid pattern {expression!r:.80}")
    if re.search(r"\(\?[a-zA-Z]*x", expression):
        expression += "\n"  # with this flag, the expression may end in a comment; whitespace is ignored
    probes = pl.Series(["", "a", " ", "\n", _PROBE])
    if probes.str.replace_all(f"(?:{expression})", "<${0}>").str.contains("<>").any():
        raise UsageError(
            f"the pattern {expression!r:.80} matches the empty string. Change it to match at least one character"
        )
    return Alternative(f"(?:{expression})", f"(?:{expression})")


def check_expression(expression: str, problem: str) -> None:
    """Raise an error that starts with `problem` if an expression cannot be compiled."""
    try:
        pl.Series(["x"]).str.contains(expression)
    except pl.exceptions.PolarsError as error:
        reason = re.search(r"^error: (.+)$|regex error: (Compiled .+)$", str(error), re.MULTILINE)
        why = next((group for group in reason.groups() if group), "") if reason else str(error).splitlines()[0]
        hint = " Rewrite it without, or find the candidates with another tool (--candidates)." if "look" in why else ""
        raise UsageError(f"{problem}: {why}.{hint}") from None


def searched_strata(lists: Sequence[WordList | Pattern], by_word: bool) -> list[SearchedStratum]:
    """Return the strata that word lists and patterns define, in order."""
    if sum(len(one.words) for one in lists if isinstance(one, WordList)) > MOST_WORDS:
        raise UsageError(
            f"the word lists have more than {MOST_WORDS:,} words, which is too many for one search. Find the "
            "candidates with another tool and pass them with --candidates"
        )
    out = []
    for one in lists:
        if isinstance(one, Pattern):
            out.append(SearchedStratum(one.name, one.named, [pattern_alternative(one)]))
        elif by_word:
            names = ((word, f"{one.name}/{word}" if one.named else word) for word in one.words)
            out += [SearchedStratum(name, True, [word_alternative(word)]) for word, name in names]
        else:
            out.append(SearchedStratum(one.name, one.named, [word_alternative(word) for word in one.words]))
    return out
