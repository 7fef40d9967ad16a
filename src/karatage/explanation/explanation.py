"""What an explanation found: where each system fails, what that costs, and what looks wrong in the gold itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from karatage.comparison import Comparison
from karatage.errors import unknown
from karatage.explanation.changes import Changes, changes
from karatage.explanation.common import SHOWN, Explained, Report
from karatage.explanation.confidence import Confidence, confidence
from karatage.explanation.fixes import Fix, fixes
from karatage.explanation.frequent import frequent_confusions, frequent_forms
from karatage.explanation.gold_check import Suspects, check_gold
from karatage.explanation.slices import Slice, Training, slice_outcomes
from karatage.scoring import Outcomes, Result, errors_frame, wanted_kind
from karatage.stats import Resampling

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray


SUSPICIOUS = 0.05
"""The score above which a gold claim is listed: with less, every error of a single system would be a suspect."""


@dataclass(frozen=True, eq=False)
class System:
    """Where one system fails.

    Attributes:
        name: what it is called.
        result: its scores.
        by: what its slices are by; empty takes all that apply.
        training: the surface forms that it may have learnt.
    """

    name: str
    result: Result
    by: tuple[str, ...] = ()
    training: Training | None = field(default=None, repr=False)

    @property
    def outcomes(self) -> Outcomes:
        """What became of every claim."""
        return self.result.outcomes()

    @property
    def metric(self) -> str:
        """What the costs of errors are told in, as the profile calls it."""
        profile = self.result.profile
        chosen = profile.claims_headline
        return profile.headline if chosen == profile.metrics[profile.headline] else str(chosen)

    @cached_property
    def fixes(self) -> tuple[Fix, ...]:
        """What each kind of error costs in the headline, the dearest first."""
        return fixes(self.outcomes, self.result.profile, self.result.profile.claims_headline, self.result.resampling)

    @cached_property
    def confusions(self) -> pl.DataFrame:
        """The labels that are taken for others, the most frequent first."""
        return frequent_confusions(self.outcomes)

    @cached_property
    def forms(self) -> pl.DataFrame:
        """The surface forms that are wrong most often."""
        return frequent_forms(self.outcomes)

    @cached_property
    def slices(self) -> list[Slice]:
        """The scores of parts of the test set, with a mark where a part is really worse or better than the rest."""
        resampling = self.result.resampling or Resampling(0)
        return slice_outcomes(self.outcomes, self.result.profile, resampling, by=self.by, training=self.training)

    @property
    def unseen(self) -> bool:
        """Whether training data was given and none of the texts occurs in it."""
        return self.training is not None and not self.by and not any(s.by == "seen in training" for s in self.slices)

    @cached_property
    def confidence(self) -> Confidence | None:
        """What the confidence of the predictions is worth; None where they have none."""
        return confidence(self.outcomes, self.result.profile)

    def to_dict(self, limit: int = SHOWN) -> dict[str, Any]:
        """Return plain data.

        Args:
            limit: at most so many confusions and surface forms.
        """
        wrong = self.outcomes.wrong  # read before the kinds are counted, which it spares another reading
        out: dict[str, Any] = {
            "scores": self.result.to_dict(),
            "error_count": int(wrong.sum()),
            "kinds": self.result.kinds,
            "details": self.result.details,
            "confusion": self.result.confusion,
            "fixes": [fix.to_dict() for fix in self.fixes],
            "confusions": self.confusions.head(limit).to_dicts(),
            "forms": self.forms.head(limit).to_dicts(),
            "slices": [one.to_dict() for one in self.slices],
        }
        if self.confidence is not None:
            out["confidence"] = self.confidence.to_dict()
        return out


class Explanation(Explained[System]):
    """Where systems fail on the same gold.

    Attributes:
        systems: each system by its name, in the order given.
        comparison: how they compare; None where there is one system.
        diff: whether the second system is the first one's successor.
        check: whether to look for claims of the gold that look wrong.
    """

    def __init__(
        self,
        systems: Mapping[str, System],
        comparison: Comparison | None = None,
        *,
        diff: bool = False,
        check: bool = True,
    ) -> None:
        super().__init__(systems, comparison)
        self.diff, self.check = diff, check

    @cached_property
    def changes(self) -> Changes | None:
        """What was fixed and what was broken from the first system to the second; None where that was not asked."""
        if not self.diff:
            return None
        old, new = self.systems.values()
        return changes(old.outcomes, new.outcomes, by=old.by, training=old.training)

    @cached_property
    def suspects(self) -> Suspects:
        """Claims of the gold that look wrong, the most likely first; asked for, they are found in any case."""
        return check_gold({name: system.outcomes for name, system in self.systems.items()}, least=SUSPICIOUS)

    sought = (("unit",), ("gold_text",), ("pred_text",), ("before", "at", "after"))

    def _errors(self, system: System, kind: str | None, label: str | None) -> pl.DataFrame:
        import polars as pl

        if label is not None and not any(label in one.result.labels for one in self.systems.values()):
            raise unknown("label", label, self.first.result.labels)
        chosen = wanted_kind(system.outcomes, kind, in_detail=True)
        found = _with_confidence(errors_frame(system.outcomes, chosen), system.outcomes, chosen)
        if label is None:
            return found
        return found.filter(pl.any_horizontal(pl.col("gold_label", "pred_label").eq_missing(label)))

    def _more(self, limit: int) -> dict[str, Any]:
        out: dict[str, Any] = {} if self.changes is None else {"changes": self.changes.to_dict(limit)}
        if not self.check:
            return out
        first = self.suspects.frame.head(limit).to_dicts()
        return out | {"suspects": {"count": len(self.suspects), "first": first}}

    def _report(self) -> Report:
        from karatage.reports import explanation_blocks, explanation_page, explanation_parts

        return Report(explanation_page, explanation_blocks, explanation_parts)


def _with_confidence(frame: pl.DataFrame, outcomes: Outcomes, chosen: NDArray[np.bool_]) -> pl.DataFrame:
    """Add how sure the system was of each prediction, where that is known."""
    import polars as pl

    scores = outcomes.sides.pred.score
    if scores is None:
        return frame
    return frame.with_columns(confidence=pl.Series(np.append(scores, np.nan)[outcomes.pred[chosen]], nan_to_null=True))
