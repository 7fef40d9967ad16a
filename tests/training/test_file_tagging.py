"""Tagging files: any format in, any format out, what the tagger finds and nothing else."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from tests.training.corpora import (
    TINY_CRF,
    Title,
    claims_of,
    spans_of,
    titles,
    write_conll,
    write_ebay,
    write_listings,
)

import karatage
from karatage.errors import FormatError, InputError, KaratageError, UsageError
from karatage.training.file_tagging import tag_file
from karatage.training.trained_tagger import TrainedTagger

pytest.importorskip("torch")

NEW = [*titles(30, seed=2), Title("1", ("xyz",), ()), Title("2", (), ())]
SOME = [title for title in NEW if title.tokens]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model that has learned something, with categories."""
    return _saved(tmp_path_factory, categories=True)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The same without categories."""
    return _saved(tmp_path_factory, categories=False)


def _saved(tmp_path_factory: pytest.TempPathFactory, *, categories: bool) -> str:
    import torch

    torch.set_num_threads(1)
    settings = {**TINY_CRF, "epochs": 8, "average": 0.0}
    tagger = TrainedTagger.fit(
        claims_of(titles(24), categories=categories), "bilstm-crf", settings, tokenization="spaces"
    )[0]
    place = tmp_path_factory.mktemp("model") / "model"
    tagger.save(place)
    return str(place)


def found(model: str, made: list[Title], *, categories: bool = True) -> list[tuple[int, int, int, str]]:
    """What the tagger finds in tokens."""
    attributes = {"category": [title.category for title in made]} if categories else {}
    return spans_of(TrainedTagger.load(model).tag([list(title.tokens) for title in made], attributes))


def test_columns_to_columns(plain: str, tmp_path: Path) -> None:
    """The tags of the input are left out; tokens and sentences stay."""
    source = write_conll(tmp_path / "in.conll", SOME)
    out = tmp_path / "out.conll"
    done = tag_file(plain, str(source), str(out))
    expected = found(plain, SOME, categories=False)
    blocks = []
    for unit, title in enumerate(SOME):
        tags = ["O"] * len(title.tokens)
        for own, start, end, label in expected:
            if own == unit:
                tags[start:end] = [f"B-{label}"] + [f"I-{label}"] * (end - start - 1)
        blocks.append([list(pair) for pair in zip(title.tokens, tags, strict=True)])
    written = [[line.split() for line in block.splitlines()] for block in out.read_text("utf-8").strip().split("\n\n")]
    assert [[[row[0], row[-1]] for row in block] for block in written] == blocks
    assert (done.units, done.claims, done.format, done.warnings) == (len(SOME), len(expected), "conll", ())
    assert str(done).startswith(f"Tagged {len(SOME)} texts and found {len(expected)} entities, written as conll (")
    assert done.to_dict()["warnings"] == []
    assert len(expected) > len(SOME)


@pytest.mark.parametrize("packed", [False, True])
def test_listings_to_a_submission(model: str, tmp_path: Path, packed: bool) -> None:
    """Byte for byte: a row for each entity, and one tagged O for a title without any."""
    source = write_listings(tmp_path / "quiz.tsv", NEW)
    if packed:
        (tmp_path / "quiz.tsv.gz").write_bytes(gzip.compress(source.read_bytes()))
        source = tmp_path / "quiz.tsv.gz"
    out = tmp_path / f"submission.tsv{'.gz' if packed else ''}"
    done = tag_file(model, str(source), str(out))
    rows: list[list[str]] = [[] for _ in NEW]
    for unit, start, end, label in found(model, NEW):
        title = NEW[unit]
        rows[unit].append(f"{unit + 1}\t{title.category}\t{label}\t{' '.join(title.tokens[start:end])}\n")
    for unit, own in enumerate(rows):
        if not own:
            own.append(f"{unit + 1}\t{NEW[unit].category}\tO\t\n")
    assert rows[-1] == ["32\t2\tO\t\n"]
    data = out.read_bytes()
    assert (gzip.decompress(data) if packed else data).decode() == "".join(row for own in rows for row in own)
    assert (done.format, done.units) == ("ebay-submission", 32)


def test_tagged_titles_to_tagged_titles(model: str, tmp_path: Path) -> None:
    source = write_ebay(tmp_path / "in.tsv", SOME)
    tag_file(model, str(source), str(tmp_path / "out.tsv"), to="ebay-tagged")
    again = karatage.read(str(tmp_path / "out.tsv"))
    assert spans_of(again) == found(model, SOME)
    assert [list(own) for own in again.units.tokens or ()] == [list(title.tokens) for title in SOME]
    # As a submission the same file has the same values.
    tag_file(model, str(source), str(tmp_path / "submission.tsv"))
    assert (
        karatage.score(str(tmp_path / "out.tsv"), str(tmp_path / "submission.tsv"), like="ebay-2025")["final_f1"].value
        == 1.0
    )


@pytest.mark.parametrize("to", ["doccano", "prodigy", "spacy"])
def test_texts_to_spans(plain: str, tmp_path: Path, to: str) -> None:
    """Texts without tokens are cut as the model's card says; spans are in characters."""
    texts = ["  ".join(title.tokens) for title in SOME]
    source = tmp_path / "in.jsonl"
    source.write_text(
        "".join(json.dumps({"id": at, "text": text, "label": []}) + "\n" for at, text in enumerate(texts))
    )
    out = tmp_path / "out.jsonl"
    done = tag_file(plain, str(source), str(out), to=to)
    again = karatage.read(str(out), format=to)
    assert again.space == "char"
    shown = [(unit, texts[unit][start:end].split(), label) for unit, start, end, label in spans_of(again)]
    expected = found(plain, SOME, categories=False)
    assert shown == [(unit, list(SOME[unit].tokens[start:end]), label) for unit, start, end, label in expected]
    assert done.claims == len(expected)


