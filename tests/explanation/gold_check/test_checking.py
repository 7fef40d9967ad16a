import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import karatage
from karatage.claims import Claims, Space, Units
from karatage.errors import KaratageError, UsageError
from karatage.explanation.gold_check import Suspects, check_gold
from karatage.scoring import Outcomes

Row = tuple[int, str, int, int]


def claims(texts: Sequence[str], rows: Sequence[Row], space: Space = "token") -> Claims:
    """Make claims on texts whose tokens are parted by blanks; rows are (unit, label, start, end)."""
    tokens = [text.split() for text in texts]
    units = Units(len(texts), texts=list(texts), tokens=tokens if space == "token" else None)
    return Claims.build(units, space, [(*row, None, None) for row in rows])


def outcomes(
    texts: Sequence[str], gold: Sequence[Row], *preds: Sequence[Row], space: Space = "token"
) -> dict[str, Outcomes]:
    own = claims(texts, gold, space)
    return {
        f"s{at}": karatage.score(own, claims(texts, rows, space), resamples=0).outcomes()
        for at, rows in enumerate(preds)
    }


def first(suspects: Suspects) -> dict[str, Any]:
    return suspects.frame.row(0, named=True)


PLACES = ["Tartu", "Narva", "Viljandi", "Rakvere"]
TEXTS = [f"we saw {PLACES[at % 4]} on day {at} ." for at in range(40)]
GOLD: list[Row] = [(at, "LOC", 2, 3) for at in range(40)]


def test_what_is_left_out_once_is_a_suspect() -> None:
    found = check_gold(outcomes(TEXTS, GOLD[:-1], []), evidence=["gold"])
    row = first(found)
    assert (row["unit"], row["gold_label"], row["proposed_label"]) == ("40", None, "LOC")
    assert (row["proposed_start"], row["proposed_end"], row["proposed_text"]) == (2, 3, "Rakvere")
    # Rakvere is in every fourth text: 10 times.
    assert row["reason"].startswith("LOC in 9 of 10 occurrences, untagged here")
    assert row["kinds"] == "inconsistent"
    assert row["context"] == "we saw [Rakvere] on day 39 ."
    assert row["systems"] is None
    assert len(found) == 1


def test_another_label_is_a_suspect() -> None:
    row = first(check_gold(outcomes(TEXTS, [*GOLD[:-1], (39, "PER", 2, 3)], []), evidence=["gold"]))
    assert (row["unit"], row["gold_label"], row["proposed_label"]) == ("40", "PER", "LOC")
    assert row["reason"].startswith("LOC in 9 of 10 occurrences, PER here")


def test_a_word_that_is_mostly_untagged_is_no_suspect_where_it_is_untagged() -> None:
    texts = [f"you may go {at}" for at in range(30)] + ["we met May today"] * 1 + ["we met may again"]
    found = check_gold(outcomes(texts, [(31, "PER", 2, 3)], []), evidence=["gold"])
    assert set(found.frame["unit"]) <= {"32"}, "only the tagged one may be doubted"


@pytest.mark.parametrize(("start", "end", "what"), [(1, 3, "shorter"), (2, 4, "shorter")])
def test_a_claim_that_is_shorter_elsewhere_is_a_suspect(start: int, end: int, what: str) -> None:
    row = first(check_gold(outcomes(TEXTS, [*GOLD[:-1], (39, "LOC", start, end)], []), evidence=["gold"]))
    assert (row["unit"], row["proposed_label"], row["proposed_start"], row["proposed_end"]) == ("40", "LOC", 2, 3)
    assert "boundary" in row["kinds"]
    assert f"{what} in 9 of 10 occurrences (LOC), longer here" in row["reason"]


def test_a_claim_that_is_longer_elsewhere_is_a_suspect() -> None:
    texts = [f"in {PLACES[at % 4]} vald {at}" for at in range(20)]
    gold: list[Row] = [(at, "LOC", 1, 3) for at in range(19)]
    row = first(check_gold(outcomes(texts, [*gold, (19, "LOC", 1, 2)], []), evidence=["gold"]))
    assert (row["unit"], row["proposed_start"], row["proposed_end"]) == ("20", 1, 3)
    assert "longer in 4 of 5 occurrences (LOC), shorter here" in row["reason"]


