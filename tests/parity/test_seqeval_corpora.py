"""On 10,000 random corpora every function of the compat face answers, warns and raises exactly as seqeval."""

from __future__ import annotations

import math
import random
import warnings
from itertools import chain
from typing import Any

import numpy as np
import pytest
import seqeval.metrics.sequence_labeling as their_metrics
import seqeval.metrics.v1 as their_v1
import seqeval.scheme as their_scheme
from tests.parts import parts

import karatage.compat.seqeval.metrics.sequence_labeling as our_metrics
import karatage.compat.seqeval.metrics.v1 as our_v1
import karatage.compat.seqeval.scheme as our_scheme

CORPORA = 10_000
BATCHES = 20

SCHEMES = ("IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU")
PREFIXES = {"IOB1": "IOB", "IOB2": "IOB", "IOE1": "IOE", "IOE2": "IOE", "IOBES": "IOBES", "BILOU": "BILOU"}
TYPES = ("PER", "LOC", "X", "A-B", "_", "Käse", "weighted avg", "a rather long name of a type")
HOSTILE = (
    *("PER", "ORG", "o", "0", "b-PER", "B_PER", "B", "I", "E", "S", "L", ".", "-", "--", "B-", "-B", "B- "),
    *("B--X", "X--B", "U-X", "L-X", ".-X", "X-.", "O-X", "X-O", "I-日本", "B-X\n", "B-X\0", "\n", "\ud800"),
)
BROKEN: tuple[Any, ...] = ("", None, 3, 0.5, b"B-X", ["B-X"], ("B-X",), np.str_("B-X"), np.str_("XY"))


def make_tag(rng: random.Random, letters: str, types: tuple[str, ...], suffix: bool, delimiter: str) -> str:
    letter = rng.choice(letters + "O")
    if letter == "O":
        return "O"
    kind = rng.choice(types)
    return f"{kind}{delimiter}{letter}" if suffix else f"{letter}{delimiter}{kind}"


def make_corpus(rng: random.Random, scheme: str, suffix: bool, delimiter: str) -> tuple[Any, Any]:
    """Make gold and predictions that agree in part; some with tags or shapes that nobody should pass."""
    letters, types = PREFIXES[scheme], tuple(rng.sample(TYPES, rng.randint(1, 3)))
    if rng.random() < 0.1:
        letters = rng.choice(("BIOESUL", "O", "I", "S"))
    hostile = rng.choice((0, 0, 0, 0.1, 0.5))
    broken = rng.choice((0,) * 9 + (0.1,))

    def tag() -> Any:
        if rng.random() < hostile:
            return rng.choice(HOSTILE)
        if rng.random() < broken:
            return rng.choice(BROKEN)
        return make_tag(rng, letters, types, suffix, delimiter)

    low = 0 if rng.random() < 0.2 else 1
    y_true: Any = [[tag() for _ in range(rng.randint(low, 7))] for _ in range(rng.randint(1, 4))]
    noise = rng.choice((0, 0.1, 0.5, 1))
    y_pred: Any = [[tag() if rng.random() < noise else old for old in row] for row in y_true]
    shape = rng.random()
    if shape < 0.02:
        y_pred[-1].append("O")
    elif shape < 0.04:
        y_pred.pop()
    elif shape < 0.05:
        y_true, y_pred = (list(chain.from_iterable(side)) for side in (y_true, y_pred))
    elif shape < 0.06:
        y_true, y_pred = tuple(y_true), tuple(y_pred)
    elif shape < 0.07:
        y_true, y_pred = ([tuple(row) for row in side] for side in (y_true, y_pred))
    elif shape < 0.08:
        y_pred = rng.choice(([], None, "B-X", [None], [y_pred], {"B-X": 1}))
    elif shape < 0.09:
        y_true = y_pred = rng.choice(([], [[]], [[], []]))
    return y_true, y_pred


