"""Logs that are not team-draft, and positions that count from 0: what is refused, and what is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from karatage.clicks import interleave
from karatage.errors import InputError

Rows = list[dict[str, Any]]


def write(folder: Path, rows: Rows) -> str:
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def drafted(rng: np.random.Generator, size: int = 8) -> list[str]:
    """Return the teams of a list: in each round of two, a coin decides."""
    return [team for _ in range(size // 2) for team in rng.permutation(["A", "B"]).tolist()]


def log(lists: list[list[str]], click: int = 1) -> Rows:
    return [{"session": f"s{k // 4}", "teams": teams, "clicks": [click]} for k, teams in enumerate(lists)]


def test_team_draft_passes(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    assert interleave(write(tmp_path, log([drafted(rng) for _ in range(400)]))).warnings == ()


def test_a_team_that_is_always_first_is_refused(tmp_path: Path) -> None:
    """100 sessions of four impressions: A is first in 200 too many, and a standard error is 20."""
    with pytest.raises(InputError, match=r"not team-draft: A is first in 400 impressions, B in 0\. A coin must decide"):
        interleave(write(tmp_path, log([["A", "B"] * 4] * 400)))


def test_a_team_that_is_first_a_little_too_often_is_a_warning(tmp_path: Path) -> None:
    """One impression per session: 55 % of 2,500 is 125 above half; a standard error is 25."""
    lists = [["A", "B"] if k % 20 < 11 else ["B", "A"] for k in range(2500)]
    rows = [{"session": k, "teams": teams, "clicks": [1 + k % 2]} for k, teams in enumerate(lists)]
    found = interleave(write(tmp_path, rows)).warnings
    assert found == (
        "A is first in 1,375 impressions, B in 1,125: a coin should decide, as the upper positions get more clicks",
    )


def test_a_coin_by_session_is_no_reason_for_a_warning(tmp_path: Path) -> None:
    """Of ten sessions with 40 impressions each, seven have A first: 280 of 400, as chance does now and then."""
    rows = [{"session": k % 10, "teams": ["A", "B"] if k % 10 < 7 else ["B", "A"], "clicks": [1]} for k in range(400)]
    assert not [said for said in interleave(write(tmp_path, rows)).warnings if "first" in said]


def test_lists_with_two_of_one_team_in_a_round_are_counted(tmp_path: Path) -> None:
    """Half of the lists are AABB or BBAA."""
    lists = [["ABAB", "BABA", "AABB", "BBAA"][k % 4] for k in range(40)]
    found = interleave(write(tmp_path, log([list(teams) for teams in lists]))).warnings
    assert [said for said in found if "two documents of one team: 20 of 40." in said]


@pytest.mark.parametrize(
    ("teams", "unlike"),
    [
        (["A", "B", "A", "A", "A", "A"], False),  # B has no documents left
        (["B", "A", None, "A", "B", "-"], False),  # documents of both are left out
        (["A", "B", "A"], False),  # the list ends within a round
        (["A", "A", "A", "A"], True),  # B was never drawn
        (["A", "B", "B", "B", "A", "B"], True),
        (["A", None, "A", "B", "B", "A"], True),
    ],
)
def test_rounds(tmp_path: Path, teams: list[str | None], unlike: bool) -> None:
    swapped = [{"A": "B", "B": "A"}.get(team or "", team) for team in teams]
    rows = [{"session": k, "teams": swapped if k % 2 else teams, "clicks": [1]} for k in range(40)]
    found = interleave(write(tmp_path, rows)).warnings
    assert bool([said for said in found if "two documents of one team: 40 of 40" in said]) == unlike


def test_positions_that_never_reach_the_end_look_as_if_counted_from_0(tmp_path: Path) -> None:
    """Positions 0 to 7 of eight, of which 0 was lost: 20 clicks at 7, and none at 8."""
    rng = np.random.default_rng(2)
    rows = [{"session": k, "teams": drafted(rng), "clicks": [1 + k % 7]} for k in range(140)]
    found = interleave(write(tmp_path, rows)).warnings
    assert [said for said in found if said.startswith("no click is at the last position of its list, but 20 are at")]
    rows[0]["clicks"] = [8]
    assert not [said for said in interleave(write(tmp_path, rows)).warnings if "last position" in said]
