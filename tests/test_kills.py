"""Whatever ends a command, at whatever moment: nothing is lost, nothing is left behind, and the next run works.

SIGINT and SIGTERM leave nothing but what the next run resumes from. SIGKILL leaves temporaries, which the next run of
the same command removes.
"""

from __future__ import annotations

import atexit
import json
import os
import random
import re
import signal
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import pytest

from tests.command import run
from tests.killing import Command, Ended, Nursery, State, copy, stable, state
from tests.parts import parts
from tests.recall.test_end_to_end import TAGGER, corpus, label

pytest.importorskip("pycrfsuite")

CONLL = "".join(f"Anna{n}\tB-PER\nsees\tO\nParis{n % 7}\tB-LOC\nNord\tI-LOC\n\n" for n in range(40))
GRID = 'model = "crf"\nseeds = [0]\n[set]\niterations = 3\n[grid]\nc2 = [0.1, 1.0]\n'
FRAME = ("corpus.jsonl", "--pattern", "lakes=lake", "--pattern", "rivers=river", "--label", "LOC", "--size", "20")
BOTH = ("gold.conll", "pred.conll")
CRF = ("gold.conll", "--model", "crf", "--set", "iterations=3", "--resamples", "10")
SWEEP = ("gold.conll", "--out", "sweep", "--resamples", "10")
TRAINING = r"\.?[a-z0-9-]+\.training.*|sweep/.*|experiments/.*"


COMMANDS = (
    Command("convert", ("convert", "gold.conll", "old.jsonl", "--to", "doccano"), small=True),
    Command("demo", ("demo", "tour"), small=True),
    Command("strict", ("convert", "gold.conll", "old.conll", "--strict"), small=True),
    Command("import", ("recall", "import", "places", "1.json")),
    Command("train", ("train", *CRF, "--out", "model", "--force"), kept=TRAINING, same=False, again=True),
    Command("compress", ("convert", "gold.conll", "old.jsonl.gz", "--to", "doccano")),
    Command("brat", ("convert", "old.jsonl", "corpus.brat", "--to", "brat"), once=True, whole=True),
    Command("parquet", ("convert", "gold.conll", "old.parquet")),
    Command("tag", ("tag", "model", "gold.conll", "--out", "old.conll")),
    Command(
        "explain", ("explain", "gold.conll", "pred.conll", "--html", "old.html", "--export", "old.csv"), same=False
    ),
    Command("describe", ("describe", "gold.conll", "--html", "old.html"), same=False),
    Command("gate", ("gate", *BOTH, "--min", "f1=0.1", "--junit", "j.xml", "--markdown", "m.md")),
    Command("data", ("demo-data", "ebay", "--records", "50", "--seed", "1", "--out", "shop", "--force")),
    Command("folds", ("train", *CRF, "--folds", "2", "--out", "new"), kept=TRAINING, once=True, same=False),
    Command("sweep", ("sweep", "grid.toml", *SWEEP), kept=TRAINING, same=False),
    Command("ensemble", ("ensemble", "model", "model2", "--out", "both", "--force"), whole=True),
    Command("draw", ("recall", "draw", *FRAME, "--seed", "1", "--out", "places", "--force"), whole=True),
    Command("adjudicate", ("recall", "adjudicate", "labelled", "--resolve", "majority", "--out", "conflicts.json")),
    Command(
        "estimate",
        ("recall", "estimate", "labelled", "--tagger", "mine:half", "--save", "answers", "--html", "old.html"),
        kept="answers",
        same=False,
    ),
    Command("board", ("recall", "board", "board.csv", "b.json", "--write", "--replace")),
    Command("note", ("log", "note", "1", "a note", "--log", "experiments")),
    Command("table", ("log", "table", "--out", "old.csv")),
    Command("score", ("score", *BOTH, "--log", "experiments"), same=False, again=True),
    Command("compare", ("compare", "gold.conll", "pred.conll", "gold.conll", "--resamples", "50")),
)


def ok(*words: object, cwd: Path) -> str:
    done = run(*words, cwd=cwd)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def new_place() -> Path:
    """Return an empty folder, which is removed when all tests are done."""
    place = Path(mkdtemp(prefix="karatage-kills-"))
    atexit.register(rmtree, place, ignore_errors=True)
    return place


