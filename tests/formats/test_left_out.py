"""What a conversion leaves out is counted, once per kind; what it cannot write is refused, and so is its own input."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command import run

import karatage
from karatage.claims import Claims, Units
from karatage.errors import FormatError, InputError

CONLL = "# note\nEU\tNNP\tI-NP\tB-ORG\nrejects\tVBZ\t_\tO\n\n"
DOCCANO = (
    '{"text": "Anna sees Bob", "entities": [{"id": 1, "label": "PER", "start_offset": 0, "end_offset": 4}], '
    '"relations": [{"id": 7}], "Comments": ["unsure"]}\n'
)
SPACY = (
    '{"text": "Anna", "ents": [{"start": 0, "end": 4, "label": "PER"}], "cats": {"NEWS": 1.0}, "sents": [], '
    '"tokens": [{"id": 0, "start": 0, "end": 4, "pos": "PROPN", "lemma": ""}]}\n'
)
ROWS = '{"tokens": ["Anna", "runs"], "ner_tags": ["B-PER", "O"], "pos_tags": [1, 2], "topic": "news"}\n'
ESTNER = (
    '{"documents": [{"sentences": [{"words": [{"word": "Anna", "ner_1": "B-PER", "lemma": "anna"}]}], "url": "x"}]}'
)
PRODIGY = '{"text": "Anna", "spans": [], "answer": "accept", "_input_hash": 5, "meta": {"by": "x", "tags": ["a"]}}\n'


@pytest.mark.parametrize(
    ("name", "content", "format_name", "expected"),
    [
        # Two parts of speech, but one chunk: _ says nothing.
        ("a.conll", CONLL, "conll", {"column 2": 2, "column 3": 1, "comments": 1}),
        ("a.jsonl", DOCCANO, "doccano", {'"relations"': 1, '"Comments"': 1}),
        ("a.jsonl", SPACY, "spacy", {'"cats"': 1, '"pos" of tokens': 1}),
        ("a.jsonl", ROWS, "hf-rows", {'"pos_tags"': 1}),
        ("a.json", ESTNER, "estner", {'"url" of documents': 1, '"lemma" of words': 1}),
        ("a.jsonl", PRODIGY, "prodigy", {'"_input_hash"': 1, '"tags" in meta': 1}),
        ("a.jsonl", '{"fields": {"A": "x"}, "other": [1], "k": 1}\n', "values", {'"other"': 1}),
        ("a.jsonl", '{"text": "x", "other": {"a": 1}, "k": 1}\n', "text", {'"other"': 1}),
    ],
)
def test_what_is_no_entity_is_counted(
    name: str, content: str, format_name: str, expected: dict[str, int], tmp_path: Path
) -> None:
    """Converted to its own format, each file loses only what its reader does not read."""
    (tmp_path / name).write_text(content)
    call = ("convert", name, f"out-{name}", "--format", format_name, "--to", format_name)
    done = run(*call, cwd=tmp_path)
    lost = {line.rpartition(" (")[0]: int(line.rpartition("(")[2].rstrip(")")) for line in done.stderr.splitlines()}
    assert lost == {f"lost: {what}": count for what, count in expected.items()}
    strict = run(*call, "--strict", cwd=tmp_path)
    assert (strict.returncode, "would lose something" in strict.stderr) == (2, True)


def test_lines_of_brat_that_are_no_spans(tmp_path: Path) -> None:
    folder = tmp_path / "brat"
    folder.mkdir()
    (folder / "a.txt").write_text("Anna sees Bob")
    lines = ("T1\tPER 0 4\tAnna", "T2\tPER 10 13\tBob", "R1\tKnows Arg1:T1 Arg2:T2", "A1\tSure T1", "M1\tOld T2")
    (folder / "a.ann").write_text("\n".join([*lines, "#1\tAnnotatorNotes T1\tunsure", ""]))
    lost = karatage.convert(folder, tmp_path / "out.jsonl", to="doccano")
    assert lost == {"relations": 1, "attributes of entities": 2, "notes of annotators": 1}


def test_scores_do_not_speak_of_it(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(CONLL)
    assert not any("column" in one for one in karatage.score(tmp_path / "a.conll", tmp_path / "a.conll").warnings)


def test_the_input_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text(CONLL)
    (tmp_path / "link.conll").symlink_to("a.conll")
    for given, out in (("a.conll", "a.conll"), ("a.conll", "link.conll"), ("*.conll", "a.conll")):
        done = run("convert", given, out, cwd=tmp_path)
        assert (done.returncode, "this file is the input" in done.stderr) == (2, True), (given, out)
    assert (tmp_path / "a.conll").read_text() == CONLL


@pytest.mark.parametrize("token", ["# newdoc", "# text = x", "#text = x", "\ufeffAnna"])
def test_a_first_token_that_would_not_be_read_as_one(token: str, tmp_path: Path) -> None:
    claims = Claims.build(Units(1, tokens=[[token, "b"]]), "token", [(0, "X", 1, 2, None, None)])
    with pytest.raises(FormatError, match="would be read as"):
        karatage.write(claims, tmp_path / "a.conll")
    later = Claims.build(Units(1, tokens=[["b", token]]), "token", [(0, "X", 0, 1, None, None)])
    karatage.write(later, tmp_path / "a.conll")
    assert list(karatage.read(tmp_path / "a.conll").units.tokens or ()) == [["b", token]]


def test_a_text_that_starts_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": 1, "text": "\\ufeffAnna", "label": [[1, 5, "PER"]]}\n')
    with pytest.raises(InputError, match=r"a\.jsonl.*U\+FEFF"):
        karatage.convert(tmp_path / "a.jsonl", tmp_path / "brat", to="brat")
    assert not (tmp_path / "brat").exists()