def test_a_form_of_two_types_in_different_contexts_is_no_suspect_but_the_wrong_one_in_a_context_is() -> None:
    texts = [f"in Paris {at}" for at in range(12)] + [f"said Paris {at}" for at in range(12)]
    gold: list[Row] = [(at, "LOC", 1, 2) for at in range(12)] + [(at, "PER", 1, 2) for at in range(12, 24)]
    assert len(check_gold(outcomes(texts, gold, []), evidence=["gold"])) == 0
    gold[3] = (3, "PER", 1, 2)
    assert check_gold(outcomes(texts, gold, []), evidence=["gold"]).frame["unit"].to_list() == ["4"]


def test_the_score_of_a_value_is_worked_out_by_hand() -> None:
    gold = {"a": [("Brand", "Nike")], "b": [("Brand", "Nike")], "c": [("Brand", "Nike")], "d": [("Model", "Nike")]}
    found = check_gold({"s": karatage.score(gold, gold, match="value", resamples=0).outcomes()}, evidence=["gold"])
    # Four states start alike, 1/4 each: two labels, untagged, and all other ways. Of the three others, all are Brand,
    # none Model: (3 + 1/4) / (3 + 1) against (0 + 1/4) / (3 + 1), which is 13 to 1. With the prior of 2 %: 13 · 2/98.
    odds = 13 * 2 / 98
    row = first(found)
    assert row["score"] == pytest.approx(odds / (1 + odds))
    assert (row["unit"], row["gold_label"], row["gold_text"]) == ("d", "Model", "Nike")
    assert (row["proposed_label"], row["proposed_text"], row["proposed_start"]) == ("Brand", "Nike", None)
    assert len(found) == 1


def test_systems_that_agree_against_gold_make_suspects_without_any_text() -> None:
    gold = [["B-X", "O", "B-Y"] for _ in range(30)]
    one, two = ([list(row) for row in gold] for _ in range(2))
    one[4][1] = two[4][1] = "B-X"
    one[7][2] = two[7][2] = "B-X"
    one[9][0] = two[9][0] = "O"
    one[12][1] = "B-Y"
    found = check_gold(
        {name: karatage.score(gold, pred, resamples=0).outcomes() for name, pred in (("a", one), ("b", two))}
    )
    rows = {row["unit"]: row for row in found.frame.iter_rows(named=True)}
    assert set(rows) == {"5", "8", "10"}, "one system alone, which gold never confirms, is no reason"
    assert rows["5"]["reason"] == "2 of 2 systems predict X, untagged here"
    assert rows["8"]["reason"] == "2 of 2 systems predict X, Y here"
    assert rows["10"]["reason"] == "2 of 2 systems do not find this X"
    assert {row["systems"] for row in rows.values()} == {"2 of 2"}
    assert rows["10"]["proposed_label"] is None
    assert rows["5"]["context"] is None


def test_where_no_system_agrees_the_reason_says_what_speaks_against_gold() -> None:
    """Both systems find Paris in all ten sentences, and gold in one: that they find it there speaks against it."""
    texts = [f"on day {at} Paris was mentioned" for at in range(10)]
    every: list[Row] = [(at, "LOC", 3, 4) for at in range(10)]
    row = first(check_gold(outcomes(texts, every[-1:], every, every), evidence=["systems", "gold"]))
    assert (row["unit"], row["gold_label"], row["proposed_label"]) == ("10", "LOC", None)
    assert "LOC is predicted here too, but most such predictions are wrong" in row["reason"].split("; ")
    assert "0 of 2" not in row["reason"]


