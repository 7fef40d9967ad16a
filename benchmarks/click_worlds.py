"""Invented users who click as in the position-based model, and invented interleaving experiments."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from karatage._arrays import Floats, Ints
from karatage.clicks.click_table import ClickTable

Curve = Floats

CURVES: dict[str, Curve] = {
    "1/rank": 1 / np.arange(1, 11.0),
    "1/√rank": np.arange(1, 11.0) ** -0.5,
    "steep": np.exp(-0.6 * np.arange(10)),
    "flat": np.ones(10),
    "grid": np.array([1, 0.95, 0.9, 0.6, 0.58, 0.55, 0.35, 0.33, 0.3, 0.28]),
}
"""How likely each of ten ranks is examined, relative to the first."""


@dataclass(frozen=True)
class ClickWorld:
    """Users of a search engine.

    Attributes:
        curve: examination by rank.
        sorted_by: how strongly the engine ranks by true attractiveness: 0 for not at all.
        shuffled: spread of the noise that moves documents between result lists; 0 always gives the same ranks.
        lists: number of result lists.
        queries: number of queries.
        documents: number of documents of a query.
        eager: spread of how readily sessions click, which makes their clicks alike.
        heavy: share of the sessions that are a hundred times as long as others.
        popular: whether few queries are asked most often.
    """

    curve: Curve
    sorted_by: float = 1.0
    shuffled: float = 1.0
    lists: int = 20_000
    queries: int = 100
    documents: int = 12
    eager: float = 0.0
    heavy: float = 0.0
    popular: bool = True

    def draw(self, rng: np.random.Generator) -> tuple[ClickTable, Floats]:
        """Return what was shown and clicked, and the attractiveness of each pair."""
        ranks = len(self.curve)
        truth = rng.beta(1.2, 5, (self.queries, self.documents))
        weight = 1 / np.arange(1, self.queries + 1) if self.popular else np.ones(self.queries)
        query = rng.choice(self.queries, self.lists, p=weight / weight.sum())
        session = self._sessions(rng)
        logit = np.log(truth / (1 - truth))[query]
        score = self.sorted_by * logit + self.shuffled * rng.gumbel(size=logit.shape)
        if not self.shuffled:
            score = score + 1e-3 * np.arange(self.documents)  # the same order every time
        shown = np.argsort(-score, axis=1)[:, :ranks]
        chance = np.take_along_axis(truth[query], shown, 1) * self.curve / self.curve[0]
        keen = rng.beta(1, 1, session.max() + 1) if self.eager else None
        if keen is not None:  # some sessions click twice as readily, others hardly ever: the mean stays as it is
            chance = np.minimum(chance * (1 + self.eager * (2 * keen[session] - 1))[:, None], 1.0)
        clicked = rng.random(chance.shape) < chance
        pair = query[:, None] * self.documents + shown
        rank = np.broadcast_to(np.arange(1, ranks + 1), shown.shape)
        own = np.broadcast_to(session[:, None], shown.shape)
        table = ClickTable(pair.ravel(), rank.ravel().copy(), own.ravel().copy(), clicked.ravel().astype(float))
        return table, truth.ravel()

    def _sessions(self, rng: np.random.Generator) -> Ints:
        sizes = session_sizes(rng, self.lists, self.heavy)
        return np.repeat(np.arange(len(sizes)), sizes)


def session_sizes(rng: np.random.Generator, lists: int, heavy: float = 0.0) -> Ints:
    """Draw how many result lists each session has, three on average, until there are so many."""
    sizes = rng.geometric(1 / 3, lists) * np.where(rng.random(lists) < heavy, 100, 1)
    many = int(np.searchsorted(np.cumsum(sizes), lists)) + 1
    sizes = sizes[:many]
    sizes[-1] -= int(sizes.sum()) - lists
    return np.asarray(sizes[sizes > 0], np.int64)


@dataclass(frozen=True)
class InterleavingWorld:
    """Sessions that compare two systems.

    Attributes:
        preference: share of the votes for the first system.
        alike: how much votes of one session depend on each other: a correlation.
        sizes: `one` vote in each session, `usual` for three on average, `pareto` for a long tail, `bot` for a session
            with a third of all votes.
    """

    preference: float = 0.5
    alike: float = 0.0
    sizes: str = "usual"

    def draw(self, rng: np.random.Generator, votes: int) -> tuple[Floats, Floats]:
        """Return the votes for each system in each session."""
        size = self._sizes(rng, votes)
        chance = np.full(len(size), self.preference)
        if self.alike:  # a beta-binomial distribution with this correlation
            scale = 1 / self.alike - 1
            chance = rng.beta(self.preference * scale, (1 - self.preference) * scale, len(size))
        first = rng.binomial(size, chance)
        return first.astype(float), (size - first).astype(float)

    def _sizes(self, rng: np.random.Generator, votes: int) -> Ints:
        if self.sizes == "one":
            return np.ones(votes, np.int64)
        if self.sizes == "pareto":
            drawn = np.minimum(np.ceil(rng.pareto(1.1, votes)), votes).astype(np.int64)
        elif self.sizes == "bot":
            drawn = np.concatenate([[votes // 3], rng.geometric(1 / 3, votes)])
        else:
            drawn = rng.geometric(1 / 3, votes)
        drawn = drawn[: int(np.searchsorted(np.cumsum(drawn), votes)) + 1]
        drawn[-1] -= int(drawn.sum()) - votes
        return np.asarray(drawn[drawn > 0], np.int64)


def write_ubi(table: ClickTable, documents: int, path: Path) -> int:
    """Write what was shown and clicked as UBI events, impressions before clicks; return how many there are."""
    import polars as pl

    lists = np.cumsum(np.concatenate([[False], table.rank[1:] <= table.rank[:-1]]))
    frame = pl.DataFrame(
        {
            "application": "shop",
            "action_name": "impression",
            "query_id": [f"list-{k}" for k in lists.tolist()],
            "session_id": [f"session-{k}" for k in table.session.tolist()],
            "client_id": "client",
            "timestamp": "2026-03-01T10:00:00.000Z",
            "message_type": "INFO",
            "user_query": [f"query {k}" for k in (table.pair // documents).tolist()],
            "event_attributes": [
                {"object": {"object_id": f"doc-{pair}"}, "position": {"ordinal": rank}}
                for pair, rank in zip(table.pair.tolist(), table.rank.tolist(), strict=True)
            ],
        }
    )
    clicks = frame.filter(pl.Series(table.clicked > 0)).with_columns(action_name=pl.lit("click"))
    whole = pl.concat([frame, clicks])
    whole.write_ndjson(path)
    return whole.height
