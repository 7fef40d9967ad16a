"""Descriptions of entities: every count is worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.command import run

import karatage
from karatage.claims import Units
from karatage.description import ExtractionDescription, describe
from karatage.errors import InputError, UsageError
from karatage.reports import plain

# Seven sentences, 19 tokens, 5 entities: Paris is LOC once, PER twice and unlabelled once; sentences 2 and 6 are equal.
TRAIN = """\
Paris B-LOC
sleeps O

Paris B-PER
sings O
. O

New B-LOC
York I-LOC
is O
big O

I O
love O
Paris O

New O
York O
! O

Paris B-PER
sings O
. O

Rome B-LOC
"""
TEST = """\
Paris B-LOC
sings O
. O

Rome B-ORG

Bonn B-LOC
"""


def described(folder: Path, text: str, name: str = "train.conll", **options: Any) -> ExtractionDescription:
    path = folder / name
    path.write_text(text, "utf-8")
    found = describe(str(path), **options)
    assert isinstance(found, ExtractionDescription)
    return found


@pytest.fixture
def found(tmp_path: Path) -> ExtractionDescription:
    (tmp_path / "test.conll").write_text(TEST, "utf-8")
    return described(tmp_path, TRAIN, against=str(tmp_path / "test.conll"))


def test_counts(found: ExtractionDescription) -> None:
    # Sizes 2, 3, 4, 3, 3, 3, 1; entities 1, 1, 1, 0, 0, 1, 1.
    assert found.counts == {
        "units": 7, "tokens": 19, "entities": 5, "labels": 2, "empty": 0, "without_entities": 2, "overlapping": 0,
        "discontinuous": 0, "inside_words": 0,
    }  # fmt: skip
    assert found.lengths.counts == {1: 1, 2: 1, 3: 4, 4: 1}
    assert found.lengths.to_dict() == {"min": 1, "median": 3.0, "mean": 19 / 7, "max": 4}
    assert found.per_unit.counts == {0: 2, 1: 5}
    assert found.nouns.unit == "sentence"
    assert [found.token] == ["token"]


def test_labels(found: ExtractionDescription) -> None:
    loc, per = found.labels
    # LOC: Paris, New York, Rome in three sentences, with 1, 2 and 1 tokens. PER: Paris twice.
    assert (loc.label, loc.count, loc.share, loc.units, loc.distinct) == ("LOC", 3, 3 / 5, 3, 3)
    assert loc.lengths.to_dict() == {"min": 1, "median": 1.0, "mean": 4 / 3, "max": 2}
    assert [(one.value, one.count) for one in loc.frequent] == [("New York", 1), ("Paris", 1), ("Rome", 1)]
    assert (per.label, per.count, per.units, per.distinct) == ("PER", 2, 2, 1)
    assert [(one.value, one.count) for one in per.frequent] == [("Paris", 2)]


def test_ambiguous_texts_have_counts_and_examples(found: ExtractionDescription) -> None:
    (value,) = found.ambiguous_values.rows
    assert (value.text, value.count, value.unlabelled) == ("Paris", 3, None)
    assert [(one.label, one.count) for one in value.labels] == [("PER", 2), ("LOC", 1)]
    # PER is first in the second sentence, LOC in the first.
    assert [(one.example.unit, one.example.text) for one in value.labels if one.example] == [
        ("2", "Paris sings ."),
        ("1", "Paris sleeps"),
    ]
    (token,) = found.ambiguous_tokens.rows
    assert (token.text, token.count, token.unlabelled) == ("Paris", 3, 1)
    assert [(one.label, one.count) for one in token.labels] == [("PER", 2), ("LOC", 1)]
    assert found.ambiguous_values.total == found.ambiguous_tokens.total == 1


def test_values_labelled_in_some_places_only(found: ExtractionDescription) -> None:
    # Paris: 3 labelled, unlabelled in sentence 4. New York: 1 labelled, unlabelled in sentence 5.
    rows = [(one.text, one.labelled, one.unlabelled, one.example.unit) for one in found.partly_labelled.rows]
    assert rows == [("Paris", 3, 1, "4"), ("New York", 1, 1, "5")]
    assert found.unlabelled == 2


def test_duplicates(found: ExtractionDescription) -> None:
    assert found.duplicates is not None
    assert (found.duplicates.extra, found.duplicates.differing) == (1, 0)
    (row,) = found.duplicates.repeated.rows
    assert (row.text, row.count, row.annotations, row.units) == ("Paris sings .", 2, 1, ("2", "6"))


def test_overlap_of_train_and_test(found: ExtractionDescription) -> None:
    own = found.overlap
    assert own is not None
    # "Paris sings ." is in both, PER there and LOC here. "Rome" is in both, LOC there and ORG here.
    assert (own.units, own.shared, own.relabelled) == (3, 2, 2)
    assert [(one.unit, one.text) for one in own.examples.rows] == [("1", "Paris sings ."), ("2", "Rome")]
    # Of Paris, sings, ., Rome and Bonn only the last is new.
    assert (own.tokens, own.seen_tokens) == (5, 4)
    # LOC: Paris is LOC in train too, Bonn is unseen. ORG: Rome is only LOC in train.
    rows = [(one.label, one.count, one.same, one.other, one.unseen) for one in own.labels]
    assert rows == [("LOC", 2, 1, 0, 1), ("ORG", 1, 0, 1, 0)]
    assert (own.seen.count, own.seen.same, own.seen.other, own.seen.unseen) == (3, 1, 1, 1)
    assert (own.only_first, own.only_second) == (("PER",), ("ORG",))


def test_copies_with_different_labels_come_first(tmp_path: Path) -> None:
    found = described(tmp_path, "a O\n\na O\n\na O\n\nb B-X\n\nb O\n\n")
    assert found.duplicates is not None
    # Two copies of a, one of b; b is labelled in two ways.
    assert (found.duplicates.extra, found.duplicates.differing) == (3, 1)
    rows = [(one.text, one.count, one.annotations) for one in found.duplicates.repeated.rows]
    assert rows == [("b", 2, 2), ("a", 3, 1)]


def test_the_most_balanced_text_comes_first(tmp_path: Path) -> None:
    """Texts are ordered by the occurrences that do not have the most frequent label, then by frequency."""
    text = "".join(f"{word} B-{label}\n\n" for word, label in [
        *[("a", "X")] * 9, ("a", "Y"), *[("b", "X")] * 2, *[("b", "Y")] * 2, ("c", "X"), ("c", "Y"),
    ])  # fmt: skip
    found = described(tmp_path, text)
    # a: 10 in all, 1 differs; b: 4 and 2; c: 2 and 1.
    assert [one.text for one in found.ambiguous_values.rows] == ["b", "a", "c"]


def test_a_value_inside_another_entity_is_not_unlabelled(tmp_path: Path) -> None:
    found = described(tmp_path, "York B-LOC\n\nNew B-LOC\nYork I-LOC\n\nYork O\nYork O\n\n")
    # York: labelled once, unlabelled twice; its place in New York is neither.
    assert [(one.text, one.labelled, one.unlabelled) for one in found.partly_labelled.rows] == [("York", 1, 2)]


def test_a_value_does_not_cross_sentences(tmp_path: Path) -> None:
    found = described(tmp_path, "New B-LOC\nYork I-LOC\n\nNew O\n\nYork O\n\n")
    assert found.partly_labelled.total == 0
    assert found.unlabelled == 0


@pytest.mark.parametrize(
    ("tags", "schemes", "invalid"),
    [
        (["B-X", "I-X", "O"], ("IOB2",), []),
        (["I-X", "I-X", "O"], ("IOB1", "IOE1", "IO"), []),
        (["I-X", "B-X", "O"], ("IOB1",), []),
        (["B-X", "E-X", "S-X"], ("IOBES",), []),
        # IOB1 forbids the B after O and the one at the start, IOB2 the I after O only.
        (["B-X", "O", "I-X", "O", "B-X"], ("IOB2",), [("O", "I-X", 1)]),
    ],
)
def test_tagging_scheme(tags: list[str], schemes: tuple[str, ...], invalid: list[Any]) -> None:
    found = describe([tags])
    assert isinstance(found, ExtractionDescription)
    assert found.tags is not None
    assert found.tags.schemes == schemes
    assert [(one.before, one.tag, one.count) for one in found.tags.transitions] == invalid
    assert found.tags.invalid == len(invalid)


def test_forbidden_transitions_of_a_named_scheme_are_counted(tmp_path: Path) -> None:
    found = described(tmp_path, "a I-X\nb O\nc I-Y\n\nd I-X\n\n", scheme="IOB2")
    assert found.tags is not None
    # An I that starts a sentence (twice), and one after O.
    assert [(one.before, one.tag, one.count) for one in found.tags.transitions] == [
        ("start", "I-X", 2),
        ("O", "I-Y", 1),
    ]
    assert "tags: IOB2 forbids 3 transitions" in plain(found.parts(), 80)


def test_prefixes_that_no_scheme_has_together() -> None:
    found = describe([["B-X", "E-X", "U-Y"]])
    assert isinstance(found, ExtractionDescription)
    assert found.tags is not None
    assert (found.tags.schemes, found.tags.prefixes) == ((), "BEU")
    assert "tags: no tagging scheme has all of the prefixes B, E, U" in plain(found.parts(), 80)


def test_labels_that_differ_by_case_only(tmp_path: Path) -> None:
    found = described(tmp_path, "a B-Per\nb B-PER\nc B-LOC\nd B-per\n\n")
    assert found.spellings == (("PER", "Per", "per"),)


def test_character_spans_are_counted_in_words(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "text": "In Berlins  Mitte.", "label": [[3, 9, "LOC"], [3, 17, "LOC"], [12, 17, "ORG"]]},
        {"id": 2, "text": "Mitte, Mitte", "label": [[0, 5, "ORG"]]},
        {"id": 3, "text": "", "label": []},
    ]
    found = described(tmp_path, "".join(json.dumps(row) + "\n" for row in rows), "a.jsonl", format="doccano")
    # Words: In, Berlins, Mitte, . and Mitte, comma, Mitte. Berlin ends inside a word; two spans lie in a larger one.
    assert [found.token] == ["word"]
    assert found.counts["tokens"] == 7
    assert (found.counts["inside_words"], found.counts["overlapping"], found.counts["empty"]) == (1, 2, 1)
    labels = {one.label: one for one in found.labels}
    assert [(one.value, one.count) for one in labels["LOC"].frequent] == [("Berlin", 1), ("Berlins Mitte", 1)]
    assert labels["LOC"].lengths.counts == {1: 1, 2: 1}
    assert [(one.text, one.labelled, one.unlabelled) for one in found.partly_labelled.rows] == [("Mitte", 2, 1)]
    assert found.duplicates is not None
    assert found.duplicates.extra == 0


def test_spans_of_characters_are_measured_in_the_tokens_of_the_data() -> None:
    units = Units(1, texts=["The U.S. won"], tokens=[["The", "U.S.", "won"]])
    found = describe(karatage.Claims.build(units, "char", [(0, "LOC", 4, 8, None, None), (0, "X", 4, 12, None, None)]))
    assert isinstance(found, ExtractionDescription)
    # U.S. is one token, as the data says, though it would be four words and marks.
    assert [found.token] == ["token"]
    assert found.counts["tokens"] == 3
    assert {one.label: one.lengths.counts for one in found.labels} == {"LOC": {1: 1}, "X": {2: 1}}


def test_a_nested_token_has_the_label_of_the_innermost_entity() -> None:
    layers = karatage.Claims.build(
        Units(1, tokens=[["Bank", "of", "Rome"]]),
        "token",
        [(0, "ORG", 0, 3, None, None), (0, "LOC", 2, 3, None, None)],
    )
    found = describe(layers)
    assert isinstance(found, ExtractionDescription)
    assert found.ambiguous_tokens.total == 0
    assert found.counts["overlapping"] == 1


def test_discontinuous_entities() -> None:
    claims = karatage.Claims.build(
        Units(1, texts=["left and right arm"]),
        "char",
        [(0, "X", 0, 18, ((0, 4), (15, 18)), None)],
    )
    found = describe(claims)
    assert isinstance(found, ExtractionDescription)
    assert found.counts["discontinuous"] == 1
    assert [(one.value, one.count) for one in found.labels[0].frequent] == [("left arm", 1)]
    assert found.labels[0].lengths.counts == {2: 1}


def test_labels_by_category(tmp_path: Path) -> None:
    text = "1\t1\tMake\tSKF\n2\t1\tMake\tATE\n2\t1\tSize\t5 mm\n3\t2\tMake\tSKF\n"
    found = described(tmp_path, text, "a.tsv")
    assert found.nouns.unit == "listing"
    assert found.nouns.claim == "value"
    (category,) = found.attributes
    groups = [(one.value, one.units, one.entities, dict(one.labels)) for one in category.groups]
    assert groups == [("1", 2, 3, {"Make": 2, "Size": 1}), ("2", 1, 1, {"Make": 1})]
    # 5 mm has two words.
    assert {one.label: one.lengths.counts for one in found.labels} == {"Make": {1: 3}, "Size": {2: 1}}
    assert found.counts["tokens"] is None
    assert found.duplicates is None


def test_an_attribute_with_many_values_is_only_counted(tmp_path: Path) -> None:
    text = "".join(f"{n}\t{n}\tMake\tSKF\n" for n in range(51))
    (category,) = described(tmp_path, text, "a.tsv").attributes
    assert (category.distinct, category.groups) == (51, ())


def test_counts_do_not_depend_on_how_a_file_is_cut_into_batches(tmp_path: Path) -> None:
    """A large file, read in several batches, has so many times the counts of one copy; its copies are duplicates."""
    times = 20_000
    small, large = described(tmp_path, TRAIN), described(tmp_path, TRAIN * 1 + ("\n" + TRAIN) * (times - 1), "l.conll")
    assert large.counts["entities"] == times * (small.counts["entities"] or 0)
    assert large.unlabelled == times * small.unlabelled
    assert [one.count for one in large.labels] == [times * one.count for one in small.labels]
    assert large.duplicates is not None
    # Six distinct sentences.
    assert large.duplicates.extra == 7 * times - 6
    assert large.ambiguous_values.rows[0].labels[0].count == 2 * times


def test_standard_input_is_described_like_a_file(tmp_path: Path) -> None:
    piped = json.loads(run("describe", "-", "--json", stdin=TRAIN).stdout)
    assert piped | {"data": ""} == json.loads(described(tmp_path, TRAIN).to_json()) | {"data": ""}


def test_what_cannot_be_described_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(TRAIN)
    (tmp_path / "a.qrels").write_text("q1 0 d1 1\n")
    with pytest.raises(UsageError, match=r"a\.qrels contains search results or judgements, but .*a\.conll does not"):
        describe(str(tmp_path / "a.conll"), str(tmp_path / "a.qrels"))
    with pytest.raises(UsageError, match="cannot come from standard input"):
        describe("-", "-")
    with pytest.raises(UsageError, match="unknown option 'nonsense'"):
        describe([["O"]], nonsense=1)  # type: ignore[call-arg]
    (tmp_path / "bad.conll").write_text("a B-X\nb ?\n\n")
    with pytest.raises(InputError, match=r"bad\.conll:1, sentence 1: invalid tag"):
        describe(str(tmp_path / "bad.conll"))


def test_judgements_among_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(TRAIN)
    (tmp_path / "b.qrels").write_text("q1 0 d1 1\n")
    with pytest.raises(InputError, match=r"b\.qrels: this file is trec-qrels, but .*a\.conll is conll"):
        describe(str(tmp_path))
    (tmp_path / "c.conll").write_text(TRAIN)
    with pytest.raises(InputError, match=r"c\.conll: this file is conll, but .*b\.qrels is trec-qrels"):
        describe(str(tmp_path / "[bc]*"))


def test_json_has_what_the_record_has(found: ExtractionDescription) -> None:
    told = json.loads(found.to_json())
    assert told["counts"] == found.counts
    assert told["labels"]["LOC"]["frequent"][0] == {"value": "New York", "count": 1}
    assert told["ambiguous_values"]["total"] == 1
    assert told["ambiguous_values"]["first"][0]["labels"][0]["example"] == {"unit": "2", "text": "Paris sings ."}
    assert told["partly_labelled"]["unlabelled"] == 2
    assert told["duplicates"]["repeated"]["first"][0]["units"] == ["2", "6"]
    assert told["overlap"]["values"]["LOC"] == {"count": 2, "same": 1, "other": 0, "unseen": 1}
    assert json.loads(found.to_json(limit=0))["ambiguous_values"] == {"total": 1, "first": []}


def test_no_line_is_wider_than_the_terminal(found: ExtractionDescription) -> None:
    assert max(map(len, plain(found.parts(), 80).splitlines())) <= 80


def test_as_many_labels_are_named_as_fit(tmp_path: Path) -> None:
    labels = [f"LABEL-{k:02}" for k in range(12)]
    found = described(tmp_path, "".join(f", B-{label}\n\n" for label in labels))
    shown = plain(found.parts(), 80)
    # In 80 columns, "value", "labelled" and two gaps take 19: four labels of 10 and three gaps of 3, and " · 8 more".
    assert ",             12   LABEL-00 1 · LABEL-01 1 · LABEL-02 1 · LABEL-03 1 · 8 more\n" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path) -> None:
    found = described(
        tmp_path, "\x1b[31mred B-\x07X\nplain O\n\n\x1b[31mred B-Y\n\n\x1b[31mred B-Y\n\n\x1b[31mred O\n\n"
    )
    shown = plain(found.parts(), 80)
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "␛[31mred" in shown
