"""What a comparison found, in one sentence: who is better, by how much, and whether that is significant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from karatage.comparison import Comparison, Contest, Difference, Lead, MarginTest
from karatage.reports.answer_texts import (
    NAMED,
    AnswerText,
    LabelName,
    SystemName,
    difference_texts,
    labels_text,
    listed,
    metric_text,
    score_text,
)
from karatage.reports.terminal.difference_texts import p_equals
from karatage.scoring import counted


def comparison_answer(comparison: Comparison) -> AnswerText:
    """Say in one sentence what a comparison found in its headline metric."""
    wording = _Wording(comparison)
    lead = comparison.headline.lead
    where = f"averaged over {counted(len(comparison.sets), 'test set')}, " if comparison.sets else ""
    if len(lead.first) + lead.others < 2:
        parts = wording.undefined(lead)
    elif len(comparison.systems) == 2:
        parts = wording.pair(comparison.headline.differences[0])
    else:
        parts = wording.many(lead)
    return AnswerText([*([where] if where else []), *parts, *wording.doubts(lead)])


@dataclass(frozen=True)
class _Wording:
    """The words for a comparison."""

    comparison: Comparison

    @property
    def contest(self) -> Contest:
        return self.comparison.headline

    @property
    def metric(self) -> str:
        return metric_text(self.contest.metric)

    @property
    def rising(self) -> bool:
        """Whether higher is better."""
        return self.comparison.profile.metrics[self.comparison.profile.headline].higher_is_better

    @property
    def level(self) -> float:
        return self.comparison.resampling.level

    def score(self, system: str) -> str:
        return score_text(self.contest.scores[system], self.level)

    def _p(self, found: Difference) -> str:
        return p_equals(found.corrected, 1 - self.level)

    def undefined(self, lead: Lead) -> list[str]:
        """Say whose score is undefined, where at most one system has one."""
        reasons = {name: self.contest.scores[name].undefined or "" for name in lead.undefined}
        same = len({*reasons.values()}) == 1
        reason = f" ({self.comparison.nouns.worded(next(iter(reasons.values())))})" if same else ""
        if lead.first:
            (name,) = lead.first
            which = self._systems(lead.undefined)
            return [SystemName(name), f" has {self.metric} {self.score(name)}; it is undefined for ", *which, reason]
        many = "both systems" if len(reasons) == 2 else f"all {len(reasons):,} systems"
        return [f"{self.metric} is undefined for {many}{reason}"]

    def pair(self, found: Difference) -> list[str]:
        """Say how two systems differ."""
        one, other = SystemName(found.one), SystemName(found.other)
        if not found.units:
            return [one, " and ", other, *self._same(found.one), *self._margin(found)]
        value, interval = difference_texts(found, higher_is_better=self.rising, level=self.level)
        if found.corrected is None:
            why = f": {found.withheld}" if found.withheld else ""
            return ["no test of ", one, " against ", other, f" in {self.metric} (difference {value}){why}"]
        more = [*self._origin(found), *self._margin(found), *self._over_sets(found)]
        if found.significant:
            inside = f" ({interval})" if interval else ""
            return [one, " beats ", other, f" by {value} {self.metric}{inside}, {self._p(found)}", *more]
        inside = f"difference {value}" + (f", {interval}" if interval else "") + f"; {self._p(found)}"
        return ["no significant difference between ", one, " and ", other, f" in {self.metric} ({inside})", *more]

    def _same(self, system: str) -> list[str]:
        """Say that a system has the same values or counts as another one, unit by unit."""
        unit = self.comparison.nouns.drawn(self.comparison.resampling.cluster_by)
        if self.comparison.profile.metrics[self.comparison.profile.headline].per_unit:
            return [f" have the same {self.metric} for every {unit}: {self.score(system)} on average"]
        return [f" have the same counts in every {unit}: {self.metric} {self.score(system)}"]

    def _origin(self, found: Difference) -> list[str]:
        """Say which labels or how many queries a difference comes from."""
        subject = ["; "] if found.significant else ["; ", SystemName(found.one), " is "]
        origin = self.comparison.origin
        if origin is not None and origin.better is not None and origin.worse is not None:
            unit = self.comparison.nouns.unit
            gained = counted(origin.better, unit) if origin.better else f"no {unit}"
            return [*subject, f"better on {gained} and worse on {f'{origin.worse:,}' if origin.worse else 'none'}"]
        changed = [
            (label, d) for label, own in self.comparison.by_label.items() for d in own.differences if d.significant
        ]
        better, worse = ([label for label, d in changed if d.one == name] for name in (found.one, found.other))
        if found.significant:
            main = None if origin is None else origin.main_label
            ahead = main is not None and self._ahead(main, found.one)
            out = ["; most of it from ", LabelName(main)] if main is not None and ahead else []
            return [*out, *(["; significantly worse on ", *labels_text(worse)] if worse else [])]
        sides = [(word, labels) for word, labels in (("better", better), ("worse", worse)) if labels]
        out = []
        for word, labels in sides:
            out += [*([*subject, "significantly "] if not out else [" and "]), f"{word} on ", *labels_text(labels)]
        return out

    def _ahead(self, label: str, system: str) -> bool:
        """Whether a system has the better score of a label."""
        own = self.comparison.by_label.get(label)
        return own is not None and own.differences[0].one == system and bool(own.differences[0].value)

    def _margin(self, found: Difference) -> list[str]:
        """Say whether two systems differ by no more than a margin, where one was given."""
        test = found.margin
        if test is None:
            return []
        if test.one_no_worse and test.other_no_worse:
            return [f"; they are equivalent within {test.margin:g}"]
        if found.significant or not (test.one_no_worse or test.other_no_worse):
            return [f"; equivalence within {test.margin:g} is not shown"]
        one, other = (found.one, found.other) if test.one_no_worse else (found.other, found.one)
        return ["; ", SystemName(one), " is no worse than ", SystemName(other), f" by more than {test.margin:g}"]

    def _over_sets(self, found: Difference) -> list[str]:
        """Say what holds for test sets like those seen, where there are enough of them."""
        if self.contest.over_sets is None:
            return []
        (own,) = (d for d in self.contest.over_sets.differences if {d.one, d.other} == {found.one, found.other})
        if own.corrected is None:
            return []
        verdict = "significant" if own.significant else "not significant"
        return [f"; for test sets like these, the difference is {verdict} ({self._p(own)})"]

    def many(self, lead: Lead) -> list[str]:
        """Say who is first of three or more systems, and against whom that is significant."""
        first = lead.first
        highest = "highest" if self.rising else "lowest"
        alone = bool(lead.beaten) and len(lead.beaten) == lead.others
        if len(first) > 1:
            value = score_text(self.contest.scores[first[0]]).split(" ")[0]
            start = [*self._systems(first, "systems"), f" share the {highest} {self.metric}, {value}"]
        elif alone:
            start = [SystemName(first[0]), f" is best with {self.metric} {self.score(first[0])}"]
        else:
            start = [SystemName(first[0]), f" has the {highest} {self.metric}, {self.score(first[0])}"]
        return [
            *start,
            *self._beaten(lead, alone=alone),
            *self._not_beaten(lead),
            *self._without_test(lead),
            *self._equivalent(lead),
            *self._generalises(lead),
        ]

    def _beaten(self, lead: Lead, *, alone: bool) -> list[str]:
        if not lead.beaten:
            return []
        start = (
            ", significantly better than " if len(lead.first) == 1 and alone else f", and {_are(lead.first)} {_BETTER}"
        )
        if alone and lead.others > 1:
            return [start, "both others" if lead.others == 2 else f"all {lead.others:,} others"]
        return [start, *self._systems(lead.beaten, "others")]

    def _not_beaten(self, lead: Lead) -> list[str]:
        if not lead.level:
            return []
        start = ", but not than " if lead.beaten else f", but {_are(lead.first)} not {_BETTER}"
        return [start, *self._systems(lead.level, "others", last="or")]

    def _without_test(self, lead: Lead) -> list[str]:
        out: list[str] = []
        if lead.untested:
            found = self.contest[lead.first[0], lead.untested[0]]
            why = f" ({found.withheld})" if found.withheld else ""
            out += ["; no test against ", *self._systems(lead.untested, "others", last="or"), why]
        if lead.undefined:
            out += [f"; {self.metric} is undefined for ", *self._systems(lead.undefined, "systems")]
        return [part for part in out if part]

    def _equivalent(self, lead: Lead) -> list[str]:
        """Say which systems are equivalent to the first, where a margin was given."""
        if len(lead.first) > 1:
            return []
        best = lead.first[0]
        tests: dict[str, MarginTest] = {}
        for name in (*lead.beaten, *lead.level):
            test = self.contest[best, name].margin
            if test is not None:
                tests[name] = test
        if not tests:
            return []
        margin = f"{next(iter(tests.values())).margin:g}"
        same = [name for name, test in tests.items() if test.one_no_worse and test.other_no_worse]
        if not same:
            return [f"; none is shown to be equivalent to it within {margin}"]
        return ["; ", *self._systems(same, "others"), f" {_are(same)} equivalent to it within {margin}"]

    def _generalises(self, lead: Lead) -> list[str]:
        """Say what holds for test sets like those seen, where there are enough of them."""
        over = self.contest.over_sets
        if over is None or len(lead.first) > 1:
            return []
        beaten = Lead.of(over).beaten
        if not beaten:
            return [f"; for test sets like these, it is not {_BETTER}any of the others"]
        worse = f"all {lead.others:,} others" if len(beaten) == lead.others else f"{len(beaten):,} of the others"
        return [f"; for test sets like these, it is {_BETTER}{worse}"]

    def doubts(self, lead: Lead) -> list[str]:
        """Say what undermines the verdict: few units, or systems whose scores may be too low."""
        out = []
        if self.comparison.too_few and lead.level:
            few = counted(self.comparison.drawn, self.comparison.nouns.drawn(self.comparison.resampling.cluster_by))
            out.append(f"; {few} {'is' if self.comparison.drawn == 1 else 'are'} too few to show a difference")
        low = self._judged_less(lead)
        if len(low) == 1:
            out += ["; the score of ", *listed(low), " may be too low: fewer of its results are judged"]
        elif low:
            out += ["; the scores of ", *self._systems(low), " may be too low: fewer of their results are judged"]
        return out

    def _judged_less(self, lead: Lead) -> list[str]:
        """Return the systems that might be better than the first, or level with it, if more results were judged."""
        less = self.comparison.judged_less
        others = [*lead.first[1:], *lead.beaten, *lead.level, *lead.untested]
        low = [name for name in others if any(less(name, first) for first in lead.first)]
        not_beaten = [*lead.first, *lead.level, *lead.untested]
        return [name for name in lead.first if name not in low and any(less(name, own) for own in not_beaten)] + low

    def _systems(self, names: Sequence[str], noun: str = "systems", *, last: str = "and") -> list[str]:
        """Name a few systems, or say how many there are."""
        return listed(names, last) if len(names) <= NAMED else [f"{len(names):,} {noun}"]


_BETTER = "significantly better than "


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"
