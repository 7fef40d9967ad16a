"""Files that are counted in parts have the same result as those that are counted at once, to the last byte."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import pickle
import random
from collections.abc import Callable, Generator, Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from tests.engines import Here, use_here
from tests.parts import parts

import karatage
from karatage.engine import Running, WorkLost, ray_cluster
from karatage.errors import KaratageError
from karatage.inputs import cutting
from karatage.scoring import folding

TAGS = ["O", "O", "O", "B-PER", "I-PER", "B-LOC", "I-LOC", "I-ORG", "E-PER", "S-LOC"]
OPTIONS: dict[str, dict[str, Any]] = {
    "intervals": {},
    "no intervals": {"resamples": 0},
    "resampled": {"interval": "percentile", "resamples": 50},
    "conlleval": {"like": "conlleval"},
    "seqeval": {"like": "seqeval"},
    "strict": {"like": "seqeval-strict", "scheme": "IOB2"},
    "kinds": {"like": "semeval2013"},
    "overlap": {"like": "overlap"},
    "tokens": {"like": "tokens"},
    "labels": {"labels": ["PER", "GPE"]},
    "merged": {"merge": True},
    "scheme": {"scheme": "IOBES"},
    "means": {"metrics": ["units_f1", "f1", "accuracy"]},
    "any label": {"match": "boundary"},
    "cut off": {"truncated": "missed"},
    "left out": {"missing": "empty", "extra": "ignore"},
}


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Here:
    """Let files of any size be counted by this engine; one process is asked for as ever."""
    return use_here(monkeypatch)


def outcome(gold: Any, pred: Any, jobs: int, **options: Any) -> str:
    """Return all that a user sees: the result as JSON, or the message."""
    try:
        return json.dumps(karatage.score(gold, pred, jobs=jobs, **options).compute().to_dict())
    except KaratageError as error:
        return f"{type(error).__name__}: {error}"


def corpus(rng: random.Random, sentences: int) -> tuple[str, str]:
    """Make gold and noisy predictions, in one of several tagging schemes; some sentences are copies of others."""
    tags = rng.choice([TAGS, TAGS[:7], ["O", "I-PER", "I-LOC"], ["O", "O"]])
    sides: tuple[list[str], list[str]] = [], []
    for _ in range(sentences):
        length = rng.choice([1, 2, 5, 8])
        words = [rng.choice(["Ann", "lives", "in", "Paris", "#x", "-", "ü"]) for _ in range(length)]
        gold = [rng.choice(tags) for _ in words]
        other = rng.choice([tags, TAGS])
        pred = [tag if rng.random() < 0.7 else rng.choice(other) for tag in gold]
        for side, own in zip(sides, (gold, pred), strict=True):
            side.append("".join(f"{w} {t}\n" for w, t in zip(words, own, strict=True)))
    for side in sides:
        side += side[: sentences // 4]
    return "\n".join(sides[0]) + "\n", "\n".join(sides[1]) + "\n"


def write(folder: Path, gold: str | bytes, pred: str | bytes) -> tuple[Path, Path]:
    paths = folder / "gold.conll", folder / "pred.conll"
    for path, text in zip(paths, (gold, pred), strict=True):
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return paths


@pytest.mark.parametrize("name", list(OPTIONS))
@pytest.mark.parametrize("seed", parts(6, 2))
def test_parts_of_any_size_give_the_same_result(
    tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch, name: str, seed: int
) -> None:
    """Warnings, intervals and the examples in warnings included."""
    rng = random.Random(f"{name} {seed}")
    gold, pred = write(tmp_path, *corpus(rng, 40))
    known = outcome(gold, pred, 1, **OPTIONS[name])
    assert here.parts == 0
    for size in (1, 30, 200, rng.randint(1, 500)):
        monkeypatch.setattr(cutting, "_MOST", size)
        before = here.parts
        assert outcome(gold, pred, 2, **OPTIONS[name]) == known
        assert here.parts - before > 2 or not known.startswith("{"), "it was not counted in parts"


class Anyhow(Here):
    """Does the parts in any order, and adds up adjacent ones in any order."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self._rng = rng

    def reduce(self, function: Any, add: Any, parts: Iterable[Any], progress: Any) -> Any:
        del progress
        order = list(enumerate(parts))
        self._rng.shuffle(order)
        numbers = [number for number, _ in order]
        done = dict(zip(numbers, self.map(function, [part for _, part in order]), strict=True))
        found = [done[number] for number in sorted(done)]
        while len(found) > 1:
            k = self._rng.randrange(len(found) - 1)
            found[k : k + 2] = [pickle.loads(pickle.dumps(add(found[k], found[k + 1])))]  # noqa: S301  our own
        return found[0]


