"""Comparing: every system on the same units, every pair of systems tested, ranks that say no more than the tests do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.claims import Units
from karat.comparison import Comparison, Contest, Difference, Runs, Seeds, Sets
from karat.corpus import open_corpus
from karat.errors import InputError, UsageError, unknown
from karat.metrics import Metric, Rows, Score, Tally, attribute, evaluate
from karat.profiles import Profile, get_profile
from karat.scoring import Progress, open_run
from karat.stats import (
    Influence,
    Resampling,
    Sampler,
    Swaps,
    bootstrap_p,
    differing,
    difference_interval,
    holm,
    random_p,
    randomisation_p,
    resolvable,
    score_interval,
    shared_ranks,
    welch,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NOTHING = 1e-12

TESTS = {
    "randomisation": "swap the outputs of two systems at random, unit by unit",
    "bootstrap": "resample the units and see how far the difference moves",
}


def compare(
    gold: Any,
    systems: Mapping[str, Any] | Sequence[Any],
    *,
    like: str | Path | Profile = "exact",
    test: str = "randomisation",
    resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
    interval: str = "auto",
    cluster_by: str | None = None,
    stratify_by: str | None = None,
    format: str | None = None,  # noqa: A002  users say format
    pred_format: str | None = None,
    columns: str | Sequence[str | int] = (),
    unit: str = "sentence",
    progress: Progress | None = None,
    **options: Any,
) -> Comparison:
    """Compare systems on the same gold.

    Args:
        gold: anything that `karat.score` takes; or `karat.Sets` of several test sets.
        systems: the predictions of each system, by its name; or a sequence of files, named by their paths. A system's
            predictions are anything that `karat.score` takes, `karat.Sets` with those of each test set, or
            `karat.Runs` of one system trained several times.
        like: the profile: a built-in one's name or the path of a TOML file.
        test: how a pair is tested: `randomisation` or `bootstrap`.
        resamples: how many resamples, and how many rounds of random swaps.
        level: how sure an interval is to hold the true value; a difference is significant at one minus that.
        seed: where the random numbers start: the same seed gives the same answer.
        interval: how intervals are made, as for `karat.score`.
        cluster_by: an attribute of units, such as `document`: units that share it are drawn and swapped together.
        stratify_by: an attribute of units, such as `category`: every resample has as many units of each value.
        format: the files' format; sniffed if left out.
        pred_format: the predictions' format, where it is another one.
        columns: which columns of a column file hold tags.
        unit: `sentence` or `document`, where a format knows both.
        progress: called with the number of units done so far.
        options: changes to the profile, as for `karat.score`; `metrics` are compared, the first one decides the ranks.

    Returns:
        The comparison: prints as tables, and holds every number.
    """
    if test not in TESTS:
        raise unknown("test", test, TESTS)
    if resamples < 2:
        raise UsageError(f"a comparison needs resamples: at least 2, not {resamples}")
    resampling = Resampling(resamples, level, seed, interval, cluster_by, stratify_by)
    profile = get_profile(like).with_options(**options)
    if "metrics" not in options or options["metrics"] is None:
        profile = replace(profile, metrics={profile.headline: profile.metrics[profile.headline]})
    named = _named(systems)
    reading = {"format": format, "pred_format": pred_format, "columns": columns, "unit": unit}
    golds = dict(gold) if isinstance(gold, Sets) else {"": gold}
    done = _counter(progress)
    fields = {}
    for name, own in golds.items():
        runs = {system: [_in_set(run, system, name, golds) for run in some] for system, some in named.items()}
        fields[name] = Field(name, own, runs, profile, resampling, reading, done)
    return _judge(fields, profile, resampling, test)


def _named(systems: Mapping[str, Any] | Sequence[Any]) -> dict[str, list[Any]]:
    """Return the runs of each system by its name."""
    if not isinstance(systems, Mapping):
        if isinstance(systems, str | bytes) or not isinstance(systems, Sequence):
            raise UsageError("give systems as a mapping from names to predictions, or as a list of files")
        if not all(isinstance(item, str | Path) for item in systems):
            raise UsageError("systems that are no files need names: give a mapping from names to predictions")
        if len({str(item) for item in systems}) < len(systems):
            raise UsageError("the same file is given twice: name the systems to compare it with itself")
        systems = dict(zip(_short([str(item) for item in systems]), systems, strict=True))
    if len(systems) < 2:
        raise UsageError(f"a comparison needs at least two systems, got {len(systems)}")
    out = {str(name): list(item) if isinstance(item, Runs) else [item] for name, item in systems.items()}
    for name, runs in out.items():
        if not name:
            raise UsageError("a system needs a name")
        if not runs:
            raise UsageError(f"the system {name} has no runs")
    return out


def _short(paths: list[str]) -> list[str]:
    """Name files by as little of their paths as tells them apart."""
    for short in (lambda p: p.name.split(".")[0], lambda p: p.name, str):
        names = [short(Path(path)) for path in paths]
        if len(set(names)) == len(names) and all(names):
            return names
    return paths


def _in_set(run: Any, system: str, name: str, golds: Mapping[str, Any]) -> Any:
    """Return the part of a run that belongs to a test set."""
    if not name and not isinstance(run, Sets):
        return run
    if not isinstance(run, Sets):
        raise UsageError(f"gold has several sets, so the system {system} must have them too: karat.Sets(…)")
    if name not in run:
        what = f"no set {name!r}" if name else "several sets, but gold has not"
        raise UsageError(f"the system {system} has {what}; its sets are {', '.join(run)}")
    strange = [other for other in run if other not in golds]
    if strange:
        raise UsageError(f"the system {system} has a set {strange[0]!r} that gold lacks")
    return run[name]


def _counter(progress: Progress | None) -> Callable[[int], None]:
    """Add up units over all runs."""
    total = 0

    def done(more: int) -> None:
        nonlocal total
        total += more
        if progress is not None:
            progress(total)

    return done


@dataclass
class Kept:
    """The counts of each unit, in their order, with what else is known of the units."""

    resampling: Resampling
    done: Callable[[int], None]

    def __post_init__(self) -> None:
        self.claims: list[Rows] = []
        self.tokens: list[Rows] = []
        self.names: list[str] = []
        self.strata: list[str] = []
        self.clusters: list[str] = []

    def add(self, units: Units, counted: Tally) -> None:
        """Take the counts of a batch of units."""
        for kept, rows in ((self.claims, counted.rows), (self.tokens, counted.tokens)):
            if rows is not None:
                kept.append(rows)
        self.names += [str(units.name(k)) for k in range(len(units))]
        if self.resampling.stratify_by is not None:
            self.strata += attribute(units, self.resampling.stratify_by, "stratify")
        if self.resampling.cluster_by is not None:
            self.clusters += attribute(units, self.resampling.cluster_by, "cluster")
        self.done(len(units))

    def drawn(self, rows: Rows) -> Rows:
        """Say which stratum and which cluster each row belongs to."""
        if self.resampling.stratify_by is not None:
            rows = rows.in_strata(self.strata)
        return rows if self.resampling.cluster_by is None else rows.in_clusters(self.clusters)


class Field:
    """All systems on one test set."""

    def __init__(
        self,
        name: str,
        gold: Any,
        systems: Mapping[str, Sequence[Any]],
        profile: Profile,
        resampling: Resampling,
        reading: Mapping[str, Any],
        done: Callable[[int], None],
    ) -> None:
        self.name = name
        if open_corpus(gold, format=reading["format"], name="gold").once:
            raise UsageError("gold is read once for each system, which standard input does not allow: give a file")
        self.warnings: list[str] = []
        self.digests: dict[str, list[str | None]] = {}
        claims: list[Rows] = []
        tokens: list[Rows] = []
        kept = []
        tallies = []
        self.runs: dict[str, list[int]] = {}
        for system, runs in systems.items():
            self.runs[system] = list(range(len(tallies), len(tallies) + len(runs)))
            for number, pred in enumerate(runs, 1):
                run = open_run(gold, pred, profile, **reading)
                keep = Kept(resampling, done)
                which = system if len(runs) == 1 else f"{system}, run {number}"
                try:
                    total, warnings, (self.gold_digest, digest) = run.fingerprinted_tally(None, keep)
                except InputError as error:
                    raise type(error)(error.message, **_place(error, which)) from None
                self.warnings += [f"{which}: {warning}" for warning in warnings]
                self.digests.setdefault(system, []).append(digest)
                tallies.append(total)
                kept.append(keep)
                claims.append(Rows.concatenate(keep.claims) if keep.claims else Rows.empty(total.columns))
                if keep.tokens and len(keep.tokens) == len(keep.claims):
                    tokens.append(Rows.concatenate(keep.tokens))
                profile = run.profile
        self.profile, self.tallies = profile, tallies
        self.names, self.claims = kept[0].names, claims
        first = kept[0]
        drawn = [first.drawn(rows) for rows in claims]
        counted = [first.drawn(rows) for rows in tokens] if len(tokens) == len(claims) else None
        self.sampler = Sampler(drawn, counted, schema=profile.schema, undefined=profile.undefined)
        self._in_order = (claims, tokens if counted is not None else None)

    def most_different(self, metric: Metric, limit: int = 100) -> list[dict[str, Any]]:
        """Return the units on which the systems differ most, and what each adds to each system's score."""
        rules = {"schema": self.profile.schema, "undefined": self.profile.undefined}
        sampler = Sampler(*self._in_order, merge=False, **rules)
        population = sampler.population(metric)
        whole = sampler.values(metric, population.layout)(population.totals)
        adds = (whole - sampler.influence(metric).values)[population.place]
        adds = np.stack([adds[:, runs].mean(axis=1) for runs in self.runs.values()], axis=1)
        reach = np.nan_to_num(adds.max(axis=1) - adds.min(axis=1))
        found = np.argsort(-reach, kind="stable")[:limit]
        counts = [rows.of_rows(found) for rows in self.claims]
        out = []
        for k, unit in enumerate(found.tolist()):
            if reach[unit] <= _NOTHING:
                break
            row: dict[str, Any] = {"set": self.name} if self.name else {}
            row |= {"unit": self.names[unit], "gold": int(counts[0][k, 0])}
            for number, (system, runs) in enumerate(self.runs.items()):
                means = [float(np.mean([counts[run][k, c] for run in runs])) for c in (1, 2)]
                row[system] = {"predicted": means[0], "correct": means[1], "adds": float(adds[unit, number])}
            out.append(row)
        return out

    def reason(self, metric: Metric, run: int) -> str:
        """Say why a metric of a run is undefined."""
        score = evaluate(metric, self.tallies[run], self.profile.schema)
        return score.undefined or "undefined"

    @property
    def labels(self) -> list[str]:
        """The labels that occur in gold or in any system."""
        return sorted({label for tally in self.tallies for label in tally.labels})


