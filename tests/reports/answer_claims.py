"""Reads an answer clause by clause, and checks every claim and every number in it against what was compared.

A clause that is not known here fails: a new wording needs a check of what it claims.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
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
P_VALUE = r"p ([=<]) (\d\.\d{4,12})"
APART = 0.1  # shares of judged results that differ by more are told


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
        judged: for each test set, which share of each search engine's first results is judged, counted one by one.
    """

    found: karatage.Comparison
    values: Mapping[str, float | None]
    units: Callable[[str, str], tuple[int, int]] | None = None
    judged: Sequence[Mapping[str, float]] = ()
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
        assert self.found.to_dict()["answer"] == sentence
        sets = re.match(r"Averaged over (\d+) test sets, ", sentence)
        assert (int(sets[1]) if sets else 0) == len(self.found.sets)
        told = sentence[sets.end() :] if sets else sentence
        for place, clause in enumerate(clauses(told[0].upper() + told[1:] if told[:3] == "no " else told)):
            checks = FIRST if place == 0 else LATER
            matches = [(name, re.fullmatch(pattern, clause)) for name, pattern in checks.items()]
            fitting = [(name, match) for name, match in matches if match]
            assert len(fitting) == 1, f"{clause!r} is read as {[name for name, _ in fitting]}"
            name, match = fitting[0]
            self.seen.append(name)
            getattr(self, f"_{name}")(*match.groups())
        assert ("too_few" in self.seen) == self._is_too_few()
        assert ("judged_less" in self.seen) == bool(self._too_low())
        assert len({*self.seen}) == len(self.seen)

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
        alpha = 1 - self.found.resampling.level
        assert p > 0.00005 or relation == "<"
        assert (float(text) <= alpha + 1e-9) == (p <= alpha + 1e-9)
        if relation == "<":
            assert text == "0.0001"
            assert p < 0.0001
        else:
            assert math.isclose(float(text), p, abs_tol=0.5 * 10 ** -len(text.split(".")[1]) + 1e-12)

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

    def _same_values(self, one: str, other: str, value: str, low: str | None, high: str | None) -> None:
        self._same_counts(one, other, value, low, high)
        assert self.found.profile.metrics[self.found.profile.headline].per_unit

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
        count, *alone = len(self._others()), *self._others()
        assert text == {1: alone[0], 2: "both others"}.get(count, f"all {count} others")

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
        whole = re.fullmatch(r", and are significantly better than (both others|all \d+ others)", rest)
        if whole:
            assert self._beaten() == self._others()
            self._all_others(whole[1])
        else:
            self._rest(rest)

    def _rest(self, text: str) -> None:
        """Check against whom being first is significant."""
        one = rf", and (is|are) significantly better than {NAMES}(?:, but not than {NAMES})?"
        match = re.fullmatch(rf"(?:{one}|, but (is|are) not significantly better than {NAMES})?", text)
        assert match, text
        verb, beaten, less, other_verb, level = match.groups()
        assert verb in (None, "is" if len(self.best) == 1 else "are")
        assert other_verb in (None, "is" if len(self.best) == 1 else "are")
        for told, names in ((beaten, self._beaten()), (less or level, self._level())):
            assert (told is None) == (not names)
            if told is not None:
                self._same(told, names)

    def _level(self) -> list[str]:
        return [name for name in self._tested() if name not in self._beaten()]

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

    def _over_sets(self, verdict: str, relation: str, p: str) -> None:
        assert self.contest.over_sets is not None
        (own,) = self.contest.over_sets.differences
        assert len(self.found.sets) >= 3
        assert verdict == ("significant" if own.significant else "not significant")
        assert own.corrected is not None
        assert own.significant == (own.corrected <= 1 - self.found.resampling.level and bool(own.value))
        self._p(relation, p, own.corrected)

    def _many_over_sets(self, none: str | None, every: str | None, some: str | None) -> None:
        over, (best,) = self.contest.over_sets, self.best
        assert over is not None
        assert len(self.found.sets) >= 3
        pairs = [d for d in over.differences if best in (d.one, d.other)]
        beaten = [d for d in pairs if d.significant and d.one == best]
        count = len(self._others())
        assert len(beaten) == (0 if none else int(every or 0) or int(some or 0))
        assert int(every or count) == count
        assert (some is None) == (len(beaten) in (0, count))

    def _too_few(self, count: str, noun: str, verb: str) -> None:
        nouns, cluster = self.found.nouns, self.found.resampling.cluster_by
        assert int(count) == self.found.drawn
        assert noun == (nouns.drawn(cluster) if count == "1" else nouns.worded("units", cluster))
        assert verb == ("is" if count == "1" else "are")

    def _is_too_few(self) -> bool:
        """Whether chance alone would, often enough, let the same system win on every unit."""
        if not self._level() or self.found.test == "bootstrap" or self.contest.seeds:
            return False
        assert self.found.drawn < 64 or 2.0**-62 * len(self.contest.differences) < 0.01
        by_chance: float = 2 * 0.5**self.found.drawn * len(self.contest.differences)
        return by_chance > 1 - self.found.resampling.level

    def _judged_less(self, one: str | None, many: str | None) -> None:
        low = self._too_low()
        assert (one is None) == (len(low) > 1)
        self._same(one or many or "", low)

    def _too_low(self) -> list[str]:
        """Return the systems that might not be behind the first if as many of their results were judged."""
        if len(self.known) < 2:
            return []

        def less(one: str, other: str) -> bool:
            return any(shares[other] - shares[one] > APART for shares in self.judged)

        low = {name for first in self.best for name in self.known if less(name, first)}
        return sorted(low | {first for first in self.best for name in self.known if less(first, name)} - self._safe())

    def _safe(self) -> set[str]:
        """Return the best systems that are significantly better than all whose results are judged more often."""
        return {
            first
            for first in self.best
            if all(
                name in self._beaten() or all(shares[name] - shares[first] <= APART for shares in self.judged)
                for name in self.known
            )
        }

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
    "same_values": rf"({NAME}) and ({NAME}) have the same {_METRIC} for every \w+: {_SCORE} on average",
    "no_test": rf"No test of ({NAME}) against ({NAME}) in {_METRIC} \(difference ({NUMBER})\)(?:: .+)?",
    "undefined_for_all": rf"{_METRIC} is undefined for (both|all \d+) systems(?: \(.+\))?",
    "only_one": rf"({NAME}) has (?!the ){_METRIC} {_SCORE}",
    "is_best": rf"({NAME}) is best with {_METRIC} {_SCORE}, significantly better than "
    rf"({NAME}|both others|all \d+ others)",
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
    "units": rf"(?:({NAME}) is )?better on (?:(\d+) (?:query|queries|sentences?|samples?)|no \w+) "
    r"and worse on (?:(\d+)|none)",
    "equivalent": r"they are equivalent within (\S+)",
    "not_equivalent": r"equivalence within (\S+) is not shown",
    "no_worse": rf"({NAME}) is no worse than ({NAME}) by more than (\S+)",
    "equivalent_others": rf"{NAMES} (is|are) equivalent to it within (\S+)",
    "none_equivalent": r"none is shown to be equivalent to it within (\S+)",
    "over_sets": rf"for test sets like these, the difference is ((?:not )?significant) \({P_VALUE}\)",
    "many_over_sets": r"for test sets like these, it is (?:(not) significantly better than any of the others|"
    r"significantly better than (?:all (\d+) others|(\d+) of the others))",
    "too_few": r"(\d+) (\w+) (is|are) too few to show a difference",
    "judged_less": rf"the (?:score of ({NAME})|scores of {NAMES}) may be too low: "
    r"fewer of (?:its|their) results are judged",
}


