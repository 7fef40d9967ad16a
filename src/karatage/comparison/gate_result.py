"""What a gate found: each check with its score, its limit and its verdict, as tables, JUnit XML and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from karatage._shown import Shown
from karatage._version import __version__
from karatage.comparison.comparison import Difference
from karatage.profiles import Profile
from karatage.scoring import Nouns, SkippedShard, counted
from karatage.stats import Resampling

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.reports import Citation


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
        skipped: the files that were left out because they cannot be read.
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
    skipped: tuple[SkippedShard, ...] = ()

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
            **({"skipped": [one.to_dict() for one in self.skipped]} if self.skipped else {}),
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


def _printable(text: str) -> str:
    """Replace characters that XML cannot hold."""
    return "".join(
        c if c in "\t\n" or (" " <= c < "\ud800") or ("\ue000" <= c < "\ufffe") or c > "\uffff" else "\ufffd"
        for c in text
    )


def _cell(text: str) -> str:
    """Keep a text from breaking a Markdown table."""
    return "".join(f"\\{c}" if c in "|\\`*_{}[]<>#" else " " if c in "\r\n" else c for c in text)
