"""All systems on one test set: their counts of the same units, side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from karatage.errors import InputError, UnitError
from karatage.metrics import Metric, Rows, Tally, evaluate, values_in
from karatage.profiles import Profile
from karatage.scoring import Kept, ScoringReading, open_run
from karatage.stats import Resampling, Sampler

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NOTHING = 1e-12


class Field:
    """All systems on one test set."""

    def __init__(
        self,
        name: str,
        gold: Any,
        systems: Mapping[str, Sequence[Any]],
        profile: Profile,
        resampling: Resampling,
        reading: ScoringReading,
        done: Callable[[int], None],
    ) -> None:
        self.name = name
        self.warnings: list[str] = []
        self.digests: dict[str, list[str | None]] = {}
        claims: list[Rows] = []
        tokens: list[Rows] = []
        means: list[Rows] = []
        kept = []
        tallies: list[Tally] = []
        self.runs: dict[str, list[int]] = {}
        for system, runs in systems.items():
            self.runs[system] = list(range(len(tallies), len(tallies) + len(runs)))
            for number, pred in enumerate(runs, 1):
                run = open_run(gold, pred, profile, reading)  # of the same kind for all
                keep = Kept(resampling, done)
                which = system if len(runs) == 1 else f"{system}, run {number}"
                try:
                    total, warnings, (self.gold_digest, digest) = run.fingerprinted_tally(None, keep)
                except InputError as error:
                    ours = error.source == "gold" or any(error.source == s.name for s in run.gold.corpus.sources)
                    if ours and not isinstance(error, UnitError):
                        raise
                    raise error.of(f"system {which}") from None
                self.warnings += [f"{which}: {warning}" for warning in warnings]
                self.digests.setdefault(system, []).append(digest)
                tallies.append(total)
                kept.append(keep)
                claims.append(Rows.concatenate(keep.claims) if keep.claims else Rows.empty(total.columns))
                if keep.tokens and len(keep.tokens) == len(keep.claims):
                    tokens.append(Rows.concatenate(keep.tokens))
                if keep.means:
                    means.append(Rows.concatenate(keep.means))
                profile = run.profile
        self.profile, self.tallies = profile, tallies
        self.names, self.claims = kept[0].names, claims
        for system, places in self.runs.items():
            for place in places:
                if kept[place].names != self.names:
                    raise UnitError(
                        f"system {system}: it has results for other units than the first system, so they cannot be "
                        "compared unit by unit",
                        hint="Count units without results as empty: --missing empty",
                    )
        if not self.names:
            raise InputError("gold has no units to compare systems on", source=name or None)
        first = kept[0]
        drawn = [first.drawn(rows) for rows in claims]
        counted = [first.drawn(rows) for rows in tokens] if len(tokens) == len(claims) else None
        valued = [first.drawn(rows) for rows in means] if means else None
        self.sampler = Sampler(drawn, counted, valued, schema=profile.schema, undefined=profile.undefined)
        self._in_order = (claims, tokens if counted is not None else None, means or None)

    def most_different(self, metric: Metric, limit: int = 100) -> list[dict[str, Any]]:
        """Return the units on which the systems differ most, and what each adds to each system's score.

        Where the score is a mean over units, what it adds is its value.
        """
        named, by_run = ("value", self._unit_values(metric)) if metric.per_unit else ("adds", self._adds(metric))
        told = np.stack([by_run[:, runs].mean(axis=1) for runs in self.runs.values()], axis=1)
        reach = np.nan_to_num(told.max(axis=1) - told.min(axis=1))
        found = np.argsort(-reach, kind="stable")[:limit]
        counts = [rows.of_rows(found) for rows in self.claims]
        out = []
        for k, unit in enumerate(found.tolist()):
            if reach[unit] <= _NOTHING:
                break
            row: dict[str, Any] = {"set": self.name} if self.name else {}
            row |= {"unit": self.names[unit], "gold": int(counts[0][k, 0]), "systems": {}}
            for number, (system, runs) in enumerate(self.runs.items()):
                means = [float(np.mean([counts[run][k, c] for run in runs])) for c in (1, 2)]
                row["systems"][system] = {"predicted": means[0], "correct": means[1], named: float(told[unit, number])}
            out.append(row)
        return out

    def _adds(self, metric: Metric) -> NDArray[np.float64]:
        """Return how much each unit adds to the score of each run."""
        rules = self.profile.schema, self.profile.undefined
        sampler = Sampler(*self._in_order, schema=rules[0], undefined=rules[1], merge=False)
        population = sampler.population(metric)
        whole = sampler.values(metric, population.layout)(population.totals)
        out: NDArray[np.float64] = (whole - sampler.influence(metric).values)[population.index]
        return out

    def _unit_values(self, metric: Metric) -> NDArray[np.float64]:
        """Return the value of each unit in each run, of a metric that is a mean of such values."""
        return np.stack([values_in(rows, metric) for rows in self._in_order[2] or ()], axis=1)

    def observed(self, metric: Metric) -> NDArray[np.float64]:
        """Return the score of each run; NaN where it is undefined."""
        rules = self.profile.schema, self.profile.undefined
        return np.array([float(evaluate(metric, tally, *rules)) for tally in self.tallies])

    def reason(self, metric: Metric, run: int) -> str | None:
        """Say why a metric of a run is undefined; None if it is not."""
        return evaluate(metric, self.tallies[run], self.profile.schema).undefined

    @property
    def labels(self) -> list[str]:
        """The labels that occur in gold or in any system."""
        return sorted({label for tally in self.tallies for label in tally.labels})