def check_interval(score: Score, value: str, low: str | None, high: str | None) -> None:
    """Check that a sentence has an interval where the score has one, and the value inside it."""
    assert (low is None) == (score.low is None)
    if low is not None and high is not None and score.low is not None and score.high is not None:
        assert is_rounded(low, score.low)
        assert is_rounded(high, score.high)
        assert number(low) <= number(value) <= number(high)


ALONE = {
    "lowest": rf"lowest for {LABEL}, (?:\S+ )?{_SCORE}",
    "costliest": rf"costliest kind of error: (\w+) \(({NUMBER}) {_METRIC}\)",
    "at_zero": r"(?:it|(\S+)) is 0 for ([\d,]+) (query|queries)",
    "not_perfect": r"([\d,]+) (samples?) (is|are) not perfect",
    "few_judged": r"(?:only (\d+) %|less than 1 %|(none)) of the first (\d+) results (is|are) judged, "
    r"so the score may be too low",
}


@dataclass
class AloneClaims:
    """Checks the claims of an answer on a single system.

    Attributes:
        answer: the answer.
        result: the scores.
        value: the headline computed by hand; None where it is undefined.
        fixes: by how much the score rises without the errors of a kind, by kind.
        zeros: how many queries have the value 0, and how many have any.
        imperfect: how many samples have less than the best score.
        judged: for search, how many of the first results are judged, how many there are, and the first how many of a
            query these are; None where unjudged results do not lower the score.
    """

    answer: str
    result: Any
    value: float | None
    fixes: Mapping[str, float | None] = field(default_factory=dict)
    zeros: tuple[int, int] = (0, 0)
    imperfect: int = 0
    judged: tuple[int, int, int] | None = None
    seen: list[str] = field(default_factory=list)

    def check(self) -> None:
        first, *later = clauses(self.answer)
        self._headline(first)
        for clause in later:
            fitting = [(name, match) for name, pattern in ALONE.items() if (match := re.fullmatch(pattern, clause))]
            assert len(fitting) == 1, f"{clause!r} is read as {[name for name, _ in fitting]}"
            name, match = fitting[0]
            self.seen.append(name)
            getattr(self, f"_{name}")(*match.groups())
        defined = self.value is not None
        expected = {
            "costliest": defined and any((gain or 0) > 0 for gain in self.fixes.values()),
            "at_zero": 0 < self.zeros[0] < self.zeros[1],
            "not_perfect": defined and self.imperfect > 0,
            "few_judged": defined and self.judged is not None and 2 * self.judged[0] < self.judged[1],
        }
        assert {name: name in self.seen for name in expected} == expected

    def _headline(self, clause: str) -> None:
        """Check the score, its interval, and on how many units it rests."""
        result, score = self.result, self.result.headline
        count, noun = result.counts["units"], result.nouns
        means = result.tally.values.get(result.profile.metrics[result.profile.headline])
        some = f"{means.units:,} of " if means is not None and 0 < means.units < count else ""
        units = rf"on {some}{count:,} {noun.unit if count == 1 else noun.units}"
        told = re.fullmatch(
            rf"{_METRIC} is (?:undefined|{_SCORE}) {units}(?: \((no interval: )?(.+)\)|, by convention.+)?", clause
        )
        assert told, clause
        value, low, high, none, reason = told.groups()
        assert (value is None) == (self.value is None)
        if value is None or self.value is None:
            assert reason == str(score.undefined).replace("query or sentence", noun.unit)
        else:
            assert is_rounded(value, self.value)
            check_interval(score, value, low, high)
            assert (none is not None) == (score.withheld is not None and score.undefined is None)

    def _lowest(self, label: str, value: str, low: str | None, high: str | None) -> None:
        result = self.result
        name = next(iter(n for n, m in result.profile.by_label.items() if m == result.profile.label_headline))
        own = {key: scores[name].value for key, scores in result.by_label.items() if scores.counts["gold"]}
        known = {key: value for key, value in own.items() if value is not None}
        assert known[label] == min(known.values()) < max(known.values())
        assert is_rounded(value, known[label])
        check_interval(result.by_label[label][name], value, low, high)

    def _costliest(self, kind: str, gain: str) -> None:
        known = {name: value for name, value in self.fixes.items() if value is not None}
        assert known[kind] == max(known.values()) > 0
        assert is_rounded(gain, known[kind])

    def _at_zero(self, metric: str | None, count: str, noun: str) -> None:
        assert metric is None
        assert number(count) == self.zeros[0]
        assert noun == ("query" if self.zeros[0] == 1 else "queries")

    def _not_perfect(self, count: str, noun: str, verb: str) -> None:
        assert number(count) == self.imperfect
        assert (noun, verb) == (("sample", "is") if self.imperfect == 1 else ("samples", "are"))

    def _few_judged(self, share: str | None, none: str | None, first: str, verb: str) -> None:
        assert self.judged is not None
        judged, results, cutoff = self.judged
        assert int(first) == cutoff
        assert (none is not None) == (judged == 0) == (verb == "is")
        if share is not None:
            assert math.isclose(int(share), 100 * judged / results, abs_tol=0.5)
            assert int(share) > 0
        else:
            assert 100 * judged < results


def check_sweep(answer: str, metric: str, values: Mapping[str, Sequence[float]]) -> None:
    """Check an answer on variants that were not tested: their values by seed."""
    means = {name: math.fsum(own) / len(own) for name, own in values.items()}
    seeds = len(next(iter(values.values())))
    over = rf" over {seeds} seeds" if seeds > 1 else ""
    alone = rf"({NAME}) has {rf'a mean {metric} of' if over else metric} ({NUMBER}){over}"
    best = rf"({NAME}) has the highest {'mean ' if over else ''}{metric}, ({NUMBER}){over}; differences were not tested"
    told = re.fullmatch(rf"{alone if len(values) == 1 else best}\.", answer)
    assert told, answer
    assert math.isclose(means[told[1]], max(means.values()), abs_tol=1e-12)
    assert is_rounded(told[2], means[told[1]])


def check_recall(answer: str, found: Any, strata: Mapping[str, tuple[int, int, int, int]]) -> None:
    """Check an answer on the recall of a tagger, by hand from the counts of each stratum.

    Args:
        answer: the answer.
        found: the estimate, for its intervals.
        strata: how many candidates a stratum has, how many were labelled, how many of these are positive, and how many
            of these the tagger found.
    """
    sizes = {name: size * positive / labelled for name, (size, labelled, positive, _) in strata.items()}
    recalls = {name: right / positive for name, (_, _, positive, right) in strata.items() if positive}
    value = sum(sizes[name] * own for name, own in recalls.items()) / sum(sizes[name] for name in recalls)
    first, *later = clauses(answer)
    told = re.fullmatch(rf"The recall of (\S+) on (\S+) is {_SCORE}", first)
    assert told, first
    assert told.group(1, 2) == (found.system, found.benchmark)
    assert is_rounded(told[3], value)
    check_interval(found.recall, *told.group(3, 4, 5))
    seen = set()
    for clause in later:
        lowest = re.fullmatch(rf"lowest in stratum {LABEL}, {_SCORE}", clause)
        hidden = re.fullmatch(r"strata without positives may hide up to ([\d,]+) positives", clause)
        assert (lowest is None) != (hidden is None), clause
        if lowest is not None:
            seen.add("lowest")
            assert recalls[lowest[1]] == min(recalls.values()) < max(recalls.values())
            assert is_rounded(lowest[2], recalls[lowest[1]])
            check_interval(next(row.recall for row in found.strata if row.name == lowest[1]), *lowest.group(2, 3, 4))
        if hidden is not None:
            seen.add("hidden")
            empty = [name for name, (_, _, positive, _) in strata.items() if not positive]
            bounds = {row.name: row.hidden for row in found.strata if row.hidden is not None}
            assert {*bounds} <= {*empty}
            assert number(hidden[1]) == sum(bounds.values()) > 0
    some = any(row.hidden for row in found.strata)
    assert ("lowest" in seen) == (len({*recalls.values()}) > 1)
    assert ("hidden" in seen) == some