def make_calls(rng: random.Random, scheme: str, suffix: bool, delimiter: str) -> list[tuple[str, str, dict[str, Any]]]:
    """Choose calls: module, function and options; a scheme is named, for each side has classes of its own."""
    zero = rng.choice(("warn", "warn", 0, 1, math.nan, 0.5))
    weight = rng.choice((None, [1, 2]))
    average = rng.choice((None, "micro", "macro", "weighted", "micro", "macro", "weighted", "samples"))
    named = rng.choice((scheme, scheme, scheme, None, "Token", "Own"))
    common: dict[str, Any] = {"suffix": suffix, "zero_division": zero, "sample_weight": weight}
    support = common | {"average": average, "beta": rng.choice((1.0, 1.0, 0.5, 2, math.inf, 0, -1))}
    if rng.random() < 0.2:
        support["warn_for"] = rng.choice((("f-score",), ("recall",), {"precision"}, ("recall", "f-score"), ()))
    report = common | {"digits": rng.choice((0, 2, 4, 20)), "output_dict": rng.random() < 0.5}
    function = rng.choice(("f1_score", "precision_score", "recall_score"))
    return [
        ("metrics", function, common | {"average": average, "mode": None, "scheme": named}),
        ("metrics", function, common | {"average": average, "mode": "strict", "scheme": named}),
        (
            "metrics",
            "classification_report",
            report | {"mode": rng.choice((None, "strict", "Strict")), "scheme": named},
        ),
        ("v1", "classification_report", report | {"scheme": named}),
        rng.choice(
            (
                ("metrics", "precision_recall_fscore_support", support),
                ("v1", "precision_recall_fscore_support", support | {"scheme": named, "delimiter": "_"}),
                ("metrics", "accuracy_score", {}),
                ("metrics", "performance_measure", {}),
                ("v1", "unique_labels", {"scheme": named, "suffix": suffix}),
                ("v1", "check_consistent_length", {}),
            )
        ),
        rng.choice(
            (
                ("metrics", "get_entities", {"suffix": suffix}),
                ("scheme", "auto_detect", {"suffix": suffix, "delimiter": delimiter}),
                ("scheme", "Entities", {"suffix": suffix, "delimiter": delimiter, "scheme": named}),
            )
        ),
    ]


class Side:
    """One implementation's modules, and a scheme of the user's own on top of it."""

    def __init__(self, metrics: Any, v1: Any, scheme: Any) -> None:
        self.metrics, self.v1, self.scheme = metrics, v1, scheme
        prefix, tag = scheme.Prefix, scheme.Tag

        class Own(scheme.IOB2):  # type: ignore[misc]
            allowed_prefix = prefix.ANY
            start_patterns = {(prefix.ANY, prefix.B | prefix.S, tag.ANY), (prefix.O, prefix.I, tag.DIFF)}  # noqa: RUF012

        self.own = Own

    def call(self, module: str, function: str, options: dict[str, Any], y_true: Any, y_pred: Any) -> Any:
        options = dict(options)
        if options.get("scheme"):
            options["scheme"] = self.own if options["scheme"] == "Own" else getattr(self.scheme, options["scheme"])
        one_sided = function in ("get_entities", "auto_detect", "Entities")
        result = getattr(getattr(self, module), function)(y_true, *(() if one_sided else (y_pred,)), **options)
        if function == "auto_detect":
            return result.__name__
        if function == "Entities":
            return [[entity.to_tuple() for entity in row] for row in result.entities], str(result.entities)
        return result


THEIRS = Side(their_metrics, their_v1, their_scheme)
OURS = Side(our_metrics, our_v1, our_scheme)


def outcome(side: Side, *call: Any) -> tuple[Any, ...]:
    """Return what came back or what was raised, and every warning in order."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result: tuple[Any, ...] = ("returned", exactly(side.call(*call)))
        except Exception as error:
            result = ("raised", type(error), str(error))
    return (*result, [(warning.category, str(warning.message)) for warning in caught])


def exactly(value: Any) -> Any:
    """Make a value comparable with `==`, types and NaN included."""
    if isinstance(value, np.ndarray):
        return "array", value.dtype, [exactly(x) for x in value.tolist()]
    if isinstance(value, dict):
        return [(key, exactly(x)) for key, x in value.items()]
    if isinstance(value, tuple | list):
        return type(value), [exactly(x) for x in value]
    return type(value), "nan" if isinstance(value, float) and math.isnan(value) else value


@pytest.mark.parametrize("batch", parts(BATCHES, 3))
def test_every_answer_warning_and_exception_is_seqevals(batch: int) -> None:
    """Results are equal to the last bit, report texts too, warnings and exceptions by type and text."""
    for seed in range(batch, CORPORA, BATCHES):
        rng = random.Random(seed)
        scheme, suffix = SCHEMES[seed % len(SCHEMES)], rng.random() < 0.25
        delimiter = rng.choice(("-", "-", "-", "_", "/", ""))
        y_true, y_pred = make_corpus(rng, scheme, suffix, delimiter)
        for call in make_calls(rng, scheme, suffix, delimiter):
            theirs, ours = (outcome(side, *call, y_true, y_pred) for side in (THEIRS, OURS))
            assert ours == theirs, f"seed {seed}: {call} on {y_true!r} and {y_pred!r}"
