"""Levels: the same predictions scored by token, strictly, partially and by type, and why the scores differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karatage._shown import Shown
from karatage.errors import UsageError
from karatage.matching import Kind, get_rule
from karatage.metrics import FBeta, Metric, Precision, Recall, Score, count_types, on_tokens
from karatage.profiles import Profile
from karatage.scoring.extraction import Extraction
from karatage.scoring.extraction_result import ExtractionResult
from karatage.scoring.nouns import counted
from karatage.stats import Resampling

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, kw_only=True)
class Level:
    """One way to score.

    Attributes:
        name: token, strict, partial or type; for values official, run-merged or token.
        about: what earns credit.
        scores: precision, recall and F.
    """

    name: str
    about: str
    scores: Mapping[str, Score]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"about": self.about, **{name: score.to_dict() for name, score in self.scores.items()}}


@dataclass(frozen=True, kw_only=True, eq=False)
class Levels(Shown):
    """The scores of each level, and why they differ.

    Attributes:
        levels: the levels by name.
        reasons: why they differ, a sentence each.
        resampling: how the intervals are made; None where there are none.
    """

    levels: Mapping[str, Level]
    reasons: tuple[str, ...]
    resampling: Resampling | None

    _width = 80

    def __getitem__(self, name: str) -> Mapping[str, Score]:
        if name not in self.levels:
            raise UsageError(f"unknown level {name!r}. Known: {', '.join(self.levels)}")
        return self.levels[name].scores

    def __repr__(self) -> str:
        last = {name: list(level.scores.values())[-1] for name, level in self.levels.items()}
        return f"<Levels {', '.join(f'{name}={score:.4f}' for name, score in last.items())}>"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {"levels": {name: own.to_dict() for name, own in self.levels.items()}, "reasons": list(self.reasons)}

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows."""
        from karatage.reports import levels_parts

        return levels_parts(self)


def levels_of(task: Extraction, resampling: Resampling | None) -> Levels:
    """Score a task on every level that its data has, reading the input again."""
    task.check_repeatable()
    how = Resampling(resamples=0) if resampling is None else resampling
    first = next(iter(task.gold.batches()), None)
    tokens = first is None or first.space == "token"
    make = _of_values if task.profile.rule.of_values else _of_spans
    levels, reasons = make(task, how, tokens)
    return Levels(levels={level.name: level for level in levels}, reasons=tuple(reasons), resampling=resampling)


def _of_spans(task: Extraction, resampling: Resampling, tokens: bool) -> tuple[list[Level], list[str]]:
    wanted = [*(["token"] if tokens else []), *_SPANS]
    metrics = {name: _metrics(task.profile, name) for name in wanted}
    profile = replace(task.profile, rule=get_rule("exact"), kinds=True)
    result = _scored(task, _with_metrics(profile, metrics), resampling)
    levels = [_level(result, name, _ABOUT[name], own) for name, own in metrics.items()]
    reasons = [
        f"{counted(count, 'entity')} {_plural(count, 'has', 'have')} "
        + what.format(
            error=_plural(count, "an error", "errors"), half=_plural(count, "half a credit", "half a credit each")
        )
        for count, what in ((result.kinds[kind], what) for kind, what in _DIFFERENCES.items())
        if count
    ]
    missed, spurious = result.kinds["missed"], result.kinds["spurious"]
    if missed or spurious:
        reasons.append(
            f"{counted(missed, 'gold entity')} without a matching prediction and {counted(spurious, 'prediction')} "
            "without a matching gold entity are errors under strict, partial and type"
        )
    return levels, [*reasons, *(_token_reasons(result) if tokens else [_NO_TOKENS])]


