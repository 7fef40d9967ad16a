"""`python -m karatage.compat.trec_eval` prints what trec_eval 9.0.8 prints, byte for byte."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.parts import parts

from karatage.compat.trec_eval.trec_command import main
from karatage.compat.trec_eval.trec_measures import MEASURES, NICKNAMES

PROJECT = Path(__file__).parents[2]
RUNS = 500
PARTS = 10
Job = tuple[Sequence[str], str]

if not hasattr(os, "fork"):  # pragma: no cover
    pytest.skip("trec_eval's code runs in forked processes", allow_module_level=True)


def trec_eval(jobs: list[Job]) -> list[int]:
    """Run the command that KARATAGE_TREC_EVAL names, or its own code; see `trec_eval_peer`. Returns the exit codes."""
    if command := os.environ.get("KARATAGE_TREC_EVAL"):
        codes = []
        for arguments, output in jobs:
            with Path(output).open("wb") as file:
                codes.append(subprocess.run([command, *arguments], stdout=file, check=False).returncode)
        return codes
    code = "import json, sys; from tests.parity.trec_eval_peer import run; print(json.dumps(run(json.load(sys.stdin))))"
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(jobs), text=True, capture_output=True, cwd=PROJECT, check=True
    )
    found: list[int] = json.loads(done.stdout)
    return found


def ours(arguments: Sequence[str]) -> tuple[int, bytes]:
    """Run the drop-in."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = main(arguments)
    return code, out.getvalue().encode()


def random_files(rng: random.Random, folder: Path) -> tuple[str, str]:
    """Write judgements and a run with ties, gaps, graded and negative judgements, unsorted, with odd blanks."""
    documents = sorted({rng.choice("abAB_é語-") + str(rng.randrange(40)) for _ in range(80)})
    queries = rng.sample([*"abcABC", "1", "10", "2", "q-1", "Ä", "語"], rng.randrange(1, 9))
    judged = []
    for query in queries:
        grades = rng.choice([(0, 1), (0, 1, 2, 3), (-1, 0, 1, 2), (-2, -1, 0, 4), (0,), (1, 2), (0, 11, 3)])
        own = {d: rng.choice(grades) for d in rng.sample(documents, rng.randrange(1, 40))}
        if max(own.values()) < 0:  # at which trec_eval reads beyond its arrays
            own[documents[0]] = 0
        judged += [(query, d, grade) for d, grade in own.items()]
    scores = rng.choice([(1.0,), (0.5, 1.5, 2.5), tuple(rng.gauss(0, 1) for _ in range(100))])
    close = (1.0, 1.0 + 1e-9, 1.0 - 1e-9, 1e-30, -0.0, 0.0, 1e300, -1e300)
    answered = [query for query in queries if rng.random() < 0.85] or queries[:1]
    results = [
        (query, d, rng.choice(close if rng.random() < 0.1 else scores))
        for query in [*answered, "unjudged"]
        for d in rng.sample(documents, rng.randrange(1, min(60, len(documents))))
    ]
    rng.shuffle(judged)
    rng.shuffle(results)
    blank, end = rng.choice([" ", "\t", "  ", " \t "]), rng.choice(["\n", "\r\n", " \n"])
    qrels, run = folder / "qrels", folder / "run"
    qrels.write_text("".join(blank.join((q, "0", d, str(grade))) + end for q, d, grade in judged), "utf-8", newline="")
    lines = [blank.join((q, "Q0", d, "1", repr(score), f"run{k}")) for k, (q, d, score) in enumerate(results)]
    run.write_text("".join(line + end for line in lines), "utf-8", newline="")
    return str(qrels), str(run)


def random_options(rng: random.Random) -> list[str]:
    """Choose any of the options and of the measures, with parameters or without."""
    chosen = [name for name in ("-q", "-c", "-J", "-n") if rng.random() < (0.1 if name == "-n" else 0.5)]
    for name, values in (("-l", (0, 1, 2, 3, 5)), ("-M", (1, 3, 10, 1000)), ("-N", (100, 5000))):
        if rng.random() < 0.4:
            chosen += [name, str(rng.choice(values))]
    kind = rng.random()
    if kind < 0.5:
        return [*chosen, "-m", "all_trec", *_parameters(rng)]
    if kind < 0.8:
        return [*chosen, *_parameters(rng), *(x for name in rng.sample([*MEASURES], 5) for x in ("-m", name))]
    return [*chosen, *rng.choice([[], ["-m", "official"], ["-m", "set"], ["-m", "yaap"]])]


def _parameters(rng: random.Random) -> list[str]:
    ranks = ",".join(map(str, rng.sample(range(1, 60), rng.randrange(1, 5))))
    levels = ",".join(rng.sample(["0", ".1", "0.25", "0.5", "0.75", "1.0", "1.2"], rng.randrange(1, 5)))
    gains = ",".join(f"{level}={rng.choice(('2', '-3', '0', '7.0', '12'))}" for level in rng.sample(range(5), 3))
    every = [
        *(f"{name}.{ranks}" for name in ("P", "recall", "success", "ndcg_cut", "map_cut", "relative_P")),
        *(f"{name}.{levels}" for name in ("iprec_at_recall", "Rprec_mult")),
        *(f"{name}.{gains}" for name in ("ndcg", "ndcg_rel", "Rndcg", "G")),
        "11pt_avg.0.2,0.5,0.8", "11pt_avg.0,1", "set_F.0.5", "set_F.3", "utility.2,-1,0.5,0.25", "relstring.3",
        "relstring.30", "yaap", "map.3", "P.3", "P.7",
    ]  # fmt: skip
    return [x for text in rng.sample(every, rng.randrange(0, 4)) for x in ("-m", text)]


@pytest.mark.parametrize("part", parts(PARTS, 1))
def test_the_output_is_that_of_trec_eval(part: int, tmp_path: Path) -> None:
    """On 500 random runs with random options: every byte, and the exit code."""
    rng = random.Random(part)
    jobs: list[Job] = []
    for k in range(RUNS // PARTS):
        folder = tmp_path / str(k)
        folder.mkdir()
        files = random_files(rng, folder)
        jobs += [([*random_options(rng), *files], str(folder / f"out{again}")) for again in range(2)]
    codes = trec_eval(jobs)
    assert codes.count(0) > 0.9 * len(jobs)
    for (arguments, output), code in zip(jobs, codes, strict=True):
        found = ours(arguments)
        assert found[0] == code, arguments
        assert found[1].split(b"\n") == Path(output).read_bytes().split(b"\n"), arguments


def test_every_measure_of_trec_eval_is_here() -> None:
    """But for preferences and judgement groups, in its order, and under its nicknames."""
    code = (
        "import json; from tests.parity.trec_eval_peer import TrecEval; peer = TrecEval(); "
        "print(json.dumps([list(peer.measures), peer.nicknames]))"
    )
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, cwd=PROJECT, check=True)
    names, nicknames = json.loads(done.stdout)
    assert [name for name in names if "prefs" not in name and not name.endswith("_avgjg")] == list(MEASURES)
    for name, own in NICKNAMES.items():
        assert set(nicknames[name]) == set(own)
