"""Two runs that change the same store at the same time: both changes are there afterwards, and nothing else is left."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.command import run
from tests.parts import parts
from tests.recall.test_board import ROWS, result
from tests.recall.test_end_to_end import TAGGER, corpus, label

# A process that has imported everything runs one command after the other, each when it is told to.
WORKER = """
import json, os, sys
from pathlib import Path
sys.path.insert(0, "")
from tests.command import run
for line in sys.stdin:
    words, folder, gate = json.loads(line)
    print("ready", flush=True)
    while not os.path.exists(gate):
        pass
    done = run(*words, cwd=Path(folder))
    print(json.dumps([done.returncode, done.stderr]), flush=True)
"""

Answer = tuple[int, str]
CONLL = "Anna\tB-PER\nsees\tO\nParis\tB-LOC\n\n"
FRAME = ("corpus.jsonl", "--pattern", "lakes=lake", "--pattern", "rivers=river", "--label", "LOC", "--size", "20")


class Pair:
    """Two processes that run a command each, at the same time."""

    def __init__(self, stack: ExitStack) -> None:
        command = [sys.executable, "-c", WORKER]
        root = str(Path(__file__).parents[1])
        self.workers = [
            stack.enter_context(
                subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root)
            )
            for _ in range(2)
        ]

    def run(self, folder: Path, first: tuple[object, ...], second: tuple[object, ...]) -> list[Answer]:
        """Run two commands in a folder, and return how each ended and what it said."""
        gate = folder.parent / "gate"
        gate.unlink(missing_ok=True)
        for worker, words in zip(self.workers, (first, second), strict=True):
            assert worker.stdin is not None
            worker.stdin.write(json.dumps([list(map(str, words)), str(folder), str(gate)]) + "\n")
            worker.stdin.flush()
        for worker in self.workers:
            assert self._line(worker) == "ready"
        gate.touch()
        return [tuple(json.loads(self._line(worker))) for worker in self.workers]

    def _line(self, worker: subprocess.Popen[str]) -> str:
        assert worker.stdout is not None
        return worker.stdout.readline().strip()

    def close(self) -> None:
        """Let both end."""
        for worker in self.workers:
            assert worker.stdin is not None
            worker.stdin.close()


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with ExitStack() as stack:
        made = Pair(stack)
        yield made
        made.close()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def hidden(folder: Path) -> list[str]:
    """Return what is left of locks and temporaries."""
    return [path.name for path in folder.rglob(".*")]


def both(answers: list[Answer]) -> None:
    assert [code for code, _ in answers] == [0, 0], answers


@pytest.mark.parametrize("turn", parts(60, 2))
def test_two_results_for_one_board(turn: int, pair: Pair, place: Path) -> None:
    (place / "board.csv").write_text(ROWS)
    for name in ("left", "right"):
        (place / f"{name}.json").write_text(json.dumps(result(0.5, turn, name)))
    answers = pair.run(
        place, *(("recall", "board", "board.csv", f"{name}.json", "--write") for name in ("left", "right"))
    )
    both(answers)
    rows = [line.split(",")[0] for line in (place / "board.csv").read_text().splitlines()]
    assert sorted(rows) == ["", "left", "one", "right", "two"]
    assert set(json.loads((place / "board.items.json").read_text())) == {"left", "right"}
    assert hidden(place) == []


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A draw, and what two people answered."""
    folder = tmp_path_factory.mktemp("drawn")
    corpus(folder / "corpus.jsonl", 300)
    (folder / "mine.py").write_text(TAGGER)
    assert run("recall", "draw", *FRAME, "--out", "places", cwd=folder).returncode == 0
    for name in ("ann", "bob"):
        label(folder / "places", f"{name}@example.org", folder / f"{name}.json")
    return folder


def copied(folder: Path, target: Path) -> None:
    for path in sorted(folder.rglob("*")):
        new = target / path.relative_to(folder)
        new.mkdir(exist_ok=True) if path.is_dir() else new.write_bytes(path.read_bytes())


@pytest.mark.parametrize("turn", parts(60, 1))
def test_two_imports_into_one_benchmark(turn: int, pair: Pair, place: Path, drawn: Path) -> None:  # noqa: ARG001
    copied(drawn, place)
    both(pair.run(place, *(("recall", "import", "places", f"{name}.json") for name in ("ann", "bob"))))
    lines = (place / "places" / "labels.jsonl").read_text("utf-8").splitlines()
    who = [json.loads(line)["annotator"] for line in lines]
    assert (who.count("ann@example.org"), who.count("bob@example.org")) == (40, 40)  # 20 of each of two strata
    assert hidden(place) == []


@pytest.mark.parametrize("turn", parts(60, 1))
def test_two_scores_and_a_note_in_one_log(turn: int, pair: Pair, place: Path) -> None:
    (place / "gold.conll").write_text(CONLL)
    (place / "pred.conll").write_text(CONLL.replace("B-LOC", "O"))
    add = ("score", "gold.conll", "pred.conll", "--log", "experiments", "--resamples", "0")
    both(pair.run(place, add, add))
    other = add if turn % 2 else ("log", "note", "2", "mine")
    both(pair.run(place, ("log", "note", "1", "yours"), other))
    listed = json.loads(run("log", "list", "--json", cwd=place).stdout)
    notes = {one["id"]: one.get("note") or "" for one in listed}
    expected = (
        {"RUN-001": "yours", "RUN-002": "", "RUN-003": ""} if turn % 2 else {"RUN-001": "yours", "RUN-002": "mine"}
    )
    assert notes == expected
    assert hidden(place) == []


@pytest.mark.parametrize("turn", parts(20, 1))
def test_two_taggers_and_one_journal(turn: int, pair: Pair, place: Path, drawn: Path) -> None:  # noqa: ARG001
    """The second one is refused, or it finds all answers of the first one: none is lost."""
    copied(drawn, place)
    assert run("recall", "import", "places", "ann.json", cwd=place).returncode == 0
    call = ("recall", "estimate", "places", "--tagger", "mine:half", "--save", "answers.jsonl", "--json")
    for code, told in pair.run(place, call, call):
        assert code == 0 or "another run is writing to this journal" in told
    header, *lines = map(json.loads, (place / "answers.jsonl").read_text().splitlines())
    texts = [line["text"] for line in lines]
    assert header["tagger"] == "mine:half"
    assert len(texts) == len(set(texts)) > 0
    assert hidden(place) == []
