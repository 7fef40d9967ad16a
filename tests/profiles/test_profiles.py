"""Profiles: built-in ones load, a user's own is a TOML file, mistakes in it are named; the eBay score by hand."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import karatage
from karatage.errors import InputError, UsageError
from karatage.profiles import get_profile, profile_names


def test_built_in_profiles() -> None:
    assert set(profile_names()) >= {
        "conlleval", "seqeval", "seqeval-strict", "semeval2013", "exact", "overlap", "label-only", "tokens",
        "ebay-2025", "ebay-2025-runs", "values",
    }  # fmt: skip
    for name in profile_names():
        profile = get_profile(name)
        assert profile.about.endswith(".")
        assert profile.headline in profile.metrics
        assert bool(profile.quirks) == bool(profile.like), name


@pytest.mark.parametrize("name", profile_names())
def test_a_profile_from_another_process_is_the_same(name: str) -> None:
    """So that results of several processes add up."""
    profile = get_profile(name)
    assert pickle.loads(pickle.dumps(profile)) == profile  # noqa: S301  our own


def test_an_own_profile(tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(
        'base = "overlap"\nabout = "Ours."\nmetrics = ["f2", "recall"]\nheadline = "recall"\n'
        'decode = { separator = "_" }\nmatch = { rule = "iou", threshold = 0.5 }\n'
    )
    result = karatage.score([["B_X", "I_X", "I_X"]], [["B_X", "I_X", "O"]], like=path)
    assert result.profile.name == "ours"
    assert result.to_dict()["headline"] == "recall"
    assert result["recall"].value == 1.0


@pytest.mark.parametrize(("old", "new"), [("partial", "overlap"), ("type", "label-only")])
def test_names_of_other_meanings_are_refused(old: str, new: str) -> None:
    """Both readings of the name are offered: our profile of old, and SemEval's scenario."""
    with pytest.raises(UsageError, match=f"'{old}' is now called '{new}': .* --like semeval2013 -m {old}_f1"):
        karatage.score([["B-X"]], [["B-X"]], like=old)
    assert karatage.score([["B-X"]], [["B-X"]], like="semeval2013", metrics=f"{old}_f1").headline.value == 1.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("base = 'partial'", "'partial' is now called 'overlap'"),
        ("match = { rule = 'type' }", "'type' is now called 'label-only'"),
        ("x = 1", "unknown profile key 'x'"),
        ("[match]\nrules = 'exact'", "Did you mean 'match.rule'"),
        ("match = 3", "match must be a table"),
        ("metrics = ['f9x']", "unknown metric 'f9x'"),
        ("headline = 'recall@5'", "not one of the metrics"),
        ("undefined = 'zero'", "must be a number"),
        ("decode = { reader = 'perl' }", "unknown tag reader"),
        ("metrics = ['strict_f1']", "needs match.kinds"),
        ("metrics = ['groups_f1']", "needs groups.by"),
        ("units = { missing = 'skip' }", "unknown value of missing"),
        ("base = 'nope'", "unknown profile 'nope'"),
        ("not toml", "not a TOML file"),
    ],
)
def test_mistakes_in_a_profile(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=message) as caught:
        get_profile(path)
    assert "bad.toml" in str(caught.value)


def test_unknown_profiles() -> None:
    with pytest.raises(UsageError, match="Did you mean 'conlleval'"):
        get_profile("connleval")
    with pytest.raises(UsageError, match="No such file"):
        get_profile("missing.toml")


def submission(path: Path, rows: list[tuple[int, int, str, str]]) -> Path:
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    return path


def test_ebay_by_hand(tmp_path: Path) -> None:
    """The worked example of the challenge: P .9 R .8 and P .7 R .6, the first twice as frequent."""
    gold, pred = [], []
    # Aspect A: 2016 correct of 2240 predicted (.9) and of 2520 gold (.8); B: 756 of 1080 (.7) and of 1260 (.6).
    for name, n_gold, n_pred, n_correct in (("A", 2520, 2240, 2016), ("B", 1260, 1080, 756)):
        gold += [(k + 1, 1, name, f"{name}{k}") for k in range(n_gold)]
        pred += [(k + 1, 1, name, f"{name}{k}" if k < n_correct else "wrong") for k in range(n_pred)]
    gold.append((9999, 2, "A", "x"))
    pred.append((9999, 2, "A", "x"))
    result = karatage.score(
        submission(tmp_path / "g.tsv", gold), submission(tmp_path / "p.tsv", pred), like="ebay-2025"
    )
    a, b = 0.7488 / 0.836, 0.4368 / 0.628
    assert result["c1_f0.2"].value == pytest.approx((2 * a + b) / 3, abs=1e-12)
    assert round(result["c1_f0.2"].value, 3) == 0.829
    assert round(result["c1_f1"].value, 3) == 0.780
    assert result["c2_f0.2"].value == 1.0
    assert result["final_f0.2"].value == pytest.approx((result["c1_f0.2"].value + 1) / 2)
    assert result.to_dict()["headline"] == "final_f0.2"
    assert result.by_group["1"]["A"]["precision"].value == pytest.approx(0.9)


