"""The result of an extraction: errors, their kinds, the confusion matrix, groups and scenarios."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from karatage.matching import Alignment, ClaimPair
from karatage.metrics import COUNTS, CREDIT, KINDS, LabelScores, Score, Tally, tally, total
from karatage.scoring.grounding_counts import ungrounded_share
from karatage.scoring.outcomes.error_frames import (
    COLUMNS,
    KIND_NAMES,
    check_kind,
    confusion_of,
    count_details,
    count_kinds,
    errors_frame,
    wanted_kind,
)
from karatage.scoring.outcomes.outcomes import Outcomes
from karatage.scoring.result import Result

if TYPE_CHECKING:
    import polars as pl

    from karatage.inputs import Input
    from karatage.scoring.extraction import Extraction
    from karatage.scoring.levels import Levels


class ExtractionResult(Result):
    """Scores of an extractor's predictions against gold."""

    _task: Extraction | None

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self._outcomes: Outcomes | None = None
        self._counted: Tally | None = self.tally if "missed" in self.tally.columns else None

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_outcomes": None}

    @property
    def inputs(self) -> tuple[Input, Input]:
        """Gold and the predictions, to be read again."""
        if self._task is None:
            raise self._no_input("errors")
        return self._task.gold, self._task.pred

    @property
    def by_group(self) -> dict[str, dict[str, LabelScores]]:
        """The scores of each label within each group of units."""
        out: dict[str, dict[str, LabelScores]] = {}
        by_label = self._label_metrics
        for group, label in self.tally.cells if self.profile.group_by else ():
            if label in by_label:
                metrics = {name: replace(m, group=group) for name, m in by_label[label].items()}
                out.setdefault(group, {})[label] = self._label(metrics)
        return out

    @property
    def kinds(self) -> dict[str, int]:
        """How many errors there are of each kind."""
        if self._counted is None and self._outcomes is not None:
            return count_kinds(self._outcomes)
        tally = self._with_kinds()
        names = {"type": "gold_type", "boundary": "gold_boundary", "both": "gold_both"}
        return {kind: int(tally.column(names.get(kind, kind)).sum()) for kind in KIND_NAMES}

    @property
    def confusion(self) -> dict[str, dict[str, int]]:
        """How often each gold label met each predicted label; the key `""` is missed (below) and spurious (above)."""
        out: dict[str, dict[str, int]] = {}
        known = self._counted is None and self._outcomes is not None
        pairs = confusion_of(self.outcomes()) if known else self._with_kinds().confusion
        for (gold, pred), count in sorted(pairs.items()):
            out.setdefault(gold, {})[pred] = count
        return out

    def _with_kinds(self) -> Tally:
        """Count the kinds of error, reading the input again if the profile did not ask for them."""
        if self._counted is None:
            parts = (tally(pair, alignment, kinds=True) for pair, alignment in self._pairs())
            self._counted = total(parts, COUNTS + KINDS)
        return self._counted

    def _pairs(self) -> Iterator[tuple[ClaimPair, Alignment]]:
        if self._task is None:
            raise self._no_input("errors")
        return self._task.pairs(kinds=True)

    def outcomes(self) -> Outcomes:
        """Return what became of every claim, in columns, reading the input again the first time."""
        if self._outcomes is None:
            self._outcomes = Outcomes.of(self._pairs())
        return self._outcomes

    @property
    def details(self) -> dict[str, int]:
        """How many errors there are of each kind in detail: too long, too short, split, merged …"""
        return count_details(self.outcomes())

    def errors(self, kind: str | None = None, *, limit: int | None = None) -> pl.DataFrame:
        """List what was wrong, with the text and what stands around it where that is known.

        Args:
            kind: only this kind: type, boundary, both, missed or spurious; or one in detail: too long, too short,
                shifted, split, merged or ungrounded.
            limit: at most so many rows.

        Returns:
            A Polars frame with a row for each error.
        """
        import polars as pl

        if kind is not None:
            check_kind(kind)
        frames = []
        left = limit
        for batch in (
            [self._outcomes] if self._outcomes is not None else (Outcomes.of([pair]) for pair in self._pairs())
        ):
            found = errors_frame(batch, wanted_kind(batch, kind))
            frames.append(found if left is None else found.head(left))
            left = None if left is None else left - len(frames[-1])
            if left == 0:
                break
        schema = {name: pl.Int64 if name.endswith(("start", "end")) else pl.String for name in COLUMNS}
        return pl.concat(frames) if frames else pl.DataFrame(schema=schema)

    @property
    def scenarios(self) -> dict[str, dict[str, float | None]]:
        """The counts and scores of each scenario of SemEval-2013, for the profiles that have them."""
        return {name: self._scenario(name) for name in self.profile.scenarios}

    def _scenario(self, name: str) -> dict[str, float | None]:
        column = {c: int(self.tally.column(c).sum()) for c in self.tally.columns}
        kinds = [column[f"gold_{k}"] for k in ("correct", "type", "boundary", "both")]
        counts = {
            what: sum(n for n, c in zip(kinds, CREDIT[name], strict=True) if c == share)
            for what, share in {"correct": 1, "incorrect": 0, "partial": 0.5}.items()
        }
        scores = {measure: self[f"{name}_{measure}"].value for measure in ("precision", "recall", "f1")}
        return {
            **counts,
            "missed": column["missed"],
            "spurious": column["spurious"],
            "possible": column["gold"],
            "actual": column["predicted"],
            **scores,
        }

    @cached_property
    def levels(self) -> Levels:
        """The same predictions scored by token, strictly, partially and by type, with why the scores differ."""
        from karatage.scoring.levels import levels_of

        if self._task is None:
            raise self._no_input("levels")
        return levels_of(self._task, self.resampling)

    @cached_property
    def ungrounded(self) -> Score | None:
        """The share of predicted values that do not occur in the text; None if predictions have offsets.

        If values are compared as values, only wrong ones count as ungrounded.
        """
        counted = self.tally.grounding
        return None if counted is None else ungrounded_share(counted, self.profile, self.resampling)

    def _grounding(self) -> dict[str, Any]:
        counted = self.tally.grounding
        if counted is None or self.ungrounded is None:
            return {}
        predicted, found = (int(counted.column(name).sum()) for name in ("predicted", "correct"))
        own = {"ground": self.profile.ground, "predicted": predicted, "ungrounded": predicted - found}
        return {"grounding": own | {"share": self.ungrounded.to_dict()}}

    def more_data(self) -> dict[str, Any]:
        """Return scenarios, groups and how many values are in the text, where there are any, as plain data."""
        out: dict[str, Any] = {"scenarios": self.scenarios} if self.profile.scenarios else {}
        if self.profile.group_by:
            groups = self.by_group.items()
            out["by_group"] = {group: {k: v.to_dict() for k, v in labels.items()} for group, labels in groups}
        return out | self._grounding()
