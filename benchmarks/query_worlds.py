"""Made-up worlds of search: how good the results of queries are, and those of a second engine on the same queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class QueryWorld(NamedTuple):
    """How the values of queries are spread, and their true mean."""

    about: str
    draw: Callable[[np.random.Generator, int], np.ndarray]
    mean: float

    def both(self, rng: np.random.Generator, queries: int, share: float = 1.0) -> np.ndarray:
        """Return the values of two engines, which give the same results to half of the queries.

        The second one reaches a share of what it would reach.
        """
        one, other = self.draw(rng, queries), self.draw(rng, queries)
        return np.stack([one, share * np.where(rng.random(queries) < 0.5, one, other)])


QUERIES = {
    "zeros": QueryWorld(
        "15 % of the queries find nothing, the others lie around a half",
        lambda rng, n: np.where(rng.random(n) < 0.15, 0.0, rng.beta(2, 2, n)),
        0.85 * 0.5,
    ),
    "precision": QueryWorld(
        "ten results, each relevant with a chance that differs between queries",
        lambda rng, n: rng.binomial(10, rng.beta(1, 3, n)) / 10,
        1 / (1 + 3),
    ),
    "good": QueryWorld(
        "90 % of the queries are perfect",
        lambda rng, n: np.where(rng.random(n) < 0.9, 1.0, rng.beta(2, 2, n)),
        0.9 + 0.1 * 0.5,
    ),
    "poor": QueryWorld(
        "93 % of the queries find nothing",
        lambda rng, n: np.where(rng.random(n) < 0.93, 0.0, rng.beta(2, 2, n)),
        0.07 * 0.5,
    ),
}
