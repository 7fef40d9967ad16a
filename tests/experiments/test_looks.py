"""Looks at test sets are counted, and a gate can spend on them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command import run

import karatage
from karatage.errors import InputError
from karatage.experiments import ExperimentLog, logged_gate, used_test_sets

GOLD = "".join(f"w{k} B-X\n\n" for k in range(60))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "gold.conll").write_text(GOLD)
    for name in "abc":
        (tmp_path / f"{name}.conll").write_text(GOLD.replace("w7 B-X", f"w7 {'B-X' if name == 'a' else 'O'}", 1))
    (tmp_path / "c.conll").write_text(GOLD.replace("w9 B-X", "w9 O"))
    return tmp_path


def test_gates_comparisons_and_scores_are_looks(place: Path) -> None:
    options = ("--log", "log")
    assert run("gate", "gold.conll", "a.conll", "--min", "0.5", *options, cwd=place).returncode == 0
    assert run("compare", "gold.conll", "a.conll", "b.conll", *options, cwd=place).returncode == 0
    assert run("score", "gold.conll", "b.conll", *options, cwd=place).returncode == 0
    assert run("gate", "gold.conll", "c.conll", "--min", "0.99", *options, cwd=place).returncode == 1
    (found,) = used_test_sets(ExperimentLog(place / "log"))
    assert found.path == "gold.conll"
    assert found.kinds == {"train": 0, "score": 1, "compare": 1, "gate": 2}
    assert (len(found.looks), found.systems, len(found.gates)) == (4, 3, 2)
    assert found.next_level == pytest.approx(1 - 0.05 * 0.6079271 / 9)
    shown = run("log", "looks", "--log", "log", cwd=place).stdout
    assert "1 test set in log" in shown
    assert "The best of 3 equally good systems looks better than it is by about 0.9 standard errors" in shown
    (told,) = json.loads(run("log", "looks", "--log", "log", "--json", cwd=place).stdout)
    assert (told["looks"], told["systems"], told["gates"]) == (4, 3, 2)
    assert run("log", "--log", "log", cwd=place).stdout.startswith("karatage · 1 experiment in log")


def test_a_gate_spends_on_the_looks_before_it_and_the_same_build_is_no_new_look(place: Path) -> None:
    levels = []
    for name in ("a", "b", "a", "c", "b"):
        said = run(
            "gate", "gold.conll", f"{name}.conll", "--min", "0.5", "--log", "log", "--spend", "--json", cwd=place
        )
        told = json.loads(said.stdout)
        levels.append((told["look"], round(told["level"], 6), told["series_level"]))
    first, second, third = (round(1 - 0.05 * 0.6079271 / k**2, 6) for k in (1, 2, 3))
    assert levels == [(1, first, 0.95), (2, second, 0.95), (1, first, 0.95), (3, third, 0.95), (2, second, 0.95)]
    by_hand = run("gate", "gold.conll", "c.conll", "--min", "0.5", "--look", "3", "--json", cwd=place)
    assert json.loads(by_hand.stdout)["checks"] == told_checks(place)
    shown = run("gate", "gold.conll", "c.conll", "--min", "0.5", "--look", "3", cwd=place).stdout
    assert "99.6623 % intervals (look 3; 95 % for all looks)" in shown


def told_checks(place: Path) -> object:
    said = run("gate", "gold.conll", "c.conll", "--min", "0.5", "--log", "log", "--spend", "--json", cwd=place)
    return json.loads(said.stdout)["checks"]


def test_a_gate_that_fails_to_run_is_no_look(place: Path) -> None:
    (place / "bad.conll").write_text("w B-X\n")
    assert run("gate", "gold.conll", "bad.conll", "--min", "0.5", "--log", "log", cwd=place).returncode == 2
    assert not (place / "log").exists() or not used_test_sets(ExperimentLog(place / "log"))


def test_without_spending_a_logged_gate_is_an_ordinary_one(place: Path) -> None:
    log = ExperimentLog(place / "log")
    paths = str(place / "gold.conll"), str(place / "b.conll")
    assert logged_gate(log, *paths, minimum=0.5).to_dict() == karatage.gate(*paths, minimum=0.5).to_dict()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--spend",), "--spend needs --log FOLDER"),
        (("--spend", "--log", "log", "--look", "2"), "use either --spend or --look"),
        (("--look", "500"), "look 500 is too many for one test set"),
    ],
)
def test_what_is_refused(place: Path, options: tuple[str, ...], said: str) -> None:
    done = run("gate", "gold.conll", "a.conll", "--min", "0.5", *options, cwd=place)
    assert done.returncode == 2
    assert said in done.stderr
    assert not (place / "log").exists()


def test_standard_input_cannot_be_counted(place: Path) -> None:
    done = run("gate", "-", "a.conll", "--min", "0.5", "--log", "log", cwd=place, stdin=GOLD)
    assert done.returncode == 2
    assert "a look at standard input cannot be counted in a log: use files" in done.stderr
    assert not (place / "log").exists()


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"kind": "peek"}', '{"kind": "gate", "gold": 1, "path": "p", "systems": []}']
)
def test_a_damaged_look_is_named(place: Path, text: str) -> None:
    run("gate", "gold.conll", "a.conll", "--min", "0.5", "--log", "log", cwd=place)
    (place / "log" / "looks" / "x.json").write_text(text)
    with pytest.raises(InputError, match=r"x\.json"):
        used_test_sets(ExperimentLog(place / "log"))
    said = run("log", "looks", "--log", "log", cwd=place)
    assert said.returncode == 0
    assert "warning: skipped" in said.stderr
    assert "1 test set" in said.stdout


def test_test_sets_of_a_comparison_are_looked_at_each(place: Path) -> None:
    for folder in ("sets", "one", "two"):
        (place / folder).mkdir()
        for name in ("x", "y"):
            (place / folder / f"{name}.conll").write_text(GOLD + f"{name} B-X\n\n")
    assert run("compare", "sets", "one", "two", "--sets", "--log", "log", cwd=place).returncode == 0
    found = used_test_sets(ExperimentLog(place / "log"))
    assert {one.path for one in found} == {"sets/x.conll", "sets/y.conll"}
