"""What to cite for a result: a paragraph on the methods that it used, and BibTeX for their sources."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from karatage._version import __version__
from karatage.reports.terminal.result_tables import percent

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.comparison import Comparison, Gate, Plan, SetContest
    from karatage.metrics import Metric
    from karatage.profiles import Profile
    from karatage.scoring import Result
    from karatage.stats import Resampling

_CITED = re.compile(r"\[@([\w; @]+)\]")

_PROFILES = {
    "conlleval": "tjongkimsang2003",
    "seqeval": "nakayama2018",
    "seqeval-strict": "nakayama2018",
    "semeval2013": "segura2013",
    "trec-eval": "vangysel2018",
}
"""What a profile reproduces is described in."""

_MEASURES = {"nDCG": "jarvelin2002"}

_INTERVALS = {
    "auto": (
        "are Wilson's for a proportion [@wilson1927], of as many independent trials as the {units} are worth "
        "[@korn1998; kish1965]. The variance is the infinitesimal jackknife's over {units} [@efron1982], with "
        "Student's t and Satterthwaite's degrees of freedom [@satterthwaite1946]"
    ),
    "t": (
        "are the score ± its standard error times the quantile of Student's t [@student1908]. The standard error is "
        "the infinitesimal jackknife's over {units} [@efron1982], with Satterthwaite's degrees of freedom "
        "[@satterthwaite1946]"
    ),
    "percentile": "lie between quantiles of the scores on {resamples:,} bootstrap resamples of {units} [@efron1979]",
    "bca": "are bias-corrected and accelerated, from {resamples:,} bootstrap resamples of {units} [@efron1987]",
    "clopper-pearson": "of precision and recall are Clopper and Pearson's [@clopper1934]",
    "jeffreys": "of precision and recall are Jeffreys' [@brown2001]",
}

_TESTS = {
    "t": "a paired t-test on {units} [@student1908], with an allowance for few differing {units} [@bonett2012]",
    "randomisation": "paired approximate randomisation over {units} [@noreen1989; yeh2000]",
    "bootstrap": "the paired bootstrap over {units} [@efron1993]",
    "annotators and units": "a t-test that adds the variances over annotators and over {units} [@satterthwaite1946]",
    "runs and units": "a t-test that adds the variances over training runs and over {units} [@satterthwaite1946]",
}

_JUDGE = (
    "Only some of the {units} were labelled by hand; scores are prediction-powered estimates that also use the labels "
    "of an automatic judge [@angelopoulos2023ppi; angelopoulos2023plus]."
)

_RARE = "with a bound for {units} with rare failures [@gaffke2005; learnedmiller2019]"

_MARGIN = (
    "Whether a system is no worse than another by more than {margin:g}, or equivalent, was tested by two one-sided "
    f"tests [@schuirmann1987], {_RARE}."
)

_DROP = f"Whether it is worse by more than {{margin:g}} was tested one-sided [@schuirmann1987], {_RARE}."

_NEEDS = {
    "margin": (
        "The number of {units} for a margin of error is planned with an assurance of {assurance}: the variances of the "
        "pilot and of the test set are both estimates [@kelley2003]."
    ),
    "difference": (
        "The number of {units} for a difference is planned for a power of {power}, with the variance of {pair}, at an "
        "upper confidence limit of {assurance} [@browne1995]."
    ),
}


@dataclass(frozen=True)
class Citation:
    """What to cite.

    Attributes:
        text: a paragraph on the methods.
        keys: the keys of the works that it names, in their order.
    """

    text: str
    keys: tuple[str, ...]

    @classmethod
    def of(cls, sentences: Iterator[str]) -> Citation:
        """Put works in the place of their keys."""
        marked = " ".join(sentences)
        keys = [key.strip(" @") for found in _CITED.findall(marked) for key in found.split(";")]

        def named(found: re.Match[str]) -> str:
            return f"({'; '.join(_in_text(key.strip(' @')) for key in found[1].split(';'))})"

        return cls(_CITED.sub(named, marked), tuple(dict.fromkeys(keys)))

    @property
    def bibtex(self) -> str:
        """The works as BibTeX."""
        return "\n\n".join([_software(), *map(_entry, self.keys)])

    def to_dict(self) -> dict[str, str]:
        """Return the paragraph and the BibTeX."""
        return {"text": self.text, "bibtex": self.bibtex}

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows."""
        from rich.text import Text

        yield Text(self.text)
        yield Text(self.bibtex, no_wrap=True, overflow="ignore")

    def __str__(self) -> str:
        return f"{self.text}\n\n{self.bibtex}\n"


