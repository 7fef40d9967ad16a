"""The demonstration of search: queries for the titles, who is relevant to whom, and three small search engines."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from karatage.demo.demo_titles import BRAKE_PRODUCTS, MAKE, MODEL, TIMING_PRODUCTS, VEHICLES, Title

KINDS = {"1": "Bremsen", "2": "Zahnriemen"}
"""What a buyer calls the parts of each category."""

RESULTS = 20
POOL = 10
"""How many results an engine returns, and how many of them were judged even where they are not relevant."""


def files(titles: Sequence[Title]) -> dict[str, str]:
    """Return the judgements and the results of each engine as TREC's files, and a table of the queries."""
    asked = queries(titles)
    runs = {name: {q: engine(text, titles) for q, (text, _, _) in asked.items()} for name, engine in ENGINES.items()}
    out = {"search.qrels": _qrels(asked, runs, titles)}
    out["queries.tsv"] = "query_id\tquery\tkind\n" + "".join(
        f"{q}\t{text}\t{KINDS[kind]}\n" for q, (text, _, kind) in asked.items()
    )
    for name, found in runs.items():
        lines = [
            f"{q} Q0 {document} {rank} {score:.4f} {name}\n"
            for q, own in found.items()
            for rank, (document, score) in enumerate(own, 1)
        ]
        out[f"{name}.run"] = "".join(lines)
    return out


def queries(titles: Sequence[Title]) -> dict[str, tuple[str, str, str]]:
    """Return the text, the model and the category of each query: models that at least four titles of a category fit."""
    fits = Counter((model, title.category) for title in titles for model in _values(title, MODEL))
    chosen = sorted(pair for pair, count in fits.items() if count >= 4)
    return {f"q{k}": (f"{KINDS[kind]} {model}", model, kind) for k, (model, kind) in enumerate(chosen, 1)}


def grade(title: Title, model: str, category: str) -> int:
    """Return 2 for a part of that kind that fits the model, 1 for one that fits the make, else 0."""
    if title.category != category:
        return 0
    makes = {make for make, models in VEHICLES.items() if model in models}
    return 2 if model in _values(title, MODEL) else int(bool(makes & _values(title, MAKE)))


def _values(title: Title, wanted: str) -> set[str]:
    return {text for aspect, text in title.entities() if aspect == wanted}


def _qrels(
    asked: dict[str, tuple[str, str, str]], runs: dict[str, dict[str, list[tuple[str, float]]]], titles: Sequence[Title]
) -> str:
    lines = []
    for q, (_, model, category) in asked.items():
        pool = {document for own in runs.values() for document, _ in own[q][:POOL]}
        for title in titles:
            relevance = grade(title, model, category)
            if relevance or _name(title) in pool:
                lines.append(f"{q} 0 {_name(title)} {relevance}\n")
    return "".join(lines)


def _name(title: Title) -> str:
    return f"t{title.number}"


def bm25(query: str, titles: Sequence[Title]) -> list[tuple[str, float]]:
    """Rank titles by the words that they share with the query, the rarer the better (Robertson et al. 1994)."""
    words = [Counter(token.lower() for token in title.tokens) for title in titles]
    mean = sum(map(len, words)) / len(words)
    scores = [0.0] * len(titles)
    for word in query.lower().split():
        having = sum(word in own for own in words)
        rarity = math.log(1 + (len(titles) - having + 0.5) / (having + 0.5))
        for k, own in enumerate(words):
            scores[k] += rarity * own[word] * 2.2 / (own[word] + 1.2 * (0.25 + 0.75 * len(own) / mean))
    return _best(zip(map(_name, titles), scores, strict=True))


def trigrams(query: str, titles: Sequence[Title]) -> list[tuple[str, float]]:
    """Rank titles by the share of the query's runs of three characters that they have: misspellings hurt less."""
    wanted = _trigrams(query)
    scores = [len(wanted & _trigrams(" ".join(title.tokens))) / len(wanted) for title in titles]
    return _best(zip(map(_name, titles), scores, strict=True))


def expanded(query: str, titles: Sequence[Title]) -> list[tuple[str, float]]:
    """Do as `bm25` does, for a query that also names the parts that a buyer may mean."""
    kind, model = query.split(" ", 1)
    parts = BRAKE_PRODUCTS if kind == KINDS["1"] else TIMING_PRODUCTS
    words = dict.fromkeys(word for part in parts for word in part.lower().split())
    return bm25(" ".join([model, model, *words]), titles)


def _trigrams(text: str) -> set[str]:
    padded = f" {text.lower()} "
    return {padded[k : k + 3] for k in range(len(padded) - 2)}


def _best(scored: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    found = [(name, score) for name, score in scored if score > 0]
    return sorted(found, key=lambda pair: -pair[1])[:RESULTS]


ENGINES = {"bm25": bm25, "trigrams": trigrams, "expanded": expanded}
