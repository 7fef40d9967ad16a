"""Where extractors fail, what that costs, and which gold entities look wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from karatage._arrays import Bools
from karatage.errors import unknown
from karatage.explanation.changes import Changes
from karatage.explanation.confidence import Confidence
from karatage.explanation.error_gathering import SystemGathering
from karatage.explanation.explanation import SHOWN, ErrorFilters, Explanation
from karatage.explanation.fixes import Fix
from karatage.explanation.slices import Slice
from karatage.explanation.slices.entity_slices import main_measure, score_slices
from karatage.metrics import Score
from karatage.scoring import (
    DETAILS,
    KIND_NAMES,
    ExtractionResult,
    Outcomes,
    errors_frame,
    read_outcomes,
    wanted_kind,
)
from karatage.stats import Resampling

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.reports import AnswerText, Block, Page


@dataclass(frozen=True, eq=False, kw_only=True)
class System:
    """Where one extractor fails.

    Attributes:
        name: what it is called.
        result: its scores.
        outcomes: the outcome of every gold and predicted entity; of a large test set, the errors of a random sample.
        kinds: how many errors there are of each kind, as `Result.kinds` counts them.
        details: the same for each kind in detail.
        confusion: how often each gold label was predicted as each label, as `Result.confusion` counts it.
        metric: the name of the metric that the costs of errors are given in.
        score: that metric.
        fixes: what each kind of error costs in that metric, costliest first.
        confusions: pairs of a gold and a predicted label, most frequent first.
        forms: the texts that are wrong most often.
        slices: the scores of parts of the test set, marked where a part is significantly worse or better.
        overall: the score of the whole test set in the metric of the slices.
        unseen: whether training data was given and none of the texts occurs in it.
        confidence: what the confidence of the predictions is worth; None without confidences.
    """

    name: str
    result: ExtractionResult
    outcomes: Outcomes = field(repr=False)
    kinds: dict[str, int]
    details: dict[str, int]
    confusion: dict[str, dict[str, int]] = field(repr=False)
    metric: str
    score: Score
    fixes: tuple[Fix, ...] = field(repr=False)
    confusions: pl.DataFrame = field(repr=False)
    forms: pl.DataFrame = field(repr=False)
    slices: list[Slice] = field(repr=False)
    overall: Score
    unseen: bool
    confidence: Confidence | None = field(repr=False)

    @classmethod
    def of(cls, name: str, result: ExtractionResult, gathered: SystemGathering, outcomes: Outcomes) -> System:
        """Say where a system fails, from what was gathered while its predictions were read."""
        profile, plan, chosen = result.profile, gathered.plan, result.profile.claims_headline
        metric = profile.headline if chosen == profile.metrics[profile.headline] else str(chosen)
        gathered.placing.check()
        slices = score_slices(gathered.slices, profile, plan.resampling or Resampling(0))
        confusion: dict[str, dict[str, int]] = {}
        for (gold, pred), count in sorted(gathered.confusion.items()):
            confusion.setdefault(gold, {})[pred] = count
        return cls(
            name=name,
            result=result,
            outcomes=outcomes,
            kinds=dict(gathered.kinds) or dict.fromkeys(KIND_NAMES, 0),
            details=dict(gathered.details) or dict.fromkeys(DETAILS, 0),
            confusion=confusion,
            metric=metric,
            score=result[metric],
            fixes=gathered.fixes.fixes(plan.resampling),
            confusions=gathered.confusions.frame(),
            forms=gathered.forms.frame(),
            slices=slices,
            overall=result[str(main_measure(profile))],
            unseen=plan.training is not None
            and not plan.by
            and not any(one.by == "seen in training" for one in slices),
            confidence=gathered.confidence.confidence(profile),
        )

    @property
    def error_count(self) -> int:
        """How many errors there are."""
        return sum(self.details.values())

    @property
    def listed(self) -> int:
        """How many of the errors are held, to be listed one by one."""
        return int(self.outcomes.wrong.sum())

    @property
    def sampled(self) -> bool:
        """Whether the errors that are listed are a sample."""
        return self.listed < self.error_count

    def to_dict(self, limit: int = SHOWN) -> dict[str, Any]:
        """Return plain data, with at most so many confusions and surface forms."""
        out: dict[str, Any] = {
            "scores": self.result.to_dict(),
            "error_count": self.error_count,
            **({"errors_sampled": self.listed} if self.sampled else {}),
            "kinds": self.kinds,
            "details": self.details,
            "confusion": self.confusion,
            "fixes": [fix.to_dict() for fix in self.fixes],
            "confusions": self.confusions.head(limit).to_dicts(),
            "forms": self.forms.head(limit).to_dicts(),
            "slices": [one.to_dict() for one in self.slices],
        }
        if self.confidence is not None:
            out["confidence"] = self.confidence.to_dict()
        return out

    def every_error(self) -> Iterator[Outcomes]:
        """Yield all outcomes, reading the input again if only a sample is held."""
        if not self.sampled:
            yield self.outcomes
            return
        gold, pred = self.result.inputs
        for (outcomes,) in read_outcomes(gold, [pred], [self.result.profile]):
            yield outcomes


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ExtractionExplanation(Explanation[System]):
    """Where extractors fail on the same gold.

    Attributes:
        systems: each system by its name, in the order given.
        comparison: how they compare; None for a single system.
        changes: what was fixed and broken from the first system to the second; None unless it was asked for.
        suspects: gold entities that look wrong, most likely first; None unless gold was checked.
    """

    changes: Changes | None = None

    searched = (("unit",), ("gold_text",), ("pred_text",), ("before", "at", "after"))

    def _errors(self, system: System, kind: str | None, label: str | None) -> pl.DataFrame:
        return self._listed(system, system.outcomes, kind, label)

    def _every(self, system: System, kind: str | None, label: str | None) -> Iterator[pl.DataFrame]:
        for outcomes in system.every_error():
            yield self._listed(system, outcomes, kind, label)

    def _listed(self, system: System, outcomes: Outcomes, kind: str | None, label: str | None) -> pl.DataFrame:
        if label is not None and not any(label in one.result.labels for one in self.systems.values()):
            raise unknown("label", label, self.first.result.labels)
        chosen = wanted_kind(outcomes, kind, in_detail=True)
        found = errors_frame(outcomes, chosen)
        if system.confidence is not None or outcomes.claims.pred.score is not None:
            found = _with_confidence(found, outcomes, chosen)
        if label is None:
            return found
        return found.filter(pl.any_horizontal(pl.col("gold_label", "pred_label").eq_missing(label)))

    def _more(self, limit: int) -> dict[str, Any]:
        out: dict[str, Any] = {} if self.changes is None else {"changes": self.changes.to_dict(limit)}
        if self.suspects is not None:
            first = self.suspects.frame.head(limit).to_dicts()
            out["suspects"] = {"count": len(self.suspects), "first": first}
            if self.suspects.sampled:
                out["suspects"] |= {"units_checked": self.suspects.checked, "units": self.suspects.of}
        return out

    @property
    def answer(self) -> AnswerText:
        """How the systems compare, or where a single one fails, in one sentence."""
        from karatage.reports import extraction_answer

        return extraction_answer(self)

    def page(self, title: str | None = None) -> Page:
        """Return the blocks of the page."""
        from karatage.reports import explanation_page

        return explanation_page(self, title)

    def _blocks(self) -> list[Block]:
        from karatage.reports import explanation_blocks

        return explanation_blocks(self)

    def _parts(self, errors: int, filters: ErrorFilters) -> Iterator[RenderableType]:
        from karatage.reports import explanation_parts

        return explanation_parts(self, errors, filters)


def _with_confidence(frame: pl.DataFrame, outcomes: Outcomes, chosen: Bools) -> pl.DataFrame:
    """Add the confidence of each prediction, null where it is unknown."""
    scores = outcomes.claims.pred.score
    if scores is None:
        return frame.with_columns(confidence=pl.lit(None, pl.Float64))
    return frame.with_columns(confidence=pl.Series(np.append(scores, np.nan)[outcomes.pred[chosen]], nan_to_null=True))