def cite_result(result: Result) -> Citation:
    """Return what to cite for scores."""

    def sentences() -> Iterator[str]:
        yield _scores(result.profile, result.profile.metrics[result.profile.headline])
        if result.judge is not None:
            yield _JUDGE.format(units=result.nouns.units)
        if result.annotators is not None:
            yield _annotators(len(result.annotators.names), result.nouns.units, result.annotators.agreement)
        if result.resampling is not None:
            yield from _intervals(result.resampling, result.nouns.units)

    return Citation.of(sentences())


def cite_comparison(comparison: Comparison) -> Citation:
    """Return what to cite for a comparison."""

    def sentences() -> Iterator[str]:
        profile, units = comparison.profile, comparison.nouns.units
        yield _scores(profile, profile.metrics[profile.headline])
        if comparison.judged:
            yield _JUDGE.format(units=units)
        if comparison.annotators:
            yield _annotators(len(comparison.annotators), units, comparison.agreement)
        yield from _intervals(comparison.resampling, units)
        contest = comparison.contests[profile.headline]
        tests = dict.fromkeys(difference.test for difference in contest.differences)
        yield f"Systems were compared by {' and '.join(_TESTS[test] for test in tests)}.".format(units=units)
        if len(contest.differences) > 1:
            yield "P-values are corrected for the number of pairs [@holm1979]."
            yield "Ranks are simultaneous confidence sets [@mogstad2024]."
        if comparison.changes:
            yield f"Whether as many {units} get better as worse was tested by the exact sign test [@dixon1946]."
        margin = next((d.margin.margin for d in contest.differences if d.margin is not None), None)
        if margin is not None:
            yield _MARGIN.format(margin=margin, units=units)
        if contest.over_sets is not None:
            yield from _over_sets(contest.over_sets)

    return Citation.of(sentences())


def cite_gate(gate: Gate) -> Citation:
    """Return what to cite for a gate."""

    def sentences() -> Iterator[str]:
        profile, units, resampling = gate.profile, gate.nouns.units, gate.resampling
        yield _scores(profile, profile.metrics[profile.headline])
        if gate.judged is not None:
            yield _JUDGE.format(units=units)
        # Differences have t intervals of their own, unless resamples were asked for.
        if len(gate.checks) > len(gate.differences) or any(
            found.method not in (None, "t") for found in gate.differences
        ):
            yield _method(resampling, units)
        yield from _sampled(resampling, units)
        if gate.look is not None:
            level = percent(gate.series_level)
            yield f"This is look {gate.look:,} at the test set: the confidence level of all looks together is {level}."
        if gate.differences:
            tests = dict.fromkeys(found.test for found in gate.differences)
            test = " and ".join(_TESTS[name] for name in tests).format(units=units)
            yield f"The new system was compared with the baseline by {test}."
        for margin in dict.fromkeys(found.margin.margin for found in gate.differences if found.margin is not None):
            yield _DROP.format(margin=margin, units=units)

    return Citation.of(sentences())


def cite_plan(plan: Plan) -> Citation:
    """Return what to cite for a plan of a test set."""

    def sentences() -> Iterator[str]:
        result = plan.result
        units = result.nouns.units
        yield _scores(result.profile, result.profile.metrics[result.profile.headline])
        if result.resampling is not None:
            yield from _intervals(result.resampling, units)
        pair = "two systems with unrelated errors"
        if plan.comparison is not None:
            tests = (found.test for found in plan.comparison.headline.differences)
            pair = f"the difference in {' and '.join(map(_TESTS.__getitem__, tests))}".format(units=units)
        words = {"units": units, "assurance": percent(plan.assurance), "power": percent(plan.power), "pair": pair}
        for kind in dict.fromkeys(need.kind for need in plan.needs):
            yield _NEEDS[kind].format(**words)

    return Citation.of(sentences())


