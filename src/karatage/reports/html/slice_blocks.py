"""Slices on a page: a chart with a dot for each system, and a table with the systems side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from karatage.metrics import Score
from karatage.reports.html.blocks import Block, Cell, Figure, Header, Mark, Table, Text
from karatage.reports.html.charts import Interval, slices_plot
from karatage.reports.html.score_blocks import number, with_interval
from karatage.reports.terminal.difference_texts import p_equals, p_value, signed
from karatage.reports.terminal.result_tables import show
from karatage.scoring import Nouns

if TYPE_CHECKING:
    from karatage.explanation import Slice

DRAWN = 40
"""How many slices a picture shows; the table below it has all."""

_MARKS: dict[str, Mark] = {"worse": "worse", "better": "better"}
_ORDER = {"worse": 0, "": 1, "better": 2}
_Key = tuple[str, str]


def slice_blocks(systems: Mapping[str, tuple[Sequence[Slice], Score]], nouns: Nouns) -> list[Block]:
    """Return slices as a figure and as a table.

    Args:
        systems: the slices of each system, the best system first, with its score on everything.
        nouns: what users call the things that are scored.
    """
    found = {name: {(one.by, one.name): one for one in own if one.telling} for name, (own, _) in systems.items()}
    order = list(dict.fromkeys(key for own in found.values() for key in own))
    if not order:
        return [Text("No slices apply to this test set.", "note")]
    some = next(own[key] for own in found.values() for key in own)
    overall = next(iter(systems.values()))[1] if len(systems) == 1 else None
    return [_figure(found, order, overall, some.headline), _table(found, order, nouns, some)]


def _figure(
    found: Mapping[str, Mapping[_Key, Slice]], order: Sequence[_Key], overall: Score | None, metric: str
) -> Figure:
    def trouble(key: _Key) -> tuple[bool, float]:
        own = [slices[key] for slices in found.values() if key in slices and slices[key].score.value is not None]
        return not any(one.mark for one in own), min((float(one.score) for one in own), default=2.0)

    picked = set(sorted(order, key=trouble)[:DRAWN])  # those that differ, then the lowest
    drawn = [key for key in order if key in picked]
    rows = [(by, name, [_interval(slices.get((by, name))) for slices in found.values()]) for by, name in drawn]
    told = [
        f"{name}, {one.by} {one.name}: {one.mark} ({show(one.score)})"
        for name, slices in found.items()
        for one in slices.values()
        if one.mark
    ]
    alt = f"{metric} of each slice with its interval. " + (
        "; ".join(told[:20]) or "No slice differs significantly from the rest."
    )
    caption = (
        "Triangles mark slices that are significantly worse (down) or better (up) than the rest, Holm-corrected over "
        "all slices."
    )
    if overall is not None:
        caption += " The dashed line is the score of the whole test set."
    if len(drawn) < len(order):
        caption += f" The figure shows {len(drawn)} of {len(order)} slices: significant ones and the lowest."
    value = None if overall is None else overall.value
    return Figure("", slices_plot(rows, value, metric=metric, systems=list(found)), alt, caption)


def _interval(one: Slice | None) -> Interval:
    return (None, None, None, "") if one is None else (one.score.value, one.score.low, one.score.high, one.mark)


def _table(found: Mapping[str, Mapping[_Key, Slice]], order: Sequence[_Key], nouns: Nouns, some: Slice) -> Table:
    """Return all slices, those first that are significantly worse for the best system."""
    best = next(iter(found.values()))

    def rank(key: _Key) -> tuple[int, float]:
        one = best.get(key)
        mark = "" if one is None else one.mark
        return _ORDER[mark], (one.difference or 0.0) if one is not None and mark else 0.0

    ordered = sorted(order, key=rank)
    if len(found) == 1:
        return _one_system(best, ordered, nouns, some)
    titles = {"units": nouns.units, "gold": nouns.gold}
    common = {name: _common(found, ordered, name) for name in titles}
    shown = [name for name, values in common.items() if values is not None]
    columns = [Header("by"), Header("slice"), *(Header(titles[name], numeric=True) for name in shown)]
    groups = [("", len(columns))]
    against = Header(
        "vs. rest", numeric=True, help=f"{some.headline} minus that of the rest of the test set, with p (Holm)"
    )
    for name in found:
        columns += [Header(some.headline, numeric=True), against]
        groups.append((name, 2))
    rows: list[list[Cell | str]] = []
    for key in ordered:
        row: list[Cell | str] = [*key]
        row += [Cell(f"{values[key]:,}", values[key]) for values in common.values() if values is not None]
        for slices in found.values():
            one = slices.get(key)
            row += ["", ""] if one is None else [with_interval(one.score), _against(one)]
        rows.append(row)
    return Table("All slices", columns, rows, collapsed_after=15, groups=groups)


def _common(found: Mapping[str, Mapping[_Key, Slice]], order: Sequence[_Key], name: str) -> dict[_Key, int] | None:
    """Return a count of each slice, where it is the same for all systems."""
    values: dict[_Key, int] = {}
    for slices in found.values():
        for key in order:
            one = slices.get(key)
            if one is None:
                continue
            own = one.units if name == "units" else one.counts.get(name)
            if own is None or values.setdefault(key, own) != own:
                return None
    return values


def _against(one: Slice) -> Cell:
    """Return how a slice differs from the rest, with its p-value."""
    told = "" if one.corrected is None else p_equals(one.corrected)
    return Cell(signed(one.difference), one.difference, _MARKS.get(one.mark, ""), detail=told)


def _one_system(slices: Mapping[_Key, Slice], order: Sequence[_Key], nouns: Nouns, some: Slice) -> Table:
    rows: list[list[Cell | str]] = []
    for key in order:
        one = slices[key]
        others = [score for name, score in one.scores.items() if name != one.headline]
        rows.append(
            [
                *key,
                with_interval(one.score),
                number(one.rest),
                Cell(signed(one.difference), one.difference, _MARKS.get(one.mark, "")),
                Cell(p_value(one.corrected), one.corrected),
                *(number(score) for score in others),
                Cell(f"{one.units:,}", one.units),
                *(Cell(f"{count:,}", count) for count in one.counts.values()),
            ]
        )
    columns: list[Header | str] = [
        "by", "slice", Header(some.headline, numeric=True),
        Header("rest", numeric=True, help=f"{some.headline} of the rest of the test set"),
        Header("difference", numeric=True),
        Header("p (Holm)", numeric=True, help="Holm-corrected over all slices"),
        *(Header(key, numeric=True) for key in some.scores if key != some.headline),
        *(Header(key, numeric=True) for key in [nouns.units, *(getattr(nouns, count) for count in some.counts)]),
    ]  # fmt: skip
    return Table("All slices", columns, rows, collapsed_after=15)
