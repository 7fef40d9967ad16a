"""A small run of the benchmark: planted errors come first."""

import numpy as np
from benchmarks.gold_check import answer, baseline, entries, figures, hits, make, outcomes, spoil

from karatage.explanation.gold_check import check_gold


def test_planted_errors_rank_high() -> None:
    world = make(1000, 11)
    gold, planted = spoil(world, 12)
    systems = answer(world, 13)
    found = outcomes(world, gold, systems)
    both = entries(check_gold(found))
    measured = figures(both, planted)
    # On four corpora of this size, 0.62 to 0.81 and 0.68 to 0.86 were measured, and 0.09 to 0.16 for the simple list.
    assert measured.full > 0.4
    assert measured.average > 0.4
    assert measured.average > 2 * figures(baseline(gold, systems, 0), planted).average
    assert figures(entries(check_gold(found, evidence=["gold"])), planted).average > 0.3
    # In random order, what finds an error would stand in the middle of the list on average; 0.13 to 0.21 was measured.
    places = np.flatnonzero(hits(both, planted)[0] >= 0)
    assert places.mean() < len(both) / 3
