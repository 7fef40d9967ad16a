"""Annotators whose units come in other orders: paired by id, or refused where nobody knows which unit is which."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.command import run

import karatage
from karatage.errors import InputError

Units = dict[str, list[tuple[str, int, int]]]


def units(*places: str) -> Units:
    """Return units u0, u1, … with an entity at each of the named places, two characters each."""
    return {f"u{k}": [("X", 3 * int(p), 3 * int(p) + 2) for p in own] for k, own in enumerate(places)}


def turned(given: Units) -> Units:
    """Return the same units from the last to the first."""
    return dict(reversed(given.items()))


ANN = units("01", "01", "1", "0", "01", "012")
BEN = units("0", "01", "1", "01", "1", "02")
PRED = units("01", "0", "1", "02", "01", "0")
OTHER = units("0", "0", "", "0", "01", "01")


@pytest.mark.parametrize("who", [("ann",), ("ben",), ("ann", "ben")])
def test_the_order_of_units_changes_nothing(who: tuple[str, ...]) -> None:
    """Found by ann: 2, 1, 1, 1, 2 and 1 of 2, 2, 1, 1, 2 and 3; by ben 1 of 1, 2, 1, 2, 2 and 2.

    Paired in another order, these have the same sums, but another interval.
    """
    golds = {"ann": ANN, "ben": BEN}
    given = {name: turned(own) if name in who else own for name, own in golds.items()}
    found, usual = (karatage.score(karatage.Annotators(own), PRED) for own in (given, golds))
    assert found["recall"].value == pytest.approx((8 / 11 + 6 / 9) / 2)
    assert found.to_dict() == usual.to_dict()
    assert str(found) == str(usual)


@pytest.mark.parametrize("who", [("ann",), ("ben",), ("ann", "ben")])
def test_nor_that_of_a_comparison(who: tuple[str, ...]) -> None:
    """Found by ann: 8 and 7 of 11; by ben: 6 and 5 of 9. The differences are 1/11 and 1/9."""
    golds = {"ann": ANN, "ben": BEN}
    given = {name: turned(own) if name in who else own for name, own in golds.items()}
    systems = {"one": PRED, "other": turned(OTHER)}
    found, usual = (
        karatage.compare(karatage.Annotators(own), systems, metrics=["recall", "f1"]) for own in (given, golds)
    )
    assert found["recall"]["one", "other"].value == pytest.approx((1 / 11 + 1 / 9) / 2)
    different = [own.to_dict() | {"most_different": None} for own in (found, usual)]
    assert different[0] == different[1]
    assert sorted(found.most, key=str) == sorted(usual.most, key=str)


def test_the_order_of_queries_changes_nothing() -> None:
    """Precision at 1 by ann is 1, 0 and 0; by ben 1, 1 and 0: 1/3 and 2/3."""
    ann = {"q1": {"a": 1}, "q2": {"a": 0, "b": 1}, "q3": {"a": 0, "b": 1}}
    ben = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 0, "b": 1}}
    results = {query: {"a": 2.0, "b": 1.0} for query in ann}
    options: Any = {"metrics": ["P@1", "nDCG@10"]}
    usual = karatage.score(karatage.Annotators(ann=ann, ben=ben), results, **options)
    found = karatage.score(karatage.Annotators(ann=ann, ben=dict(reversed(ben.items()))), results, **options)
    assert found["P@1"].value == pytest.approx(1 / 2)
    assert found.to_dict() == usual.to_dict()


def test_nor_does_that_of_a_data_frame() -> None:
    """Both have one entity in each of three units; the predictions have that of u0, and of u1 by ann only."""
    ann, ben, pred = (
        pl.DataFrame({"unit": ["u0", "u1", "u2"], "label": "X", "start": starts, "end": [s + 2 for s in starts]})
        for starts in ([0, 0, 0], [0, 3, 0], [0, 0, 3])
    )
    usual = karatage.score(karatage.Annotators(ann=ann, ben=ben), pred)
    found = karatage.score(karatage.Annotators(ann=ann, ben=ben.reverse()), pred)
    assert found["recall"].value == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert found.to_dict() == usual.to_dict()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write doccano files of twelve texts in four towns; `turned.jsonl` is `ben.jsonl` in reverse."""
    for name, given in {"ann": ANN, "ben": BEN, "pred": PRED, "other": OTHER}.items():
        twice = [*given.values(), *given.values()]
        lines = [
            json.dumps({"id": k, "text": f"abcdefgh{k}", "town": str(k % 4), "label": [[s, e, x] for x, s, e in own]})
            for k, own in enumerate(twice)
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
        if name == "ben":
            (tmp_path / "turned.jsonl").write_text("\n".join(reversed(lines)) + "\n", "utf-8")
    return tmp_path


@pytest.mark.parametrize("place", [(), ("--cluster-by", "town"), ("--stratify-by", "town")])
def test_ids_in_files_with_clusters_and_strata(files: Path, place: tuple[str, ...]) -> None:
    def scored(command: str, ben: str) -> Any:
        systems = ("pred.jsonl", "other.jsonl")[: 2 if command == "compare" else 1]
        gold = ("--gold", f"{ben}.jsonl", "--format", "doccano", *place, "--json")
        data = json.loads(run(command, "ann.jsonl", *systems, *gold, cwd=files).stdout)
        del data["provenance"]
        return json.loads(json.dumps(data).replace("turned", "ben"))

    for command in ("score", "compare"):
        assert scored(command, "turned") == scored(command, "ben")


REFUSED = "annotators ann and ben have the same texts in different orders"


def test_without_ids_of_the_predictions_the_order_is_unknown() -> None:
    """The predictions are in the order of ann or of ben, and nothing shows in which."""
    golds = karatage.Annotators(ann=ANN, ben=turned(BEN))
    with pytest.raises(InputError, match=REFUSED) as refused:
        karatage.score(golds, list(PRED.values()))
    assert "ids in all files, those of the predictions included, or put them into the same order" in str(refused.value)
    with pytest.raises(InputError, match=REFUSED):
        karatage.compare(golds, {"one": PRED, "other": list(OTHER.values())})


def test_numbers_are_no_ids() -> None:
    """The ids of ann are 6 to 1. The units of ben have none, so 6 is the last one, or the one that ann has first."""
    ann = dict(zip("654321", ANN.values(), strict=True))
    with pytest.raises(InputError, match=REFUSED):
        karatage.score(
            karatage.Annotators(ann=ann, ben=list(BEN.values())), dict(zip("654321", PRED.values(), strict=True))
        )


def test_ids_of_one_annotator_only() -> None:
    with pytest.raises(InputError, match="have different texts") as refused:
        karatage.score(karatage.Annotators(ann=ANN, ben=list(BEN.values())), PRED)
    assert "Give the texts ids in all files" in str(refused.value)


def test_other_units_in_another_order_are_still_refused() -> None:
    """With --extra ignore, the predictions may have more units than gold."""
    ben = turned(BEN)
    del ben["u3"]
    with pytest.raises(InputError, match=r"annotators ann and ben have different texts \(6 and 5\)") as refused:
        karatage.score(karatage.Annotators(ann=ANN, ben=ben), PRED, extra="ignore")
    assert "u3" in str(refused.value)


def test_tokens_show_that_the_order_differs(tmp_path: Path) -> None:
    """Sentences of column files have no ids, but their tokens are those of the predictions, or not."""
    lines = {"ann": ("a B-X", "b O", "c B-X"), "ben": ("c B-X", "b O", "a O"), "pred": ("a B-X", "b B-X", "c O")}
    for name, own in lines.items():
        (tmp_path / f"{name}.conll").write_text("\n\n".join(own) + "\n\n", "utf-8")
    done = run("score", "ann.conll", "pred.conll", "--gold", "ben.conll", cwd=tmp_path)
    assert done.returncode == 2
    said = " ".join(done.stderr.split())
    assert "gold of ben" in said
    assert "The order differs: sentence 3 of gold has these tokens" in said
