"""The leaderboard: the published rows unchanged, ranks by exact paired tests, other populations."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.recall.conftest import ends

from karatage import Score
from karatage.errors import InputError, UsageError
from karatage.recall import (
    Benchmark,
    Board,
    BoardEntry,
    BoardResult,
    Positive,
    Stratum,
    estimate_results,
    read_board,
    read_result,
)
from karatage.recall.board_results import paired_test
from karatage.reports.terminal.recall_tables import board_markdown
from karatage.stats.convolution import sign_flip_p

ROWS = ',Recall,Recall-95CI%,correct,incorrect\none,0.5,"(0.4, 0.6)",50,50\ntwo,0.75,"(0.70, 0.8)",75,25\n'


def big(sizes: tuple[int, ...] = (60, 30)) -> Benchmark:
    strata = []
    for at, size in enumerate(sizes):
        positives = tuple(Positive(f"lake {at} {i}", 0, 4, ("LOC",)) for i in range(size))
        strata.append(Stratum(f"s{at}", 10_000 * (at + 1), 200, positives))
    return Benchmark("big", tuple(strata))


def result(share: float, seed: int, name: str, benchmark: Benchmark | None = None) -> dict[str, Any]:
    rng = random.Random(seed)
    benchmark = benchmark or big()
    found = [rng.random() < share for _ in benchmark.positives]
    data: dict[str, Any] = json.loads(estimate_results(benchmark, found, system=name).to_json())
    return data


def entry(data: dict[str, Any]) -> BoardEntry:
    return BoardEntry.of(parsed(data))


def parsed(data: dict[str, Any]) -> BoardResult:
    return BoardResult.parse(data)


@pytest.mark.parametrize("name", ["amundsen_01", "amundsen_02"])
def test_the_published_rows_pass_through_unchanged(real_data: Path, tmp_path: Path, name: str) -> None:
    published = real_data / name / "leaderboard.csv"
    if not published.is_file():
        pytest.skip(f"{name} is not beside this repository")
    board = read_board(published)
    assert len(board.entries) == 6
    board.write(tmp_path / "board.csv")
    assert (tmp_path / "board.csv").read_bytes() == published.read_bytes()
    imported = Board(()).with_entries(board.entries)
    imported.write(tmp_path / "new.csv")
    assert (tmp_path / "new.csv").read_bytes() == published.read_bytes()
    imported.with_entries([BoardEntry("mine", Score(0.5, low=0.4, high=0.6), 3, 3)]).write(tmp_path / "more.csv")
    assert (tmp_path / "more.csv").read_bytes() == published.read_bytes() + b'mine,0.5,"(0.4, 0.6)",3,3\n'


def test_append_and_replace(tmp_path: Path) -> None:
    path = tmp_path / "board.csv"
    path.write_text(ROWS, "utf-8")
    new = entry(result(0.9, 1, "three"))
    read_board(path).with_entries([new]).write(path)
    text = path.read_text("utf-8")
    assert text.startswith(ROWS)
    assert text.count("\n") == 4
    assert [one.system for one in read_board(path).entries] == ["one", "two", "three"]
    again = entry(result(0.2, 2, "two"))
    with pytest.raises(UsageError, match="'two' is already on the board"):
        read_board(path).with_entries([again])
    replaced = read_board(path).with_entries([again], replacing=True)
    assert [one.system for one in replaced.entries] == ["one", "two", "three"]
    assert replaced.entries[1].recall.value == again.recall.value


def test_items_are_kept_beside_the_board(tmp_path: Path) -> None:
    path = tmp_path / "board.csv"
    path.write_text(ROWS, "utf-8")
    read_board(path).with_entries([entry(result(0.9, 1, "good")), entry(result(0.3, 2, "bad"))]).write(path)
    found = read_board(path)
    assert {name: one.rank for name, one in found.standings.items()} == {"good": (1, 1), "bad": (2, 2)}
    # A row that was changed by hand has no items any more.
    path.write_text(path.read_text("utf-8").replace("good,0.", "good,0.0"), "utf-8")
    assert [one.system for one in read_board(path).entries if one.result] == ["bad"]
    assert read_board(path).standings == {}  # one alone has no rank
    (tmp_path / "board.items.json").write_text("[]", "utf-8")
    with pytest.raises(InputError, match="does not contain the items of a board"):
        read_board(path)


def test_only_a_row_has_no_rank(tmp_path: Path) -> None:
    path = tmp_path / "board.csv"
    path.write_text(ROWS, "utf-8")
    board = read_board(path).with_entries([entry(result(0.9, 1, "a|b*")), entry(result(0.1, 2, "last"))])
    text = str(board)
    assert "* no rank: the results on items are unknown" in text
    lines = board_markdown(board).splitlines()
    assert lines[2].startswith("| a\\|b\\* | 1 | 0.9")
    assert lines[3] == "| two | \\* | 0.7500 | 0.7000–0.8000 |  | 75 | 25 |"
    assert [row.get("rank") for row in json.loads(board.to_json())["systems"]] == [
        {"best": 1, "worst": 1},
        None,
        None,
        {"best": 2, "worst": 2},
    ]


def test_p_values_are_those_of_all_sign_flips() -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        weights, tosses = rng.random(3), rng.integers(0, 4, 3)
        each = np.repeat(weights, tosses)
        signs = rng.choice([-1, 1], len(each))
        observed = float(each @ signs)
        sums = [abs(float(each @ np.array(flips))) for flips in itertools.product((-1, 1), repeat=len(each))]
        expected = np.mean([value >= abs(observed) - 1e-9 for value in sums])
        assert sign_flip_p(weights, tosses, observed) == pytest.approx(expected)


def test_p_values_of_many_items_by_simulation() -> None:
    weights, tosses = np.array([0.013, 0.007, 0.0031, 0.002]), np.array([300, 150, 90, 60])
    rng = np.random.default_rng(4)
    heads = rng.binomial(tosses, 0.5, (200_000, 4))
    sums = np.abs((2 * heads - tosses) @ weights)
    for observed in (0.1, 0.3, 0.6):
        assert sign_flip_p(weights, tosses, observed) == pytest.approx((sums >= observed).mean(), abs=0.004)


def test_ranks_are_shared_unless_a_test_tells_apart() -> None:
    rows = {name: result(share, seed, name) for name, share, seed in (("a", 0.9, 1), ("b", 0.88, 2), ("c", 0.4, 3))}
    board = Board(()).with_entries([entry(one) for one in rows.values()])
    assert {name: one.rank for name, one in board.standings.items()} == {"a": (1, 2), "b": (1, 2), "c": (3, 3)}
    p, difference = paired_test(parsed(rows["a"]), parsed(rows["c"]))
    pairs = {names: paired_test(parsed(rows[names[0]]), parsed(rows[names[1]]))[0] for names in ("ab", "ac", "bc")}
    # Holm by hand: the smallest of three times 3, the next times 2, the largest times 1, none below one before.
    first, second, third = sorted(pairs, key=lambda names: pairs[names])
    expected = {first: 3 * pairs[first]}
    expected[second] = max(2 * pairs[second], expected[first])
    expected[third] = max(pairs[third], expected[second])
    for names, value in expected.items():
        assert board.standings[names[0]].p[names[1]] == pytest.approx(min(value, 1))
    assert difference == pytest.approx(
        rows["a"]["metrics"]["recall"]["value"] - rows["c"]["metrics"]["recall"]["value"]
    )
    assert p < 1e-6
    assert paired_test(parsed(rows["a"]), parsed(rows["a"])) == (1.0, 0.0)


def test_results_on_other_items_are_not_compared() -> None:
    other = result(0.9, 1, "other", big((61, 30)))
    board = Board(()).with_entries([entry(result(0.9, 1, "a")), entry(result(0.5, 2, "b")), entry(other)])
    assert set(board.standings) == {"a", "b"}


def test_another_population() -> None:
    one = result(0.8, 1, "a")
    rows = {row["name"]: row["correct"] / row["positive"] for row in one["strata"]}
    board = Board(()).with_entries([entry(one)]).reweighted({"s0": 3, "s1": 1})
    assert board.entries[0].recall.value == pytest.approx(0.75 * rows["s0"] + 0.25 * rows["s1"])
    low, high = ends(board.entries[0].recall)
    assert low < float(board.entries[0].recall) < high
    alone = Board(()).with_entries([entry(one)]).reweighted({"s1": 1})
    assert alone.entries[0].recall.value == pytest.approx(rows["s1"])
    with pytest.raises(UsageError, match="unknown stratum 'ponds'. The results have s0, s1"):
        Board(()).with_entries([entry(one)]).reweighted({"ponds": 1})
    with pytest.raises(UsageError, match="nor all 0"):
        board.reweighted({"s0": 0})
    with pytest.raises(UsageError, match="cannot be written"):
        board.write("never.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n", "missing columns Recall, Recall-95CI%, correct, incorrect, "),
        (ROWS.replace("0.75", "high"), r":3: invalid row of a board"),
        (ROWS.replace('"(0.4, 0.6)"', "0.4"), r":2: invalid row of a board"),
        (ROWS.replace("one,0.5", "one,1.5"), r":2: the recall must be between 0 and 1, got 1.5"),
        (ROWS.replace("two", "one"), "duplicate system 'one'"),
        (ROWS.replace("one", ""), ":2: the system has no name"),
    ],
)
def test_a_broken_board_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "board.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=message):
        read_board(path)


def test_a_file_that_is_no_result(tmp_path: Path) -> None:
    for text in (
        "{}",
        "[]",
        "no",
        '{"metrics": 3}',
        json.dumps(result(0.5, 1, "a") | {"items": {"hash": "x", "found": ""}}),
    ):
        path = tmp_path / "r.json"
        path.write_text(text, "utf-8")
        with pytest.raises(InputError, match="is not the result of an estimate"):
            read_result(str(path))
