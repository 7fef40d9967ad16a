"""Recall benchmarks: draw a sample of a corpus, label it, and estimate the recall of taggers on the whole.

The way of the data: `draw` → labels → `import_labels` → `Benchmark` → `estimate` → `Board`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from karatage.recall.benchmark import Benchmark, Positive, Stratum
    from karatage.recall.board import Board, Entry, put, read_board, read_result, reweighted
    from karatage.recall.drawing.draw import Draw, draw, read_draw
    from karatage.recall.drawing.expressions import Pattern, WordList
    from karatage.recall.estimates import Estimate, estimate_results
    from karatage.recall.evaluation import estimate
    from karatage.recall.labels.answers import Export
    from karatage.recall.labels.labelling import Labelled, adjudicate, import_labels
    from karatage.recall.layout import read_benchmark, write_benchmark
    from karatage.recall.linting import Finding, lint
    from karatage.recall.planning import Guess, LabelPlan, guesses_from, plan_labels
    from karatage.recall.precision import Precision, read_precision
    from karatage.recall.tax import Tax, tokenisation_tax

__all__ = [
    "Benchmark",
    "Board",
    "Draw",
    "Entry",
    "Estimate",
    "Export",
    "Finding",
    "Guess",
    "LabelPlan",
    "Labelled",
    "Pattern",
    "Positive",
    "Precision",
    "Stratum",
    "Tax",
    "WordList",
    "adjudicate",
    "draw",
    "estimate",
    "estimate_results",
    "guesses_from",
    "import_labels",
    "lint",
    "plan_labels",
    "put",
    "read_benchmark",
    "read_board",
    "read_draw",
    "read_precision",
    "read_result",
    "reweighted",
    "tokenisation_tax",
    "write_benchmark",
]

_HOMES = {
    "Benchmark": "benchmark",
    "Board": "board",
    "Draw": "drawing.draw",
    "Entry": "board",
    "Estimate": "estimates",
    "Export": "labels.answers",
    "Finding": "linting",
    "Guess": "planning",
    "LabelPlan": "planning",
    "Labelled": "labels.labelling",
    "Pattern": "drawing.expressions",
    "Positive": "benchmark",
    "Precision": "precision",
    "Stratum": "benchmark",
    "Tax": "tax",
    "WordList": "drawing.expressions",
    "adjudicate": "labels.labelling",
    "draw": "drawing.draw",
    "estimate": "evaluation",
    "estimate_results": "estimates",
    "guesses_from": "planning",
    "import_labels": "labels.labelling",
    "lint": "linting",
    "plan_labels": "planning",
    "put": "board",
    "read_benchmark": "layout",
    "read_board": "board",
    "read_draw": "drawing.draw",
    "read_precision": "precision",
    "read_result": "board",
    "reweighted": "board",
    "tokenisation_tax": "tax",
    "write_benchmark": "layout",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"karatage.recall.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'karatage.recall' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