@cache
def world(small: bool) -> Path:
    """Return a folder with all that the commands read, and with older versions of what they write."""
    folder = new_place() / "world"
    folder.mkdir()
    (folder / "gold.conll").write_text(CONLL)
    (folder / "pred.conll").write_text(CONLL.replace("Anna3\tB-PER", "Anna3\tO"))
    (folder / "grid.toml").write_text(GRID)
    (folder / "mine.py").write_text(TAGGER)
    corpus(folder / "corpus.jsonl", 300)
    ok("convert", "pred.conll", "old.jsonl", "--to", "doccano", cwd=folder)
    for name in ("old.jsonl.gz", "old.conll", "old.parquet", "old.csv", "old.html", "j.xml", "m.md"):
        (folder / name).write_text("old")
    if small:
        return folder
    for seed, name in enumerate(("model", "model2"), 1):
        ok("train", *CRF, "--split-seed", seed, "--out", name, "--no-log", cwd=folder)
    ok("ensemble", "model2", "model", "--out", "both", cwd=folder)
    ok("demo-data", "ebay", "--records", 40, "--out", "shop", cwd=folder)
    for name in ("places", "labelled"):
        ok("recall", "draw", *FRAME, "--out", name, cwd=folder)
    label(folder / "places", "ann@example.org", folder / "1.json")
    label(folder / "places", "bob@example.org", folder / "2.json", mistakes=0.2)
    ok("recall", "import", "labelled", "1.json", "2.json", cwd=folder)
    for name in ("a", "b"):
        found = ok("recall", "estimate", "labelled", "--tagger", "mine:half", "--name", name, "--json", cwd=folder)
        (folder / f"{name}.json").write_text(found)
    ok("recall", "board", "board.csv", "a.json", "--write", cwd=folder)
    ok("score", *BOTH, "--log", "experiments", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    made = Nursery()
    yield made
    made.close()


def whole_run(command: Command, nursery: Nursery, done: dict[Command, tuple[State, Ended]] = {}) -> tuple[State, Ended]:  # noqa: B006  kept for the next case
    """Run a command to its end, once for all cases; return its files, and how it ended."""
    if command not in done:
        folder = copy(world(command.small), new_place() / "whole")
        ended = nursery.run(command.words, folder)
        assert ended.code == 0, ended.errors
        done[command] = state(folder), ended
    return done[command]


MARKER = "shop/.generated.json"
"""It lists old and new files while they are replaced."""
ROUNDS = int(os.environ.get("KARATAGE_KILLS", "9"))
"""How often each command is ended."""
SEED = os.environ.get("KARATAGE_KILLS_SEED", "")
"""Another one ends them at other moments."""
SIGNALS = (signal.SIGTERM, signal.SIGKILL, signal.SIGINT)
CASES = [(command, number) for number, command in product(range(ROUNDS), COMMANDS)]


@pytest.mark.parametrize("case", parts(CASES, quick=1), ids=lambda case: f"{case[0].name}-{case[1]}")
def test_a_command_that_is_ended(case: tuple[Command, int], nursery: Nursery, tmp_path: Path) -> None:
    command, number = case
    before, (after, undisturbed) = state(world(command.small)), whole_run(command, nursery)
    dice = random.Random(f"{command.name} {number}{SEED}")
    kind = SIGNALS[(number + COMMANDS.index(command)) % 3]
    folder = copy(world(command.small), tmp_path / "world")
    if undisturbed.changes and number % 3 != 2:
        ended = nursery.run(command.words, folder, kind, at=dice.randint(1, undisturbed.changes))
    else:
        ended = nursery.run(command.words, folder, kind, after=dice.uniform(0.1, 1.1) * undisturbed.seconds)
    assert "Traceback" not in ended.errors
    # Where it comes while the interpreter exits, Python ends by the signal itself, which is 128 + kind to a shell.
    assert ended.code in (0, -kind, 128 + kind)
    check_nothing_lost(command, before, after, state(folder))
    if kind != signal.SIGKILL:
        left = stable(state(folder)) - stable(before) - stable(after)
        left = {name for name in left if not (command.kept and re.fullmatch(command.kept, name))}
        assert left == set()
    check_next_run(command, nursery, folder, before, after)


def check_nothing_lost(command: Command, before: State, after: State, found: State) -> None:
    """Each file is the old one or the new one, and a folder that is replaced as a whole has only one kind."""
    assert {name for name in before if name in after and name not in found} == set()
    if not command.same:
        return
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    for name in {*before, *after} - {MARKER}:
        assert found.get(name) in (before.get(name), after.get(name)), name
    if command.whole:
        now = {name: found.get(name) for name in changed}
        assert now in ({name: one.get(name) for name in changed} for one in (before, after))


def check_next_run(command: Command, nursery: Nursery, folder: Path, before: State, after: State) -> None:
    """It leaves what an undisturbed run leaves, and ends well, unless an output that must be new is there already."""
    done = bool(stable(after) - stable(before)) and stable(after) <= stable(state(folder))
    again = nursery.run(command.words, folder)
    assert again.code == (2 if done and command.once else 0), again.errors
    # Python itself writes a file to find out whether a folder can hold temporaries; SIGKILL may come right then.
    found = {name: content for name, content in state(folder).items() if not re.fullmatch(r"tmp/\w{8}", name)}
    if done and command.again:
        found = {name: content for name, content in found.items() if "/RUN-003" not in name}
    assert stable(found) == stable(after)
    assert not command.same or found == after
    if not command.small:
        log = run("log", "list", "--json", cwd=folder)
        assert (log.returncode, log.stderr) == (0, "")
        assert json.loads(log.stdout)
