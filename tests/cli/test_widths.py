"""Every command in terminals of 80 and of 200 columns: tables fit the first, and are complete in the second."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from tests.cli.test_hostile_output import every_command
from tests.command import run

from karatage.demo import copy
from karatage.experiments import EpochEntry, ExperimentLog, NewExperiment

LABELS = (
    "Außenspiegel-Gehäuse-elektrisch-verstellbar-links",
    "Außenspiegel-Gehäuse-elektrisch-verstellbar-rechts",
    "互換車両の製造業者番号と型式",  # two cells each
    "Za\u0308hnezahl-der-Antriebsra\u0308der",  # combining marks take none
)
NAMES = ("transformer-large-finetuned-seed-1", "transformer-large-finetuned-seed-2", "lexicon-of-known-car-parts")
"""The longest are as long as 80 columns need to be shortened, and 200 do not."""
GOLD, ONE, OTHER = "gold.jsonl", f"{NAMES[0]}.jsonl", f"{NAMES[1]}.jsonl"
LOG = "log-of-all-experiments"
DRAW = "draw-of-car-parts"
SMALL = ("--resamples", "20")
MAPPED = [word for label in LABELS[:3] for word in ("--map", f"{label}=part")]


def rows(wrong: int) -> str:
    """Return twelve texts with two entities each, in Doccano's format; every so many have another label."""
    out = []
    for k in range(12):
        first, second = LABELS[k % 4], LABELS[(k + 1 + (wrong and k % wrong == 0)) % 4]
        text = f"Spiegel{k:02} für Golf{k:02} passend"
        entities = [[0, 9, first], [14, 20, second]]
        row = {"id": f"listing-of-a-car-part-{k}", "text": text, "label": entities, "category": f"category {k % 3}"}
        out.append(json.dumps(row, ensure_ascii=False) + "\n")
    return "".join(out)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo files, and others with long names of files, labels, texts and experiments."""
    folder = tmp_path_factory.mktemp("widths")
    copy(folder / "demo")
    (folder / GOLD).write_text(rows(0))
    (folder / ONE).write_text(rows(3))
    (folder / OTHER).write_text(rows(2))
    (folder / "train.conll").write_text("Anna\tB-PER\nlacht\tO\n\nWien\tB-LOC\nlacht\tO\n\n" * 9)
    (folder / "grid.toml").write_text(
        'model = "crf"\nseeds = [1]\n[set]\niterations = 1\n[[variants]]\nname = "without-any-regularisation"\n'
        'c2 = 0.01\n[[variants]]\nname = "with-strong-regularisation"\nc2 = 1.0\n'
    )
    for way in ("human", "model"):
        grades = [(q, d, (q + d * (way == "human")) % 3) for q in range(6) for d in range(4)]
        name = "0 electric-window-regulator-front-left"
        lines = (f"query-about-car-parts-{q} {name}-{d} {grade}\n" for q, d, grade in grades)
        (folder / f"{way}.qrels").write_text("".join(lines))
    log = ExperimentLog(folder / LOG)
    for number in (1, 2):
        epochs = tuple(EpochEntry(k, 1 / k, 1.0, {"f1": k / 90}) for k in range(1, 61))
        config = {"hidden_size_of_the_encoder": number * 100, "initialisation_of_the_embeddings": "uniform"}
        log.add(
            NewExperiment(
                kind="train", model="bilstm-crf", note="the best so far", epochs=epochs, metric="f1", best_epoch=60,
                config=config, model_folder="models/of/a/training",
            )
        )  # fmt: skip
    for system in (ONE, OTHER):
        assert run("score", GOLD, system, "--log", LOG, "--note", "scored", cwd=folder).returncode == 0
    make_benchmark(folder, "smaller-draw", "--size", "3")
    make_benchmark(folder, DRAW)
    make_clicks(folder)
    return folder


def make_benchmark(folder: Path, draw: str, *options: str) -> None:
    """Draw entities, with their labels as strata, and label them as two annotators who differ once."""
    options = ("--candidates", GOLD, "--out", draw, "--label", "part", *options)
    assert run("recall", "draw", *options, cwd=folder).returncode == 0
    with (folder / draw / "tasks.csv").open(newline="", encoding="utf-8-sig") as stream:
        tasks = list(csv.DictReader(stream))
    for annotator in ("ann", "ben"):
        with (folder / f"{annotator}.csv").open("w", newline="") as out:
            writer = csv.DictWriter(out, [*tasks[0], "annotator"])
            writer.writeheader()
            for number, task in enumerate(tasks):
                answer = "no" if annotator == "ben" and not number else "yes"
                writer.writerow({**task, "answer": answer, "annotator": annotator})
    assert run("recall", "import", draw, "ann.csv", "ben.csv", cwd=folder).returncode == 0
    for name, system in (("one", ONE), ("other", OTHER)):
        done = run("recall", "estimate", draw, "--predictions", system, *MAPPED, "--json", cwd=folder)
        (folder / f"{name}.json").write_text(done.stdout)


def make_clicks(folder: Path) -> None:
    """Write the logs of a search page and of an interleaving experiment."""
    with (folder / "events.jsonl").open("w") as out:
        for number in range(40):
            for position in (1, 2):
                place = {"object": {"object_id": f"{position}"}, "position": {"ordinal": position}}
                event = {"action_name": "impression", "query_id": f"{number}", "user_query": "spiegel golf"}
                event |= {"session_id": f"{number // 2}", "event_attributes": place}  # type: ignore[dict-item]
                out.write(json.dumps(event) + "\n")
                if number % 5 == position:
                    out.write(json.dumps({**event, "action_name": "click"}) + "\n")
    with (folder / "interleaving.jsonl").open("w") as out:
        for number in range(40):
            teams = list(NAMES[:2])[:: 1 - 2 * (number % 2)]  # each is first in half of them
            row = {"query": "spiegel", "session": f"{number}", "teams": teams, "clicks": [1 + number % 3 // 2]}
            out.write(json.dumps(row) + "\n")


TAGGERS = [f"{name}=demo/{file}.conll" for name, file in zip(NAMES, ("context", "shape", "lexicon"), strict=True)]
ENGINES = [f"{name}=demo/{file}.run" for name, file in zip(NAMES, ("bm25", "trigrams", "expanded"), strict=True)]
CALLS: list[tuple[str, ...]] = [
    ("score", GOLD, ONE, *SMALL),
    ("score", GOLD, ONE, "--group-by", "category", *SMALL),
    ("score", GOLD, ONE, "--like", "semeval2013", *SMALL),
    ("score", "demo/gold.conll", "demo/context.conll", "--confusion", "--errors", "9", "--levels", *SMALL),
    ("score", "demo/gold.conll", "demo/context.conll", "-m", "recall[Kompatibles_Fahrzeug_Modell]", *SMALL),
    ("score", "demo/search.qrels", "demo/bm25.run", "--by-unit", *SMALL),
    ("compare", GOLD, *(f"{name}={file}" for name, file in zip(NAMES, (ONE, OTHER, ONE), strict=True)), *SMALL),
    ("compare", "demo/gold.conll", *TAGGERS, "--margin", "0.01", *SMALL),
    ("compare", "demo/search.qrels", *ENGINES, "--diff", *SMALL),
    ("explain", GOLD, ONE, *SMALL),
    ("explain", "demo/gold.conll", *TAGGERS[:2], "--diff", *SMALL),
    ("explain", "demo/search.qrels", *ENGINES[:2], *SMALL),
    ("describe", GOLD, "--against", ONE),
    ("describe", "demo/gold.conll"),
    ("describe", "demo/search.qrels"),
    ("agree", "human.qrels", "model.qrels"),
    ("gate", GOLD, ONE, "--min", "f1=0.1", "--baseline", OTHER, "--max-drop", "0.9", *SMALL),
    ("plan", GOLD, ONE, "--difference", "0.1", *SMALL),
    ("train", "train.conll", "--model", "crf", "--set", "iterations=1", "--out", "model", "--force", "--no-log"),
    ("sweep", "grid.toml", "train.conll", "--out", "sweep", "--jobs", "1", "--no-log"),
    ("submit", "demo/gold-values.tsv", "--check"),
    ("sigir19", "-g", "demo/sigir19/ground_truth.tsv", "-p", "demo/sigir19/predictions.tsv", *SMALL),
    ("sigir19", "-g", "demo/sigir19/ground_truth.tsv", "-p", "demo/sigir19/predictions.tsv",
     "-d", "demo/sigir19/documents.tsv", "--bins", "3,5", *SMALL),
    ("formats",),
    ("profiles",),
    ("profiles", "conlleval"),
    ("metrics",),
    ("demo",),
    ("recall", "draw", "--candidates", GOLD, "--out", "draw2", "--force"),
    ("recall", "import", DRAW, "ann.csv"),
    ("recall", "adjudicate", DRAW),
    ("recall", "lint", DRAW),
    ("recall", "repair", DRAW, "--exports", "ann.csv"),
    ("recall", "plan", DRAW, "--margin", "0.03", "--margin", "0.05"),
    ("recall", "estimate", DRAW, "--predictions", ONE, "--name", NAMES[0], *MAPPED),
    ("recall", "estimate", "demo/makers", "--stored"),
    ("recall", "pool", DRAW, "smaller-draw", "--predictions", ONE, *MAPPED),
    ("recall", "board", "board.csv", f"{NAMES[0]}=one.json", f"{NAMES[1]}=other.json", "--strata"),
    ("clicks", "judge", "events.jsonl"),
    ("clicks", "interleave", "interleaving.jsonl"),
    ("clicks", "plan", "interleaving.jsonl", "--preference", "0.6"),
    ("log", "list", "--log", LOG),
    ("log", "looks", "--log", LOG),
    ("log", "show", "1", "--log", LOG),
    ("log", "show", "3", "--log", LOG),
    ("log", "compare", "1", "2", "--log", LOG),
    ("log", "compare", "3", "4", "--log", LOG, *SMALL),
    ("log", "explain", "3", "--log", LOG),
]  # fmt: skip
WITHOUT_TABLES = {
    ("tag",), ("ensemble",), ("convert",), ("badge",), ("demo-data",), ("pull-request",),
    ("log", "markdown"), ("log", "table"), ("log", "plot"), ("log", "note"), ("log", "export"),
}  # fmt: skip
"""Commands that write a file, Markdown, CSV or a sentence."""


def test_every_command_is_called_here() -> None:
    called = {words[:2] if words[0] in ("recall", "log", "clicks") else words[:1] for words in CALLS}
    assert called | WITHOUT_TABLES == set(every_command())
    assert not called & WITHOUT_TABLES


def lines(words: tuple[str, ...], folder: Path, width: int) -> list[str]:
    """Return what a command prints in a terminal of this width, but for the commands that the demo proposes."""
    done = run(*words, cwd=folder, COLUMNS=str(width))
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.partition("Next steps")[0].splitlines()


@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_nothing_is_wider_than_80_columns(folder: Path, words: tuple[str, ...]) -> None:
    shown = lines(words, folder, 80)
    assert [line for line in shown if cell_len(line) > 80] == []
    assert [line for line in shown if "\t" in line] == []


@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_nothing_is_left_out_of_200_columns(folder: Path, words: tuple[str, ...]) -> None:
    shown = lines(words, folder, 200)
    assert [line for line in shown if cell_len(line) > 200] == []
    assert [line for line in shown if "hidden at this width" in line] == []
    assert [line for line in shown if re.search(r"\S…\S", line)] == []


COMPARISONS = [words for words in CALLS if words[0] == "compare" or words[:4] == ("log", "compare", "3", "4")]


@pytest.mark.parametrize("words", COMPARISONS, ids=" ".join)
@pytest.mark.parametrize("width", [60, 80])
def test_a_comparison_keeps_its_verdicts(folder: Path, words: tuple[str, ...], width: int) -> None:
    shown = lines(words, folder, width)
    tables = [line.split() for line in shown if line.startswith("system ") and " other " in line]
    assert tables
    assert [titles for titles in tables if titles[-1] != "verdict"] == []
    assert not any(line.strip() in ("significant", "difference", "not significant") for line in shown)
