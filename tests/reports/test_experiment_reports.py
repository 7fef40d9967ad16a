"""A log as Markdown, as a flat table, as a plot, in the terminal, and in MLflow."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import math
import re
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from karatage.errors import UsageError
from karatage.experiments import EpochEntry, Experiment
from karatage.experiments.machine import Code, Machine
from karatage.inputs import DataFile
from karatage.reports.experiment_texts import format_duration
from karatage.reports.learning_curves import curves_plot, plot_learning_curves
from karatage.reports.log_markdown import escaped, experiments_markdown
from karatage.reports.log_tables import experiment_row, experiments_csv, to_frame, write_experiments
from karatage.reports.mlflow_export import (
    export_to_mlflow,
    parameters_of,
    points_of,
    scores_of,
    tags_of,
    tracking_uri,
)
from karatage.reports.terminal.experiment_tables import experiment_list_parts, experiment_parts, sparkline
from karatage.reports.terminal.text_tables import plain


def score(value: float | None, width: float = 0.05) -> dict[str, Any]:
    if value is None:
        return {"value": None, "undefined": "no gold annotations"}
    return {"value": value, "low": value - width, "high": value + width, "method": "bca"}


def record(number: int, **changes: Any) -> Experiment:
    """An experiment as trained on two categories."""
    label = {"f0.2": score(0.5), "f1": score(0.25), "counts": {"gold": 1200, "predicted": 3, "correct": 2}}
    group = {"precision": score(0.5), "recall": score(0.25), "f1": score(1 / 3), "counts": label["counts"]}
    facts: dict[str, Any] = {
        "id": f"RUN-{number:03}",
        "name": f"RUN-{number:03}-bilstm-00{number:02}",
        "date": f"2025-11-{number:02}T12:00:00+01:00",
        "kind": "train",
        "model": "bilstm",
        "config": {"hidden": 256, "rate": 0.001, "category": True},
        "data": (DataFile("train", "a|b.tsv", "ab" * 32, 4500),),
        "split": "10 % by record, seed 0",
        "epochs": tuple(
            EpochEntry(k, 2.0 / k, 1.5, {"final_f0.2": value, "x[a]": 0.0})
            for k, value in enumerate((0.5, 0.75, 0.8), 1)
        ),
        "best_epoch": 3,
        "metric": "final_f0.2",
        "scores": {
            "profile": "ebay-2025",
            "options": {},
            "headline": "final_f0.2",
            "metrics": {"final_f0.2": score(0.8), "c2_f1": score(None)},
            "by_label": {"Oe/Oem(N)": label, "Oe_Oem_N_": label},
            "by_group": {"1": {"Oe/Oem(N)": label}, "2": {"Maßeinheit": label}},
            "group_by": "category",
            "groups": {"1": group, "2": group},
            "counts": {"units": 500, "gold": 1200, "predicted": 3, "correct": 2},
            "intervals": {"resamples": 1000, "level": 0.95, "seed": 0, "method": "auto"},
            "warnings": ["of something"],
        },
        "duration": 200.0,
        "machine": Machine("Linux 6", "EPYC", 1, "", "3.11.7", ""),
        "code": Code("0.6.0", "c" * 40, True),
    }
    return Experiment(**(facts | changes))


FIRST = record(1, note="the *first*\n<b>one</b>")
SECOND = record(2, config={"hidden": 256, "rate": 5e-05, "drop_out": 0.4}, model="bilstm-crf")
SCORED = record(
    3, kind="score", model="", data=(DataFile("predictions", "out/crf.conll"),), config={}, epochs=(), best_epoch=None
)


def test_the_page_of_a_log() -> None:
    lines = experiments_markdown([FIRST, SECOND, SCORED]).splitlines()
    assert lines[:8] == [
        "# Experiments",
        "",
        "| id | model and settings | final\\_f0.2 | c2\\_f1 |",
        "|---|---|---|---|",
        "| RUN-001 | bilstm: rate 0.001, category yes | 0.8000 (0.7500–0.8500) | undefined |",
        "| RUN-002 | bilstm-crf: rate 5e-05, drop\\_out 0.4 | 0.8000 (0.7500–0.8500) | undefined |",
        "| RUN-003 | crf | 0.8000 (0.7500–0.8500) | undefined |",
        "",
    ]
    start = lines.index("## RUN-001: bilstm")
    assert lines[start + 2 : start + 6] == [
        "2025-11-01 12:00 +0100 · train · 3 min 20 s · karatage 0.6.0, commit cccccccc with changes",
        "",
        "> the *first*",
        "> &lt;b>one&lt;/b>",
    ]
    assert "Changes since" not in "\n".join(lines[start : lines.index("## RUN-002: bilstm-crf")])
    changed = lines.index("Changes since RUN-001:")
    assert lines[changed + 2 : changed + 8] == [
        "| setting | before | after |",
        "|---|---|---|",
        "| model | bilstm | bilstm-crf |",
        "| rate | 0.001 | 5e-05 |",
        "| category | yes | – |",
        "| drop\\_out | – | 0.4 |",
    ]
    assert "| train | a\\|b.tsv | 4,500 | abababababab |" in lines
    assert "Data (split: 10 % by record, seed 0):" in lines
    assert "Best epoch: 3 of 3 by final\\_f0.2." in lines
    assert "| final\\_f0.2 | 0.8000 | 0.7500–0.8500 |" in lines
    assert "| c2\\_f1 | undefined (no gold annotations) |  |" in lines
    assert "| category | precision | recall | f1 | 95 % interval of f1 | gold | predicted |" in lines
    assert "| 1 | 0.5000 | 0.2500 | 0.3333 | 0.2833–0.3833 | 1,200 | 3 |" in lines
    assert "## RUN-003: crf" in lines
    assert experiments_markdown([]) == "# Experiments\n\nNo experiments yet.\n"


def test_pages_of_odd_logs() -> None:
    """The same settings again, trials of a sweep, other headlines, ids that occur twice."""
    again = replace(FIRST, id="RUN-001", name="RUN-001-bilstm-ffff", date="2025-11-05T00:00:00+00:00")
    other = record(4, scores=dict(FIRST.scores, headline="c2_f1"))
    trial = record(5, parent=FIRST.name)
    text = experiments_markdown([FIRST, other, again, trial], title="My [log]")
    assert text.startswith("# My \\[log\\]\n\n| id | model and settings | metric | score |")
    assert "## RUN-001-bilstm-ffff: bilstm" in text
    assert "| RUN-001-bilstm-ffff | same settings | final\\_f0.2 |" in text
    assert "Same settings as RUN-004." in text
    assert "sweep RUN-001-bilstm-0001" in text
    assert "| RUN-005 | bilstm: rate 0.001" in text  # the first one of its sweep
    assert escaped("a|b\n<i>`*_[]\\") == "a\\|b \\<i\\>\\`\\*\\_\\[\\]\\\\"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, ""), (9.94, "9.9 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (3599.6, "1 h 0 min"), (93784, "26 h 3 min")],
)
def test_times(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


def test_the_flat_table(tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(experiments_csv([FIRST, SECOND, SCORED]).decode())))
    assert [row["id"] for row in rows] == ["RUN-001", "RUN-002", "RUN-003"]
    assert rows[0]["note"] == FIRST.note
    assert rows[0]["score.final_f0.2.low"] == "0.75"
    assert rows[0]["score.c2_f1"] == ""
    assert [row["config.drop_out"] for row in rows] == ["", "0.4", ""]
    assert rows[0]["config.category"] == "true"
    assert rows[0]["data.train.units"] == "4500"
    names = list(rows[0])
    assert names.index("config.drop_out") == names.index("config.category") + 1  # though only the second one has it
    mixed = [FIRST, record(2, config={"hidden": "large", "layers": [1, 2], "rate": 1})]
    frame = to_frame(mixed)
    assert frame["config.hidden"].to_list() == ["256", "large"]
    assert frame["config.rate"].to_list() == [0.001, 1.0]
    assert frame["config.layers"].to_list() == [None, "[1, 2]"]
    for ending in ("csv", "md", "parquet", "jsonl", "csv.gz"):
        write_experiments(mixed, tmp_path / f"t.{ending}")
    assert pl.read_parquet(tmp_path / "t.parquet").equals(frame)
    lines = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    assert lines == [json.loads(json.dumps(experiment_row(one))) for one in mixed]
    assert lines[1]["config.layers"] == [1, 2]
    assert pl.read_csv(tmp_path / "t.csv")["id"].to_list() == ["RUN-001", "RUN-002"]
    assert (tmp_path / "t.md").read_text().splitlines()[0].startswith("| id | name | date |")
    with pytest.raises(UsageError, match=r"Use .csv, .md, .parquet or .jsonl"):
        write_experiments(mixed, tmp_path / "t.xlsx")
    assert experiments_csv([]) == b"id\n"


def test_sparklines() -> None:
    assert sparkline([0.0, 0.5, 1.0]) == "▁▅█"
    assert sparkline([0.0, math.nan, 7.0]) == "▁█"
    assert sparkline([3.0, 3.0]) == "▄▄"
    assert sparkline([]) == ""
    assert sparkline([0.0] * 50 + [1.0] * 50, width=4) == "▁▁██"
    assert len(sparkline([float(k) for k in range(41)])) == 40


@pytest.mark.parametrize("width", [80, 120])
def test_the_list_fits_the_terminal(width: int) -> None:
    long = replace(SECOND, note="a note that is far too long to be shown in full next to all of the other columns")
    text = plain(experiment_list_parts([FIRST, long, SCORED], "experiments"), width)
    assert all(len(line) <= width for line in text.splitlines())
    assert "0.7500–0.8500" in text
    assert "the *fir" in text
    assert ("2025-11-01   train" in text) == (width == 120)


def test_everything_is_shown() -> None:
    text = plain(experiment_parts(FIRST), 120)
    for part in (
        "RUN-001 · train · bilstm",
        "10 % by record, seed 0",
        "3 of 3 by final_f0.2",
        "no predictions",
        "karatage 0.6.0, commit cccccccc with changes",
        "EPYC, 1 core, Linux 6, Python 3.11.7",
        "rate       0.001",
        "final_f0.2   ▁▇█   0.5000 → 0.8000",
        "loss         █▃▁   2.0000 → 0.6667",
        "scores · profile ebay-2025 · 500 units · 1,200 gold",
        "label in category 2     f0.2   95 % interval       f1    gold",
        "Maßeinheit            0.5000   0.4500–0.5500   0.2500   1,200",
        "warning: of something",
    ):
        assert part in text, part
    assert "undefined" in text


def test_curves_as_svg_and_html(tmp_path: Path) -> None:
    plot_learning_curves([FIRST, SECOND, SCORED], tmp_path / "c.svg")
    tree = ET.fromstring((tmp_path / "c.svg").read_text())  # noqa: S314  our own file
    words = {text.text for text in tree.iter("{http://www.w3.org/2000/svg}text")}
    assert {"RUN-001 bilstm", "RUN-002 bilstm-crf", "loss", "final_f0.2", "3: 0.8000"} <= words
    assert "RUN-003 crf" not in words  # which has no curve
    plot_learning_curves([FIRST], tmp_path / "c.html")
    page = (tmp_path / "c.html").read_text()
    assert "<script src=" not in page  # nothing is fetched
    assert "RUN-001 bilstm" in page


def test_curves_as_png(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="vl-convert is an extra")
    plot_learning_curves([FIRST], tmp_path / "c.png")
    assert (tmp_path / "c.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_a_png_without_its_package_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(UsageError, match=re.escape("pip install '.[png]'")):
        plot_learning_curves([FIRST], tmp_path / "c.png")
    assert list(tmp_path.iterdir()) == []


def test_what_a_chart_holds() -> None:
    scores, losses = curves_plot([FIRST, SECOND]).panels
    assert [line.points for line in scores.lines] == [[(1, 0.5), (2, 0.75), (3, 0.8)]] * 2
    assert [(point.x, point.text) for point in scores.points] == [(3, "3: 0.8000")] * 2
    assert [point.text for point in losses.points] == ["", ""]
    many = curves_plot([record(k) for k in range(1, 16)])
    assert len({(key.colour, key.dash) for key in many.legend}) == 15  # no two lines look the same


@pytest.mark.parametrize(
    ("records", "options", "message"),
    [
        ([SCORED], {}, "no learning curves to plot"),
        ([FIRST], {"metric": "final_f0.3"}, "Did you mean 'final_f0.2'"),
        ([record(1, epochs=(EpochEntry(1),))], {}, "neither scores nor losses"),
    ],
)
def test_plots_that_cannot_be(tmp_path: Path, records: list[Experiment], options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        plot_learning_curves(records, tmp_path / "c.svg", **options)
    assert list(tmp_path.iterdir()) == []


def test_a_plot_has_an_ending(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"Use .svg, .png or .html"):
        plot_learning_curves([FIRST], tmp_path / "c.gif")


def test_what_mlflow_gets() -> None:
    assert parameters_of(FIRST) == {
        "model": "bilstm", "split": "10 % by record, seed 0", "profile": "ebay-2025", "hidden": "256",
        "rate": "0.001", "category": "yes",
    }  # fmt: skip
    assert points_of(FIRST)[:4] == [
        ("loss", 2.0, 1500, 1), ("seconds", 1.5, 1500, 1), ("final_f0.2", 0.5, 1500, 1), ("x_a_", 0.0, 1500, 1),
    ]  # fmt: skip
    found = scores_of(FIRST)
    assert found["score.final_f0.2.high"] == 0.8 + 0.05
    assert "score.c2_f1" not in found
    assert found["label.Oe_Oem_N_.f1"] == found["label.Oe_Oem_N_.f1_2"] == 0.25  # two labels, no longer told apart
    tags = tags_of(FIRST)
    assert tags["karatage.data.train.sha256"] == "ab" * 32
    assert tags["mlflow.note.content"] == FIRST.note
    assert "karatage.parent" not in tags


@pytest.mark.parametrize(
    ("given", "uri"),
    [
        (None, None),
        ("sqlite:///m.db", "sqlite:///m.db"),
        ("http://localhost:5000", "http://localhost:5000"),
        ("databricks", "databricks"),
        ("/my runs", "file:///my%20runs"),
    ],
)
def test_places_of_mlflow(given: str | None, uri: str | None) -> None:
    assert tracking_uri(given) == uri


@pytest.mark.skipif(importlib.util.find_spec("mlflow") is not None, reason="MLflow is installed")
def test_without_mlflow_the_message_says_how_to_get_it() -> None:
    with pytest.raises(UsageError, match=r"pip install '\.\[mlflow\]'"):
        export_to_mlflow([FIRST])


@pytest.mark.filterwarnings("default")  # whatever MLflow warns of is not ours
def test_runs_in_mlflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second export adds nothing but what is new; one that was cut off is made again."""
    tracking = pytest.importorskip("mlflow.tracking", reason="MLflow is not installed")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    place = str(tmp_path / "runs")
    assert export_to_mlflow([FIRST], place).new == (FIRST.name,)
    done = export_to_mlflow([replace(FIRST, note="changed"), SECOND], place)
    assert (done.new, done.known) == ((SECOND.name,), (FIRST.name,))
    client = tracking.MlflowClient(done.uri)
    home = client.get_experiment_by_name("karatage").experiment_id
    runs = {run.data.tags["karatage.id"]: run for run in client.search_runs([home])}
    assert sorted(runs) == ["RUN-001", "RUN-002"]
    first = runs["RUN-001"]
    assert first.info.run_name == "RUN-001 bilstm"
    assert first.info.end_time - first.info.start_time == 200_000
    assert first.data.params["rate"] == "0.001"
    assert first.data.tags["mlflow.note.content"] == "changed"
    assert first.data.metrics["score.final_f0.2"] == 0.8
    curve = client.get_metric_history(first.info.run_id, "final_f0.2")
    assert [(one.step, one.value) for one in curve] == [(1, 0.5), (2, 0.75), (3, 0.8)]
    client.update_run(first.info.run_id, status="RUNNING")
    assert export_to_mlflow([FIRST, SECOND], place).new == (FIRST.name,)
    assert len(client.search_runs([home])) == 2


@pytest.mark.filterwarnings("default")  # MLflow's warnings
def test_runs_that_the_old_name_exported_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs tagged `karat.name` in the MLflow experiment `karat` are not made again; their notes follow the log."""
    tracking = pytest.importorskip("mlflow.tracking", reason="MLflow is not installed")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    client = tracking.MlflowClient((tmp_path / "runs").as_uri())
    old = client.create_experiment("karat")
    run = client.create_run(old, tags={"karat.name": FIRST.name}).info.run_id
    client.set_terminated(run, "FINISHED")
    done = export_to_mlflow([FIRST, SECOND], str(tmp_path / "runs"))
    assert (done.new, done.known) == ((SECOND.name,), (FIRST.name,))
    assert len(client.search_runs([old])) == 1
    assert client.get_run(run).data.tags["mlflow.note.content"] == FIRST.note