def test_ebay_rules(tmp_path: Path) -> None:
    """O changes nothing, aspects without gold weigh nothing, other records are left out and counted."""
    gold = [(1, 1, "A", "x"), (1, 1, "A", "x"), (2, 2, "A", "N/A"), (3, 2, "B", "y"), (1, 1, "O", "zzz")]
    pred = [
        (3, 2, "B", "y"),
        (2, 2, "A", "N/A"),
        (1, 1, "A", "x"),
        (1, 1, "C", "q"),
        (77, 1, "A", "z"),
        (2, 2, "O", "n"),
    ]
    result = karatage.score(
        submission(tmp_path / "g.tsv", gold), submission(tmp_path / "p.tsv", pred), like="ebay-2025"
    )
    # category 1: aspect A P 1, R 1/2 -> F1 2/3; C has no gold. category 2: all right.
    assert result["c1_f1"].value == pytest.approx(2 / 3)
    assert result["c1_f0.2"].value == pytest.approx(1.04 * 0.5 / (0.04 + 0.5))
    assert result["final_f1"].value == pytest.approx((2 / 3 + 1) / 2)
    assert any("predicted listings that are not in gold, left out: 1" in w for w in result.warnings)


def test_ebay_tagged_gold_and_submission(tmp_path: Path) -> None:
    """Gold as the tagged file, predictions as a submission, and the other way round."""
    rows = [
        "Record Number\tCategory\tTitle\tToken\tTag",
        "1\t1\tATE Bremse VA 24\tATE\tHersteller",
        "1\t1\tATE Bremse VA 24\tBremse\tProduktart",
        "1\t1\tATE Bremse VA 24\tVA\tEinbauposition",
        "1\t1\tATE Bremse VA 24\t24\t",
        "2\t2\tSKF für X\tSKF\tHersteller",
        "2\t2\tSKF für X\tfür\tO",
        "2\t2\tSKF für X\tX\t",
    ]
    tagged = tmp_path / "train.tsv"
    tagged.write_text("\r\n".join(rows) + "\r\n")
    lines = [
        (2, 2, "Hersteller", "SKF"),
        (1, 1, "Einbauposition", "VA 24"),
        (1, 1, "Hersteller", "ATE"),
        (1, 1, "Produktart", "Bremse"),
    ]
    sent = submission(tmp_path / "sub.tsv", lines)
    for gold, pred in ((tagged, sent), (sent, tagged), (tagged, tagged)):
        result = karatage.score(gold, pred, like="ebay-2025")
        assert result["final_f0.2"].value == 1.0
        assert result.counts["gold"] == 4
    assert karatage.score(tagged, tagged)["f1"].value == 1.0
    more = submission(tmp_path / "more.tsv", [*lines, (9, 1, "Hersteller", "TRW")])
    partly = karatage.score(more, tagged, like="ebay-2025")
    assert partly["c1_f1"].value == pytest.approx((2 * 2 / 3 + 1 + 1) / 4)  # Hersteller: P 1, R 1/2, twice in gold
    assert "gold listings without predictions, counted as empty: 1" in partly.warnings


def test_ebay_one_category_only(tmp_path: Path) -> None:
    path = submission(tmp_path / "g.tsv", [(1, 1, "A", "x")])
    result = karatage.score(path, path, like="ebay-2025")
    assert result["c1_f0.2"].value == 1.0
    assert result["final_f0.2"].value is None
    assert result["final_f0.2"].undefined == "no gold annotations and no predictions in group 2"
    strange = submission(tmp_path / "s.tsv", [(1, 3, "A", "x")])
    with pytest.raises(InputError, match="category '3' is not one of 1, 2"):
        karatage.score(strange, strange, like="ebay-2025")


def test_groups_by_hand(tmp_path: Path) -> None:
    """Recall 1/2 in group a and 1 in group b: their mean is 3/4, all together 2/3."""
    gold, pred = tmp_path / "g.csv", tmp_path / "p.csv"
    gold.write_text("unit,label,start,end,value,source\n1,X,0,2,,a\n1,X,3,4,,a\n2,X,0,1,,b\n")
    pred.write_text("unit,label,start,end,value,source\n1,X,0,2,,a\n2,X,0,1,,b\n")
    result = karatage.score(gold, pred, group_by="source", metrics=["groups_recall", "recall{a}", "recall"])
    assert [score.value for score in result.metrics.values()] == [0.75, 0.5, pytest.approx(2 / 3)]
    assert result.by_group["a"]["X"].counts == {"gold": 2, "predicted": 1, "correct": 1}
    with pytest.raises(UsageError, match="--group-by"):
        karatage.score(gold, pred, metrics=["groups_recall"])
