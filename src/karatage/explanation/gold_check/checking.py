"""Checking gold: `check_gold` makes the ranked review list."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import polars as pl

from karatage._arrays import Ints
from karatage.claims import TokenColumn
from karatage.errors import UsageError, unknown
from karatage.explanation.gold_check.entity_columns import EntityColumns, GoldData
from karatage.explanation.gold_check.reasons import reasons, votes_of
from karatage.explanation.gold_check.scored_proposals import PRIOR, ScoredProposals, weigh
from karatage.explanation.gold_check.suspects import COLUMNS, Suspects
from karatage.scoring import Outcomes

EVIDENCE = ("gold", "systems")
"""Where evidence may come from: how gold marks the rest of the corpus, and what the systems say."""

AROUND = 40
"""How many characters of context stand on either side."""


def check_gold(
    systems: Mapping[str, Outcomes],
    *,
    limit: int | None = None,
    evidence: Collection[str] = EVIDENCE,
    least: float = PRIOR,
) -> Suspects:
    """Rank what looks wrong in gold, from gold itself and from what systems say of the same units.

    Args:
        systems: what became of each system's claims, by name; all on one gold.
        limit: how many suspects to list; all if left out.
        evidence: where it may come from: `gold`, `systems` or both.
        least: what the score of a suspect must be above; left out, all that anything speaks for are listed.
    """
    for name in evidence:
        if name not in EVIDENCE:
            raise unknown("evidence", name, EVIDENCE)
    if not evidence:
        raise UsageError(f"choose the evidence: {' or '.join(EVIDENCE)}")
    if limit is not None and limit < 0:
        raise UsageError(f"limit must be 0 or more, not {limit}")
    data = GoldData.of(systems)
    weighed = weigh(data, _tokens(systems), evidence, limit, least)
    entities, shapes = weighed.proposals.entities, weighed.proposals.entities.shape
    return Suspects(
        _frame(data, weighed),
        data.claims,
        data.texts,
        tuple(zip(entities.unit.tolist(), weighed.proposals.gold.tolist(), strict=True)),
        {int(at) + 1: data.shapes[shapes[at]] for at in np.flatnonzero(shapes >= 0)},
    )


def _tokens(systems: Mapping[str, Outcomes]) -> TokenColumn | None:
    """Return the tokens of gold's units, or of the predictions' where gold has none."""
    for one in systems.values():
        for units in (one.claims.gold.units, one.claims.pred.units):
            if units.tokens is not None:
                return TokenColumn.of(units.tokens)
    return None


def _frame(data: GoldData, weighed: ScoredProposals) -> pl.DataFrame:
    proposed, gold = weighed.proposals.entities, weighed.proposals.gold_entities(data.gold)
    pairs = list(reasons(data, weighed))
    agree = votes_of(data, weighed).tolist()
    of = len(data.systems)
    columns: dict[str, Any] = {
        "rank": np.arange(1, len(proposed) + 1),
        "score": weighed.score,
        "unit": pl.Series([str(data.units.name(unit)) for unit in proposed.unit.tolist()], dtype=pl.String),
        "reason": pl.Series([text for _, text in pairs], dtype=pl.String),
        "kinds": pl.Series([kinds for kinds, _ in pairs], dtype=pl.String),
        **_claim_columns(data, "gold", gold),
        **_claim_columns(data, "proposed", proposed),
        "systems": pl.Series(
            [f"{one} of {of}" if weighed.votes is not None else None for one in agree], dtype=pl.String
        ),
        "context": _context(data, gold, proposed),
    }
    return pl.DataFrame(columns).select(COLUMNS)


def _claim_columns(data: GoldData, name: str, entities: EntityColumns) -> dict[str, pl.Series]:
    """Return label, start, end and text of claims; null where there is no claim."""
    null = pl.Series([None] * len(entities), dtype=pl.String)
    text, start, end = null, pl.Series(entities.start), pl.Series(entities.end)
    if data.valued:
        text = pl.Series(data.values, dtype=pl.String).gather(np.maximum(entities.start, 0)) if data.values else null
        start = end = null.cast(pl.Int64)
    elif data.texts is not None:
        places = np.maximum(entities.start, 0), np.maximum(entities.end, 0)
        text = data.texts.cut(entities.unit, *_characters(data, entities.unit, *places))
    labels = pl.Series([*data.labels, None], dtype=pl.String)
    label = labels.gather(np.where(entities.label < 0, len(data.labels), entities.label))
    frame = pl.DataFrame({"label": label, "start": start, "end": end, "text": text})
    return frame.select(pl.when(label.is_not_null()).then(pl.all()).name.prefix(f"{name}_")).to_dict()


def _context(data: GoldData, gold: EntityColumns, proposed: EntityColumns) -> pl.Series:
    """Return the text around the claim, which stands in brackets; null where it is unknown."""
    unit = proposed.unit
    if data.texts is None:
        return pl.Series([None] * len(unit), dtype=pl.String)
    far = np.iinfo(np.int64).max
    start = np.min([np.where(one.label < 0, far, one.start) for one in (gold, proposed)], axis=0)
    end = np.max([np.where(one.label < 0, 0, one.end) for one in (gold, proposed)], axis=0)
    low, high = _characters(data, unit, start, end)
    cuts = (np.maximum(low - AROUND, 0), low), (low, high), (high, high + AROUND)
    before, middle, after = (data.texts.cut(unit, *cut) for cut in cuts)
    return before + "[" + middle + "]" + after


def _characters(data: GoldData, unit: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    assert data.texts is not None  # noqa: S101  the callers looked
    return data.texts.characters(unit, start, end, tokens=data.claims.space == "token")
