"""The check of a submission: every slip is found, with its line, and a sound one passes."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from karatage.challenges.ebay_2025 import SubmissionReport, check
from karatage.challenges.ebay_2025.aspects import ASPECTS
from karatage.challenges.ebay_2025.submission import submission_rows
from karatage.challenges.ebay_2025.submission.submission_report import KINDS
from karatage.cli import submit
from karatage.errors import FormatError, InputError, KaratageError

LISTINGS = (
    "Record Number\tCategory\tTitle\n"
    "1\t2\tSKF Zahnriemensatz VKMA 06103 für  RENAULT VOLVO\n"
    "2\t1\tATE BREMSSCHEIBEN + BREMSBELÄGE 3ER SET BELÜFTET Ø259 VORNE\n"
    '3\t1\t"VW Golf VW Golf ""16"""\n'
)
GOOD = '1\t2\tHersteller\tSKF\n1\t2\tHerstellernummer\tVKMA 06103\n2\t1\tO\t\n3\t1\tGröße\t"16"\n'


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Check a text, with the listings above unless told otherwise."""

    def checked(text: str | bytes, *, listings: bool = True, name: str = "s.tsv") -> SubmissionReport:
        (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
        (tmp_path / "l.tsv").write_text(LISTINGS, "utf-8")
        return check(tmp_path / name, tmp_path / "l.tsv" if listings else None)

    return checked


def kinds(report: SubmissionReport) -> dict[str, int]:
    return {finding.kind: finding.count for finding in report.findings}


def places(report: SubmissionReport, kind: str) -> list[tuple[int | None, str | None, str]]:
    (found,) = [one for one in report.findings if one.kind == kind]
    return [(place.line, place.record, place.text) for place in found.places]


def test_a_sound_submission(run: Any) -> None:
    """Values may hold quotes, blanks in titles do not matter, and O needs no value."""
    report = run(GOOD)
    assert report.findings == ()
    assert report
    assert (report.rows, report.records, report.values) == (4, 3, 3)
    assert "no problems found" in str(report)
    assert report.to_dict()["ok"] is True


@pytest.mark.parametrize(
    ("row", "kind", "record", "text"),
    [
        ("1\t2\tHersteller", "columns", None, "3 columns: '1\\t2\\tHersteller'"),
        ("1\t2\tHersteller\tSKF\t", "columns", None, "5 columns: '1\\t2\\tHersteller\\tSKF\\t'"),
        ("", "columns", None, "1 column: ''"),
        ('"1"\t"2"\t"Modell"\t"VOLVO"', "quoting", '"1"', '"1" | "2" | "Modell" | "VOLVO"'),
        ("x\t2\tHersteller\tSKF", "record-number", "x", "x"),
        ("0\t2\tHersteller\tSKF", "record-number", "0", "0"),
        ("01\t2\tHersteller\tSKF", "record-number", "01", "01"),
        ("\t2\tHersteller\tSKF", "record-number", "", ""),
        ("9" * 30 + "\t2\tHersteller\tSKF", "record-number", "9" * 30, "9" * 30),
        ("3\t3\tHersteller\tVW", "category", "3", "3"),
        ("1\t2\tHersteler\tSKF", "unknown-aspect", "1", "'Hersteler' in category 2: did you mean 'Hersteller'?"),
        (
            "1\t2\toe/oem referenznummer(n)\tSKF",
            "unknown-aspect",
            "1",
            "'oe/oem referenznummer(n)' in category 2: did you mean 'Oe/Oem_Referenznummer(N)'?",
        ),
        ("1\t2\tXyz\tSKF", "unknown-aspect", "1", "'Xyz' in category 2"),
        ("1\t2\t\tSKF", "unknown-aspect", "1", "'' in category 2"),
        ("1\t2\tFarbe\tSKF", "other-aspect", "1", "'Farbe' in category 2"),
        ("1\t2\tModell\t", "empty-value", "1", "Modell"),
        ("1\t2\tModell\t \u00a0", "empty-value", "1", "Modell"),
        ("7\t1\tModell\tGolf", "unknown-record", "7", "Modell: 'Golf'"),
        ("1\t2\tModell\t SKF", "blanks", "1", "Modell: ' SKF'"),
        ("1\t2\tModell\tVKMA  06103", "blanks", "1", "Modell: 'VKMA  06103'"),
        ("1\t2\tModell\tVKMA 061", "not-in-title", "1", "Modell: 'VKMA 061'"),
        ("1\t2\tModell\tKMA 06103", "not-in-title", "1", "Modell: 'KMA 06103'"),
        ("1\t2\tModell\tskf", "not-in-title", "1", "Modell: 'skf'"),
        ("1\t2\tModell\tSKF VKMA", "not-in-title", "1", "Modell: 'SKF VKMA'"),
        ("1\t2\tHersteller\tSKF", "too-often", "1", "Hersteller: 'SKF' 2 times, but 1 in the title"),
    ],
)
def test_one_slip_is_found(run: Any, row: str, kind: str, record: str | None, text: str) -> None:
    """Each with its line and its record, and nothing else is found."""
    report = run(GOOD + row + "\n")
    assert kinds(report) == {kind: 1}
    assert places(report, kind) == [(5, record, text)]
    assert bool(report) == (KINDS[kind][0] == "warning")


def test_quotes_look_wrong_where_the_title_is_not_known(run: Any) -> None:
    report = run(GOOD, listings=False)
    assert kinds(report) == {"quoted-value": 1}
    assert report
    assert "not checked: pass the listings" in str(report)


def test_records_and_categories_against_the_listings(run: Any) -> None:
    """Missing records are named with their titles; one in the wrong category by its rows."""
    report = run("1\t1\tHersteller\tSKF\n1\t1\tModell\tVOLVO\n")
    assert kinds(report) == {"other-category": 2, "missing-record": 2}
    assert places(report, "other-category")[0] == (1, "1", "1, in the listings 2")
    assert places(report, "missing-record")[1] == (None, "3", 'VW Golf VW Golf "16"')
    assert not report


def test_a_record_in_two_categories(run: Any) -> None:
    report = run("1\t2\tHersteller\tSKF\n2\t1\tO\t\n3\t1\tO\t\n1\t1\tO\t\n1\t2\tO\t\n", listings=False)
    assert kinds(report) == {"two-categories": 1}
    assert places(report, "two-categories") == [(4, "1", "1, but first 2")]


def test_repeated_values(run: Any) -> None:
    """What the title has twice may be given twice, under each aspect; the surplus is counted."""
    row = "3\t1\tKompatible_Fahrzeug_Marke\tVW\n"
    start = "1\t2\tO\t\n2\t1\tO\t\n"
    assert kinds(run(start + 2 * row + "3\t1\tHersteller\tVW\n3\t1\tHersteller\tVW\n")) == {}
    report = run(start + 2 * row + "3\t1\tModell\tVW Golf\n" * 5)
    assert kinds(report) == {"too-often": 3}
    assert places(report, "too-often") == [(9, "3", "Modell: 'VW Golf' 5 times, but 2 in the title")]


def test_the_file_as_a_whole(run: Any) -> None:
    """A header, a mark of byte order, carriage returns, bytes that are no text, nothing at all."""
    header = "Record Number\tCategory\tAspect Name\tAspect Value\n"
    report = run(header + GOOD.replace('"16"', "Golf"))
    assert kinds(report) == {"header": 1}
    assert places(report, "header") == [(1, None, header.strip())]
    report = run("\ufeff" + GOOD.replace('"16"', "Golf"))
    assert kinds(report) == {"byte-order-mark": 1}
    report = run(gzip.compress(("\ufeff" + GOOD.replace('"16"', "Golf")).encode()), name="s.tsv.gz")
    assert kinds(report) == {"byte-order-mark": 1}
    report = run(GOOD.replace('"16"', "Golf").replace("\n", "\r\n"))
    assert kinds(report) == {"carriage-return": 4}
    assert [place[0] for place in places(report, "carriage-return")] == [1, 2, 3, 4]
    report = run(GOOD.replace('"16"', "Golf").encode() + b"1\t2\tModell\t\xe4\n2\t1\tModell\tATE")
    assert kinds(report) == {"encoding": 1}
    assert places(report, "encoding") == [(5, None, "1\t2\tModell\t\ufffd")]
    assert kinds(run("", listings=False)) == {"no-rows": 1}
    assert kinds(run("")) == {"no-rows": 1, "missing-record": 3}


def test_only_the_first_places_are_kept(run: Any) -> None:
    report = run(GOOD.replace('"16"', "Golf") + "1\t2\tModell\tX\n" * 9)
    assert kinds(report) == {"not-in-title": 9}
    assert [place[0] for place in places(report, "not-in-title")] == [5, 6, 7, 8, 9]
    assert "9 × values that are not consecutive tokens of the title" in str(report)


@pytest.mark.parametrize("seed", range(20))
def test_against_a_plain_loop(seed: int, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random rows in any order, read in blocks of any size, against counts that a loop makes."""
    rng = random.Random(seed)
    titles = {"1": "SKF Zahnriemensatz VKMA 06103 für RENAULT VOLVO", "3": 'VW Golf VW Golf "16"'}
    titles["2"] = "ATE BREMSSCHEIBEN + BREMSBELÄGE 3ER SET BELÜFTET Ø259 VORNE"
    listed = {"1": "2", "2": "1", "3": "1"}
    rows = []
    for _ in range(rng.randrange(60)):
        record, category = rng.choice("1234"), rng.choice("11122234")
        tokens = titles.get(record, "x y").split()
        start = rng.randrange(len(tokens))
        value = " ".join(tokens[start : start + rng.randrange(1, 3)])
        aspect = rng.choice([*sorted(ASPECTS["1"])[:3], "Breite", "O", "Nix"])
        rows.append((record, category, aspect, rng.choice([value, value, "falsch", "", value[:-1]])))
    expected = dict.fromkeys(KINDS, 0)
    expected["no-rows"] = not rows
    expected["missing-record"] = len(titles.keys() - {row[0] for row in rows})
    expected["unknown-record"] = int(any(row[0] == "4" for row in rows))
    first: dict[str, str] = {}
    given: dict[tuple[str, ...], int] = {}
    for record, category, aspect, value in rows:
        expected["category"] += category not in ASPECTS
        expected["other-category"] += record in listed and category in ASPECTS and category != listed[record]
        if category in ASPECTS:
            expected["two-categories"] += first.setdefault(record, category) != category
        if category in ASPECTS and aspect != "O" and aspect not in ASPECTS[category]:
            expected["unknown-aspect" if aspect == "Nix" else "other-aspect"] += 1
        expected["empty-value"] += aspect != "O" and not value
        expected["blanks"] += aspect != "O" and value != value.strip()
        value = value.strip()
        if aspect in ("O", "Nix") or not value or record not in listed:
            continue
        if f" {value} " not in f" {titles[record]} ":
            expected["not-in-title"] += 1
        else:
            given[record, aspect, value] = given.get((record, aspect, value), 0) + 1
    for (record, _, value), count in given.items():
        tokens, own = titles[record].split(), value.split()
        times = sum(tokens[at : at + len(own)] == own for at in range(len(tokens)))
        expected["too-often"] += max(0, count - times)
    monkeypatch.setattr(submission_rows, "_BLOCK", rng.choice([1, 50, 1 << 20]))
    text = "".join("\t".join(row) + "\n" for row in rows)
    assert kinds(run(text)) == {kind: count for kind, count in expected.items() if count}


