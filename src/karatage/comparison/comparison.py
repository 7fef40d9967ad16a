"""What a comparison found: scores and ranks of systems, and every difference between two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from karatage._shown import Paged, ShownMapping
from karatage._version import __version__
from karatage.comparison.earlier_test import EarlierTest
from karatage.comparison.lead import Lead
from karatage.comparison.margins import MarginTest
from karatage.comparison.significance_tests import TestName
from karatage.errors import UsageError, unknown
from karatage.metrics import Score
from karatage.profiles import Profile
from karatage.scoring import Nouns, SkippedShard, judged_apart, skipped_warnings
from karatage.stats import RankInterval, Resampling

if TYPE_CHECKING:
    import polars as pl
    from rich.console import RenderableType

    from karatage.comparison.difference_origin import Origin
    from karatage.comparison.query_changes import QueryChanges
    from karatage.comparison.set_contest import SetContest
    from karatage.reports import AnswerText, Citation, Page


@dataclass(frozen=True)
class Seeds:
    """The runs of one system: how much its score depends on the seed, apart from how much it depends on the units.

    Attributes:
        values: the score of each run.
        spread: the standard deviation of the score over runs, on these units.
        error: the standard error of the mean score over resamples of the units, for these runs.
    """

    values: tuple[float, ...]
    spread: float
    error: float


@dataclass(frozen=True, kw_only=True)
class Difference:
    """The difference between two systems in one metric.

    Attributes:
        one: the system with the better score.
        other: the system with the worse score.
        value: the first one's score minus the second one's; None if either is undefined.
        low, high: the interval of the difference; None where it is withheld.
        p: the p-value of the test that they are equal; None where there is none.
        corrected: the p-value after Holm's correction over all tests of the same table.
        significant: whether the corrected p-value says that the systems differ.
        error: the standard error of the difference.
        detectable: the minimum detectable difference between these two with a power of 80 %; None where none is.
        units: on how many units the two have different counts.
        test: how the p-value was made.
        freedom: the degrees of freedom of the test, where it is Welch's.
        method: how the interval was made.
        withheld: why there is no interval.
        margin: whether they differ by no more than a margin, where one was given.
        randomisation: what the default test until 0.1 says, where its verdict may differ from the t-test's.
    """

    one: str
    other: str
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    corrected: float | None = None
    significant: bool = False
    error: float | None
    detectable: float | None = None
    units: int
    test: str
    freedom: float | None = None
    method: str | None = None
    withheld: str | None = None
    margin: MarginTest | None = None
    randomisation: EarlierTest | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, in the shape that `--json` prints."""
        out = {"resolvable" if name == "detectable" else name: value for name, value in asdict(self).items()}
        return {name: value for name, value in out.items() if value is not None or name not in _OPTIONAL}


_OPTIONAL = ("margin", "randomisation")
"""What a difference leaves out where there is none."""


