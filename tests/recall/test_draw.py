"""The draw: who is drawn, what is written, what is refused."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import shutil
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import typer
from scipy.stats import chisquare
from typer.testing import CliRunner

import karatage
from karatage.cli.recall import draw as command
from karatage.errors import InputError, KaratageError, UsageError
from karatage.recall.drawing import corpus_blocks as blocks, corpus_reader as corpus, draw_folder
from karatage.recall.drawing.candidate_patterns import Pattern, WordList
from karatage.recall.drawing.draw_folder import read_draw, write_draw
from karatage.recall.drawing.draw_record import Draw, slugs
from karatage.recall.drawing.draw_sample import draw

A: list[WordList | Pattern] = [Pattern("a")]


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return write(tmp_path / "corpus.txt", [f"a {k} {'b' * (k % 3)} 😀 a" for k in range(400)])


AB: list[WordList | Pattern] = [Pattern("a", "x", named=True), Pattern("b+", "y", named=True)]


def test_a_draw_by_hand(tmp_path: Path) -> None:
    """The k-th candidate of a stratum has the k-th number of its stream; the smallest numbers are drawn."""
    path = write(tmp_path / "c.txt", ["a b", "", "aa", "b a"])
    made = draw([path], lists=AB, size=2, seed=7)
    places = [("1", 0, 1, "a b"), ("3", 0, 1, "aa"), ("3", 1, 2, "aa"), ("4", 2, 3, "b a")]
    key = int.from_bytes(hashlib.sha256(b"7\0x").digest()[:16], "little")
    first, second = np.argsort(np.random.Philox(key=key).random_raw(4))[:2].tolist()
    assert [(i.unit, i.start, i.end, i.text) for i in made.items[:2]] == [places[first], places[second]]
    assert [(i.item, i.rank, i.probability) for i in made.items] == [
        ("x-1", 1, 0.5), ("x-2", 2, 0.5), ("y-1", 1, 1.0), ("y-2", 2, 1.0),
    ]  # fmt: skip
    assert [(s.name, s.occurrences, s.drawn, s.probability) for s in made.strata] == [
        ("x", 4, 2, 0.5), ("y", 2, 2, 1.0),
    ]  # fmt: skip
    assert {(i.unit, i.start) for i in made.items[2:]} == {("1", 2), ("4", 0)}


def test_words_in_any_case_and_normal_form(tmp_path: Path) -> None:
    """Größe is one letter more if decomposed: 0–5 or 0–6. The upper case of Straße is STRASSE."""
    path = write(tmp_path / "c.txt", ["Gr\u00f6ße", "Gro\u0308ße", "GRO\u0308SSE", "Grösse", "Große", "Größen"])
    ends = [(1, 0, 5), (2, 0, 6), (3, 0, 7), (4, 0, 6)]
    for word, more in (("Gr\u00f6ße", []), ("Gro\u0308ße", []), ("größ*", [(6, 0, 6)])):
        made = draw([path], lists=[WordList((word,))], size=10)
        assert sorted((int(i.unit), i.start, i.end) for i in made.items) == ends + more, word
    write(path, ["die STRASSE", "die Straße", "Große Straße"])
    for word, expected in (("Straße", 3), ("strasse", 3), ("*sse", 4), ("Grosse  STRASSE", 1)):
        assert len(draw([path], lists=[WordList((word,))], size=10).items) == expected, word


def test_of_many_candidates_those_with_the_smallest_numbers_are_drawn(tmp_path: Path) -> None:
    path = write(tmp_path / "c.txt", [f"a {k}" for k in range(5000)])
    made = draw([path], lists=A, size=40, seed=3)
    key = int.from_bytes(hashlib.sha256(f"3\0{made.strata[0].name}".encode()).digest()[:16], "little")
    smallest = np.argsort(np.random.Philox(key=key).random_raw(5000))[:40]
    assert [item.unit for item in made.items] == [str(k + 1) for k in smallest.tolist()]


@pytest.mark.parametrize("block", [64, 1000, 1 << 20])
def test_neither_blocks_nor_files_matter(lines: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    whole = draw([lines], lists=AB, size=30)
    monkeypatch.setattr(blocks, "BLOCK", block)
    text = lines.read_text("utf-8").splitlines()
    parts = [write(lines.with_name(f"{k}.txt"), text[k * 150 : k * 150 + 150]) for k in range(3)]
    parts[0].write_text(parts[0].read_text("utf-8").removesuffix("\n"), "utf-8")
    assert draw([lines], lists=AB, size=30) == whole
    split = draw(parts, lists=AB, size=30)
    assert split.frame == whole.frame
    assert [(i.item, i.text, i.start) for i in split.items] == [(i.item, i.text, i.start) for i in whole.items]


def test_a_smaller_draw_is_the_start_of_a_larger_one(lines: Path) -> None:
    large, small = (draw([lines], lists=A, size=n) for n in (300, 40))
    assert [i.item for i in large.items[:40]] == [i.item for i in small.items]
    assert [i.unit for i in large.items[:40]] == [i.unit for i in small.items]
    assert large.frame == small.frame


def test_nothing_is_drawn_twice(lines: Path) -> None:
    """A stratum that has fewer candidates than wanted is drawn in full, each candidate once."""
    made = draw([lines], lists=A, size=5000)
    assert made.strata[0].drawn == made.strata[0].occurrences == 800
    assert len({(i.unit, i.start) for i in made.items}) == 800


@pytest.mark.slow
def test_every_candidate_has_the_same_chance(tmp_path: Path) -> None:
    """Over 2,000 seeds, each of 20 candidates is drawn in a quarter of the draws, and each is as often the first."""
    path = write(tmp_path / "c.txt", ["a a", "x", "a"] * 6 + ["aa"])
    drawn_, first = Counter[tuple[str, int]](), Counter[tuple[str, int]]()
    pairs = Counter[bool]()
    for seed in range(2000):
        items = draw([path], lists=A, size=5, seed=seed).items
        drawn_.update((i.unit, i.start) for i in items)
        first[items[0].unit, items[0].start] += 1
        pairs[items[0].unit == "1" and items[1].unit == "1"] += 1
    assert len(drawn_) == len(first) == 20
    # Counts of draws without replacement vary less than a multinomial: by (1 - 5/20), times 20/19.
    statistic = sum((count - 500) ** 2 / 500 for count in drawn_.values()) / (0.75 * 20 / 19)
    assert 5 < statistic < 45
    assert chisquare(list(first.values())).pvalue > 0.001
    assert pairs[True] < 25  # expected: 2000 · 2/20 · 1/19 = 10.5


def test_strata_have_streams_of_their_own(tmp_path: Path) -> None:
    path = write(tmp_path / "c.txt", ["ab"] * 500)
    made = draw([path], lists=AB, size=20)
    assert [i.unit for i in made.items[:20]] != [i.unit for i in made.items[20:]]


def test_a_pilot_and_the_rest_are_the_whole(lines: Path, tmp_path: Path) -> None:
    """Two phases give the items of one draw, and tasks for the new ones; labels are taken along."""
    write_draw(draw([lines], lists=AB, size=10, seed=3, label="LOC"), tmp_path / "pilot")
    rest = draw([lines], lists=AB, size=25, sizes={"y": 0}, after=tmp_path / "pilot")
    whole = draw([lines], lists=AB, size=35, sizes={"y": 10}, seed=3)
    pilot = read_draw(tmp_path / "pilot")
    assert (rest.seed, rest.label, rest.frame) == (3, "LOC", pilot.frame)
    assert rest.items == whole.items
    assert {i.item for i in pilot.items} < {i.item for i in rest.items}
    assert rest.after == {"x": 10, "y": 10}
    assert [(s.drawn, s.probability) for s in rest.strata] == [(35, 35 / 800), (10, 10 / 266)]
    (tmp_path / "pilot" / "labels.jsonl").write_text("", "utf-8")
    write_draw(rest, tmp_path / "rest", labels=tmp_path / "pilot")
    assert (tmp_path / "rest" / "labels.jsonl").exists()
    assert read_draw(tmp_path / "rest") == rest
    assert [path.name for path in (tmp_path / "rest" / "tasks").iterdir()] == ["x.json"]
    tasks = json.loads((tmp_path / "rest" / "tasks" / "x.json").read_text("utf-8"))
    assert [task["data"]["item"] for task in tasks] == [f"x-{rank}" for rank in range(11, 36)]
    third = draw([lines], lists=AB, size=5, after=tmp_path / "rest")
    assert [i.item for i in third.new] == [f"{s}-{r}" for s, n in (("x", 36), ("y", 11)) for r in range(n, n + 5)]


def test_a_draw_that_cannot_be_continued(lines: Path, tmp_path: Path) -> None:
    pilot = draw([lines], lists=A, size=10)
    with pytest.raises(UsageError, match="has the seed 0, not 1"):
        draw([lines], lists=A, after=pilot, seed=1)
    with pytest.raises(UsageError, match=r"the earlier draw has different candidates \(lists differ\)"):
        draw([lines], lists=AB, after=pilot)
    other = write(tmp_path / "other.txt", lines.read_text("utf-8").splitlines()[::-1])
    with pytest.raises(InputError, match="the corpus is not the one"):
        draw([other], lists=A, after=pilot)


def test_strata_by_attribute_and_size(tmp_path: Path) -> None:
    rows = [{"text": "a b", "kind": kind} for kind in ["z", "y", "", *["z"] * 5]]
    path = write(tmp_path / "c.jsonl", [json.dumps(row) for row in rows])
    made = draw([path], lists=[Pattern("a"), AB[1]], by="kind", size=1, sizes={"z": 3})
    counts = [(s.name, s.occurrences, s.drawn) for s in made.strata]
    assert counts == [("(none)", 1, 1), ("y", 1, 1), ("y/(none)", 1, 1), ("y/y", 1, 1), ("y/z", 6, 1), ("z", 6, 3)]
    with pytest.raises(UsageError, match="unknown stratum 'zz'. Did you mean 'z'?"):
        draw([path], lists=A, by="kind", sizes={"zz": 3})
    with pytest.raises(InputError, match="no candidate has the attribute 'sort'"):
        draw([path], lists=A, by="sort")


def test_too_many_strata(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karatage.recall.drawing.draw_sample.MOST_STRATA", 3)
    path = write(tmp_path / "c.jsonl", [json.dumps({"text": "a", "id": k}) for k in range(4)])
    with pytest.raises(UsageError, match="'id' has more than 3 values"):
        draw([path], lists=A, by="id")


def test_assist(tmp_path: Path) -> None:
    """The mean is over all candidates of the stratum, here 0.5 twice, 1 and 0 once each."""
    rows: list[dict[str, Any]] = [{"text": "a a", "p": 0.5}, {"text": "a", "p": True}, {"text": "a", "p": "0"}]
    path = write(tmp_path / "c.jsonl", [json.dumps(row) for row in rows])
    made = draw([path], lists=[*A, Pattern("z", "none")], assist="p")
    assert [s.assist for s in made.strata] == [0.5, None]
    assert sorted((i.unit, i.assist) for i in made.items) == [("1", 0.5), ("1", 0.5), ("2", 1.0), ("3", 0.0)]
    write_draw(made, tmp_path / "d")
    assert read_draw(tmp_path / "d") == made
    write(path, [json.dumps({"text": "a", "p": p}) for p in (0.5, 1, "2", "3")])
    with pytest.raises(InputError, match="text 3: p must be a number between 0 and 1, got '2'"):
        draw([path], lists=A, assist="p")
    for wrong in (1.5, None, "x", -1):
        write(path, [json.dumps({"text": "a", "id": "u", "p": wrong})])
        with pytest.raises(InputError, match="text u: p must be a number between 0 and 1"):
            draw([path], lists=A, assist="p")


CLAIMS = [
    {"id": "u", "text": "😀 Tartu ja Tallinn", "label": [[2, 7, "LOC"], [11, 18, "LOC"]], "kind": "web"},
    {"id": "v", "text": "Mari", "label": [[0, 4, "PER"]], "kind": "news"},
]


def test_candidates_from_a_file(tmp_path: Path) -> None:
    path = write(tmp_path / "c.jsonl", [json.dumps(row) for row in CLAIMS])
    made = draw(candidates=path)
    assert [(s.name, s.occurrences) for s in made.strata] == [("LOC", 2), ("PER", 1)]
    assert {i.candidate for i in made.items} == {"Tartu", "Tallinn", "Mari"}
    assert made.corpus == ("c.jsonl",)
    assert [s.name for s in draw(candidates=path, by="kind").strata] == ["news", "web"]
    assert draw(candidates=path, size=1, after=draw(candidates=path, size=1)).new[0].item == "loc-2"
    write(path, [json.dumps(row | {"kind": "x"}) for row in CLAIMS])
    assert draw(candidates=path).frame == made.frame  # the attribute makes no stratum here
    write(path, [json.dumps(row | {"id": "w"}) for row in CLAIMS[1:]])
    assert draw(candidates=path).frame != made.frame


def test_candidates_with_their_own_assist(tmp_path: Path) -> None:
    """In a table, the value of each claim may say what a tagger thinks of it."""
    path = tmp_path / "c.csv"
    path.write_text("unit,label,start,end,value,text\nu,LOC,0,1,0.25,a b\nu,LOC,2,3,0.75,\n")
    made = draw(candidates=path, assist="value")
    assert made.strata[0].assist == 0.5
    assert {i.candidate: i.assist for i in made.items} == {"a": 0.25, "b": 0.75}


def test_candidates_in_tokens(tmp_path: Path) -> None:
    path = tmp_path / "c.conll"
    path.write_text("on O\nUus B-LOC\nYork I-LOC\n. O\n\n")
    [item] = draw(candidates=path).items
    assert (item.text, item.candidate) == ("on Uus York .", "Uus York")


def test_candidates_that_cannot_be_used(tmp_path: Path, lines: Path) -> None:
    path = write(tmp_path / "c.jsonl", [json.dumps({"id": "u", "fields": {"LOC": ["Tartu"]}})])
    with pytest.raises(KaratageError, match="values without spans"):
        draw(candidates=path, format="values")
    with pytest.raises(UsageError, match="--candidates cannot be combined"):
        draw([lines], candidates=path)
    with pytest.raises(UsageError, match="missing corpus"):
        draw(lists=A)
    with pytest.raises(UsageError, match="define candidates"):
        draw([lines])


def test_no_candidate(tmp_path: Path) -> None:
    path = write(tmp_path / "c.txt", ["b", "c"])
    with pytest.raises(InputError, match=r"c\.txt: no candidates found"):
        draw([path], lists=A)
    made = draw([path], lists=AB)
    assert made.warnings == ["stratum without candidates: x"]
    assert (made.strata[0].occurrences, made.strata[0].probability) == (0, None)
    write_draw(made, tmp_path / "d")
    assert read_draw(tmp_path / "d") == made


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label": "candidate"}, "the label cannot be 'candidate'"),
        ({"label": " "}, "the label cannot be ' '"),
        ({"size": -1}, "must not be negative"),
        ({"seed": -1}, "the seed must not be negative, got -1"),
        ({"sizes": {"q": 1}}, "unknown stratum 'q'"),
    ],
)
def test_calls_that_are_wrong(lines: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        draw([lines], lists=A, **options)


def test_the_folder(tmp_path: Path, lines: Path) -> None:
    """Everything is read back; the tasks are Label Studio's, with emoji too; the table can be filled in."""
    made = draw([lines], lists=AB, size=5, label='L"OC<')
    write_draw(made, tmp_path / "d")
    assert read_draw(tmp_path / "d") == made
    names = sorted(str(p.relative_to(tmp_path / "d")) for p in (tmp_path / "d").rglob("*") if p.is_file())
    assert names == ["items.csv", "labelling.xml", "manifest.json", "tasks.csv", "tasks/x.json", "tasks/y.json"]
    claims = karatage.read(tmp_path / "d" / "tasks" / "x.json")
    own = made.items[:5]
    assert [(row[1], row[2], row[3]) for row in claims.rows()] == [("candidate", i.start, i.end) for i in own]
    assert claims.units.attributes["item"] == [i.item for i in own]
    with (tmp_path / "d" / "tasks.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(r["item"], r["candidate"], r["answer"], r["entity"]) for r in rows] == [
        (i.item, i.candidate, "", "") for i in made.items
    ]
    view = ET.parse(tmp_path / "d" / "labelling.xml").getroot()  # noqa: S314  our own file
    assert [label.get("value") for label in view.iter("Label")] == ['L"OC<', "candidate"]
    assert [choice.get("value") for choice in view.iter("Choice")] == ["yes", "no"]
    manifest = json.loads((tmp_path / "d" / "manifest.json").read_text("utf-8"))
    assert list(manifest) == [
        "kind", "version", "karatage", "seed", "label", "frame", "corpus", "candidates", "after", "strata", "items",
    ]  # fmt: skip
    assert manifest["corpus"] == ["corpus.txt"]
    assert str(tmp_path) not in json.dumps(manifest)


