"""How sure: resampling, intervals, paired tests, ranks, power."""

from karatage.stats.intervals import (
    METHODS,
    Resampling,
    Source,
    deviation,
    difference_interval,
    score_interval,
    with_intervals,
)
from karatage.stats.paired import Swaps, Values, bootstrap_p, differing, random_p, randomisation_p, welch
from karatage.stats.populations import Population
from karatage.stats.power import (
    POWER,
    check_power,
    implied_error,
    possible,
    resolvable,
    units_for_difference,
    units_for_margin,
    unpaired,
)
from karatage.stats.proportions import proportion
from karatage.stats.ranks import holm, shared_ranks
from karatage.stats.sampling import Influence, Sampler

__all__ = [
    "METHODS",
    "POWER",
    "Influence",
    "Population",
    "Resampling",
    "Sampler",
    "Source",
    "Swaps",
    "Values",
    "bootstrap_p",
    "check_power",
    "deviation",
    "difference_interval",
    "differing",
    "holm",
    "implied_error",
    "possible",
    "proportion",
    "random_p",
    "randomisation_p",
    "resolvable",
    "score_interval",
    "shared_ranks",
    "units_for_difference",
    "units_for_margin",
    "unpaired",
    "welch",
    "with_intervals",
]
