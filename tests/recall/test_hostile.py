"""Recall against hostile and careless use: no wrong number, no lost work, no traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.recall.test_board import result
from tests.recall.test_cli import ok, refused
from tests.recall.test_label_import import CANDIDATE, choice, said, span, task, write

from karatage.errors import InputError, KaratageError, UsageError
from karatage.recall import (
    Export,
    Pattern,
    adjudicate,
    draw,
    import_labels,
    lint,
    read_benchmark,
    read_board,
    read_draw,
    read_result,
    write_draw,
)
from karatage.taggers import open_tagger, tag_texts

YES, NO = (CANDIDATE, choice("yes"), span(5, 14)), (CANDIDATE, choice("no"))


def drawn(folder: Path, lines: list[str] | None = None, **options: Any) -> Path:
    corpus = folder / "corpus.txt"
    corpus.write_text("\n".join(lines or [f"{i} at lake Como" for i in range(40)]) + "\n", "utf-8")
    defaults: dict[str, Any] = {"lists": [Pattern("lake", "lakes", True)], "size": 12, "label": "LOC"}
    write_draw(draw([corpus], **(defaults | options)), folder / "places")
    return folder / "places"


def label_all(folder: Path, place: Path, who: str = "ann") -> str:
    tasks = []
    for at, item in enumerate(read_draw(folder).new):
        value = {"start": item.start, "end": len(item.text), "text": item.text[item.start :], "labels": ["LOC"]}
        results = [choice("yes"), {"type": "labels", "value": value}]
        tasks.append({"id": at, "data": {"text": item.text, "item": item.item}, "annotations": [said(who, *results)]})
    return write(place, *tasks)


# No wrong numbers


def test_importing_into_a_benchmark_keeps_what_is_there(benchmark_folder: Path, tmp_path: Path) -> None:
    before = read_benchmark(benchmark_folder)
    path = write(tmp_path / "e.json", task(1, said(1, *YES)))
    with pytest.raises(InputError, match="the stratum 'lakes' has 4 positives without labels in this folder"):
        import_labels(benchmark_folder, [Export(path, "lakes")], labels=["LOC"])
    assert read_benchmark(benchmark_folder) == before
    import_labels(benchmark_folder, [Export(path, "ponds")], labels=["LOC"], occurrences={"ponds": 9})
    after = read_benchmark(benchmark_folder)
    assert after.strata[:2] == before.strata
    assert (after.strata[2].name, len(after.strata[2].positives)) == ("ponds", 1)


@pytest.mark.parametrize("spans_only", [False, True])
def test_a_second_pass_can_be_settled_in_any_way(tmp_path: Path, spans_only: bool) -> None:
    first = write(tmp_path / "1.json", task(1, said(1, *YES[:2])))
    second = write(tmp_path / "2.json", task(7, said(1, span(5, 14)), said(2, span(0, 14))))
    exports = [Export(first, "lakes"), Export(second, "lakes", spans_only=True)]
    made = import_labels(tmp_path / "w", exports, labels=["LOC"], occurrences={"lakes": 9})
    assert [one.item for one in made.conflicts] == ["lakes-1"]
    settled = write(tmp_path / "3.json", task(1, said(3, choice("yes"), span(5, 14))))
    made = import_labels(tmp_path / "w", [Export(settled, "lakes", spans_only, adjudication=True)])
    assert made.conflicts == []
    assert [one.quoted for one in made.benchmark.positives] == ["lake Como"]


def test_two_who_settle_and_differ_leave_a_task(tmp_path: Path) -> None:
    path = write(tmp_path / "1.json", task(1, said(1, *YES), said(2, *NO)))
    import_labels(tmp_path / "w", [Export(path, "lakes")], labels=["LOC"], occurrences={"lakes": 9})
    path = write(tmp_path / "2.json", task(1, said(3, *YES), said(4, *NO)))
    made = import_labels(tmp_path / "w", [Export(path, "lakes", adjudication=True)])
    assert [one.item for one in made.conflicts] == ["lakes-1"]


def test_annotators_without_a_name_are_several(tmp_path: Path) -> None:
    path = write(tmp_path / "1.json", task(1, said(None, *YES), said(None, *NO)))
    made = import_labels(tmp_path / "w", [Export(path, "lakes")], labels=["LOC"], occurrences={"lakes": 9})
    assert {one.annotator for one in made.answers} == {"unknown 1", "unknown 2"}
    assert len(made.conflicts) == 1


def test_an_answer_that_was_skipped_later_is_withdrawn(tmp_path: Path) -> None:
    """Label Studio cancels the annotation; the next import forgets what it said. An older export does not."""
    folder = drawn(tmp_path)
    path = label_all(folder, tmp_path / "1.json")
    tasks = json.loads(Path(path).read_text("utf-8"))
    tasks[0]["annotations"][0]["updated_at"] = "2026-01-02T00:00:00Z"
    write(tmp_path / "1.json", *tasks)
    assert len(import_labels(folder, [Export(path)]).decisions) == 12
    tasks[0]["annotations"][0] |= {"was_cancelled": True, "updated_at": "2026-01-01T00:00:00Z"}
    made = import_labels(folder, [Export(write(tmp_path / "older.json", *tasks))])
    assert len(made.decisions) == 12
    tasks[0]["annotations"][0] |= {"updated_at": "2026-01-03T00:00:00Z"}
    made = import_labels(folder, [Export(write(tmp_path / "2.json", *tasks))])
    assert made.notes["earlier answers withdrawn: their annotators skipped the tasks later"] == 1
    assert (len(made.decisions), sum(made.unlabelled.values())) == (11, 1)
    assert len(read_benchmark(folder).positives) == 11
    alone = import_labels(folder, [Export(write(tmp_path / "3.json", skipped_by("ann", tasks[1])))])
    assert len(alone.decisions) == 10


def skipped_by(who: str, given: dict[str, Any]) -> dict[str, Any]:
    return given | {"annotations": [said(who, was_cancelled=True)]}


def test_an_answer_about_another_occurrence_is_left_out(tmp_path: Path) -> None:
    """Older tasks counted 🌊 twice: Label Studio marked the second lake, and the answer is not about the first."""
    folder = drawn(tmp_path, ["🌊🌊🌊🌊🌊 lake lake Como"], size=2)
    first, second = sorted(read_draw(folder).items, key=lambda one: one.start)
    assert (first.start, second.start) == (6, 11)  # in UTF-16, the first one is at 11
    value = {"start": 11, "end": 15, "text": "lake", "labels": ["candidate"]}
    answer = said(1, {"type": "labels", "origin": "prediction", "value": value}, choice("no"))
    tasks = [
        {"id": at, "data": {"text": item.text, "item": item.item}, "annotations": [answer]}
        for at, item in enumerate((first, second))
    ]
    made = import_labels(folder, [Export(write(tmp_path / "1.json", *tasks))])
    assert made.notes["answers about another occurrence than the one drawn, left out"] == 1
    assert [one.item for one in made.decisions] == [second.item]


def test_tasks_that_resolve_conflicts_open_neutral(tmp_path: Path) -> None:
    """Nothing is answered in advance, or Submit alone would accept it; what was said stands above the text."""
    folder = drawn(tmp_path, ["🌊 at lake Como"], size=1)
    item = read_draw(folder).items[0]
    place = {"start": 5, "end": 14, "text": "lake Como", "labels": ["LOC"]}
    yes = said("ann", choice("yes"), {"type": "labels", "value": place})
    one = {"id": 1, "data": {"text": item.text, "item": item.item}, "annotations": [yes, said("bob", choice("no"))]}
    import_labels(folder, [Export(write(tmp_path / "1.json", one))])
    ok("adjudicate", "places", "--out", "conflicts.json", cwd=tmp_path)
    (made,) = json.loads((tmp_path / "conflicts.json").read_text("utf-8"))
    assert made["data"]["said"] == "ann: yes, “lake Como” as LOC at 5; bob: no"
    (shown,) = made["predictions"]
    # Label Studio counts 🌊 as one.
    assert [result["value"] for result in shown["result"]] == [
        {"start": 5, "end": 9, "text": "lake", "labels": ["candidate"]}
    ]
    assert '<Header value="$said" size="5"/>' in (folder / "labelling.xml").read_text("utf-8")
    (drawn_task,) = json.loads((folder / "tasks" / "lakes.json").read_text("utf-8"))
    assert drawn_task["data"]["said"] == ""
    assert drawn_task["predictions"] == made["predictions"]


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("e.csv", '"annotation_id","annotator","lead_time","text"\r\n1,"1","","x"\r\n', "CSV"),
        ("e.tsv", '"annotation_id"\t"annotator"\t"lead_time"\t"text"\r\n1\t"1"\t""\t"x"\r\n', "TSV"),
        ("e.conll", "-DOCSTART- -X- O\nRio -X- _ B-LOC\n\n", "CoNLL2003"),
        ("e.json", '[{"id": 1, "text": "a", "annotation_id": 3, "review": "no"}]', "JSON-MIN"),
    ],
)
def test_other_exports_of_label_studio(name: str, content: str, kind: str, tmp_path: Path) -> None:
    """The message says what the file is, and which export to choose."""
    drawn(tmp_path)
    (tmp_path / name).write_text(content, "utf-8", newline="")
    message = f"{name}: this is a {kind} export of Label Studio. In Label Studio, export as JSON"
    for command in (("import", "places", name), ("adjudicate", name)):
        assert message in refused(*command, cwd=tmp_path)


def test_results_of_other_types_are_told(tmp_path: Path) -> None:
    other = span(5, 14) | {"type": "paragraphlabels"}
    path = write(tmp_path / "1.json", task(1, said(1, other)))
    made = import_labels(tmp_path / "w", [Export(path, "lakes")], labels=["LOC"], occurrences={"lakes": 9})
    assert made.notes["results of type 'paragraphlabels', left out"] == 1
    assert made.notes["answers without a choice or a span, counted as no entity"] == 1


def test_a_pilot_that_was_changed_is_not_continued(tmp_path: Path) -> None:
    folder = drawn(tmp_path)
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text("utf-8").replace('"seed": 0', '"seed": 5'), "utf-8")
    with pytest.raises(InputError, match="item lakes-\\d+ of the earlier draw is a different one"):
        draw([tmp_path / "corpus.txt"], lists=[Pattern("lake", "lakes", True)], after=folder)


def test_a_pilot_with_another_label_is_not_continued(tmp_path: Path) -> None:
    folder = drawn(tmp_path)
    with pytest.raises(UsageError, match="the earlier draw has the label 'LOC', not 'PER'"):
        draw([tmp_path / "corpus.txt"], lists=[Pattern("lake", "lakes", True)], after=folder, label="PER")


def test_labels_of_other_texts_are_refused(tmp_path: Path) -> None:
    folder = drawn(tmp_path)
    import_labels(folder, [Export(label_all(folder, tmp_path / "1.json"))])
    kept = folder / "labels.jsonl"
    kept.write_text(kept.read_text("utf-8").replace(" at lake", " by lake"), "utf-8")
    with pytest.raises(InputError, match="the labels of 'lakes-1' are for a text that differs"):
        adjudicate(folder)


LAKE = [Pattern("lake", "lakes", True)]


@pytest.mark.parametrize("value", ['["lake", "lake"]', "5", "true", '{"a": "lake"}', "null"])
@pytest.mark.parametrize("first", [False, True])
def test_every_text_of_json_lines_is_one(tmp_path: Path, value: str, first: bool) -> None:
    lines = ['{"text": "a lake"}', f'{{"text": {value}}}']
    (tmp_path / "a.jsonl").write_text("\n".join(lines[::-1] if first else lines), "utf-8")
    with pytest.raises(InputError, match=f"a.jsonl:{1 if first else 2}: text must be a string"):
        draw([tmp_path / "a.jsonl"], lists=LAKE)


@pytest.mark.parametrize(
    "value", ["1.0", "1e22", '"x"', "7", "-0", "1e3", "true", "123456789012345678", '"é\\u00e9"', "07.5"]
)
def test_strata_do_not_depend_on_an_empty_line(tmp_path: Path, value: str) -> None:
    line = f'{{"text": "a lake", "kind": {value}, "id": {value}}}\n'
    found: list[object] = []
    for name, text in (("a.jsonl", line * 2), ("b.jsonl", line + "\n" + line)):
        (tmp_path / name).write_text(text, "utf-8")
        try:
            made = draw([tmp_path / name], lists=[Pattern("lake")], by="kind")
        except InputError as error:
            found.append(str(error).replace(name, "a.jsonl"))
        else:
            found.append([(s.name, s.occurrences) for s in made.strata] + [i.unit for i in made.items])
    assert found[0] == found[1]


def test_the_last_of_two_members_counts(tmp_path: Path) -> None:
    for extra in ("", "\n"):
        path = tmp_path / "a.jsonl"
        path.write_text('{"text": "no", "text": "a lake"}\n' + extra + '{"text": "lake"}\n', "utf-8")
        assert draw([path], lists=LAKE).strata[0].occurrences == 2


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.jsonl", '{"text": "lake"\n{"text": "lake"}\n', "a.jsonl:1: invalid JSON"),
        ("a.json", '[{"body": "lake"}]', "looks like JSON, but not like JSON Lines"),
        ("a.json", '{\n  "a": "lake"\n', "looks like JSON"),
        ("a.csv", "text,n\nlake,1\n", "CSV or TSV table"),
    ],
)
def test_what_is_not_plain_text_is_not_read_as_such(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(KaratageError, match=message):
        draw([tmp_path / name], lists=LAKE)


def test_texts_of_parquet_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"text": ["lake\0x"]}).write_parquet(path)
    with pytest.raises(InputError, match="text 1: the text contains NUL"):
        draw([path], lists=LAKE)
    pl.DataFrame({"text": [{"a": "lake"}]}).write_parquet(path)
    with pytest.raises(InputError, match="the column 'text' has the type Struct"):
        draw([path], lists=LAKE)


# No lost work


def test_strata_with_names_alike_have_files_of_their_own(tmp_path: Path) -> None:
    names = ["a b", "a_b", ",", ".", "🌊", "🏔", "x" * 120 + "1", "x" * 120 + "2"]
    exports = [Export(write(tmp_path / f"{at}.json", task(at, said(1, *YES))), name) for at, name in enumerate(names)]
    import_labels(tmp_path / "w", exports, labels=["LOC"], occurrences=dict.fromkeys(names, 9))
    found = read_benchmark(tmp_path / "w")
    assert [(s.name, len(s.positives)) for s in found.strata] == [(name, 1) for name in names]
    assert len({s.file for s in found.strata}) == len(names)


def test_force_spares_what_people_made(tmp_path: Path) -> None:
    folder = drawn(tmp_path)
    again = draw([tmp_path / "corpus.txt"], lists=LAKE, size=12, label="LOC")
    write_draw(again, folder, force=True)
    (folder / "tasks" / "mine.json").write_text("[]", "utf-8")
    with pytest.raises(InputError, match="the folder also contains tasks/mine.json"):
        write_draw(again, folder, force=True)
    (folder / "tasks" / "mine.json").unlink()
    table = folder / "tasks.csv"
    table.write_text(table.read_text("utf-8").replace(",lake,,", ",lake,yes,", 1), "utf-8")
    with pytest.raises(InputError, match="the folder also contains a filled-in tasks.csv"):
        write_draw(again, folder, force=True)


def test_what_a_killed_writer_left_is_cleared_away(tmp_path: Path) -> None:
    stale = tmp_path / ".places.0123456789abcdef.part"
    stale.mkdir()
    drawn(tmp_path)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["corpus.txt", "places"]


ASKED = """
from pathlib import Path
def lakes(text):
    with Path("asked.txt").open("a") as stream:
        stream.write("x")
    print("noise")
    return [(0, 4, "LOC")]
