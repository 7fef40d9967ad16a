"""There and back through a real Label Studio: two people annotate, one resolves, all counts and texts are as planned.

The server is installed into an environment of its own and runs on loopback, without analytics.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import command
from tests.browser import chromium as chromium  # a fixture
from tests.label_studio import Person, Server, installed, serving, sitting
from tests.recall.test_cli import ok, refused

import karatage
from karatage.errors import FormatError
from karatage.recall import read_benchmark, read_draw

pytestmark = pytest.mark.slow

ANN, BOB, EVE = "ann@example.org", "bob@example.org", "eve@example.org"

AGREED = {
    "🚣🚣 on lake Como 🌊 it was": "lake Como",
    "cafe\u0301 by lake E\u0301rie \u0301 end": "lake E\u0301rie",
    "first\r\nsecond 😀 lake Van\r\nthird": "lake Van",
    "<b>at</b> 😀 lake &amp; Ladoga <i>x</i> &lt;": "lake &amp; Ladoga",
    "👩‍👩‍👧 no lake here 😀": None,
    "plain lake, nothing": None,
    "tab\tlake Õisu\u00a0x 𝒳": "lake Õisu",
    "😀😀😀😀😀 lake lake lake Bled": "lake Bled",  # the third of three candidates
}
"""What both annotators say: the entity that the candidate is part of."""

ONE_SKIPS, BOTH_SKIP = "skip this lake 🤷", "both skip 😶 lake"
LATER = "later skipped: 😀 lake 🐟 x"  # ann marks lake 🐟, bob skips; later ann skips as well
CHOICES = "they disagree on 😀 lake 🙃 Foo"  # ann says yes, bob says no; eve says yes
SPANS = "spans differ at 😀 old lake 😀 Ness"  # with old or without; eve says with
TEXTS = [*AGREED, ONE_SKIPS, BOTH_SKIP, LATER, CHOICES, SPANS]

OTHERS = [
    ("JSON_MIN", "JSON-MIN", "json"),
    ("CSV", "CSV", "csv"),
    ("TSV", "TSV", "tsv"),
    ("CONLL2003", "CoNLL2003", "conll"),
]
"""Exports that lack something: their names for the server and for people, and the ending of the file."""

TAGGER = """
FOUND = ("lake Como", "lake Van", "lake Bled", "old lake 😀 Ness")
def four(text):
    return [(text.index(one), text.index(one) + len(one), "LOC") for one in FOUND if one in text]
