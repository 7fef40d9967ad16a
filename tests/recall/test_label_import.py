"""Labels come in as people really have them, and become a benchmark."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import cohen_kappa_score

from karatage.errors import InputError, KaratageError, UsageError
from karatage.recall import Export, adjudicate, import_labels, read_benchmark
from karatage.recall.labels.agreement import agreements, conflicts, kappa
from karatage.recall.labels.answer_exports import read_answers
from karatage.recall.labels.answers import Answer, MarkedSpan
from karatage.recall.labels.decisions import AnswerRules, decide, pick

TEXT = "Near lake Como and lake Erie."
LAKE = (5, 9)


def span(start: int, end: int, label: str = "LOC", origin: str = "manual", text: str = TEXT) -> dict[str, Any]:
    value = {"start": start, "end": end, "text": text[start:end], "labels": [label]}
    return {"type": "labels", "from_name": "label", "to_name": "text", "origin": origin, "value": value}


def choice(name: str) -> dict[str, Any]:
    return {"type": "choices", "from_name": "review", "to_name": "text", "value": {"choices": [name]}}


def said(who: Any, *results: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"completed_by": who, "was_cancelled": False, "ground_truth": False, "result": list(results)} | more


def task(number: int, *annotations: dict[str, Any], text: str = TEXT, **data: Any) -> dict[str, Any]:
    return {"id": number, "data": {"text": text, **data}, "annotations": list(annotations), "predictions": [number]}


CANDIDATE = span(*LAKE, "geo_terms", "prediction")


def write(path: Path, *tasks: dict[str, Any]) -> str:
    path.write_text(json.dumps(list(tasks)), "utf-8")
    return str(path)


def answers(path: str, **options: Any) -> tuple[list[Answer], Counter[str]]:
    notes: Counter[str] = Counter()
    return read_answers(Export(path, "lakes", **options), AnswerRules(labels=("LOC",)), notes), notes


def test_an_export_with_everything_that_happens(tmp_path: Path) -> None:
    path = write(
        tmp_path / "export.json",
        task(
            1,
            said(7, choice("yes"), span(5, 14), CANDIDATE, lead_time=2.5),  # in any order
            said({"id": 8, "email": "b@example.org"}, CANDIDATE, choice("no"), lead_time=None),
            said("carl", choice("no"), was_cancelled=True),
        ),
        task(2, said(7, choice("no"), was_cancelled=True)),
        task(3),
        task(4, said(9, CANDIDATE, choice("no"), ground_truth=True)),
    )
    found, notes = answers(path)
    assert [(one.item, one.annotator, one.choice, one.seconds) for one in found] == [
        ("lakes-1", "7", "yes", 2.5),
        ("lakes-1", "b@example.org", "no", None),
        ("lakes-4", "9", "no", None),
    ]
    assert found[0].candidate == LAKE
    assert found[0].spans == (MarkedSpan(5, 14, "LOC"),)
    assert [one.adjudication for one in found] == [False, False, True]
    assert +notes == {"cancelled annotations skipped": 2, "tasks without answers skipped": 2}


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (task(1, said(1, choice("yes"), choice("no"))), "unit 1: one annotation has the choices no, yes"),
        (task(1, said(1, span(5, 99))), "unit 1"),
        (task(1, said(1, span(5, 5))), "the span 5–5 is"),
        (
            task(1, said(1, {**span(5, 14), "value": {"start": 5, "end": 14, "text": "Como", "labels": ["LOC"]}})),
            "but the annotation says",
        ),
        ({"id": 1, "annotations": []}, "data is missing"),
        ("nonsense", "must be an object"),
    ],
)
def test_a_broken_export_is_named(tmp_path: Path, broken: Any, message: str) -> None:
    path = write(tmp_path / "export.json", broken)
    with pytest.raises(InputError, match=message):
        answers(path)


def test_annotators_without_a_name_are_numbered_if_a_task_has_several(tmp_path: Path) -> None:
    one, two = (said(None, CANDIDATE, choice(name)) for name in ("yes", "no"))
    path = write(tmp_path / "export.json", task(1, one, two), task(2, one), task(3, said("ann", choice("no")), two))
    found, _ = answers(path)
    assert [(answer.item, answer.annotator) for answer in found] == [
        ("lakes-1", "unknown 1"),
        ("lakes-1", "unknown 2"),
        ("lakes-2", "unknown"),
        ("lakes-3", "ann"),
        ("lakes-3", "unknown"),
    ]


def test_a_filled_in_table(tmp_path: Path) -> None:
    path = tmp_path / "tasks.csv"
    path.write_text(
        "item,stratum,text,start,end,answer,entity\n"
        f"a,lakes,{TEXT},5,9,yes,lake Como\n"
        f"b,lakes,{TEXT},19,23,Yes,\n"
        f"c,lakes,{TEXT},19,23,no,\n"
        f"d,lakes,{TEXT},19,23,,\n"
        f"e,lakes,{TEXT},19,23,yes,lake\n"
        "f,lakes,lakelake,4,8,yes,lake\n",
        "utf-8",
    )
    found, _ = answers(str(path))
    assert [(one.item, one.choice, [m.key for m in one.spans]) for one in found] == [
        ("a", "yes", [(5, 14, "LOC")]),
        ("b", "Yes", [(19, 23, "LOC")]),
        ("c", "no", []),
        ("e", "yes", [(19, 23, "LOC")]),  # the one that is marked, not the first in the text
        ("f", "yes", [(4, 8, "LOC")]),  # nor one that only touches it
    ]
    assert {one.annotator for one in found} == {"tasks"}
    path.write_text(f"item,text,start,end,answer,entity\na,{TEXT},5,9,yes,lake Erie\n", "utf-8")
    with pytest.raises(InputError, match=r"tasks.csv:2: the entity 'lake Erie' was not found"):
        answers(str(path))
    path.write_text("item,text\na,b\n", "utf-8")
    with pytest.raises(InputError, match="missing column answer"):
        answers(str(path))


def answer(who: str, choice: str | None, *marks: MarkedSpan, **more: Any) -> Answer:
    return Answer(item="i", stratum="s", text=TEXT, candidate=LAKE, annotator=who, choice=choice, spans=marks, **more)


COMO, LONG, ERIE = MarkedSpan(5, 14, "LOC"), MarkedSpan(0, 14, "LOC"), MarkedSpan(19, 28, "LOC")
PREDICTED = MarkedSpan(5, 14, "LOC", manual=False)


@pytest.mark.parametrize(
    ("given", "resolve", "positive", "mark"),
    [
        ([answer("a", "yes", COMO, ERIE)], "unanimous", True, COMO),
        ([answer("a", "no", COMO)], "unanimous", False, None),
        ([answer("a", "yes", ERIE)], "unanimous", None, None),
        ([answer("a", None, COMO)], "unanimous", True, COMO),
        ([answer("a", "maybe", COMO)], "unanimous", None, None),
        ([answer("a", "maybe"), answer("b", "no")], "unanimous", None, None),
        ([answer("a", "maybe"), answer("b", "no"), answer("c", "No ")], "majority", False, None),
        ([answer("a", None, ERIE)], "unanimous", False, None),
        ([answer("a", "YES", PREDICTED, LONG)], "unanimous", True, LONG),
        ([answer("a", "yes", COMO), answer("b", "no")], "unanimous", None, None),
        ([answer("a", "yes", COMO), answer("b", "yes", LONG)], "unanimous", None, None),
        ([answer("a", "yes", COMO), answer("b", "yes", PREDICTED)], "unanimous", True, COMO),
        ([answer("a", "yes", COMO), answer("b", "no")], "majority", None, None),
        ([answer("a", "yes", COMO), answer("b", "no"), answer("c", "yes", COMO)], "majority", True, COMO),
        ([answer("a", "yes", COMO), answer("b", "no"), answer("c", "no")], "majority", False, None),
        ([answer("a", "yes", COMO), answer("b", "no")], "annotator:b", False, None),
        ([answer("a", "yes", COMO), answer("b", "no")], "annotator:a", True, COMO),
        (
            [answer("a", "yes", COMO), answer("b", "no"), answer("z", "yes", LONG, adjudication=True)],
            "majority",
            True,
            LONG,
        ),
        ([answer("a", "yes"), answer("a", "no", PREDICTED, spans_only=True)], "unanimous", True, COMO),
        ([answer("a", "no"), answer("a", None, COMO, spans_only=True)], "unanimous", False, None),
        # Spans are those of the second pass, and of an adjudication unless it says that there is none.
        ([answer("a", "yes", LONG), answer("b", None, COMO, spans_only=True)], "unanimous", True, COMO),
        (
            [answer("z", "yes", LONG, adjudication=True), answer("b", None, COMO, spans_only=True)],
            "unanimous",
            True,
            LONG,
        ),
    ],
)
def test_decisions(given: list[Answer], resolve: str, positive: bool | None, mark: MarkedSpan | None) -> None:
    found = decide(given, AnswerRules(labels=("LOC",), resolve=resolve))
    assert found.positive is positive
    assert found.entity == mark
    assert bool(found.why) == (positive is None)


def test_choices_that_mean_the_same_are_no_conflict(tmp_path: Path) -> None:
    path = write(
        tmp_path / "e.json",
        task(1, said(1, CANDIDATE, choice("full"), span(5, 14)), said(2, CANDIDATE, choice("partial"), span(5, 14))),
        task(2, said(1, CANDIDATE, choice("none"))),
        task(3, said(1, CANDIDATE, choice("hm"))),
    )
    made = import_labels(
        tmp_path / "waters",
        [Export(path, "lakes")],
        labels=["LOC"],
        positive=["Full", "partial"],
        negative=["none"],
        occurrences={"lakes": 10},
    )
    assert [(one.item, one.choices) for one in made.conflicts] == [("lakes-3", False)]
    assert [one.positive for one in made.decisions] == [True, False, None]
    assert made.undecided[0].why == "the choice 'hm' is neither --positive nor --negative"
    with pytest.raises(UsageError, match="the choice 'x' cannot be both positive and negative"):
        AnswerRules(labels=("LOC",), positive=("X",), negative=("x",))


def test_only_wanted_labels_are_entities() -> None:
    assert pick([MarkedSpan(5, 14, "PER"), COMO], LAKE, ["LOC"]) == COMO
    assert pick([MarkedSpan(5, 14, "PER")], LAKE, ["LOC"]) is None
    with pytest.raises(UsageError, match="missing label"):
        AnswerRules(labels=())
    with pytest.raises(UsageError, match="unanimous, majority or annotator:NAME"):
        AnswerRules(labels=("LOC",), resolve="coin")


def test_kappa_is_that_of_scikit_learn() -> None:
    rng = random.Random(5)
    for _ in range(50):
        count = rng.randrange(3, 40)
        pairs = [(rng.choice("ynp"), rng.choice("yyn")) for _ in range(count)]
        groups = [
            [
                Answer(item=str(i), stratum="s", text="t", candidate=None, annotator=who, choice=choice)
                for who, choice in (("a", one), ("b", other))
            ]
            for i, (one, other) in enumerate(pairs)
        ]
        expected = cohen_kappa_score(*zip(*pairs, strict=True))
        found = kappa(groups)
        assert found == pytest.approx(expected) if found is not None else expected != expected


def test_agreement_by_hand() -> None:
    def about(item: str, who: str, choice: str, *marks: MarkedSpan) -> Answer:
        return Answer(item=item, stratum="s", text=TEXT, candidate=None, annotator=who, choice=choice, spans=marks)

    given = [
        about("1", "a", "yes", COMO, ERIE),
        about("1", "b", "yes", COMO),
        about("2", "a", "yes", COMO),
        about("2", "b", "no"),
        about("3", "a", "no"),
        about("3", "b", "no"),
        about("4", "a", "no"),
    ]
    (found,) = agreements(given)
    # choices yes/yes, yes/no, no/no: observed 2/3, expected (2·1 + 1·2)/9 = 4/9, κ = (2/3 - 4/9)/(5/9) = 0.4
    assert (found.items, found.choices, found.choices_differ) == (3, 3, 1)
    assert found.kappa == pytest.approx(0.4)
    # spans: 1 in common of 2 + 1, and 0 of 1 + 0: F1 = 2·1/4
    assert (found.spans, found.spans_differ, found.f1) == (2, 2, 0.5)
    assert [(one.item, one.choices, one.spans) for one in conflicts(given)] == [("1", False, True), ("2", True, True)]


def test_the_doubly_labelled_tasks_of_amundsen_01(real_data: Path) -> None:
    path = real_data / "amundsen_01" / "labelled" / "multiple_annotators.json"
    found = read_answers(Export(str(path)), None, Counter())
    differing = conflicts(found)
    assert sum(one.choices for one in differing) == 2
    assert sum(one.spans for one in differing) == 13
    (agreement,) = agreements(found)
    assert (agreement.items, agreement.choices, agreement.choices_differ) == (13, 13, 2)
    assert (agreement.spans, agreement.spans_differ) == (13, 13)


SIZES = {"levinumad": 84822, "mitmetahenduslikud": 81893, "ulejaanud": 185897}


def test_the_exports_of_amundsen_01_rebuild_it(real_data: Path, tmp_path: Path) -> None:
    """All 535 positives come out, in order, with their spans and the stored results; 8 choices had no span."""
    files = real_data / "amundsen_01" / "labelled"
    first = [Export(str(files / f"koond_1000_{name}_labelled.json"), name) for name in SIZES]
    second = [Export(str(files / f"koond_1000_{name}_truelabelled.json"), name, spans_only=True) for name in SIZES]
    made = import_labels(tmp_path / "rebuilt", first + second, labels=["LOC"], occurrences=SIZES)
    published = read_benchmark(real_data / "amundsen_01")
    rebuilt = read_benchmark(tmp_path / "rebuilt")
    assert rebuilt.positives == published.positives
    assert [s.labelled for s in rebuilt.strata] == [997, 991, 999]
    assert [s.unresolved for s in rebuilt.strata] == [3, 0, 5]
    assert {one.why for one in made.undecided} == {"labelled positive, but no LOC overlaps the candidate"}
    assert len(made.undecided) == 8


def test_numbers_of_tasks_mean_nothing_in_a_second_pass(tmp_path: Path) -> None:
    other = "lake Van it was"
    first = write(
        tmp_path / "1.json",
        task(1, said(1, CANDIDATE, choice("yes"))),
        task(2, said(1, span(0, 4, "geo", "prediction", other), choice("yes")), text=other),
    )
    second = write(
        tmp_path / "2.json", task(2, said(1, span(5, 14))), task(1, said(1, span(0, 8, text=other)), text=other)
    )
    exports = [Export(first, "lakes"), Export(second, "lakes", spans_only=True)]
    made = import_labels(tmp_path / "w", exports, labels=["LOC"], occurrences={"lakes": 9})
    assert [one.quoted for one in made.benchmark.positives] == ["lake Como", "lake Van"]


def test_a_second_pass_is_booked_to_the_items_with_its_text_and_candidate(tmp_path: Path) -> None:
    erie = span(19, 23, "geo_terms", "prediction")
    first = write(
        tmp_path / "1.json",
        task(1, said(1, CANDIDATE, choice("yes"))),
        task(2, said(1, erie, choice("yes"))),
    )
    # The other project has other numbers; the candidate of the second lake is marked in it.
    rules = {"labels": ["LOC"], "occurrences": {"lakes": 9}}
    marked = write(tmp_path / "2.json", task(7, said(1, span(19, 23, "candidate", "prediction"), span(19, 28))))
    exports = [Export(first, "lakes"), Export(marked, "lakes", spans_only=True)]
    made = import_labels(tmp_path / "w", exports, **rules)
    assert [one.quoted for one in made.benchmark.positives] == ["lake Erie"]
    assert made.benchmark.strata[0].unresolved == 1


def test_importing_twice_changes_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "e.json", task(1, said(1, CANDIDATE, choice("yes"), span(5, 14))))
    folder = tmp_path / "waters"
    import_labels(folder, [Export(path, "lakes")], labels=["LOC"], occurrences={"lakes": 10})
    before = {one: one.read_bytes() for one in folder.rglob("*") if one.is_file()}
    import_labels(folder, [Export(path, "lakes")])  # what is known need not be said again
    assert {one: one.read_bytes() for one in folder.rglob("*") if one.is_file()} == before


def test_a_later_answer_replaces_an_earlier_one(tmp_path: Path) -> None:
    folder = tmp_path / "waters"
    first = write(tmp_path / "1.json", task(1, said(1, CANDIDATE, choice("no"))))
    second = write(tmp_path / "2.json", task(1, said(1, CANDIDATE, choice("yes"), span(5, 14))))
    import_labels(folder, [Export(first, "lakes")], labels=["LOC"], occurrences={"lakes": 10})
    made = import_labels(folder, [Export(second, "lakes")])
    assert [len(s.positives) for s in made.benchmark.strata] == [1]
    assert len(made.answers) == 1


def test_conflicts_are_settled_by_rule_or_by_adjudication(tmp_path: Path) -> None:
    folder = tmp_path / "waters"
    yes, no = (CANDIDATE, choice("yes"), span(5, 14)), (CANDIDATE, choice("no"))
    path = write(tmp_path / "e.json", task(1, said(1, *yes), said(2, *no)), task(2, said(1, *no), said(2, *no)))
    made = import_labels(folder, [Export(path, "lakes")], labels=["LOC"], occurrences={"lakes": 10})
    (stratum,) = made.benchmark.strata
    assert (stratum.labelled, len(stratum.positives), stratum.unresolved) == (2, 0, 1)
    assert [one.item for one in made.conflicts] == ["lakes-1"]
    assert [len(s.positives) for s in adjudicate(folder, "annotator:1").benchmark.strata] == [1]
    assert len(read_benchmark(folder).positives) == 1
    assert [len(s.positives) for s in adjudicate(folder, "annotator:2").benchmark.strata] == [0]
    with pytest.raises(UsageError, match="no labels by 'x'. Annotators: 1, 2"):
        adjudicate(folder, "annotator:x")
    settling = write(tmp_path / "a.json", task(1, said(3, *yes)))
    made = import_labels(folder, [Export(settling, "lakes", adjudication=True)])
    assert [len(s.positives) for s in made.benchmark.strata] == [1]
    assert made.conflicts == []


def test_bad_imports(tmp_path: Path) -> None:
    folder = tmp_path / "waters"
    path = write(
        tmp_path / "e.json", task(1, said(1, CANDIDATE, choice("no"))), task(2, said(1, CANDIDATE, choice("no")))
    )
    with pytest.raises(UsageError, match="missing label of the entities"):
        import_labels(folder, [Export(path, "lakes")], occurrences={"lakes": 10})
    with pytest.raises(UsageError, match="number of occurrences of stratum 'lakes'"):
        import_labels(folder, [Export(path, "lakes")], labels=["LOC"])
    other = write(tmp_path / "o.json", task(5, said(1, span(0, 4, text="Elsewhere")), text="Elsewhere"))
    with pytest.raises(InputError, match="item 'lakes-5' is not in the labels of the first pass: 'Elsewhere'"):
        import_labels(
            folder, [Export(path, "lakes"), Export(other, "lakes", True)], labels=["LOC"], occurrences={"lakes": 9}
        )
    assert not folder.exists()
    with pytest.raises(InputError, match="no labels found"):
        adjudicate(tmp_path)
    with pytest.raises(KaratageError, match="no such file"):
        import_labels(folder, [Export(str(tmp_path / "none.json"), "lakes")], labels=["LOC"], occurrences={"lakes": 9})
