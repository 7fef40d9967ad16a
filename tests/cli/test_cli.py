"""The command: what it prints, its exit codes, and one clear message for whatever goes wrong."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command import run

import karatage

GOLD = "Ana B-PER\nLee I-PER\n\nin O\nRom B-LOC\n\n"
PRED = "Ana B-PER\nLee O\n\nin O\nRom B-LOC\n\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    gold, pred = tmp_path / "gold.conll", tmp_path / "pred.conll"
    gold.write_text(GOLD)
    pred.write_text(PRED)
    return gold, pred


def test_score_prints_a_table(files: tuple[Path, Path]) -> None:
    done = run("score", *files)
    assert done.returncode == 0, done.stderr
    text = done.stdout
    assert "profile exact · 2 sentences · 2 gold · 2 predicted · 1 correct" in text
    assert [line.split() for line in text.splitlines() if line.startswith(("f1", "LOC", "PER"))] == [
        # One unit right and one wrong: a variance of 1/4, as of one trial; Student's t of one degree of freedom
        # makes that (1.95996/12.7062)² = 0.0238 trials, so F1 starts at (1 - sqrt(1.95996²/(0.0238 + 1.95996²)))/2.
        # Each label is in one unit, one trial: LOC starts at 1/(1 + 1.95996²), and PER ends at 1 minus that.
        ["f1", "0.5000", "0.0015–0.9985"],
        ["LOC", "1.0000", "1.0000", "1.0000", "0.2065–1.0000", "1", "1", "1"],
        ["PER", "0.0000", "0.0000", "0.0000", "0.0000–0.7935", "1", "1", "0"],
    ]
    assert done.stderr == ""


def test_a_metric_that_was_asked_for_is_shown_without_tokens_too(tmp_path: Path) -> None:
    (tmp_path / "spans.jsonl").write_text('{"text": "a b", "label": [[0, 1, "X"]]}\n')
    named = run("score", "spans.jsonl", "spans.jsonl", "-m", "f1", "-m", "accuracy", cwd=tmp_path).stdout
    assert re.search(r"^accuracy +undefined +\(needs the tags of gold and predictions\)$", named, re.MULTILINE)
    assert "accuracy" not in run("score", "spans.jsonl", "spans.jsonl", cwd=tmp_path).stdout


def test_json_has_the_promised_shape(files: tuple[Path, Path]) -> None:
    done = run("score", *files, "--like", "conlleval", "--json", "--resamples", 0)
    out = json.loads(done.stdout)
    assert out["profile"] == "conlleval"
    assert out["headline"] == "f1"
    assert out["metrics"]["f1"] == {"value": 0.5}
    assert out["by_label"]["PER"]["counts"] == {"gold": 1, "predicted": 1, "correct": 0}
    assert out["counts"] == {
        "units": 2,
        "gold": 2,
        "predicted": 2,
        "correct": 1,
        "tokens": 4,
        "tokens_correct": 3,
    }
    assert out["warnings"] == []
    assert out["provenance"]["karatage"] == karatage.__version__
    assert out["provenance"]["gold"].startswith("sha256:")
    assert json.loads(karatage.score(*files, like="conlleval", resamples=0).to_json()) == out


def test_json_with_intervals(files: tuple[Path, Path]) -> None:
    out = json.loads(run("score", *files, "--like", "conlleval", "--json", "--seed", 7).stdout)
    score = out["metrics"]["f1"]
    assert set(score) == {"value", "low", "high", "method"} | ({"undefined_share"} & set(score))
    assert 0 <= score["low"] <= score["value"] <= score["high"] <= 1
    assert out["provenance"]["seed"] == 7
    assert out["intervals"]["resamples"] == 1000
    assert out["intervals"]["level"] == 0.95
    assert json.loads(karatage.score(*files, like="conlleval", seed=7).to_json()) == out


def test_semeval_json(files: tuple[Path, Path]) -> None:
    out = json.loads(run("score", *files, "--like", "semeval2013", "--json").stdout)
    assert out["scenarios"]["strict"] == {
        "correct": 1, "incorrect": 1, "partial": 0, "missed": 0, "spurious": 0, "possible": 2, "actual": 2,
        "precision": 0.5, "recall": 0.5, "f1": 0.5,
    }  # fmt: skip
    assert out["scenarios"]["partial"]["partial"] == 1
    assert out["metrics"]["partial_recall"]["value"] == 0.75
    assert out["metrics"]["type_f1"]["value"] == 1.0


def test_undefined_in_json(tmp_path: Path) -> None:
    path = tmp_path / "o.conll"
    path.write_text("a O\n\n")
    out = json.loads(run("score", path, path, "--json").stdout)
    assert out["metrics"]["f1"] == {"value": None, "undefined": "no gold annotations and no predictions"}


def test_standard_input(files: tuple[Path, Path]) -> None:
    gold, pred = files
    one = run("score", "-", pred, "--json", stdin=gzip.compress(GOLD.encode()))
    assert json.loads(one.stdout)["metrics"]["f1"]["value"] == 0.5
    other = run("score", gold, "-", "--json", stdin=PRED.encode())
    assert json.loads(other.stdout)["provenance"]["pred"] is None


def test_gold_and_predictions_from_standard_input() -> None:
    """As `conlleval < file` is called."""
    done = run("score", "-", "--like", "conlleval", "--json", "--confusion", stdin=b"Ana B-PER B-PER\nRom B-LOC O\n\n")
    out = json.loads(done.stdout)
    assert (out["metrics"]["recall"]["value"], out["metrics"]["precision"]["value"]) == (0.5, 1.0)
    assert out["confusion"]["LOC"] == {"": 1}


def test_output_survives_a_terminal_without_unicode(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    command = [sys.executable, "-m", "karatage", "score", *files]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"profile exact" in done.stdout


def test_confusion_and_errors(files: tuple[Path, Path]) -> None:
    text = run("score", *files, "--confusion", "--errors", 5).stdout
    assert "errors by kind: type 0 · boundary 1 · both 0 · missed 0 · spurious 0" in text
    assert "1 of 1 error" in text
    assert "PER 0–2 'Ana Lee'" in text
    assert "no errors of kind missed" in run("score", *files, "--errors", 5, "--kind", "missed").stdout
    out = json.loads(run("score", *files, "--confusion", "--errors", 5, "--json").stdout)
    assert out["confusion"] == {"LOC": {"LOC": 1}, "PER": {"PER": 1}}
    assert out["errors"][0]["kind"] == "boundary"


def test_chosen_metrics(files: tuple[Path, Path]) -> None:
    out = json.loads(run("score", *files, "-m", "f0.5", "-m", "recall[LOC]", "--json").stdout)
    assert list(out["metrics"]) == ["f0.5", "recall[LOC]"]
    assert out["headline"] == "f0.5"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope.conll", "gold.conll"], "nope.conll: no such file or folder"),
        (["gold.conll", "empty"], "empty: the file is empty"),
        (["gold.conll", "."], "cut.conll:4: expected 2 columns"),
        (["gold.conll", "pred.conll", "--like", "conleval"], "Did you mean 'conlleval'"),
        (["gold.conll", "pred.conll", "--format", "conl"], "Did you mean 'conll'"),
        (["gold.conll", "pred.conll", "-m", "accuracyy"], "unknown metric 'accuracyy'"),
        (["gold.conll", "pred.conll", "--scheme", "IOB9"], "unknown scheme"),
        (["gold.conll", "pred.conll", "--match", "fuzzy"], "unknown matching rule"),
        (["gold.conll", "pred.conll", "--group-by", "category"], "no attribute 'category'"),
        (
            ["gold.conll", "pred.conll", "--level", "95"],
            "level must be between 0 and 1, e.g. 0.95, not 95",
        ),
        (["gold.conll", "pred.conll", "--resamples", "1"], "at least 2"),
        (["gold.conll", "pred.conll", "--cluster-by", "document"], "no attribute 'document' to cluster units by"),
        (["gold.conll", "pred.conll", "--stratify-by", "source"], "no attribute 'source' to stratify units by"),
        (["gold.conll"], "gold.conll:1: expected at least three columns, a token, gold and predictions"),
        (["gold.conll", "cut.conll"], "cut.conll:4: expected 2 columns"),
    ],
)
def test_errors_are_one_message_and_exit_code_2(files: tuple[Path, Path], arguments: list[str], message: str) -> None:
    folder = files[0].parent
    (folder / "empty").write_text("")
    (folder / "cut.conll").write_text("Ana B-PER\nLee O\n\nin\n")
    done = run("score", *arguments, cwd=folder)
    text = done.stderr
    assert done.returncode == 2, text
    assert "Traceback" not in text
    assert re.search(message, text), text
    assert len(text.strip().splitlines()) == 1
    assert done.stdout == ""


@pytest.mark.parametrize("option", ["--missing", "--unit", "--interval", "--ties"])
def test_a_closed_set_refuses_other_values(files: tuple[Path, Path], option: str) -> None:
    done = run("score", *files, option, "nonsense")
    assert done.returncode == 2
    text = done.stderr
    assert text.startswith(f"karatage: invalid value for '{option}': 'nonsense' is not one of '")
    assert len(text.splitlines()) == 1


def test_a_wrong_call_is_one_message(files: tuple[Path, Path]) -> None:
    for words, message in (
        (["score", *files, "--interval", "bcaa"], "'bcaa' is not one of .* Did you mean 'bca'?"),
        (["scroe"], "no such command 'scroe'. Did you mean 'score'?"),
        (["score", "--sed", "1"], "no such option: --sed .*--seed"),
        (["score"], "missing argument 'GOLD'."),
        (["score", *files, "--errors", "x"], "invalid value for '--errors': not a whole number"),
        (["score", *files, "--errors", "-1"], "invalid value for '--errors': must be at least 0"),
        (["score", *files, "--level", "x"], "invalid value for '--level': not a number"),
    ):
        done = run(*words)
        text = done.stderr
        assert done.returncode == 2, text
        assert re.fullmatch(f"karatage: .*{message}.*\n", text), text


def test_convert_and_back(files: tuple[Path, Path], tmp_path: Path) -> None:
    gold, _ = files
    there, back = tmp_path / "gold.jsonl.gz", tmp_path / "back.conll"
    done = run("convert", gold, there, "--to", "doccano")
    assert done.returncode == 0, done.stderr
    assert run("convert", there, back).returncode == 0
    assert karatage.score(gold, back, check_text=False)["f1"].value == 1.0
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "back.conll",
        "gold.conll",
        "gold.jsonl.gz",
        "pred.conll",
    ]


def test_convert_says_what_was_lost_and_strict_refuses(tmp_path: Path) -> None:
    source = tmp_path / "in.conll"
    source.write_text("a B-X\nb B-X\n\n")
    done = run("convert", source, tmp_path / "out.conll", "--to-scheme", "IO")
    assert done.returncode == 0
    assert "lost: boundaries between adjacent spans of one label (1)" in done.stderr
    refused = run("convert", source, tmp_path / "no.conll", "--to-scheme", "IO", "--strict")
    assert refused.returncode == 2
    assert "Nothing was written" in refused.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.conll", "out.conll"]


def test_a_failed_conversion_leaves_nothing(tmp_path: Path) -> None:
    source = tmp_path / "in.conll"
    source.write_text("a B-X\nb B-X\n\n" * 3 + "broken\n")
    done = run("convert", source, tmp_path / "out.jsonl", "--to", "doccano")
    assert done.returncode == 2
    assert [p.name for p in tmp_path.iterdir()] == ["in.conll"]
    unknown = run("convert", source, tmp_path / "out.xyz")
    assert unknown.returncode == 2
    assert "--to" in unknown.stderr
    nowhere = run("convert", source, tmp_path / "no" / "out.conll")
    assert nowhere.returncode == 2
    assert "Traceback" not in nowhere.stderr


@pytest.mark.parametrize("command", ["formats", "profiles", "metrics"])
def test_lists(command: str) -> None:
    plain = run(command)
    assert plain.returncode == 0
    assert plain.stdout
    assert json.loads(run(command, "--json").stdout)


def test_one_profile() -> None:
    text = run("profiles", "seqeval").stdout
    assert "quirk" in text


def test_version_and_help() -> None:
    assert run("--version").stdout.strip() == f"karatage {karatage.__version__}"
    text = run("--help").stdout
    for command in ("score", "convert", "formats", "profiles", "metrics", "demo"):
        assert command in text
    assert run("nonsense").returncode == 2


def test_a_closed_pipe_is_no_traceback() -> None:
    command = f"{sys.executable} -m karatage formats | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr
