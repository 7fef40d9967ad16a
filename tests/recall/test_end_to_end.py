"""From a corpus whose truth is known to a leaderboard, through the commands, with annotators who are played."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.recall.test_cli import ok, refused, run

from karatage.recall import read_benchmark
from karatage.recall.drawing.draw_folder import read_draw

NAMES = ["Como", "Erie", "Võrts", "Van", "Ladoga 🌊"]


def corpus(path: Path, lines: int = 4000) -> dict[str, int]:
    """Write lines with `lake` or `river`: some name one (truth), some do not; return the entities of each stratum."""
    rng = random.Random(1)
    truth = {"lake": 0, "river": 0}
    with path.open("w", encoding="utf-8") as out:
        for number in range(lines):
            word = "lake" if number % 4 else "river"
            if rng.random() < (0.3 if word == "lake" else 0.1):
                truth[word] += 1
                text = f"🚣 number {number} on {word} {rng.choice(NAMES)} it was"
            else:
                text = f"number {number} by a {word} it was"
            seen = float(" on " in text) if rng.random() < 0.9 else rng.random()
            out.write(json.dumps({"id": f"u{number}", "text": text, "seen": seen}, ensure_ascii=False) + "\n")
    return truth


def annotate(tasks: list[dict[str, Any]], who: str, mistakes: float = 0.0, seed: int = 0) -> list[dict[str, Any]]:
    """Play an annotator: an entity stands behind `on`."""
    rng = random.Random(seed)
    out = []
    for at, task in enumerate(tasks):
        text = task["data"]["text"]
        candidate = task["predictions"][0]["result"][0]
        result = [candidate | {"origin": "prediction"}]
        is_one = (" on " in text) != (rng.random() < mistakes)
        result.append({"type": "choices", "from_name": "review", "value": {"choices": ["yes" if is_one else "no"]}})
        if is_one and " on " in text:
            start, end = text.index(" on ") + 4, text.index(" it was")
            value = {"start": start, "end": end, "text": text[start:end], "labels": ["LOC"]}
            result.append({"type": "labels", "from_name": "label", "origin": "manual", "value": value})
        rng.shuffle(result)
        said = {"completed_by": {"id": 1, "email": who}, "was_cancelled": False, "lead_time": 3.0, "result": result}
        out.append({"id": at, "data": task["data"], "annotations": [said], "predictions": [at]})
    return out


def label(folder: Path, who: str, out: Path, mistakes: float = 0.0, seed: int = 0) -> str:
    tasks = [task for path in sorted((folder / "tasks").iterdir()) for task in json.loads(path.read_text("utf-8"))]
    out.write_text(json.dumps(annotate(tasks, who, mistakes, seed)), "utf-8")
    return str(out)


TAGGER = """
def half(text):
    if " on " not in text or int(text.split("number ")[1].split()[0]) % 2:
        return []
    start, end = text.index(" on ") + 4, text.index(" it was")
    return [(start, end, "LOC")]
