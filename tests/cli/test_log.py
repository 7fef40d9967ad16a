"""The command `karatage log`, and `karatage score --log`, as a user runs them."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command import refused, run, said

import karatage
from karatage.demo import copy


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo with two scorings in its log."""
    folder = tmp_path_factory.mktemp("log") / "demo"
    copy(folder)
    for k, name in enumerate(("lexicon", "context"), 1):
        done = run(
            "score", "gold.conll", f"{name}.conll", "--resamples", 100, "--log", "runs", "--note", f"the {name}",
            cwd=folder,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stderr == f"karatage: logged as RUN-00{k} in runs\n"
    return folder


def test_a_scoring_prints_the_same_with_and_without_a_log(logged: Path, tmp_path: Path) -> None:
    plain = run("score", "gold.conll", "context.conll", "--json", cwd=logged)
    kept = run("score", "gold.conll", "context.conll", "--json", "--log", tmp_path / "log", cwd=logged)
    assert kept.stdout == plain.stdout
    record = json.loads(said("log", "show", "1", "--json", "--log", tmp_path / "log", cwd=logged))
    scores = json.loads(plain.stdout)
    assert record["scores"] == scores
    assert record["kind"] == "score"
    assert record["data"][0] == {
        "role": "gold", "path": "gold.conll", "sha256": scores["provenance"]["gold"].removeprefix("sha256:"),
        "units": 320,
    }  # fmt: skip


def test_the_list(logged: Path) -> None:
    text = said("log", "--log", "runs", cwd=logged)
    assert text == said("log", "list", "--log", "runs", cwd=logged) == said("log", "--log", "runs", "list", cwd=logged)
    rows = [line.split() for line in text.splitlines() if line.startswith("RUN")]
    assert [(row[0], row[2], row[3]) for row in rows] == [
        ("RUN-001", "score", "lexicon"),
        ("RUN-002", "score", "context"),
    ]
    best = [row.split()[0] for row in said("log", "--log", "runs", "--by", "f1", cwd=logged).splitlines()[3:]]
    assert best == ["RUN-002", "RUN-001"]
    out = json.loads(said("log", "--log", "runs", "--json", cwd=logged))
    assert [one["note"] for one in out] == ["the lexicon", "the context"]


def test_an_empty_log(tmp_path: Path) -> None:
    assert said("log", cwd=tmp_path) == "karatage · 0 experiments in experiments\n"
    assert json.loads(said("log", "--json", cwd=tmp_path)) == []
    assert said("log", "markdown", cwd=tmp_path).endswith("No experiments yet.\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [[], ["list"], ["show", "1"], ["note", "1", "x"], ["markdown"]])
def test_a_log_that_does_not_exist(tmp_path: Path, command: list[str]) -> None:
    message = "karatage: nowhere: no such folder. Pass the folder of an experiment log with --log\n"
    assert refused("log", *command, "--log", "nowhere", cwd=tmp_path) == message
    assert list(tmp_path.iterdir()) == []


def test_show(logged: Path) -> None:
    text = said("log", "show", "RUN-002", "--log", "runs", cwd=logged)
    assert text.startswith("RUN-002 · score · context\n")
    assert "the context" in text
    assert "gold and predictions" in text


def test_compare_is_that_of_karatage_compare(logged: Path) -> None:
    done = said("log", "compare", "1", "RUN-002", "--log", "runs", "--resamples", 300, "--json", cwd=logged)
    out = json.loads(done)
    files = {f"RUN-00{k}": logged / f"{name}.conll" for k, name in ((1, "lexicon"), (2, "context"))}
    direct = karatage.compare(logged / "gold.conll", files, resamples=300).to_dict()
    assert out["test"]["metrics"] == json.loads(json.dumps(direct["metrics"]))
    assert out["verdict"].startswith("Significant difference: RUN-002 is better than RUN-001 by 0.")
    assert out["answer"] == direct["answer"]
    text = said("log", "compare", "1", "2", "--log", "runs", "--resamples", 300, cwd=logged)
    assert text.splitlines()[1] == out["answer"]
    assert "All settings are the same" in text


def test_markdown_and_tables(logged: Path, tmp_path: Path) -> None:
    page = said("log", "markdown", "--log", "runs", "--title", "Demo", cwd=logged)
    assert page.startswith("# Demo\n")
    assert "## RUN-002: context" in page
    said("log", "markdown", "--log", "runs", "--title", "Demo", "--out", tmp_path / "log.md", cwd=logged)
    assert (tmp_path / "log.md").read_text() == page
    rows = list(csv.DictReader(io.StringIO(said("log", "table", "--log", "runs", "--by", "f1", cwd=logged))))
    assert [row["id"] for row in rows] == ["RUN-002", "RUN-001"]
    out = json.loads(said("log", "table", "--log", "runs", "--json", cwd=logged))
    assert float(rows[0]["score.f1"]) == out[1]["score.f1"]
    said("log", "table", "--log", "runs", "--out", tmp_path / "t.jsonl", cwd=logged)
    assert len((tmp_path / "t.jsonl").read_text().splitlines()) == 2


def test_note_changes_nothing_else(logged: Path, tmp_path: Path) -> None:
    shutil.copytree(logged / "runs", tmp_path / "runs")
    before = json.loads(said("log", "show", "2", "--json", "--log", "runs", cwd=tmp_path))
    assert said("log", "note", "RUN-002", "worse", "--log", "runs", cwd=tmp_path) == ""
    done = said("log", "note", "RUN-002", 'better "now"', "--log", "runs", "--json", cwd=tmp_path)
    after = json.loads(said("log", "show", "2", "--json", "--log", "runs", cwd=tmp_path))
    assert after == json.loads(done) == before | {"note": 'better "now"'}


def test_two_branches_that_made_the_same_number(logged: Path, tmp_path: Path) -> None:
    shutil.copytree(logged / "runs", tmp_path / "runs")
    (second,) = (tmp_path / "runs").glob("RUN-002-*")
    shutil.copytree(second, tmp_path / "runs" / "RUN-002-score-zzzz")
    text = said("log", "--log", "runs", cwd=tmp_path)
    assert [line.split()[0] for line in text.splitlines()[3:]] == ["RUN-001", second.name, "RUN-002-score-zzzz"]
    done = run("log", "show", "2", "--log", "runs", cwd=tmp_path)
    assert done.returncode == 2
    assert "2 experiments have the id 2. Use the folder" in done.stderr
    text = said("log", "compare", second.name, "RUN-002-score-zzzz", "--log", "runs", cwd=tmp_path)
    assert "have the same counts in every sentence: F1 " in text


def test_a_damaged_record_is_a_warning_in_the_list(logged: Path, tmp_path: Path) -> None:
    shutil.copytree(logged / "runs", tmp_path / "runs")
    (first,) = (tmp_path / "runs").glob("RUN-001-*")
    (first / "scores.json").write_text("{")
    done = run("log", "--log", "runs", "--json", cwd=tmp_path)
    assert done.returncode == 0
    assert [one["id"] for one in json.loads(done.stdout)] == ["RUN-002"]
    place = Path("runs") / first.name / "scores.json"
    assert done.stderr.startswith(f"karatage: warning: skipped {place}: invalid JSON")
    assert len(done.stderr.splitlines()) == 1
    broken = run("log", "show", "1", "--log", "runs", cwd=tmp_path)
    assert broken.returncode == 2
    assert broken.stderr.startswith(f"karatage: {place}: invalid JSON")


def test_one_column_file_and_standard_input(tmp_path: Path) -> None:
    """Gold and predictions in one file can be kept; what comes from standard input cannot."""
    both = "Ana B-PER B-PER\nLee I-PER O\n\nRom B-LOC B-LOC\n\n"
    (tmp_path / "both.conll").write_text(both)
    for name in ("a", "b"):
        done = run("score", "both.conll", "--like", "conlleval", "--log", "log", "--note", name, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    text = said("log", "compare", "1", "2", "--log", "log", "--resamples", 20, cwd=tmp_path)
    assert "have the same counts in every sentence: F1 " in text
    done = run("score", "-", "--like", "conlleval", "--log", "log", cwd=tmp_path, stdin=both)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("karatage: logged as RUN-003 in log, without its predictions")
    text = said("log", "compare", "1", "3", "--log", "log", cwd=tmp_path)
    assert "No test of RUN-001 against RUN-003: the log has no predictions of RUN-003." in text


def test_a_profile_of_the_user_and_search(logged: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('base = "exact"\nheadline = "recall"\n')
    demo = logged
    for name in ("lexicon", "context"):
        done = run(
            "score", demo / "gold.conll", demo / f"{name}.conll", "--like", "mine.toml", "--log", "log", cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
    (tmp_path / "mine.toml").unlink()
    out = json.loads(said("log", "compare", "1", "2", "--log", "log", "--resamples", 20, "--json", cwd=tmp_path))
    assert list(out["test"]["metrics"]) == ["recall"]
    for name in ("bm25", "trigrams"):
        done = run("score", demo / "search.qrels", demo / f"{name}.run", "--log", "search", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    out = json.loads(said("log", "compare", "1", "2", "--log", "search", "--resamples", 20, "--json", cwd=tmp_path))
    assert out["test"]["units"] > 0


def test_plots(tmp_path: Path) -> None:
    from karatage.experiments import EpochEntry, ExperimentLog, NewExperiment

    epochs = tuple(EpochEntry(k, 1 / k, 1.0, {"f1": k / 4}) for k in (1, 2, 3))
    ExperimentLog(tmp_path / "log").add(NewExperiment(kind="train", model="crf", epochs=epochs, best_epoch=2))
    assert said("log", "plot", "1", "--log", "log", "--out", "c.svg", cwd=tmp_path) == ""
    assert "2: 0.5000" in (tmp_path / "c.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["log", "show", "RUN-03"], "Did you mean 'RUN-00"),
        (["log", "--by", "f2"], "unknown metric 'f2'"),
        (["log", "compare", "1", "1"], "needs two different experiments"),
        (["log", "compare", "1", ","], "needs two experiments, e.g. RUN-003 RUN-007"),
        (["log", "plot", "--out", "c.gif"], "c.gif: unknown extension. Use .svg, .png or .html"),
        (["log", "table", "--out", "t.doc"], "t.doc: unknown extension"),
        (["log", "--log", "gold.conll"], "gold.conll: this is a file, not the folder of an experiment log"),
        (["score", "gold.conll", "context.conll", "--note", "x"], "--note needs --log FOLDER"),
        (
            ["score", "gold.conll", "context.conll", "--log", "gold.conll"],
            "this is a file, not the folder of an experiment log",
        ),
    ],
)
def test_errors_are_one_message_and_exit_code_2(logged: Path, arguments: list[str], message: str) -> None:
    own = ["--log", "runs"] if arguments[0] == "log" and "--log" not in arguments else []
    done = run(*arguments, *own, cwd=logged)
    assert done.returncode == 2, done.stdout
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"), [(["plot"], "missing option '--out'"), (["export", "mlfow"], "'mlfow' is not")]
)
def test_calls_that_are_incomplete(logged: Path, arguments: list[str], message: str) -> None:
    done = run("log", *arguments, cwd=logged)
    assert done.returncode == 2
    assert message in done.stderr


def test_as_a_process_of_its_own(logged: Path) -> None:
    words = [sys.executable, "-m", "karatage", "log", "--log", "runs"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=logged, check=True)
    assert done.stdout == said("log", "--log", "runs", cwd=logged)


def test_help_stays_light() -> None:
    script = "import karatage.cli.log, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"numpy", "polars", "scipy", "torch", "mlflow"}


def test_the_record_is_written_before_anything_is_printed(logged: Path, tmp_path: Path) -> None:
    """`| head` closes the pipe while the tables are printed."""
    code = "import sys; from karatage.cli import main; sys.argv[0] = 'karatage'; main()"
    done = subprocess.Popen(
        [sys.executable, "-c", code, "score", "gold.conll", "context.conll", "--resamples", "50", "--log", tmp_path],
        cwd=logged,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert done.stdout is not None
    done.stdout.close()
    assert done.wait(120) == 1  # as for any reader that goes away
    assert done.stderr is not None
    assert b"Traceback" not in done.stderr.read()
    done.stderr.close()
    (record,) = json.loads(said("log", "--log", tmp_path, "--json"))
    assert (record["id"], record["kept"]["predictions"][:11]) == ("RUN-001", "predictions")


def test_explaining_experiments(logged: Path, tmp_path: Path) -> None:
    """The same as explaining their files, with the profile of the log; one page for both."""
    short = ["--resamples", 0, "--no-gold-check"]
    ours = json.loads(said("log", "explain", "1", "--log", "runs", *short, "--json", cwd=logged))
    files = json.loads(said("explain", "gold.conll", "lexicon.conll", *short, "--json", cwd=logged))
    (one,), (other,) = ours["systems"].values(), files["systems"].values()
    assert list(ours["systems"]) == ["RUN-001"]
    assert one["kinds"] == other["kinds"]
    done = run(
        "log", "explain", "RUN-001", "RUN-002", "--log", "runs", *short, "--html", tmp_path / "p.html", cwd=logged
    )
    assert done.returncode == 0, done.stderr
    assert "page written to" in done.stderr
    page = (tmp_path / "p.html").read_text()
    assert "RUN-001" in page
    assert "RUN-002" in page
    changed = said("log", "explain", "1", "2", "--diff", "--log", "runs", *short, cwd=logged)
    assert "fixed and broken by label" in changed


def test_an_explanation_keeps_the_profile(tmp_path: Path) -> None:
    """Runs of tags stay runs, and both profiles together are refused."""
    rows = ["Record Number\tCategory\tTitle\tToken\tTag"]
    tagged = [("A", "X"), ("BMW", "M"), ("VW", "M")]
    rows += [f"{k}\t{k}\tA BMW VW\t{token}\t{tag}" for k in (1, 2) for token, tag in tagged]
    (tmp_path / "gold.tsv").write_text("\n".join(rows) + "\n")
    (tmp_path / "pred.tsv").write_text(
        "\n".join(rows).replace("BMW\tM\n1\t1\tA BMW VW\tVW\tM", "BMW\tM\n1\t1\tA BMW VW\tVW\t")
    )
    for like in ("ebay-2025-runs", "ebay-2025"):
        run("score", "gold.tsv", "pred.tsv", "--like", like, "--resamples", 0, "--log", "log", cwd=tmp_path)
    text = said("log", "explain", "1", "--log", "log", "--resamples", 0, cwd=tmp_path)
    assert "profile ebay-2025-runs" in text
    assert "4 gold · 4 predicted · 4 correct" in text
    done = run("log", "explain", "1", "2", "--log", "log", cwd=tmp_path)
    assert done.returncode == 2
    assert "scored with different profiles (RUN-001 with ebay-2025-runs, RUN-002 with ebay-2025)" in done.stderr
    assert "label in category 1" in said("log", "explain", "2", "--log", "log", "--resamples", 0, cwd=tmp_path)


def test_what_cannot_be_explained(logged: Path) -> None:
    for arguments, message in (
        (["1", "1"], "name one or more different experiments to explain"),
        (["exp-001"], "'exp-001' is a preset, not an experiment. No experiment in this log was trained with it"),
        (["1", "--title", "x"], "--title needs --html FILE"),
        (["1", "--html", "p.txt"], "p.txt"),
    ):
        done = run("log", "explain", *arguments, "--log", "runs", cwd=logged)
        assert done.returncode == 2
        assert message in done.stderr
