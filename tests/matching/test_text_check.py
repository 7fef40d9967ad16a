"""What is compared of gold and predictions: tokens, texts, or both without their blanks."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karatage
from karatage.claims import PADDING, ByteTokens, Claims, Space, Units
from karatage.errors import UnitError
from karatage.formats.columns import conll
from karatage.matching.text_check import TextCheck


def claims(space: Space, tokens: Any = None, texts: Any = None, ids: Any = None) -> Claims:
    count = len(tokens if tokens is not None else texts)
    return Claims.build(Units(count, ids, tokens=tokens, texts=texts, source="data"), space, ())


def byte_tokens(sentences: list[list[str]]) -> ByteTokens:
    """Lay tokens out in a buffer as a column file has them, with something else between them."""
    text, starts, ends = b"", [], []
    for word in (word for words in sentences for word in words):
        starts.append(len(text))
        text += word.encode()
        ends.append(len(text))
        text += b"\tO\n"
    first = np.cumsum([0, *map(len, sentences)])
    return ByteTokens(np.frombuffer(text + bytes(PADDING), np.uint8), np.array(starts), np.array(ends), first)


def test_sentences_of_a_document_in_another_order_are_noticed(tmp_path: Path) -> None:
    """A document is its sentences in order: with two of them swapped it is another one, though all tags agree."""
    sentences = ["Anna B-PER\nlacht O\n\n", "Otto B-PER\nruht O\n\n"]
    gold, pred = tmp_path / "gold.conll", tmp_path / "pred.conll"
    gold.write_text("-DOCSTART- O\n\n" + "".join(sentences))
    pred.write_text("-DOCSTART- O\n\n" + "".join(sentences[::-1]))
    assert karatage.score(gold, gold, unit="document")["f1"].value == 1.0
    with pytest.raises(UnitError, match="pred.conll:3, document 1: .*token 1 is 'Otto', but 'Anna' in gold"):
        karatage.score(gold, pred, unit="document")


def test_sentences_of_a_json_document_in_another_order_are_noticed(tmp_path: Path) -> None:
    words = [[{"word": "Anna", "ner_1": "B-PER"}], [{"word": "Otto", "ner_1": "B-PER"}]]
    paths = [tmp_path / "gold.json", tmp_path / "pred.json"]
    for path, order in zip(paths, (words, words[::-1]), strict=True):
        path.write_text(json.dumps({"documents": [{"sentences": [{"words": own} for own in order]}]}))
    with pytest.raises(UnitError, match="document 1: .*token 1 is 'Otto', but 'Anna' in gold"):
        karatage.score(*paths, unit="document")


def test_the_unit_of_gold_that_has_the_tokens_is_named(tmp_path: Path) -> None:
    rows = [["Anna", "lacht"], ["Otto", "ruht"], ["in", "Rom"]]
    for name, order in (("g.jsonl", rows), ("p.jsonl", rows[::-1])):
        lines = (json.dumps({"tokens": own, "ner_tags": ["O", "B-X"]}) for own in order)
        (tmp_path / name).write_text("\n".join(lines))
    with pytest.raises(UnitError) as raised:
        karatage.score(tmp_path / "g.jsonl", tmp_path / "p.jsonl")
    assert str(raised.value) == (
        f"{tmp_path}/p.jsonl:1, sentence 1: gold and predictions have different tokens here: token 1 is 'in', but "
        f"'Anna' in gold ({tmp_path}/g.jsonl:1). The order differs: sentence 3 of gold has these tokens. Bring "
        "both into the same order, or give both sides ids. Use --ignore-text (in Python check_text=False) to skip this "
        "check"
    )


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        (claims("char", texts=["Anna lacht"]), claims("char", texts=["Anna  lacht"])),
        (claims("token", [["Anna", "lacht"]]), claims("token", [["Anna", "lachte"]])),
        (claims("token", [["ab", "c"]]), claims("token", [["a", "bc"]])),
        (claims("value", texts=["Anna lacht"]), claims("value", texts=["Anna lachte"])),
        (claims("value", texts=["Anna lacht"]), claims("token", [["Anna", "lachte"]])),
        (claims("token", [["Anna", "lacht"]]), claims("token", texts=["Anna weint"])),
    ],
)
def test_what_differs(gold: Claims, pred: Claims) -> None:
    for one, other in ((gold, pred), (pred, gold)):
        with pytest.raises(UnitError, match="different (tokens|texts) here"):
            TextCheck(one, other)()


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        # No offset counts characters, so blanks do not matter.
        (claims("value", texts=["Anna lacht"]), claims("value", texts=["Anna  lacht\n"])),
        (claims("value", texts=["Anna's Hut"]), claims("token", [["Anna", "'s", "Hut"]])),
        (claims("token", [["Anna", "lacht"]]), claims("token", texts=["Anna lacht"])),
        # Both know the text that offsets count, however they cut it into tokens.
        (claims("char", [["ab"]], ["ab"]), claims("char", [["a", "b"]], ["ab"])),
        # One side knows nothing, or only how many tokens there are.
        (claims("token", [["Anna"]]), Claims.build(Units(1), "token", ())),
        (claims("token", [["Anna", "lacht"]]), claims("token", [["", ""]])),
        (claims("token", [("Anna",)]), claims("token", [["Anna"]])),
    ],
)
def test_what_does_not_differ(gold: Claims, pred: Claims) -> None:
    for one, other in ((gold, pred), (pred, gold)):
        assert len(TextCheck(one, other)()) == 0


def test_predictions_that_end_early_must_agree_as_far_as_they_go(tmp_path: Path) -> None:
    gold, cut, other = (tmp_path / name for name in ("gold", "cut", "other"))
    gold.write_text("Anna B-PER\nlacht O\nlaut B-X\n\n")
    cut.write_text("Anna B-PER\nlacht O\n\n")
    other.write_text("Anna B-PER\nweint O\n\n")
    with pytest.raises(UnitError, match="gold has 3 tokens here, the predictions have 2.*--truncated missed"):
        karatage.score(gold, cut)
    result = karatage.score(gold, cut, truncated="missed")
    assert (result.counts["correct"], result.counts["gold"]) == (1, 2)
    assert result.warnings == ("sentences with fewer predicted than gold tokens, the tail counted as missed: 1",)
    with pytest.raises(UnitError, match="token 2 is 'weint', but 'lacht' in gold"):
        karatage.score(gold, other, truncated="missed")


def test_claims_over_fewer_tokens_count_as_cut_off() -> None:
    """Without tags, the tokens say that predictions end early."""
    gold = Claims.build(Units(1, tokens=[["Anna", "Rom"]]), "token", [(0, "X", 1, 2, None, None)])
    pred = Claims.build(Units(1, tokens=[["Anna"]]), "token", ())
    with pytest.raises(UnitError, match="gold has 2 tokens here, the predictions have 1 token.*--truncated missed"):
        karatage.score(gold, pred)
    assert karatage.score(gold, pred, truncated="missed").warnings[-1].endswith("the tail counted as missed: 1")


def test_units_without_predictions_have_nothing_to_compare() -> None:
    gold = claims("value", tokens=[["a"], ["b"]], ids=["1", "2"])
    pred = claims("value", texts=["a"], ids=["1"])
    assert karatage.score(gold, pred, like="values", missing="empty").counts["units"] == 2


@pytest.mark.parametrize("length", [1, 7, 8, 9, 16, 63, 64, 65, 200])
def test_any_byte_of_a_token_counts(length: int) -> None:
    """Tokens in bytes are compared eight bytes at a time, and long ones as a whole: none of them is overlooked."""
    word = "".join(chr(97 + k % 26) for k in range(length))
    gold = byte_tokens([["x", "y"], [word, "z"], ["x"]])
    assert gold.differing(byte_tokens([["x", "y"], [word, "z"], ["x"]])).tolist() == []
    for at in range(length):
        changed = word[:at] + "#" + word[at + 1 :]
        assert gold.differing(byte_tokens([["x", "y"], [changed, "z"], ["x"]])).tolist() == [1]
    assert gold.differing(byte_tokens([["x", "y"], [word + "a", "z"], ["x"]])).tolist() == [1]
    assert gold[1:].differing(byte_tokens([[word, "Z"], ["y"]])).tolist() == [0, 1]


def test_tokens_in_bytes_differ_where_lists_do(rng: random.Random) -> None:
    """Whatever the batches, the columns find what a comparison of lists finds."""
    alphabet = ["a", "b", "ä", "語", "abcdefgh", "abcdefghi", "x" * 80]
    for _ in range(200):
        gold = [[rng.choice(alphabet) for _ in range(rng.randint(1, 4))] for _ in range(rng.randint(1, 6))]
        pred = [[rng.choice(alphabet) if rng.random() < 0.1 else word for word in words] for words in gold]
        expected = [unit for unit, (a, b) in enumerate(zip(gold, pred, strict=True)) if a != b]
        ours, theirs = byte_tokens(gold), byte_tokens(pred)
        assert ours.differing(theirs).tolist() == expected
        assert list(ours) == gold
        cut = rng.randrange(len(gold))
        assert ours[cut:].differing(theirs[cut:]).tolist() == [unit - cut for unit in expected if unit >= cut]


def test_another_token_is_noticed_in_any_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams that are cut at other places are compared as well."""
    lines = [f"w{k} O\n\n" for k in range(300)]
    gold, pred = tmp_path / "gold", tmp_path / "pred"
    gold.write_text("".join(lines))
    pred.write_text("".join(lines).replace("w250 O", "wxyz O").replace("w3 O", "w3 B-X"))
    for size in (64, 700, 1 << 20):
        monkeypatch.setattr(conll, "BATCH_BYTES", size)
        with pytest.raises(UnitError, match="pred:501, sentence 251: .*token 1 is 'wxyz', but 'w250' in gold"):
            karatage.score(gold, pred)
