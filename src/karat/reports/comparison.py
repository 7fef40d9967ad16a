"""A comparison as tables, in the terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from rich.text import Text

from karat.metrics import Score
from karat.reports.notebook import STYLE, html_table
from karat.reports.terminal import counted, filled, percent, plain, show, show_interval

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karat.comparison import Comparison, Contest, Difference

_LABELS = 40
_UNITS = 10


def parts(comparison: Comparison) -> Iterator[RenderableType]:
    """Yield what a terminal shows of a comparison: ranks, differences, labels, units, test sets, warnings."""
    yield Text.assemble(("karat", "bold"), " · " + headline(comparison))
    for columns, rows in tables(comparison):
        table = filled(columns, rows)
        for column in table.columns[1:]:
            column.justify = "left" if column.header in ("other system", "verdict", "runs") else "right"
        yield table
    for line in notes(comparison):
        yield Text(line, "dim")
    for name, own in comparison.sets.items():
        yield Text.assemble(("set ", "dim"), (name, "bold"))
        yield filled(*_ranks(own.headline, own))
        yield filled(*_differences(own.headline, own))
    for warning in comparison.warnings:
        yield Text.assemble(("warning: ", "yellow"), warning)


def headline(comparison: Comparison) -> str:
    """Say what was compared."""
    sets = f" in {counted(len(comparison.units), 'test set')}, scores are their mean" if comparison.sets else ""
    units = counted(sum(comparison.units.values()), "unit")
    return f"profile {comparison.made_by} · {counted(len(comparison.systems), 'system')} · {units}{sets}"


Sheet = tuple[tuple[str, ...], list[tuple[str, ...]]]


def tables(comparison: Comparison) -> Iterator[Sheet]:
    """Yield each table as its columns and rows of text."""
    for contest in comparison.contests.values():
        yield _ranks(contest, comparison)
        yield _differences(contest, comparison)
    if comparison.by_label:
        yield _by_label(comparison)
    if comparison.most_different(1).height:
        yield _most_different(comparison)


def notes(comparison: Comparison) -> list[str]:
    """Say how it was made, what a rank means, and which differences could be seen."""
    resampling, level = comparison.resampling, comparison.resampling.level
    out = [
        "rank: one more than the number of systems that are significantly better; "
        f"significant: p at most {1 - level:.2g} after Holm's correction over all pairs of a table",
        f"test: {_TESTS[comparison.headline.differences[0].test]}; {resampling.resamples:,} rounds, "
        f"{percent(level)} intervals, seed {resampling.seed}",
    ]
    reach = comparison.headline.resolvable
    if reach is not None:
        low, high = (f"{end:.4f}" for end in reach)
        span = low if low == high else f"{low} to {high}, depending on the pair,"
        out.append(f"resolution: a difference of {span} in {comparison.headline.metric} shows with 80 % power")
    hidden = len(comparison.by_label) - _LABELS
    if hidden > 0:
        out.append(f"{counted(hidden, 'rarer label')} not shown; --json has them all")
    return out


_TESTS = {
    "randomisation": "paired approximate randomisation over units",
    "bootstrap": "paired bootstrap over units",
    "seeds and units": "Welch's t with the variance over runs beside that over units",
}


def _ranks(contest: Contest, comparison: Comparison) -> Sheet:
    columns = ["rank", "system", contest.metric, f"{percent(comparison.resampling.level)} interval"]
    if contest.seeds:
        columns += ["runs", "sd over runs", "se over units"]
    rows = []
    for name, score in contest.scores.items():
        row = [str(contest.ranks[name]), name, show(score), show_interval(score) or _none(score)]
        if contest.seeds:
            seeds = contest.seeds.get(name)
            row += [str(len(seeds.values)), f"{seeds.spread:.4f}", f"{seeds.error:.4f}"] if seeds else ["1", "", ""]
        rows.append(tuple(row))
    return tuple(columns), rows


def _none(score: Score) -> str:
    return f"({score.undefined or score.withheld})" if score.undefined or score.withheld else ""


def _differences(contest: Contest, comparison: Comparison) -> Sheet:
    interval = f"{percent(comparison.resampling.level)} interval"
    columns = ("system", "other system", f"{contest.metric} difference", interval, "p", "p, Holm", "verdict")
    return columns, [
        (d.one, d.other, signed(d.value), ends(d), p_value(d.p), p_value(d.corrected), verdict(d))
        for d in contest.differences
    ]


def signed(value: float | None) -> str:
    """Return a difference as text."""
    return "undefined" if value is None else f"{value:+.4f}"


def ends(difference: Difference) -> str:
    """Return the interval of a difference as text."""
    if difference.low is None or difference.high is None:
        return ""
    return f"{difference.low:+.4f} to {difference.high:+.4f}"


def p_value(p: float | None) -> str:
    """Return a p-value as text."""
    return "" if p is None else f"{p:.4f}" if p >= 0.00005 else "<0.0001"


def verdict(difference: Difference) -> str:
    """Say in words what a test found."""
    if difference.value is None:
        return "undefined"
    if not difference.units:
        return "same counts on every unit"
    return "better" if difference.significant else "not told apart"


def _by_label(comparison: Comparison) -> Sheet:
    systems = comparison.systems
    first = next(iter(comparison.by_label.values()))
    metric = str(comparison.profile.label_headline)
    rows = []
    # The labels of which most is known come first.
    order = sorted(comparison.by_label.items(), key=lambda item: (min(_width(c, systems) for c in [item[1]]), item[0]))
    for label, contest in order[:_LABELS]:
        cells = []
        for system in systems:
            score = contest.scores[system]
            behind = contest.ranks[system] > 1
            cells.append(show(score) + (f" ({contest.ranks[system]})" if behind else "    "))
        rows.append((label, *(cell.rstrip() if len(set(map(len, cells))) == 1 else cell for cell in cells)))
    del first
    return (f"{metric} by label (rank behind the first)", *systems), rows


def _width(contest: Contest, systems: list[str]) -> float:
    widths = [s.high - s.low for s in (contest.scores[n] for n in systems) if s.low is not None and s.high is not None]
    return min(widths, default=2.0)


def _most_different(comparison: Comparison) -> Sheet:
    frame = comparison.most_different(_UNITS)
    systems = comparison.systems
    rows = []
    for row in frame.iter_rows(named=True):
        cells = [f"{row[s]['correct']:g}/{row[s]['predicted']:g}  {row[s]['adds']:+.4f}" for s in systems]
        rows.append((row["unit"], str(row["gold"]), *cells))
    title = f"units that differ most: correct/predicted, and what the unit adds to {comparison.headline.metric}"
    return (title, "gold", *systems), rows


def as_text(comparison: Comparison, width: int = 120) -> str:
    """Return the tables as plain text."""
    return plain(parts(comparison), width)


def as_html(comparison: Comparison) -> str:
    """Return the tables as HTML that needs nothing from outside."""
    out = [f"{STYLE}<div class=karat><div>{escape(headline(comparison))}</div>"]
    out += [html_table(columns, rows) for columns, rows in tables(comparison)]
    out += [f"<div class=note>{escape(line)}</div>" for line in notes(comparison)]
    for name, own in comparison.sets.items():
        out.append(f"<p>set <b>{escape(name)}</b></p>")
        out += [html_table(*_ranks(own.headline, own)), html_table(*_differences(own.headline, own))]
    out += [f"<p>⚠ {escape(warning)}</p>" for warning in comparison.warnings]
    return "".join([*out, "</div>"])
