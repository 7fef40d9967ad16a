"""`karatage.agree`: how far two sets of judgements of the same queries agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from karatage.description.grade_agreement import GradeAgreement, agreement_scores, grade_scores
from karatage.description.grade_scales import scale_warnings
from karatage.description.search_pairs import SearchPairs, pairs_in
from karatage.errors import InputError, UsageError
from karatage.formats import check_named
from karatage.inputs import Input, as_input
from karatage.stats import LEVEL, check_level

_KEY = ["query", "document"]


def agree(
    first: Any,
    second: Any,
    *,
    format: str | None = None,  # noqa: A002  as in score
    columns: str | Sequence[str | int] = (),
    rel: int | Sequence[int] = 1,
    level: float = LEVEL,
) -> GradeAgreement:
    """Compare two sets of judgements of the same queries, e.g. those of people with those of an LLM.

    Args:
        first: Judgements, as `karatage.score` takes them as gold: those of people.
        second: Other judgements of the same queries: those of an LLM, or of other people.
        format: Name of the file format, if it is not detected.
        columns: Columns of tables, as `query=search_term,document=sku,grade=label`.
        rel: Lowest grade that counts as relevant, or one for the first and one for the second judgements.
        level: Confidence level.

    Returns:
        The agreement: prints as tables, and holds every number.
    """
    check_level(level)
    if all(isinstance(given, str) and given == "-" for given in (first, second)):
        raise UsageError("both sets of judgements cannot come from standard input")
    least = _thresholds(rel)
    named = (columns,) if isinstance(columns, str) else tuple(map(str, columns))
    inputs = [_judgements(given, name, format, named) for given, name in ((first, "the first"), (second, "the second"))]
    own_notes: list[Counter[str]] = [Counter(), Counter()]
    sides = [pairs_in(own, notes) for own, notes in zip(inputs, own_notes, strict=True)]
    check_named(named, own_notes)
    if type(sides[0]) is not type(sides[1]):
        raise UsageError("a matrix of labels can only be compared with another matrix")
    judged = [_judged(pairs, own) for pairs, own in zip(sides, inputs, strict=True)]
    both = judged[0].join(judged[1], on=_KEY, how="inner", suffix="_second").sort(_KEY)  # in any order of the files
    if both.is_empty():
        shared = set(sides[0].queries) & set(sides[1].queries)
        what = "no document is judged in both" if shared else "no query is judged in both"
        raise InputError(
            f"{inputs[0].name} and {inputs[1].name}: {what}", hint="Check the ids of queries and documents"
        )
    queries, cluster = np.unique(both["query"].to_numpy(), return_inverse=True)
    grades = [both[name].to_numpy().astype(float) for name in ("value", "value_second")]
    dropped = sum(len(pairs.frame()) - len(own) for pairs, own in zip(sides, judged, strict=True))
    lacking = [set(own["query"]) - set(queries.tolist()) for own in judged]
    return GradeAgreement(
        first=inputs[0].name,
        second=inputs[1].name,
        level=level,
        queries=len(queries),
        judgements=len(both),
        only_first=len(judged[0]) - len(both),
        only_second=len(judged[1]) - len(both),
        queries_only_first=len(lacking[0]),
        queries_only_second=len(lacking[1]),
        rel=least,
        scores=agreement_scores(grades[0], grades[1], cluster, level, least),
        by_grade=grade_scores(grades[0], grades[1], cluster, level),
        pairs=both.select(*_KEY, first=pl.col("value").cast(pl.Int64), second=pl.col("value_second").cast(pl.Int64)),
        warnings=(*scale_warnings(*grades, asked=least != (1, 1)), *_warnings(dropped, sum(own_notes, Counter()))),
    )


def _thresholds(rel: int | Sequence[int]) -> tuple[int, int]:
    """Return the lowest relevant grade of each judge."""
    both = (rel, rel) if isinstance(rel, int) else tuple(rel)
    if len(both) != 2 or any(isinstance(one, bool) or not isinstance(one, int) or one < 1 for one in both):
        raise UsageError(f"rel must be a grade from 1, or one for each file, e.g. 1,2, not {rel!r}")
    return both[0], both[1]


def _judgements(given: Any, name: str, format: str | None, columns: tuple[str, ...]) -> Input:  # noqa: A002  as in score
    own = as_input(given, format=format, name=name)
    own = replace(own, options=replace(own.options, columns=columns))
    if not own.relevance:
        raise UsageError(f"{own.name} contains no judgements: pass TREC qrels, a table of judgements or a dictionary")
    return own


def _judged(pairs: SearchPairs, own: Input) -> pl.DataFrame:
    """Return the judgements with a grade; a negative one in qrels means that a document was not judged."""
    if pairs.kind == "result":
        raise InputError("contains results with scores, not judgements", source=own.name, hint="Pass judgements")
    frame = pairs.frame()
    twice = frame.filter(frame.select(_KEY).is_duplicated())
    if len(twice):
        query, document = twice.select(_KEY).row(0)
        raise InputError(f"document {document} is judged twice", source=own.name, unit=str(query))
    return frame if pairs.kind == "label" else frame.filter(pl.col("value") >= 0)


def _warnings(dropped: int, notes: Counter[str]) -> tuple[str, ...]:
    own = (f"judgements with a negative grade, left out: {dropped:,}",) if dropped else ()
    return (*own, *(f"{what}: {count:,}" for what, count in notes.items() if count))