@dataclass(frozen=True)
class Contest:
    """All systems in one metric.

    Attributes:
        metric: the metric.
        scores: the score of each system, the best first.
        ranks: the places that each system may have, by the tests of this metric together; None where its score is
            undefined.
        differences: every pair of systems.
        seeds: the runs of each system that has several.
        over_sets: the same over test sets of which those seen are a sample; None if there are fewer than three.
    """

    metric: str
    scores: dict[str, Score]
    ranks: dict[str, RankInterval | None]
    differences: tuple[Difference, ...]
    seeds: dict[str, Seeds] = field(default_factory=dict)
    over_sets: SetContest | None = None

    def __getitem__(self, pair: tuple[str, str]) -> Difference:
        """Return the difference between two systems, named in any order."""
        if isinstance(pair, str) or len(pair) != 2:
            raise UsageError(f"name two systems, e.g. comparison[{self.metric!r}]['a', 'b'], not {pair!r}")
        for difference in self.differences:
            if {difference.one, difference.other} == set(pair):
                return difference
        raise unknown("pair of systems", " and ".join(pair), [f"{d.one} and {d.other}" for d in self.differences])

    def worded(self, word: Callable[[str], str]) -> Contest:
        """Return the same with reasons for missing intervals in other words."""
        scores = {
            name: score if score.withheld is None else replace(score, withheld=word(score.withheld))
            for name, score in self.scores.items()
        }
        differences = tuple(
            d if d.withheld is None else replace(d, withheld=word(d.withheld)) for d in self.differences
        )
        return replace(self, scores=scores, differences=differences)

    @property
    def lead(self) -> Lead:
        """Who is first, and whether the tests say so."""
        return Lead.of(self)

    @property
    def detectable(self) -> tuple[float, float] | None:
        """The smallest and the largest of the pairs' minimum detectable differences, with a power of 80 %."""
        known = [d.detectable for d in self.differences if d.detectable is not None]
        return (min(known), max(known)) if known else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        systems: dict[str, Any] = {}
        for name, score in self.scores.items():
            rank = self.ranks[name]
            systems[name] = {"rank": rank and rank._asdict(), **score.to_dict()}
            if name in self.seeds:
                systems[name]["seeds"] = asdict(self.seeds[name])
        over_sets = {} if self.over_sets is None else {"over_sets": self.over_sets.to_dict()}
        return {"systems": systems, "differences": [d.to_dict() for d in self.differences], **over_sets}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Comparison(Paged, ShownMapping[Contest]):
    """Systems compared on the same sentences or queries.

    It is a mapping from the names of metrics to all systems in that metric.

    Attributes:
        profile: the profile that made the scores.
        nouns: what users call what was scored.
        resampling: how intervals and tests were made.
        test: how pairs were tested.
        contests: all systems in each metric, by the metric's name.
        by_label: all systems in the headline's measure of each label; empty where several test sets are combined.
        units: how many units each test set has; the name of a single one is empty.
        drawn: how many units, or clusters of them, are drawn and swapped.
        design_effects: for each system how many times larger the variance of its headline score is than if the units of
            a cluster did not depend on each other; empty without clusters, and where several test sets are combined.
        sets: the comparison on each test set, where there are several; the comparison itself is then of their mean.
        warnings: what a reader of the numbers should know.
        provenance: the SHA-256 of the files.
        most: the units on which the systems differ most, as `most_different` returns them.
        judged: how many units of each test set a judge labelled; empty where there is none.
        annotators: the names of the annotators whose mean the scores are; empty where there is one gold.
        agreement: the mean F1 of one annotator against another, where there are several.
        skipped: the files that were left out for all systems because they cannot be read.
        changes: for search with `diff`, what changed from the first system to each other one, by the other's name.
        origin: where the difference between the two best systems in the headline comes from; None where that is not
            known, e.g. with several test sets.
        judged_shares: for search on one test set, which share of each system's first results is judged, where unjudged
            results lower the score.
        too_few: whether there are so few units that no difference can be significant.
    """

    _width = 120

    profile: Profile
    nouns: Nouns
    resampling: Resampling
    test: TestName
    contests: dict[str, Contest]
    by_label: dict[str, Contest]
    units: dict[str, int]
    drawn: int
    design_effects: dict[str, float]
    sets: dict[str, Comparison]
    warnings: tuple[str, ...]
    provenance: Mapping[str, Any]
    most: list[dict[str, Any]]
    judged: dict[str, int] = field(default_factory=dict)
    annotators: tuple[str, ...] = ()
    agreement: float | None = None
    skipped: tuple[SkippedShard, ...] = ()
    changes: dict[str, QueryChanges] = field(default_factory=dict)
    origin: Origin | None = None
    judged_shares: Mapping[str, float] = field(default_factory=dict)
    too_few: bool = False

    @property
    def answer(self) -> AnswerText:
        """What the comparison found, in one sentence."""
        from karatage.reports import comparison_answer

        return comparison_answer(self)

    @property
    def headline(self) -> Contest:
        """The metric that decides the ranks."""
        return self.contests[self.profile.headline]

    @property
    def systems(self) -> list[str]:
        """The names of the systems, the best first."""
        return list(self.headline.scores)

    @property
    def ranks(self) -> dict[str, RankInterval | None]:
        """The places that each system may have; those of two systems overlap unless one is significantly worse."""
        return self.headline.ranks

    def __getitem__(self, metric: str) -> Contest:
        """Return all systems in one of the metrics."""
        if metric not in self.contests:
            raise unknown("metric of this comparison", metric, self.contests)
        return self.contests[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.contests)

    def __len__(self) -> int:
        return len(self.contests)

    def most_different(self, limit: int = 20) -> pl.DataFrame:
        """List the sentences or queries on which the systems differ most, with their effect on each headline score.

        Args:
            limit: the largest number of rows, at most 100.

        Returns:
            A Polars frame: the unit, its gold entities, and under `systems` for each system its predicted and correct
            entities there and how much the unit adds to its score (negative where it costs). Where the score is a mean
            over units, the value of the unit instead. With `queries`, the text of each query is in `query`.
        """
        import polars as pl

        return pl.DataFrame(self.most[:limit], infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, in the shape that `--json` prints."""
        out: dict[str, Any] = {
            "answer": str(self.answer),
            "profile": self.profile.name,
            "options": dict(self.profile.options),
            "headline": self.profile.headline,
            "test": self.test,
            "units": sum(self.units.values()),
            "drawn": self.drawn,
            "metrics": {name: contest.to_dict() for name, contest in self.contests.items()},
        }
        if self.judged:
            out["judge"] = {"units": sum(self.judged.values()), "labelled": out["units"]}
        if self.annotators:
            out["annotators"] = {"names": list(self.annotators), "agreement": self.agreement}
        if self.by_label:
            out["by_label"] = {name: contest.to_dict() for name, contest in self.by_label.items()}
        if self.origin is not None:
            out["origin"] = self.origin.to_dict()
        if self.sets:
            out["sets"] = {name: one.to_dict() for name, one in self.sets.items()}
        if self.most:
            out["most_different"] = self.most[:20]
        if self.changes:
            out["changes"] = [one.to_dict() for one in self.changes.values()]
        out["intervals"] = self.resampling.to_dict()
        if self.resampling.cluster_by is not None:
            out["intervals"] |= {"clusters": self.drawn, "design_effects": dict(self.design_effects)}
        out["warnings"] = list(self.warnings)
        if self.skipped:
            out["skipped"] = [one.to_dict() for one in self.skipped]
        out["provenance"] = {"karatage": __version__, **self.provenance, "seed": self.resampling.seed}
        return out

    def judged_less(self, system: str, other: str) -> bool:
        """Whether clearly fewer results of a system are judged than of another one, on any test set."""
        if self.sets:
            return any(one.judged_less(system, other) for one in self.sets.values())
        shares = self.judged_shares
        return system in shares and other in shares and judged_apart(shares[system], shares[other])

    def leaving_out(self, skipped: tuple[SkippedShard, ...], files: int) -> Comparison:
        """Return the same comparison, which says which files were left out, of so many of gold."""
        return replace(self, skipped=skipped, warnings=self.warnings + skipped_warnings(skipped, files))

    def cite(self) -> Citation:
        """Return a paragraph on the methods that were used, and BibTeX for their sources."""
        from karatage.reports import cite_comparison

        return cite_comparison(self)

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows: ranks, differences, labels, units, test sets, warnings."""
        from karatage.reports import comparison_parts

        return comparison_parts(self)

    def page(self, title: str | None = None) -> Page:
        """Return the page: the answer, ranks, differences with their verdicts, labels, queries, test sets."""
        from karatage.reports import comparison_page

        return comparison_page(self, title)

    def __repr__(self) -> str:
        ranked = ", ".join(f"{rank or '–'}. {name}" for name, rank in self.ranks.items())
        return f"<Comparison {self.profile.headline}: {ranked} like={self.profile.full_name!r}>"

    def _repr_html_(self) -> str:
        from karatage.reports import comparison_html

        return comparison_html(self)