def _place(error: InputError, system: str) -> dict[str, Any]:
    source = error.source if error.source not in (None, "predictions") else system
    return {"source": source, "line": error.line, "unit": error.unit, "hint": error.hint}


def _judge(fields: Mapping[str, Field], profile: Profile, resampling: Resampling, test: str) -> Comparison:
    """Compare the systems on all fields together, and on each where there are several."""
    judge = Judge(list(fields.values()), resampling, test)
    profile = replace(judge.fields[0].profile, metrics=profile.metrics, headline=profile.headline)
    contests = judge.contests(profile.metrics)
    labels: dict[str, Contest] = {}
    sets: dict[str, Comparison] = {}
    most: list[dict[str, Any]] = []
    headline = profile.metrics[profile.headline]
    if len(fields) == 1:
        by_label = label_metric(profile)
        own = {label: replace(by_label, label=label) for label in judge.fields[0].labels}
        labels = judge.contests(own, together=True)
        most = judge.fields[0].most_different(headline)
    else:
        sets = {name: _judge({name: field}, profile, resampling, test) for name, field in fields.items()}
    gold = {name: field.gold_digest for name, field in fields.items()}
    systems = {name: field.digests for name, field in fields.items()}
    return Comparison(
        profile,
        resampling,
        test,
        contests,
        labels,
        {name: len(field.names) for name, field in fields.items()},
        most,
        sets,
        tuple(judge.warnings()),
        {
            "gold": gold[""] if "" in gold else gold,
            "systems": systems[""] if "" in systems else systems,
        },
    )


def label_metric(profile: Profile) -> Metric:
    """Return the metric by label that is most like the headline."""
    headline = profile.metrics[profile.headline]
    like = (headline.measure, headline.beta, headline.scenario)
    found = [m for m in profile.by_label.values() if (m.measure, m.beta, m.scenario) == like]
    return found[0] if found else list(profile.by_label.values())[-1]


class Judge:
    """Tests pairs of systems on the mean of one or several fields."""

    def __init__(self, fields: list[Field], resampling: Resampling, test: str) -> None:
        self.fields, self.resampling, self.test = fields, resampling, test
        self.runs = fields[0].runs
        self.several = any(len(runs) > 1 for runs in self.runs.values())

    def warnings(self) -> list[str]:
        """Return what a reader should know."""
        out = []
        for field in self.fields:
            where = f"{field.name}: " if field.name and len(self.fields) > 1 else ""
            out += [where + warning for warning in field.warnings]
        pairs = len(self.runs) * (len(self.runs) - 1) // 2
        units = sum(field.sampler.size for field in self.fields)
        # Swapping the outputs on all units gives the same difference the other way round.
        if not self.several and units < 64 and 2.0 ** (1 - units) * pairs > 1 - self.resampling.level:
            out.append(
                f"{units} units are too few for {len(self.runs)} systems: no difference can be significant "
                f"at {1 - self.resampling.level:.2g}"
            )
        single = [name for name, runs in self.runs.items() if len(runs) == 1]
        if self.several and single:
            out.append(
                f"one run only, so the tests do not know how much the seed matters: {', '.join(sorted(single))}"
            )
        return out

    def contests(self, metrics: Mapping[str, Metric], *, together: bool = False) -> dict[str, Contest]:
        """Judge metrics; `together` corrects the p-values over all of them, and not for each metric alone."""
        raw = {name: self._contest(name, metric) for name, metric in metrics.items()}
        families = [list(raw)] if together else [[name] for name in raw]
        for family in families:
            p = [float("nan") if d.p is None else d.p for name in family for d in raw[name].differences]
            corrected = iter(holm(p).tolist())
            for name in family:
                raw[name] = self._ranked(raw[name], corrected, len(p))
        return raw

    def _contest(self, name: str, metric: Metric) -> Contest:
        observed = np.mean([self._observed(field, metric) for field in self.fields], axis=0)
        count, seed = self.resampling.resamples, self.resampling.seed
        drawn = [f.sampler.replicates([metric], count, seed, k)[metric] for k, f in enumerate(self.fields)]
        replicates = np.mean(drawn, axis=0)
        means = {system: float(observed[runs].mean()) for system, runs in self.runs.items()}
        moved = {system: replicates[:, runs].mean(axis=1) for system, runs in self.runs.items()}
        order = sorted(means, key=lambda system: -np.nan_to_num(means[system], nan=-1.0))
        scores = {system: self._score(metric, means[system], moved[system], self.runs[system]) for system in order}
        seeds = {
            system: Seeds(
                tuple(observed[self.runs[system]].tolist()),
                float(observed[self.runs[system]].std(ddof=1)),
                float(np.nanstd(moved[system], ddof=1)),
            )
            for system in order
            if len(self.runs[system]) > 1
        }
        differences = tuple(
            self._difference(metric, one, other, means[one] - means[other], moved[one] - moved[other], seeds, key)
            for key, (one, other) in enumerate(combinations(order, 2))
        )
        return Contest(name, scores, dict.fromkeys(order, 1), differences, seeds)

    def _observed(self, field: Field, metric: Metric) -> NDArray[np.float64]:
        population = field.sampler.population(metric)
        return field.sampler.values(metric, population.layout)(population.totals)

    def _score(self, metric: Metric, value: float, replicates: NDArray[np.float64], runs: list[int]) -> Score:
        if np.isnan(value):
            several = len(runs) > 1 or len(self.fields) > 1
            reason = "undefined in a run or a test set" if several else self.fields[0].reason(metric, runs[0])
            return Score(None, reason)
        return score_interval(metric, Score(value), replicates, self.resampling, Averaged(self.fields, runs))

    def _difference(
        self,
        metric: Metric,
        one: str,
        other: str,
        value: float,
        replicates: NDArray[np.float64],
        seeds: Mapping[str, Seeds],
        key: int,
    ) -> Difference:
        runs = self.runs[one], self.runs[other]
        places = [field.sampler.population(metric) for field in self.fields]
        values = [f.sampler.values(metric, p.layout) for f, p in zip(self.fields, places, strict=True)]
        units = sum(differing(population, *runs) for population in places)
        averaged = Averaged(self.fields, runs[0], runs[1])
        found = difference_interval(metric, value, replicates, self.resampling, averaged)
        test, level = self.test, self.resampling.level
        if np.isnan(value):
            p = float("nan")
        elif self.several:
            spread = [(seeds[name].spread, len(seeds[name].values)) for name in (one, other) if name in seeds]
            found, p = welch(value, found, spread, level)
            test = "seeds and units"
        elif test == "bootstrap":
            p = bootstrap_p(replicates, value)
        else:
            p = self._randomised(places, runs, values, value, key)
        return Difference(
            one,
            other,
            None if np.isnan(value) else value,
            found.low,
            found.high,
            None if np.isnan(p) else p,
            None,
            False,
            found.error,
            None,
            units,
            test,
            found.withheld,
        )

    def _randomised(self, places: Any, runs: Any, values: Any, value: float, key: int) -> float:
        swaps = [Swaps(population, *runs, own) for population, own in zip(places, values, strict=True)]
        count, seed = self.resampling.resamples, self.resampling.seed
        if len(swaps) == 1:
            return randomisation_p(swaps[0], count, seed, key)
        moved = [one.differences(count, seed, key, k) for k, one in enumerate(swaps)]
        return random_p(np.mean(moved, axis=0), value)

    def _ranked(self, contest: Contest, corrected: Any, tests: int) -> Contest:
        level = self.resampling.level
        differences = []
        for raw in contest.differences:
            p = next(corrected)
            known = not np.isnan(p)
            differences.append(
                replace(
                    raw,
                    corrected=p if known else None,
                    significant=known and bool(raw.value) and p <= 1 - level,
                    resolvable=resolvable(raw.error, level, tests=tests) if raw.error else None,
                )
            )
        names = list(contest.scores)
        better = np.zeros((len(names), len(names)), bool)
        for d in differences:
            better[names.index(d.one), names.index(d.other)] = d.significant
        ranks = dict(zip(names, shared_ranks(better), strict=True))
        return replace(contest, differences=tuple(differences), ranks=ranks)


