"""Do the tests see small mistakes in the code? `python -m benchmarks.mutants` prints a table.

A mutant changes one operator of a room: `<` to `<=`, `==` to `!=`, `+` to `-`, `and` to `or`, `not x` to `x` …
Mutants are drawn at random from all operators. For each, the tests that run its statement are tried, the nearest and
fastest first, until one fails: then the mutant is killed. One that hangs is killed too; one in a statement that
no test runs is not covered, and counts as survived. The tests are those of `make test`, without the slow ones.

First the tests run once to record which statement each of them runs (`--map`; about twice as long as `make test`,
and again after a change of code). Last, the tests that killed run once without any mutant, and must pass.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from benchmarks.mutants.covering import QuickTest, read_piece
from benchmarks.mutants.rewriting import PACKAGE, ROOT
from benchmarks.mutants.sites import Site, sites
from benchmarks.mutants.trial import NOT_COVERED, SURVIVED, Verdict, batches, preload, run_all

ROOMS = ("claims", "matching", "metrics", "stats", "scoring", "recall", "explanation")
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}


def pieces(tests: Path) -> list[Path]:
    """Return the folders and files of tests that are recorded one at a time."""
    inside = [path for path in sorted(tests.iterdir()) if path.is_dir() and any(path.rglob("test_*.py"))]
    return [*inside, *sorted(tests.glob("test_*.py"))]


def record(folder: Path, rooms: Sequence[str], jobs: int) -> None:
    """Record which statements each test runs; what was recorded before stays."""
    folder.mkdir(parents=True, exist_ok=True)

    def one(piece: Path) -> None:
        target = folder / f"{piece.stem}.json"
        if not target.exists():
            words = ["-p", "benchmarks.mutants.covering", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov"]
            environment = {**os.environ, "KARATAGE_COVERING": str(target), "KARATAGE_ROOMS": ",".join(rooms)}
            subprocess.run(
                [sys.executable, "-m", "pytest", *words, str(piece)],
                cwd=ROOT,
                env=environment | ONE_THREAD,
                stdout=subprocess.DEVNULL,
                check=False,
            )
            print(f"recorded {piece.relative_to(ROOT)}", file=sys.stderr)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, pieces(ROOT / "tests")))


def fingerprint(rooms: Sequence[str]) -> str:
    """Return a hash of the code of the rooms: a map of other code does not fit."""
    digest = hashlib.sha256()
    for room in rooms:
        for path in sorted((PACKAGE / room).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def covering(site: Site, tests: Sequence[QuickTest]) -> list[QuickTest]:
    """Return the tests that run the statement of a mutant; at the level of a module, those that run any of it."""
    if site.in_function:
        return [test for test in tests if (site.file, site.statement) in test.places]
    return [test for test in tests if any(file == site.file for file, _ in test.places)]


def wilson(k: int, n: int, z: float = 1.959964) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    if n == 0:
        return 0.0, 1.0
    centre, spread = k + z * z / 2, z * (k * (n - k) / n + z * z / 4) ** 0.5
    return (centre - spread) / (n + z * z), (centre + spread) / (n + z * z)


def table(verdicts: Sequence[Verdict], rooms: Sequence[str]) -> str:
    """Return a row per room, and one for all."""
    lines = [f"{'room':<14}{'mutants':>8}{'killed':>8}{'survived':>10}{'not covered':>13}{'share':>9}  95 % interval"]
    for room in (*rooms, "all"):
        chosen = [one for one in verdicts if one.site and room in (one.site.room, "all")]
        if chosen:
            dead = sum(one.dead for one in chosen)
            low, high = wilson(dead, len(chosen))
            survived, unseen = (sum(one.outcome == kind for one in chosen) for kind in (SURVIVED, NOT_COVERED))
            lines.append(
                f"{room:<14}{len(chosen):>8}{dead:>8}{survived:>10}{unseen:>13}{dead / len(chosen):>9.1%}"
                f"  {low:.1%} to {high:.1%}"
            )
    return "\n".join(lines)


def main() -> None:
    """Draw mutants, try them, and print who survived."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=300, help="Number of mutants [default: 300]")
    parser.add_argument("--seed", type=int, default=0, help="Random seed [default: 0]")
    parser.add_argument("--rooms", default=",".join(ROOMS), help="Rooms, separated by commas")
    parser.add_argument("--jobs", type=int, default=2, help="Mutants tried at once [default: 2]")
    parser.add_argument("--budget", type=float, default=float("inf"), help="Most seconds of tests per mutant")
    parser.add_argument("--map", type=Path, help="Folder of the record [default: benchmarks/results/mutants-HASH]")
    parser.add_argument("--again", type=Path, help="Try only the survivors of an earlier --json file")
    parser.add_argument("--tests", default="", help="Test files that survivors of --again meet in full, by commas")
    parser.add_argument("--json", type=Path, help="Write all verdicts to a file, and resume from it")
    options = parser.parse_args()
    rooms = options.rooms.split(",")
    os.environ.update(ONE_THREAD)

    folder = options.map or ROOT / "benchmarks" / "results" / f"mutants-{fingerprint(rooms)}"
    record(folder, rooms, options.jobs)
    tests = [test for piece in sorted(folder.glob("*.json")) for test in read_piece(piece)]
    every = [site for room in rooms for site in sites(room)]
    drawn = random.Random(options.seed).sample(every, min(options.count, len(every)))
    if options.again:
        kept = {
            one["site"]["key"]
            for one in json.loads(options.again.read_text())
            if one["outcome"] in (SURVIVED, NOT_COVERED)
        }
        drawn = [site for site in every if site.key in kept]
    preload()
    verdicts = trials(drawn, tests, options)
    print(table(verdicts, rooms))
    print(f"\n{len(verdicts)} mutants of {len(every):,} possible ones, seed {options.seed}; {len(tests):,} tests")
    print("\nsurvivors:")
    for one in sorted((one for one in verdicts if not one.dead), key=lambda one: str(one.site)):
        print(f"  {one.site}{'  (not covered)' if one.outcome == NOT_COVERED else ''}")
    control(verdicts, tests, options.jobs)


