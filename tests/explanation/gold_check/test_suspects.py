import csv
import json
from pathlib import Path

import polars as pl
import pytest

import karatage
from karatage.claims import Claims, Units
from karatage.errors import UsageError
from karatage.explanation.gold_check import Suspects, check_gold

TEXTS = [f"näeme 😀 =Tartu linna {at}" for at in range(12)]


@pytest.fixture
def suspects() -> Suspects:
    """One suspect: the last of twelve texts lacks its LOC, and has a claim of another label."""
    units = Units(12, [f"u{at}" for at in range(12)], tokens=[text.split() for text in TEXTS])
    rows = [(at, "LOC", 2, 3, None, None) for at in range(11)] + [(11, "WORD", 0, 1, None, None)]
    gold = Claims.build(units, "token", rows)
    pred = Claims.build(units, "token", [(at, "LOC", 2, 3, None, None) for at in range(12)])
    return check_gold({"a": karatage.score(gold, pred, resamples=0).outcomes()}, limit=1)


def _spans(claims: Claims) -> list[tuple[str, str]]:
    texts = claims.units.texts
    assert texts is not None
    return [(label, texts[unit][low:high]) for unit, label, low, high, _, _ in claims.rows()]


def test_tasks_hold_gold_and_the_proposal_and_are_read_back(suspects: Suspects, tmp_path: Path) -> None:
    suspects.write(tmp_path / "tasks.json")
    # Karatage reads the first prediction of a task: gold.
    assert _spans(karatage.read(tmp_path / "tasks.json")) == [("WORD", "näeme")]
    (task,) = json.loads((tmp_path / "tasks.json").read_text("utf-8"))
    assert [one["model_version"] for one in task["predictions"]] == ["gold", "proposal"]
    assert task["data"]["text"] == TEXTS[11]
    assert task["data"]["unit"] == "u11"
    assert 0 < task["data"]["score"] < 1
    assert "LOC in 11 of 12 occurrences, untagged here" in task["data"]["reason"]
    # And so it does the proposal, once gold is gone: the claim that stays, and the new one.
    task["predictions"] = task["predictions"][1:]
    (tmp_path / "proposal.json").write_text(json.dumps([task]), "utf-8")
    assert _spans(karatage.read(tmp_path / "proposal.json")) == [
        ("WORD", "näeme"),
        ("LOC", "=Tartu"),
    ]


def test_a_configuration_for_the_tasks(suspects: Suspects, tmp_path: Path) -> None:
    """It has the labels of gold and of the proposals, and shows the reason."""
    suspects.write(tmp_path / "tasks.json", labelling=tmp_path / "labelling.xml")
    text = (tmp_path / "labelling.xml").read_text("utf-8")
    assert text.count("<Label ") == 2
    assert all(part in text for part in ('<Label value="LOC"/>', '<Label value="WORD"/>', '<Header value="$reason"'))


def test_gold_may_be_an_annotation_to_be_corrected(suspects: Suspects, tmp_path: Path) -> None:
    (tmp_path / "tasks.json").write_text(json.dumps(suspects.to_tasks(annotations=True)), "utf-8")
    assert _spans(karatage.read(tmp_path / "tasks.json")) == [("WORD", "näeme")]


def test_a_spreadsheet_takes_no_cell_for_a_formula(suspects: Suspects, tmp_path: Path) -> None:
    suspects.write(tmp_path / "list.csv")
    with (tmp_path / "list.csv").open(encoding="utf-8", newline="") as stream:
        (row,) = csv.DictReader(stream)
    assert row["proposed_text"] == "'=Tartu"
    assert row["gold_text"] == ""
    assert row["unit"] == "u11"


def test_other_endings_hold_the_frame_as_it_is(suspects: Suspects, tmp_path: Path) -> None:
    suspects.write(tmp_path / "list.parquet")
    assert pl.read_parquet(tmp_path / "list.parquet").equals(suspects.frame)
    suspects.write(str(tmp_path / "list.jsonl"))
    (row,) = [json.loads(line) for line in (tmp_path / "list.jsonl").read_text("utf-8").splitlines()]
    assert row == suspects.frame.row(0, named=True)
    assert row["proposed_text"] == "=Tartu"


def test_an_unknown_ending_is_an_error_that_names_the_known_ones(suspects: Suspects, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.csv, \.jsonl, \.parquet or \.json"):
        suspects.write(tmp_path / "list.xlsx")
    assert not list(tmp_path.iterdir())


def test_tasks_need_texts() -> None:
    tags = [["B-X", "O"], ["B-X", "O"]]
    found = check_gold({"a": karatage.score(tags, tags, resamples=0).outcomes()})
    with pytest.raises(UsageError, match="tasks need texts"):
        found.to_tasks()