def test_a_line_is_a_text(plain: str, tmp_path: Path) -> None:
    """A file that no format recognises, whose name says that it holds texts."""
    (tmp_path / "in.txt").write_text("".join(" ".join(title.tokens) + "\n" for title in SOME), "utf-8")
    tag_file(plain, str(tmp_path / "in.txt"), str(tmp_path / "out.jsonl"), to="doccano")
    again = karatage.read(str(tmp_path / "out.jsonl"))
    texts = again.units.texts or []
    shown = [(unit, texts[unit][start:end].split(), label) for unit, start, end, label in spans_of(again)]
    expected = found(plain, SOME, categories=False)
    assert shown == [(unit, list(SOME[unit].tokens[start:end]), label) for unit, start, end, label in expected]


def test_a_threshold_of_the_users(plain: str, tmp_path: Path) -> None:
    source = write_conll(tmp_path / "in.conll", SOME)
    tagger = TrainedTagger.load(plain)
    units = karatage.read(str(source)).units
    claims, sure = tagger.scored(units)
    middle = float(sorted(sure.tolist())[len(sure) // 2])
    tag_file(plain, str(source), str(tmp_path / "out.conll"), threshold=middle)
    kept = [span for span, chance in zip(spans_of(claims), sure.tolist(), strict=True) if chance >= middle]
    assert spans_of(karatage.read(str(tmp_path / "out.conll"))) == kept
    assert len(kept) < len(claims)
    with pytest.raises(UsageError, match="--threshold works only with a model that Karatage trained"):
        tag_file(f"{__name__}:finding", str(source), str(tmp_path / "x.conll"), threshold=0.5)


def test_batch_by_batch(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read in many batches is written as what is read in one, and progress is told after each."""
    source = write_ebay(tmp_path / "in.tsv", SOME)
    tag_file(model, str(source), str(tmp_path / "one.tsv"))
    batches = [karatage.read(str(source)).slice(at, min(at + 7, len(SOME))) for at in range(0, len(SOME), 7)]
    monkeypatch.setattr("karatage.training.file_tagging.scan", lambda *_, **__: iter(batches))
    told: list[int] = []
    done = tag_file(model, str(source), str(tmp_path / "many.tsv"), progress=told.append)
    assert told == [7, 14, 21, 28, 31]
    assert done.units == 31
    assert (tmp_path / "many.tsv").read_bytes() == (tmp_path / "one.tsv").read_bytes()


def test_what_the_model_did_not_know(model: str, plain: str, tmp_path: Path) -> None:
    odd = [Title("9", title.tokens, title.spans) for title in SOME[:3]] + SOME[3:6]
    source = write_listings(tmp_path / "in.tsv", odd)
    done = tag_file(model, str(source), str(tmp_path / "out.tsv"))
    assert done.warnings == ("category not seen in training, tagged with all labels: '9'",)
    assert done.units == 6
    lacking = tag_file(model, str(write_conll(tmp_path / "in.conll", SOME)), str(tmp_path / "out.conll"))
    assert lacking.warnings == ("the model uses category, which the input does not have",)
    assert tag_file(plain, str(source), str(tmp_path / "again.tsv")).warnings == ()


def finding(text: str) -> list[tuple[int, int, str]]:
    """Find every BMW, and the two letters inside of SKF."""
    out = [(at, at + 3, "make") for at in range(len(text)) if text.startswith("BMW", at)]
    return out + [(at + 1, at + 3, "half") for at in range(len(text)) if text.startswith("SKF", at)]


def test_a_function_as_a_tagger(tmp_path: Path) -> None:
    """Of tokens it gets the text; what starts within a token is left out of columns."""
    source = write_conll(tmp_path / "in.conll", SOME)
    done = tag_file(f"{__name__}:finding", str(source), str(tmp_path / "out.conll"))
    expected = [
        (unit, at, at + 1, "make")
        for unit, title in enumerate(SOME)
        for at, word in enumerate(title.tokens)
        if word == "BMW"
    ]
    assert spans_of(karatage.read(str(tmp_path / "out.conll"))) == expected
    assert done.claims == len(expected) > 3
    listings = write_listings(tmp_path / "in.tsv", SOME)
    tag_file(f"{__name__}:finding", str(listings), str(tmp_path / "out.tsv"))
    rows = [line.split("\t") for line in (tmp_path / "out.tsv").read_text().splitlines()]
    assert {tuple(row[2:]) for row in rows} == {("make", "BMW"), ("O", "")}
    assert len({row[0] for row in rows}) == len(SOME)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"model": "nowhere/model"}, UsageError, "nowhere/model: no such model folder, nor a tagger"),
        ({"model": "karatage:nowhere"}, InputError, "nowhere: no such model folder. Train a model with karatage train"),
        ({"model": "tests.nothing:here"}, UsageError, "cannot import the tagger tests.nothing:here"),
        ({"source": "nowhere.tsv"}, KaratageError, "nowhere.tsv"),
        ({"out": "out.xyz"}, FormatError, "out.xyz: cannot choose a format to write"),
        ({"out": "missing/out.conll"}, InputError, "missing/out.conll: the folder missing does not exist"),
        ({"to": "nothing"}, UsageError, "unknown format 'nothing'"),
        ({"words": "spaces"}, UsageError, "has its own words and labels"),
    ],
)
def test_what_is_wrong_is_told(
    plain: str, tmp_path: Path, change: dict[str, str], kind: type[Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_conll(tmp_path / "in.conll", SOME[:3])
    given: dict[str, Any] = {"model": plain, "source": "in.conll", "out": "out.conll"} | change
    with pytest.raises(kind) as error:
        tag_file(given.pop("model"), given.pop("source"), given.pop("out"), **given)
    assert message in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["in.conll"]


def test_values_cannot_be_tagged(plain: str, tmp_path: Path) -> None:
    source = tmp_path / "values.tsv"
    source.write_text("1\t2\tHersteller\tSKF\n")
    with pytest.raises(InputError, match="values.tsv: has neither tokens nor texts to tag"):
        tag_file(plain, str(source), str(tmp_path / "out.tsv"))
    assert [path.name for path in tmp_path.iterdir()] == ["values.tsv"]


def test_a_tagger_that_fails_leaves_nothing(plain: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of a file; what was there before stays."""
    source = write_ebay(tmp_path / "in.tsv", SOME)
    out = tmp_path / "out.tsv"
    out.write_text("before")
    batches = [karatage.read(str(source)).slice(at, min(at + 7, len(SOME))) for at in range(0, len(SOME), 7)]
    monkeypatch.setattr("karatage.training.file_tagging.scan", lambda *_, **__: iter(batches))
    calls: list[int] = []
    original = TrainedTagger.tag_units

    def failing(self: TrainedTagger, units: Any, *, scores: bool = False) -> Any:  # noqa: ARG001
        calls.append(1)
        if len(calls) == 3:
            raise MemoryError
        return original(self, units)

    monkeypatch.setattr(TrainedTagger, "tag_units", failing)
    with pytest.raises(MemoryError):
        tag_file(plain, str(source), str(out))
    assert out.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.tsv", "out.tsv"]


@pytest.mark.skipif(pytest.importorskip("torch").cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there(plain: str, tmp_path: Path) -> None:
    source = write_conll(tmp_path / "in.conll", SOME[:3])
    with pytest.raises(UsageError, match="device is cuda, but PyTorch finds no GPU"):
        tag_file(plain, str(source), str(tmp_path / "out.conll"), device="cuda")
