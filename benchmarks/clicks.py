"""Are judgements from clicks and interleaving experiments as sure as said? `python -m benchmarks.clicks` tells.

It writes the tables of the documentation: position bias and coverage of judgements by simulated users, false alarms and
power of interleaving experiments, and the time for a million events. `--only` runs one part: bias, alarms, power,
pilots or speed.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist

import numpy as np

from benchmarks.click_worlds import CURVES, ClickWorld, InterleavingWorld, write_ubi
from benchmarks.simulating import GrowingTable
from karatage.clicks import judge_clicks
from karatage.clicks.attractiveness import attractiveness
from karatage.clicks.position_bias import linked_ranks, position_based, rank_rates
from karatage.clicks.session_preference import SessionPreference, session_preference, votes_for_power
from karatage.stats import LEVEL, POWER

WORLDS: dict[str, ClickWorld] = {
    **{name: ClickWorld(curve) for name, curve in CURVES.items()},
    "1/rank, better on top": ClickWorld(CURVES["1/rank"], sorted_by=3.0),
    "steep, better on top": ClickWorld(CURVES["steep"], sorted_by=3.0),
    "grid, better on top": ClickWorld(CURVES["grid"], sorted_by=3.0),
    "1/rank, little variation": ClickWorld(CURVES["1/rank"], sorted_by=3.0, shuffled=0.3),
    "1/rank, eager sessions": ClickWorld(CURVES["1/rank"], eager=1.0, queries=20),
    "1/rank, heavy sessions": ClickWorld(CURVES["1/rank"], eager=1.0, heavy=0.01, queries=20),
    "1/rank, few lists": ClickWorld(CURVES["1/rank"], lists=2000),
}
SIZES = ("one", "usual", "pareto", "bot")
ALIKE = (0.0, 0.3, 0.9)
VOTES = (30, 200, 2000)
LEAST = 20
"""The fewest impressions of a pair that is judged."""


def judged(world: ClickWorld, logs: int) -> dict[str, float]:
    """Return the errors of the propensities, and how often intervals hold the truth, over so many logs."""
    z = NormalDist().inv_cdf(0.5 + LEVEL / 2)
    truth = world.curve / world.curve[0]
    found: dict[str, list[float]] = {key: [] for key in ("pbm", "ctr", "ranks", "pairs", "below", "above", "ctr pairs")}
    for number in range(logs):
        table, attracts = world.draw(np.random.default_rng([7, number]))
        bias, rates = position_based(table, linked_ranks(table)), rank_rates(table)
        own = truth[bias.ranks - 1]
        low, high = bias.ends(z)
        found["pbm"].append(float(np.abs(bias.propensity / own - 1)[1:].mean()))
        found["ctr"].append(float(np.abs(rates.propensity / truth[rates.ranks - 1] - 1)[1:].mean()))
        found["ranks"].append(float(((low <= own) & (own <= high))[1:].mean()))
        for key, one in (("pairs", bias), ("ctr pairs", rates)):
            pairs = attractiveness(table, one, LEVEL)
            kept = pairs.impressions >= LEAST
            real = attracts[pairs.pair]
            found[key].append(float(((pairs.low <= real) & (real <= pairs.high))[kept].mean()))
            if key == "pairs":
                found["below"].append(float((real < pairs.low)[kept].mean()))
                found["above"].append(float((real > pairs.high)[kept].mean()))
    return {key: float(np.mean(values)) for key, values in found.items()}


def experiments(world: InterleavingWorld, votes: int, count: int, seed: int) -> list[SessionPreference]:
    """Draw so many experiments with so many votes."""
    return [
        session_preference(*world.draw(np.random.default_rng([seed, number, votes]), votes)) for number in range(count)
    ]


def rejected(found: list[SessionPreference]) -> tuple[float, float]:
    """Return how often the t-type test and the sign test find a difference."""
    return tuple(  # type: ignore[return-value]  # two of them
        float(np.mean([p is not None and p < 1 - LEVEL for p in values]))
        for values in ([one.p for one in found], [one.sign_p for one in found])
    )


def planned(world: InterleavingWorld) -> int:
    """Return the votes that a plan asks for which knows the design effect, that of a very large experiment."""
    large = session_preference(*world.draw(np.random.default_rng(1), 400_000))
    per = large.votes / (large.freedom + 1)
    return votes_for_power(world.preference, POWER, design=large.design, per_session=per)


def planned_from(pilot: SessionPreference, preference: float, assurance: float) -> int:
    """Return the votes that a plan asks for which knows a pilot."""
    from scipy.special import chdtri

    more = max(pilot.freedom / float(chdtri(pilot.freedom, assurance)), 1.0)
    per = pilot.votes / (pilot.freedom + 1)
    return votes_for_power(preference, POWER, design=pilot.design * more, per_session=per)


def bias_table(logs: int) -> None:
    table = GrowingTable(
        "users", "error, pbm", "error, ctr", "propensities", "judgements", "too low", "too high", "ctr"
    )
    for name, world in WORLDS.items():
        own = judged(world, logs)
        keys = ("ranks", "pairs", "below", "above", "ctr pairs")
        table.row(name, f"{own['pbm']:.1%}", f"{own['ctr']:.1%}", *(f"{100 * own[key]:.1f}" for key in keys))
    table.save("clicks-bias")


def alarms_table(count: int) -> None:
    table = GrowingTable("sessions", "correlation", *(f"{votes:,} votes: t / sign" for votes in VOTES))
    for sizes in SIZES:
        for alike in ALIKE:
            world = InterleavingWorld(0.5, alike, sizes)
            both = [rejected(experiments(world, votes, count, 3)) for votes in VOTES]
            table.row(sizes, alike, *(f"{100 * t:.1f} / {100 * sign:.1f}" for t, sign in both))
    table.save("clicks-alarms")


def power_table(count: int) -> None:
    table = GrowingTable("sessions", "correlation", "preference", "votes", "t", "sign")
    for sizes, alike in (("one", 0.0), ("usual", 0.0), ("usual", 0.3), ("usual", 0.9)):
        for preference in (0.6, 0.55):
            world = InterleavingWorld(preference, alike, sizes)
            votes = planned(world)
            t, sign = rejected(experiments(world, votes, count, 4))
            table.row(sizes, alike, preference, f"{votes:,}", f"{100 * t:.1f}", f"{100 * sign:.1f}")
    table.save("clicks-power")


def pilots_table(count: int) -> None:
    """Power of experiments as large as the plan that four of five pilots exceed."""
    table = GrowingTable("sessions", "correlation", "pilot", "votes", "power")
    for alike in (0.3, 0.9):
        for size in (100, 300):
            world = InterleavingWorld(0.55, alike, "usual")
            pilots = experiments(replace(world, preference=0.5), size, 200, 5)
            votes = int(np.quantile([planned_from(one, 0.55, 0.8) for one in pilots], 0.2))
            t, _ = rejected(experiments(world, votes, count, 6))
            table.row("usual", alike, size, f"{votes:,}", f"{100 * t:.1f}")
    table.save("clicks-pilots")


def speed_table(_: int) -> None:
    table = GrowingTable("events", "MB", "seconds", "CPU seconds")
    world = ClickWorld(CURVES["1/rank"], lists=93_000, queries=1000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.jsonl"
        events = write_ubi(world.draw(np.random.default_rng(1))[0], world.documents, path)
        start, spent = time.perf_counter(), time.process_time()
        judge_clicks(str(path))
        took = time.perf_counter() - start, time.process_time() - spent
        table.row(f"{events:,}", f"{path.stat().st_size / 1e6:.0f}", *(f"{seconds:.1f}" for seconds in took))
    table.save("clicks-speed")


PARTS: dict[str, tuple[Callable[[int], None], int]] = {
    "bias": (bias_table, 100),
    "alarms": (alarms_table, 4000),
    "power": (power_table, 4000),
    "pilots": (pilots_table, 2000),
    "speed": (speed_table, 1),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--sets", type=int, help="number of simulated logs or experiments in each cell")
    given = parser.parse_args()
    for name, (part, sets) in PARTS.items():
        if given.only in (None, name):
            part(given.sets or sets)
            print()


if __name__ == "__main__":
    main()
