"""Which units an explanation of a large test set holds."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import karatage
from karatage.claims import Units
from karatage.explanation import held_units
from karatage.explanation.held_units import HeldUnits, keys_of
from karatage.scoring import Outcomes

Tags = list[list[str]]


def outcomes(gold: Tags, pred: Tags) -> Outcomes:
    found: Outcomes = karatage.score(gold, pred, resamples=0).outcomes()
    return found


def made(rng: random.Random, count: int) -> tuple[Tags, Tags]:
    """Make units of one tag each; few of the errors are of the wrong type."""
    gold = [[rng.choice(["B-A", "B-B", "O"])] for _ in range(count)]
    pred = [[rng.choice([*own * 8, "B-A", "O", "O"])] for own in gold]
    return gold, pred


def test_a_small_test_set_is_held_as_it_is() -> None:
    whole = outcomes([["B-A"], ["O"], ["B-B"]], [["B-A"], ["B-A"], ["O"]])
    held = HeldUnits(1)
    held.add((whole.slice(0, 2),))
    held.add((whole.slice(2, 3),))
    found = held.outcomes()
    assert found.whole
    assert found.errors is found.units
    (own,) = found.errors
    for name in ("unit", "gold", "pred", "kind", "detail", "credited"):
        assert getattr(own, name).tolist() == getattr(whole, name).tolist()
    assert own.units.ids is None


def test_the_units_with_the_lowest_hashes_are_the_sample() -> None:
    """Units without tokens cost 1, and 1 for each claim: the sample is as long as the costs add up to 30."""
    rng = random.Random(0)
    whole = outcomes(*made(rng, 200))
    held = HeldUnits(1, budget=30, per_kind=0)
    held.add((whole,))
    found = held.outcomes()
    claims = [np.bincount(side.unit, minlength=200) for side in (whole.claims.gold, whole.claims.pred)]
    costs, keys = 1 + claims[0] + claims[1], keys_of(whole.units)
    order = np.argsort(keys)
    wanted = sorted(order[np.cumsum(costs[order]) <= 30].tolist())
    (own,) = found.units
    assert not found.whole
    assert found.of == 200
    assert own.units.ids == [str(k + 1) for k in wanted]
    assert own.detail.tolist() == whole.take(np.array(wanted)).detail.tolist()


def test_of_each_kind_some_errors_are_held() -> None:
    """At least 4 of each kind, or all where there are fewer: those with the lowest hashes."""
    rng = random.Random(1)
    whole = outcomes(*made(rng, 500))
    held = HeldUnits(1, budget=20, per_kind=4)
    held.add((whole,))
    (own,) = held.outcomes().errors
    keys = keys_of(whole.units)
    for detail in np.unique(whole.detail[whole.wrong]).tolist():
        rows = np.flatnonzero(whole.wrong & (whole.detail == detail))
        least = sorted(keys[whole.unit[rows]].tolist())[:4]
        shown = own.unit[own.detail == detail]
        assert len(shown) >= len(least)
        names = {own.units.name(k) for k in shown.tolist()}
        assert names >= {str(np.flatnonzero(keys == key)[0] + 1) for key in least}
    assert len(own) < whole.wrong.sum() / 2


@pytest.mark.parametrize("seed", range(6))
def test_the_sample_does_not_depend_on_the_parts(seed: int) -> None:
    """Whatever the batches are, and in whatever parts they are added up."""
    rng = random.Random(seed)
    whole = outcomes(*made(rng, 300))

    def gathered(cuts: list[int], joints: int) -> Any:
        parts = [HeldUnits(1, budget=50, per_kind=3) for _ in range(joints)]
        bounds = [0, *sorted(cuts), 300]
        batches = [whole.slice(a, b) for a, b in pairwise(bounds) if a < b]
        for k, batch in enumerate(batches):
            parts[k * joints // len(batches)].add((batch,))
        first, *others = parts
        for part in others:
            part.settle()
            first += part
        found = first.outcomes()
        return [
            [one.units.ids, one.unit.tolist(), one.detail.tolist(), one.gold.tolist(), one.pred.tolist()]
            for one in (*found.errors, *found.units)
        ]

    known = gathered([], 1)
    for joints in (1, 2, 5):
        assert gathered([rng.randrange(301) for _ in range(rng.randint(5, 60))], joints) == known


def test_one_unit_is_held_however_large_it_is() -> None:
    whole = outcomes([["B-A", "O"] * 50, ["O"]], [["O", "O"] * 50, ["B-A"]])
    held = HeldUnits(1, budget=5, per_kind=0)
    held.add((whole,))
    assert len(held.outcomes().units[0].units) == 1


def test_ids_count_and_not_the_order() -> None:
    names = ["a", "b", "ü"]
    keys = keys_of(Units(3, ids=names))
    assert keys_of(Units(3, ids=names[::-1])).tolist() == keys.tolist()[::-1]
    assert keys_of(Units(2, first=5)).tolist() == keys_of(Units(7)).tolist()[5:]


@pytest.fixture
def sampled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Explain two systems on 400 sentences, of which about 100 are held."""
    monkeypatch.setattr(held_units, "HELD", 600)
    monkeypatch.setattr(held_units, "PER_KIND", 5)
    rng = random.Random(0)
    sides: dict[str, list[str]] = {"gold": [], "old": [], "new": []}
    for _ in range(400):
        words = [rng.choice(["Ann", "lives", "in", "Rome"]) for _ in range(4)]
        gold = [rng.choice(["B-PER", "B-LOC", "O", "O"]) for _ in words]
        for name, share in (("gold", 0.0), ("old", 0.4), ("new", 0.2)):
            tags = [rng.choice(["B-PER", "O"]) if rng.random() < share else tag for tag in gold]
            sides[name].append("".join(f"{w} {t}\n" for w, t in zip(words, tags, strict=True)))
    for name, own in sides.items():
        (tmp_path / f"{name}.conll").write_text("\n".join(own))
    return karatage.explain(
        tmp_path / "gold.conll", {name: tmp_path / f"{name}.conll" for name in ("old", "new")}, diff=True, resamples=20
    )


