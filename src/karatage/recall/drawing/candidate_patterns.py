"""What counts as a candidate: word lists and regular expressions, each for a stratum."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from karatage.errors import InputError, UsageError
from karatage.formats import Source, guard

MOST_WORDS = 3000
"""More alternatives than this make the search for them very slow, or fail."""

_PROBE = "aa  \r\r\n\na\n \ra \n\r a\ra"
"""Has every pair of a letter, a blank and line breaks: whatever matches nothing at all between some pair shows here."""


@dataclass(frozen=True)
class WordList:
    """A word list. Whole words count, in any case; `järv*` has any ending, `*saar` any beginning.

    Attributes:
        words: the words, or several words in a row, parted by blanks.
        name: the stratum.
        named: whether the user named the stratum; else an attribute's value alone names it, where there is one.
    """

    words: tuple[str, ...]
    name: str = "words"
    named: bool = False

    def definition(self) -> dict[str, Any]:
        """Return plain data, for the manifest."""
        return {"stratum": self.name, "named": self.named, "words": list(self.words)}


@dataclass(frozen=True)
class Pattern:
    """A regular expression in the syntax of Rust's `regex`, which has no look-around.

    Attributes:
        expression: the expression.
        name: the stratum.
        named: whether the user named the stratum.
    """

    expression: str
    name: str = "pattern"
    named: bool = False

    def definition(self) -> dict[str, Any]:
        """Return plain data, for the manifest."""
        return {"stratum": self.name, "named": self.named, "pattern": self.expression}


class Part(NamedTuple):
    """One alternative of the search.

    Attributes:
        exact: the expression.
        loose: one without word boundaries, which are slow: it matches in every text in which the exact one does.
        word: for a single word, what the whole word must match; else None.
        inside: for a single word, what any word that matches has in it.
    """

    exact: str
    loose: str
    word: str | None = None
    inside: str = ""


def read_words(given: str) -> WordList:
    """Read a word list, given as `FILE` or `STRATUM=FILE`; lines that start with # are comments."""
    name, named, place = _split(given, whole=Path(given).exists())
    source = Source(place)
    words: dict[str, None] = {}
    with guard(source):
        for number, line in source.lines():
            word = " ".join(line.split())
            if word.startswith("#") or not word:
                continue
            if not word.replace("*", "").strip():
                hint = "A star stands for any ending or beginning of a word: järv*"
                raise InputError(f"{word!r} would match every word", source=source.name, line=number, hint=hint)
            words[word] = None
    if not words:
        raise InputError("holds no word", source=source.name, hint="Put one word on each line")
    return WordList(tuple(words), name if named else source.path.name.partition(".")[0] or "words", named)


def read_pattern(given: str) -> Pattern:
    """Read a regular expression, given as `REGEX` or `STRATUM=REGEX`."""
    name, named, expression = _split(given, whole=re.match(r"[^=]*[\\()\[\]{}*+?|^$]", given) is not None)
    return Pattern(expression, name if named else "pattern", named)


def _split(given: str, whole: bool) -> tuple[str, bool, str]:
    name, sign, rest = given.partition("=")
    if whole or not sign:
        return "", False, given
    if not name.strip():
        raise UsageError(f"{given!r}: the name of the stratum before the = is empty")
    return name, True, rest


def word_part(word: str) -> Part:
    """Make the alternative for one entry of a word list."""
    body = r"\s+".join(r"\w*".join(map(pl.escape_regex, piece.split("*"))) for piece in word.split())
    if _is_word(word.replace("*", "")) and " " not in word:
        inside = r"\w*".join(map(pl.escape_regex, word.strip("*").split("*")))
        return Part(rf"(?i:\b{body}\b)", rf"(?i:{inside})", f"(?i:{body})", f"(?i:{inside})")
    first, last = (r"\b" if end == "*" or _is_word(end) else "" for end in (word[0], word[-1]))
    return Part(f"(?i:{first}{body}{last})", f"(?i:{body})")


def _is_word(text: str) -> bool:
    return bool(pl.Series([text]).str.contains(r"\A\w+\z").item())


def pattern_part(pattern: Pattern) -> Part:
    """Make the alternative for a regular expression; one that cannot be used is an error."""
    expression = pattern.expression
    check_expression(expression, f"the pattern {expression!r:.80}")
    if re.search(r"\(\?[a-zA-Z]*x", expression):
        expression += "\n"  # with this flag a comment may stand at the end; blanks do not count
    probes = pl.Series(["", "a", " ", "\n", _PROBE])
    if probes.str.replace_all(f"(?:{expression})", "<${0}>").str.contains("<>").any():
        raise UsageError(
            f"the pattern {expression!r:.80} matches the empty string: let it match at least one character"
        )
    return Part(f"(?:{expression})", f"(?:{expression})")


def check_expression(expression: str, what: str) -> None:
    """Refuse an expression that cannot be compiled, with the reason."""
    try:
        pl.Series(["x"]).str.contains(expression)
    except pl.exceptions.PolarsError as error:
        reason = re.search(r"^error: (.+)$|regex error: (Compiled .+)$", str(error), re.MULTILINE)
        why = next((group for group in reason.groups() if group), "") if reason else str(error).splitlines()[0]
        hint = " Write it without, or mark the candidates with another tool (--candidates)." if "look" in why else ""
        raise UsageError(f"{what} cannot be used: {why}.{hint}") from None


def parts_of(lists: Sequence[WordList | Pattern], by_word: bool) -> list[tuple[str, bool, list[Part]]]:
    """Return the strata that the lists make, in order, each with its alternatives and whether it was named."""
    if sum(len(one.words) for one in lists if isinstance(one, WordList)) > MOST_WORDS:
        raise UsageError(
            f"the lists have more than {MOST_WORDS:,} words, too many to search for at once: mark the candidates with "
            "a tool for long lists, and give them as --candidates"
        )
    out: list[tuple[str, bool, list[Part]]] = []
    for one in lists:
        if isinstance(one, Pattern):
            out.append((one.name, one.named, [pattern_part(one)]))
        elif by_word:
            out += [(f"{one.name}/{word}" if one.named else word, True, [word_part(word)]) for word in one.words]
        else:
            out.append((one.name, one.named, [word_part(word) for word in one.words]))
    return out
