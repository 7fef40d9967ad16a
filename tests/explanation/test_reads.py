"""`explain` parses each of its files once, however many systems there are and whatever is shown."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import karatage
from karatage.demo import data
from karatage.formats import Format, ReadOptions, Source, get_format


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count how often a parser starts on each file."""
    counts: Counter[str] = Counter()

    def counted(one: Format) -> Any:
        parse = one.read

        def read(source: Source, options: ReadOptions) -> Iterator[Any]:
            counts[Path(source.name).name] += 1
            return parse(source, options)

        return read

    for one in map(get_format, ("conll", "trec-qrels", "trec-run")):
        monkeypatch.setitem(vars(one), "read", counted(one))
    return counts


def test_two_extractors_and_a_page(reads: Counter[str]) -> None:
    """Gold, two systems and the training data: one parse each for scores, comparison, errors, changes and the page."""
    systems = {"old": data("lexicon.conll"), "new": data("context.conll")}
    found = karatage.explain(data("gold.conll"), systems, diff=True, train=data("shape.conll"), resamples=20)
    once = dict.fromkeys(("gold.conll", "lexicon.conll", "context.conll", "shape.conll"), 1)
    assert reads == once
    assert "Gold check" in found.to_html()
    assert json.loads(found.to_json(errors=1))["changes"]["fixed"] == 779
    assert str(found)
    assert reads == once, "a view read a file"


def test_a_scheme_that_is_detected(reads: Counter[str]) -> None:
    """Detecting the tagging scheme costs no reading of its own."""
    karatage.explain(data("gold.conll"), data("context.conll"), scheme="detect", resamples=0, check=False)
    assert reads == {"gold.conll": 1, "context.conll": 1}


def test_two_search_engines_and_a_page(reads: Counter[str]) -> None:
    systems = {"a": data("bm25.run"), "b": data("expanded.run")}
    found = karatage.explain(data("search.qrels"), systems, queries=data("queries.tsv"), resamples=20)
    once = {"search.qrels": 1, "bm25.run": 1, "expanded.run": 1}
    assert reads == once
    assert found.to_html()
    assert found.to_json()
    assert str(found)
    assert reads == once, "a view read a file"
