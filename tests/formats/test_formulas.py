"""Tables for people hold no formulas, and lose nothing by it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import polars as pl
import pytest
from tests.command import run, said

from karatage.explanation.exporting import write_frame
from karatage.formats import quoted_formula, unquoted_formula
from karatage.recall import read_board

FORMULAS = ["=1+1", "+1+cmd", "-2+3+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "－1", "=", "-"]
OTHERS = ["", "'", "''", "'a", "a=b", " =1", "-5", "+3.5", "-1e-05", "1", "yes", "'5"]


@pytest.mark.parametrize("text", [*FORMULAS, *OTHERS, *(f"'{one}" for one in FORMULAS), "''=x", "'''-5", "'-5"])
def test_a_cell_comes_back_as_it_was(text: str) -> None:
    assert unquoted_formula(quoted_formula(text)) == text


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_starts_like_a_formula(text: str) -> None:
    assert quoted_formula(text) == f"'{text}"
    assert quoted_formula(f"'{text}") == f"''{text}"


@pytest.mark.parametrize("text", OTHERS)
def test_everything_else_stays_as_it_is(text: str) -> None:
    """A number is no formula, and must remain one for whoever computes with the table."""
    assert quoted_formula(text) == text


def test_what_explain_exports(tmp_path: Path) -> None:
    write_frame(pl.DataFrame({"text": FORMULAS, "count": range(len(FORMULAS))}), tmp_path / "e.csv")
    with (tmp_path / "e.csv").open(newline="") as stream:
        assert [row["text"] for row in csv.DictReader(stream)] == [f"'{text}" for text in FORMULAS]


def test_tasks_and_their_answers(tmp_path: Path) -> None:
    """What an annotator fills in starts with no formula; the import finds every text and entity as drawn."""
    texts = [f"{formula.strip()} Tartu {k}" for k, formula in enumerate(FORMULAS)]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps({"id": t, "text": t}) + "\n" for t in texts))
    (tmp_path / "words.txt").write_text("Tartu\n")
    said("recall", "draw", "corpus.jsonl", "--words", "s=words.txt", "--out", "draw", "--label", "LOC", cwd=tmp_path)
    with (tmp_path / "draw" / "tasks.csv").open(newline="", encoding="utf-8-sig") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["text"] for row in rows} == {f"'{text}" for text in texts}
    for row in rows:
        row["answer"], row["entity"] = "yes", row["text"][: int(row["end"]) + 1]  # all up to Tartu, as it is shown
    with (tmp_path / "filled.csv").open("w", newline="") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    done = run("recall", "import", "draw", "filled.csv", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    # The files of the benchmark are data, and exact.
    (found,) = [path for path in (tmp_path / "draw").rglob("*.csv") if path.stem == "s"]
    with found.open(newline="") as stream:
        assert {row["text"] for row in csv.DictReader(stream)} == set(texts)


def test_boards(tmp_path: Path) -> None:
    """A board that others published may hold formulas; written again it holds none, and numbers stay numbers."""
    header = ",Recall,Recall-95CI%,correct,incorrect,change"
    (tmp_path / "b.csv").write_text(f'{header}\n=cmd(),0.5,"(0.4, 0.6)",5,5,-0.5\n')
    board = read_board(tmp_path / "b.csv")
    assert [one.system for one in board.entries] == ["=cmd()"]
    board.write(tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text() == f'{header}\n\'=cmd(),0.5,"(0.4, 0.6)",5,5,-0.5\n'
    assert read_board(tmp_path / "b.csv") == board


def test_the_table_of_a_log(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("Anna\tB-PER\n\n")
    words = ("score", "a.conll", "a.conll", "--log", "log", "--note", "=cmd()", "--resamples", "0")
    assert run(*words, cwd=tmp_path).returncode == 0
    (row,) = csv.DictReader(io.StringIO(said("log", "table", "--log", "log", cwd=tmp_path)))
    assert row["note"] == "'=cmd()"
    assert float(row["score.f1"]) == 1.0


def test_data_is_exact(tmp_path: Path) -> None:
    """A table of entities is read by programs, ours and others: nothing is added to its texts."""
    (tmp_path / "a.conll").write_text("=Anna\tB-=X\n\n")
    run("convert", "a.conll", "a.csv", cwd=tmp_path)
    assert "=X" in (tmp_path / "a.csv").read_text()
    assert "'" not in (tmp_path / "a.csv").read_text()
