"""`karatage metrics METRIC`: one metric, explained."""

from __future__ import annotations

import json

import pytest
from tests.command import run


@pytest.mark.parametrize("name", ["ERR", "err", "ERR@10", "ERR(max=3)@10"])
def test_one_metric_is_explained(name: str) -> None:
    done = run("metrics", name)
    assert done.returncode == 0
    assert "ERR(max=)[@k]" in done.stdout
    assert "the highest grade. Default: 4" in done.stdout
    assert "Chapelle et al. 2009" in done.stdout
    assert "nDCG" not in done.stdout


def test_a_metric_that_needs_a_cutoff_is_found_without_one() -> None:
    assert json.loads(run("metrics", "P", "--json").stdout)["metric"] == "P(rel=, judged_only=)@k"


def test_a_metric_of_counts_is_explained() -> None:
    assert json.loads(run("metrics", "macro_f1", "--json").stdout)["better"] == "higher"
    assert json.loads(run("metrics", "fpr", "--json").stdout)["better"] == "lower"


def test_a_misspelt_name_is_an_error_with_a_suggestion() -> None:
    done = run("metrics", "ERX")
    assert done.returncode == 2
    assert "unknown metric 'ERX'. Did you mean 'ERR'?" in done.stderr


def test_an_unknown_metric_is_an_error_with_a_suggestion() -> None:
    done = run("metrics", "nDGC@10")
    assert done.returncode == 2
    assert "unknown metric 'nDGC@10'" in done.stderr
    assert "nDCG" in done.stderr
