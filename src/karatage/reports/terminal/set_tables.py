"""A comparison over many test sets as tables: the mean over test sets like those seen, and the order on each."""

from __future__ import annotations

from collections.abc import Iterator

from karatage.comparison import Comparison, Contest, SetContest, SetDifference
from karatage.reports.terminal.difference_texts import ends, p_value, signed, verdict
from karatage.reports.terminal.result_tables import percent, show, show_interval
from karatage.reports.terminal.text_tables import Sheet
from karatage.scoring import counted

BETWEEN = "between sets"
"""The title of a column that may be left out."""


def set_sheets(metric: str, found: SetContest, level: float) -> Iterator[Sheet]:
    """Yield the mean over test sets like those seen, its differences, and the order of the systems on each."""
    interval = f"{percent(level)} interval"
    yield Sheet(
        f"mean over test sets like these {found.sets}",
        ("rank", "system", metric, interval),
        [
            (str(found.ranks[name] or "–"), name, show(score), show_interval(score))
            for name, score in found.scores.items()
        ],
    )
    yield Sheet(
        "",
        ("system", "other", "difference", interval, BETWEEN, "p", "p, Holm", "verdict"),
        [
            (
                d.one,
                d.other,
                signed(d.value),
                ends(d),
                "" if d.between is None else f"{d.between:.4f}",
                p_value(d.p),
                p_value(d.corrected),
                verdict(d),
            )
            for d in found.differences
        ],
    )
    yield Sheet(
        f"order of the systems on the {found.sets} test sets",
        ("rank", "system", "mean rank"),
        [(str(found.places[name] or "–"), name, f"{mean:.2f}") for name, mean in found.mean_ranks.items()],
    )
    yield Sheet(
        "",
        ("system", "other", "better", "tied", "worse", "p", "p, Holm", "verdict"),
        [
            (
                d.one,
                d.other,
                str(d.better),
                str(d.tied),
                str(found.sets - d.better - d.tied),
                p_value(d.ranks.p),
                p_value(d.ranks_corrected),
                _order(d),
            )
            for d in found.differences
            if d.ranks is not None
        ],
    )


def _order(difference: SetDifference) -> str:
    """Say in words what the signed-rank test found."""
    if not difference.ranks_significant or difference.ranks is None:
        return "no significant difference"
    return "better" if difference.ranks.balance > 0 else "worse"


def by_set(comparison: Comparison) -> Sheet:
    """Return the headline score of each system on each test set."""
    systems = comparison.systems
    rows = []
    for name, own in comparison.sets.items():
        ranks = own.headline.ranks if any(d.significant for d in own.headline.differences) else {}
        cells = [(show(own.headline.scores[system]), ranks.get(system)) for system in systems]
        rows.append((name, f"{own.units[name]:,}", *(f"{value} ({r})" if r else value for value, r in cells)))
    title = f"{comparison.headline.metric} by test set, with ranks where differences are significant"
    units = f"labelled {comparison.nouns.units}" if comparison.judged else comparison.nouns.units
    return Sheet(title, ("test set", units, *systems), rows)


def set_notes(contest: Contest, sets: int) -> Iterator[str]:
    """Say what test sets like those seen are, and what the tests of the order found."""
    found = contest.over_sets
    if found is None:
        yield f"The mean is about these {counted(sets, 'test set')} alone: 3 or more tell of others like them"
        return
    yield "Test sets like these: those given are taken for a random sample, so that others would give other means"
    yield "Between sets: standard deviation of the true difference. Order: exact signed-rank tests over test sets"
    if found.friedman is not None and found.critical is not None:
        yield (
            f"All systems equally good (Friedman's test): p {p_value(found.friedman.p)}. "
            f"Mean ranks differ significantly from {found.critical:.2f} on (Nemenyi)"
        )