def _of_values(task: Extraction, resampling: Resampling, tokens: bool) -> tuple[list[Level], list[str]]:
    if not tokens:
        raise UsageError(
            f"the profile {task.profile.name} compares values, and these have no tokens: --levels needs tagged data"
        )
    value, token = _metrics(task.profile, "value"), _metrics(task.profile, "token")
    alone = _with_metrics(replace(task.profile, merge=False), {"value": value, "token": token})
    official = _scored(task, alone, resampling)
    merged = _scored(task, _with_metrics(replace(task.profile, merge=True), {"value": value}), resampling)
    levels = [
        _level(official, "official", "each value by itself", value),
        _level(merged, "run-merged", "adjacent entities of one label merged to one value", value),
        _level(official, "token", _ABOUT["token"], token),
    ]
    joined = [official.counts[side] - merged.counts[side] for side in ("gold", "predicted")]
    reasons = []
    if any(joined):
        reasons.append(
            f"Merging adjacent entities with the same label leaves {counted(joined[0], 'fewer gold value')} and "
            f"{counted(joined[1], 'fewer predicted value')}: where gold and predictions split such a run differently, "
            "official counts errors and run-merged does not"
        )
    else:
        reasons.append("No adjacent entities have the same label, so official and run-merged are the same")
    return levels, [*reasons, *_token_reasons(official, "official")]


def _metrics(profile: Profile, level: str) -> dict[str, Metric]:
    """Return precision, recall and F of a level, averaged as the headline is where the level allows it."""
    headline = profile.claims_headline
    like = Metric(FBeta()) if headline.per_unit else replace(headline, scenario="", label=None)
    measures = [Precision(), Recall(), FBeta.closest(like.measure)]
    scenario = level if level in ("partial", "type") else ""  # strict is what exact matching gives
    return {
        str(measure): replace(like, measure=on_tokens(measure) if level == "token" else measure, scenario=scenario)
        for measure in measures
    }


def _with_metrics(profile: Profile, metrics: Mapping[str, Mapping[str, Metric]]) -> Profile:
    every = {str(metric): metric for own in metrics.values() for metric in own.values()}
    return replace(profile, metrics=every, headline=next(iter(every)), by_label={})


def _scored(task: Extraction, profile: Profile, resampling: Resampling) -> ExtractionResult:
    result = Extraction(task.gold, task.pred, profile).score(resampling)
    assert isinstance(result, ExtractionResult)  # noqa: S101  for type checkers
    return result


def _level(result: ExtractionResult, name: str, about: str, metrics: Mapping[str, Metric]) -> Level:
    scores = result.metrics
    return Level(name=name, about=about, scores={short: scores[str(metric)] for short, metric in metrics.items()})


def _token_reasons(result: ExtractionResult, level: str = "strict") -> list[str]:
    """Say how long entities are, the correct ones and the others, and how many correct tokens lie in the others."""
    counts = result.counts
    if not counts["gold"]:
        return []
    outcomes = result.outcomes()
    right = outcomes.gold[outcomes.kind == Kind.CORRECT]
    inside = count_types(outcomes.claims.gold.keep(np.sort(right)))
    rest = max(counts["correct_tokens"] - inside, 0)
    others = counts["gold"] - len(right)
    sizes = ""
    if len(right) and others:
        correct, wrong = inside / len(right), (counts["gold_tokens"] - inside) / others
        sizes = f" ({correct:.2f} if correct under {level}, {wrong:.2f} if not)"
    return [
        f"Gold entities have {counts['gold_tokens'] / counts['gold']:.2f} tokens on average{sizes}, and each counts by "
        "itself at token level: "
        f"{rest:,} of the {counted(counts['correct_tokens'], 'correct token')} "
        f"{_plural(rest, 'lies', 'lie')} in entities that are errors under {level}"
    ]


def _plural(count: int, one: str, several: str) -> str:
    return one if count == 1 else several


_SPANS = ("strict", "partial", "type")

_ABOUT = {
    "token": "tokens with the correct label, whatever the boundaries",
    "strict": "same span and same label",
    "partial": "same span, or half for an overlap; any label",
    "type": "overlap and same label",
}

_DIFFERENCES = {
    "boundary": "the correct label but the wrong boundaries: {error} under strict, {half} under partial, "
    "correct under type",
    "type": "the correct boundaries but the wrong label: {error} under strict and type, correct under partial",
    "both": "only an overlap with a prediction of another label: {error} under strict and type, {half} under partial",
}

_NO_TOKENS = "There is no token level: gold and predictions have character offsets"
