"""What a single system reaches, in one sentence: its score, and where it is weakest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karatage.reports.answer_texts import AnswerText, LabelName, SystemName, metric_text, numbers, score_text
from karatage.reports.comparison_answers import comparison_answer
from karatage.scoring import Result, counted

if TYPE_CHECKING:
    from karatage.experiments import ExperimentComparison
    from karatage.explanation import ExtractionExplanation, SampleExplanation, SearchExplanation
    from karatage.recall import RecallEstimate
    from karatage.training import Sweep


def result_answer(result: Result) -> AnswerText:
    """Say in one sentence what was scored."""
    return AnswerText([*_score(result), *_weakest(result), *_caveat(result)])


def extraction_answer(explanation: ExtractionExplanation) -> AnswerText:
    """Say in one sentence how extractors compare, or where a single one fails."""
    if explanation.comparison is not None:
        return comparison_answer(explanation.comparison)
    system = explanation.first
    out = [*_score(system.result), *_weakest(system.result)]
    worst = next((fix for fix in system.fixes if fix.gain is not None and fix.gain > 0), None)
    if worst is not None and worst.gain is not None:
        cost = f"{numbers(worst.gain)[0]} {metric_text(system.metric)}"
        out.append(f"; costliest kind of error: {worst.kind} ({cost})")
    return AnswerText(out)


def search_answer(explanation: SearchExplanation) -> AnswerText:
    """Say in one sentence how search engines compare, or on how many queries a single one fails."""
    if explanation.comparison is not None:
        return comparison_answer(explanation.comparison)
    system = explanation.first
    measure = "it" if system.measure == system.result.profile.headline else metric_text(system.measure)
    some = system.failed > 0 and system.failed < system.queries[system.measure].count()  # of those with a value
    more = [f"; {measure} is 0 for {counted(system.failed, 'query')}"] if some else []
    return AnswerText([*_score(system.result), *more, *_caveat(system.result)])


def samples_answer(explanation: SampleExplanation) -> AnswerText:
    """Say in one sentence how systems compare whose scores come from logs, or how many samples a single one fails."""
    if explanation.comparison is not None:
        return comparison_answer(explanation.comparison)
    system = explanation.first
    wrong = system.hardest().height
    more = [f"; {counted(wrong, 'sample')} {'is' if wrong == 1 else 'are'} not perfect"] if wrong else []
    return AnswerText([*_score(system.result), *more])


def _score(result: Result) -> list[str]:
    """Say what the headline is, and on how much it rests."""
    score, metric = result.headline, metric_text(result.profile.headline)
    units = f"on {_units(result)}"
    if score.value is None:
        return [f"{metric} is undefined {units} ({result.nouns.worded(score.undefined or '')})"]
    level = None if result.resampling is None else result.resampling.level
    out = f"{metric} is {score_text(score, level)} {units}"
    if result.annotators is not None:
        out += f", the mean over {counted(len(result.annotators.names), 'annotator')}"
    if score.undefined is not None:
        out += f", by convention: it is undefined ({result.nouns.worded(score.undefined)})"
    elif score.withheld is not None:
        out += f" (no interval: {result.nouns.worded(score.withheld)})"
    return [out]


def _caveat(result: Result) -> list[str]:
    return [f"; {result.caveat}"] if result.caveat and result.headline.value is not None else []


def _units(result: Result) -> str:
    """Say how many units a score rests on; those without a value are not in a mean over units."""
    unit, count = result.nouns.unit, result.counts["units"]
    if result.judge is not None:
        return f"{counted(result.judge.units, unit)}, {result.judge.labelled:,} of them labelled"
    mean = result.tally.values.get(result.profile.metrics[result.profile.headline])
    some = mean is not None and 0 < mean.units < count and result.annotators is None
    return f"{mean.units:,} of {counted(count, unit)}" if mean is not None and some else counted(count, unit)


def _weakest(result: Result) -> list[str]:
    """Name the label of gold with the lowest score, where labels differ; in groups of units, a label may be another."""
    if not result.profile.by_label or result.profile.group_by:
        return []
    wanted = result.profile.label_headline
    name = next((name for name, metric in result.profile.by_label.items() if metric == wanted), None)
    if name is None or result.headline.value is None or not wanted.higher_is_better:
        return []
    found = {
        label: own[name].value
        for label, own in result.by_label.items()
        if own.counts["gold"] and own[name].value is not None
    }
    values = {label: value for label, value in found.items() if value is not None}
    if len({*values.values()}) < 2:
        return []
    label = min(values, key=lambda label: (values[label], label))
    scored = score_text(result.by_label[label][name])
    measure = "" if name == result.profile.headline else f"{metric_text(name)} "
    return ["; lowest for ", LabelName(label), f", {measure}{scored}"]


def recall_answer(found: RecallEstimate) -> AnswerText:
    """Say in one sentence what the recall of a tagger on a corpus is, and where it is lowest."""
    from karatage.recall import STORED

    level, system = found.level, found.system if found.system == STORED else SystemName(found.system)
    if found.recall.value is None:
        return AnswerText(["the recall of ", system, " is undefined", _because(found.recall.undefined)])
    out = ["the recall of ", system, " on ", SystemName(found.benchmark)]
    out += [f" is {score_text(found.recall, level)}"]
    strata = {row.name: row.recall for row in found.strata if row.recall.value is not None}
    if len({float(score) for score in strata.values()}) > 1:
        name = min(strata, key=lambda name: (float(strata[name]), name))
        out += ["; lowest in stratum ", LabelName(name), f", {score_text(strata[name], level)}"]
    if found.corrected is not None and found.corrected.recall.value is not None:
        out += [f"; {score_text(found.corrected.recall, level)} with labels corrected"]
    if found.hidden:
        out += [f"; strata without positives may hide up to {found.hidden:,} positives"]
    return AnswerText(out)


def _because(reason: str | None) -> str:
    return "" if reason is None else f" ({reason})"


def experiments_answer(found: ExperimentComparison) -> AnswerText:
    """Say in one sentence how two experiments differ."""
    if found.test is not None:
        return comparison_answer(found.test)
    one, other = (SystemName(name) for name in found.names)
    return AnswerText(["no test of ", one, " against ", other, f": {found.why_no_test}"])


def sweep_answer(sweep: Sweep) -> AnswerText:
    """Say in one sentence which variant is best."""
    if sweep.comparison is not None:
        return comparison_answer(sweep.comparison)
    best, metric = sweep.rows[0], metric_text(sweep.metric)
    over = f" over {counted(len(best.values), 'seed')}" if len(best.values) > 1 else ""
    name, mean = SystemName(best.variant.name), numbers(best.mean)[0]
    if len(sweep.rows) == 1:
        return AnswerText([name, f" has a mean {metric} of {mean}{over}" if over else f" has {metric} {mean}"])
    mean_of = "mean " if over else ""
    return AnswerText([name, f" has the highest {mean_of}{metric}, {mean}{over}; differences were not tested"])
