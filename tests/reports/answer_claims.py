"""Reads an answer clause by clause, and checks every claim and every number in it against what was compared.

A clause that is not known here fails: a new wording needs a check of what it claims.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import karatage
from karatage.comparison import Contest, Difference
from karatage.metrics import Score

NUMBER = r"−?\d+\.\d{3,6}"
SPAN = rf"(?:\d+ % interval )?({NUMBER})(?:–| to )({NUMBER})"
NAME = r"s\d"
LABEL = r"`([^`]+)`"
NAMES = rf"((?:{NAME}(?:, | and | or )?)+|\d+ (?:others|systems))"
P_VALUE = r"p ([=<]) (\d\.\d{4})"


def number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


def clauses(sentence: str) -> list[str]:
    """Split at semicolons, but not inside parentheses."""
    out, depth = [""], 0
    for character in sentence.removesuffix("."):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == ";" and not depth:
            out.append("")
        else:
            out[-1] += character
    return [clause.strip() for clause in out]


def is_rounded(text: str, value: float) -> bool:
    """Whether a text is a number rounded to its decimal places; a number that is not 0 or 1 does not look like it."""
    digits = len(text.split(".")[1])
    same = math.isclose(number(text), value, abs_tol=0.5 * 10**-digits + 1e-12)
    return same and (number(text) not in (0, 1) or abs(value - number(text)) < 5e-7)


@dataclass
class Claims:
    """Checks the claims of an answer on a comparison whose systems are called s0, s1, …

    Attributes:
        found: the comparison.
        values: the score of each system, computed one by one; None where it is undefined.
        units: on how many units the first of two systems is better than the second, and worse, counted one by one.
    """

    found: karatage.Comparison
    values: Mapping[str, float | None]
    units: Callable[[str, str], tuple[int, int]] | None = None
    seen: list[str] = field(default_factory=list)

    @property
    def contest(self) -> Contest:
        return self.found.headline

    @property
    def sign(self) -> int:
        return 1 if self.found.profile.metrics[self.found.profile.headline].higher_is_better else -1

    @property
    def known(self) -> dict[str, float]:
        return {name: value for name, value in self.values.items() if value is not None}

    @property
    def best(self) -> list[str]:
        top = max(self.sign * value for value in self.known.values())
        return [name for name, value in self.known.items() if math.isclose(self.sign * value, top, abs_tol=1e-12)]

    def check(self) -> None:
        sentence = str(self.found.answer)
        assert sentence.endswith(".")
        assert "\n" not in sentence
        assert "  " not in sentence
        assert not re.search(r"\b1 (?:queries|sentences|labels|systems|others)\b", sentence)
        assert "".join(self.found.answer.parts) == sentence.replace("`", "")
        for place, clause in enumerate(clauses(sentence)):
            checks = FIRST if place == 0 else LATER
            matches = [(name, re.fullmatch(pattern, clause)) for name, pattern in checks.items()]
            fitting = [(name, match) for name, match in matches if match]
            assert len(fitting) == 1, f"{clause!r} is read as {[name for name, _ in fitting]}"
            name, match = fitting[0]
            self.seen.append(name)
            getattr(self, f"_{name}")(*match.groups())

    def _pair(self, one: str, other: str) -> Difference:
        assert {one, other} == {*self.values}
        return self.contest[one, other]

    def _gain(self, one: str, other: str) -> float:
        return self.sign * (self.known[one] - self.known[other])

    def _difference(self, one: str, other: str, value: str, low: str | None, high: str | None) -> None:
        """Check a difference: the first system is ahead, and the value lies in its interval."""
        assert self._gain(one, other) >= 0
        assert is_rounded(value, self._gain(one, other))
        pair = self.contest[one, other]
        assert (low is None) == (pair.low is None)
        if low is not None and high is not None:
            ends = sorted(self.sign * (end or 0.0) for end in (pair.low, pair.high))
            assert is_rounded(low, ends[0])
            assert is_rounded(high, ends[1])
            assert number(low) <= number(value) <= number(high)

    def _p(self, relation: str, text: str, p: float | None) -> None:
        assert p is not None
        if relation == "<":
            assert text == "0.0001"
            assert p < 0.0001
        else:
            assert math.isclose(float(text), p, abs_tol=0.00005 + 1e-12)

    def _score(self, system: str, value: str, low: str | None, high: str | None) -> None:
        assert is_rounded(value, self.known[system])
        check_interval(self.contest.scores[system], value, low, high)

    def _names(self, text: str) -> list[str] | int:
        counted = re.fullmatch(r"(\d+) (?:others|systems)", text)
        if not counted:
            return re.findall(NAME, text)
        assert int(counted[1]) > 3
        return int(counted[1])

    def _same(self, text: str, names: list[str]) -> None:
        told = self._names(text)
        assert told == len(names) if isinstance(told, int) else sorted(told) == sorted(names)

    def _others(self) -> list[str]:
        return [name for name in self.known if name not in self.best]

    def _tests(self, name: str) -> list[Difference]:
        return [self.contest[own, name] for own in self.best]

    def _beaten(self) -> list[str]:
        return [name for name in self._others() if all(d.significant for d in self._tests(name))]

    def _tested(self) -> list[str]:
        return [name for name in self._others() if all(d.p is not None for d in self._tests(name))]

    # The first clause.

    def _beats(
        self, one: str, other: str, value: str, low: str | None, high: str | None, relation: str, p: str
    ) -> None:
        pair = self._pair(one, other)
        assert pair.significant
        assert pair.corrected is not None
        assert pair.corrected <= 1 - self.found.resampling.level
        self._difference(one, other, value, low, high)
        assert number(value) > 0
        self._p(relation, p, pair.corrected)

    def _no_difference(
        self, one: str, other: str, value: str, low: str | None, high: str | None, relation: str, p: str
    ) -> None:
        pair = self._pair(one, other)
        assert not pair.significant
        self._difference(one, other, value, low, high)
        self._p(relation, p, pair.corrected)

    def _same_counts(self, one: str, other: str, value: str, low: str | None, high: str | None) -> None:
        assert self._pair(one, other).units == 0
        assert self._gain(one, other) == 0
        for name in (one, other):
            self._score(name, value, low, high)

    def _no_test(self, one: str, other: str, value: str) -> None:
        pair = self._pair(one, other)
        assert pair.p is None
        assert not pair.significant
        assert is_rounded(value, self._gain(one, other))
        assert self._gain(one, other) >= 0

    def _undefined_for_all(self, many: str) -> None:
        assert not self.known
        assert many == ("both" if len(self.values) == 2 else f"all {len(self.values)}")

    def _only_one(self, one: str, value: str, low: str | None, high: str | None) -> None:
        assert list(self.known) == [one]
        self._score(one, value, low, high)

    def _is_best(self, one: str, value: str, low: str | None, high: str | None, others: str) -> None:
        assert [one] == self.best
        assert self._beaten() == self._others()
        self._all_others(others)
        self._score(one, value, low, high)

    def _all_others(self, text: str) -> None:
        count = len(self._others())
        assert text == {1: "the other", 2: "both others"}.get(count, f"all {count} others")

    def _highest(self, one: str, direction: str, value: str, low: str | None, high: str | None, rest: str) -> None:
        assert [one] == self.best
        assert len(self.values) > 2
        assert direction == ("highest" if self.sign > 0 else "lowest")
        self._score(one, value, low, high)
        assert self._beaten() != self._others()
        self._rest(rest)

    def _shared(self, names: str, direction: str, value: str, rest: str) -> None:
        self._same(names, self.best)
        assert len(self.best) > 1
        assert len(self.values) > 2
        assert direction == ("highest" if self.sign > 0 else "lowest")
        assert is_rounded(value, self.known[self.best[0]])
        whole = re.fullmatch(r", significantly better than (the other|both others|all \d+ others)", rest)
        if whole:
            assert self._beaten() == self._others()
            self._all_others(whole[1])
        else:
            self._rest(rest)

    def _rest(self, text: str) -> None:
        """Check against whom being first is significant."""
        match = re.fullmatch(
            rf"(?:, significantly better than {NAMES})?(?:, but there is no significant difference to {NAMES})?", text
        )
        assert match, text
        level = [name for name in self._tested() if name not in self._beaten()]
        for told, names in zip(match.groups(), (self._beaten(), level), strict=True):
            assert (told is None) == (not names)
            if told is not None:
                self._same(told, names)

    # The clauses after it.

    def _undefined_others(self, names: str) -> None:
        self._same(names, [name for name, value in self.values.items() if value is None])

    def _untested(self, names: str) -> None:
        self._same(names, [name for name in self._others() if name not in self._tested()])

    def _most_from(self, label: str) -> None:
        found, (one, other) = self.found.origin, (self.contest.differences[0].one, self.contest.differences[0].other)
        assert found is not None
        assert self.contest[one, other].significant
        total = sum(found.labels.values())
        assert math.isclose(total, self.known[one] - self.known[other], abs_tol=1e-9)
        assert found.labels[label] / total > 0.5
        assert all(value / total < 0.5 for name, value in found.labels.items() if name != label)
        own = self.found.by_label[label]
        assert own.scores[one] > own.scores[other] if self.sign > 0 else own.scores[one] < own.scores[other]

    def _worse_on(self, label: str | None, count: str | None) -> None:
        assert self.contest.differences[0].significant
        self._labels(self.contest.differences[0].other, label, count)

    def _label_counts(self, one: str, better: str, worse: str) -> None:
        pair = self.contest.differences[0]
        assert one == pair.one
        assert not pair.significant
        assert better or worse
        for text, system in ((better, pair.one), (worse, pair.other)):
            told = re.fullmatch(rf"{LABEL}|(\d+) labels", text) if text else None
            self._labels(system, *(told.groups() if told else (None, "0")))

    def _labels(self, system: str, label: str | None, count: str | None) -> None:
        """Check on which labels a system is significantly better than the other."""
        contests = self.found.by_label.items()
        ahead = [name for name, own in contests if own.differences[0].significant and own.differences[0].one == system]
        assert ahead == [label] if label is not None else len(ahead) == int(count or 0) != 1

    def _units(self, one: str | None, better: str | None, worse: str | None) -> None:
        pair = self.contest.differences[0]
        assert (one is None) == pair.significant
        assert one in (None, pair.one)
        assert self.units is not None
        assert (int(better or 0), int(worse or 0)) == self.units(pair.one, pair.other)

    def _equivalent(self, margin: str) -> None:
        test = self.contest.differences[0].margin
        assert test is not None
        assert test.margin == float(margin)
        assert test.one_no_worse
        assert test.other_no_worse
        assert test.corrected_equivalent <= (1 - self.found.resampling.level) / 2

    def _not_equivalent(self, margin: str) -> None:
        test = self.contest.differences[0].margin
        assert test is not None
        assert test.margin == float(margin)
        assert not (test.one_no_worse and test.other_no_worse)

    def _no_worse(self, one: str, other: str, margin: str) -> None:
        pair = self._pair(one, other)
        assert pair.margin is not None
        assert pair.margin.margin == float(margin)
        shown, back = pair.margin.one_no_worse, pair.margin.other_no_worse
        assert (shown, back) == ((True, False) if pair.one == one else (False, True))

    def _equivalent_others(self, names: str, verb: str, margin: str) -> None:
        same = self._equivalents(margin)
        self._same(names, same)
        assert verb == ("is" if len(same) == 1 else "are")

    def _none_equivalent(self, margin: str) -> None:
        assert not self._equivalents(margin)

    def _equivalents(self, margin: str) -> list[str]:
        (best,) = self.best
        tests = {name: self.contest[best, name].margin for name in self._tested()}
        assert all(test is not None and test.margin == float(margin) for test in tests.values())
        return [name for name, test in tests.items() if test and test.one_no_worse and test.other_no_worse]


_SCORE = rf"({NUMBER})(?: \({SPAN}\))?"
_METRIC = r"\S.*?"
FIRST = {
    "beats": rf"({NAME}) beats ({NAME}) by ({NUMBER}) {_METRIC}(?: \({SPAN}\))?, {P_VALUE}",
    "no_difference": rf"No significant difference between ({NAME}) and ({NAME}) in {_METRIC} "
    rf"\(difference ({NUMBER})(?:, {SPAN})?; {P_VALUE}\)",
    "same_counts": rf"({NAME}) and ({NAME}) have the same counts in every \w+: {_METRIC} {_SCORE}",
    "no_test": rf"No test of ({NAME}) and ({NAME}) in {_METRIC} \(difference ({NUMBER})\)(?:: .+)?",
    "undefined_for_all": rf"{_METRIC} is undefined for (both|all \d+) systems(?: \(.+\))?",
    "only_one": rf"({NAME}) has (?!the ){_METRIC} {_SCORE}",
    "is_best": rf"({NAME}) is best with {_METRIC} {_SCORE}, significantly better than "
    r"(the other|both others|all \d+ others)",
    "highest": rf"({NAME}) has the (highest|lowest) {_METRIC}, {_SCORE}((?:, .+)?)",
    "shared": rf"{NAMES} share the (highest|lowest) {_METRIC}, ({NUMBER})((?:, .+)?)",
}
_ON = rf"(?:{LABEL}|(\d+) labels)"
_ANY = r"(?:`[^`]+`|\d+ labels)"
LATER = {
    "undefined_others": rf"(?:it|{_METRIC}) is undefined for {NAMES}(?: \(.+\))?",
    "untested": rf"no test against {NAMES}(?: \(.+\))?",
    "most_from": rf"most of it from {LABEL}",
    "worse_on": rf"significantly worse on {_ON}",
    "label_counts": rf"({NAME}) is significantly (?:better on ({_ANY}))?(?: and )?(?:worse on ({_ANY}))?",
    "units": rf"(?:({NAME}) is )?better on (?:(\d+) (?:query|queries|sentence|sentences)|no \w+) "
    r"and worse on (?:(\d+)|none)",
    "equivalent": r"they are equivalent within (\S+)",
    "not_equivalent": r"equivalence within (\S+) is not shown",
    "no_worse": rf"({NAME}) is no worse than ({NAME}) by more than (\S+)",
    "equivalent_others": rf"{NAMES} (is|are) equivalent to it within (\S+)",
    "none_equivalent": r"none is shown to be equivalent to it within (\S+)",
}


def check_interval(score: Score, value: str, low: str | None, high: str | None) -> None:
    """Check that a sentence has an interval where the score has one, and the value inside it."""
    assert (low is None) == (score.low is None)
    if low is not None and high is not None and score.low is not None and score.high is not None:
        assert is_rounded(low, score.low)
        assert is_rounded(high, score.high)
        assert number(low) <= number(value) <= number(high)


def check_result(result: Any) -> None:
    """Check the answer on a single system."""
    first, *later = clauses(str(result.answer))
    count, noun = result.counts["units"], result.nouns
    means = result.tally.values.get(result.profile.metrics[result.profile.headline])
    some = f"{means.units:,} of " if means is not None and 0 < means.units < count else ""
    units = rf"on {some}{count:,} {noun.unit if count == 1 else noun.units}"
    told = re.fullmatch(
        rf"{_METRIC} is (?:undefined|{_SCORE}) {units}(?: \((no interval: )?(.+)\)|, by convention.+)?", first
    )
    assert told, first
    value, low, high, none, reason = told.groups()
    score = result.headline
    assert (value is None) == (score.value is None)
    if value is None:
        assert reason == score.undefined
        assert not later
    else:
        assert is_rounded(value, score.value)
        check_interval(score, value, low, high)
        assert (none is not None) == (score.withheld is not None and score.undefined is None)
    for clause in later:
        lowest = re.fullmatch(rf"lowest for {LABEL}, (?:\S+ )?{_SCORE}", clause)
        assert lowest, clause
        label, value, low, high = lowest.groups()
        name = next(iter(n for n, m in result.profile.by_label.items() if m == result.profile.label_headline))
        own = {key: scores[name].value for key, scores in result.by_label.items() if scores.counts["gold"]}
        known = {key: value for key, value in own.items() if value is not None}
        assert known[label] == min(known.values()) < max(known.values())
        assert is_rounded(value, known[label])
        check_interval(result.by_label[label][name], value, low, high)