def test_what_cannot_be_read_is_an_error(tmp_path: Path, run: Any) -> None:
    with pytest.raises(InputError, match="no such file"):
        check(tmp_path / "none.tsv")
    with pytest.raises(KaratageError, match="got a folder"):
        check(tmp_path)
    (tmp_path / "cut.tsv.gz").write_bytes(gzip.compress(GOOD.encode() * 500)[:-20])
    with pytest.raises(FormatError, match="truncated"):
        check(tmp_path / "cut.tsv.gz")
    run(GOOD)
    with pytest.raises(FormatError, match="the first line must contain the column names"):
        check(tmp_path / "s.tsv", tmp_path / "s.tsv")


def test_the_command(tmp_path: Path, run: Any) -> None:
    """Exit code 0 if nothing is wrong but warnings, 1 if there are errors; JSON has the same."""
    app = typer.Typer()
    app.command("submit")(submit.run)
    run(GOOD)
    path, listings = str(tmp_path / "s.tsv"), str(tmp_path / "l.tsv")
    Path(path).write_text(GOOD.replace("SKF", "FAG"), "utf-8")
    done = CliRunner().invoke(app, [path, "--check", "--listings", listings])
    assert done.exit_code == 0
    assert "warning not-in-title  1 × values that are not consecutive tokens" in done.stdout
    assert "    line 1, record 1: Hersteller: 'FAG'" in done.stdout
    assert "no errors, but 1 kind of warning" in done.stdout
    Path(path).write_text("1\t2\tFarbe\tSKF\n", "utf-8")
    done = CliRunner().invoke(app, [path, "--check", "--json"])
    assert done.exit_code == 1
    data = json.loads(done.stdout)
    assert (data["ok"], data["rows"], data["findings"][0]["kind"]) == (False, 1, "other-aspect")
    assert data["findings"][0]["places"] == [{"line": 1, "record": "1", "text": "'Farbe' in category 2"}]
    done = CliRunner().invoke(app, [path])
    assert isinstance(done.exception, KaratageError)
    assert "add --check to check one" in str(done.exception)


def test_the_inventory() -> None:
    """14 aspects in both categories, 9 more for brakes, 6 more for timing."""
    assert len(ASPECTS["1"] & ASPECTS["2"]) == 14
    assert (len(ASPECTS["1"]), len(ASPECTS["2"])) == (23, 20)
    assert "O" not in ASPECTS["1"] | ASPECTS["2"]
