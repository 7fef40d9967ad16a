"""Files that no format recognises: what they are, and what to do with them, as gold and as predictions."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

import karatage
from karatage.errors import FormatError, InputError

JUDGED = "query,docid,rating\ngolf,d1,1\n"
RANKED = "query,docid,rank\ngolf,d1,1\n"
GENERAL = "Team Name,Case Name,Case ID,Query Text,Score,Date Last Scored\nshop,best,4,golf,0.5,2026\n"
HITS = {"hits": {"hits": [{"_id": "d1", "_score": 9.0}, {"_id": "d2", "_score": 8.0}]}}


def archive(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name in names:
            packed.writestr(name, JUDGED)
    return out.getvalue()


FOREIGN = {
    "a.xlsx": (archive("[Content_Types].xml", "xl/workbook.xml"), r"this is an Excel workbook. Save it as CSV"),
    "a.xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(40), r"this is an Excel workbook. Save it as CSV"),
    "a.zip": (archive("judgements.csv"), r"this is a ZIP archive. Unpack it"),
    "le.csv": (JUDGED.encode("utf-16-le"), r"looks like text in UTF-16, without a byte order mark.*-f UTF-16LE"),
    "be.csv": (JUDGED.encode("utf-16-be"), r"looks like text in UTF-16, without a byte order mark.*-f UTF-16BE"),
    "cr.csv": (RANKED.replace("\n", "\r").encode(), r"lines end with a carriage return \(CR\) only. Save it with"),
    "cut.json": (json.dumps({"took": 1, "responses": [HITS]})[:37].encode(), r"not valid JSON, perhaps .* cut off"),
    "general.csv": (GENERAL.encode(), r"Quepid's general export, which has no documents. Export the basic or"),
}


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("side", ["gold", "predictions"])
def test_what_a_file_is_and_what_to_do(name: str, side: str, tmp_path: Path) -> None:
    data, message = FOREIGN[name]
    (tmp_path / name).write_bytes(data)
    (tmp_path / "gold").write_text(JUDGED)
    (tmp_path / "predictions").write_text(RANKED)
    gold, pred = (tmp_path / name if side == own else tmp_path / own for own in ("gold", "predictions"))
    with pytest.raises(FormatError, match=rf"{name}: .*{message}"):
        karatage.score(gold, pred)


def test_unknown_predictions_are_not_called_a_run(tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text(JUDGED)
    (tmp_path / "a.json").write_text(json.dumps({"answers": [{"sku": "d1"}], "_id": 3}))
    with pytest.raises(FormatError, match=r"cannot detect the format. The keys are: answers \(sku\), _id"):
        karatage.score(tmp_path / "gold.csv", tmp_path / "a.json")
    (tmp_path / "a.txt").write_text("q1 Q0 d1 1 9.5 mine\nq1 Q0 d2 8.5 mine\n" * 2)
    with pytest.raises(FormatError, match=r"a.txt:2: expected 6 fields"):
        karatage.score(tmp_path / "gold.csv", tmp_path / "a.txt")


def test_the_nearest_format_does_not_promise_to_read_it(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"queries": [{"placeholder": "golf"}], "index": "shop"}))
    with pytest.raises(FormatError, match=r"nearest format is rre.*Rename what differs, and set --format rre"):
        karatage.score(tmp_path / "a.json", tmp_path / "a.json")


def test_a_duplicate_in_one_line_is_found_by_its_place(tmp_path: Path) -> None:
    hits = {"hits": [{"_id": "d1", "_score": 9}, {"_id": "d2", "_score": 8}, {"_id": "d1", "_score": 7}]}
    (tmp_path / "gold.csv").write_text(JUDGED)
    (tmp_path / "a.json").write_text(json.dumps({"golf": {"hits": {"hits": []}}, "polo": {"hits": hits}}))
    with pytest.raises(InputError, match=r"query polo: duplicate document 'd1' .* as its documents 1 and 3"):
        karatage.score(tmp_path / "gold.csv", tmp_path / "a.json")
