"""Several annotators: the mean score, with an interval that includes how they disagree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.command import run

import karatage
from karatage.errors import InputError, KaratageError, UsageError
from karatage.stats import student

Spans = list[list[tuple[str, int, int]]]


def units(count: int, *places: int) -> Spans:
    """Return units with an entity at each of some places; two characters each."""
    return [[("X", 3 * place, 3 * place + 2) for place in places] for _ in range(count)]


ANN = units(10, 0, 1)
BEN = [*units(8, 0, 1), *units(2, 0)]
PRED = [*units(6, 0, 1), *units(4, 0)]


def by_hand(scores: list[float], moved: np.ndarray) -> tuple[float, float, float]:
    """Return the variance over units, that over annotators, and the degrees of freedom of the sum, of a share.

    `moved` has what each unit (row) does to the score by each annotator (column).
    """
    n, k = moved.shape

    def shown(own: np.ndarray) -> float:
        return float(((own - own.mean()) ** 2).sum() * n / (n - 1))

    mean = moved.mean(axis=1)
    noise = sum(shown(moved[:, j] - mean) for j in range(k)) / (k - 1)
    over = max(float(np.var(scores, ddof=1)) - noise, 0.0) / k
    return shown(mean), over, noise


def test_the_score_is_the_mean_over_annotators() -> None:
    """Recall by ann: 16 of 20; by ben: 16 of 18, so 0.8444 on average."""
    found = karatage.score(karatage.Annotators(ben=BEN, ann=ANN), PRED)
    recall = found["recall"]
    assert recall.value == pytest.approx((16 / 20 + 16 / 18) / 2)
    assert recall.annotators is not None
    assert recall.annotators.values == pytest.approx((16 / 20, 16 / 18))  # ann comes first
    assert recall.annotators.spread == pytest.approx(np.std([16 / 20, 16 / 18], ddof=1))
    assert found.annotators is not None
    assert found.annotators.results["ben"]["recall"].value == pytest.approx(16 / 18)
    assert found.counts == {"units": 10, "gold": 38, "predicted": 32, "correct": 32}


def test_agreement_is_the_f1_of_one_annotator_against_another() -> None:
    """ann has 20 entities and ben 18 of them: F1 is 36/38. A third who has 10 of both has 20/30 and 20/28."""
    found = karatage.score(karatage.Annotators(ann=ANN, ben=BEN), PRED)
    assert found.annotators is not None
    assert found.annotators.agreement == pytest.approx(36 / 38)
    third = karatage.score(karatage.Annotators(ann=ANN, ben=BEN, eva=units(10, 0)), PRED)
    assert third.annotators is not None
    assert third.annotators.agreement == pytest.approx(np.mean([36 / 38, 20 / 30, 20 / 28]))


def test_the_variance_is_that_over_units_and_over_annotators() -> None:
    """Each unit moves a recall c/g by (c - r·g)/G; the noise is taken off the variance over annotators.

    The interval ±t·√variance is that of `--interval t`.
    """
    golds = {"ann": ANN, "ben": units(10, 0), "eva": [*units(3, 0), *units(7, 0, 1)]}
    found = karatage.score(karatage.Annotators(golds), PRED, interval="t")["recall"]
    moved, scores = [], []
    for own in golds.values():
        gold = np.array([len(unit) for unit in own])
        correct = np.array([len({*unit} & {*answer}) for unit, answer in zip(own, PRED, strict=True)])
        scores.append(correct.sum() / gold.sum())
        moved.append((correct - scores[-1] * gold) / gold.sum())
    shown, over, _ = by_hand(scores, np.array(moved).T)
    assert over > 0
    assert found.annotators is not None
    assert found.annotators.share is not None
    assert found.error is not None
    others = found.error**2 * found.annotators.share
    assert others == pytest.approx(over)
    # What units cannot show (an allowance for few errors) is added too, so the part of units is at least this.
    assert found.error**2 - others >= shown * 0.999
    assert found.low is not None
    assert found.value is not None
    reach = (found.value - found.low) / found.error
    assert student(0.975, 9) < reach < student(0.975, 2)  # between 9 degrees of freedom of units and 2 of annotators


def test_annotators_who_agree_change_nothing() -> None:
    alone = karatage.score(ANN, PRED)["f1"]
    both = karatage.score(karatage.Annotators(ann=ANN, ben=[list(unit) for unit in ANN]), PRED)["f1"]
    assert (both.value, both.low, both.high) == pytest.approx((alone.value, alone.low, alone.high))
    assert both.annotators is not None
    assert both.annotators.share == 0


def test_the_order_of_annotators_changes_nothing() -> None:
    first = karatage.score(karatage.Annotators(ann=ANN, ben=BEN, eva=units(10, 0)), PRED).to_dict()
    second = karatage.score(karatage.Annotators(eva=units(10, 0), ben=BEN, ann=ANN), PRED).to_dict()
    assert first == second


def test_a_comparison_has_the_same_scores_and_a_paired_difference() -> None:
    """The annotators differ in recall by 0.09, and hardly in the difference between systems.

    By ann the recalls are 16/20 and 10/20, by ben 16/18 and 10/18: differences of 6/20 and 6/18.
    """
    gold = karatage.Annotators(ann=ANN, ben=BEN)
    other = units(10, 0)
    found = karatage.compare(gold, {"one": PRED, "other": other}, metrics=["recall"], by_label=False)
    score = karatage.score(gold, PRED, metrics=["recall"])["recall"]
    assert found["recall"].scores["one"] == score
    difference = found["recall"]["one", "other"]
    assert difference.value == pytest.approx((6 / 20 + 6 / 18) / 2)
    assert difference.test == "annotators and units"
    data = found.to_dict()
    assert data["annotators"] == {"names": ["ann", "ben"], "agreement": pytest.approx(36 / 38)}
    assert data["metrics"]["recall"]["systems"]["one"]["annotators"]["values"] == pytest.approx([16 / 20, 16 / 18])
    assert "Scores are means over 2 annotators, whose agreement is 0.9474" in " ".join(str(found).split())


def test_errors_are_those_of_one_annotator() -> None:
    """ann has four entities that are missed; ben has two."""
    found = karatage.score(karatage.Annotators(ann=ANN, ben=BEN), PRED)
    for call in (found.errors, lambda: found.kinds, lambda: found.confusion, lambda: found.levels):
        with pytest.raises(UsageError, match="each annotator has (errors|levels) of their own"):
            call()
    assert found.annotators is not None
    assert [len(own.errors()) for own in found.annotators.results.values()] == [4, 2]


@pytest.mark.parametrize(("count", "warned"), [(2, True), (3, True), (4, False)])
def test_few_annotators_are_reported(count: int, warned: bool) -> None:
    golds = karatage.Annotators({f"a{k}": [*units(10 - k, 0, 1), *units(k, 0)] for k in range(count)})
    warning = f"{count} annotators hardly show how much annotators differ: intervals may be too narrow"
    assert (warning in karatage.score(golds, PRED).warnings) == warned
    assert (warning in karatage.compare(golds, {"one": PRED, "other": ANN}).warnings) == warned


def test_undefined_by_an_annotator_is_undefined() -> None:
    found = karatage.score(karatage.Annotators(ann=ANN, ben=units(10)), PRED)["recall"]
    assert found.value is None
    assert found.undefined == "by ben: no gold annotations"


def test_labels_that_one_annotator_never_uses() -> None:
    ben = [[("Y", start, end) for _, start, end in unit] for unit in units(3, 1)] + units(7, 0)
    found = karatage.score(karatage.Annotators(ann=ANN, ben=ben), PRED, metrics=["macro_f1", "f1"])
    assert set(found.by_label) == {"X", "Y"}
    assert found.by_label["Y"]["recall"].undefined == "by ann: no gold annotations and no predictions of label Y"
    assert found["macro_f1"].low is not None
    both = karatage.compare(karatage.Annotators(ann=ANN, ben=ben), {"a": PRED, "b": ANN}, metrics=["macro_f1"])
    assert both["macro_f1"].scores["a"] == found["macro_f1"]


def test_search_has_no_agreement() -> None:
    judged = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}, "q3": {"d2": 1}}
    other = {"q1": {"d1": 1, "d2": 1}, "q2": {"d1": 1}, "q3": {"d2": 1, "d1": 1}}
    run_ = {query: {"d2": 2.0, "d1": 1.0} for query in judged}
    found = karatage.score(karatage.Annotators(ann=judged, ben=other), run_, metrics=["nDCG@10"])
    assert found.annotators is not None
    assert found.annotators.agreement is None
    alone = [karatage.score(own, run_, metrics=["nDCG@10"])["nDCG@10"].value or 0 for own in (judged, other)]
    assert found["nDCG@10"].value == pytest.approx(np.mean(alone))
    assert found["nDCG@10"].low is not None


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: karatage.score(karatage.Annotators(ann=ANN), PRED), "needs the gold of at least two, got 1"),
        (lambda: karatage.score(karatage.Annotators(ann=ANN, ben=BEN)), "need predictions of their own, and no judge"),
        (lambda: karatage.score(karatage.Annotators(ann=ANN, ben=ANN[:9]), PRED), "gold of ben"),
        (lambda: karatage.score(karatage.Annotators(ann=ANN, ben=BEN), PRED, interval="bca"), "use wilson or t"),
        (lambda: karatage.score(ANN, karatage.Annotators(ann=ANN, ben=BEN)), "as the gold of karatage.score"),
        (lambda: karatage.explain(karatage.Annotators(ann=ANN, ben=BEN), PRED), "as the gold of karatage.score"),
        (lambda: compared(test="bootstrap"), "--test bootstrap does not work with several annotators"),
        (lambda: compared(judge=ANN), "a judge does not work with several annotators"),
        (lambda: compared(one=karatage.Runs(PRED, ANN)), "several runs of a system do not work"),
    ],
)
def test_what_does_not_work_is_refused(call: Any, problem: str) -> None:
    with pytest.raises(KaratageError, match=problem):
        call()


def compared(one: Any = PRED, **options: Any) -> karatage.Comparison:
    return karatage.compare(karatage.Annotators(ann=ANN, ben=BEN), {"one": one, "other": ANN}, **options)


def test_other_units_are_refused_if_predictions_do_not_show_it() -> None:
    """With --extra ignore, gold may have fewer units than the predictions."""
    golds = {name: {f"u{k}": unit for k, unit in enumerate(ANN)} for name in ("ann", "ben")}
    del golds["ben"]["u3"]
    pred = {f"u{k}": unit for k, unit in enumerate(PRED)}
    with pytest.raises(InputError, match=r"annotators ann and ben have different texts \(10 and 9\)"):
        karatage.score(karatage.Annotators(golds), pred, extra="ignore")


def tagged(path: Path, *lines: str) -> str:
    path.write_text("".join(f"{line.replace(';', chr(10))}\n\n" for line in lines), "utf-8")
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    right, half, none = "a B-X;b O;c B-X", "a B-X;b O;c O", "a O;b O;c B-X"
    return [
        tagged(tmp_path / "ann.conll", *[right] * 6, half, half),
        tagged(tmp_path / "ben.conll", *[right] * 4, *[half] * 4),
        tagged(tmp_path / "pred.conll", *[right] * 5, half, none, right),
    ]


def test_the_command(files: list[str]) -> None:
    """ann: 14 gold, 12 correct; ben: 12 gold, 11 correct; 14 predicted: F1 is 24/28 and 22/26."""
    ann, ben, pred = files
    data = json.loads(run("score", ann, pred, "--gold", ben, "--json").stdout)
    assert data["metrics"]["f1"]["value"] == pytest.approx((24 / 28 + 22 / 26) / 2)
    assert data["annotators"]["names"] == ["ann", "ben"]
    assert set(data["provenance"]["gold"]) == {"ann", "ben"}
    text = run("score", ann, pred, "--gold", ben).stdout
    assert "f1 by annotator: ann 0.8571, ben 0.8462" in text
    assert "of the variance of f1 is due to annotators" in text
    assert "warning: 2 annotators hardly show how much annotators differ" in text
    assert "Hripcsak and Rothschild 2005" in run("score", ann, pred, "--gold", ben, "--cite").stdout


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("score", "ANN", "PRED", "--gold", "PRED"), "gold of pred: has the same content as the predictions"),
        (("score", "ANN", "PRED", "--gold", "ANN"), "the same file is given twice"),
        (("score", "ANN", "PRED", "--gold", "BEN", "--errors", "2"), "work with one gold"),
        (("compare", "ANN", "PRED", "BEN", "--gold", "BEN"), "gold of ben: has the same content as the predictions"),
        (("compare", "ANN", "PRED", "BEN", "--gold", "BEN", "--sets"), "work with one gold"),
    ],
)
def test_the_command_refuses(words: tuple[str, ...], problem: str, files: list[str]) -> None:
    named = dict(zip(("ANN", "BEN", "PRED"), files, strict=True))
    done = run(*(named.get(word, word) for word in words))
    assert done.returncode == 2
    assert problem in " ".join(done.stderr.split())


def test_a_copy_of_another_annotators_file_is_refused(files: list[str], tmp_path: Path) -> None:
    copy = tmp_path / "copy.conll"
    copy.write_bytes(Path(files[0]).read_bytes())
    with pytest.raises(InputError, match="gold of copy: has the same content as the gold of ann"):
        karatage.score(karatage.Annotators(ann=files[0], copy=str(copy)), files[2])


def test_one_annotator_in_sets_is_refused() -> None:
    with pytest.raises(UsageError, match="several test sets do not work with several annotators"):
        karatage.compare(
            karatage.Sets(x=karatage.Annotators(ann=ANN, ben=BEN)),
            {name: karatage.Sets(x=PRED) for name in ("one", "other")},
        )