@pytest.mark.parametrize("name", list(OPTIONS))
@pytest.mark.parametrize("seed", parts(6, 1))
def test_parts_that_are_done_and_added_in_any_order_give_the_same_result(
    tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch, name: str, seed: int
) -> None:
    """As on a cluster, where neighbours are added first."""
    del here
    rng = random.Random(f"{name} {seed} any")
    gold, pred = write(tmp_path, *corpus(rng, 40))
    known = outcome(gold, pred, 1, **OPTIONS[name])
    engine = Anyhow(rng)
    monkeypatch.setattr(Running, "chosen", property(lambda self: None if self.jobs == 1 else engine))
    monkeypatch.setattr(cutting, "_MOST", rng.randint(20, 300))
    assert outcome(gold, pred, 2, **OPTIONS[name]) == known
    assert engine.parts > 2 or not known.startswith("{")


BLOCK = "Ann B-PER\nlives O\n\nin O\nParis B-LOC\n\n"
GOOD = BLOCK * 30
HOSTILE: dict[str, tuple[str | bytes, str | bytes]] = {
    "carriage returns": (GOOD.replace("\n", "\r\n"), GOOD),
    "one carriage return": (GOOD, GOOD[:-20] + "\r" + GOOD[-20:]),
    "byte order mark": (b"\xef\xbb\xbf" + GOOD.encode(), GOOD),
    "comments": ("# number one\n" + GOOD + "# the last one\n", GOOD.replace("Ann", "# a comment\nAnn")),
    "comments before sentences": (GOOD, GOOD.replace("Ann", "# a comment\nAnn")),
    "a block of comments": (GOOD, GOOD + "# number one\n\n# number two\n\n" + GOOD),
    "blocks of comments on both sides": ((GOOD + "# number one\n\n") * 2, ("# number one\n\n" + GOOD) * 2),
    "ids": ("# sent_id = 1\na O\n\n# sent_id = 2\nb O\n\n" * 1 + "", GOOD),
    "ids on both sides": tuple("".join(f"# sent_id = {n}\na B-X\n\n" for n in range(50)) for _ in range(2)),  # type: ignore[dict-item]
    "an id twice": tuple("".join(f"# sent_id = {n % 49}\na B-X\n\n" for n in range(50)) for _ in range(2)),  # type: ignore[dict-item]
    "an id at the end": (GOOD, GOOD + "# sent_id = 1\na O\n\n"),
    "documents": ("-DOCSTART- O\n\n" + GOOD + "-DOCSTART- O\n\n" + GOOD,) * 2,
    "a document at the end": (GOOD + "-DOCSTART- O\n\n" + GOOD,) * 2,
    "documents in gold": ("-DOCSTART- O\n\n" + GOOD, GOOD),
    "blank lines with blanks": (GOOD.replace("\n\n", "\n \n"), GOOD),
    "some blank lines with blanks": (GOOD + GOOD.replace("\n\n", "\n\t\n") + GOOD,) * 2,
    "different blank lines": (GOOD + GOOD.replace("\n\n", "\n \n"), GOOD.replace("\n\n", "\n \n") + GOOD),
    "many blank lines": ("\n\n" + GOOD.replace("\n\n", "\n\n\n\n"), GOOD + "\n\n"),
    "no line end": (GOOD.rstrip("\n"), GOOD),
    "no blank line at the end": (GOOD.rstrip("\n") + "\n", GOOD.rstrip("\n")),
    "more predictions": (GOOD, GOOD + BLOCK),
    "fewer predictions": (GOOD + BLOCK, GOOD),
    "many fewer predictions": (GOOD, BLOCK),
    "sentences that are joined": (GOOD, GOOD.replace("lives O\n\n", "lives O\n", 1)),
    "one sentence cut off": (GOOD, GOOD + "x"),
    "other tokens at the end": (GOOD, GOOD[: -len(BLOCK)] + BLOCK.replace("Paris", "London")),
    "a truncated sentence": (GOOD, GOOD[: -len(BLOCK)] + BLOCK.replace("Paris B-LOC\n", "")),
    "another number of columns at the end": (GOOD, GOOD + "a b O\n\n"),
    "an invalid tag at the end": (GOOD[: -len(BLOCK)] + BLOCK.replace("B-LOC", "LOC"), GOOD),
    "not UTF-8 at the end": (GOOD.encode() + b"\xff O\n\n", GOOD),
    "a NUL at the end": (GOOD + "a\0 O\n\n", GOOD),
    "an empty tag": (GOOD.replace(" ", "\t") + "a\t\n\n", GOOD),
    "a header": ("TOKEN\tNE-COARSE\n" + GOOD.replace(" ", "\t"),) * 2,
    "a header alone": ("TOKEN\tNE-COARSE\n\n" + GOOD.replace(" ", "\t"),) * 2,
    "tabs": (GOOD.replace(" ", "\t"), GOOD),
    "several blanks": (GOOD.replace(" ", "   "), GOOD),
    "tokens that look like comments": (GOOD.replace("Ann", "#Ann"),) * 2,
    "another scheme from the middle on": (GOOD * 2, GOOD + GOOD.replace("B-", "S-")),
    "inside tags only, then others": (GOOD.replace("B-", "I-"), GOOD.replace("B-", "I-") + ""),
    "adjacent entities": ("a I-X\nb I-X\n\n" * 30, "a B-X\nb B-X\n\n" * 30),
    "adjacent entities, separated at the end": (
        "a I-X\nb I-X\n\n" * 30 + "a B-X\nb B-X\n\n",
        "a B-X\nb B-X\n\n" * 31,
    ),
    "prefixes that conlleval does not know": ("a B-X\nb L-X\nc U-X\n\n" * 30, "a B-X\nb E-X\nc S-X\n\n" * 30),
    "nothing": ("", ""),
    "blank lines only": ("\n\n\n", "\n\n\n"),
    "gold is empty": ("", GOOD),
    "one sentence": ("a O\n", "a O\n"),
    "one long sentence": ("a B-X\n" * 200, "a B-X\n" * 200),
    "a long sentence at the end": (GOOD + "a B-X\n" * 200 + "\n",) * 2,
    "no entity": ("a O\n\n" * 40, "a O\n\n" * 40),
    "an entity at the end": ("a O\n\n" * 40 + "a B-X\n\n", "a O\n\n" * 41),
}