class Averaged:
    """What an interval needs to know of a system, or of the difference between two: means over runs and test sets."""

    def __init__(self, fields: Sequence[Field], runs: list[int], minus: Sequence[int] = ()) -> None:
        self._fields, self._runs, self._minus = fields, runs, list(minus)

    @property
    def size(self) -> int:
        """How many units the smallest test set has."""
        return min(field.sampler.size for field in self._fields)

    def claims(self, metric: Metric) -> float:
        """Return how many claims the mean is a share of: those of a run, and of all sets."""
        own = [np.mean([f.sampler.system(run).claims(metric) for run in self._runs]) for f in self._fields]
        return float(len(own) ** 2 / sum(1 / n for n in own)) if all(own) else 0.0

    def influence(self, metric: Metric) -> Influence:
        """Return the mean without each unit of each set in turn."""
        parts, before = [], 0
        for field in self._fields:
            found = field.sampler.influence(metric)
            own = found.values[:, self._runs].mean(axis=1)
            if self._minus:
                own = own - found.values[:, self._minus].mean(axis=1)
            parts.append(replace(found, values=own / len(self._fields), stratum=found.stratum + before))
            before += int(found.stratum.max(initial=0)) + 1
        return Influence(*(np.concatenate([getattr(p, n) for p in parts]) for n in ("values", "times", "stratum")))
