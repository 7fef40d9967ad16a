"""What a scoring found: every number, with where it came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from karatage._shown import ShownMapping
from karatage._version import __version__
from karatage.errors import UsageError
from karatage.metrics import NEGATIVES, LabelScores, Metric, Rows, Score, Tally, evaluate
from karatage.scoring.skipped_shards import SkippedShard, skipped_warnings
from karatage.stats import DifferenceError, Evidence, Resampling, Sampler, design_effect, with_intervals

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from rich.console import RenderableType

    from karatage.reports import AnswerText, Citation
    from karatage.scoring.annotating import AnnotatedScores
    from karatage.scoring.judging import Judge
    from karatage.scoring.task import Digests, Task

_COUNTS = ("gold", "predicted", "correct")


class Result(ShownMapping[Score]):
    """Scores of predictions against gold.

    `result["f1"]` is a `Score`; so is any other metric of the grammar (`result["f0.5"]`, `result["recall[PER]"]`).
    As a mapping, it has the metrics that the profile reports: `dict(result)`, `"f1" in result`, `for name in result`.

    Attributes:
        profile: the profile that made it.
        nouns: what users call what was scored.
        tally: the counts that every number comes from.
        warnings: what a reader of the numbers should know.
        digests: the SHA-256 of gold and of the predictions, where they are files.
        resampling: how the intervals are made; None where there are none.
        judge: the judge whose labels the scores are estimated with, where there is one; counts and errors are those of
            the labelled units.
        annotators: the annotators whose mean the scores are, where there are several; counts are summed over them.
        skipped: the files that were left out because they cannot be read.
        caveat: what undermines the scores so much that the answer says so; empty if nothing does.
    """

    def __init__(
        self,
        *,
        task: Task,
        tally: Tally,
        warnings: tuple[str, ...],
        digests: Digests,
        resampling: Resampling | None = None,
        judge: Judge | None = None,
        annotators: AnnotatedScores | None = None,
        by_unit: Tally | None = None,
    ) -> None:
        self.profile, self.nouns = task.profile, task.nouns
        self.tally, self.warnings, self.digests, self.resampling = tally, warnings, digests, resampling
        self._task: Task | None = task if annotators is None else None
        self.judge, self.annotators = judge, annotators
        self.caveat = task.caveat if judge is None and annotators is None else ""
        self._by_unit = by_unit
        self.skipped: tuple[SkippedShard, ...] = ()
        self._scores: dict[Metric, Score] = {}
        self._asked: dict[str, Metric] = {}
        self._reported = False

    def __getstate__(self) -> dict[str, Any]:
        # What was read does not travel with the numbers: errors and the confusion matrix need it again.
        return self.__dict__ | {"_task": None}

    def _no_input(self, what: str) -> UsageError:
        """Return the error for what needs to read the input again."""
        if self.annotators is not None:
            return UsageError(f"each annotator has {what} of their own: see result.annotators.results[NAME]")
        return UsageError(f"this result was loaded without its input: score again to see its {what}")

    def __getattr__(self, name: str) -> Any:
        """Say which result has what this one lacks; `score` returns either, so type checkers let all names pass."""
        owners = [kind.__name__ for kind in Result.__subclasses__() if hasattr(kind, name)]
        raise AttributeError(f"{type(self).__name__} has no {name!r}" + (f"; {owners[0]} has" if owners else ""))

    def __getitem__(self, name: str) -> Score:
        """Return the score of a metric, reported or not."""
        metric = self.profile.metric(name)
        self._asked[name] = metric
        return self._of([metric])[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self.profile.metrics)

    def __len__(self) -> int:
        return len(self.profile.metrics)

    def __contains__(self, name: object) -> bool:
        return name in self.profile.metrics

    def get(self, name: str, default: Any = None) -> Any:
        """Return the score of a metric, or the default if there is no such metric."""
        try:
            return self[name]
        except UsageError:
            return default

    def __add__(self, other: Result) -> Result:
        """Return the scores of both inputs together, such as those of two batches of a training loop.

        Errors and the confusion matrix stay with the parts: this result has no input to read again.
        """
        if not isinstance(other, Result):
            return NotImplemented
        if (self.profile, self.resampling) != (other.profile, other.resampling):
            raise UsageError("only results with the same profile and options can be added")
        if any(one.judge or one.annotators or one._by_unit or one.skipped for one in (self, other)):
            raise UsageError("results with clusters, a judge, annotators or skipped files cannot be added")
        out = copy(self)
        out.tally, out.digests, out._task, out.caveat = self.tally + other.tally, (None, None), None, ""
        out.warnings = tuple(dict.fromkeys((*self.warnings, *other.warnings)))
        out._scores, out._asked, out._reported = {}, {}, False
        out.__dict__.pop("sampler", None)
        out.__dict__.pop("design_effect", None)
        return out

    def _of(self, metrics: Sequence[Metric]) -> list[Score]:
        """Return scores with their intervals; those that are not known yet are computed together."""
        new = [metric for metric in dict.fromkeys(metrics) if metric not in self._scores]
        uncounted = [metric for metric in new if not self.tally.counts(metric)]
        if uncounted and (self.judge is not None or self.annotators is not None):
            others = "a judge" if self.annotators is None else "several annotators"
            raise UsageError(f"{uncounted[0]} was not computed: name it in `metrics` when scoring with {others}")
        if uncounted and self._task is not None:
            self.tally = self._task.with_metrics(self.tally, uncounted, self.resampling)
            self.__dict__.pop("sampler", None)
        if self.annotators is not None:
            self._scores |= {metric: self.annotators.score(metric, self.resampling) for metric in new}
            return [self._scores[metric] for metric in metrics]
        scores = {m: evaluate(m, self.tally, self.profile.schema, self.profile.undefined) for m in new}
        if self.resampling is not None:
            defined = {m: score for m, score in scores.items() if score.undefined is None}
            scores |= with_intervals(defined, self.sampler, self.resampling)
        if self.judge is not None:
            scores = {m: self.judge.applied(m, score, self.sampler, self.resampling) for m, score in scores.items()}
        self._scores |= scores
        return [self._scores[metric] for metric in metrics]

    @cached_property
    def sampler(self) -> Sampler:
        """What the intervals are made with: the counts of each unit, ready to be drawn."""
        return self._sampler(self.tally)

    def _sampler(self, tally: Tally) -> Sampler:
        rows, *others = tally.rows or Rows.empty(tally.columns), tally.tokens, tally.means
        tokens, means = (None if kept is None else [kept] for kept in others)
        types = None if tally.typed is None else [tally.typed.rows or Rows.empty(tally.typed.columns)]
        return Sampler([rows], tokens, means, types=types, schema=self.profile.schema, undefined=self.profile.undefined)

    @cached_property
    def design_effect(self) -> float | None:
        """How many times larger the variance of the headline is than if units did not depend on each other.

        It compares what clusters, such as documents, do to the score with what their units do (Kish 1965). None where
        there are no clusters, no interval, or no differences between units.
        """
        metric = self.profile.metrics[self.profile.headline]
        if self._by_unit is None or self.headline.low is None:
            return None
        return design_effect(*(self._sampler(tally).evidence(metric, 0) for tally in (self.tally, self._by_unit)))

    @property
    def evidence(self) -> dict[Metric, Evidence]:
        """What the units tell about the scores over everything that are defined, the headline first."""
        every = [self.profile.metrics[self.profile.headline], *self.profile.metrics.values()]
        rules = self.profile.schema, self.profile.undefined
        known = [metric for metric in dict.fromkeys(every) if evaluate(metric, self.tally, *rules).undefined is None]
        return {metric: self.sampler.evidence(metric, 0) for metric in known}

    @property
    def _label_metrics(self) -> dict[str, dict[str, Metric]]:
        return {
            label: {name: replace(metric, label=label) for name, metric in self.profile.by_label.items()}
            for label in self.tally.reported_labels
        }

    def compute(self) -> Result:
        """Compute everything that is reported, in one pass over the resamples, and return the result itself."""
        if not self._reported:
            by_label = [m for metrics in self._label_metrics.values() for m in metrics.values()]
            self._of([*self.profile.metrics.values(), *by_label])
            self._reported = True
        return self

    def leave_out(self, skipped: tuple[SkippedShard, ...], files: int) -> None:
        """Say which files were left out, of so many of gold."""
        self.skipped = skipped
        self.warnings += skipped_warnings(skipped, files)

    @property
    def drawn(self) -> int:
        """How many units, or clusters of them, a resample draws."""
        return self.counts["units"] if self.resampling is None else self.sampler.size

    @property
    def detectable(self) -> float | None:
        """The minimum detectable difference in the headline, with a power of 80 %.

        It is for systems with unrelated errors; for systems with similar errors it is less. None where there is no
        interval, where no difference can be detected, and with several annotators, who judge other systems too: the
        interval of one system does not tell.
        """
        if self.headline.low is None or self.resampling is None or self.annotators is not None:
            return None
        level = self.resampling.level
        return DifferenceError.unrelated(self.headline, level).detectable(level)

    @property
    def answer(self) -> AnswerText:
        """What was scored, in one sentence."""
        from karatage.reports import result_answer

        return result_answer(self)

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
        """The scores of each label; if there are too many, of the most frequent ones in gold, with a warning."""
        self.compute()
        return {label: self._label(metrics) for label, metrics in self._label_metrics.items()}

    def _label(self, metrics: Mapping[str, Metric]) -> LabelScores:
        one = next(iter(metrics.values()))
        tally = self.tally.read_by(one) or self.tally
        rows = tally.layout.rows(one.group, one.label)
        counts = {name: int(tally.column(name)[rows].sum()) for name in _COUNTS}
        return LabelScores(dict(zip(metrics, self._of(list(metrics.values())), strict=True)), counts)

    @property
    def counts(self) -> dict[str, int]:
        """The counts over everything: units, gold, predicted, correct; tokens and invalid answers if there are any."""
        out = {"units": self.tally.facts["units"]}
        out |= {name: int(self.tally.column(name).sum()) for name in _COUNTS}
        out |= {name: int(self.tally.column(name).sum()) for name in NEGATIVES if name in self.tally.columns}
        out |= {
            name: self.tally.facts[name] for name in ("tokens", "tokens_correct", "invalid") if name in self.tally.facts
        }
        typed = self.tally.typed
        return out | ({} if typed is None else {f"{name}_tokens": int(typed.column(name).sum()) for name in _COUNTS})

    def more_data(self) -> dict[str, Any]:
        """Return what only this kind of result has, as plain data."""
        return {}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, in the shape that `--json` prints."""
        out: dict[str, Any] = {
            "answer": str(self.answer),
            "profile": self.profile.name,
            "options": dict(self.profile.options),
            "headline": self.profile.headline,
            "metrics": {name: score.to_dict() | self._over(name) for name, score in self.metrics.items()},
            "by_label": {label: scores.to_dict() for label, scores in self.by_label.items()},
            "counts": self.counts,
        }
        if self.judge is not None:
            out["judge"] = {"units": self.judge.units, "labelled": self.judge.labelled}
        if self.annotators is not None:
            out["annotators"] = self.annotators.to_dict()
        out |= self.more_data()
        if self.resampling is not None:
            out["intervals"] = self.resampling.to_dict() | {"resolvable": self.detectable}
            if self.resampling.cluster_by is not None:
                out["intervals"] |= {"clusters": self.drawn, "design_effect": self.design_effect}
        out["warnings"] = list(self.warnings)
        if self.skipped:
            out["skipped"] = [one.to_dict() for one in self.skipped]
        out["provenance"] = {"karatage": __version__, "gold": self.digests[0], "pred": self.digests[1]}
        if self.judge is not None:
            out["provenance"]["judge"] = self.judge.digest
        if self.annotators is not None:
            own = {name: result.digests[0] for name, result in self.annotators.results.items()}
            out["provenance"]["gold"] = own
        if self.resampling is not None:
            out["provenance"]["seed"] = self.resampling.seed
        return out

    def _over(self, name: str) -> dict[str, Any]:
        """Say what an average runs over: which labels, or how many units."""
        metric = self.profile.metrics[name]
        if metric in self.tally.values:
            return {"units": self.tally.values[metric].units}
        return {"over": metric.average.over} if metric.average.over else {}

    def to_frame(self, *, intervals: bool = False) -> pl.DataFrame:
        """Return the scores of each label as a Polars frame; the last row, without a label, is over everything.

        Args:
            intervals: whether each score has two further columns, `_low` and `_high`.
        """
        import polars as pl

        def cells(scores: Mapping[str, Score]) -> dict[str, float | None]:
            out: dict[str, float | None] = {}
            for name, score in scores.items():
                out[name] = score.value
                out |= {f"{name}_low": score.low, f"{name}_high": score.high} if intervals else {}
            return out

        rows = [{"label": label, **cells(scores), **scores.counts} for label, scores in self.by_label.items()]
        last = cells(dict(zip(self._overall, self._of(list(self._overall.values())), strict=True)))
        rows.append({"label": None, **last, **{name: self.counts[name] for name in _COUNTS}})
        kinds = dict.fromkeys(last, pl.Float64) | dict.fromkeys(_COUNTS, pl.Int64)
        return pl.DataFrame(rows, schema={"label": pl.String, **kinds})

    def to_pandas(self, *, intervals: bool = False) -> pd.DataFrame:
        """Return what `to_frame` returns as a pandas frame, without a need for pyarrow."""
        import pandas as pd

        return pd.DataFrame(self.to_frame(intervals=intervals).to_dict(as_series=False))

    def to_flat(
        self, *, undefined: float = float("nan"), labels: bool = True, intervals: bool = False
    ) -> dict[str, float]:
        """Return plain numbers for training loops and experiment trackers: `f1`, and `f1/PER` for a label.

        Args:
            undefined: the number for what is undefined; trackers often need 0.0.
            labels: whether to add the scores of labels.
            intervals: whether to add the ends of intervals, such as `f1_low` and `f1_high`.
        """
        named = dict(self.metrics)
        if labels:
            named |= {f"{name}/{label}": s for label, own in self.by_label.items() for name, s in own.items()}
        out: dict[str, float] = {}
        for name, score in named.items():
            out[name] = undefined if score.value is None else score.value
            if intervals:
                ends = {f"{name}_low": score.low, f"{name}_high": score.high}
                out |= {end: undefined if value is None else value for end, value in ends.items()}
        return out

    @property
    def _overall(self) -> Mapping[str, Metric]:
        """The metrics in the last row of the frame."""
        return self.profile.by_label

    def cite(self) -> Citation:
        """Return a paragraph on the methods that were used, and BibTeX for their sources."""
        from karatage.reports import cite_result

        return cite_result(self)

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows: overall, scenarios, groups, labels, warnings."""
        from karatage.reports import result_parts

        return result_parts(self)

    def __repr__(self) -> str:
        value = self.headline.value
        shown = "undefined" if value is None else f"{value:.4f}"
        return f"<{type(self).__name__} {self.profile.headline}={shown} like={self.profile.full_name!r}>"

    def _repr_html_(self) -> str:
        from karatage.reports import result_html

        return result_html(self)