@pytest.mark.parametrize(
    ("tags", "reason"),
    [
        ("B-X I-X I-X O O", "2 of 2 systems predict a longer span"),
        ("O B-X I-X I-X O", "2 of 2 systems predict a longer span"),
        ("O B-X O O O", "2 of 2 systems predict a shorter span"),
        ("O O B-X O O", "2 of 2 systems predict a shorter span"),
        ("O O B-X I-X O", "2 of 2 systems predict a shifted span"),
        ("B-X I-X O O O", "2 of 2 systems predict a shifted span"),
        ("B-Y I-Y I-Y O O", "2 of 2 systems predict a longer span with the label Y"),
        ("O B-Y I-Y O O", "2 of 2 systems predict Y, X here"),
    ],
)
def test_a_span_that_systems_predict_is_told_by_how_it_lies_to_golds(tags: str, reason: str) -> None:
    gold = [["O", "B-X", "I-X", "O", "O"] for _ in range(20)] + [["B-Y", "O", "O", "O", "O"] for _ in range(20)]
    pred = [list(row) for row in gold]
    pred[3] = tags.split()
    found = check_gold({name: karatage.score(gold, pred, resamples=0).outcomes() for name in ("a", "b")})
    assert found.frame.select("unit", "reason").rows() == [("4", reason)]


def test_systems_that_say_what_gold_says_speak_against_a_suspect() -> None:
    gold = GOLD[:-1]
    alone = first(check_gold(outcomes(TEXTS, gold, gold, gold), evidence=["gold"]))["score"]
    with_ = first(check_gold(outcomes(TEXTS, gold, GOLD, GOLD)))["score"]
    against = len(check_gold(outcomes(TEXTS, gold, gold, gold)))
    assert with_ > alone
    assert against == 0


def test_a_claim_that_a_system_is_sure_of_weighs_more() -> None:
    # The system adds a claim to each of 40 texts of nonsense words, no two alike; it is unsure of ten, which gold
    # lacks, and sure of the others, of which gold lacks two.
    texts = [f"a{at} b{at} c{at}" for at in range(40)]
    rows = [(at, "X", 1, 2, None, None) for at in range(40)]
    units = Units(40, texts=texts, tokens=[text.split() for text in texts])
    gold = Claims.build(units, "token", rows[12:])
    sure = Claims.build(units, "token", rows, scores=[0.1 if at < 10 else 0.8 + at / 1000 for at in range(40)])
    plain = Claims.build(units, "token", rows)
    told, untold = (
        check_gold({"s": karatage.score(gold, pred, resamples=0).outcomes()}, evidence=["systems"]).frame
        for pred in (sure, plain)
    )
    assert told["unit"].to_list()[:2] == ["11", "12"]
    assert told["score"][1] > max([0.0, *told["score"].to_list()[2:]])
    assert untold["score"].n_unique() == 1


def test_of_many_systems_the_more_agree_the_higher_a_suspect_ranks() -> None:
    rng = np.random.default_rng(1)
    gold = [["B-X", "O", "B-Y", "O"] for _ in range(60)]
    preds = [[list(row) for row in gold] for _ in range(6)]
    for pred in preds:
        for row in pred[20:]:
            if rng.random() < 0.3:
                row[1] = "B-X"
    for number, pred in enumerate(preds):
        pred[3][3] = "B-Y"
        pred[5][3] = "B-Y" if number < 2 else "O"
    found = check_gold({f"s{at}": karatage.score(gold, pred, resamples=0).outcomes() for at, pred in enumerate(preds)})
    assert found.frame["unit"].to_list()[0] == "4"
    assert first(found)["systems"] == "6 of 6"
    assert "6" not in found.frame["unit"].to_list()


def test_the_order_of_the_systems_changes_nothing() -> None:
    texts, gold, one, two = _noisy(3)
    both = outcomes(texts, gold, one, two)
    turned = dict(reversed(list(both.items())))
    assert check_gold(both).frame.equals(check_gold(turned).frame)