def test_a_sample_is_called_one(sampled: Any) -> None:
    """In the terminal, in JSON and on the page, with both numbers."""
    old = sampled["old"]
    whole = old.result.errors()
    assert old.error_count == whole.height > old.listed == old.outcomes.wrong.sum()
    assert old.details == old.result.details
    assert old.kinds == old.result.kinds
    text, page, told = str(sampled), sampled.to_html(), json.loads(sampled.to_json(errors=3))
    assert f"of a random sample ({old.listed:,} of {old.error_count:,} errors)" in " ".join(text.split())
    assert told["systems"]["old"]["errors_sampled"] == old.listed
    total = old.error_count + sampled["new"].error_count
    assert f"{old.listed + sampled['new'].listed:,} of {total:,} errors: a random sample" in page
    checked = sampled.suspects.checked
    assert 0 < checked < 400
    assert told["suspects"]["units_checked"] == checked
    assert told["suspects"]["units"] == 400
    for shown in (text, page):
        assert f"andom sample checked: {checked:,} of 400 sentences" in " ".join(shown.split())


def test_errors_are_listed_in_full_where_the_sample_is_too_small(sampled: Any) -> None:
    """Without a limit, and with one that it does not fill; a smaller limit does not read the files again."""
    old = sampled["old"]
    whole = old.result.errors()
    assert sampled.errors("old").drop("system").equals(whole)
    assert sampled.errors("old", limit=old.listed + 1).drop("system").equals(whole.head(old.listed + 1))
    held = sampled.errors("old", limit=old.listed).drop("system")
    assert held.height == old.listed
    assert not held.equals(whole.head(old.listed))


def test_changes_are_counted_in_full_and_listed_in_part(sampled: Any) -> None:
    """Fixed and in both are the old system's errors, broken and in both the new one's; the list is a sample."""
    found = sampled.changes
    assert found.fixed + found.kept == sampled["old"].error_count
    assert found.broken + found.kept == sampled["new"].error_count
    assert found.by_detail["fixed"].sum() == found.by_label["fixed"].sum() == found.fixed
    assert 0 < found.frame.height < found.fixed + found.broken
    assert sampled.to_dict()["changes"]["changes_sampled"] == found.frame.height
    assert (
        f"of a random sample of {found.frame.height:,} of {found.fixed + found.broken:,} changes" in sampled.to_html()
    )


def test_all_errors_are_exported_nevertheless(sampled: Any, tmp_path: Path) -> None:
    place = tmp_path / "errors.parquet"
    total = sum(system.error_count for system in sampled.systems.values())
    assert sampled.export(place) == total
    written = pl.read_parquet(place)
    for name in ("old", "new"):
        own = written.filter(pl.col("system") == name).drop("system")
        assert own.equals(sampled[name].result.errors())
    assert sampled.export(place, kind="missed", text="rome") == (
        pl.concat([sampled[name].result.errors("missed") for name in ("old", "new")])
        .filter(pl.concat_str("before", "at", "after").str.to_lowercase().str.contains("rome"))
        .filter(pl.col("detail") == "missed")
        .height
    )


def test_a_small_test_set_says_nothing_of_samples() -> None:
    found = karatage.explain([["B-A", "O"]] * 30, [["O", "B-A"]] * 30, resamples=0)
    assert "sample" not in found.to_json(errors=5)
    assert "sample" not in str(found)
