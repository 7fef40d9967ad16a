"""Every row of the page of edge cases is true."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import karatage
from karatage.claims import SCHEMES
from karatage.errors import ClaimError, InputError, TagError, UnitError, UsageError

PAGE = Path(__file__).parents[2] / "docs" / "edge-cases.md"


def _refuses(kind: type[Exception], words: str, *data: Any, **options: Any) -> None:
    with pytest.raises(kind, match=words):
        karatage.score(*data, **options)


def row_1() -> None:
    gold, pred = [["B-X", "I-X"]], [["I-X", "I-X"]]
    assert karatage.score(gold, pred)["f1"].value == 1.0
    assert karatage.score(gold, pred, scheme="IOB2")["f1"].value == 0.0
    assert karatage.score(gold, pred, like="seqeval")["f1"].value == 1.0
    assert karatage.score(gold, pred, like="seqeval-strict")["f1"].value == 0.0
    _refuses(UsageError, "unknown option 'mode'", gold, pred, mode="strict")


def row_2() -> None:
    tags = [["U-LOC", "U-LOC"]]
    assert karatage.score(tags, tags).counts["gold"] == 2
    assert karatage.score([["S-LOC", "S-LOC"]], [["S-LOC", "S-LOC"]]).counts["gold"] == 2
    assert karatage.score(tags, tags, like="seqeval").counts["gold"] == 1


def row_3() -> None:
    for tags in (["PER", "PER", "O"], ["NOUN", "VERB"]):
        _refuses(TagError, repr(tags[0]), [tags], [tags])
    _refuses(TagError, "--separator '_'", [["B_PER"]], [["B_PER"]])


def row_4() -> None:
    _refuses(TagError, "looks like a prefix tag", [["B-PER", "I-PER"]], [["B-PER", "I-PER"]], suffix=True)


def row_5() -> None:
    _refuses(TagError, "capital letter O", [["B-X", "o"]], [["B-X", "O"]])


def row_6() -> None:
    assert karatage.score([["B-FOO-BAR"]], [["B-FOO-BAR"]]).labels == ["FOO-BAR"]
    assert karatage.score([["FOO-BAR-B"]], [["FOO-BAR-B"]], suffix=True).labels == ["FOO-BAR"]


def row_7() -> None:
    tags = [["B-PER", "I-LOC", "I-LOC"]]
    assert karatage.score(tags, tags).labels == ["LOC", "PER"]
    strict = karatage.score(tags, tags, scheme="IOB2")
    assert strict.labels == ["PER"]
    assert any("that the scheme IOB2 forbids" in warning for warning in strict.warnings)


def row_8() -> None:
    for name in SCHEMES:
        assert karatage.score([["O", "O"]], [["O", "O"]], scheme=name).counts["gold"] == 0


def row_9() -> None:
    result = karatage.score([["O"]], [["O"]])
    for metric in ("f1", "macro_f1"):
        assert result[metric].value is None
        assert result[metric].undefined == "no gold annotations and no predictions"
    for like in ("conlleval", "seqeval"):
        assert karatage.score([["O"]], [["O"]], like=like)["f1"].value == 0.0


def row_10() -> None:
    for bad in ("", None, 1):
        _refuses(TagError, r"sentence 2.* index 1", [["O"], ["B-X", bad]], [["O"], ["B-X", "O"]])


def row_11() -> None:
    result = karatage.score([["B-A", "O", "O", "O"]], [["B-A", "B-C", "B-C", "B-C"]])
    assert result["weighted_f1"].value == 1.0
    assert any("does not occur in gold" in warning for warning in result.warnings)


def row_12() -> None:
    result = karatage.score([["B-A", "O"]], [["B-A", "B-C"]])
    assert result["macro_f1"].value == 0.5
    assert result["macro_f1(over=gold)"].value == 1.0


def row_13() -> None:
    result = karatage.score([["O"] * 9 + ["B-A"]], [["O"] * 10])
    assert [result[metric].value for metric in ("f1", "weighted_f1", "accuracy")] == [0.0, 0.0, 0.9]
    assert result["weighted_token_f1"].value == 0.0


def row_14() -> None:
    _refuses(UnitError, "sentence 1", [["O"], ["O", "O"]], [["O", "O"], ["O"]])


def row_15() -> None:
    gold, pred = [["B-A", "B-A", "B-A"]], [["B-A"]]
    _refuses(UnitError, "--truncated missed", gold, pred)
    result = karatage.score(gold, pred, truncated="missed")
    assert (result.counts["gold"], result.counts["correct"]) == (3, 1)
    assert result.warnings


def row_16() -> None:
    assert karatage.score([[("A", 0, 3)]], [[("A", 0, 5), ("A", 0, 3)]]).counts["correct"] == 1


def row_17() -> None:
    result = karatage.score([[("B", 5, 9)]], [[("A", 0, 5), ("B", 5, 9)]], like="semeval2013")
    assert result.scenarios["strict"]["correct"] == result.by_label["B"].counts["correct"] == 1


def row_18() -> None:
    one = karatage.score([[("A", 0, 3)]], [[("A", 0, 5), ("A", 0, 3)]], like="semeval2013")
    two = karatage.score([[("A", 0, 3)]], [[("A", 0, 3), ("A", 0, 5)]], like="semeval2013")
    assert one.to_dict() == two.to_dict()


def row_19() -> None:
    gold, pred = [[("A", 0, 3)]], [[("A", 0, 3), ("Z", 4, 5)]]
    assert karatage.score(gold, pred)["precision"].value == 0.5
    chosen = karatage.score(gold, pred, labels=["A"])
    assert chosen["precision"].value == 1.0
    assert any("left out" in warning for warning in chosen.warnings)


def row_20() -> None:
    result = karatage.score([[("A", 0, 1), ("A", 1, 2), ("A", 2, 3)]], [[("A", 0, 3)]], match="overlap")
    assert (result["precision"].value, result["recall"].value) == (1.0, 1 / 3)


def row_21() -> None:
    # "Bremsscheiben" is one token; a prediction in the middle of it is wrong, not gone.
    result = karatage.score([[("A", 0, 13)]], [[("A", 0, 13), ("A", 3, 5)]])
    assert result["precision"].value == 0.5


def row_22() -> None:
    twice, once = [[("A", 0, 3), ("A", 0, 3)]], [[("A", 0, 3)]]
    _refuses(ClaimError, "occurs twice", twice, once)
    assert karatage.score(twice, once, duplicates="dedupe")["f1"].value == 1.0
    assert karatage.score(once, twice)["precision"].value == 0.5


def row_23() -> None:
    # each document: one overlap out of one, half a credit
    one = karatage.score([[("A", 0, 4)]], [[("A", 0, 2)]], like="semeval2013")
    both = karatage.score([[("A", 0, 4)]] * 2, [[("A", 0, 2)]] * 2, like="semeval2013")
    assert one["partial_f1"].value == both["partial_f1"].value == 0.5


def row_24() -> None:
    Path("x.conll").write_text("-DOCSTART- O\n\nNeu B-X\n\nYork I-X\n\n", "utf-8")
    assert karatage.score("x.conll", "x.conll").counts["gold"] == 2
    assert karatage.score("x.conll", "x.conll", unit="document").counts["gold"] == 1


def _values(gold: Any, pred: Any, **options: Any) -> karatage.Result:
    return karatage.score([gold], [pred], like="values", **options)


def row_25() -> None:
    Path("x.jsonl").write_text('{"id": "1", "fields": {"a": "x", "b": null}}\n', "utf-8")
    result = karatage.score("x.jsonl", "x.jsonl", like="values")
    assert (result.counts["gold"], result.labels) == (1, ["a"])


def row_26() -> None:
    result = _values([("a", "x")], [("a", "y")])
    assert (result.counts["gold"], result.counts["predicted"], result.counts["correct"]) == (1, 1, 0)


def row_27() -> None:
    assert _values([("a", "x")] * 2, [("a", "x")] * 3).counts["correct"] == 2


def row_28() -> None:
    Path("g.jsonl").write_text('{"id": "1", "text": "ATE vorne", "fields": {"a": "ATE"}}\n', "utf-8")
    Path("p.jsonl").write_text('{"id": "1", "fields": {"a": "Brembo"}}\n', "utf-8")
    result = karatage.score("g.jsonl", "p.jsonl", like="values")
    assert result.counts["correct"] == 0
    assert any("ungrounded" in warning for warning in result.warnings)


def row_29() -> None:
    placed = [{"label": "a", "start": 0, "end": 1, "value": "x"}]
    _refuses(InputError, "matched by their spans .* only values", [[("a", "x")]], [placed])
    assert _values([("a", "x")], placed)["f1"].value == 1.0


def row_30() -> None:
    qrels, run = {"q": {"a": 1, "b": 0, "c": 0}}, {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    result = karatage.score(qrels, run, metrics=["RR"])
    assert result["RR"].value == 1 / 3
    assert result.warnings[0].endswith(": 3 of 3")
    assert karatage.score(qrels, run, metrics=["RR"], ties="expected")["RR"].value == pytest.approx(11 / 18)


def row_31() -> None:
    qrels, run = {"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}}
    result = karatage.score(qrels, run, metrics=["AP"])
    assert result["AP"].value == 0.5
    assert result.warnings == ("queries without results, scored 0: 1",)
    assert karatage.score(qrels, run, metrics=["AP"], missing="ignore")["AP"].value == 1.0
    _refuses(UnitError, "no results for this query", qrels, run, missing="error")


def row_32() -> None:
    _refuses(InputError, "not a number", {"q": {"a": 1}}, {"q": {"a": float("nan")}})
    assert karatage.score({"q": {"a": 1}}, {"q": {}})["AP"].value == 0.0


def row_33() -> None:
    qrels, run = {"q": {"a": 1}, "r": {"a": 0}}, {"q": {"a": 1.0}, "r": {"a": 1.0}}
    result = karatage.score(qrels, run, metrics=["R@10"])
    assert result["R@10"].value == 1.0
    assert result.warnings == ("queries left out of a mean because the value is undefined (R@10): 1",)
    assert karatage.score(qrels, run, like="trec-eval", metrics=["R@10"])["R@10"].value == 0.5


def row_34() -> None:
    qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}}
    assert karatage.score(qrels, run).profile.headline == "nDCG(gain=linear)@10"
    result = karatage.score(qrels, run, metrics=["nDCG@10", "nDCG(gain=exp)@10"])
    assert "linear gain" in str(result)
    assert result["nDCG@10"].value > result["nDCG(gain=exp)@10"].value


def _matrix(name: str, *rows: str) -> str:
    Path(name).write_text("".join(row.replace(" ", "\t") + "\n" for row in rows), "utf-8")
    return name


def row_35() -> None:
    gold = _matrix("gold.tsv", "d q", "a -1", "b -1")
    script, corrected = karatage.score(gold, gold), karatage.score(gold, gold, like="sigir-ecom19-corrected")
    assert [script[m].value for m in ("precision", "recall", "accuracy", "f1")] == [1, 1, 1, 0]
    assert [corrected[m].value for m in ("precision", "recall", "accuracy", "f1")] == [None, None, 1, None]


def row_36() -> None:
    gold = _matrix("gold.tsv", "d q", "a 1", "b 1")
    assert karatage.score(gold, gold)["fpr"].value == 1
    assert karatage.score(gold, gold, like="sigir-ecom19-corrected")["fpr"].value is None


def row_37() -> None:
    gold = _matrix("gold.tsv", "d q", "a 0", "b 0")
    for like in ("sigir-ecom19", "sigir-ecom19-corrected"):
        _refuses(InputError, "no pair is judged", gold, gold, like=like)


def row_38() -> None:
    gold, pred = _matrix("gold.tsv", "d q", "a 1", "b -1"), _matrix("pred.tsv", "d q", "a abc", "b -1")
    prices = _matrix("documents.tsv", "doc_id price", "a 10", "b 20")
    script = karatage.score(gold, pred, documents=prices)
    assert (script["recall"].value, script["l2h_ndcg10"].value) == (0.0, 1.0)
    assert any("neither 1 nor -1" in warning for warning in script.warnings)
    _refuses(InputError, r"pred.tsv:2: .*column 2", gold, pred, like="sigir-ecom19-corrected")


ROWS = [int(number) for number in re.findall(r"^\| (\d+) \|", PAGE.read_text("utf-8"), re.M)]


def test_the_page_has_all_rows() -> None:
    assert list(range(1, 39)) == ROWS


@pytest.mark.parametrize("number", ROWS)
def test_a_row_is_true(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    globals()[f"row_{number}"]()
