"""Entities as language models and pipelines write them."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.test_references import mutated
from tests.parts import parts

import karatage
from karatage.errors import FormatError, KaratageError, UsageError

TEXT = "Ann met Bob in Ulm"
SPANS = [("LOC", 15, 18, None), ("PER", 0, 3, None)]
VALUES = [("LOC", -1, -1, "Ulm"), ("PER", -1, -1, "Ann")]


def save(folder: Path, *records: Any, name: str = "p.jsonl") -> Path:
    path = folder / name
    path.write_text("".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in records), "utf-8")
    return path


def found(path: Any, **options: Any) -> list[tuple[str, int, int, str | None]]:
    """Return label, start, end and value of all entities, sorted."""
    rows = karatage.read(path, **options).rows()
    return sorted(((row[1], row[2], row[3], row[5]) for row in rows), key=str)


@pytest.mark.parametrize("label", ["type", "label", "entity_type"])
@pytest.mark.parametrize("surface", ["text", "value", "word", "entity", "name"])
def test_an_entity_has_a_text_and_a_type_under_the_usual_names(surface: str, label: str, tmp_path: Path) -> None:
    bare = [{surface: "Ann", label: "PER"}, {surface: "Ulm", label: "LOC"}]
    assert found(save(tmp_path, {"id": 1, "text": TEXT, "entities": bare})) == VALUES
    placed = [bare[0] | {"start": 0, "end": 3}, bare[1] | {"start": 15, "end": 18}]
    assert found(save(tmp_path, {"id": 1, "text": TEXT, "entities": placed})) == SPANS


ENTITIES = [{"text": "Ann", "type": "PER"}, {"text": "Ulm", "type": "LOC"}]
ANSWER = json.dumps({"entities": ENTITIES})
SHAPES: dict[str, Any] = {
    "types to values": {"id": 1, "entities": {"PER": ["Ann"], "LOC": "Ulm", "ORG": [], "MISC": None}},
    "types to objects": {"id": 1, "entities": {"PER": [{"text": "Ann"}], "LOC": [{"text": "Ulm"}]}},
    "an answer": {"id": 1, "output": ANSWER},
    "an answer in a fence": {"id": 1, "response": f"```json\n{ANSWER}\n```"},
    "an answer with words around it": {"id": 1, "completion": f"Here you are:\n```\n{json.dumps(ENTITIES)}\n```\nBye"},
    "an answer that is parsed": {"id": 1, "answer": {"entities": ENTITIES}},
    "an answer of types to values": {"id": 1, "output": '{"PER": ["Ann"], "LOC": ["Ulm"]}'},
    "a list in a list": [ENTITIES],
    "an array of records": [{"id": 1, "entities": ENTITIES}],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_usual_shapes_are_recognised_and_mean_the_same(shape: str, tmp_path: Path) -> None:
    assert found(save(tmp_path, SHAPES[shape])) == VALUES
    notes: Counter[str] = Counter()
    karatage.read(save(tmp_path, SHAPES[shape]), notes=notes)
    assert notes["answers in code fences, which were removed"] == ("fence" in shape or "around" in shape)


def test_triples_have_the_label_first_or_last(tmp_path: Path) -> None:
    path = save(tmp_path, {"id": 1, "text": TEXT, "entities": [["PER", 0, 3], [15, 18, "LOC"]]})
    assert found(path, format="entities") == SPANS


BROKEN = [
    ({"entities": [{"text": "Ann"}]}, r"entities\[0\] has no type.*type, label.*The keys are: text"),
    ({"entities": [{"type": "PER"}]}, r"entities\[0\] has neither a text nor offsets"),
    ({"entities": [{"text": "Ann", "type": "PER", "label": "X"}]}, "has two types, 'PER' and 'X'"),
    ({"entities": [{"text": "Ann", "value": "Bo", "type": "P"}]}, 'both "text" and "value", which differ'),
    ({"entities": [{"text": "Ann", "type": "PER", "start": 0}]}, "has start only"),
    ({"entities": [{"text": 7, "type": "PER"}]}, r"text must be a string, got the number 7"),
    ({"text": "Ann", "entities": [{"type": "P", "start": 0, "end": 4}]}, "ends at 4, but the text has 3 characters"),
    ({"entities": [{"type": "P", "start": 2, "end": 2}]}, "ends at 2, but starts at 2"),
    ({"entities": [{"word": "Ann", "entity": "B-PER"}]}, "part of an entity.*aggregation_strategy"),
    ({"entities": "none"}, "must be an array of entities, or an object from types to values"),
    ({"output": "I cannot"}, r"output is not valid JSON .*'I cannot'.*--invalid empty"),
    ({"output": "{", "answer": "{"}, 'both "output" and "answer" found'),
    ({"sentence": "x"}, "entities is missing.*The keys are: id, sentence"),
    (
        {"entities": [{"text": "a", "type": "P"}, {"text": "b", "type": "P", "start": 0, "end": 1}]},
        "unlike those before",
    ),
]


@pytest.mark.parametrize(("record", "message"), BROKEN)
def test_what_is_wrong_is_said_with_line_and_unit(record: Any, message: str, tmp_path: Path) -> None:
    """With --invalid empty, it is a text without entities, and counted."""
    good = {"id": 1, "entities": []} | ({"text": TEXT} if "text" in record else {})
    path = save(tmp_path, good, {"id": 2} | record)
    with pytest.raises(FormatError, match=rf"p\.jsonl:2, text 2: .*{message}"):
        karatage.read(path, format="entities")
    notes: Counter[str] = Counter()
    claims = karatage.read(path, format="entities", invalid="empty", notes=notes)
    assert (claims.units.ids, len(claims)) == (["1", "2"], 0)
    assert notes["invalid answers, counted as texts without entities"] == 1


def test_lines_that_are_not_json_keep_their_ids(tmp_path: Path) -> None:
    """An answer that was cut off is a text without entities; its id was written before the cut."""
    path = save(
        tmp_path, {"id": 1, "entities": ENTITIES}, '{"id": 2, "entities": [{"text": "An', {"id": 3, "entities": []}
    )
    with pytest.raises(FormatError, match=r"p\.jsonl:2: "):
        karatage.read(path)
    claims = karatage.read(path, invalid="empty")
    assert (claims.units.ids, len(claims)) == (["1", "2", "3"], 2)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"id": "b", "entities": None}, "entities is null. Use [] for a text without entities"),
        ({"id": "b", "output": '{"error": "I cannot help"}'}, "output has no entities, but"),
    ],
)
def test_no_answer_is_an_invalid_answer(record: Any, message: str, tmp_path: Path) -> None:
    path = save(tmp_path, {"id": "a", "entities": {"PER": ["Ann"]}}, record)
    with pytest.raises(FormatError) as error:
        karatage.read(path)
    assert message in str(error.value)
    gold = save(tmp_path, *({"id": name, "entities": {"PER": ["Ann"]}} for name in "ab"), name="g.jsonl")
    result = karatage.score(gold, path, like="values", invalid="empty", resamples=0)
    assert (result.counts["predicted"], result.counts["correct"], result.counts["invalid"]) == (1, 1, 1)
    assert "predictions: answers in code fences, which were removed: 0" not in result.warnings


def test_a_broken_record_of_a_model_is_never_taken_for_a_plain_text(tmp_path: Path) -> None:
    """The nearest format is the one of models, whatever is wrong with the record."""
    for record in ({"id": 1, "text": "x", "output": "<think>"}, {"id": 1, "text": "x", "entities": 7}):
        with pytest.raises(FormatError, match="The nearest format is entities"):
            karatage.read(save(tmp_path, record))


def test_gold_is_never_emptied(tmp_path: Path) -> None:
    """--invalid is about predictions: gold that is broken stays an error."""
    gold = save(tmp_path, {"id": 1, "output": "oops"}, {"id": 2, "output": "[]"}, name="g.jsonl")
    with pytest.raises(FormatError, match=r"g\.jsonl:1, text 1: output is not valid JSON"):
        karatage.score(gold, gold, invalid="empty", like="values")


def test_invalid_answers_are_in_the_counts_and_warnings(tmp_path: Path) -> None:
    gold = save(tmp_path, {"id": 1, "entities": ENTITIES}, {"id": 2, "entities": ENTITIES}, name="g.jsonl")
    pred = save(tmp_path, {"id": 1, "output": ANSWER}, {"id": 2, "output": "Sorry"})
    result = karatage.score(gold, pred, invalid="empty", like="values", resamples=0)
    # Of 4 gold values, the 2 of the first text were found; the second answer failed.
    assert (result["precision"].value, result["recall"].value) == (1.0, 0.5)
    assert result.to_dict()["counts"]["invalid"] == 1
    assert "predictions: invalid answers, counted as texts without entities: 1" in result.warnings
    with pytest.raises(UsageError, match="unknown value of invalid 'drop'"):
        karatage.score(gold, pred, invalid="drop")


def test_texts_that_are_not_at_their_offsets_are_counted(tmp_path: Path) -> None:
    entity = {"text": "Bob", "type": "PER", "start": 7, "end": 10}
    notes: Counter[str] = Counter()
    karatage.read(save(tmp_path, {"id": 1, "text": TEXT, "entities": [entity]}), notes=notes)
    example = "(e.g. entities[0] in line 1: 'Bob', but the text has ' Bo')"
    assert notes == {f"entities whose text differs from the text at their offsets {example}": 1}


def test_scores_and_attributes_survive_writing(tmp_path: Path) -> None:
    entity = {"text": "Ann", "type": "PER", "start": 0, "end": 3, "score": 0.5}
    path = save(tmp_path, {"id": 1, "text": TEXT, "model": "m", "entities": [entity]})
    again = tmp_path / "again.jsonl"
    assert karatage.convert(path, again, to="entities") == {}
    assert json.loads(again.read_text()) == json.loads(path.read_text())


def test_a_table_of_other_rows_is_not_taken_for_entities(tmp_path: Path) -> None:
    """An array of rows with text and label may be anything: say which keys it has, and read it only if told to."""
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([{"text": "fine", "label": "positive"}, {"text": "bad", "label": "negative"}]))
    with pytest.raises(FormatError, match="The keys are: text, label. The nearest format is .*--pred-format"):
        karatage.read(path)


def odd(rng: random.Random, depth: int = 0) -> Any:
    """Return a record, an entity or nearly one."""
    words = [None, True, -1, 3, 1.5, "", "Ann", "PER", "```json\n[]\n```", '{"PER": ["x"]}', "{", "é\ud800", 10**20]
    kind = rng.randrange(4) if depth < 3 else 0
    if kind == 0:
        return rng.choice(words)
    if kind == 1:
        return [odd(rng, depth + 1) for _ in range(rng.randrange(3))]
    keys = ["id", "text", "entities", "output", "answer", "type", "label", "start", "end", "value", "word", "score", ""]
    return {rng.choice(keys): odd(rng, depth + 1) for _ in range(rng.randrange(5))}


def fuzzed(rng: random.Random) -> Iterator[bytes]:
    """Yield broken files: good ones with other bytes, and records of odd parts."""
    good = [json.dumps(shape).encode() + b"\n" for shape in SHAPES.values()]
    table = b"doc_id,type,start,end,text\na,PER,0,3,Ann\na,LOC,15,18,Ulm\nb,LOC,4,7,Rom\n"
    while True:
        yield from mutated(rng.choice([*good, rng.choice(good) * 3, table, table]), rng)
        records = [odd(rng) if rng.random() < 0.3 else {"id": k, "entities": odd(rng, 1)} for k in range(3)]
        yield "\n".join(map(json.dumps, records)).encode()


@pytest.mark.parametrize("turn", parts(10, 1))
def test_fuzzed_files_are_read_or_refused(turn: int, tmp_path: Path) -> None:
    """200 files, 2,000 with the slow ones: as they are detected, as entities, and with invalid answers as empty."""
    rng = random.Random(turn)
    files = fuzzed(rng)
    gold = save(tmp_path, *({"id": k, "text": TEXT, "entities": [["PER", 0, 3]]} for k in range(3)), name="g.jsonl")
    for number in range(200):
        data = next(files)
        path = tmp_path / ("fuzzed.csv" if data.startswith(b"doc") else "fuzzed.jsonl")
        path.write_bytes(data)
        for options in ({}, {"format": "entities"}, {"format": "entities", "invalid": "empty"}):
            with suppress(KaratageError):  # anything else is a traceback
                karatage.read(path, **options)
                if number % 5 == 0:
                    ground = {
                        "ground": "all",
                        "missing": "empty",
                        "extra": "empty",
                        "pred_format": options.get("format"),
                    }
                    invalid = {"invalid": options.get("invalid", "error")}
                    karatage.score(gold, path, resamples=0, **ground, **invalid)


AROUND = {
    "words": f"Here are the entities: {ANSWER} I hope this helps [1].",
    "thoughts": f'<think>Is it {{"PER": ["Eva"]}}?</think>{ANSWER}',
}


@pytest.mark.parametrize("shape", AROUND)
def test_json_among_words_is_read_and_counted(shape: str, tmp_path: Path) -> None:
    notes: Counter[str] = Counter()
    claims = karatage.read(save(tmp_path, {"id": 1, "output": AROUND[shape]}), notes=notes)
    assert len(claims) == len(karatage.read(save(tmp_path, {"id": 1, "output": ANSWER})))
    assert notes == {"answers with words around their JSON, which were removed": 1}


def test_two_json_values_among_words_are_refused(tmp_path: Path) -> None:
    answer = f"First I thought {ANSWER}, but it is {ANSWER}"
    with pytest.raises(FormatError, match=r"output has 2 JSON values among its words.*Use --invalid empty"):
        karatage.read(save(tmp_path, {"id": 1, "output": answer}))


def test_an_empty_object_is_an_answer_without_entities(tmp_path: Path) -> None:
    notes: Counter[str] = Counter()
    assert len(karatage.read(save(tmp_path, {"id": 1, "output": "{}"}), notes=notes)) == 0
    assert not notes


def test_an_invalid_entity_does_not_discard_the_others(tmp_path: Path) -> None:
    """Ann is kept; a null type and a number are left out and counted. An answer of nothing else is invalid."""
    entities = [{"text": "Ann", "type": "PER"}, {"text": "Ulm", "type": None}, {"text": 7, "type": "X"}]
    path = save(tmp_path, {"id": 1, "output": json.dumps(entities)}, {"id": 2, "output": json.dumps(entities[1:])})
    with pytest.raises(FormatError, match="--invalid empty"):
        karatage.read(path)
    notes: Counter[str] = Counter()
    claims = karatage.read(path, invalid="empty", notes=notes)
    assert claims.values == ("Ann",)
    assert notes == {
        "invalid entities of answers, left out": 2,
        "invalid answers, counted as texts without entities": 1,
    }


def test_types_beside_entities_are_counted(tmp_path: Path) -> None:
    answer = {"entities": [{"text": "Ann", "type": "PER"}], "LOC": ["Ulm"], "note": "done"}
    notes: Counter[str] = Counter()
    assert len(karatage.read(save(tmp_path, {"id": 1, "output": answer}), notes=notes)) == 1
    assert notes == {"keys beside entities that were not read ('LOC')": 1}


@pytest.mark.parametrize("first", [True, False])
def test_a_line_that_is_no_json_needs_an_id_if_others_have_one(first: bool, tmp_path: Path) -> None:
    lines = [json.dumps({"id": 1, "output": ANSWER}), "I cannot."]
    path = tmp_path / "p.jsonl"
    path.write_text("\n".join(lines[::-1] if first else lines))
    message = rf"p\.jsonl:{1 if first else 2}: this line is not JSON, so it is not known to which text it belongs"
    with pytest.raises(FormatError, match=message):
        karatage.read(path, format="entities", invalid="empty")


def test_a_file_of_refusals_says_so(tmp_path: Path) -> None:
    path = save(tmp_path, {"id": 1, "output": "I cannot."})
    with pytest.raises(FormatError, match="none at the start of the file is JSON: --pred-format entities"):
        karatage.read(path)