def leaves(text):
    raise SystemExit(0)
"""


def test_options_are_checked_before_the_tagger_runs(benchmark_folder: Path) -> None:
    place = benchmark_folder.parent
    (place / "mine.py").write_text(ASKED, "utf-8")
    for wrong in (
        ["--method", "publishd"],
        ["--level", "2"],
        ["--failed", "x"],
        ["--unresolved", "x"],
        ["--method", "assisted"],
    ):
        refused("estimate", "waters", "--tagger", "mine:lakes", *wrong, cwd=place)
    assert not (place / "asked.txt").exists()


def test_what_a_tagger_prints_is_not_in_the_json(benchmark_folder: Path) -> None:
    place = benchmark_folder.parent
    (place / "mine.py").write_text("print('hello')\n" + ASKED, "utf-8")
    json.loads(ok("estimate", "waters", "--tagger", "mine:lakes", "--json", cwd=place))
    json.loads(ok("estimate", "waters", "--tagger", "mine:lakes", "--tax", "--json", cwd=place))


def test_a_tagger_that_leaves_is_a_failure_with_its_reason(benchmark_folder: Path) -> None:
    place = benchmark_folder.parent
    (place / "mine.py").write_text(ASKED, "utf-8")
    message = refused("estimate", "waters", "--tagger", "mine:leaves", cwd=place)
    assert "the tagger failed on all 2 positives of stratum 'rivers'" in message
    assert "SystemExit" in message
    (place / "gone.py").write_text("raise SystemExit(0)", "utf-8")
    assert "SystemExit" in refused("estimate", "waters", "--tagger", "gone:x", cwd=place)


def test_a_journal_has_one_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one_writer.py").write_text("def f(text):\n    return inner()\ninner = None\n", "utf-8")
    tagger = open_tagger("one_writer:f")
    journal = tmp_path / "j.jsonl"
    seen: list[str] = []

    def inner() -> list[Any]:
        with pytest.raises(InputError, match="another run is writing to this journal"):
            tag_texts(tagger, ["y"], journal=journal)
        seen.append("x")
        return []

    sys.modules["one_writer"].inner = inner  # type: ignore[attr-defined]
    tag_texts(tagger, ["x"], journal=journal)
    assert seen == ["x"]


def test_a_journal_that_says_what_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "said_before.py").write_text("def f(text):\n    return [(0, 1, 'A')]\n", "utf-8")
    tagger = open_tagger("said_before:f")
    journal = tmp_path / "j.jsonl"
    tag_texts(tagger, ["xyz"], journal=journal)
    text = journal.read_text("utf-8")
    journal.write_text(text.replace('[0,1,"A"]', '[0,99,"A"]'), "utf-8")
    assert tag_texts(tagger, ["xyz"], journal=journal).spans == (((0, 1, "A"),),)
    journal.write_text(text.replace('[0,1,"A"]', '[1e999,5,"A"]'), "utf-8")
    with pytest.raises(InputError, match="j.jsonl:2: not a line of a journal"):
        tag_texts(tagger, ["xyz"], journal=journal)


# No tracebacks


@pytest.mark.parametrize("expression", ["(?x)lake # a comment", "(?ix) l a k e  # more"])
def test_a_pattern_may_end_with_a_comment(tmp_path: Path, expression: str) -> None:
    (tmp_path / "a.txt").write_text("a lake\n", "utf-8")
    assert draw([tmp_path / "a.txt"], lists=[Pattern(expression)]).strata[0].occurrences == 1


def test_arguments_that_are_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a lake\n", "utf-8")
    for option in (b"--label", b"--pattern"):
        words = [sys.executable.encode(), b"-m", b"karatage", b"recall", b"draw", b"a.txt", b"--pattern", b"lake"]
        done = subprocess.run([*words, b"--out", b"o", option, b"\xff"], cwd=tmp_path, capture_output=True)
        assert done.returncode == 2
        assert done.stderr.startswith(b"karatage: ")
        assert done.stderr.count(b"\n") == 1


def test_lint_of_odd_numbers(benchmark_folder: Path) -> None:
    for level in (0, 1, 2, -1, float("nan")):
        with pytest.raises(UsageError, match="the confidence level must be between"):
            lint(benchmark_folder, level=level)
    path = benchmark_folder / "data_description.csv"
    text = path.read_text("utf-8")
    path.write_text(text.replace(repr(1000 / 1300), "0").replace(repr(300 / 1300), "0"), "utf-8")
    lint(benchmark_folder)


def test_lint_says_where_no_estimate_can_be_made(tmp_path: Path) -> None:
    made = import_labels(
        tmp_path / "w",
        [Export(write(tmp_path / "1.json", task(1, said(1, *NO))), "lakes")],
        labels=["LOC"],
        occurrences={"lakes": 9},
    )
    assert made.benchmark.positives == ()
    assert {one.code for one in lint(tmp_path / "w") if one.severity == "error"} == {"no-positive-at-all"}


@pytest.mark.parametrize(
    "change",
    [
        lambda r: r["metrics"]["recall"].update(value=float("nan")),
        lambda r: r["metrics"]["recall"].update(value="high"),
        lambda r: r["metrics"]["recall"].update(low=None),
        lambda r: r["strata"][0].pop("name"),
        lambda r: r["strata"][0].pop("weight"),
        lambda r: r["strata"][0].update(recall=None),
        lambda r: r["strata"][0].update(correct=None),
        lambda r: r["strata"][0].update(correct=10**6),
        lambda r: r["items"].update(found="x" * 90),
        lambda r: r.pop("level"),
        lambda r: r.update(level="x"),
    ],
)
def test_an_edited_result_is_refused(tmp_path: Path, change: Any) -> None:
    edited = result(0.5, 1, "a")
    change(edited)
    (tmp_path / "r.json").write_text(json.dumps(edited), "utf-8")
    with pytest.raises(KaratageError):
        read_result(str(tmp_path / "r.json"))


def test_a_board_with_an_endless_interval(tmp_path: Path) -> None:
    text = ',Recall,Recall-95CI%,correct,incorrect\na,0.5,"(1e999, 0.2)",1,1\n'
    (tmp_path / "b.csv").write_text(text, "utf-8")
    with pytest.raises(InputError, match=":2: invalid row of a board"):
        read_board(tmp_path / "b.csv")


@pytest.mark.parametrize(
    "text", ["[]", "5", "null", '{"labels": 5}', '{"labels": [5]}', '{"positive": [1]}', '{"resolve": 5}', "{"]
)
def test_settings_that_are_none(tmp_path: Path, text: str) -> None:
    folder = drawn(tmp_path)
    path = label_all(folder, tmp_path / "1.json")
    (folder / "labelling.json").write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"labelling\.json: invalid labelling settings"):
        import_labels(folder, [Export(path)])


@pytest.mark.parametrize(
    "change", [{"choice": 5}, {"candidate": ["a", "b"]}, {"marks": [["a"]]}, {"marks": 5}, {"more": 1}, {"text": None}]
)
def test_kept_labels_that_are_none(tmp_path: Path, change: dict[str, Any]) -> None:
    folder = drawn(tmp_path)
    import_labels(folder, [Export(label_all(folder, tmp_path / "1.json"))])
    kept = folder / "labels.jsonl"
    first, *rest = kept.read_text("utf-8").splitlines()
    kept.write_text("\n".join([json.dumps(json.loads(first) | change), *rest]) + "\n", "utf-8")
    with pytest.raises(InputError, match=r"labels\.jsonl:1: is not an imported label"):
        adjudicate(folder)


@pytest.mark.parametrize(
    ("old", "new"), [('"seed": 0', '"seed": 1e400'), ('"occurrences": 40', '"occurrences": 1e400')]
)
def test_a_manifest_of_endless_numbers(tmp_path: Path, old: str, new: str) -> None:
    folder = drawn(tmp_path)
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(InputError, match="must be a number that is not negative"):
        read_draw(folder)


def test_a_label_that_took_for_ever(tmp_path: Path) -> None:
    path = write(tmp_path / "1.json", task(1, said(1, *YES, lead_time=10**400)))
    made = import_labels(tmp_path / "w", [Export(path, "lakes")], labels=["LOC"], occurrences={"lakes": 9})
    assert made.answers[0].seconds is None


@pytest.mark.parametrize(
    "arguments",
    [
        ["estimate", "waters", "--stored", "--precision", "1/2/99999999999999999999999"],
        ["estimate", "waters", "--stored", "--dropped", f"x={'9' * 5000}/1"],
        ["plan", "--stratum", f"a={'9' * 400}:0.5"],
        ["plan", "--stratum", "a=100:0.5:0.5:0.5"],
        ["plan", "--stratum", "a=100:0.5:1"],
        ["plan", "--stratum", "a=100:0.5", "--labels", "0"],
        ["draw", "none.txt", "--pattern", "x", "--out", "o", "--size", "9" * 5000],
    ],
)
def test_numbers_that_are_too_much(benchmark_folder: Path, arguments: list[str]) -> None:
    refused(*arguments, cwd=benchmark_folder.parent)


# Messages


def test_a_plan_of_a_pilot_with_an_empty_stratum(tmp_path: Path) -> None:
    folder = drawn(tmp_path, lists=[*LAKE, Pattern("pond", "ponds", True)])
    import_labels(folder, [Export(label_all(folder, tmp_path / "1.json"))])
    assert "lakes" in ok("plan", "places", cwd=tmp_path)


def test_tables_of_other_countries(tmp_path: Path) -> None:
    folder = drawn(tmp_path)
    for separator in (";", "\t"):
        rows = [separator.join(("item", "text", "answer"))]
        rows += [separator.join((item.item, item.text, "no")) for item in read_draw(folder).items]
        (tmp_path / "done.csv").write_text("\ufeff" + "\r\n".join(rows) + "\r\n", "utf-8")
        made = import_labels(folder, [Export(str(tmp_path / "done.csv"))])
        assert made.benchmark.strata[0].labelled == 12


def test_exports_without_answers(tmp_path: Path) -> None:
    folder = drawn(tmp_path)
    (tmp_path / "e.json").write_text("[]", "utf-8")
    for path in (tmp_path / "e.json", folder / "tasks.csv"):
        with pytest.raises(InputError, match="no answers found"):
            import_labels(folder, [Export(str(path))])
    assert "e.json: no answers found" in refused("adjudicate", "e.json", cwd=tmp_path)
    (tmp_path / "e.json").write_text('[{"id": 1, "text": "a", "annotation_id": 3, "review": "no"}]', "utf-8")
    with pytest.raises(InputError, match="this is a JSON-MIN export of Label Studio. In Label Studio, export as JSON"):
        import_labels(folder, [Export(str(tmp_path / "e.json"))])
    assert not (folder / "data_description.csv").exists()


def test_maps_of_predictions(benchmark_folder: Path) -> None:
    place = benchmark_folder.parent
    rows = [
        {"text": one.text, "spans": [{"start": 0, "end": 2, "label": "GPE"}]}
        for one in read_benchmark(benchmark_folder).positives
    ]
    (place / "p.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    common = ("estimate", "waters", "--predictions", "p.jsonl", "--map")
    for dropped in ("GPE=", "GPE=O"):
        assert "never predicts LOC: all its labels are dropped" in refused(*common, dropped, cwd=place)
    assert "unknown label of the predictions 'GEP'. Did you mean 'GPE'?" in refused(*common, "GEP=LOC", cwd=place)


def test_tasks_do_not_go_where_labels_lie(tmp_path: Path) -> None:
    folder = drawn(tmp_path)
    import_labels(folder, [Export(label_all(folder, tmp_path / "1.json"))])
    before = (folder / "labels.jsonl").read_bytes()
    assert "choose a file outside the folder" in refused(
        "adjudicate", "places", "--out", "places/labels.jsonl", cwd=tmp_path
    )
    assert (folder / "labels.jsonl").read_bytes() == before


# Careless use


def test_an_estimate_trusts_the_manifest(tmp_path: Path) -> None:
    folder = drawn(tmp_path)
    import_labels(folder, [Export(label_all(folder, tmp_path / "1.json"))])
    description = folder / "data_description.csv"
    description.write_text(description.read_text("utf-8").replace("lakes,40,", "lakes,50,"), "utf-8")
    message = refused("estimate", "places", "--tagger", "mine:f", cwd=tmp_path)
    assert "stratum 'lakes' has 40 occurrences in the manifest, but not here" in message


def test_a_stratum_that_nobody_labelled(tmp_path: Path) -> None:
    folder = drawn(tmp_path, lists=[*LAKE, Pattern("Como", "names", True)])
    path = Path(label_all(folder, tmp_path / "1.json"))
    tasks = [task for task in json.loads(path.read_text("utf-8")) if task["data"]["item"].startswith("lakes")]
    import_labels(folder, [Export(write(path, *tasks))])
    (tmp_path / "mine.py").write_text("def f(text):\n    return [(text.index('lake'), len(text), 'LOC')]\n", "utf-8")
    found = json.loads(ok("estimate", "places", "--tagger", "mine:f", "--json", cwd=tmp_path))
    warned = (
        "stratum without labels: names; the recall is that of the other strata, the interval allows for anything there"
    )
    assert found["warnings"] == [warned]
    assert [one.stratum for one in lint(folder) if one.code == "unlabelled"] == ["names"]


def test_lint_says_how_much_rests_on_one_answer(tmp_path: Path) -> None:
    tasks = [task(at, said(1, *NO)) for at in range(10)]
    tasks += [task(at, said(1, *NO), said(2, *(YES if at == 10 else NO))) for at in range(10, 14)]
    path = write(tmp_path / "e.json", *tasks)
    import_labels(tmp_path / "w", [Export(path, "lakes")], labels=["LOC"], occurrences={"lakes": 99})
    (found,) = [one for one in lint(tmp_path / "w") if one.code == "answered-once"]
    assert (
        found.what == "10 items with one annotator; with several annotators, 25.0 % of 4 items have conflicting choices"
    )
    assert "about 1 of these 10 are wrong" in found.effect
    assert found.stratum == "lakes"


def test_lint_of_several_other_exports(benchmark_folder: Path) -> None:
    (benchmark_folder / "labelled").mkdir()
    for name in ("one", "two"):
        tasks = [task(at, said(1, *NO), said(2, *(YES if at else NO))) for at in range(3)] + [task(9, said(1, *NO))]
        write(benchmark_folder / "labelled" / f"{name}.json", *tasks)
    found = [one.what for one in lint(benchmark_folder) if one.code == "answered-once"]
    assert (
        found == ["1 item with one annotator; with several annotators, 66.7 % of 3 items have conflicting choices"] * 2
    )


def test_lint_knows_which_choices_mean_the_same(tmp_path: Path) -> None:
    answers = (said(1, CANDIDATE, choice("full"), span(5, 14)), said(2, CANDIDATE, choice("partial"), span(5, 14)))
    path = write(tmp_path / "e.json", task(1, *answers))
    export = Export(path, "lakes")
    import_labels(tmp_path / "w", [export], labels=["LOC"], positive=["full", "partial"], occurrences={"lakes": 9})
    assert "conflicts" not in {one.code for one in lint(tmp_path / "w")}


def test_annotators_who_are_one(tmp_path: Path) -> None:
    path = write(tmp_path / "e.json", *(task(at, said("a", *NO), said("b", *NO)) for at in range(25)))
    made = import_labels(tmp_path / "w", [Export(path, "lakes")], labels=["LOC"], occurrences={"lakes": 99})
    assert made.notes["identical answers by a and b (the same person?), items"] == 25


def test_a_corpus_that_is_named_twice(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a lake\n", "utf-8")
    with pytest.raises(UsageError, match="a.txt is listed twice"):
        draw([tmp_path / "a.txt", tmp_path / "a.txt"], lists=LAKE)


def test_boards_that_are_asked_for_two_things(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(json.dumps(result(0.5, 1, "a")), "utf-8")
    (tmp_path / "s.json").write_text(json.dumps(result(0.9, 2, "b")), "utf-8")
    both = refused("board", "b.csv", "r.json", "--population", "s0=1", "--write", cwd=tmp_path)
    assert "cannot be combined" in both
    assert "is a result, not a board" in refused("board", "r.json", "s.json", cwd=tmp_path)
    text = ok("board", "b.csv", "r.json", "s.json", "--population", "s0=1", cwd=tmp_path)
    assert "s0 1; without s1" in text
    assert "paired tests with weighted sign flips on 90 items" in " ".join(text.split())


def test_a_board_that_says_the_same_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(json.dumps(result(0.5, 1, "a")), "utf-8")
    ok("board", "b.csv", "r.json", "--write", cwd=tmp_path)
    before = (tmp_path / "b.csv").stat().st_mtime_ns
    ok("board", "b.csv", "r.json", "--write", cwd=tmp_path)
    assert (tmp_path / "b.csv").stat().st_mtime_ns == before


def test_a_function_with_its_ending() -> None:
    with pytest.raises(UsageError, match="without .py: mine:f"):
        open_tagger("mine.py:f")
