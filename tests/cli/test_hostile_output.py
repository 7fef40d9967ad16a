"""Every command, with hostile labels, ids, file names, notes and options: nothing that it prints steers a terminal."""

from __future__ import annotations

import csv
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from tests.command import run

from karatage._printing import visible, visible_lines
from karatage.cli import application
from karatage.experiments import EpochEntry, ExperimentLog, NewExperiment

# A colour, a title, a link, C1's own start of a sequence, an override of direction, a line separator, a return, a tag.
BAD = "\x1b[31m\x1b]0;t\x07\x1b]8;;x:y\x1b\\\x9b2J\u202e\u2066\u2028\r\U000e0041"
NAME = f"n{BAD}"
"""A file name: all but a slash and a null may stand in one."""
GOLD, PRED, LOG = f"{NAME}.jsonl", f"{NAME}2.jsonl", f"{NAME}log"
TAGGED = "Anna\tB-PER\nlacht\tO\n\nWien\tB-LOC\nlacht\tO\n\n"


def rows(labels: tuple[str, str]) -> str:
    """Return four texts with two entities each, in Doccano's format."""
    texts = [f"Anna{k} {BAD}lacht in Wien" for k in range(4)]
    end = len(texts[0])
    return "".join(
        json.dumps({"id": f"{k}{BAD}", "text": text, "label": [[0, 5, labels[0]], [end - 4, end, labels[1]]]}) + "\n"
        for k, text in enumerate(texts)
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose files have hostile names and contents."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / f"{NAME}.jsonl").write_text(rows((f"PER{BAD}", f"LOC{BAD}")))
    (folder / f"{NAME}2.jsonl").write_text(rows((f"PER{BAD}", f"ORG{BAD}")))
    (folder / f"{NAME}.qrels").write_text(f"q{visible(BAD)} 0 d\x1b[31m\u202e 1\nq2 0 e\x9b 1\n")
    (folder / f"{NAME}.run").write_text("q2 Q0 e\x9b 1 1.0 x\u202e\nq3\x1b[0m Q0 e 1 1.0 x\n")
    (folder / f"{NAME}.conll").write_text(TAGGED * 9)
    (folder / f"{NAME}.toml").write_text(f'model = "{visible(BAD)}\\u001b"\n')
    (folder / f"{NAME}.tsv").write_text(f"1\t2\t{BAD}\n")
    (folder / f"{NAME}.txt").write_text("Anna\nlacht\n")
    (folder / f"{NAME}.json").write_text(json.dumps([{"id": BAD, "data": {"text": BAD}}]))
    (folder / f"{NAME}.csv").write_text(f"item,text,answer,annotator\n{visible(BAD)}\x9b,t\u202e,yes,\x1b[31m\n")
    (folder / "board.csv").write_text(',Recall,Recall-95CI%,correct,incorrect\ns\x1b[31m\u202e,0.5,"(0.4, 0.6)",5,5\n')
    (folder / "broken.csv").write_text(",Recall,Recall-95CI%,correct,incorrect,x\x9b\ns\x1b[0m,1,2,3,4\n")
    make_clicks(folder)
    log = ExperimentLog(folder / f"{NAME}log")
    for number in (1, 2):
        epochs = tuple(EpochEntry(k, 1 / k, 1.0, {f"f1{BAD}": k / 4}) for k in (1, 2))
        log.add(
            NewExperiment(
                kind="train", model=f"crf{BAD}", note=f"{number}{BAD}", epochs=epochs, metric=f"f1{BAD}", best_epoch=2,
                config={f"set{BAD}": BAD}, split=BAD, model_folder=BAD, preset=BAD, config_line=BAD,
            )
        )  # fmt: skip
    done = run("score", GOLD, PRED, "--log", LOG, "--note", BAD, cwd=folder)
    assert done.returncode == 0, done.stderr
    make_benchmark(folder)
    return folder


def make_clicks(folder: Path) -> None:
    """Write the logs of a search page and of an interleaving experiment."""
    with (folder / f"{NAME}.events.jsonl").open("w") as out:
        for number in range(40):
            for position in (1, 2):
                event = {
                    "action_name": "impression",
                    "query_id": f"{number}{BAD}",
                    "session_id": f"{number // 2}{BAD}",
                    "user_query": f"q{BAD}",
                    "event_attributes": {
                        "object": {"object_id": f"{position}{BAD}"},
                        "position": {"ordinal": position},
                    },
                }
                out.write(json.dumps(event) + "\n")
                if number % 5 == position:
                    out.write(json.dumps({**event, "action_name": "click"}) + "\n")
    with (folder / f"{NAME}.clicks.jsonl").open("w") as out:
        for number in range(40):
            teams = [f"a{BAD}", f"b{BAD}"][:: 1 - 2 * (number % 2)]  # each is first in half of them
            out.write(json.dumps({"query": BAD, "session": f"{number}{BAD}", "teams": teams, "clicks": [1]}) + "\n")


def make_benchmark(folder: Path) -> None:
    """Draw all entities, with their labels as strata, and label them as two annotators who differ once."""
    draw = f"{NAME}draw"
    done = run("recall", "draw", "--candidates", GOLD, "--out", draw, "--label", f"PER{BAD}", cwd=folder)
    assert done.returncode == 0, done.stderr
    with (folder / draw / "tasks.csv").open(newline="", encoding="utf-8-sig") as stream:
        tasks = list(csv.DictReader(stream))
    for annotator in (f"a{BAD}", f"b{BAD}"):
        with (folder / f"{annotator}.csv").open("w", newline="") as out:
            writer = csv.DictWriter(out, [*tasks[0], "annotator"])
            writer.writeheader()
            for number, task in enumerate(tasks):
                answer = f"no{BAD}" if annotator.startswith("b") and not number else "yes"
                writer.writerow({**task, "answer": answer, "annotator": annotator})
    done = run("recall", "import", draw, f"a{BAD}.csv", f"b{BAD}.csv", cwd=folder)
    assert done.returncode == 0, done.stderr


EXTRACTION = ("--resamples", "20")
WITH_JSON: list[tuple[str, ...]] = [
    ("score", GOLD, PRED, *EXTRACTION),
    ("score", GOLD, PRED, "--confusion", "--errors", "9", "--levels", *EXTRACTION),
    ("score", f"{NAME}.qrels", f"{NAME}.run", "--by-unit", *EXTRACTION),
    ("compare", GOLD, f"{BAD}={PRED}", f"b={GOLD}", *EXTRACTION),
    ("compare", f"{NAME}.qrels", f"{BAD}={NAME}.run", f"{NAME}.run", "--diff", *EXTRACTION),
    ("explain", GOLD, PRED, *EXTRACTION),
    ("explain", GOLD, PRED, GOLD, "--diff", *EXTRACTION),
    ("describe", GOLD, "--against", PRED),
    ("describe", f"{NAME}.qrels"),
    ("agree", f"{NAME}.qrels", f"{NAME}.qrels"),
    ("gate", GOLD, PRED, "--min", "f1=0.1", "--baseline", GOLD, "--max-drop", "0.5", "--resamples", "20"),
    ("pull-request", GOLD, PRED, "--baseline", GOLD, "--min", "f1=0.1", "--max-drop", "0.5", "--resamples", "20"),
    ("plan", GOLD, PRED, "--difference", "0.1", *EXTRACTION),
    ("train", f"{NAME}.conll", "--model", "crf", "--set", "iterations=1", "--out", f"{NAME}model"),
    ("tag", f"{NAME}model", f"{NAME}.conll", "--out", f"{NAME}.tagged.conll"),
    ("submit", f"{NAME}.tsv", "--check"),
    ("convert", GOLD, f"{NAME}.out.conll"),
    ("clicks", "judge", f"{NAME}.events.jsonl", "--out", f"{NAME}.clicks.csv"),
    ("clicks", "interleave", f"{NAME}.clicks.jsonl"),
    ("clicks", "plan", f"{NAME}.clicks.jsonl"),
    ("formats",),
    ("profiles",),
    ("metrics",),
    ("demo-data", "ebay", "--records", "20", "--out", f"{NAME}demo", "--force"),
    ("recall", "draw", "--candidates", GOLD, "--out", f"{NAME}draw2", "--force"),
    ("recall", "import", f"{NAME}draw", f"a{BAD}.csv"),
    ("recall", "adjudicate", f"{NAME}draw"),
    ("recall", "adjudicate", f"a{BAD}.csv", f"b{BAD}.csv"),
    ("recall", "lint", f"{NAME}draw"),
    ("recall", "plan", f"{NAME}draw"),
    ("recall", "estimate", f"{NAME}draw", "--predictions", PRED, "--name", BAD),
    ("recall", "board", "board.csv"),
    ("log", "list", "--log", LOG),
    ("log", "looks", "--log", LOG),
    ("log", "show", "1", "--log", LOG),
    ("log", "show", "3", "--log", LOG),
    ("log", "compare", "1", "2", "--log", LOG),
    ("log", "explain", "3", "--log", LOG),
    ("log", "table", "--log", LOG),
    ("log", "note", "1", BAD, "--log", LOG),
]
"""Calls of commands that also print JSON."""
PLAIN: list[tuple[str, ...]] = [
    ("sweep", f"{NAME}.toml", GOLD, "--out", f"{NAME}sweep"),
    ("ensemble", f"{NAME}model", f"{NAME}2", "--out", f"{NAME}3"),
    ("sigir19", "-g", f"{NAME}.tsv", "-p", f"{NAME}.tsv"),
    ("demo", f"{NAME}.jsonl"),
    ("recall", "import", f"{NAME}draw", f"{NAME}.csv"),
    ("recall", "import", f"{NAME}draw", f"{NAME}.json"),
    ("recall", "adjudicate", f"{NAME}.csv", f"{NAME}.csv"),
    ("recall", "repair", f"{NAME}draw", "--exports", ".", "--out", f"{NAME}repaired"),
    ("recall", "lint", f"{NAME}.csv"),
    ("recall", "estimate", f"{NAME}draw", "--tagger", f"{NAME}:f"),
    ("recall", "pool", f"{NAME}draw", f"{NAME}2"),
    ("recall", "board", "broken.csv"),
    ("recall", "board", "board.csv", "--markdown"),
    ("recall", "board", f"{NAME}", f"{BAD}={NAME}.json"),
    ("log", "markdown", "--log", LOG, "--title", BAD),
    ("log", "plot", "--log", LOG, "--out", f"{NAME}.html"),
    ("log", "plot", "--log", LOG, "--out", f"{NAME}.x"),
    ("log", "export", "mlflow", "--log", f"{NAME}.jsonl"),
    ("log", "export", BAD, "--log", LOG),
    ("explain", GOLD, PRED, "--html", f"{NAME}.html", "--title", BAD, "--export", f"{NAME}.e.csv", *EXTRACTION),
    ("gate", GOLD, PRED, "--min", f"{BAD}=1"),
    ("pull-request", GOLD, PRED, "--base", BAD, "--comment"),
    ("badge", f"{NAME}.json", f"{NAME}.svg"),
    ("clicks", "judge", f"{NAME}.json"),
    ("clicks", "interleave", f"{NAME}.csv"),
    ("score", GOLD, PRED, "-m", f"recall[PER{BAD}]", *EXTRACTION),
    ("score", f"{NAME}.missing", PRED),
    ("score", GOLD, f"{NAME}.toml"),
]


def called(words: tuple[str, ...]) -> str:
    """Name a case by what is plain in it."""
    return " ".join(word for word in words if word.isprintable())


def every_command() -> Iterator[tuple[str, ...]]:
    """Yield the words of each command."""
    found = typer.main.get_command(application())
    for name, command in found.commands.items():  # type: ignore[attr-defined]  # it is a group
        inside = getattr(command, "commands", {})
        yield from ((name, own) for own in inside) if inside else [(name,)]


def raw(text: str) -> list[str]:
    """Return the lines with a character that should have been made visible."""
    return [line for line in text.split("\n") if visible(line) != line]


def harmless(done: subprocess.CompletedProcess[str]) -> None:
    assert raw(done.stdout) == []
    assert raw(done.stderr) == []
    assert "Traceback" not in done.stderr


def test_every_command_is_called_here() -> None:
    called = {words[:2] if words[0] in ("recall", "log", "clicks") else words[:1] for words in (*WITH_JSON, *PLAIN)}
    assert called == set(every_command())


@pytest.mark.parametrize("words", [*WITH_JSON, *PLAIN], ids=called)
def test_nothing_raw_is_printed(folder: Path, words: tuple[str, ...]) -> None:
    done = run(*words, cwd=folder)
    if words[:2] == ("log", "table"):
        done.stdout = ""  # CSV in a pipe is data, and exact
    harmless(done)
    assert done.returncode != 2 or words in PLAIN, done.stderr


@pytest.mark.parametrize("words", WITH_JSON, ids=called)
def test_json_is_harmless_and_exact(folder: Path, words: tuple[str, ...]) -> None:
    if words[0] == "train":
        words = (*words, "--force")
    done = run(*words, "--json", cwd=folder)
    harmless(done)
    if words[:2] == ("score", GOLD):
        assert set(json.loads(done.stdout)["by_label"]) == {f"PER{BAD}", f"LOC{BAD}", f"ORG{BAD}"}
    elif words[:2] == ("log", "list"):
        assert json.loads(done.stdout)[0]["config"] == {f"set{BAD}": BAD}
    elif done.returncode != 2:
        json.loads(done.stdout)


@pytest.mark.parametrize("words", list(every_command()), ids=" ".join)
@pytest.mark.parametrize("wrong", [(f"--{BAD}",), (BAD, BAD, BAD, BAD), ("--json", f"--metric={BAD}", f"--log={BAD}")])
def test_wrong_calls_are_answered_visibly(tmp_path: Path, words: tuple[str, ...], wrong: tuple[str, ...]) -> None:
    """Also by what Typer says: unknown options, unexpected arguments, invalid values."""
    if words == ("demo",) and wrong[0] == BAD:
        pytest.skip("a folder of any name is fine")
    done = run(*words, *wrong, cwd=tmp_path)
    harmless(done)


def test_an_unknown_command_is_named_visibly() -> None:
    for words in ((BAD,), ("log", BAD), ("recall", BAD)):
        done = run(*words)
        harmless(done)
        assert done.returncode == 2


def test_the_drop_ins_say_their_messages_visibly(capsys: pytest.CaptureFixture[str]) -> None:
    """Their output is that of the tools, byte for byte; what they complain of is ours."""
    from karatage.compat.trec_eval.trec_command import main

    assert main([NAME, NAME]) != 0
    assert main(["-m", BAD, "a", "b"]) != 0
    told = capsys.readouterr().err
    assert "karatage: " in told
    assert visible_lines(told) == told