def test_characters_and_tokens_give_the_same_list() -> None:
    texts, gold, one, two = _noisy(4)
    starts = [np.cumsum([0, *(len(token) + 1 for token in text.split())]).tolist() for text in texts]

    def chars(rows: Sequence[Row]) -> list[Row]:
        return [(unit, label, starts[unit][low], starts[unit][high] - 1) for unit, label, low, high in rows]

    tokens = check_gold(outcomes(texts, gold, one, two)).frame
    inside = check_gold(outcomes(texts, chars(gold), chars(one), chars(two), space="char")).frame
    same = ["unit", "gold_label", "gold_text", "proposed_label", "proposed_text", "kinds", "reason", "context"]
    assert tokens.height > 5
    assert tokens.select(same).equals(inside.select(same))
    np.testing.assert_allclose(tokens["score"], inside["score"])


def test_the_limit_cuts_the_list() -> None:
    both = outcomes(*_noisy(5))
    whole = check_gold(both).frame
    assert check_gold(both, limit=3).frame.equals(whole.head(3))
    assert whole["score"].is_sorted(descending=True)
    assert whole["rank"].to_list() == list(range(1, whole.height + 1))
    assert len(check_gold(both, limit=0)) == 0


def test_no_two_suspects_are_about_one_place() -> None:
    found = check_gold(outcomes(*_noisy(6))).frame.to_dicts()
    places = [
        (row["unit"], min(r for r in (row["gold_start"], row["proposed_start"]) if r is not None),
         max(r for r in (row["gold_end"], row["proposed_end"]) if r is not None))
        for row in found
    ]  # fmt: skip
    for at, (unit, low, high) in enumerate(places):
        assert not any(u == unit and a < high and low < b for u, a, b in places[:at])


def test_nor_where_no_other_entity_starts_or_ends_at_such_a_place() -> None:
    # "New York" and "York" are entities elsewhere, at places 0 to 3; here both are untagged, at 5 to 7.
    texts = [f"in New York {at}" for at in range(10)] + [f"York {at} old" for at in range(10)]
    gold: list[Row] = [(at, "LOC", 1, 3) for at in range(10)] + [(10 + at, "LOC", 0, 1) for at in range(10)]
    found = check_gold(outcomes([*texts, "a b c d e New York f"], gold, []), evidence=["gold"])
    assert found.frame["proposed_text"].to_list() == ["New York"]


def test_white_space_in_a_span_is_a_suspect() -> None:
    texts = [f"we saw {PLACES[at % 4]} on day {at} ." for at in range(20)]
    rows: list[Row] = [(at, "LOC", 7, 7 + len(PLACES[at % 4])) for at in range(20)]
    rows[5] = (5, "LOC", 6, 12)
    row = first(check_gold(outcomes(texts, rows, [], space="char"), evidence=["gold"]))
    assert (row["unit"], row["gold_text"], row["proposed_text"]) == ("6", " Narva", "Narva")
    assert row["reason"] == "white space at its edge"


def test_copies_of_a_text_that_differ_are_suspects() -> None:
    texts = ["nobody saw a quiet Zed there"] * 4 + ["something else here"]
    gold: list[Row] = [(at, "PER", 4, 5) for at in range(3)]
    row = first(check_gold(outcomes(texts, gold, []), evidence=["gold"]))
    assert (row["unit"], row["proposed_text"]) == ("4", "Zed")
    # Where the word is mostly untagged elsewhere, the copies are what speaks for it.
    texts += [f"nobody {at} saw a quiet Zed there" for at in range(9)]
    row = first(check_gold(outcomes(texts, gold, []), evidence=["gold"]))
    assert (row["unit"], row["proposed_text"], row["kinds"]) == ("4", "Zed", "copies")
    assert row["reason"] == "PER in 3 of 4 copies of this text, untagged here"


def test_a_claim_within_another_of_its_label_is_odd_where_that_is_rare() -> None:
    texts = [f"the {name} house stands" for name in "ABCDEFGHIJ"]
    gold: list[Row] = [(at, "X", 1, 3) for at in range(10)]
    found = check_gold(outcomes(texts, [*gold, (4, "X", 2, 3)], []), evidence=["gold"])
    row = next(row for row in found.frame.iter_rows(named=True) if row["unit"] == "5")
    assert (row["gold_text"], row["proposed_label"]) == ("house", None)
    assert "overlaps another entity with the same label" in row["reason"]


