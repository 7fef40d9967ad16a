"""The drop-in for trec_eval beside what trec_eval itself does: comments, errors, exit codes and options."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from karatage.compat.trec_eval.trec_command import main

QRELS = "q1 0 d1 2\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d1 1\nq3 0 d4 1\n"
RUN = "q1 Q0 d3 1 9.5 mine\nq1 Q0 d1 2 8.25 mine\nq1 Q0 d9 3 8.25 mine\nq2 Q0 d7 1 3 mine\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return [str(tmp_path / "qrels"), str(tmp_path / "run")]


def test_comments_and_blank_lines_change_nothing(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not even behind the last line, where the name of the run stands; nor do compressed files."""
    assert main(["-q", "-m", "all_trec", *files]) == 0
    plain = capsys.readouterr().out
    assert "runid                 \tall\tmine\n" in plain
    commented = [tmp_path / "c.qrels", tmp_path / "c.run"]
    for path, text in zip(commented, (QRELS, RUN), strict=True):
        path.write_text("# made by hand\n\n" + text.replace("\n", "\n# and so on\n") + "#end of it")
    assert main(["-q", "-m", "all_trec", *map(str, commented)]) == 0
    assert capsys.readouterr().out == plain
    packed = [tmp_path / "p.qrels.gz", tmp_path / "p.run.gz"]
    for path, text in zip(packed, (QRELS, RUN), strict=True):
        path.write_bytes(gzip.compress(text.encode()))
    assert main(["-q", "-m", "all_trec", *map(str, packed)]) == 0
    assert capsys.readouterr().out == plain


def test_a_query_with_negative_grades_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """trec_eval reads beyond its arrays here."""
    (tmp_path / "qrels").write_text("q1 0 d1 -1\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 2 x\n")
    assert main(["-m", "ndcg_cut.5", "-m", "map", "-m", "num_rel", str(tmp_path / "qrels"), str(tmp_path / "run")]) == 0
    assert capsys.readouterr().out == (
        "num_rel               \tall\t0\nmap                   \tall\t0.0000\nndcg_cut_5            \tall\t0.0000\n"
    )


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["-m", "mapp"], 1, "unknown measure 'mapp'"),
        (["-m", "prefs"], 1, "unknown measure 'prefs': preferences stay with trec_eval"),
        (["-m", "map_avgjg"], 1, "preferences stay with trec_eval"),
        (["-R", "prefs"], 1, "the format 'prefs' (-R) is not supported"),
        (["-T", "other"], 1, "the format 'other' (-T) is not supported"),
        (["-Z", "means"], 1, "-Z is not supported: z-scores"),
        (["-D", "1"], 1, "-D is not supported: debugging output"),
        (["-m", "P."], 1, "missing parameters in 'P.'"),
        (["-l", "high"], 1, "-l takes a whole number from 0, not 'high'"),
        (["-M", "-3"], 1, "-M takes a whole number from 0"),
        (["--nothing"], 1, "option --nothing not recognized"),
        (["third"], 1, "expected two files, judgements and results, got 3"),
        (["-m", "P.0"], 2, "measure P: cutoffs are whole numbers from 1, not '0'"),
        (["-m", "P.5,5"], 2, "measure P: a number occurs twice in '5,5'"),
        (["-m", "utility.1,2"], 2, "measure utility: expected 4 numbers, found 2"),
        (["-m", "set_F.x"], 2, "measure set_F: 'x' is not a number"),
        (["-m", "ndcg.1:2"], 2, "measure ndcg: gains look like 1=3,2=9.5"),
        (["-m", "ndcg.-1=2"], 2, "measure ndcg: gains look like 1=3,2=9.5"),
        (["-m", "11pt_avg.0.5,0.2"], 2, "measure 11pt_avg: recall levels must increase"),
    ],
)
def test_what_is_refused(
    options: list[str], code: int, message: str, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """With one message, and nothing on standard output."""
    assert main([*options, *files]) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert message in shown.err


def test_input_that_cannot_be_scored(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other"
    other.write_text("q9 Q0 d1 1 2 x\n")
    assert main([files[0], str(other)]) == 7
    other.write_text("q1 Q0 d1 1 2\n")
    assert main([files[0], str(other)]) == 2
    other.write_text("q1 Q0 d1 1 2 x\nq1 Q0 d1 2 1 x\n")
    assert main([files[0], str(other)]) == 2
    assert main([files[0], str(tmp_path / "absent")]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "no query has both results and judgements" in shown.err
    assert "other:1: expected 6 fields" in shown.err
    assert "absent" in shown.err


def test_long_options_and_their_order(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """As getopt_long takes them: behind the files, or shortened."""
    assert main(["-q", "-c", "-l", "2", "-M", "2", "-m", "map", *files]) == 0
    short = capsys.readouterr().out
    long = ["--query_eval", "--complete_rel_info_wanted", "--level_for_rel=2", "--Max_retrieved=2", "--measure", "map"]
    assert main([*files, *long]) == 0
    assert capsys.readouterr().out == short
    # d3, d9 and d1 come in this order; the only document of grade 2 is third, and so not among the first two.
    assert short == "".join(f"map                   \t{query}\t0.0000\n" for query in ("q1", "q2", "all"))


def test_help_version_and_the_module(files: list[str]) -> None:
    def run(*arguments: str) -> str:
        done = [sys.executable, "-m", "karatage.compat.trec_eval", *arguments]
        return subprocess.run(done, capture_output=True, text=True, check=True).stdout

    assert "usage: python -m karatage.compat.trec_eval" in run("-h")
    assert "trec_eval 9.0.8" in run("-v")
    assert run("-n", "-q", "-m", "relstring.5", *files) == (
        "relstring_5           \tq1\t'1-2'\nrelstring_5           \tq2\t'-'\n"
    )
