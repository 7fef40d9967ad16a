"""The demonstration: its files, what it prints, and the commands that it offers."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import karatage
from karatage.cli import application, main
from karatage.demo import FILES, data, tour
from karatage.demo.demo_taggers import TAGGERS
from karatage.demo.demo_titles import MAKER, titles
from karatage.demo.make import contents
from karatage.demo.recall_benchmark import CORPUS
from karatage.recall import estimate, read_benchmark


def test_bundled_files_are_what_the_script_makes() -> None:
    made = contents()
    assert set(made) == set(FILES)
    for name, text in made.items():
        assert data(name).read_text("utf-8") == text, f"{name} is stale: run python -m karatage.demo.make"


def test_gold_is_valid_and_systems_differ_in_quality() -> None:
    assert karatage.score(data("gold.conll"), data("gold.conll"), scheme="IOB2")["f1"].value == 1.0
    scores = [
        float(karatage.score(data("gold.conll"), data(f"{name}.conll"))["f1"])
        for name in ("shape", "lexicon", "context")
    ]
    assert scores == sorted(scores)
    assert scores[0] < 0.6 < scores[1] < 0.8 < scores[2] < 0.95


def test_values_files_say_the_same_as_the_tags() -> None:
    by_tags = karatage.score(data("gold.conll"), data("context.conll"), like="values")
    by_values = karatage.score(data("gold-values.tsv"), data("context-values.tsv"), like="values")
    assert by_tags.counts["correct"] == by_values.counts["correct"]
    assert by_tags["f1"] == by_values["f1"]


def test_the_recall_benchmark_estimates_the_recall_on_its_corpus() -> None:
    """The generator knows every maker of the 20,000 titles, so the recall that the sample estimates is known."""
    found = total = 0
    for title in titles(CORPUS):
        gold = [entity for entity in title.entities() if entity[0] == MAKER]
        predicted = title.entities(TAGGERS["context"](title.tokens))
        found += sum(entity in predicted for entity in gold)
        total += len(gold)
    estimated = estimate(read_benchmark(data("makers/data_description.csv").parent), stored=True).recall
    assert estimated.low is not None
    assert estimated.high is not None
    assert estimated.low < found / total < estimated.high


def test_every_line_fits_a_hundred_columns() -> None:
    """Piped output is as wide as a page, whatever the terminal is; only a command may be longer."""
    result = CliRunner().invoke(application(), ["demo"])
    assert result.exit_code == 0
    lines = [line for line in result.stdout.splitlines() if not line.startswith("  karatage ")]
    assert max(map(len, lines)) <= 100
    for part in ("Three taggers", "Kinds of error", "Next steps", "karatage demo karatage-demo"):
        assert part in result.stdout


def test_copies_the_files(tmp_path: Path) -> None:
    folder = tmp_path / "a folder" / "demo"
    result = CliRunner().invoke(application(), ["demo", str(folder)])
    assert result.exit_code == 0
    assert sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.*") if p.is_file()) == sorted(FILES)
    assert f"karatage score '{folder}/gold.conll'" in result.stdout


def test_a_place_that_cannot_be_written_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = tmp_path / "file"
    taken.write_text("")
    monkeypatch.setattr(sys, "argv", ["karatage", "demo", str(taken)])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    assert str(taken) in capsys.readouterr().err


def test_the_commands_that_it_offers_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command runs as printed, in the folder where the demonstration was run."""
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(application(), ["demo", "karatage-demo"], catch_exceptions=False)
    offered = tour.commands(Path("karatage-demo"))
    assert 4 <= len(offered) <= 9
    for _, command in offered:
        program, *arguments = shlex.split(command)
        assert program == "karatage"
        result = CliRunner().invoke(application(), arguments, catch_exceptions=False)
        assert result.exit_code == 0, command


def test_it_runs_as_a_command_of_its_own(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", "from karatage.cli import main; main()", "demo"],
        capture_output=True, cwd=tmp_path, env=environment, check=False, encoding="utf-8",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "Next steps" in done.stdout
