"""The options of judgements from clicks, declared once. Imports nothing heavy: the command line is made from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Literal, TypedDict

from karatage._options import Option
from karatage.errors import UsageError
from karatage.stats import LEVEL, Level, check_level

CLICKS = ("click", "item_click", "product_click", "result_click")
IMPRESSIONS = ("impression", "item_impression", "product_impression")
CUTS = (0.1, 0.2, 0.4)

BiasChoice = Literal["auto", "pbm", "ctr"]

ClickActions = Annotated[
    Sequence[str],
    Option(f"Action names of clicks, separated by commas. [default: {','.join(CLICKS)}]", flags=("--click",)),
]
ImpressionActions = Annotated[
    Sequence[str],
    Option(
        f"Action names of impressions, separated by commas. [default: {','.join(IMPRESSIONS)}]", flags=("--impression",)
    ),
]
Application = Annotated[str | None, Option("Use only the records of this application.")]
MaxSession = Annotated[int | None, Option("Leave out sessions with more result lists than this, e.g. bots.", least=1)]
FoldQueries = Annotated[
    bool,
    Option("Join queries that differ only in upper case, blanks, underscores or Unicode form."),
]
Bias = Annotated[
    BiasChoice,
    Option(
        "Position bias: pbm for the position-based model, ctr for click rates by rank, which assume equally relevant "
        "documents at all ranks; auto takes pbm if it can be identified."
    ),
]
MinImpressions = Annotated[int, Option("Fewest impressions of a document that is judged.", least=1)]
Cuts = Annotated[
    Sequence[float],
    Option(
        "Attractiveness at which each grade from 1 starts, separated by commas. "
        f"[default: {','.join(f'{cut:g}' for cut in CUTS)}]"
    ),
]


@dataclass(frozen=True, kw_only=True)
class ClickOptions:
    """How a click log is read, and how documents are judged by it."""

    clicks: ClickActions = CLICKS
    impressions: ImpressionActions = IMPRESSIONS
    application: Application = None
    max_session: MaxSession = None
    fold_queries: FoldQueries = False
    bias: Bias = "auto"
    min_impressions: MinImpressions = 20
    cuts: Cuts = CUTS
    level: Level = LEVEL

    def __post_init__(self) -> None:
        check_level(self.level)
        for name in ("clicks", "impressions"):
            given = getattr(self, name)
            names = (given,) if isinstance(given, str) else tuple(given)
            if not names or not all(isinstance(one, str) and one for one in names):
                raise UsageError(f"{name} must be the names of actions, not {given!r}")
            object.__setattr__(self, name, names)
        if both := set(self.clicks) & set(self.impressions):
            raise UsageError(f"{min(both)!r} cannot be both a click and an impression")
        if self.bias not in ("auto", "pbm", "ctr"):
            raise UsageError(f"unknown bias {self.bias!r}. Known: auto, pbm, ctr")
        for name in ("min_impressions", "max_session"):
            number = getattr(self, name)
            if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 1):
                raise UsageError(f"{name} must be a whole number from 1, not {number!r}")
        object.__setattr__(self, "cuts", _rising(self.cuts))


class ClickKeywords(TypedDict, total=False):
    """The same options, as type checkers read them."""

    clicks: ClickActions
    impressions: ImpressionActions
    application: Application
    max_session: MaxSession
    fold_queries: FoldQueries
    bias: Bias
    min_impressions: MinImpressions
    cuts: Cuts
    level: Level


def _rising(given: Sequence[float]) -> tuple[float, ...]:
    try:
        cuts = tuple(float(cut) for cut in given)
    except (TypeError, ValueError):
        cuts = ()
    if not cuts or not all(0 < cut <= 1 for cut in cuts) or any(a >= b for a, b in pairwise(cuts)):
        shown = ",".join(map(str, given)) if isinstance(given, Sequence) else given
        raise UsageError(f"cuts must rise from above 0 to at most 1, e.g. 0.1,0.2,0.4, not {shown!r}")
    return cuts
