"""Records with entities in memory, and tables under the names of other tools."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pydantic import BaseModel

import karatage
from karatage.errors import FormatError, InputError

TEXT = "Ann in Ulm"


class Kind(Enum):
    PER = "PER"
    LOC = "LOC"


class Found(BaseModel):
    text: str
    type: Kind


class Answer(BaseModel):
    id: int
    entities: list[Found]


@dataclass
class Span:
    label: str
    start: int
    end: int


@dataclass
class Record:
    id: int
    text: str
    entities: list[Span]


class Named(NamedTuple):
    word: str
    entity_group: str


PYDANTIC = [Answer(id=1, entities=[Found(text="Ann", type=Kind.PER), Found(text="Ulm", type=Kind.LOC)])]
BARE = [{"text": "Ann", "type": "PER"}, {"text": "Ulm", "type": "LOC"}]
PIPELINE = [
    {"entity_group": "PER", "score": np.float32(0.9), "word": "Ann", "start": 0, "end": 3},
    {"entity_group": "LOC", "score": np.float32(0.8), "word": "Ulm", "start": 7, "end": 10},
]
GIVEN: dict[str, Any] = {
    "Pydantic models": PYDANTIC,
    "dataclasses": [Record(1, TEXT, [Span("PER", 0, 3), Span("LOC", 7, 10)])],
    "named tuples": [[Named("Ann", "PER"), Named("Ulm", "LOC")]],
    "dictionaries": [{"id": 1, "entities": BARE}],
    "types to values": [{"id": 1, "entities": {"PER": ["Ann"], "LOC": ["Ulm"]}}],
    "lists of entities": [BARE],
    "ids to lists of entities": {1: BARE},
    "ids to records": {1: {"entities": BARE}},
    "a pipeline": [PIPELINE],
    "polars": pl.DataFrame({"id": [1], "entities": [BARE]}),
    "pandas": pd.DataFrame({"id": [1], "entities": [BARE]}),
    "answers in polars": pl.DataFrame({"id": [1], "output": ['{"PER": ["Ann"], "LOC": ["Ulm"]}']}),
    "tuples": [[("PER", 0, 3), ("LOC", 7, 10)]],
    "tuples with the label last": [[(0, 3, "PER"), (7, 10, "LOC")]],
}
GOLD = {1: [("PER", 0, 3), ("LOC", 7, 10)]}


@pytest.mark.parametrize("how", GIVEN)
def test_records_in_memory_mean_the_same(how: str) -> None:
    claims = karatage.read(GIVEN[how])
    assert sorted(claims.labels) == ["LOC", "PER"]
    gold = [{"id": 1, "text": TEXT, "entities": GOLD[1]}]
    grounded = {"ground": "first"} if claims.space == "value" else {}
    result = karatage.score(gold, GIVEN[how], resamples=0, **grounded)
    assert (result.counts["predicted"], result.counts["correct"]) == (2, 2)


def test_records_of_fields_stay_fields() -> None:
    """A field may be called answer: its value is not JSON."""
    claims = karatage.read([{"answer": "Paris"}, {"answer": "Rom"}])
    assert (claims.space, claims.labels, claims.values) == ("value", ("answer",), ("Paris", "Rom"))


def test_entities_in_a_parquet_file(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    pl.DataFrame({"id": [1], "entities": [BARE]}).write_parquet(path)
    assert set(karatage.read(path).values) == {"Ann", "Ulm"}


def test_parts_of_entities_are_refused() -> None:
    with pytest.raises(FormatError, match="part of an entity, with the tag 'B-PER'"):
        karatage.read([[{"entity": "B-PER", "word": "Ann", "start": 0, "end": 3, "index": 1}]])


def test_a_span_that_says_its_label_twice_or_never_is_refused() -> None:
    for span in (("PER", "LOC", 3), (0, 3, 4)):
        with pytest.raises(InputError, match="cannot read the span"):
            karatage.read([[span]])


ROWS = [("a", "X", 0, 3, "Ann"), ("a", "Y", 5, 8, "Bob"), ("b", "X", 3, 6, "Eva")]


@pytest.mark.parametrize("names", [("doc_id", "type"), ("id", "entity_group"), ("unit", "label")])
@pytest.mark.parametrize("make", ["polars", "pandas", "csv", "parquet"])
def test_columns_of_other_tools_and_the_texts_of_entities(names: Any, make: str, tmp_path: Path) -> None:
    """A column `text` that ends before its entity does is the text of the entity, not of its unit."""
    frame = pl.DataFrame(ROWS, schema=[*names, "start", "end", "text"], orient="row")
    given: Any = frame
    if make == "pandas":
        given = frame.to_pandas()
    elif make == "csv":
        given = tmp_path / "t.csv"
        frame.write_csv(given)
    elif make == "parquet":
        given = tmp_path / "t.parquet"
        frame.write_parquet(given)
    claims = karatage.read(given)
    assert (claims.units.ids, claims.units.texts, len(claims)) == (["a", "b"], None, 3)
    assert set(claims.values) == {"Ann", "Bob", "Eva"}
    bare = frame.drop("start", "end")
    assert karatage.read(bare).space == "value"


def test_a_column_of_texts_of_units_stays_one() -> None:
    rows = [("a", "X", 0, 3, "Ann Bob"), ("a", "Y", 4, 7, "Ann Bob")]
    claims = karatage.read(pl.DataFrame(rows, schema=["unit", "label", "start", "end", "text"], orient="row"))
    assert claims.units.texts == ["Ann Bob"]


def test_missing_columns_are_named_with_those_found() -> None:
    with pytest.raises(FormatError, match=r"no column 'label' \(or type.*The columns are: unit, tag"):
        karatage.read(pl.DataFrame({"unit": ["a"], "tag": ["X"]}))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.jsonl",
            '{"doc": 1, "sentence": "x", "ents": [{"from": 0, "to": 3, "tag": "PER"}]}',
            r"The keys are: doc, sentence, ents \(from, to, tag\). The nearest format is spacy.*--format spacy",
        ),
        ("a.csv", "doc,kind,from,to\n1,PER,0,3\n", "The columns are: doc, kind, from, to. The nearest format is csv"),
        (
            "a.csv",
            "id,correct\n1,0\n",
            "id, correct. If each row has a score already, call the column score",
        ),
        ("a.json", '{"x": 1}', "The keys are: x. The nearest format is entities"),
        ("a.xyz", "!\n", "It starts with '!'"),
    ],
)
def test_a_file_of_no_format_says_what_was_found(name: str, content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(FormatError, match=message):
        karatage.read(path)


def test_raw_answers_are_read() -> None:
    """One is right, one is JSON among words and right, and one is no JSON: it is refused, or empty."""
    gold = [{"id": k, "text": "Ann", "entities": [("PER", 0, 3)]} for k in (1, 2, 3)]
    answers = ['{"PER": ["Ann"]}', 'Here you are: {"PER": ["Ann"]}', "Sorry"]
    with pytest.raises(FormatError, match="output is not valid JSON"):
        karatage.score(gold, answers, ground="first", resamples=0)
    result = karatage.score(gold, answers, ground="first", invalid="empty", resamples=0)
    assert result["recall"].value == pytest.approx(2 / 3)
    by_id = dict(zip((3, 2, 1), answers, strict=True))
    assert karatage.score(gold, by_id, ground="first", invalid="empty", resamples=0).counts["correct"] == 2


class ByType(BaseModel):
    """What a model is asked for, with a field for each type."""

    PER: list[str]
    LOC: list[str]


def test_objects_with_a_field_per_type_are_read() -> None:
    gold = [{"text": "Ann in Ulm", "entities": [("PER", 0, 3), ("LOC", 7, 10)]}]
    result = karatage.score(gold, [ByType(PER=["Ann"], LOC=["Rom"])], ground="first", resamples=0)
    assert (result.counts["predicted"], result.counts["correct"]) == (2, 1)