@pytest.mark.parametrize("name", list(HOSTILE))
@pytest.mark.parametrize(
    "options",
    [{}, {"like": "conlleval"}, {"missing": "empty", "extra": "ignore", "truncated": "missed", "resamples": 0}],
    ids=["exact", "conlleval", "lenient"],
)
@pytest.mark.usefixtures("here")
def test_odd_files_have_the_same_result_or_the_same_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, options: dict[str, Any]
) -> None:
    """An error names the line and the sentence of the file, not of a part."""
    gold, pred = write(tmp_path, *HOSTILE[name])
    options = {"format": "conll"} | options
    known = outcome(gold, pred, 1, **options)
    for size in (1, 100, 700):
        monkeypatch.setattr(cutting, "_MOST", size)
        assert outcome(gold, pred, 2, **options) == known


REGULAR = [
    "comments before sentences",
    "many blank lines",
    "no line end",
    "tabs",
    "several blanks",
    "tokens that look like comments",
]


@pytest.mark.parametrize("name", [*REGULAR, "a header", "another scheme from the middle on", "no entity"])
def test_most_odd_files_are_counted_in_parts_nevertheless(
    tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(cutting, "_MOST", 100)
    karatage.score(*write(tmp_path, *HOSTILE[name]), format="conll")
    assert here.parts > 2


@pytest.mark.parametrize("count", [3, 25])
@pytest.mark.parametrize("size", [1, 150, 5000])
@pytest.mark.parametrize("uneven", [False, True])
def test_folders_are_counted_in_parts(
    tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch, count: int, size: int, uneven: bool
) -> None:
    """Sentences are numbered across files, and each of many files is a document."""
    rng = random.Random(count)
    for n in range(count):
        gold, pred = corpus(rng, rng.randint(1, 9))
        if uneven and n == count - 2:  # this sentence is in the next file on the other side
            gold = gold + "late B-PER\n\n"
        if uneven and n == count - 1:
            pred = "late B-PER\n\n" + pred
        for side, text in (("gold", gold), ("pred", pred)):
            (tmp_path / side).mkdir(exist_ok=True)
            (tmp_path / side / f"{n:02}.conll").write_text(text)
    known = outcome(tmp_path / "gold", tmp_path / "pred", 1)
    assert known.startswith("{")
    assert ('"cluster_by": "document"' in known) == (count >= 20)
    monkeypatch.setattr(cutting, "_MOST", size)
    assert outcome(tmp_path / "gold", tmp_path / "pred", 2) == known
    assert here.parts > 0 or uneven


def test_gold_and_predictions_in_one_file(tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "_MOST", 50)
    path = tmp_path / "both.conll"
    path.write_text("Ann B-PER B-PER\nlives O O\n\nParis B-LOC O\n\n" * 20)
    assert outcome(path, None, 2) == outcome(path, None, 1)
    assert here.parts > 2


@pytest.mark.parametrize("unit", ["sentence", "document"])
def test_documents_are_counted_at_once(tmp_path: Path, here: Here, unit: str) -> None:
    gold, pred = write(tmp_path, GOOD, GOOD)
    assert outcome(gold, pred, 2, unit=unit) == outcome(gold, pred, 1, unit=unit)
    assert (here.parts > 0) == (unit == "sentence")


def test_what_is_not_a_column_file_is_counted_at_once(tmp_path: Path, here: Here) -> None:
    import gzip

    (tmp_path / "gold.conll.gz").write_bytes(gzip.compress(GOOD.encode()))
    gold, pred = write(tmp_path, GOOD, GOOD)
    assert outcome(tmp_path / "gold.conll.gz", pred, 2) == outcome(tmp_path / "gold.conll.gz", pred, 1)
    tags = [["B-X", "O"]] * 30
    assert outcome(tags, tags, 2) == outcome(tags, tags, 1)
    assert here.parts == 0
    del gold


def test_lost_work_is_done_in_this_process(tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the parts that were counted before is counted twice."""
    gold, pred = write(tmp_path, *corpus(random.Random(0), 40))

    def lost(function: Callable[[Any], Any], parts: Iterable[Any]) -> Generator[Any, None, None]:
        yield from map(function, islice(parts, 3))
        raise WorkLost("killed")

    monkeypatch.setattr(here, "map", lost)
    assert outcome(gold, pred, 2) == outcome(gold, pred, 1)


def test_progress_counts_all_parts(tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "_MOST", 300)
    seen: list[int] = []
    gold, pred = write(tmp_path, GOOD, GOOD)
    karatage.score(gold, pred, progress=seen.append)
    assert seen == sorted(seen)
    assert len(seen) == here.parts > 2
    assert seen[-1] == 60


@pytest.mark.parametrize("jobs", [2, 3])
def test_real_processes_give_the_same_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    gold, pred = write(tmp_path, *corpus(random.Random(1), 60))
    known = outcome(gold, pred, 1)
    monkeypatch.setattr(folding, "_LEAST", 0)
    monkeypatch.setattr(cutting, "_LEAST", 100)
    assert outcome(gold, pred, jobs) == known


def test_small_files_start_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from karatage.engine import local_processes

    def refuse(_: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(local_processes, "_start_worker", refuse)
    gold, pred = write(tmp_path, GOOD, GOOD)
    assert karatage.score(gold, pred, jobs=4)["f1"].value == 1


def sized(path: Path, size: int) -> Path:
    """Write a column file of about so many bytes."""
    line = "Ann\tB-PER\n\n"
    path.write_text(line * (size // len(line)))
    return path


def reason(gold: Any, pred: Any, command: Callable[..., Any] = karatage.score, **options: Any) -> str:
    """Return what is told of a cluster that is not used: there is none, so using it would be an error."""
    ray_cluster._tell_once.cache_clear()
    with contextlib.redirect_stderr(io.StringIO()) as told:
        command(gold, pred, engine="ray:127.0.0.1:1", **options)
    (line,) = told.getvalue().splitlines()
    return line.removeprefix("karatage: note: Ray is not used: ")


def test_a_cluster_that_is_not_used_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = sized(tmp_path / "a.conll", 1000)
    assert reason(small, small) == f"{small} has 0.0 MB, and files like these are read in parts from 32 MB"
    assert reason(small, [small, small], lambda g, _, **o: karatage.compare(g, {"a": g, "b": g}, **o)) == (
        f"{small} has 0.0 MB, and files like these are read in parts from 32 MB"
    )
    assert reason(small, small, karatage.explain).startswith(f"{small} has 0.0 MB")
    assert reason([["O"]], [["O"]]) == "what is not in files is read on this machine"
    assert reason(small, small, judge=small) == "several golds, or a judge, are read on this machine"
    monkeypatch.setattr(folding, "_LEAST", 0)
    packed = tmp_path / "b.conll.gz"
    packed.write_bytes(gzip.compress(small.read_bytes()))
    assert (
        reason(packed, packed)
        == f"{packed} is compressed, and single files like this are not cut. Split it into shards"
    )
    lines = tmp_path / "c.jsonl"
    lines.write_text('{"tokens": ["Ann"], "ner_tags": ["B-PER"]}\n')
    assert reason(lines, lines) == (
        f"{lines} is in the format hf-rows, and single files like this are not cut. Split it into shards"
    )
    (tmp_path / "parts").mkdir()
    for name in "ab":
        sized(tmp_path / "parts" / f"{name}.conll", 500)
    whole = tmp_path / "whole.conll"
    whole.write_text("".join((tmp_path / "parts" / f"{name}.conll").read_text() for name in "ab"))
    assert "different numbers of files" in reason(whole, tmp_path / "parts")


def test_a_cluster_that_is_not_used_for_search_says_why(tmp_path: Path) -> None:
    (tmp_path / "a.qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 1.0 x\n")
    files = tmp_path / "a.qrels", tmp_path / "a.run"
    assert reason(*files) == f"{tmp_path / 'a.run'} is read as a whole, on this machine"
