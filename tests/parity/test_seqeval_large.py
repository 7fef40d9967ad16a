"""Corpora of many sentences, many types and long or treacherous names score exactly as in seqeval."""

from __future__ import annotations

import random
import warnings
from collections.abc import Sequence
from typing import Any

import pytest
import seqeval.metrics as their_metrics
import seqeval.metrics.sequence_labeling as their_labeling
import seqeval.scheme as their_scheme
from tests.parts import parts

import karatage.compat.seqeval.metrics as our_metrics
import karatage.compat.seqeval.metrics.sequence_labeling as our_labeling
import karatage.compat.seqeval.scheme as our_scheme

Corpus = tuple[list[list[str]], list[list[str]]]

# Names that a hash, a prefix of eight bytes or padding with NUL could take for each other.
ALIKE = ["PERSON", "PERSONX", "PERSONXY", "P", "PE", "ÜÜÜ", "ÜÜÜÜ", "Ü" * 40, "x" * 64, "x" * 63 + "y"]
ODD = ["P\0", "PERSON\0", "PERSO\nN", "\n", "PERSONXYZ"]
SHORT = ["PERSON", "P", "PE", "ÜÜÜ"]
MANY = [f"T{i}" for i in range(200)]


def make(types: list[str], seed: int, *, first: Sequence[str] = (), shortest: int = 1) -> Corpus:
    """Make 5,000 sentences; the types in `first` occur in the first thousand only."""
    rng = random.Random(seed)

    def tags(size: int, types: list[str]) -> list[str]:
        return [rng.choice(("O", f"B-{(kind := rng.choice(types))}", f"I-{kind}")) for _ in range(size)]

    gold, pred = [], []
    for at in range(5000):
        known = [*types, *first] if at < 1000 else types
        gold.append(tags(rng.randint(shortest, 5), known))
        pred.append(gold[-1] if rng.random() < 0.5 else tags(len(gold[-1]), known))
    return gold, pred


CORPORA: dict[str, Any] = {
    "few short names": {"types": ["A", "BB"]},
    "sentences without tokens": {"types": ["A", "BB"], "shortest": 0},
    "names that look alike": {"types": ALIKE},
    "odd names early on": {"types": SHORT, "first": ODD},
    "long names early on": {"types": SHORT, "first": ALIKE},
    "odd names everywhere": {"types": SHORT + ODD},
    "more tags than fit into a byte": {"types": MANY},
    "more tags than fit into a byte, early on": {"types": SHORT, "first": MANY},
}


@pytest.mark.parametrize("name", parts(CORPORA, 3))
def test_scores_and_reports_of_large_corpora(name: str) -> None:
    """Both modes give the numbers, the report and the entities of seqeval."""
    gold, pred = make(**CORPORA[name], seed=7)

    def everything(metrics: Any, labeling: Any, scheme: Any) -> list[Any]:
        return [
            metrics.f1_score(gold, pred),
            metrics.f1_score(gold, pred, mode="strict", scheme=scheme.IOB2),
            metrics.accuracy_score(gold, pred),
            metrics.performance_measure(gold, pred),
            metrics.classification_report(gold, pred, digits=12, zero_division=0),
            metrics.classification_report(gold, pred, digits=12, zero_division=0, mode="strict"),
            labeling.get_entities(gold),
        ]

    ours = everything(our_metrics, our_labeling, our_scheme)
    assert ours == everything(their_metrics, their_labeling, their_scheme)


def test_warnings_about_single_tags_in_a_large_corpus() -> None:
    """Each occurrence of a tag that is none is warned about once per reading, five readings in a report."""
    gold, pred = make(["A", "BB"], seed=8)
    gold[0], gold[-1], pred[-1] = ["PER", "o"], ["B_PER", "O"], ["O", "PER"]
    pred[0] = ["O", "O"]

    def texts(metrics: Any) -> list[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            metrics.classification_report(gold, pred)
        return [str(warning.message) for warning in caught if "NE tag" in str(warning.message)]

    ours = texts(our_metrics)
    assert ours == texts(their_metrics)
    assert len(ours) == 5 * 4