def test_texts_that_are_hard_to_keep(tmp_path: Path) -> None:
    """Line breaks of all kinds, quotes, delimiters and formulas come back as they were."""
    texts = ["=1+a", "a\r\nb", "a\rb", 'a "b", c', "\ta ", "a\u2028b", "-a;\x0b"]
    path = write(tmp_path / "c.jsonl", [json.dumps({"text": text, "id": text}) for text in texts])
    made = draw([path], lists=A)
    write_draw(made, tmp_path / "d")
    assert read_draw(tmp_path / "d") == made
    assert {i.text for i in made.items} == set(texts)
    assert {i.unit for i in made.items} == set(texts)


def test_slugs() -> None:
    """File names are safe and unique, whatever strata are called."""
    names = ["Põhi/Lõuna", "põhi lõuna", "../x", "", "...", "x", "x-2", "X", "ж" * 500, "tab\t\0"]
    assert slugs(names) == [
        "pohi-louna", "pohi-louna-2", "x", "stratum", "stratum-2", "x-2", "x-2-2", "x-3", "ж" * 40, "tab",
    ]  # fmt: skip


def test_a_folder_from_before_the_new_name(tmp_path: Path, lines: Path) -> None:
    """A folder that Karat wrote, as the project was called before, is read and continued like any other."""
    made = draw([lines], lists=A, size=5)
    write_draw(made, tmp_path / "old")
    path = tmp_path / "old" / "manifest.json"
    old = json.loads(path.read_text("utf-8"))
    old["karat"], old["kind"] = old.pop("karatage"), "karat recall draw"
    path.write_text(json.dumps(old), "utf-8")
    tasks = next((tmp_path / "old" / "tasks").iterdir())
    tasks.write_text(tasks.read_text("utf-8").replace('_version": "karatage"', '_version": "karat"'), "utf-8")
    assert read_draw(tmp_path / "old") == made
    more = draw([lines], lists=A, size=3, after=tmp_path / "old")
    write_draw(more, tmp_path / "new", labels=tmp_path / "old")
    assert [(one.unit, one.start) for one in more.items[:5]] == [(one.unit, one.start) for one in made.items]
    assert json.loads((tmp_path / "new" / "manifest.json").read_text("utf-8"))["kind"] == "karatage recall draw"
    write_draw(made, tmp_path / "old", force=True)