"""

FRAME = ("corpus.jsonl", "--pattern", "lakes=lake", "--pattern", "rivers=river", "--label", "LOC", "--assist", "seen")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    corpus(tmp_path / "corpus.jsonl")
    (tmp_path / "mine.py").write_text(TAGGER, "utf-8")
    return tmp_path


def test_from_corpus_to_board(place: Path) -> None:
    truth = corpus(place / "corpus.jsonl")
    ok("draw", *FRAME, "--size", 100, "--out", "pilot", cwd=place)
    assert "Import labels first: karatage recall import" in refused("estimate", "pilot", "--stored", cwd=place)
    ok("import", "pilot", label(place / "pilot", "ann@example.org", place / "1.json"), cwd=place)
    plan = json.loads(ok("plan", "pilot", "--margin", "0.08", "--json", cwd=place))
    assert plan["strata"][0]["seconds"] == 3.0
    assert plan["allocations"][0]["hours"] > 0
    ok("draw", *FRAME, "--size", 300, "--after", "pilot", "--out", "places", cwd=place)
    text = ok("import", "places", label(place / "places", "ann@example.org", place / "2.json"), cwd=place)
    assert "lakes" in text
    benchmark = read_benchmark(place / "places")
    assert [(s.name, s.occurrences, s.labelled, s.unresolved) for s in benchmark.strata] == [
        ("lakes", 3000, 400, 0),
        ("rivers", 1000, 400, 0),
    ]
    assert all(one.quoted.split()[0] in ("lake", "river") for one in benchmark.positives)
    estimate = ("estimate", "places", "--tagger", "mine:half", "--json")
    found = json.loads(ok(*estimate, cwd=place))
    assert found["metrics"]["recall"]["low"] < 0.5 < found["metrics"]["recall"]["high"]
    for row, word in zip(found["strata"], ("lake", "river"), strict=True):
        assert row["estimated"]["low"] < truth[word] < row["estimated"]["high"]
    helped = json.loads(ok(*estimate, "--method", "assisted", cwd=place))
    width = {
        name: one["metrics"]["recall"]["high"] - one["metrics"]["recall"]["low"]
        for name, one in (("plain", found), ("helped", helped))
    }
    assert width["helped"] <= width["plain"]
    assert helped["metrics"]["recall"]["low"] < 0.5 < helped["metrics"]["recall"]["high"]
    (place / "half.json").write_text(json.dumps(found), "utf-8")
    assert "mine:half" in ok("board", "board.csv", "half.json", "--write", cwd=place)
    assert ok("board", "board.csv", "--markdown", cwd=place).count("\n") == 5
    lint = json.loads(ok("lint", "places", "--json", cwd=place))
    assert {one["code"] for one in lint["findings"]} == set()
    description = place / "places" / "data_description.csv"
    whole = description.read_text("utf-8")
    description.write_text(whole.replace(",rivers,1000", ",streams,1000").replace("lakes,3000", "lakes,3001"), "utf-8")
    broken = json.loads(run("lint", "places", "--json", cwd=place).stdout)
    assert [one["what"] for one in broken["findings"] if one["code"] == "manifest"] == [
        "3,001 occurrences here, 3,000 in the manifest",
        "1,000 occurrences here, not in the manifest",
    ]
    description.write_text(whole, "utf-8")
    # The same once more gives the same bytes.
    ok("draw", *FRAME, "--size", 400, "--out", "once", cwd=place)
    assert read_draw(place / "once").items == read_draw(place / "places").items


def test_two_annotators_and_the_one_who_settles(place: Path) -> None:
    ok("draw", *FRAME, "--size", 50, "--out", "places", cwd=place)
    first = label(place / "places", "ann@example.org", place / "1.json")
    second = label(place / "places", "bob@example.org", place / "2.json", mistakes=0.1, seed=5)
    ok("import", "places", first, second, cwd=place)
    found = json.loads(ok("adjudicate", "places", "--out", "conflicts.json", "--json", cwd=place))
    assert found["conflicts"] > 3
    undecided = sum(row["unresolved"] for row in found["strata"])
    assert undecided == found["conflicts"]
    assert all(0 < one["choices"]["kappa"] < 1 for one in found["agreement"])
    tasks = json.loads((place / "conflicts.json").read_text("utf-8"))
    assert len(tasks) == found["conflicts"]
    assert {part.split(",")[0] for part in tasks[0]["data"]["said"].split("; ")} in (
        {"ann@example.org: yes", "bob@example.org: no"},
        {"ann@example.org: no", "bob@example.org: yes"},
    )
    (place / "settled.json").write_text(json.dumps(annotate(tasks, "carl@example.org")), "utf-8")
    done = json.loads(ok("import", "places", "settled.json", "--json", cwd=place))
    assert sum(row["unresolved"] for row in done["strata"]) == 0
    ok("import", "places", first, cwd=place)  # once more: what was settled stays settled
    assert "conflicts" not in ok("lint", "places", cwd=place)
    truth = json.loads(ok("import", "places", "settled.json", "--json", cwd=place))
    positives = [one.quoted for one in read_benchmark(place / "places").positives]
    assert truth["strata"] == done["strata"]
    assert all(quoted.split(" ", 1)[1] in NAMES for quoted in positives)


def test_a_table_in_place_of_label_studio(place: Path) -> None:
    ok("draw", *FRAME, "--size", 20, "--out", "places", cwd=place)
    import csv

    path = place / "places" / "tasks.csv"
    rows = list(csv.DictReader(path.read_text("utf-8-sig").splitlines()))
    for row in rows:
        one = " on " in row["text"]
        row["answer"] = "yes" if one else "no"
        row["entity"] = row["text"][row["text"].index(" on ") + 4 : row["text"].index(" it was")] if one else ""
    with (place / "done.csv").open("w", encoding="utf-8", newline="") as stream:
        out = csv.DictWriter(stream, list(rows[0]))
        out.writeheader()
        out.writerows(rows)
    found = json.loads(ok("import", "places", "done.csv", "--annotator", "ann", "--json", cwd=place))
    assert [row["labelled"] for row in found["strata"]] == [20, 20]
    assert sum(row["positive"] for row in found["strata"]) == sum(" on " in row["text"] for row in rows)


def test_precision_from_a_draw_of_predictions(place: Path) -> None:
    """Of 40 predictions, 30 are a lake with its name, 10 lack the last letter: all are looked at."""
    rows = []
    for at in range(40):
        text = f"number {at} on lake Como it was"
        end = text.index(" it was") - (at >= 30)
        rows.append({"id": str(at), "text": text, "spans": [{"start": text.index("lake"), "end": end, "label": "LOC"}]})
    (place / "said.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    ok("draw", "--candidates", "said.jsonl", "--label", "LOC", "--out", "precision", cwd=place)
    ok("import", "precision", label(place / "precision", "ann", place / "p.json"), cwd=place)
    ok("draw", *FRAME, "--size", 300, "--out", "places", cwd=place)
    ok("import", "places", label(place / "places", "ann", place / "1.json"), cwd=place)
    common = ("estimate", "places", "--tagger", "mine:half", "--json", "--precision")
    found = json.loads(ok(*common, "precision", cwd=place))
    assert found["metrics"]["precision"]["value"] == 0.75
    assert found["metrics"] == json.loads(ok(*common, "30/40/40", cwd=place))["metrics"]
    assert "the candidates are not predictions" in refused(*common, "places", cwd=place)
    itself = json.loads(ok("estimate", "precision", "--tagger", "mine:half", "--json", cwd=place))
    assert itself["warnings"][0].startswith("the candidates are predictions of a tagger")


def test_a_short_table(place: Path) -> None:
    """Item, text and answer suffice: the draw knows where the candidate stands."""
    ok("draw", *FRAME, "--size", 3, "--out", "places", cwd=place)
    rows = [(one.item, one.text) for one in read_draw(place / "places").items]
    (place / "done.csv").write_text("item,text,answer\n" + "".join(f"{i},{t},yes\n" for i, t in rows), "utf-8")
    found = json.loads(ok("import", "places", "done.csv", "--json", cwd=place))
    assert [(row["positive"], row["unresolved"]) for row in found["strata"]] == [(3, 0), (3, 0)]
    assert {one.quoted for one in read_benchmark(place / "places").positives} == {"lake", "river"}


def test_labels_of_another_draw(place: Path) -> None:
    ok("draw", *FRAME, "--size", 5, "--out", "places", cwd=place)
    ok("draw", *FRAME, "--size", 5, "--seed", 3, "--out", "others", cwd=place)
    path = label(place / "others", "ann", place / "1.json")
    message = refused("import", "places", path, cwd=place)
    assert "differs from the draw" in message or "is not in the draw" in message
    items = place / "places" / "items.csv"
    items.write_text(items.read_text("utf-8").replace("number", "nummer", 1), "utf-8")
    assert "items.csv was changed after the draw" in refused("import", "places", path, cwd=place)
    assert not (place / "places" / "labels.jsonl").exists()


def test_failures_that_count_as_misses_in_an_assisted_estimate(place: Path) -> None:
    """A tagger that breaks where `half` finds nothing has the recall of `half`."""
    (place / "breaks.py").write_text(
        "import mine\n"
        "def half(text):\n"
        "    found = mine.half(text)\n"
        "    if not found:\n"
        "        raise ValueError('nothing here')\n"
        "    return found\n",
        "utf-8",
    )
    ok("draw", *FRAME, "--size", 60, "--out", "places", cwd=place)
    ok("import", "places", label(place / "places", "ann", place / "1.json"), cwd=place)
    options = ("--method", "assisted", "--json")
    whole = json.loads(ok("estimate", "places", "--tagger", "mine:half", *options, cwd=place))
    assert 0 < whole["counts"]["correct"] < len(read_benchmark(place / "places").positives)
    broken = json.loads(ok("estimate", "places", "--tagger", "breaks:half", "--failed", "miss", *options, cwd=place))
    assert broken["metrics"] == whole["metrics"]
    assert broken["counts"] == whole["counts"]


def test_labels_find_their_items_by_id_or_by_text(place: Path) -> None:
    """A text that was changed after the draw is refused; an item with another id is found by its text."""
    ok("draw", *FRAME, "--size", 5, "--out", "places", cwd=place)
    path = Path(label(place / "places", "ann", place / "1.json"))
    tasks = json.loads(path.read_text("utf-8"))
    item = tasks[0]["data"]["item"]
    tasks[0]["data"]["text"] += "!"
    path.write_text(json.dumps(tasks), "utf-8")
    assert f"the text of item '{item}' differs from the draw" in " ".join(
        refused("import", "places", path, cwd=place).split()
    )
    tasks[0]["data"]["text"] = tasks[0]["data"]["text"][:-1]
    tasks[0]["data"]["item"] = "renamed"
    path.write_text(json.dumps(tasks), "utf-8")
    found = json.loads(ok("import", "places", path, "--json", cwd=place))
    assert [row["labelled"] for row in found["strata"]] == [5, 5]


def test_labels_beside_an_older_benchmark(tmp_path: Path) -> None:
    """An import that is killed after it wrote the labels leaves the benchmark of the labels before."""
    corpus(tmp_path / "corpus.jsonl", 100)
    (tmp_path / "mine.py").write_text(TAGGER)
    frame = ("corpus.jsonl", "--pattern", "lakes=lake", "--label", "LOC", "--size", "10", "--out", "places")
    assert run("draw", *frame, cwd=tmp_path).returncode == 0
    for name, mistakes in (("ann", 0.0), ("bob", 1.0)):
        label(tmp_path / "places", name, tmp_path / f"{name}.json", mistakes=mistakes)
    estimate = ("estimate", "places", "--tagger", "mine:half", "--json")
    assert run("import", "places", "ann.json", cwd=tmp_path).returncode == 0
    shutil.copytree(tmp_path / "places", tmp_path / "old")
    assert "labels.jsonl" not in run(*estimate, cwd=tmp_path).stdout
    assert run("import", "places", "bob.json", cwd=tmp_path).returncode == 0
    (tmp_path / "old" / "labels.jsonl").write_bytes((tmp_path / "places" / "labels.jsonl").read_bytes())
    shutil.rmtree(tmp_path / "places")
    (tmp_path / "old").rename(tmp_path / "places")
    (warning,) = [one for one in json.loads(run(*estimate, cwd=tmp_path).stdout)["warnings"] if "labels.jsonl" in one]
    assert (
        "stratum 'lakes': labels.jsonl gives 10 labelled, 0 positive and 10 undecided" in warning
    )  # bob always disagrees
    assert "but the benchmark has 10 labelled, " in warning