def test_brackets_that_belong_together_stay_in_a_claim() -> None:
    texts = [f"( saw {name} ) there" for name in "ABCDEFGHIJ"] + ["saw Fate ( End ) there", "saw Doom ) there"]
    gold: list[Row] = [(at, "X", 2, 3) for at in range(10)]
    found = check_gold(outcomes(texts, [*gold, (10, "X", 1, 5), (11, "X", 1, 3)], []), evidence=["gold"])
    assert [(row["unit"], row["proposed_text"]) for row in found.frame.iter_rows(named=True)] == [("12", "Doom")]


def test_discontinuous_and_nested_claims_pass() -> None:
    texts = [f"left and right arm {at}" for at in range(8)]
    units = Units(8, texts=texts, tokens=[text.split() for text in texts])
    shaped = [(at, "ARM", 0, 4, ((0, 1), (3, 4)), None) for at in range(8)]
    nested = [(at, "ARM", 2, 4, None, None) for at in range(8)]
    gold = Claims.build(units, "token", [*shaped[:-1], *nested])
    pred = Claims.build(units, "token", [*shaped, *nested])
    found = check_gold({"a": karatage.score(gold, pred, resamples=0).outcomes()})
    row = first(found)
    assert (row["unit"], row["proposed_start"], row["proposed_end"]) == ("8", 0, 4)
    task = found.to_tasks()[0]
    proposal = [one["value"]["text"] for one in task["predictions"][1]["result"]]
    assert sorted(proposal) == ["arm", "left", "right arm"]


def test_nothing_to_say_gives_an_empty_list() -> None:
    assert len(check_gold(outcomes(["a b"], [], []))) == 0
    assert len(check_gold(outcomes(["a b", ""], [(0, "X", 0, 1)], []), evidence=["gold"])) == 0
    assert check_gold(outcomes(TEXTS, GOLD, GOLD)).frame.height == 0
    assert len(check_gold({"a": karatage.score([["O"]], [["O"]], resamples=0).outcomes()})) == 0


def test_wrong_calls_say_what_to_do() -> None:
    both = outcomes(TEXTS, GOLD, GOLD)
    with pytest.raises(UsageError, match="at least one system"):
        check_gold({})
    with pytest.raises(UsageError, match="b: scored against a different gold"):
        check_gold({"a": both["s0"], "b": outcomes(TEXTS, GOLD[1:], GOLD)["s0"]})
    with pytest.raises(UsageError, match="Did you mean 'systems'"):
        check_gold(both, evidence=["system"])
    with pytest.raises(KaratageError, match="not -1"):
        check_gold(both, limit=-1)
    with pytest.raises(UsageError, match="choose the evidence"):
        check_gold(both, evidence=[])


def _noisy(seed: int) -> tuple[list[str], list[Row], list[Row], list[Row]]:
    """Make texts with gold and two systems, all a little wrong."""
    rng = np.random.default_rng(seed)
    texts = [
        f"we saw {PLACES[int(rng.integers(4))]} and {rng.choice(['Mari', 'Jaan'])} x{at % 9} ." for at in range(120)
    ]
    true: list[Row] = [row for at in range(120) for row in ((at, "LOC", 2, 3), (at, "PER", 4, 5))]
    sides = []
    for share in (0.06, 0.1, 0.1):
        rows = []
        for unit, label, low, high in true:
            roll = rng.random()
            if roll < share / 3:
                continue
            rows.append(
                (
                    unit,
                    "ORG" if roll < 2 * share / 3 else label,
                    low,
                    high + (share > roll >= 2 * share / 3) * (low == 4),
                )
            )
        sides.append(rows)
    gold, one, two = sides
    return texts, gold, one, two


def test_score_is_between_0_and_1() -> None:
    scores = check_gold(outcomes(*_noisy(8))).frame["score"].to_list()
    assert scores
    assert all(0 < one < 1 and math.isfinite(one) for one in scores)
