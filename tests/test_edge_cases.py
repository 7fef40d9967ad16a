"""Every row of the edge-case table of the documentation, by its number: what Karatage's native rules do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import karatage
from karatage.claims import SCHEMES
from karatage.errors import ClaimError, InputError, TagError, UnitError, UsageError


def write(path: Path, *sentences: str) -> Path:
    """Write sentences of `token/tag` words as a file of columns."""
    text = "".join("".join(w.replace("/", "\t", 1) + "\n" for w in s.split()) + "\n" for s in sentences)
    path.write_text(text, "utf-8")
    return path


class TestTags:
    def test_01_a_scheme_is_enforced_and_named(self) -> None:
        gold, pred = [["B-X", "I-X"]], [["I-X", "I-X"]]
        assert karatage.score(gold, pred)["f1"].value == 1.0
        strict = karatage.score(gold, pred, scheme="IOB2")
        assert strict["f1"].value == 0.0
        assert strict.warnings == (
            "transitions in predictions that the scheme IOB2 forbids: 1",
            "predictions contain no entities: 1 sentence, 2 tokens, tag I-X",
        )
        with pytest.raises(UsageError, match="unknown scheme 'Strict'"):
            karatage.score(gold, pred, scheme="Strict")
        with pytest.raises(UsageError, match="unknown option 'mode'"):
            karatage.score(gold, pred, mode="strict")  # type: ignore[call-arg]  # no such option
        with pytest.raises(UsageError, match="does not distinguish schemes"):
            karatage.score(gold, pred, like="seqeval", scheme="IOB2")

    def test_02_u_and_s_stand_alone(self) -> None:
        for tag in ("U-LOC", "S-LOC"):
            assert karatage.score([[tag, tag]], [[tag, tag]]).counts["gold"] == 2
        assert karatage.score([["U-LOC", "U-LOC"]], [["U-LOC", "U-LOC"]], like="seqeval").counts["gold"] == 1

    @pytest.mark.parametrize(
        ("tag", "advice"), [("PER", "--separator"), ("NOUN", "--separator"), ("B_PER", "Did you mean --separator '_'")]
    )
    def test_03_strange_tags(self, tag: str, advice: str) -> None:
        with pytest.raises(TagError, match=advice) as caught:
            karatage.score([["O"], [tag]], [["O"], [tag]])
        assert f"{tag!r}" in str(caught.value)
        assert caught.value.unit == 2

    def test_03_another_separator(self) -> None:
        assert karatage.score([["B_PER"]], [["B_PER"]], separator="_").labels == ["PER"]

    def test_04_prefix_tags_read_as_suffix_tags(self) -> None:
        with pytest.raises(TagError, match="drop --suffix"):
            karatage.score([["B-PER"]], [["B-PER"]], suffix=True)
        with pytest.raises(TagError, match="add --suffix"):
            karatage.score([["PER-B"]], [["PER-B"]])
        assert karatage.score([["PER-B"]], [["PER-B"]], suffix=True).labels == ["PER"]

    def test_05_lower_case_o(self) -> None:
        with pytest.raises(TagError, match="capital letter O"):
            karatage.score([["o"]], [["O"]])

    def test_06_the_type_may_hold_the_separator(self) -> None:
        assert karatage.score([["B-FOO-BAR"]], [["B-FOO-BAR"]]).labels == ["FOO-BAR"]
        assert karatage.score([["FOO-BAR-B"]], [["FOO-BAR-B"]], suffix=True).labels == ["FOO-BAR"]

    def test_07_invalid_transitions_by_profile(self) -> None:
        tags = [["B-PER", "I-LOC", "I-LOC"]]
        assert karatage.score(tags, tags).labels == ["LOC", "PER"]
        strict = karatage.score(tags, tags, scheme="IOB2")
        assert strict.labels == ["PER"]
        assert strict.warnings == (
            "transitions in gold that the scheme IOB2 forbids: 1",
            "transitions in predictions that the scheme IOB2 forbids: 1",
        )

    @pytest.mark.parametrize("scheme", [None, *SCHEMES])
    def test_08_only_o_is_valid_in_every_scheme(self, scheme: str | None) -> None:
        result = karatage.score([["O", "O"]], [["O", "O"]], scheme=scheme)
        assert result.counts["gold"] == 0
        assert result.warnings == (
            "gold contains no entities: 1 sentence, 2 tokens, tag O",
            "predictions contain no entities: 1 sentence, 2 tokens, tag O",
        )

    def test_09_nothing_on_both_sides_is_undefined(self) -> None:
        result = karatage.score([["O"]], [["O"]])
        for name in ("precision", "recall", "f1", "macro_f1", "weighted_f1"):
            assert result[name].value is None
            assert result[name].undefined == "no gold annotations and no predictions"
        assert result["accuracy"].value == 1.0
        assert karatage.score([["O"]], [["O"]], like="seqeval")["f1"].value == 0.0
        assert karatage.score([["O"]], [["O"]], like="seqeval")["macro_f1"].value is None

    @pytest.mark.parametrize("bad", ["", None, 3])
    def test_10_no_tag(self, bad: object) -> None:
        with pytest.raises(TagError, match="at index 1") as caught:
            karatage.score([["O"], ["O", bad]], [["O"], ["O", "O"]])
        assert caught.value.unit == 2

    def test_10_no_list(self) -> None:
        assert karatage.score([[]], [[]]).counts["units"] == 1
        with pytest.raises(InputError, match="sentence 2"):
            karatage.score([["O"], None], [["O"], ["O"]])
        with pytest.raises(InputError, match="a flat list"):
            karatage.score(["O", "B-X"], ["O", "B-X"])

    def test_11_predictions_without_gold_support_are_named(self) -> None:
        result = karatage.score([["B-A", "O", "O", "O"]], [["B-A", "B-C", "B-C", "B-C"]])
        assert result["weighted_f1"].value == 1.0
        assert result.warnings == (
            "predictions whose label does not occur in gold (C), which weighted averages ignore: 3",
        )

    def test_12_what_macro_runs_over(self, tmp_path: Path) -> None:
        gold, pred = [["B-A", "O"]], [["B-A", "B-C"]]
        assert karatage.score(gold, pred)["macro_f1"].value == 0.5
        assert karatage.score(gold, pred)["macro_f1(over=gold)"].value == 1.0
        own = tmp_path / "own.toml"
        own.write_text('schema = ["A", "B", "C", "D"]\nmetrics = ["macro_recall(over=schema)"]\nundefined = 0.0\n')
        # recall of A is 1, of B, C and D 0 by this profile's choice: 1/4
        assert karatage.score(gold, pred, like=own)["macro_recall(over=schema)"].value == 0.25

    def test_13_outside_is_not_a_class(self) -> None:
        result = karatage.score([["O"] * 9 + ["B-A"]], [["O"] * 10])
        assert result["weighted_f1"].value == 0.0
        assert result.labels == ["A"]

    def test_14_lengths_that_differ(self) -> None:
        with pytest.raises(UnitError, match="gold has 1 token here, the predictions have 2 tokens") as caught:
            karatage.score([["O"], ["O"], ["O", "O"]], [["O"], ["O", "O"], ["O"]])
        assert caught.value.unit == 2

    def test_15_predictions_cut_off(self) -> None:
        gold, pred = [["B-A", "O", "B-A"]], [["B-A"]]
        with pytest.raises(UnitError, match="--truncated missed"):
            karatage.score(gold, pred)
        result = karatage.score(gold, pred, truncated="missed")
        assert result["recall"].value == 0.5
        assert result["accuracy"].value == pytest.approx(2 / 3)
        assert "sentences with fewer predicted than gold tokens, the tail counted as missed: 1" in result.warnings[0]
        with pytest.raises(UnitError):
            karatage.score(pred, gold, truncated="missed")


Span = tuple[str, int, int]


class TestSpans:
    def test_16_exact_first_then_the_best_assignment(self) -> None:
        result = karatage.score([[("A", 0, 3)]], [[("A", 0, 5), ("A", 0, 3)]], like="semeval2013")
        assert result["strict_recall"].value == 1.0
        assert result["strict_precision"].value == 0.5

    def test_17_half_open(self) -> None:
        result = karatage.score([[("B", 5, 9)]], [[("A", 0, 5), ("B", 5, 9)]], like="semeval2013")
        assert result.scenarios["strict"]["correct"] == 1
        assert result.scenarios["strict"]["spurious"] == 1
        assert sum(s.counts["correct"] for s in result.by_label.values()) == 1

    @pytest.mark.parametrize("like", ["exact", "overlap", "label-only", "semeval2013"])
    def test_18_order_never_matters(self, like: str) -> None:
        gold = [("A", 0, 4), ("B", 2, 6), ("A", 5, 9)]
        pred = [("A", 1, 6), ("A", 0, 5), ("B", 4, 8)]
        one = karatage.score([gold], [pred], like=like).to_dict()
        other = karatage.score([gold[::-1]], [[pred[2], pred[0], pred[1]]], like=like).to_dict()
        assert one == other

    def test_19_labels_outside_of_the_list(self) -> None:
        gold, pred = [[("A", 0, 2)]], [[("A", 0, 2), ("Z", 3, 4)]]
        assert karatage.score(gold, pred)["precision"].value == 0.5
        chosen = karatage.score(gold, pred, labels=["A"])
        assert chosen["precision"].value == 1.0
        assert chosen.warnings == ("predictions left out because of their label: 1",)

    def test_20_one_credit_per_prediction(self) -> None:
        gold, pred = [[("A", 0, 2), ("A", 3, 5), ("A", 6, 8)]], [[("A", 0, 8)]]
        result = karatage.score(gold, pred, like="overlap")
        assert result["precision"].value == 1.0
        assert result["recall"].value == pytest.approx(1 / 3)

    def test_21_a_prediction_that_meets_no_token_border_is_wrong(self) -> None:
        result = karatage.score([[("A", 0, 4)]], [[("A", 0, 4), ("A", 6, 7)]])
        assert result["precision"].value == 0.5

    def test_22_the_same_claim_twice(self) -> None:
        twice = [[("A", 0, 2), ("A", 0, 2)]]
        with pytest.raises(ClaimError, match="the gold entity A 0–2 occurs twice.*--duplicates dedupe"):
            karatage.score(twice, [[("A", 0, 2)]])
        assert karatage.score(twice, [[("A", 0, 2)]], duplicates="dedupe")["f1"].value == 1.0
        assert karatage.score([[("A", 0, 2)]], twice)["precision"].value == 0.5

    def test_23_tallies_add(self) -> None:
        gold, pred = [[("A", 0, 4)]], [[("A", 0, 2)]]
        one = karatage.score(gold, pred, like="semeval2013")
        both = karatage.score(gold * 2, pred * 2, like="semeval2013")
        assert one["partial_f1"].value == both["partial_f1"].value == 0.5
        assert (one.tally + one.tally).totals.tolist() == both.tally.totals.tolist()

    def test_24_a_span_across_a_sentence_break(self, tmp_path: Path) -> None:
        text = "-DOCSTART- O\n\nNew B-LOC\n\nYork I-LOC\nis O\n\n-DOCSTART- O\n\nbig O\n\n"
        path = tmp_path / "doc.conll"
        path.write_text(text)
        assert karatage.score(path, path).counts["gold"] == 2
        by_document = karatage.score(path, path, unit="document")
        assert by_document.counts == {
            "units": 2, "gold": 1, "predicted": 1, "correct": 1, "tokens": 4, "tokens_correct": 4,
        }  # fmt: skip


Writer = Callable[..., Path]


@pytest.fixture
def values(tmp_path: Path) -> Writer:
    def make(name: str, *fields: dict[str, list[str]], text: str | None = None) -> Path:
        import json

        path = tmp_path / f"{name}.jsonl"
        rows = [{"id": str(k), "fields": f} | ({"text": text} if text else {}) for k, f in enumerate(fields)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return make


class TestValues:
    def test_25_absent_on_both_sides_counts_nowhere(self, values: Writer) -> None:
        gold, pred = values("gold", {"Marke": ["ATE"]}, {}), values("pred", {"Marke": ["ATE"]}, {})
        assert karatage.score(gold, pred, like="values").counts == {
            "units": 2, "gold": 1, "predicted": 1, "correct": 1,
        }  # fmt: skip

    def test_26_a_wrong_value_is_one_false_positive_and_one_false_negative(self, values: Writer) -> None:
        result = karatage.score(values("g", {"Marke": ["ATE"]}), values("p", {"Marke": ["TRW"]}), like="values")
        assert result.counts == {"units": 1, "gold": 1, "predicted": 1, "correct": 0}

    def test_27_the_same_value_twice_counts_twice(self, values: Writer) -> None:
        gold, pred = values("g", {"Marke": ["BMW", "BMW"]}), values("p", {"Marke": ["BMW", "BMW", "BMW"]})
        result = karatage.score(gold, pred, like="values")
        assert result.counts == {"units": 1, "gold": 2, "predicted": 3, "correct": 2}

    def test_28_ungrounded_values_are_reported(self, values: Writer) -> None:
        gold = values("g", {"Marke": ["ATE"]}, text="ATE Bremsscheibe")
        pred = values("p", {"Marke": ["TRW", "Bremsscheibe"]}, text="ATE Bremsscheibe")
        result = karatage.score(gold, pred, like="values")
        assert result.counts["correct"] == 0
        assert result.warnings == (
            "wrong predicted values that do not occur in the text of their record (ungrounded): 1",
        )

    def test_29_values_and_places_are_never_mixed_silently(self, values: Writer, tmp_path: Path) -> None:
        gold = write(tmp_path / "gold.conll", "ATE/B-Marke Bremsscheibe/O")
        gold.write_text("# sent_id = 0\n" + gold.read_text())
        pred = values("p", {"Marke": ["ATE"]})
        with pytest.raises(InputError, match="--match value"):
            karatage.score(gold, pred)
        assert karatage.score(gold, pred, like="values")["f1"].value == 1.0


def matrix(path: Path, *rows: str) -> Path:
    """Write a matrix, its cells separated by blanks."""
    path.write_text("".join(row.replace(" ", "\t") + "\n" for row in rows))
    return path


class TestSearch:
    def test_30_tied_scores(self) -> None:
        qrels, run = {"q": {"a": 1, "b": 0, "c": 0}}, {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
        result = karatage.score(qrels, run, metrics=["RR"])
        assert result["RR"].value == 1 / 3  # c, b, a: by id, the last one first
        assert result.warnings == (
            "tied results, ordered by document id as in trec_eval (--ties expected averages over all orders): 3 of 3",
        )
        # first, second or third with the same chance: (1 + 1/2 + 1/3) / 3
        expected = karatage.score(qrels, run, metrics=["RR"], ties="expected")
        assert expected["RR"].value == pytest.approx(11 / 18)
        assert "all orders" in expected.warnings[0]

    def test_31_a_query_without_a_run(self) -> None:
        qrels = {"q": {"a": 1}, "r": {"a": 1}}
        result = karatage.score(qrels, {"q": {"a": 1.0}}, metrics=["AP", "P@1"])
        assert result["AP"].value == result["P@1"].value == 0.5
        assert result.warnings == ("queries without results, scored 0: 1",)
        assert karatage.score(qrels, {"q": {"a": 1.0}}, metrics=["AP"], missing="ignore")["AP"].value == 1.0
        with pytest.raises(UnitError, match="query r: the run has no results for this query"):
            karatage.score(qrels, {"q": {"a": 1.0}}, missing="error")

    def test_32_a_score_that_is_none(self) -> None:
        with pytest.raises(InputError, match="predictions, query q: the score nan is not a number"):
            karatage.score({"q": {"a": 1}}, {"q": {"b": 1.0, "a": float("nan")}})
        assert karatage.score({"q": {"a": 1}}, {"q": {}}, metrics=["AP"])["AP"].value == 0.0
        assert karatage.score({"q": {"a": 1}}, {}, metrics=["AP"])["AP"].value == 0.0

    def test_33_a_query_without_relevant_documents(self) -> None:
        qrels, run = {"q": {"a": 1}, "r": {"a": 0}}, {"q": {"a": 1.0}, "r": {"a": 1.0}}
        result = karatage.score(qrels, run, metrics=["R@10", "Judged@1"])
        assert result["R@10"].value == 1.0
        assert result.warnings == ("queries left out of a mean because the value is undefined (R@10): 1",)
        assert result.to_dict()["metrics"]["R@10"]["units"] == 1
        assert result.by_unit["R@10"].to_list() == [1.0, None]
        assert karatage.score(qrels, run, like="trec-eval", metrics=["recall_10"])["recall_10"].value == 0.5
        nowhere = karatage.score({"q": {"a": 0}}, {"q": {"a": 1.0}}, metrics=["AP"])["AP"]
        assert (nowhere.value, nowhere.undefined) == (None, "no query or sentence has a value")

    def test_34_the_gain_is_in_the_name(self) -> None:
        assert str(karatage.Metric.parse("nDCG@10")) == "nDCG(gain=linear)@10"
        assert str(karatage.Metric.parse("nDCG(dcg='exp-log2')@10")) == "nDCG(gain=exp)@10"
        qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}}
        result = karatage.score(qrels, run)
        assert result.profile.headline == "nDCG(gain=linear)@10"
        # linear: (1 + 2/log2(3)) / (2 + 1/log2(3)); exponential: (1 + 3/log2(3)) / (3 + 1/log2(3))
        assert result["nDCG@10"].value == pytest.approx(0.8597186998521972)
        assert result["nDCG(gain=exp)@10"].value == pytest.approx(0.7967075809905066)
        assert "linear gain" in str(karatage.score(qrels, run, metrics=["nDCG@10"]))

    def test_35_all_pairs_correctly_not_relevant(self, tmp_path: Path) -> None:
        gold = matrix(tmp_path / "gold.tsv", "d q", "a -1", "b -1")
        script = karatage.score(gold, gold)
        assert [script[m].value for m in ("precision", "recall", "accuracy", "f1")] == [1, 1, 1, 0]
        corrected = karatage.score(gold, gold, like="sigir-ecom19-corrected")
        assert corrected["f1"].undefined == "no gold annotations and no predictions"
        assert corrected["accuracy"].value == 1

    def test_36_no_negatives(self, tmp_path: Path) -> None:
        gold = matrix(tmp_path / "gold.tsv", "d q", "a 1", "b 1")
        assert karatage.score(gold, gold)["fpr"].value == 1
        corrected = karatage.score(gold, gold, like="sigir-ecom19-corrected")
        assert corrected["fpr"].undefined == "no pair is judged irrelevant"

    def test_37_no_judgement(self, tmp_path: Path) -> None:
        gold = matrix(tmp_path / "gold.tsv", "d q", "a 0", "b 0")
        for like in ("sigir-ecom19", "sigir-ecom19-corrected"):
            with pytest.raises(InputError, match="gold.tsv: no pair is judged"):
                karatage.score(gold, gold, like=like)

    def test_38_a_label_that_is_none(self, tmp_path: Path) -> None:
        gold = matrix(tmp_path / "gold.tsv", "d q r", "a 1 1", "b -1 1")
        pred = matrix(tmp_path / "pred.tsv", "d q r", "a abc 1", "b -1 1")
        prices = matrix(tmp_path / "documents.tsv", "doc_id price", "a 10", "b 20")
        script = karatage.score(gold, pred, documents=prices)
        assert script["recall"].value == 2 / 3
        assert script["l2h_ndcg10"].value == 1.0
        assert script.warnings == ("judged pairs whose label is neither 1 nor -1, counted as wrong: 1",)
        message = r"pred.tsv:2: the label 'abc' of document 'a' for query 'q' \(column 2\) is not one of 1 and -1"
        with pytest.raises(InputError, match=message):
            karatage.score(gold, pred, like="sigir-ecom19-corrected")
        with pytest.raises(InputError, match="pred.tsv:2: the label 'abc'"):
            karatage.score(pred, gold)  # in gold the script takes none either
