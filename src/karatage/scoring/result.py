"""What a scoring found: every number, with where it came from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from karatage.errors import UsageError
from karatage.matching import Alignment, Sides
from karatage.metrics import NEGATIVES, LabelScores, Metric, Rows, Score, Tally, evaluate
from karatage.profiles import Profile
from karatage.scoring.outcomes import COLUMNS, KIND_NAMES, Outcomes, errors_frame, wanted_kind
from karatage.scoring.outcomes.counting import confusion_of, count_details, count_kinds
from karatage.scoring.outcomes.error_frames import check_kind
from karatage.scoring.rereading import Repeatable
from karatage.scoring.result_data import as_dict, as_frame, scenario
from karatage.stats import (
    Resampling,
    Sampler,
    implied_error,
    minimum_detectable_difference,
    possible,
    unpaired_error,
    with_intervals,
)

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray
    from rich.console import Console, ConsoleOptions, RenderResult


class Result:
    """Scores of predictions against gold.

    `result["f1"]` is a `Score`; so is any other metric of the grammar (`result["f0.5"]`, `result["recall[PER]"]`).

    Attributes:
        profile: the profile that made it.
        tally: the counts that every number comes from.
        warnings: what a reader of the numbers should know.
        digests: the SHA-256 of the gold and of the predicted files, where they are files.
        resampling: how the intervals are made; None where there are none.
    """

    def __init__(
        self,
        profile: Profile,
        tally: Tally,
        warnings: tuple[str, ...],
        digests: tuple[str | None, str | None],
        run: Repeatable | None,
        resampling: Resampling | None = None,
    ) -> None:
        self.profile, self.tally, self.warnings, self.digests = profile, tally, warnings, digests
        self.resampling = resampling
        self._run = run
        self._scores: dict[Metric, Score] = {}
        self._asked: dict[str, Metric] = {}
        self._reported = False
        self._outcomes: Outcomes | None = None
        self._counted: Tally | None = tally if "missed" in tally.columns else None

    def __getstate__(self) -> dict[str, Any]:
        # What was read does not travel with the numbers: errors and confusion ask for it again.
        return self.__dict__ | {"_run": None, "_outcomes": None}

    def __getitem__(self, name: str) -> Score:
        """Return the score of a metric, reported or not."""
        metric = self.profile.metric(name)
        self._asked[name] = metric
        return self._of([metric])[0]

    def _of(self, metrics: Sequence[Metric]) -> list[Score]:
        """Return scores with their intervals; those that are not known yet are computed together."""
        new = [metric for metric in dict.fromkeys(metrics) if metric not in self._scores]
        uncounted = [metric for metric in new if metric.per_unit and metric not in self.tally.values]
        if uncounted and self._run is not None:
            self.tally = self._run.with_metrics(self.tally, uncounted)
            self.__dict__.pop("sampler", None)
        scores = {m: evaluate(m, self.tally, self.profile.schema, self.profile.undefined) for m in new}
        if self.resampling is not None:
            defined = {m: score for m, score in scores.items() if score.undefined is None}
            scores |= with_intervals(defined, self.sampler, self.resampling)
        self._scores |= scores
        return [self._scores[metric] for metric in metrics]

    @cached_property
    def sampler(self) -> Sampler:
        """What the intervals are made with: the counts of each unit, ready to be drawn."""
        rows, *others = self.tally.rows or Rows.empty(self.tally.columns), self.tally.tokens, self.tally.means
        tokens, means = (None if kept is None else [kept] for kept in others)
        return Sampler([rows], tokens, means, schema=self.profile.schema, undefined=self.profile.undefined)

    @property
    def _label_metrics(self) -> dict[str, dict[str, Metric]]:
        return {
            label: {name: replace(metric, label=label) for name, metric in self.profile.by_label.items()}
            for label in self.labels
        }

    def compute(self) -> Result:
        """Compute everything that is reported, in one pass over the resamples, and return the result itself."""
        if not self._reported:
            by_label = [m for metrics in self._label_metrics.values() for m in metrics.values()]
            self._of([*self.profile.metrics.values(), *by_label])
            self._reported = True
        return self

    @property
    def drawn(self) -> int:
        """How many units, or clusters of them, a resample draws."""
        return self.counts["units"] if self.resampling is None else self.sampler.size

    @property
    def resolvable(self) -> float | None:
        """The smallest difference in the headline that this test set can show, with a power of 80 %.

        For another system whose errors are unrelated to this one's; where they are alike, smaller ones show too. None
        where there is no interval, or where not even the largest difference would show.
        """
        low, high = self.headline.low, self.headline.high
        if low is None or high is None or self.resampling is None:
            return None
        level = self.resampling.level
        return possible(minimum_detectable_difference(unpaired_error(implied_error(low, high, level)), level))

    @property
    def profile_name(self) -> str:
        """The profile's name, and what the call changed in it."""
        return self.profile.full_name

    @property
    def headline(self) -> Score:
        """The score to look at first."""
        return self[self.profile.headline]

    @property
    def metrics(self) -> dict[str, Score]:
        """The scores that the profile reports."""
        self.compute()
        return dict(zip(self.profile.metrics, self._of(list(self.profile.metrics.values())), strict=True))

    @property
    def labels(self) -> list[str]:
        """The labels that occur in gold or predictions."""
        return self.tally.labels

    @property
    def by_label(self) -> dict[str, LabelScores]:
        """The scores of each label."""
        self.compute()
        return {label: self._label(metrics) for label, metrics in self._label_metrics.items()}

    @property
    def by_group(self) -> dict[str, dict[str, LabelScores]]:
        """The scores of each label within each group of units."""
        out: dict[str, dict[str, LabelScores]] = {}
        for group, label in self.tally.cells if self.profile.group_by else ():
            metrics = {name: replace(m, group=group) for name, m in self._label_metrics[label].items()}
            out.setdefault(group, {})[label] = self._label(metrics)
        return out

    def _label(self, metrics: Mapping[str, Metric]) -> LabelScores:
        one = next(iter(metrics.values()))
        rows = self.tally.layout.rows(one.group, one.label)
        counts = {name: int(self.tally.column(name)[rows].sum()) for name in ("gold", "predicted", "correct")}
        return LabelScores(dict(zip(metrics, self._of(list(metrics.values())), strict=True)), counts)

    @property
    def counts(self) -> dict[str, int]:
        """The counts over everything: units, gold, predicted, correct and, for tags, tokens."""
        out = {"units": self.tally.facts["units"]}
        out |= {name: int(self.tally.column(name).sum()) for name in ("gold", "predicted", "correct")}
        out |= {name: int(self.tally.column(name).sum()) for name in NEGATIVES if name in self.tally.columns}
        return out | {name: self.tally.facts[name] for name in ("tokens", "tokens_correct") if name in self.tally.facts}

    @property
    def by_unit(self) -> pl.DataFrame:
        """For search, a row for each query: its counts, and the values of the metrics that belong to a query.

        The metrics are those that are reported, and those that were asked for since. Null where a value is undefined.
        """
        if self._run is None:
            raise UsageError("the input did not travel with this result: score again to look at its units")
        return self._run.by_unit(dict(self.profile.metrics) | self._asked)

    def documents(self, depth: int = 10) -> pl.DataFrame:
        """For search, list the judged documents that stand where they should not, reading the input again.

        Args:
            depth: how many of the first results a relevant document should be among.

        Returns:
            A Polars frame with the query, the kind (missed, too low or too high), the document, its grade and its rank.
        """
        return self._again.documents(depth)

    def prices(self) -> NDArray[np.float64] | None:
        """For search, return the mean price of the relevant documents of each query; None where none is known."""
        return self._again.prices()

    @property
    def _again(self) -> Repeatable:
        if self._run is None:
            raise UsageError("the input did not travel with this result: score again to look at its errors")
        return self._run

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
            from karatage.metrics import COUNTS, KINDS, tally, total

            parts = (tally(sides, alignment, kinds=True) for sides, alignment in self._pairs())
            self._counted = total(parts, COUNTS + KINDS)
        return self._counted

    def _pairs(self) -> Iterator[tuple[Sides, Alignment]]:
        return self._again.pairs(kinds=True)

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
        for batch in [self._outcomes] if self._outcomes is not None else map(_outcomes, self._pairs()):
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
        return {name: scenario(self, name) for name in self.profile.scenarios}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, in the shape that `--json` prints."""
        return as_dict(self)

    def to_json(self) -> str:
        """Return everything as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)

    def to_frame(self, *, intervals: bool = False) -> pl.DataFrame:
        """Return the scores of each label as a Polars frame; the last row, without a label, is over everything.

        Search has no labels: the only row has the reported metrics.

        Args:
            intervals: whether each score has two further columns, `_low` and `_high`.
        """
        reported = self.profile.metrics if self.profile.search else self.profile.by_label
        everything = dict(zip(reported, self._of(list(reported.values())), strict=True))
        return as_frame(self, everything, intervals=intervals)

    def __str__(self) -> str:
        from karatage.reports import result_text

        return result_text(self)

    def __repr__(self) -> str:
        value = self.headline.value
        shown = "undefined" if value is None else f"{value:.4f}"
        return f"<Result {self.profile.headline}={shown} like={self.profile_name!r}>"

    def _repr_html_(self) -> str:
        from karatage.reports import result_html

        return result_html(self)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from karatage.reports import result_parts

        yield from result_parts(self)


def _outcomes(batch: tuple[Sides, Alignment]) -> Outcomes:
    return Outcomes.of([batch])
