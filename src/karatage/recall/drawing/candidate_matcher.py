"""Find candidates in many texts at once, running the expressions in Rust.

Unicode word boundaries are slow in Rust's `regex` for texts that are not plain ASCII. Lists of single words are
therefore searched without them: extract every whole word that contains a listed one, then look up the distinct words.
Texts in which any other alternative may match take the slow path.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from karatage._arrays import Ints
from karatage.errors import UsageError
from karatage.recall.drawing.candidate_patterns import Pattern, WordList, check_expression, searched_strata

Hits = tuple[Ints, Ints]
"""The row and the stratum of each candidate, in text order."""

_NEVER = "[a&&b]"
"""Matches nothing."""


class CandidateMatcher:
    """Finds the leftmost candidates that do not overlap. If two start at the same offset, the first list wins.

    With `by_word`, each word of a list is a stratum of its own.
    """

    def __init__(self, lists: Sequence[WordList | Pattern], by_word: bool = False) -> None:
        strata = searched_strata(lists, by_word)
        self.names = tuple(one.name for one in strata)
        self.named = tuple(one.named for one in strata)
        self._exact = _StratumAlternatives(["|".join(each.exact for each in one.alternatives) for one in strata])
        words = ["|".join(each.word for each in one.alternatives if each.word is not None) for one in strata]
        self._words = _StratumAlternatives([expression or _NEVER for expression in words], whole=True)
        alternatives = [each for one in strata for each in one.alternatives]
        self._loose = "|".join(each.loose for each in alternatives if each.word is None) or None
        inside = "|".join(each.inside for each in alternatives if each.word is not None)
        self._around = rf"\w*(?:{inside})\w*" if inside else None
        for expression in (self._exact.expression, self._loose, self._around):
            if expression is not None:
                check_expression(expression, "these word lists and patterns are too large or invalid together")

    def hits(self, texts: pl.Series) -> Hits:
        """Find all candidates."""
        if self._around is None:
            return self._exact.hits(texts)
        if self._loose is None:
            return self._word_hits(texts, self._around)
        slow = texts.str.contains(self._loose)
        chosen = slow.to_numpy()
        exact_rows, exact_groups = self._exact.hits(texts.filter(slow))
        word_rows, word_groups = self._word_hits(texts.filter(~slow), self._around)
        rows = np.concatenate([np.flatnonzero(chosen)[exact_rows], np.flatnonzero(~chosen)[word_rows]])
        groups = np.concatenate([exact_groups, word_groups])
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

    def spans(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Return start and end of the candidates in each text, in characters."""
        series = pl.Series(texts, dtype=pl.String)
        opening, _, closing = marks(series)
        marked = series.str.replace_all(self._exact.expression, f"{opening}${{0}}{closing}")
        out = []
        for text in marked.to_list():
            before, *rest = text.split(opening)
            offset, spans = len(before), []
            for part in rest:
                inside, _, after = part.partition(closing)
                if not inside:
                    shown = text.replace(opening + closing, "")
                    raise UsageError(f"a pattern matches the empty string in {shown!r:.60}")
                spans.append((offset, offset + len(inside)))
                offset += len(inside) + len(after)
            out.append(spans)
        return out


class _StratumAlternatives:
    """One expression with a named group for each stratum."""

    def __init__(self, groups: Sequence[str], whole: bool = False) -> None:
        self._count = len(groups)
        self.expression = "|".join(f"(?P<karatage_{k}>{group})" for k, group in enumerate(groups))
        if whole:
            self.expression = rf"\A(?:{self.expression})\z"

    def hits(self, texts: pl.Series) -> Hits:
        """Find all candidates."""
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
        """Return the stratum of each word, or -1."""
        opening, between, closing = marks(words)
        marked = words.str.replace_all(self.expression, self._template(opening, between, closing))
        run = marked.str.extract(f"{opening}({between}*)", 1)
        return run.str.len_chars().cast(pl.Int64).fill_null(-1)

    def _template(self, opening: str, between: str, closing: str) -> str:
        """Return a replacement with one mark per stratum before the match's own; only one group is not empty."""
        return opening + between.join(f"${{karatage_{k}}}" for k in range(self._count)) + closing


def marks(texts: pl.Series) -> tuple[str, str, str]:
    """Return three characters that do not occur in the texts, usually private-use ones."""
    if not texts.str.contains("[\ue000-\ue002]").any():
        return "\ue000", "\ue001", "\ue002"
    used = set().union(*texts.to_list())
    first, second, third, *_ = (chr(k) for k in range(0xE000, 0x110000) if chr(k) not in used)
    return first, second, third