def test_strata_with_hostile_names(tmp_path: Path) -> None:
    path = write(tmp_path / "c.txt", ["a"])
    names = ["../../up", "/etc", "up", ".", "a\nb"]
    made = draw([path], lists=[Pattern(f"a|{k}", name, named=True) for k, name in enumerate(names)], sizes={"up": 1})
    write_draw(made, tmp_path / "d")
    assert read_draw(tmp_path / "d") == made
    assert sorted(p.name for p in tmp_path.iterdir()) == ["c.txt", "d"]


def test_a_folder_that_is_there(tmp_path: Path, lines: Path) -> None:
    made, other = draw([lines], lists=A, size=2), draw([lines], lists=A, size=2, seed=1)
    place = tmp_path / "d"
    place.mkdir()
    write_draw(made, place)
    with pytest.raises(InputError, match="d: the folder is not empty. Choose another folder, or use --force"):
        write_draw(other, place)
    write_draw(other, place, force=True)
    assert read_draw(place) == other
    (place / "labels.jsonl").write_text("")
    with pytest.raises(InputError, match=r"the folder also contains labels\.jsonl"):
        write_draw(made, place, force=True)
    assert read_draw(place) == other
    with pytest.raises(InputError, match="is a file, not a folder"):
        write_draw(made, lines)
    with pytest.raises(UsageError, match="cannot be the folder of a draw"):
        write_draw(made, "..")
    with pytest.raises(InputError, match=r"d/labels\.jsonl/e: .*d/labels\.jsonl is a file, not a folder"):
        write_draw(made, place / "labels.jsonl" / "e")


