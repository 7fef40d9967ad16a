"""What a pull request does to the scores, as Markdown for a build's summary or a comment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from karatage._printing import visible_lines
from karatage.comparison import NEW, OLD, Comparison, Contest, PullCheck
from karatage.reports.log_markdown import answer_markdown, escaped, markdown_table
from karatage.reports.terminal.comparison_tables import headline
from karatage.reports.terminal.difference_texts import verdict
from karatage.reports.terminal.result_tables import percent, show, show_interval
from karatage.scoring import counted

_LABELS = 40


def pull_markdown(check: PullCheck) -> str:
    """Return how the scores differ from the baseline in one sentence, the checks, and the significant differences."""
    # Not splitlines(): a line separator in a name must not become a line of its own, which a runner could obey.
    lines = [] if check.gate is None else check.gate.to_markdown().rstrip("\n").split("\n")
    if check.comparison is not None:
        lines += [*([""] if lines else []), "## Compared with the baseline", "", *_compared(check.comparison)]
        lines = [f"**{answer_markdown(check.comparison.answer)}**", "", *lines]
    return visible_lines("\n".join(lines)) + "\n"


def undecided(reason: str) -> str:
    """Return the report if the input or the call is wrong."""
    return f"## No decision\n\n{escaped(reason)}\n"


def worse_labels(comparison: Comparison) -> dict[str, Contest]:
    """Return the labels on which the new predictions are significantly worse."""
    return {label: own for label, own in comparison.by_label.items() if change_verdict(own) == "worse"}


def change_verdict(contest: Contest) -> str:
    """Say in words how the new predictions differ: better, worse, or not significantly."""
    difference = contest[NEW, OLD]
    return "worse" if difference.significant and difference.one == OLD else verdict(difference)


def change_texts(contest: Contest) -> tuple[str, str]:
    """Return the difference, new minus baseline, and its interval."""
    found = contest[NEW, OLD]
    sign = -1 if found.one == OLD else 1
    value = "undefined" if found.value is None else f"{sign * found.value + 0.0:+.4f}"
    if found.low is None or found.high is None:
        return value, f"none: {found.withheld}" if found.withheld else ""
    low, high = sorted((sign * found.low + 0.0, sign * found.high + 0.0))
    return value, f"{low:+.4f} to {high:+.4f}"


def _compared(comparison: Comparison) -> Iterable[str]:
    yield escaped(f"{headline(comparison)}.").replace(" · ", ", ").capitalize()
    yield ""
    yield from _table("metric", comparison.contests, comparison)
    changed = {label: own for label, own in comparison.by_label.items() if own[NEW, OLD].significant}
    if comparison.by_label:
        measure = escaped(str(comparison.profile.label_headline))
        same = len(comparison.by_label) - len(changed)
        if changed:
            yield from ("", f"{measure} of labels that differ significantly:", "")
            yield from _table("label", dict(list(changed.items())[:_LABELS]), comparison)
            if len(changed) > _LABELS:
                yield from ("", f"{counted(len(changed) - _LABELS, 'more label')} with a significant difference.")
        rest = f"{counted(same, 'other label' if changed else 'label')} without a significant difference in {measure}."
        yield from ("", rest) if same else ()
    for place, warning in enumerate(comparison.warnings):
        yield from ([""] if place == 0 else [])
        yield f"- warning: {escaped(warning)}"


def _table(kind: str, contests: Mapping[str, Contest], comparison: Comparison) -> list[str]:
    columns = (kind, "baseline", "new", "difference", f"{percent(comparison.resampling.level)} interval", "verdict")
    rows = [
        (name, *(_score(own, system) for system in (OLD, NEW)), *change_texts(own), change_verdict(own))
        for name, own in contests.items()
    ]
    return markdown_table(columns, rows)


def _score(contest: Contest, system: str) -> str:
    score = contest.scores[system]
    interval = show_interval(score)
    return f"{show(score)} ({interval})" if interval else show(score)
