"""How confidence intervals are made: the options of resampling, declared once."""

from __future__ import annotations

import operator
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Annotated, Any, Literal, TypedDict, get_args

from karatage._options import Option
from karatage.errors import UsageError, unknown

IntervalMethod = Literal["auto", "wilson", "percentile", "bca", "t", "clopper-pearson", "jeffreys"]
"""`auto` is `wilson` for scores and `t` for differences, which simulation shows to hold their level; `wilson` is
Wilson's interval for a proportion, of as many independent trials as the units are worth; `t` is the value ± its
standard error times the quantile of Student's t; `percentile` is the middle of the values on resamples (Efron 1979),
and `bca` corrects it for bias and skewness (Efron 1987); `clopper-pearson` and `jeffreys` are intervals for a binomial
proportion, for precision and recall."""

QUANTILES = ("percentile", "bca")
"""Methods whose interval consists of quantiles of the resampled values."""

Resamples = Annotated[int, Option("Number of resamples, for intervals that need them; 0 turns intervals off.", least=0)]
Level = Annotated[float, Option("Confidence level.")]
Seed = Annotated[int, Option("Random seed.", least=0)]
IntervalOption = Annotated[IntervalMethod, Option("Interval method.")]
ClusterBy = Annotated[
    str | None,
    Option(
        "Attribute whose values are clusters: units with the same value go together. `auto` takes documents, if gold "
        "has any; `none` treats all units as independent."
    ),
]
StratifyBy = Annotated[str | None, Option("Units were sampled by this attribute in fixed numbers, e.g. category.")]

AUTO = "auto"
"""Clusters are documents, where gold knows them."""

DOCUMENT = "document"
"""The attribute of units that names their document."""

MOST = 1_000_000

LEVEL = 0.95
"""The confidence level where none is given, everywhere."""

ASSURANCE = 0.8
"""How probable it is that a plan reaches its goal, where nothing else is asked for."""


MOST_SURE = 0.999999
"""The highest confidence level."""


@dataclass(frozen=True)
class Resampling:
    """How confidence intervals are made."""

    resamples: Resamples = 1000
    level: Level = LEVEL
    seed: Seed = 0
    interval: IntervalOption = "auto"
    cluster_by: ClusterBy = AUTO
    stratify_by: StratifyBy = None

    @property
    def draws(self) -> bool:
        """Whether intervals are made of resamples."""
        return self.interval in QUANTILES

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes of units that decide what is drawn."""
        return tuple(name for name in (self.stratify_by, self.cluster_by) if name not in (None, AUTO))

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", check_level(self.level))
        for name in ("resamples", "seed"):
            object.__setattr__(self, name, _whole(name, getattr(self, name)))
        if self.resamples < 0 or self.resamples == 1:
            raise UsageError(f"resamples must be 0 (no intervals) or at least 2, not {self.resamples}")
        if self.resamples > MOST:
            raise UsageError(f"resamples must be at most {MOST:,}, not {self.resamples:,}")
        if self.seed < 0:
            raise UsageError(f"the seed must be a whole number from 0, not {self.seed}")
        if str(self.interval) not in get_args(IntervalMethod):
            raise unknown("interval method", str(self.interval), get_args(IntervalMethod))
        for name in ("cluster_by", "stratify_by"):
            if not isinstance(getattr(self, name), str | None):
                raise UsageError(f"{name} must be the name of an attribute, not {getattr(self, name)!r}")
        if self.cluster_by == "none":
            object.__setattr__(self, "cluster_by", None)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, in the shape that `--json` prints."""
        return {"method" if name == "interval" else name: value for name, value in asdict(self).items()}


def check_level(level: object) -> float:
    """Refuse an invalid confidence level."""
    number: Any = level if isinstance(level, Real) else float("nan")
    if not 0 < number < 1:
        raise UsageError(f"the confidence level must be between 0 and 1, e.g. 0.95, not {level}")
    if not 1e-6 <= number <= MOST_SURE:
        raise UsageError(f"the confidence level must be between 0.000001 and 0.999999, not {level}")
    return float(number)


def _whole(name: str, value: object) -> int:
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise UsageError(f"{name} must be a whole number, not {value!r}") from None


class ResamplingKeywords(TypedDict, total=False):
    """The options of `Resampling` as keywords; functions name `resamples` themselves, as their defaults differ."""

    level: Level
    seed: Seed
    interval: IntervalOption
    cluster_by: ClusterBy
    stratify_by: StratifyBy