def _over_sets(found: SetContest) -> Iterator[str]:
    yield (
        f"The {found.sets} test sets are taken for a sample of such sets: mean differences over them have Student's t "
        "intervals, all sets weighing the same [@inthout2014; ibragimov2010], and the standard deviation between sets "
        "is a moment estimate [@paule1982]. The order of systems on the sets was tested by exact signed-rank tests "
        "[@wilcoxon1945; demsar2006; benavoli2016]."
    )
    if found.friedman is not None:
        yield "All systems together were compared by Friedman's test [@friedman1937; iman1980]."


def _annotators(count: int, units: str, agreement: float | None) -> str:
    agreed = "" if agreement is None else f", whose mean pairwise F1 is {agreement:.4f} [@hripcsak2005]"
    variance = f"The variance over annotators, beyond that over {units}, is added to the latter [@satterthwaite1946]."
    return f"Scores are means over {count} annotators{agreed}. {variance}"


def _scores(profile: Profile, headline: Metric) -> str:
    like = f" [@{_PROFILES[profile.name]}]" if profile.name in _PROFILES else ""
    measure = next((f", {name} [@{key}]" for name, key in _MEASURES.items() if str(headline).startswith(name)), "")
    return f"Scores were computed with Karatage {__version__}, profile {profile.full_name}{like}{measure}."


def _intervals(resampling: Resampling, units: str) -> Iterator[str]:
    """Yield how intervals were made, and what was drawn together or apart."""
    yield _method(resampling, units)
    yield from _sampled(resampling, units)


def _method(resampling: Resampling, units: str) -> str:
    found = resampling.interval
    method = _INTERVALS["auto" if found == "wilson" else found].format(units=units, resamples=resampling.resamples)
    sentence = f"Intervals ({percent(resampling.level)}) {method}."
    if found in ("clopper-pearson", "jeffreys"):
        sentence += f" Those of other scores {_INTERVALS['auto']}.".format(units=units)
    return sentence


def _sampled(resampling: Resampling, units: str) -> Iterator[str]:
    if resampling.cluster_by is not None:
        yield f"The {units} are clustered by {resampling.cluster_by} [@kish1965]."
    if resampling.stratify_by is not None:
        yield f"The {units} are stratified by {resampling.stratify_by} [@cochran1977]."


@cache
def references() -> dict[str, dict[str, Any]]:
    """Return all works by their keys."""
    return tomllib.loads(files("karatage.reports").joinpath("literature.toml").read_text("utf-8"))


def _in_text(key: str) -> str:
    """Return authors and year: Wilson 1927; Korn and Graubard 1998; Mogstad et al. 2024."""
    work = references()[key]
    families = [name.split(",")[0] for name in work["author"]]
    names = f"{families[0]} et al." if len(families) > 2 else " and ".join(families)
    return f"{names} {work['year']}"


def _entry(key: str) -> str:
    work = references()[key]
    fields = {"author": " and ".join(work["author"])} | {n: v for n, v in work.items() if n not in ("type", "author")}
    lines = [f"  {name} = {{{_escaped(name, str(value))}}}," for name, value in fields.items()]
    return "\n".join([f"@{work['type']}{{{key},", *lines, "}"])


def _escaped(field: str, value: str) -> str:
    """Write a value as LaTeX takes it; braces keep the capitals of a title."""
    if field == "doi":
        return value
    text = value.replace("&", r"\&").replace("_", r"\_")
    return f"{{{text}}}" if field == "title" else text


def _software() -> str:
    return (
        f"@misc{{karatage,\n  title = {{Karatage}},\n  howpublished = {{Software}},\n  version = {{{__version__}}},\n}}"
    )