@pytest.mark.parametrize("force", [False, True])
def test_writing_that_is_interrupted_leaves_no_trace(
    tmp_path: Path, lines: Path, monkeypatch: pytest.MonkeyPatch, force: bool
) -> None:
    made = draw([lines], lists=A, size=2)
    if force:
        write_draw(made, tmp_path / "d")
    before = sorted(p.name for p in tmp_path.rglob("*"))

    def interrupted(_: object) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(draw_folder, "tasks_json", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_draw(draw([lines], lists=A, size=2, seed=1), tmp_path / "d", force=force)
    assert sorted(p.name for p in tmp_path.rglob("*")) == before
    if force:
        assert read_draw(tmp_path / "d") == made


def change(folder: Path, how: Callable[[dict[str, Any], list[str]], None]) -> None:
    """Change the items and the manifest; the hash of the items stays right."""
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    rows = (folder / "items.csv").read_text("utf-8").splitlines()
    how(manifest, rows)
    data = "".join(f"{row}\n" for row in rows).encode()
    (folder / "items.csv").write_bytes(data)
    manifest["items"] = f"sha256:{hashlib.sha256(data).hexdigest()}"
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")


CHANGES: dict[str, Callable[[dict[str, Any], list[str]], Any]] = {
    "the ranks of 'pattern' must be 1 to 5": lambda _, rows: rows.pop(2),
    "the ranks of 'pattern' must be 1 to 5, ": lambda _, rows: rows.append(rows[-1]),
    "the item 'q-1' should be pattern-1": lambda _, rows: rows.insert(1, rows.pop(1).replace("pattern-1,", "q-1,")),
    "the probability of pattern-1 is 0.5": lambda _, rows: rows.insert(1, rows.pop(1).replace("0.00625", "0.5")),
    "contradictory counts for stratum 'pattern'": lambda m, _: m["strata"][0].update(occurrences=900),
    "contradictory counts": lambda m, _: m["strata"][0].update(drawn=801, probability=801 / 800),
    "items.csv has the stratum 'pattern'": lambda m, _: m["strata"][0].update(name="q"),
    "duplicate stratum": lambda m, _: m["strata"].append(m["strata"][0]),
    "is not the manifest of a draw": lambda m, _: m.update(kind="x"),
    "unknown version 9 of the manifest": lambda m, _: m.update(version=9),
    "seed must be a number that is not negative": lambda m, _: m.update(seed="x"),
    "frame is missing": lambda m, _: m.pop("frame"),
    "the columns must be item, ": lambda _, rows: rows.insert(0, rows.pop(0).replace("rank", "rang")),
    "invalid item": lambda _, rows: rows.insert(1, rows.pop(1).replace("pattern,1,", "pattern,one,")),
    "is outside its text": lambda _, rows: rows.insert(1, re.sub(r"(0\.00625,\d+),\d+,\d+", r"\1,90,99", rows.pop(1))),
    "must both have predictions": lambda m, _: m["strata"][0].update(assist=0.5),
    "expected 8 columns, found 9": lambda _, rows: rows.insert(1, rows.pop(1) + ",x"),
}


@pytest.mark.parametrize("message", CHANGES)
def test_a_draw_that_was_changed(tmp_path: Path, lines: Path, message: str) -> None:
    write_draw(draw([lines], lists=A, size=5), tmp_path / "d")
    change(tmp_path / "d", CHANGES[message])
    with pytest.raises(InputError, match=re.escape(message)):
        read_draw(tmp_path / "d")


def test_files_of_a_draw_that_were_changed(tmp_path: Path, lines: Path) -> None:
    write_draw(draw([lines], lists=A, size=5), tmp_path / "d")
    items = tmp_path / "d" / "items.csv"
    items.write_text(items.read_text("utf-8").replace("a ", "o ", 1), "utf-8")
    with pytest.raises(InputError, match=r"items\.csv was changed after the draw. Draw again"):
        read_draw(tmp_path / "d")
    items.unlink()
    with pytest.raises(InputError, match=r"items\.csv: no such file"):
        read_draw(tmp_path / "d")
    (tmp_path / "d" / "manifest.json").write_text("{")
    with pytest.raises(InputError, match=r"manifest\.json: invalid JSON"):
        read_draw(tmp_path / "d")
    shutil.rmtree(tmp_path / "d")
    with pytest.raises(InputError, match=r"manifest\.json: no such file"):
        read_draw(tmp_path / "d")


def run(*words: object) -> Any:
    app = typer.Typer()
    app.command()(command.run)
    return CliRunner().invoke(app, [str(word) for word in words])


def test_the_command(tmp_path: Path, lines: Path) -> None:
    """The table shows strata, counts and what to do next; the second phase continues the first."""
    words = write(tmp_path / "w.txt", ["b*"])
    place = tmp_path / "d"
    common = (lines, "--pattern", "x=a", "--words", words)
    done = run(*common, "--out", place, "--size", 10, "--size", "w=3", "--label", "LOC")
    assert done.exit_code == 0, done.exception
    shown = " ".join(done.output.split())
    assert "1,066 candidates · 13 items drawn · seed 0" in shown
    assert "w 266 3 0.01128" in shown
    assert "x 800 10 0.0125" in shown
    assert f"karatage recall import {place} EXPORT" in shown
    again = run(*common, "--out", tmp_path / "e", "--size", 7, "--after", place)
    assert "x 800 17 7 0.02125" in " ".join(again.output.split())
    printed = run(*common, "--out", place, "--force", "--json")
    assert json.loads(printed.output) == json.loads((place / "manifest.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "missing output folder: set --out FOLDER"),
        (("--out", "new", "--size", "x=y"), "--size 'x=y': expected N or STRATUM=N"),
        (("--out", "new", "--size", "=3"), "--size '=3': expected N or STRATUM=N"),
        (("--out", "new", "--words", "nowhere.txt"), "nowhere.txt: no such file"),
    ],
)
def test_commands_that_are_wrong(lines: Path, monkeypatch: pytest.MonkeyPatch, words: Any, message: str) -> None:
    monkeypatch.chdir(lines.parent)
    error = run(lines, *words).exception
    assert isinstance(error, KaratageError)
    assert message in str(error)
    assert sorted(p.name for p in lines.parent.iterdir()) == ["corpus.txt"]


def test_a_full_folder_is_refused_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "mine.txt").write_text("")
    done = run("no-such-corpus.txt", "--pattern", "a", "--out", tmp_path / "d", "--force")
    assert "the folder also contains mine.txt" in str(done.exception)


def test_parquet_counts_as_its_lines_do(tmp_path: Path, lines: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "BLOCK", 5000)
    texts = lines.read_text("utf-8").splitlines()
    pl.DataFrame({"text": texts}).write_parquet(tmp_path / "c.parquet")
    one, two = draw([lines], lists=AB, size=9), draw([tmp_path / "c.parquet"], lists=AB, size=9)
    assert one.items == two.items
    assert isinstance(one, Draw)
