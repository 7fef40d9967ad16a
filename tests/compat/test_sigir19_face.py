"""The face of the SIGIR eCom'19 script: its functions, its options, its output."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from karatage.compat import sigir19
from karatage.compat.sigir19 import evaluate, evaluate_submission
from karatage.errors import KaratageError

SAMPLE = Path(__file__).parents[3] / "shared" / "data" / "sigir19"
NAMES = [
    "precision", "recall", "f1", "tpr", "fpr", "accuracy", "ave_precision", "ave_recall", "ave_f1", "ave_tpr",
    "ave_fpr", "ave_accuracy", "l2h_ndcg10", "h2l_ndcg10",
]  # fmt: skip


def write(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text.replace(" ", "\t"))
    return str(folder / name)


def run(*arguments: str) -> Any:
    return subprocess.run(
        [sys.executable, "-m", "karatage.compat.sigir19", *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(not SAMPLE.exists(), reason="the challenge's sample is not there")
def test_the_sample_prints_as_the_script_prints_it() -> None:
    gold, pred, documents = (str(SAMPLE / f"{n}_set1.tsv") for n in ("ground_truth", "predictions", "documents"))
    values = (
        "'precision': 0.6, 'recall': 0.75, 'f1': 0.6666666666666665, 'tpr': 0.75, 'fpr': 0.6666666666666666, "
        "'accuracy': 0.5714285714285714, 'ave_precision': 0.7777777777777778, 'ave_recall': 0.8333333333333334, "
        "'ave_f1': 0.7222222222222222, 'ave_tpr': 0.8333333333333334, 'ave_fpr': 0.6666666666666666, "
        "'ave_accuracy': 0.611111111111111"
    )
    done = run("-g", gold, "-p", pred, "-d", documents)
    prices = "'l2h_ndcg10': 0.550269471359397, 'h2l_ndcg10': 0.9626509427286387"
    assert (done.returncode, done.stdout, done.stderr) == (0, f"\n{{{values}, {prices}}}\n", "")
    long = run("--ground-truth-file", gold, "--prediction-file", pred)
    assert long.stdout == f"\n{{{values}, 'l2h_ndcg10': 0.0, 'h2l_ndcg10': 0.0}}\n"


def test_price_ndcg_is_what_the_tests_of_the_challenge_expect(tmp_path: Path) -> None:
    """Four documents at 1, 2, 3 and 4; both values are those of the challenge's own test suite."""
    gold = write(tmp_path, "gold.tsv", "d 1 2 3\na 1 0 0\nb 0 -1 1\nc 0 1 -1\nd 1 0 -1\n")
    pred = write(tmp_path, "pred.tsv", "d 1 2 3\na -1 -1 -1\nb 1 -1 1\nc 1 1 1\nd 1 -1 1\n")
    prices = write(tmp_path, "documents.tsv", "doc_id price\na 1.00\nb 2\nc 3.00\nd 4.00\n")
    values = evaluate_submission(gold, pred, prices)
    assert (values["l2h_ndcg10"], values["h2l_ndcg10"]) == (0.7169361380260636, 0.7959842760619721)


def test_what_is_1_or_0_by_rule_prints_without_a_point(tmp_path: Path) -> None:
    """The script returns whole numbers where it does not divide; per query they are added up and divided."""
    gold = write(tmp_path, "gold.tsv", "d q\na 1\nb 1\n")
    values = evaluate_submission(gold, gold)
    assert list(values) == NAMES
    assert (
        repr([values[n] for n in ("precision", "recall", "f1", "tpr", "fpr", "accuracy")]) == "[1, 1, 1.0, 1, 1, 1.0]"
    )
    nothing = evaluate_submission(gold, write(tmp_path, "p.tsv", "d q\na -1\nb -1\n"))
    # precision by rule, recall 0/2, F1 = 2·(1·0)/(1 + 0) by division, no true negative
    assert repr([nothing[n] for n in ("precision", "recall", "f1", "fpr")]) == "[1, 0.0, 0.0, 1]"
    both = write(tmp_path, "both.tsv", "d q\na 1\nb -1\n")
    wrong = evaluate_submission(both, write(tmp_path, "p.tsv", "d q\na -1\nb 1\n"))
    assert repr([wrong[n] for n in ("precision", "recall", "f1", "fpr")]) == "[0.0, 0.0, 0, 1]"
    rejected = write(tmp_path, "rejected.tsv", "d q\na -1\n")
    assert repr([evaluate_submission(rejected, rejected)[n] for n in ("f1", "fpr", "ave_f1")]) == "[0, 0.0, 0.0]"


def test_evaluate_for_evalai(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = write(tmp_path, "gold.tsv", "d q\na 1\nb -1\n")
    prices = write(tmp_path, "documents.tsv", "doc_id price\na 1\nb 2\n")
    found = evaluate(gold, gold, "supervised", submission_metadata={"id": 1})
    assert found == {
        "result": [{"data": evaluate_submission(gold, gold)}],
        "submission_result": found["result"][0]["data"],
    }
    printed = "Starting Evaluation.....\nevaluating for supervised phase\ncompleted evaluation for supervised phase\n"
    assert capsys.readouterr().out == printed
    assert evaluate(gold, gold, "final", doc_file=prices)["submission_result"]["l2h_ndcg10"] == 1.0
    assert "Document metadata found.\n" in capsys.readouterr().out
    assert set(evaluate(gold, gold, "other")["submission_result"].values()) == {0}
    assert capsys.readouterr().out == "Starting Evaluation.....\nInvalid phase name: other\n"


def test_evalai_finds_documents_in_the_folder_of_the_package(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`documents.tsv`, or else `documents.tsv.gz`, as the script does; or in the folder that the host names."""
    gold = write(tmp_path, "gold.tsv", "d q\na 1\nb 1\nc -1\n")
    pred = write(tmp_path, "pred.tsv", "d q\na -1\nb 1\nc 1\n")
    monkeypatch.setattr(sigir19, "__path__", [str(tmp_path)])
    assert evaluate(gold, pred, "final")["submission_result"]["l2h_ndcg10"] == 0.0
    assert "metadata" not in capsys.readouterr().out
    with gzip.open(tmp_path / "documents.tsv.gz", "wt") as file:
        file.write("doc_id\tprice\na\t1\nb\t2\nc\t9\n")
    packed = evaluate(gold, pred, "final")["submission_result"]
    assert packed == evaluate_submission(gold, pred, tmp_path / "documents.tsv.gz")
    assert "Document metadata found.\n" in capsys.readouterr().out
    plain = write(tmp_path, "documents.tsv", "doc_id price\na 2\nb 1\nc 9\n")
    assert evaluate(gold, pred, "final")["submission_result"] == evaluate_submission(gold, pred, plain) != packed
    monkeypatch.undo()
    named = evaluate(gold, pred, "final", doc_folder=tmp_path)["submission_result"]
    assert named == evaluate_submission(gold, pred, plain)
    assert evaluate(gold, pred, "final")["submission_result"]["l2h_ndcg10"] == 0.0


def test_errors_are_one_line(tmp_path: Path) -> None:
    nothing = write(tmp_path, "gold.tsv", "d q\na 0\n")
    with pytest.raises(KaratageError, match="no pair is judged"):
        evaluate_submission(nothing, nothing)
    done = run("-g", nothing, "-p", nothing)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("karatage: ")
    assert done.stderr.count("\n") == 1
    missing = run("-g", str(tmp_path / "no.tsv"), "-p", nothing)
    assert (missing.returncode, "no such file" in missing.stderr) == (2, True)
    usage = run("-p", nothing)
    assert usage.returncode == 2
