"""Price nDCG with other bins: by hand, as published, and as a table with intervals."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from tests.command import run

import karatage
from karatage.challenges.sigir_ecom19 import price_bins
from karatage.demo import data
from karatage.errors import UsageError
from karatage.metrics import Metric

FILES = tuple(data(f"sigir19/{name}.tsv") for name in ("ground_truth", "predictions", "documents"))
SECOND = 1 / math.log2(3)  # the weight of the second position; that of the third is 1/2


def value(folder: Path, metric: str) -> float:
    """Score a query with three relevant documents at 0, 1.2 and 3, of which the first is not shown."""
    (folder / "gold.tsv").write_text("d\tq\na\t1\nb\t1\nc\t1\n")
    (folder / "pred.tsv").write_text("d\tq\na\t-1\nb\t1\nc\t1\n")
    (folder / "docs.tsv").write_text("doc_id\tprice\na\t0\nb\t1.2\nc\t3\n")
    files = folder / "gold.tsv", folder / "pred.tsv"
    return float(karatage.score(*files, documents=folder / "docs.tsv", metrics=[metric], resamples=0).headline)


def test_values_by_hand(tmp_path: Path) -> None:
    """The gain of a document in bin 0, 1, 2 of two bins is 3, 2, 1 from low to high, and 1, 2, 3 from high to low."""
    # Two equal bins of 1.5: the prices are in the bins 0, 0 and 2.
    even = value(tmp_path, "PriceNDCG(order=rising, bins=2, growth=1)@10")
    assert even == pytest.approx((3 + 1 * SECOND) / (3 + 3 * SECOND + 1 / 2), abs=1e-15)
    # Bins of 1 and 2: the prices are in the bins 0, 1 and 2.
    grown = value(tmp_path, "PriceNDCG(order=rising, bins=2, growth=2)@10")
    assert grown == pytest.approx((2 + 1 * SECOND) / (3 + 2 * SECOND + 1 / 2), abs=1e-15)
    # From high to low, bins of 2 and 1: the prices are in the bins 0, 0 and 2; the list is 3, 1.2, 0.
    falling = value(tmp_path, "PriceNDCG(order=falling, bins=2, growth=2)@10")
    assert falling == pytest.approx((3 + 1 * SECOND) / (3 + 1 * SECOND + 1 / 2), abs=1e-15)


def test_the_published_bins_are_the_default() -> None:
    assert str(Metric.parse("PriceNDCG(order=rising, bins=5, growth=e)@10")) == "PriceNDCG(order=rising)@10"
    text = "PriceNDCG(order=falling, bins=3, growth=1.5)@10"
    assert str(Metric.parse(text)) == text
    found = price_bins(*FILES, bins=[3], growth=[1.25], resamples=0)
    published = next(row for row in found.rows if row.as_published)
    script = karatage.score(*FILES[:2], documents=FILES[2], resamples=0)
    assert published.rising.value == script["l2h_ndcg10"].value
    assert published.falling.value == script["h2l_ndcg10"].value
    assert [(row.bins, row.growth) for row in found.rows] == [(3, 1.25), (5, math.e)]


def test_every_row_has_intervals_in_both_directions() -> None:
    found = price_bins(*FILES, bins=[3, 10], growth=[1, math.e], resamples=200)
    assert len(found.rows) == 5
    for row in found.rows:
        for score in (row.rising, row.falling):
            assert score.low is not None
            assert score.high is not None
            assert score.low < float(score) < score.high
    values = [float(row.rising) for row in found.rows]
    assert found.spread("rising") == max(values) - min(values) > 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("PriceNDCG(bins=0)@10", "at least 1 bin"),
        ("PriceNDCG(growth=0.5)@10", "a growth of at least 1"),
        ("PriceNDCG(bins=60)@10", "too narrow"),
        ("PriceNDCG(bins=x)@10", "the number of price bins"),
        ("PriceNDCG(growth=much)@10", "the factor by which"),
    ],
)
def test_bins_that_cannot_be(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Metric.parse(text)


def test_the_command() -> None:
    files = ["-g", FILES[0], "-p", FILES[1], "-d", FILES[2]]
    out = json.loads(run("sigir19", *files, "--json").stdout)
    assert out["profile"] == "sigir-ecom19"
    assert out == json.loads(run("score", FILES[0], FILES[1], "--documents", FILES[2], "--json").stdout)
    long = ["--ground-truth-file", FILES[0], "--prediction-file", FILES[1], "--corrected", "--json"]
    assert json.loads(run("sigir19", *long).stdout)["profile"] == "sigir-ecom19-corrected"
    bins = json.loads(run("sigir19", *files, "--bins", "3,10", "--resamples", "50", "--json").stdout)
    assert [row["bins"] for row in bins["price_ndcg"]] == [3, 5, 10]
    assert set(bins["spread"]) == {"rising", "falling"}
    table = run("sigir19", *files, "--growth", "1,2,e", "--resamples", "0").stdout
    assert "as published" in table
    assert "interval" not in table


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--bins", "3,x"], "--bins takes whole numbers, not 'x'"),
        (["--bins", "2.5"], "--bins takes whole numbers, not '2.5'"),
        (["--growth", "x"], "--growth takes numbers, not 'x'"),
    ],
)
def test_wrong_options(options: list[str], message: str) -> None:
    done = run("sigir19", "-g", FILES[0], "-p", FILES[1], "-d", FILES[2], *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    without = run("sigir19", "-g", FILES[0], "-p", FILES[1], "--bins", "3")
    assert (without.returncode, "pass a documents file" in without.stderr) == (2, True)
