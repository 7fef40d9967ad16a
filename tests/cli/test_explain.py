"""`karatage explain` as its users call it."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from tests.command import run

from karatage.demo import data

GOLD, PRED = str(data("gold.conll")), str(data("context.conll"))


def test_counts_equal_those_of_score() -> None:
    """What `explain --json` says of scores and kinds, `score --json` says too."""
    told = json.loads(run("explain", GOLD, PRED, "--json").stdout)["systems"]["context"]
    scored = json.loads(run("score", GOLD, PRED, "--json", "--confusion").stdout)
    confusion, kinds = scored.pop("confusion"), scored.pop("kinds")
    assert told["scores"] == scored
    assert told["confusion"] == confusion
    assert told["kinds"] == kinds


def test_the_terminal_has_every_part() -> None:
    done = run("explain", GOLD, f"old={data('lexicon.conll')}", f"new={PRED}", "--diff", "--errors", "1")
    assert done.returncode == 0
    assert not done.stderr
    for part in (
        "from old to new: 779 fixed, 85 broken, net +694; 433 in both",
        "fixed and broken by slice",
        "cost of errors, costliest first",
        "texts most often wrong",
        "slices significantly worse or better than the rest",
        "first error",
        "gold check",
    ):
        assert part in done.stdout


def test_files_are_written_and_told(tmp_path: Path) -> None:
    places = {name: str(tmp_path / f"f.{name}") for name in ("html", "csv", "json")}
    done = run(
        "explain", GOLD, PRED, "--html", places["html"], "--title", "Parts & <more>", "--export", places["csv"],
        "--kind", "too long", "--review", places["json"],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not done.stdout
    assert [line.split(" written to ")[1] for line in done.stderr.splitlines()] == [
        places["csv"], places["json"], places["html"],
    ]  # fmt: skip
    assert "<title>Parts &amp; &lt;more&gt;</title>" in Path(places["html"]).read_text("utf-8")
    assert set(pl.read_csv(places["csv"])["detail"]) == {"too long"}
    tasks = json.loads(Path(places["json"]).read_text("utf-8"))
    assert {one["model_version"] for one in tasks[0]["predictions"]} == {"gold", "proposal"}
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--kind", "nonsense"], "nonsense"),
        (["--label", "nonsense"], "nonsense"),
        (["--diff"], "give two, not 1"),
        (["--title", "x"], "--html"),
        (["--by", "nonsense"], "nonsense"),
        (["--by", "length > 'a'"], "length"),
        (["--by", "__import__('os')"], "__import__"),
        (["--train", "nowhere.conll"], "nowhere.conll"),
        (["--queries", "q.tsv"], "search"),
        (["--export", "e.xlsx"], "e.xlsx"),
        (["--review", "e.xlsx"], "e.xlsx"),
        (["--html", "nowhere/page.html"], "nowhere"),
        (["--html", "page.txt"], ".html"),
        (["--html", "-"], ".html"),
        (["--export", "a.csv", "--review", "a.csv"], "already"),
        (["--by", "label = 'Breite'"], "write =="),
        (["-m", "nonsense"], "nonsense"),
        ([PRED], "given twice"),
    ],
)
def test_what_cannot_be_is_one_message(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = run("explain", GOLD, PRED, "--resamples", "0", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_what_is_read_is_not_written(tmp_path: Path) -> None:
    place = tmp_path / "gold.csv"
    place.write_text("unit,label,start,end\nu,A,0,1\n")
    for option in ("--export", "--review"):
        done = run("explain", str(place), str(place), option, str(place))
        assert done.returncode == 2
        assert "this file is an input" in done.stderr
    assert place.read_text().startswith("unit")


def test_without_the_gold_check() -> None:
    done = run("explain", GOLD, PRED, "--no-gold-check", "--resamples", "0")
    assert "gold check" not in done.stdout
    assert "suspects" not in json.loads(run("explain", GOLD, PRED, "--no-gold-check", "--json").stdout)


def test_errors_in_json_where_they_are_asked_for() -> None:
    def listed(*arguments: str) -> int | None:
        told = json.loads(run("explain", GOLD, PRED, "--json", "--resamples", "0", *arguments).stdout)
        return len(told["errors"]) if "errors" in told else None

    assert [listed(), listed("--errors", "10"), listed("--kind", "shifted")] == [None, 10, 1]


def test_standard_input_is_read_once() -> None:
    done = run("explain", GOLD, "-", "--resamples", "0", stdin=Path(PRED).read_text("utf-8"))
    assert done.returncode == 0


def test_nothing_reaches_the_terminal_that_it_would_obey(tmp_path: Path) -> None:
    """An escape sequence in a token is shown, not sent."""
    for name, tag in (("g", "B-A"), ("p", "O")):
        (tmp_path / f"{name}.conll").write_text(f"a\x1b[31mb\u202ec {tag}\n\n")
    done = run("explain", str(tmp_path / "g.conll"), str(tmp_path / "p.conll"))
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout


def test_nor_does_it_in_search(tmp_path: Path) -> None:
    (tmp_path / "z.qrels").write_text("q\x1b[31m1 0 d\x1b[2J1 1\n")
    (tmp_path / "z.run").write_text("q\x1b[31m1 Q0 x 1 1.0 r\n")
    done = run("explain", str(tmp_path / "z.qrels"), str(tmp_path / "z.run"))
    assert "misranked documents" in done.stdout
    assert "\x1b" not in done.stdout


def test_a_narrow_terminal_leaves_columns_out() -> None:
    done = run("explain", GOLD, PRED, "--errors", "1", COLUMNS="80")
    assert done.returncode == 0


def test_search(tmp_path: Path) -> None:
    qrels, results = str(data("search.qrels")), str(data("bm25.run"))
    more = "--queries", str(data("queries.tsv")), "--export", str(tmp_path / "d.csv")
    done = run("explain", qrels, results, *more, COLUMNS="160")
    assert done.returncode == 0, done.stderr
    assert "Zahnriemen Superb 3T" in done.stdout
    frame = pl.read_csv(tmp_path / "d.csv")
    assert dict(frame["kind"].value_counts().iter_rows()) == {"missed": 452, "too low": 83, "too high": 377}
    assert run("explain", qrels, results, "--review", "x.csv").returncode == 2


def test_a_recall_benchmark_as_a_page(tmp_path: Path, real_data: Path) -> None:
    place = tmp_path / "recall.html"
    done = run("recall", "estimate", str(real_data / "amundsen_01"), "--stored", "--html", str(place))
    assert done.returncode == 0, done.stderr
    text = place.read_text("utf-8")
    for part in ("ratio-wilson", "convolution", "levinumad", "0.5892"):
        assert part in text
