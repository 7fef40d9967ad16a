"""Finding candidates in many texts at once, with the expressions run in Rust.

Word boundaries know all of Unicode, which Rust's `regex` does slowly in texts that are not plain ASCII. So a list of
single words is searched for without them: whole words that have a listed one inside are taken out, and of the distinct
ones among these it is asked which are listed. Texts in which anything else may match go the long way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from karatage.errors import UsageError
from karatage.recall.drawing.candidate_patterns import Pattern, WordList, check_expression, parts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Hits = tuple["NDArray[np.int64]", "NDArray[np.int64]"]
"""The row and the stratum of each candidate, in the order of the texts and within them."""

_NEVER = "[a&&b]"
"""Matches nothing."""


class Matcher:
    """Finds the leftmost candidates that do not overlap; where two start at one place, the list named first wins.

    Args:
        lists: the word lists and regular expressions.
        by_word: whether each word of a list is a stratum of its own.

    Attributes:
        names: the strata that the lists make.
        named: whether the user named each.
    """

    def __init__(self, lists: Sequence[WordList | Pattern], by_word: bool = False) -> None:
        groups = parts_of(lists, by_word)
        self.names = tuple(name for name, _, _ in groups)
        self.named = tuple(named for _, named, _ in groups)
        self._exact = _Grouped(["|".join(part.exact for part in parts) for _, _, parts in groups])
        loose = [part.loose for _, _, parts in groups for part in parts if part.word is None]
        self._loose = "|".join(loose) or None
        words = ["|".join(part.word for part in parts if part.word is not None) for _, _, parts in groups]
        self._words = _Grouped([alternatives or _NEVER for alternatives in words], whole=True)
        inside = [part.inside for _, _, parts in groups for part in parts if part.word is not None]
        self._around = rf"\w*(?:{'|'.join(inside)})\w*" if inside else None
        for expression in (self._exact.expression, self._loose, self._around):
            if expression is not None:
                check_expression(expression, "these lists and patterns, taken together,")

    def hits(self, texts: pl.Series) -> Hits:
        """Find all candidates."""
        if self._around is None:
            return self._exact.hits(texts)
        if self._loose is None:
            return self._word_hits(texts, self._around)
        slow = texts.str.contains(self._loose)
        chosen = slow.to_numpy()
        parts = []
        for mask, (rows, groups) in (
            (chosen, self._exact.hits(texts.filter(slow))),
            (~chosen, self._word_hits(texts.filter(~slow), self._around)),
        ):
            parts.append((np.flatnonzero(mask)[rows], groups))
        rows, groups = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        order = np.argsort(rows, kind="stable")
        return rows[order], groups[order]

    def _word_hits(self, texts: pl.Series, around: str) -> Hits:
        found = texts.str.extract_all(around)
        rows = np.repeat(np.arange(len(texts)), found.list.len().to_numpy())
        words = found.explode().drop_nulls()
        distinct = words.unique()
        numbers = self._words.of_words(distinct)
        groups = words.replace_strict(distinct, numbers, return_dtype=pl.Int64).to_numpy() if len(words) else rows
        listed = groups >= 0
        return rows[listed], groups[listed]

    def places(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Return where the candidates of each text start and end, in characters."""
        series = pl.Series(texts, dtype=pl.String)
        opening, _, closing = marks(series)
        marked = series.str.replace_all(self._exact.expression, f"{opening}${{0}}{closing}")
        out = []
        for text in marked.to_list():
            at, places = 0, []
            before, *rest = text.split(opening)
            at = len(before)
            for piece in rest:
                inside, _, after = piece.partition(closing)
                if not inside:
                    raise UsageError(
                        f"a pattern matches the empty string in {text.replace(opening + closing, '')!r:.60}"
                    )
                places.append((at, at + len(inside)))
                at += len(inside) + len(after)
            out.append(places)
        return out


class _Grouped:
    """Alternatives by stratum.

    Args:
        groups: an expression for each stratum.
        whole: whether they must match a whole text.
    """

    def __init__(self, groups: Sequence[str], whole: bool = False) -> None:
        self._count = len(groups)
        self.expression = "|".join(f"(?P<karatage_{k}>{group})" for k, group in enumerate(groups))
        if whole:
            self.expression = rf"\A(?:{self.expression})\z"

    def hits(self, texts: pl.Series) -> Hits:
        """Find all candidates of texts, each of which is searched."""
        rows = np.arange(len(texts))
        if self._count == 1:
            counts = texts.str.count_matches(self.expression).to_numpy()
            rows = np.repeat(rows, counts)
            return rows, np.zeros(len(rows), np.int64)
        some = texts.str.contains(self.expression)
        rows, texts = rows[some.to_numpy()], texts.filter(some)
        opening, between, closing = marks(texts)
        runs = texts.str.replace_all(self.expression, self._template(opening, between, closing)).str.extract_all(
            f"{opening}{between}*"
        )
        groups = runs.explode().drop_nulls().str.len_chars().cast(pl.Int64) - 1
        return np.repeat(rows, runs.list.len().to_numpy()), groups.to_numpy()

    def of_words(self, words: pl.Series) -> pl.Series:
        """Return the stratum of each word, -1 where there is none."""
        opening, between, closing = marks(words)
        marked = words.str.replace_all(self.expression, self._template(opening, between, closing))
        run = marked.str.extract(f"{opening}({between}*)", 1)
        return run.str.len_chars().cast(pl.Int64).fill_null(-1)

    def _template(self, opening: str, between: str, closing: str) -> str:
        """Put as many marks before a match as there are strata before its own: only one group is not empty."""
        return opening + between.join(f"${{karatage_{k}}}" for k in range(self._count)) + closing


def marks(texts: pl.Series) -> tuple[str, str, str]:
    """Return three characters that stand in none of the texts, private ones as a rule."""
    if not texts.str.contains("[\ue000-\ue002]").any():
        return "\ue000", "\ue001", "\ue002"
    used = set().union(*texts.to_list())
    first, second, third, *_ = (chr(k) for k in range(0xE000, 0x110000) if chr(k) not in used)
    return first, second, third
