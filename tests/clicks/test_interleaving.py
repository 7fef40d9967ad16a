"""Interleaving experiments: credit, preference, tests and plans, by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom, binomtest

from karatage.clicks import interleave, plan_impressions, read_interleaving
from karatage.clicks.session_preference import (
    design_effect,
    equal_sessions,
    session_preference,
    sign_test,
    votes_for_power,
)
from karatage.errors import InputError, KaratageError, UsageError

DRAFT = [
    {"query": "golf", "session": "s1", "teams": ["A", "B", "B", "A"], "clicks": [1]},
    {"query": "golf", "session": "s1", "teams": ["B", "A", "-", "A"], "clicks": [1, 2, 4]},
    {"query": "tank", "session": "s2", "teams": ["A", "B"], "clicks": [2]},
    {"query": "tank", "session": "s3", "teams": ["A", "B"], "clicks": []},
    {"query": "tank", "session": "s4", "teams": ["A", "B", None], "clicks": [1, 2, 3]},
]
CREDIT = [(1, 0), (2, 1), (0, 1), (0, 0), (1, 1)]


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def credit(path: str) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in read_interleaving(path).frame.select("first", "second").rows()]


def test_team_draft_credits_the_team_of_each_clicked_position(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", DRAFT)
    assert credit(path) == CREDIT
    read = read_interleaving(path)
    assert (read.systems, read.method) == (("A", "B"), "team-draft")
    assert read.dropped == {"clicks on documents of both teams or of neither": 1}


def test_csv_and_parquet_are_the_same_log(tmp_path: Path) -> None:
    lines = ["query,session,teams,clicks", "golf,s1,ABBA,1", "golf,s1,BA-A,1 2 4", "tank,s2,AB,2", "tank,s3,AB,"]
    (tmp_path / "log.csv").write_text("\n".join([*lines, "tank,s4,AB-,1 2 3", ""]))
    assert credit(str(tmp_path / "log.csv")) == CREDIT
    pl.DataFrame(DRAFT).write_parquet(tmp_path / "log.parquet")
    assert credit(str(tmp_path / "log.parquet")) == CREDIT
    counts = [{"session": "s", "clicks_old": a, "clicks_new": b} for a, b in CREDIT]
    path = write(tmp_path / "counts.jsonl", counts)
    assert credit(path) == CREDIT
    assert read_interleaving(path).systems == ("old", "new")


def test_balanced_interleaving_counts_clicks_to_the_depth_of_the_lowest(tmp_path: Path) -> None:
    rows = [
        # c is third in A and first in B: k is 1, and only B has it there.
        {"session": "1", "list_A": ["a", "b", "c"], "list_B": ["c", "a", "b"], "clicks": ["c"]},
        # b is second in A and third in B, a first in A and second in B: k is 2, where A has both, and B has a.
        {"session": "2", "list_A": ["a", "b", "c"], "list_B": ["c", "a", "b"], "clicks": ["a", "b"]},
        {"session": "3", "list_A": ["a", "b"], "list_B": ["b", "x"], "clicks": ["x", "y"]},
    ]
    path = write(tmp_path / "log.jsonl", rows)
    assert credit(path) == [(0, 1), (2, 1), (0, 1)]
    read = read_interleaving(path)
    assert (read.method, read.dropped) == ("balanced", {"clicks on documents of neither ranking": 1})
    assert any("team-draft does not" in text for text in interleave(path).warnings)


def test_odd_rows_are_counted(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"impression": "1", "session": "s", "teams": ["A", "B"], "clicks": [1, 1, 7]},
        {"impression": "1", "session": "s", "teams": ["A", "B"], "clicks": [1, 1, 7]},
        {"impression": "2", "session": None, "teams": ["A", "B"], "clicks": [2]},
    ]
    path = write(tmp_path / "log.jsonl", rows)
    assert read_interleaving(path).dropped == {
        "repeated impressions": 1,
        "further clicks on the same document": 1,
        "clicks outside of the result list": 1,
        "impressions without a session, each taken as its own": 1,
    }
    long = [rows[0] | {"impression": f"long-{k}"} for k in range(9)]
    found = interleave(write(tmp_path / "long.jsonl", [*long, rows[2]]), max_session=5)
    assert found.dropped["sessions with more than 5 impressions"] == 1
    assert found.counts["impressions"] == 1


def test_one_click_at_0_means_that_all_positions_of_the_log_count_from_0(tmp_path: Path) -> None:
    # Positions 0 and 2 of BABA are both of B, and so is 2 in a row without a click at 0; 1 and 3 of ABAB are.
    rows = [
        {"session": k, "teams": list("BABA" if k % 4 < 2 else "ABAB"), "clicks": [k % 4 // 2, 2 + k % 4 // 2][k % 2 :]}
        for k in range(30)
    ]
    found = interleave(write(tmp_path / "log.jsonl", rows))
    assert (found.winner, found.preference.share) == ("B", 0.0)
    assert found.dropped == {"positions of clicks that start at 0, raised by one": 45}  # 15 rows of two, 15 of one
    assert not found.warnings
    assert "B preferred in 1.0000" in str(found)  # the share of the system that is preferred
    assert "B is preferred: p < 0.0001" in str(found)
    lines = "".join(f"{k},{'BABA,0 2' if k % 2 else 'ABAB,1 3'}\n" for k in range(30))
    (tmp_path / "log.csv").write_text(f"session,teams,clicks\n{lines}")
    assert interleave(str(tmp_path / "log.csv")).winner == "B"


def test_positions_cannot_count_from_both_0_and_1(tmp_path: Path) -> None:
    rows = [
        {"session": "s", "teams": ["A", "B"], "clicks": [2]},
        {"session": "t", "teams": ["A", "B"], "clicks": [0]},
    ]
    with pytest.raises(
        InputError, match=r"row 2 has a click at 0, and row 1 one at 2 of 2.*Count all positions from 1"
    ):
        interleave(write(tmp_path / "log.jsonl", rows))


@pytest.mark.parametrize(("outside", "warned"), [(3, False), (4, True)])
def test_many_clicks_outside_of_their_lists_are_a_warning(tmp_path: Path, outside: int, warned: bool) -> None:
    teams = ["A", "B"], ["B", "A"]
    rows = [{"session": k, "teams": teams[k % 2], "clicks": [9 if k < outside else 1]} for k in range(100)]
    balanced = [
        {"session": k, "list_A": ["a", "b"], "list_B": ["b", "a"], "clicks": ["x" if k < outside else "a"]}
        for k in range(100)
    ]
    for name, log in (("draft", rows), ("balanced", balanced)):
        found = interleave(write(tmp_path / f"{name}.jsonl", log))
        assert any(text.startswith(f"{outside}.0% of the clicks are on") for text in found.warnings) == warned


def test_counts_of_an_experiment(tmp_path: Path) -> None:
    found = interleave(write(tmp_path / "log.jsonl", DRAFT))
    assert found.counts == {
        "impressions": 5, "sessions": 4, "decided_sessions": 2, "silent_sessions": 1,
        "first": 2, "second": 1, "tied": 1, "no_clicks": 1,
    }  # fmt: skip
    assert found.preference.share == pytest.approx(2 / 3)
    assert (found.preference.wins, found.preference.losses) == (1, 1)
    assert found.winner is None
    assert found.preference.sign_p == 1
    assert "A preferred in 0.6667" in str(found)


def test_ten_sessions_by_hand() -> None:
    # d = 1/(1 - 1/10) by the jackknife, t = 0.3/√(0.25 · 1.1111/10) = 1.80 with 9 degrees of freedom.
    first = np.array([1.0] * 8 + [0.0] * 2)
    found = session_preference(first, 1 - first)
    assert found.share == 0.8
    assert found.freedom == pytest.approx(9)
    assert found.design == pytest.approx(10 / 9)
    assert found.p == pytest.approx(0.1054, abs=5e-5)
    assert found.sign_p == pytest.approx(binomtest(8, 10).pvalue)


@pytest.mark.parametrize(("wins", "losses"), [(8, 2), (0, 6), (5, 5), (30, 12)])
def test_the_sign_test_is_scipys(wins: int, losses: int) -> None:
    assert sign_test(wins, losses) == pytest.approx(binomtest(wins, wins + losses).pvalue)


@pytest.mark.parametrize("votes", [10, 20, 50, 71, 100, 111, 122, 200])
def test_independent_votes_raise_a_false_alarm_in_six_per_cent_at_most(votes: int) -> None:
    """The exact rate, over all numbers of wins that a fair coin may give; 111 votes have the highest, 5.7 %."""
    rate = 0.0
    for wins in range(votes + 1):
        first = np.arange(votes) < wins
        found = session_preference(first.astype(float), (~first).astype(float))
        rate += binom.pmf(wins, votes, 0.5) * (found.p is not None and found.p < 0.05)
    assert rate <= 0.06


def test_the_interval_excludes_a_half_just_if_the_test_rejects() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        size = rng.geometric(0.3, 60)
        first = rng.binomial(size, 0.58)
        found = session_preference(first.astype(float), (size - first).astype(float))
        assert found.low is not None
        assert found.high is not None
        assert found.p is not None
        assert (found.low <= 0.5 <= found.high) == (found.p >= 0.05)


def test_one_large_session_decides_nothing() -> None:
    first, second = np.array([900.0] + [1.0] * 50), np.array([0.0] + [1.0] * 50)
    found = session_preference(first, second)
    assert equal_sessions(first + second) == pytest.approx(1, abs=0.01)
    assert found.p is not None
    assert found.p > 0.4


def test_sessions_of_one_mind_are_worth_one_vote_each() -> None:
    assert design_effect(np.array([4.0] * 5), np.array([4.0] * 5)) == 4
    found = session_preference(np.array([4.0] * 5), np.zeros(5))
    assert found.p is not None
    assert found.p > 0.05  # five sessions, whatever they say, are too few for the sign test as well
    assert found.sign_p == pytest.approx(0.0625)


def test_an_experiment_without_a_winner_is_undefined(tmp_path: Path) -> None:
    found = interleave(write(tmp_path / "log.jsonl", [{"session": "s", "clicks_A": 1, "clicks_B": 1}]))
    assert found.preference.share is None
    assert json.loads(found.to_json())["preference"] == {"value": None, "undefined": "no impression has a winner"}
    assert found.warnings == ("no impression has a winner",)
    one = interleave(write(tmp_path / "one.jsonl", [{"session": "s", "clicks_A": 1, "clicks_B": 0}]))
    assert one.preference.p is None
    assert json.loads(one.to_json())["preference"]["value"] == 1


def test_votes_for_power() -> None:
    # (1.95996/2 + 0.84162 · √(0.55 · 0.45))² / 0.05² = 782.53; a design effect of 2 doubles it.
    assert votes_for_power(0.55, 0.8) == 783
    assert votes_for_power(0.55, 0.8, design=2) == 1566
    assert votes_for_power(0.55, 0.8, per_session=1) > 783


def test_a_plan_from_assumptions() -> None:
    plan = plan_impressions(preferences=[0.55], decided=0.25)
    assert [(need.votes, need.impressions, need.sessions) for need in plan.needs] == [(783, 3132, None)]
    assert plan.assurance is None


def test_a_plan_from_a_pilot(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = [
        {"session": f"s{k}", "clicks_A": int(team == "A" and click), "clicks_B": int(team == "B" and click)}
        for k in range(200)
        for team, click in zip(["A" if rng.random() < 0.5 else "B"] * 4, rng.random(4) < 0.5, strict=True)
    ]
    path = write(tmp_path / "log.jsonl", rows)
    plan = plan_impressions(path, preferences=[0.55])
    middle = plan_impressions(path, preferences=[0.55], assurance=0.5)
    assert plan.decided == pytest.approx(0.5, abs=0.05)
    # Votes of a session are all alike, so the design effect is Σn²/Σn: 2.5 for two of four votes on average.
    assert middle.design == pytest.approx(2.5, abs=0.4)
    assert plan.needs[0].votes > middle.needs[0].votes > 783
    assert plan.needs[0].sessions == -(-plan.needs[0].impressions // 4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preferences": [0.5], "decided": 0.2}, "a preference must be above 0.5"),
        ({}, "pass the log of a pilot"),
        ({"decided": 0.0}, "decided"),
        ({"decided": 0.2, "design": 0.5}, "a design effect must be at least 1"),
        ({"decided": 0.2, "power": 1.0}, "power"),
    ],
)
def test_an_invalid_plan_is_an_error(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        plan_impressions(**options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ('{"a": 1}', "not a log of an interleaving experiment"),
        ('{"teams": ["A", "B", "C"], "clicks": [1]}', "expected two teams, found 3: A, B, C"),
        ('{"teams": ["A", "B"], "clicks": ["d1"]}', "clicks must be positions from 1, got 'd1' in row 1"),
        ('{"teams": "AB", "clicks": [1]}', '"teams" must be a list'),
        ('{"clicks_A": 1, "clicks_B": -1}', "clicks_B must be a number of clicks, got '-1' in row 1"),
        ("clicks_A,clicks_B\n1,2,3\n", ":2: expected 2 columns, found 3"),
        ("[3]", "expected an object, got 3"),
    ],
)
def test_a_broken_log_is_one_clear_message(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(text)
    with pytest.raises(InputError) as caught:
        read_interleaving(str(tmp_path / "log"))
    assert message in str(caught.value)


def test_a_missing_file_is_an_error() -> None:
    with pytest.raises(KaratageError, match="no such file"):
        interleave("nowhere.jsonl")