def trials(drawn: Sequence[Site], tests: Sequence[QuickTest], options: argparse.Namespace) -> list[Verdict]:
    """Try mutants, and write what is known after each."""
    verdicts: list[Verdict] = []
    if options.json and options.json.exists():
        verdicts = [Verdict(**one | {"site": Site(**one["site"])}) for one in json.loads(options.json.read_text())]
    known = {one.site.key for one in verdicts if one.site}

    def done(verdict: Verdict) -> None:
        verdicts.append(verdict)
        print(f"{len(verdicts)}/{len(drawn)} {verdict.outcome} {verdict.seconds:.0f} s {verdict.site}", file=sys.stderr)
        if options.json:
            options.json.write_text(json.dumps([asdict(one) for one in verdicts], ensure_ascii=False), "utf-8")

    def work() -> Iterator[tuple[Site | None, list[list[QuickTest]]]]:
        for site in drawn:
            if site.key not in known:
                chosen = list(batches(covering(site, tests), site, options.budget))
                if options.tests:
                    chosen = [[QuickTest(file, 60, frozenset()) for file in options.tests.split(",")]]
                if chosen:
                    yield site, chosen
                else:
                    done(Verdict(site, NOT_COVERED))

    run_all(work(), options.jobs, done)
    return verdicts


def control(verdicts: Sequence[Verdict], tests: Sequence[QuickTest], jobs: int) -> None:
    """Run the tests that killed once more, without a mutant: a test that fails then killed nobody."""
    killers = {one.by for one in verdicts}
    chosen = [test for test in tests if test.id in killers]
    control: list[Verdict] = []
    run_all(iter([(None, [chosen[k::jobs]]) for k in range(jobs) if chosen[k::jobs]]), jobs, control.append)
    failed = [one.by for one in control if one.outcome != SURVIVED]
    print(f"\ncontrol: {len(chosen)} tests that killed, run without a mutant: {failed or 'all pass'}")


if __name__ == "__main__":
    main()
