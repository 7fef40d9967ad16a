"""The demonstration of labelled documents: judgements, labels and prices as in the SIGIR eCom'19 challenge."""

from __future__ import annotations

import random
from collections.abc import Sequence

from karatage.demo.demo_titles import Title
from karatage.demo.engines import ENGINES, POOL, grade, queries

FOLDER = "sigir19"
_EVERY = 4
"""One query in four, so that the files stay small."""


def matrix_files(titles: Sequence[Title]) -> dict[str, str]:
    """Return the ground truth, the labels of one engine and the documents, each as a tab-separated table.

    The engine labels its first results as relevant. The first results of all engines are judged, and so is every title
    that is relevant.
    """
    asked = dict(list(queries(titles).items())[::_EVERY])
    first = {
        engine: {q: {name for name, _ in ranked(text, titles)[:POOL]} for q, (text, _, _) in asked.items()}
        for engine, ranked in ENGINES.items()
    }
    shown = first["expanded"]
    judged = {q: set.union(*(own[q] for own in first.values())) for q in asked}
    truth: list[list[str]] = []
    labels: list[list[str]] = []
    documents: list[list[str]] = []
    prices = random.Random(19)  # noqa: S311  no secrets here
    for title in titles:
        name, price = f"t{title.number}", _price(prices)
        relevant = {q: grade(title, model, kind) == 2 for q, (_, model, kind) in asked.items()}
        row = ["1" if relevant[q] else "-1" if name in judged[q] else "0" for q in asked]
        if set(row) != {"0"}:
            truth.append([name, *row])
            labels.append([name, *("1" if name in shown[q] else "-1" for q in asked)])
            documents.append([name, f"{price:.2f}", " ".join(title.tokens)])
    head = ["doc/query", *asked]
    tables = {"ground_truth": [head, *truth], "predictions": [head, *labels]}
    tables["documents"] = [["doc_id", "price", "title"], *documents]
    return {f"{FOLDER}/{name}.tsv": "".join("\t".join(row) + "\n" for row in rows) for name, rows in tables.items()}


def _price(rng: random.Random) -> float:
    """Draw a price: most are low, a few are high, and all end in 9."""
    return int(rng.lognormvariate(4, 0.7)) + rng.choice([0.49, 0.9, 0.99])
