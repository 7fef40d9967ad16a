"""A comparison as tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from karatage.comparison import Comparison, Contest, Difference
from karatage.metrics import Score
from karatage.reports.terminal.answer_line import answer_line
from karatage.reports.terminal.difference_texts import BRIEF, ends, margin_verdict, p_value, signed, verdict
from karatage.reports.terminal.judge_tables import judge_parts, labelled_units
from karatage.reports.terminal.query_change_tables import query_change_parts
from karatage.reports.terminal.result_tables import (
    annotators_line,
    design_effect_line,
    detectable_note,
    in_clusters,
    percent,
    show,
    show_interval,
)
from karatage.reports.terminal.set_tables import BETWEEN, by_set, set_notes, set_sheets
from karatage.reports.terminal.text_tables import FittingTable, Sheet, warning_line
from karatage.scoring import counted, plural

_ERROR = "standard error"
_LABELS = 40
_LONG = 12
_DISPUTED = 3
_UNITS = 10
TEXT = "query text"
WORDS = ("system", "other", "verdict", TEXT)
"""Columns that hold words, which are aligned to the left."""
PROSE = ("verdict", TEXT)
"""Those whose words wrap."""
VERDICTS = ("verdict",)
"""Those that are left out last."""
_ANNOTATED = ("SD over annotators", "share of variance")

_TESTS = {
    "t": "paired t-test over {units}, with an allowance for few {units}",
    "randomisation": "paired approximate randomisation over {units}",
    "bootstrap": "paired bootstrap over {units}",
    "runs and units": "t-test with the variance over runs and over {units}",
    "annotators and units": "t-test with the variance over annotators and over {units}",
}


def comparison_parts(comparison: Comparison) -> Iterator[RenderableType]:
    """Yield what a terminal shows of a comparison: ranks, differences, labels, units, test sets, warnings."""
    yield Text.assemble(("karatage", "bold"), " · " + headline(comparison))
    yield answer_line(comparison.answer)
    yield from comparison_tables(comparison)


def comparison_tables(comparison: Comparison) -> Iterator[RenderableType]:
    """Yield what stands below the answer: ranks, differences, labels, units, test sets, warnings."""
    for sheet in sheets(comparison):
        table = comparison_table(sheet, (comparison.nouns.units, comparison.nouns.gold))
        yield Group(Text(sheet.title, "bold"), table) if sheet.title else table
    yield from query_change_parts(comparison)
    interval = f"{percent(comparison.resampling.level)} interval"
    yield from judge_parts("system", comparison.headline.scores, comparison.nouns.unit, interval)
    for line in notes(comparison):
        yield Text(line, "dim")
    for warning in comparison.warnings:
        yield warning_line(warning)


def comparison_table(sheet: Sheet, counts: Sequence[str] = ()) -> FittingTable:
    """Make a table of a comparison: the last thing that it loses is its verdicts."""
    spare = ("p", _ERROR, BETWEEN, "runs", *_ANNOTATED[::-1], *counts)
    brief = BRIEF | {title: "difference" for title in sheet.columns if title.endswith(" difference")}
    return FittingTable(sheet.columns, sheet.rows, spare, WORDS, prose=PROSE, always=VERDICTS, brief=brief)


def headline(comparison: Comparison) -> str:
    """Say what was compared."""
    sets = f" in {counted(len(comparison.units), 'test set')}" if comparison.sets else ""
    units = counted(sum(comparison.units.values()), comparison.nouns.unit)
    if comparison.judged:
        labelled = sum(comparison.units.values())
        units = labelled_units(labelled, sum(comparison.judged.values()), comparison.nouns.unit)
    units += in_clusters(comparison.drawn, comparison.resampling, comparison.nouns)
    return f"profile {comparison.profile.full_name} · {counted(len(comparison.systems), 'system')} · {units}{sets}"


def sheets(comparison: Comparison) -> Iterator[Sheet]:
    """Yield the tables."""
    for contest in comparison.contests.values():
        yield _ranks(contest, comparison, "mean of the test sets" if comparison.sets else "")
        yield _differences(contest, comparison)
        yield from _margins(contest.metric, contest.differences)
        if contest.over_sets is not None:
            yield from set_sheets(contest.metric, contest.over_sets, comparison.resampling.level)
            yield from _margins(f"{contest.metric} over test sets like these", contest.over_sets.differences)
    if comparison.headline.over_sets is not None:
        yield by_set(comparison)
    for name, own in {} if comparison.headline.over_sets else comparison.sets.items():
        yield _ranks(own.headline, own, f"test set {name}, {counted(own.units[name], own.nouns.unit)}")
        yield _differences(own.headline, own)
        yield from _margins(own.headline.metric, own.headline.differences)
    if comparison.by_label:
        yield _by_label(comparison)
    units = comparison.most_different(_UNITS)
    if units.height and not comparison.changes:  # which list them, too
        systems, text = comparison.systems, "query" in units.columns
        has_gold = ["gold"] if "gold" in units.columns else []  # a log with scores has none
        rows = [
            (
                row["unit"],
                *([row["query"] or ""] if text else []),
                *(str(row[name]) for name in has_gold),
                *(_unit_cell(row["systems"][name]) for name in systems),
            )
            for row in units.iter_rows(named=True)
        ]
        metric, nouns = comparison.headline.metric, comparison.nouns
        title = f"{nouns.units} with the largest differences"
        headline = comparison.profile.metrics[comparison.profile.headline]
        if headline.per_unit:
            title += f" in {metric}"
        else:
            noun = "tokens" if headline.measure.by_token else nouns.claims
            title += f": correct/predicted {noun}, and the contribution to {metric}"
        yield Sheet(title, (nouns.unit, *([TEXT] if text else []), *(nouns.gold for _ in has_gold), *systems), rows)


def notes(comparison: Comparison) -> list[str]:
    """Say how the comparison was made, what a rank means, and which differences it can detect."""
    resampling, level = comparison.resampling, comparison.resampling.level
    units = plural(comparison.nouns.drawn(resampling.cluster_by))
    test = _TESTS[comparison.headline.differences[0].test].format(units=units)
    drawing = comparison.test != "t" or resampling.draws
    drawn = f", {resampling.resamples:,} resamples, random seed {resampling.seed}" if drawing else ""
    out = [
        f"Rank: the places that a system may have; all ranks of a table hold together with {percent(level)} confidence",
        f"Significant: p ≤ {1 - level:.2g} after Holm's correction, {_family(comparison)}",
        f"Test: {test}{drawn}, {percent(level)} intervals{', not corrected' if _several_tests(comparison) else ''}",
    ]
    out += set_notes(comparison.headline, len(comparison.sets)) if comparison.sets else ()
    if comparison.annotators:
        out.append(annotators_line(comparison.annotators, comparison.agreement))
    if any(difference.margin for difference in comparison.headline.differences):
        pairs = counted(len(comparison.headline.differences), "pair")
        over = f" after Holm's correction over {pairs}" if len(comparison.headline.differences) > 1 else ""
        out.append(f"Margin: shown if p ≤ {(1 - level) / 2:.2g}, one-sided, as for an end of the interval{over}")
    out += _disputed(comparison)
    if comparison.design_effects:
        out.append(design_effect_note(comparison))
    reach = comparison.headline.detectable
    if reach is None and any(d.error for d in comparison.headline.differences):
        out.append(f"This test set has too few {units} to detect any difference (80 % power)")
    if reach is not None:
        low, high = (f"{end:.3f}" for end in reach)
        span = low if low == high else f"{low} to {high}"
        pairs = "" if low == high else ", depending on the pair"
        out.append(detectable_note(comparison.headline.metric, span) + pairs)
    hidden = len(comparison.by_label) - _LABELS
    if hidden > 0:
        out.append(f"{counted(hidden, 'more label')}: see --json")
    return out


def _disputed(comparison: Comparison) -> list[str]:
    """Say where the default test until 0.1 would have given another verdict."""
    several = len(comparison.contests) > 1
    found = []
    for contest in comparison.contests.values():
        where = f" in {contest.metric}" if several else ""
        for d in contest.differences:
            other = d.randomisation
            if other is not None and other.significant != d.significant:
                verdict = f"{d.one} better than {d.other}"
                verdict = verdict if other.significant else f"no significant difference between {d.one} and {d.other}"
                found.append(f"{verdict}{where} (p, Holm: {p_value(other.corrected)})")
    shown = found[:_DISPUTED] + ([f"{len(found) - _DISPUTED:,} more: see --json"] if found[_DISPUTED:] else [])
    return [f"By randomisation, the default test until 0.1: {verdict}" for verdict in shown]


def _several_tests(comparison: Comparison) -> bool:
    """Whether p-values are corrected for several tests; intervals, each of which stands for itself, are not."""
    tables = [[comparison.headline], list(comparison.by_label.values())]
    return any(sum(len(contest.differences) for contest in contests) > 1 for contests in tables)


def _family(comparison: Comparison) -> str:
    """Say which tests are corrected together."""
    pairs = counted(len(comparison.headline.differences), "pair")
    each = f"over {pairs}" + (" of systems in each metric" if len(comparison.contests) > 1 else " of systems")
    if comparison.sets:
        where = "of these tables" if comparison.headline.over_sets else "test set and in their mean"
        return f"{each} in each {where}"
    tests = sum(len(contest.differences) for contest in comparison.by_label.values())
    every = "the one test" if tests == 1 else f"all {tests:,}"
    return each + (f", and over {every} by label" if tests else "")


def design_effect_note(comparison: Comparison) -> str:
    """Say how much less the units tell because those of a cluster depend on each other."""
    effects, units = comparison.design_effects.values(), sum(comparison.units.values())
    spans = [(f"{low:.1f}", f"{high:.1f}") for low, high in [(min(effects), max(effects))]]
    spans.append((f"{units / max(effects):,.0f}", f"{units / min(effects):,.0f}"))
    effect, worth = (low if low == high else f"{low} to {high}" for low, high in spans)
    return design_effect_line(effect, counted(units, comparison.nouns.unit), worth)


def _ranks(contest: Contest, comparison: Comparison, title: str) -> Sheet:
    columns = ["rank", "system", contest.metric, f"{percent(comparison.resampling.level)} interval"]
    if contest.seeds:
        columns += ["runs", "SD over runs", _ERROR]
    if comparison.annotators:
        columns += _ANNOTATED
    rows = []
    for name, score in contest.scores.items():
        row = [str(contest.ranks[name] or "–"), name, show(score), show_interval(score) or _none(score)]
        if contest.seeds:
            seeds = contest.seeds.get(name)
            row += [str(len(seeds.values)), f"{seeds.spread:.4f}", f"{seeds.error:.4f}"] if seeds else ["1", "", ""]
        if comparison.annotators:
            row += _annotated(score)
        rows.append(row)
    return Sheet(title, columns, rows)


def _annotated(score: Score) -> list[str]:
    if score.annotators is None:
        return ["", ""]
    share = score.annotators.share
    return [f"{score.annotators.spread:.4f}", "" if share is None else percent(round(share, 2))]


def _none(score: Score) -> str:
    return f"({score.undefined or score.withheld})" if score.undefined or score.withheld else ""


def _differences(contest: Contest, comparison: Comparison) -> Sheet:
    interval = f"{percent(comparison.resampling.level)} interval"
    # The table of ranks above it has a long name already.
    title = f"{contest.metric} difference" if len(contest.metric) <= _LONG else "difference"
    columns = ("system", "other", title, interval, "p", "p, Holm", "verdict")
    rows = [
        (d.one, d.other, signed(d.value), ends(d), p_value(d.p), p_value(d.corrected), verdict(d))
        for d in contest.differences
    ]
    return Sheet("", columns, rows)


def _margins(metric: str, differences: Sequence[Difference]) -> Iterator[Sheet]:
    """Yield the tests against a margin, where one was given."""
    tested = [(d, d.margin) for d in differences if d.margin is not None]
    if not tested:
        return
    columns = ("system", "other", "p, no worse", "p, other no worse", "p, equivalent", "verdict")
    rows = [
        (
            d.one,
            d.other,
            *map(p_value, (test.corrected_one, test.corrected_other, test.corrected_equivalent)),
            margin_verdict(d, test),
        )
        for d, test in tested
    ]
    yield Sheet(f"{metric} with a margin of {tested[0][1].margin:g}", columns, rows)


def _by_label(comparison: Comparison) -> Sheet:
    systems = comparison.systems
    # The labels with the narrowest intervals come first.
    order = sorted(comparison.by_label.items(), key=lambda item: (_width(item[1]), item[0]))[:_LABELS]
    ranks = {
        (label, system): f"({rank})" if any(d.significant for d in contest.differences) else ""
        for label, contest in order
        for system, rank in contest.ranks.items()
    }
    wide = max(map(len, ranks.values()), default=0)
    rows = [
        (label, *(f"{show(contest.scores[system])} {ranks[label, system]:{wide}}" for system in systems))
        for label, contest in order
    ]
    title = f"{comparison.profile.label_headline} by label, with ranks where differences are significant"
    return Sheet(title, ("label", *systems), rows)


def _width(contest: Contest) -> float:
    widths = [s.high - s.low for s in contest.scores.values() if s.low is not None and s.high is not None]
    return min(widths, default=2.0)


def _unit_cell(cell: dict[str, float]) -> str:
    if "value" in cell:
        return f"{cell['value']:.4f}"
    return f"{round(cell['correct'], 1):g}/{round(cell['predicted'], 1):g} {cell['adds']:+.4f}"
