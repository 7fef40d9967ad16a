"""Results on a leaderboard: what `karatage recall estimate --json` prints, parsed and checked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from karatage.errors import InputError
from karatage.formats import Source, guard
from karatage.metrics import Score

if TYPE_CHECKING:
    from karatage.recall.recall_estimate import RecallEstimate

INVALID = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
"""What parsing something else than a result raises."""


@dataclass(frozen=True, kw_only=True)
class ResultStratum:
    """The result of a system in one stratum.

    Attributes:
        name: Name of the stratum.
        weight: Share of all positives in the corpus.
        positive: Positives in the sample.
        correct: Positives that the system found.
        incorrect: Positives that it missed.
        recall: Recall in this stratum.
    """

    name: str
    weight: float
    positive: int
    correct: int
    incorrect: int
    recall: Score


@dataclass(frozen=True, kw_only=True)
class BoardResult:
    """The estimate for one system, with its result on each item.

    Attributes:
        system: Name of the system.
        level: Confidence level.
        recall: Recall with its interval.
        correct: Positives that the system found.
        incorrect: Positives that it missed.
        strata: The result in each stratum.
        items: Hash of the positives.
        found: For each positive 1, 0, or - if the system failed.
        data: The result as it was read.
    """

    system: str
    level: float
    recall: Score
    correct: int
    incorrect: int
    strata: tuple[ResultStratum, ...]
    items: str
    found: str
    data: Mapping[str, object] = field(repr=False, compare=False)

    @classmethod
    def of(cls, estimate: RecallEstimate) -> BoardResult:
        """Return the result of an estimate."""
        return cls.parse(estimate.to_dict())

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> BoardResult:
        """Parse plain data; anything that is not a result raises one of `INVALID`."""
        strata = tuple(_stratum(row) for row in data["strata"])
        items, found = data["items"]["hash"], data["items"]["found"]
        if len(found) != sum(one.positive for one in strata) or set(found) - set("01-") or not isinstance(items, str):
            raise ValueError
        return cls(
            system=str(data["system"]),
            level=float(data["level"]),
            recall=_score(data["metrics"]["recall"]),
            correct=int(data["counts"]["correct"]),
            incorrect=int(data["counts"]["incorrect"]),
            strata=strata,
            items=items,
            found=found,
            data=data,
        )


def read_result(path: str) -> BoardResult:
    """Read what `karatage recall estimate --json` printed."""
    source = Source(path)
    with guard(source), source.open() as stream:
        text = stream.read()
    try:
        return BoardResult.parse(json.loads(text))
    except INVALID:
        hint = "Create one with: karatage recall estimate BENCHMARK --tagger NAME --json > result.json"
        raise InputError("is not the result of an estimate", source=source.name, hint=hint) from None


def _stratum(row: Mapping[str, Any]) -> ResultStratum:
    name, weight = row["name"], row["weight"]
    positive, correct, incorrect = row["positive"], row["correct"], row["incorrect"]
    if not isinstance(name, str) or not 0 <= weight <= 1 or min(correct, incorrect, positive - correct - incorrect) < 0:
        raise ValueError
    recall = row["recall"]
    score = _score(recall) if recall["value"] is not None else Score(None, undefined=str(recall.get("undefined", "")))
    return ResultStratum(
        name=name, weight=weight, positive=positive, correct=correct, incorrect=incorrect, recall=score
    )


def _score(given: Mapping[str, Any]) -> Score:
    value, low, high = (float(given[name]) for name in ("value", "low", "high"))
    if not 0 <= value <= 1 or not all(map(math.isfinite, (low, high))):
        raise ValueError
    return Score(value, low=low, high=high, method=str(given["method"]))
