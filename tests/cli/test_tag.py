"""The command `karatage tag`, as a user runs it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.command import refused, run, said
from tests.training.corpora import TINY, Title, claims_of, spans_of, titles, write_conll, write_listings

import karatage
from karatage.training.trained_tagger import TrainedTagger

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

NEW = titles(12, seed=2)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("model") / "model"
    TrainedTagger.fit(claims_of(titles(24)), "bilstm", {**TINY, "epochs": 8}, tokenization="spaces")[0].save(place)
    return place


def test_a_quiz_becomes_a_submission(model: Path, tmp_path: Path) -> None:
    write_listings(tmp_path / "quiz.tsv", NEW)
    text = said("tag", model, "quiz.tsv", "--out", "submission.tsv", cwd=tmp_path)
    tokens, groups = [list(title.tokens) for title in NEW], [title.category for title in NEW]
    claims = TrainedTagger.load(model).tag(tokens, {"category": groups})
    assert re.fullmatch(
        rf"Tagged 12 texts and found {len(claims)} entities, written as ebay-submission \([\d,]+ texts per second\)\n",
        text,
    )
    rows = [line.split("\t") for line in (tmp_path / "submission.tsv").read_text("utf-8").splitlines()]
    expected = [
        [str(unit + 1), groups[unit], label, " ".join(tokens[unit][start:end])]
        for unit, start, end, label in spans_of(claims)
    ]
    assert [row for row in rows if row[2] != "O"] == expected


def test_as_json_with_warnings(model: Path, tmp_path: Path) -> None:
    write_listings(tmp_path / "quiz.tsv", [Title("9", title.tokens, ()) for title in NEW])
    done = json.loads(said("tag", model, "quiz.tsv", "--out", "out.tsv", "--json", cwd=tmp_path))
    assert done["units"] == 12
    assert done["warnings"] == ["category not seen in training, tagged with all labels: '9'"]
    plain = run("tag", model, "quiz.tsv", "--out", "out.tsv", cwd=tmp_path)
    assert plain.stderr == f"warning: {done['warnings'][0]}\n"
    assert plain.returncode == 0


def test_to_standard_output(model: Path, tmp_path: Path) -> None:
    """The file and nothing else, so that it can be piped."""
    write_conll(tmp_path / "in.conll", NEW)
    run("tag", model, "in.conll", "--out", "out.conll", cwd=tmp_path)
    done = run("tag", model, "in.conll", "--out", "-", "--to", "conll", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (tmp_path / "out.conll").read_text("utf-8")
    assert len(karatage.read(str(tmp_path / "out.conll"))) > 0


def test_another_tagger(tmp_path: Path) -> None:
    (tmp_path / "own_rules.py").write_text("def find(text):\n    return [(0, len(text.split()[0]), 'first')]\n")
    write_conll(tmp_path / "in.conll", NEW)
    text = said("tag", "own_rules:find", "in.conll", "--out", "out.conll", cwd=tmp_path)
    assert text.startswith("Tagged 12 texts and found 12 entities, written as conll (")
    assert spans_of(karatage.read(str(tmp_path / "out.conll"))) == [(unit, 0, 1, "first") for unit in range(12)]


def test_what_is_wrong_is_told(model: Path, tmp_path: Path) -> None:
    write_conll(tmp_path / "in.conll", NEW)
    for arguments, message in (
        ([tmp_path / "nowhere", "in.conll", "--out", "out.conll"], "nowhere: no such model folder"),
        (
            ["karatage:nowhere", "in.conll", "--out", "out.conll"],
            "nowhere: no such model folder. Train a model with karatage train",
        ),
        (["karatage:.", "in.conll", "--out", "out.conll"], ".: not a model folder: it has no model.toml"),
        ([model, "nowhere.conll", "--out", "out.conll"], "nowhere.conll"),
        ([model, "in.conll", "--out", "out"], "cannot choose a format to write"),
        ([model, "in.conll", "--out", "out.tsv", "--to", "ebay-submission"], "need a category for every record"),
        ([model, "in.conll", "--out", "out.conll", "--device", "tpu"], "device must be auto, cpu or cuda, not 'tpu'"),
    ):
        text = refused("tag", *arguments, cwd=tmp_path)
        assert text.startswith("karatage: ")
        assert message in text
    assert [path.name for path in tmp_path.iterdir()] == ["in.conll"]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_one_of_several_gpus(model: Path, tmp_path: Path) -> None:
    write_conll(tmp_path / "in.conll", NEW)
    text = refused("tag", model, "in.conll", "--out", "out.conll", "--device", "cuda:1", cwd=tmp_path)
    assert text == "karatage: device is cuda:1, but PyTorch finds no GPU. Use device=auto or device=cpu\n"


def test_files_into_a_folder(model: Path, tmp_path: Path) -> None:
    """As each is tagged by itself, and once only."""
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        write_conll(tmp_path / "in" / f"{name}.conll", NEW)
    run("tag", model, "in/a.conll", "--out", "alone.conll", cwd=tmp_path)
    done = run("tag", model, "in", "--out", "out", "--jobs", "1", "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert (found["files"], found["units"], found["resumed_files"], found["format"]) == (2, 24, 0, "conll")
    assert found["warnings"] == ["the model uses category, which 2 of 2 files do not have"]
    for name in ("a", "b"):
        assert (tmp_path / "out" / f"{name}.conll").read_bytes() == (tmp_path / "alone.conll").read_bytes()
    again = run("tag", model, "in/a.conll", "in/b.conll", "--out", "out/", cwd=tmp_path)
    assert again.stdout.endswith("(0 texts per second; 2 files were done before)\n")
    assert again.stderr == f"warning: {found['warnings'][0]}\n"


def test_several_files_need_a_folder(model: Path, tmp_path: Path) -> None:
    write_conll(tmp_path / "a.conll", NEW)
    write_conll(tmp_path / "b.conll", NEW)
    text = refused("tag", model, "a.conll", "b.conll", "--out", "out.conll", cwd=tmp_path)
    assert text == "karatage: several inputs are tagged into a folder, e.g. --out tagged/\n"
    text = refused("tag", model, "a.conll", "--out", "out.conll", "--jobs", "2", cwd=tmp_path)
    assert text == "karatage: --jobs and --engine work only if --out is a folder: one file is tagged by one process\n"
    (tmp_path / "b.conll").write_text("a\tB-x\nb\n")
    text = refused("tag", model, "a.conll", "b.conll", "--out", "out", "--jobs", "1", cwd=tmp_path)
    assert text.startswith("karatage: 1 of 2 files could not be tagged: b.conll:2: ")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [".tagging", "a.conll"]
