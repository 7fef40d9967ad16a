"""The gate: may this build ship? Only if the intervals of its scores are within the thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack
from xml.etree import ElementTree as ET

from karatage._options import takes
from karatage._shown import Shown
from karatage._version import __version__
from karatage.comparison.comparing import compare
from karatage.comparison.comparison import Contest, Difference
from karatage.errors import UsageError
from karatage.metrics import Score
from karatage.profiles import Profile
from karatage.scoring import (
    RECORDS,
    Nouns,
    ScoringKeywords,
    ScoringOptions,
    counted,
    resolve_inputs,
    resolve_judge,
    score,
)
from karatage.stats import Resampling, level_of_look

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.reports import Citation

NEW, OLD = "new", "baseline"

_SHOWN = 0.0001
"""What two drops differ by at least that are shown apart."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """One condition of a gate.

    Attributes:
        name: the condition in words.
        metric: the metric that it is about.
        value: the score, or the difference to the baseline.
        low, high: its interval; None where there is none.
        limit: what the lower end must not be below; for a metric that is better when lower, the upper one not above.
        holds: whether it is not.
        why: the numbers behind the verdict, in words.
    """

    name: str
    metric: str
    value: float | None
    low: float | None = None
    high: float | None = None
    limit: float
    holds: bool = False
    why: str


@dataclass(frozen=True, kw_only=True)
class Gate(Shown):
    """What a gate found: it holds if every check does.

    Attributes:
        profile: the profile that made the scores.
        nouns: what users call what was scored.
        units: how many units were scored.
        drawn: how many of them, or clusters of them, a resample draws.
        checks: the conditions.
        resampling: how the intervals were made.
        look: the number of this look at the test set, where the level is to hold for all looks together.
        series_level: the confidence level of all looks together; that of the intervals where there is no series.
        warnings: what a reader of the numbers should know.
        provenance: the SHA-256 of the files, and the random seed.
        judged: how many units a judge labelled, of which those scored are a part; None where there is none.
        differences: the differences to the baseline, with their tests; none without a baseline.
    """

    profile: Profile
    nouns: Nouns
    units: int
    drawn: int
    checks: tuple[Check, ...]
    resampling: Resampling
    look: int | None
    series_level: float
    warnings: tuple[str, ...]
    provenance: Mapping[str, Any]
    judged: int | None = None
    differences: tuple[Difference, ...] = ()

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        verdict = "passes" if self.holds else "fails"
        return f"<Gate {verdict}: {len(self.checks)} checks like={self.profile.full_name!r}>"

    @property
    def level(self) -> float:
        """The confidence level."""
        return self.resampling.level

    @property
    def holds(self) -> bool:
        """Whether every check does."""
        return all(check.holds for check in self.checks)

    @property
    def intervals(self) -> str:
        """The confidence level of the intervals in words."""
        if self.look is None:
            return f"{100 * self.level:.10g} % intervals"
        return (
            f"{100 * self.level:.6g} % intervals (look {self.look:,}; {100 * self.series_level:.10g} % for all looks)"
        )

    @property
    def scored(self) -> str:
        """How many units were scored, in words."""
        if self.judged is None:
            return counted(self.units, self.nouns.unit)
        return f"{self.units:,} of {counted(self.judged, self.nouns.unit)} labelled"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, in the shape that `--json` prints."""
        return {
            "holds": self.holds,
            "profile": self.profile.name,
            "options": dict(self.profile.options),
            "units": self.units,
            "drawn": self.drawn,
            **({} if self.judged is None else {"judge": {"units": self.judged, "labelled": self.units}}),
            "level": self.level,
            **({} if self.look is None else {"look": self.look, "series_level": self.series_level}),
            "checks": [asdict(check) for check in self.checks],
            "intervals": self.resampling.to_dict(),
            "warnings": list(self.warnings),
            "provenance": {"karatage": __version__, **self.provenance},
        }

    def to_junit(self) -> str:
        """Return the checks as test cases in JUnit's XML, which build servers read."""
        counts = {"tests": str(len(self.checks)), "failures": str(sum(not check.holds for check in self.checks))}
        suites = ET.Element("testsuites", counts)
        suite = ET.SubElement(suites, "testsuite", {"name": "karatage gate", **counts, "errors": "0", "time": "0"})
        for check in self.checks:
            case = ET.SubElement(suite, "testcase", classname="karatage.gate", name=_printable(check.name), time="0")
            if not check.holds:
                ET.SubElement(case, "failure", message=_printable(check.why), type="gate")
            else:
                ET.SubElement(case, "system-out").text = _printable(check.why)
        ET.indent(suites)
        return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"

    def to_markdown(self) -> str:
        """Return the checks as a table for a build's summary."""
        verdict = "passes" if self.holds else "fails"
        lines = [
            f"## Gate {verdict}",
            "",
            f"Profile {_cell(self.profile.full_name)}, {self.scored}, {self.intervals}.",
            "",
            "| | check | value | interval | limit |",
            "|---|---|---|---|---|",
        ]
        for check in self.checks:
            value = "undefined" if check.value is None else f"{check.value:.4f}"
            interval = "none" if check.low is None or check.high is None else f"{check.low:.4f} to {check.high:.4f}"
            mark = "✅" if check.holds else "❌"
            lines.append(f"| {mark} | {_cell(check.name)} | {value} | {interval} | {check.limit:.4f} |")
        failed = [check for check in self.checks if not check.holds]
        lines += ["", *(f"- {_cell(check.name)}: {_cell(check.why)}" for check in failed)] if failed else []
        lines += ["", *(f"- warning: {_cell(warning)}" for warning in self.warnings)] if self.warnings else []
        return "\n".join(lines) + "\n"

    def cite(self) -> Citation:
        """Return a paragraph on the methods that were used, and BibTeX for their sources."""
        from karatage.reports import cite_gate

        return cite_gate(self)

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows: the checks, why, and the verdict."""
        from karatage.reports import gate_parts

        return gate_parts(self)


@takes(*RECORDS)
def gate(
    gold: Any,
    pred: Any,
    *,
    minimum: Mapping[str, float] | float | None = None,
    maximum: Mapping[str, float] | float | None = None,
    baseline: Any = None,
    max_drop: Mapping[str, float] | float | None = None,
    judge: Any = None,
    look: int | None = None,
    resamples: int = 10_000,
    **options: Unpack[ScoringKeywords],
) -> Gate:
    """Check scores against thresholds and a baseline; intervals, not only scores, must be within them.

    Args:
        gold: Anything that `karatage.score` takes.
        pred: The predictions to check.
        minimum: What the lower end of each metric's interval must reach; a single number is for the headline.
        maximum: What the upper end of each metric's interval must not exceed, for metrics where lower is better, such
            as `fpr`.
        baseline: Predictions to compare with, e.g. those of the last release.
        max_drop: How much worse than the baseline the paired difference in each metric may be, at the worse end of its
            interval; a single number is for the headline.
        judge: Labels of another model for all sentences or queries, where gold has only a random part of them.
        look: The number of this look at the test set, from 1, in a series of builds that are checked on it. The level
            then holds for the whole series: see `karatage.experiments.logged_gate`, which counts.
        resamples: Number of resamples, for intervals that need them.
        options: Scoring options.
    """
    if minimum is None and maximum is None and baseline is None and max_drop is None:
        raise UsageError("set a threshold, e.g. `--min f1=0.8`, or a baseline with `--max-drop`")
    if (baseline is None) != (max_drop is None):
        lacking, other = ("max_drop", "baseline") if max_drop is None else ("baseline", "max_drop")
        raise UsageError(f"{other} needs {lacking} too, e.g. `--baseline old.conll --max-drop 0.01`")
    if resamples == 0:
        raise UsageError("a gate needs intervals: leave out --resamples 0")
    limits = (minimum, maximum, max_drop)
    if options.get("metrics") is None and not any(isinstance(given, int | float) for given in limits):
        # All that is checked has a name, so nothing else has to be scored, or warned of.
        named = [name for given in limits if isinstance(given, Mapping) for name in given]
        options["metrics"] = named or None
    series_level = ScoringOptions.of(options, resamples).resampling.level
    if look is not None:
        options["level"] = level_of_look(series_level, look)
    scoring = ScoringOptions.of(options, resamples)
    ours, theirs = resolve_inputs(gold, pred, scoring.reading)
    if baseline is not None and theirs is not None:  # both are scored, and then compared
        ours, theirs = ours.remembered(), theirs.remembered()
    labels = None if judge is None else resolve_judge(judge, scoring.reading)
    result = score(ours, theirs, judge=labels, resamples=resamples, **options)
    headline = result.profile.headline
    checks = []
    for given, rising in ((minimum, True), (maximum, False)):
        for name, limit in _limits(given, headline).items():
            if result.profile.metric(name).higher_is_better != rising:
                better, other = ("lower", "maximum") if rising else ("higher", "minimum")
                raise UsageError(f"{better} is better for {name}: set a {other} instead")
            checks.append(_limited(name, result[name], limit, rising))
    warnings = list(result.warnings)
    provenance: dict[str, Any] = {"gold": result.digests[0], "pred": result.digests[1]}
    if result.judge is not None:
        provenance["judge"] = result.judge.digest
    drops = _limits(max_drop, headline)
    differences: tuple[Difference, ...] = ()
    for name, drop in drops.items():
        if drop < 0:
            raise UsageError(f"max_drop must be 0 or more, not {drop:g} ({name})")
    if drops:
        # Under one name a metric is the same in both; the profile's own names stay known that way.
        systems = {NEW: theirs, OLD: baseline}
        options["metrics"] = list(drops)
        compared = compare(ours, systems, judge=labels, margin=drops, by_label=False, resamples=resamples, **options)
        checks += [
            _not_worse(name, compared[name], drop, result.profile.metric(name).higher_is_better)
            for name, drop in drops.items()
        ]
        differences = tuple(compared[name].differences[0] for name in drops)
        warnings += [w for w in compared.warnings if w.startswith(f"{OLD}: ")]
        provenance["baseline"] = compared.provenance["systems"][OLD][0]
    return Gate(
        profile=result.profile,
        nouns=result.nouns,
        units=result.counts["units"],
        drawn=result.drawn,
        checks=tuple(checks),
        resampling=result.resampling or scoring.resampling,
        look=look,
        series_level=series_level,
        warnings=tuple(warnings),
        provenance=provenance | {"seed": scoring.resampling.seed},
        judged=None if result.judge is None else result.judge.units,
        differences=differences,
    )


def _limits(given: Mapping[str, float] | float | None, headline: str) -> dict[str, float]:
    if given is None:
        return {}
    out = dict(given) if isinstance(given, Mapping) else {headline: given}
    if not out:
        raise UsageError("set a threshold, e.g. `--min f1=0.8`")
    for name, limit in out.items():
        if not isinstance(limit, int | float) or not 0 <= limit <= 1:
            raise UsageError(f"a threshold must be between 0 and 1, not {limit!r} ({name})")
    return {str(name): float(limit) for name, limit in out.items()}


def _limited(name: str, found: Score, limit: float, rising: bool) -> Check:
    """Check that the worse end of an interval reaches a threshold, from above or, where lower is better, from below."""
    check = Check(
        name=f"{name} at {'least' if rising else 'most'} {limit:g}",
        metric=name,
        value=found.value,
        limit=limit,
        why=found.undefined or f"no interval: {found.withheld}",
    )
    end = found.low if rising else found.high
    if end is None or found.value is None:
        return check
    holds = end >= limit if rising else end <= limit
    why = f"{name} is {found.value:.4f}, its interval {'starts' if rising else 'ends'} at {end:.4f}"
    if not holds:
        beyond, within = ("below", "above") if rising else ("above", "below")
        fails = found.value < limit if rising else found.value > limit
        short = (
            f"the score itself is {beyond} the threshold"
            if fails
            else f"the score is {within} the threshold, but its interval is not"
        )
        why += f", {beyond} {limit:g}: {short}"
    return replace(check, low=found.low, high=found.high, holds=holds, why=why)


def _not_worse(name: str, contest: Contest, drop: float, rising: bool) -> Check:
    """Check that the worse end of the interval of a difference stays within the allowed drop."""
    found = contest.differences[0]
    limit = 0.0 - drop if rising else drop
    turned = found.one == OLD
    value = None if found.value is None else 0.0 - found.value if turned else found.value
    check = Check(
        name=f"{name} not more than {drop:g} {'below' if rising else 'above'} the baseline",
        metric=name,
        value=value,
        limit=limit,
        why=f"no interval: {found.withheld}",
    )
    if found.value is None or value is None:
        reasons = [score.undefined for score in contest.scores.values() if score.undefined]
        return replace(check, why=f"the difference is undefined: {reasons[0]}")
    low, high = found.low, found.high
    if low is None or high is None:
        return check
    low, high = (-high, -low) if turned else (low, high)
    test = found.margin
    assert test is not None  # noqa: S101  every metric has a margin
    no_worse, largest = (test.other_no_worse, test.other_drop) if turned else (test.one_no_worse, test.one_drop)
    holds = no_worse and (low >= limit if rising else high <= limit)
    reach = f"starts at {low:+.4f}" if rising else f"ends at {high:+.4f}"
    why = f"the difference in {name} is {value:+.4f}, its interval {reach}"
    if largest > (-low if rising else high) + _SHOWN:
        why += f", and rare failures may hide up to {-largest if rising else largest:+.4f}"
    if not holds:
        beyond, move = ("below", "drop") if rising else ("above", "rise")
        fails = value < limit if rising else value > limit
        short = f"the {move} itself is too large" if fails else f"a larger {move} cannot be ruled out"
        why += f", {beyond} {f'{limit:+g}' if limit else 0}: {short}"
    return replace(check, low=low, high=high, holds=holds, why=why)


def _printable(text: str) -> str:
    """Replace characters that XML cannot hold."""
    return "".join(
        c if c in "\t\n" or (" " <= c < "\ud800") or ("\ue000" <= c < "\ufffe") or c > "\uffff" else "\ufffd"
        for c in text
    )


def _cell(text: str) -> str:
    """Keep a text from breaking a Markdown table."""
    return "".join(f"\\{c}" if c in "|\\`*_{}[]<>#" else " " if c in "\r\n" else c for c in text)
