"""Where to look first on a page: a few findings, each with the section that has more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from karatage.reports.html.blocks import Finding
from karatage.reports.terminal.difference_texts import signed
from karatage.reports.terminal.result_tables import counted, show, show_interval

if TYPE_CHECKING:
    from karatage.comparison import Comparison, Origin
    from karatage.explanation import Fix, Slice

COSTLIEST = 3
"""How many kinds of error are named first."""


def costliest(fixes: Sequence[Fix], metric: str, of: str) -> list[Finding]:
    """Return the kinds of error that cost most; `of` names the system, where there are several."""
    found = [fix for fix in fixes if fix.gain is not None and fix.gain > 0][:COSTLIEST]
    places = ("costliest error", "second costliest", "third costliest")
    return [
        Finding(
            f"{place}{of}",
            fix.kind,
            f"{counted(fix.errors, 'error')}; {signed(fix.gain)} {metric} if fixed",
            "kinds-of-error",
        )
        for fix, place in zip(found, places, strict=False)
    ]


def worst_slice(slices: Sequence[Slice], of: str) -> list[Finding]:
    """Return the slice that is most below the rest, if one is significantly worse; `of` names the system."""
    worse = [one for one in slices if one.telling and one.mark == "worse" and one.difference is not None]
    if not worse:
        return []
    one = max(worse, key=lambda own: abs(own.difference or 0.0))
    interval = show_interval(one.score)
    told = f"{one.headline} {show(one.score)}{f' ({interval})' if interval else ''}, rest {show(one.rest)}"
    return [Finding(f"worst slice{of}", f"{one.by}: {one.name}", told, "slices")]


def _extremes(comparison: Comparison, origin: Origin) -> list[Finding]:
    """Return the queries on which the better of the two best systems gains and loses most."""
    listed = comparison.most_different(100)
    if len(comparison.systems) > 2 and listed.height == 100:
        return []  # those of these two may not be among them
    rising = 1 if comparison.profile.metrics[comparison.profile.headline].higher_is_better else -1
    rows = [
        (rising * (row["systems"][origin.one]["value"] - row["systems"][origin.other]["value"]), row)
        for row in listed.iter_rows(named=True)
    ]
    unit, metric = comparison.nouns.unit, comparison.headline.metric
    out = []
    for word, sign in (("gain", 1), ("loss", -1)):
        value, row = max(rows, key=lambda one: sign * one[0], default=(0.0, {}))
        if sign * value > 0:
            name, text = row["unit"], row.get("query")
            told = f"{signed(rising * value)} {metric}"
            note = f"{unit} {name}: {told}" if text else told
            out.append(Finding(f"largest {word} of {origin.one}", text or name, note, "largest-differences"))
    return out


def differing(comparison: Comparison) -> list[Finding]:
    """Return where the two best systems differ: labels that matter most, labels that got worse, changed queries."""
    origin = comparison.origin
    if origin is None:
        return []
    if origin.better is not None and origin.worse is not None:
        unit, section = comparison.nouns.unit, "changes" if comparison.changes else "largest-differences"
        return [
            Finding(f"{origin.one} is {word}", counted(count, unit), f"than {origin.other}", section)
            for word, count in (("better on", origin.better), ("worse on", origin.worse))
        ] + _extremes(comparison, origin)
    if not comparison.by_label:
        return []
    metric, total = comparison.headline.metric, comparison.headline[origin.one, origin.other].value
    found = [
        Finding("largest contribution", label, f"{signed(value)} of {signed(total)} {metric}", "labels")
        for label, value in list(origin.labels.items())[:1]
    ]
    for title, ahead, behind in (
        ("largest gain", origin.one, origin.other),
        ("largest loss", origin.other, origin.one),
    ):
        own = {label: contest[ahead, behind] for label, contest in comparison.by_label.items()}
        won = {label: d for label, d in own.items() if d.significant and d.one == ahead and d.value is not None}
        if won:
            label = max(won, key=lambda name: abs(won[name].value or 0.0))
            sign = 1 if ahead == origin.one else -1
            told = f"{origin.one} {signed(sign * (won[label].value or 0.0))} {comparison.profile.label_headline}"
            found.append(Finding(f"{title} by label", label, told, "labels"))
    return found