"""


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    label_studio = installed(request.config)
    with serving(label_studio, tmp_path_factory.mktemp("label-studio"), ANN) as running:
        yield running


def planned(who: str, text: str, start: int) -> str | bool | None:
    """Return what someone is going to say of a candidate: the entity, False for no, None to skip the task."""
    if text in (ONE_SKIPS, BOTH_SKIP):
        return None if who == ANN or text == BOTH_SKIP else False
    if text == LATER:
        return "lake 🐟" if who == ANN else None
    if text == CHOICES:
        return "lake 🙃 Foo" if who == ANN else False
    if text == SPANS:
        return "lake 😀 Ness" if who == ANN else "old lake 😀 Ness"
    entity = AGREED[text]
    if entity is None:
        return False
    place = text.rindex(entity)
    return entity if place <= start < place + len(entity) else False


def answer(person: Person, task: dict[str, Any], entity: str | bool | None) -> None:
    """Submit an answer as the page in a browser does, or skip the task."""
    if entity is None:
        person.skip(task["id"])
        return
    shown = [result | {"origin": "prediction"} for result in task["predictions"][0]["result"]]
    says = {"id": "x1", "from_name": "review", "to_name": "text", "type": "choices", "origin": "manual"}
    result = [*shown, says | {"value": {"choices": ["yes" if entity else "no"]}}]
    if entity:
        text = task["data"]["text"]
        start = text.rindex(entity)
        value = {"start": start, "end": start + len(str(entity)), "text": entity, "labels": ["LOC"]}
        own = {"id": "x2", "from_name": "label", "to_name": "text", "type": "labels", "origin": "manual"}
        result.append(own | {"value": value})
    person.submit(task["id"], result)


def counts(folder: Path) -> tuple[int, int, int]:
    (stratum,) = read_benchmark(folder).strata
    return stratum.labelled, len(stratum.positives), stratum.unresolved


def test_from_a_draw_to_an_estimate(server: Server, chromium: Any, tmp_path: Path) -> None:
    """15 candidates: 14 answered, 7 positive and 2 in conflict, which are resolved; then one answer is withdrawn."""
    lines = [json.dumps({"id": f"u{at}", "text": text}, ensure_ascii=False) for at, text in enumerate(TEXTS)]
    (tmp_path / "corpus.jsonl").write_text("\n".join(lines), "utf-8")
    (tmp_path / "mine.py").write_text(TAGGER, "utf-8")
    ok("draw", "corpus.jsonl", "--pattern", "lakes=lake", "--label", "LOC", "--out", "places", cwd=tmp_path)
    items = {one.item: one for one in read_draw(tmp_path / "places").items}
    assert len(items) == 15
    ann, bob, eve = server.owner, server.join(BOB), server.join(EVE)
    project = ann.project("lakes", (tmp_path / "places" / "labelling.xml").read_text("utf-8"))
    assert ann.upload(project, tmp_path / "places" / "tasks" / "lakes.json")["task_count"] == 15
    tasks = ann.tasks(project)
    by_mouse = [task for task in tasks if task["data"]["text"] in list(AGREED)[:4] + list(AGREED)[-1:]]
    with sitting(chromium, ann) as desk:
        for task in by_mouse:
            item = items[task["data"]["item"]]
            entity = planned(ANN, item.text, item.start)
            desk.open(project, task["id"])
            assert desk.marked() == [(item.start, "lake")]  # the drawn occurrence, and nothing else
            if entity:
                desk.mark(str(entity))
            desk.submit("y" if entity else "n")
    for person in (ann, bob):
        for task in tasks:
            item = items[task["data"]["item"]]
            assert task["data"]["text"] == item.text
            if person is not ann or task not in by_mouse:
                answer(person, task, planned(person.email, item.text, item.start))

    # The export with the numbers of annotators, and the one with everything in it, give the same benchmark.
    shutil.copytree(tmp_path / "places", tmp_path / "again")
    (tmp_path / "export.json").write_bytes(ann.export(project))
    (tmp_path / "snapshot.json").write_bytes(ann.snapshot(project))
    for folder, export in (("again", "snapshot.json"), ("places", "export.json")):
        made = json.loads(ok("import", folder, export, "--json", cwd=tmp_path))
        assert counts(tmp_path / folder) == (14, 7, 2)
        assert made["conflicts"] == 2
        # Of lake lake lake behind five emoji, the last two would be a lake in UTF-16 as well, for two annotators.
        assert made["notes"] == {
            "cancelled annotations skipped": 4,
            "tasks without answers skipped": 1,
            "spans that fit the text in code points and in UTF-16, read as code points": 4,
        }
    entities = {one for one in AGREED.values() if one} | {"lake 🐟"}
    assert {one.quoted for one in read_benchmark(tmp_path / "again").positives} == entities
    assert {one.quoted for one in read_benchmark(tmp_path / "places").positives} == entities
    for kind, name, ending in OTHERS:
        (tmp_path / f"other.{ending}").write_bytes(ann.export(project, kind))
        assert f"this is a {name} export" in refused("import", "places", f"other.{ending}", cwd=tmp_path)

    # Tasks that resolve conflicts open with nothing but the candidate, and show what was said.
    ok("adjudicate", "places", "--out", "conflicts.json", cwd=tmp_path)
    assert ann.upload(project, tmp_path / "conflicts.json")["task_count"] == 2
    resolve = [task for task in eve.tasks(project) if task["data"].get("adjudication") == "yes"]
    with sitting(chromium, eve) as desk:
        for task in resolve:
            entity = {CHOICES: "lake 🙃 Foo", SPANS: "old lake 😀 Ness"}[task["data"]["text"]]
            desk.open(project, task["id"])
            assert desk.marked() == [(items[task["data"]["item"]].start, "lake")]
            assert desk.page.get_by_text(task["data"]["said"]).count() >= 1
            assert desk.chosen("yes", "no") == []
            desk.mark(entity)
            desk.submit("y")
    (tmp_path / "export.json").write_bytes(ann.export(project))
    made = json.loads(ok("import", "places", "export.json", "--json", cwd=tmp_path))
    assert (made["conflicts"], counts(tmp_path / "places")) == (0, (14, 9, 0))

    # An answer that is skipped later is withdrawn.
    (task,) = [one for one in ann.tasks(project) if one["data"]["text"] == LATER]
    (own,) = [one["id"] for one in task["annotations"] if not one["was_cancelled"]]
    ann.skip(task["id"], own)
    (tmp_path / "export.json").write_bytes(ann.export(project))
    made = json.loads(ok("import", "places", "export.json", "--json", cwd=tmp_path))
    assert made["notes"]["earlier answers withdrawn: their annotators skipped the tasks later"] == 1
    assert counts(tmp_path / "places") == (13, 8, 0)
    assert {one.quoted for one in read_benchmark(tmp_path / "places").positives} == (
        entities - {"lake 🐟"} | {"lake 🙃 Foo", "old lake 😀 Ness"}
    )
    found = json.loads(ok("estimate", "places", "--tagger", "mine:four", "--json", cwd=tmp_path))
    assert found["metrics"]["recall"]["value"] == 0.5  # four of eight


GOLD = [
    ("a-1", "😀 Rio und e\u0301 Ulm", [(2, 5, "LOC"), (13, 16, "LOC")]),
    ("b-2", "<b>Ada</b> &amp; 👩‍👩‍👧 Bo\r\nin Köln", [(3, 6, "PER"), (23, 25, "PER"), (30, 34, "LOC")]),
    ("c-3", "nothing 𝒳 here", []),
]


def test_tasks_of_convert_and_explain(server: Server, tmp_path: Path) -> None:
    """Predictions wait for annotators, annotations are finished work; ids, labels and spans come back as they went."""
    rows = [{"id": name, "text": text, "label": spans} for name, text, spans in GOLD]
    assert [text[start:end] for _, text, spans in GOLD for start, end, _ in spans] == [
        "Rio",
        "Ulm",
        "Ada",
        "Bo",
        "Köln",
    ]
    gold = tmp_path / "gold.jsonl"
    gold.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    ann = server.owner
    for to, finished in (("label-studio-predictions", 0), ("label-studio", 3)):
        call = ("convert", "gold.jsonl", f"{to}.json", "--to", to, "--labelling", "labelling.xml")
        assert command.run(*call, cwd=tmp_path).stderr == ""
        project = ann.project(to, (tmp_path / "labelling.xml").read_text("utf-8"))
        ann.upload(project, tmp_path / f"{to}.json")
        assert ann.get(f"/api/projects/{project}")["num_tasks_with_annotations"] == finished
        tasks = ann.tasks(project)
        if not finished:
            (tmp_path / "snapshot.json").write_bytes(ann.snapshot(project))
            score = karatage.score(gold, tmp_path / "snapshot.json", pred_format="label-studio-predictions")
            assert (score["f1"].value, score.counts["correct"]) == (1.0, 5)
            with pytest.raises(FormatError, match="the tasks have no annotations"):
                karatage.score(tmp_path / "snapshot.json", gold)
            for task in tasks[:2]:
                ann.submit(task["id"], task["predictions"][0]["result"])
        (tmp_path / "export.json").write_bytes(ann.snapshot(project))
        claims = karatage.read(tmp_path / "export.json")
        assert claims.units.ids == ["a-1", "b-2", "c-3"][: finished or 2]
        assert claims.units.texts == [text for _, text, _ in GOLD][: finished or 2]
        found = [(claims.units.ids[unit], start, end, label) for unit, label, start, end, _, _ in claims.rows()]
        assert found == [(name, *span) for name, _, spans in GOLD for span in spans]

    lines = [
        json.dumps({"id": f"u{at}", "text": f"näeme 😀 Tartu {at}", "label": [[8, 13, "LOC"]]}) for at in range(12)
    ]
    (tmp_path / "many.jsonl").write_text("\n".join(lines), "utf-8")
    lines[11] = lines[11].replace('[[8, 13, "LOC"]]', "[]")
    (tmp_path / "lacking.jsonl").write_text("\n".join(lines), "utf-8")
    call = ("explain", "lacking.jsonl", "many.jsonl", "--review", "review.json", "--labelling", "labelling.xml")
    assert command.run(*call, cwd=tmp_path).returncode == 0
    review = json.loads((tmp_path / "review.json").read_text("utf-8"))
    project = ann.project("review", (tmp_path / "labelling.xml").read_text("utf-8"))
    assert ann.upload(project, tmp_path / "review.json")["prediction_count"] == 2 * len(review)
    for task in ann.tasks(project):
        proposal = next(one for one in task["predictions"] if one["model_version"] == "proposal")
        ann.submit(task["id"], proposal["result"])
    (tmp_path / "reviewed.json").write_bytes(ann.export(project))
    claims = karatage.read(tmp_path / "reviewed.json")
    assert claims.units.texts is not None
    assert {claims.units.texts[unit][start:end] for unit, _, start, end, _, _ in claims.rows()} == {"Tartu"}
    assert claims.units.attributes["unit"] == [task["data"]["unit"] for task in review]
