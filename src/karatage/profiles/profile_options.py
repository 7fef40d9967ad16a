"""Which profile scores, and which of its decisions a call changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

from karatage._options import Option
from karatage.inputs import SchemeName, Separator, Suffix

if TYPE_CHECKING:
    from karatage.profiles.profile import Profile
else:
    Profile = object  # the real one loads NumPy, and the command line needs only the help

Like = Annotated[
    str | Path | Profile | None,
    Option(
        "Profile: a built-in one (see `karatage profiles`) or a TOML file. [default: depends on the format of gold]",
        names="karatage.profiles.profile_names",
    ),
]
RuleOption = Annotated[
    str | None, Option("Matching rule: which pairs of entities earn credit.", names="karatage.matching.rule_names")
]
Threshold = Annotated[float | None, Option("Minimum intersection over union, for the matching rule iou.")]
Labels = Annotated[Iterable[str] | None, Option("Score only these labels, comma-separated.")]
GroupBy = Annotated[str | None, Option("Report separately by this attribute, e.g. category.")]
Missing = Annotated[
    Literal["error", "empty", "ignore"] | None,
    Option(
        "How to handle gold sentences or queries without predictions, and samples of a log without a score (ignore: "
        "search and logs only)."
    ),
]
Extra = Annotated[
    Literal["error", "empty", "ignore"] | None,
    Option(
        "How to handle predicted sentences or queries that are not in gold: as sentences without gold entities "
        "(empty, not for search), or left out (ignore)."
    ),
]
Truncated = Annotated[
    Literal["error", "missed"] | None, Option("How to handle predictions that are shorter than their sentence.")
]
GroundOption = Annotated[
    Literal["none", "first", "all"] | None,
    Option(
        "Find predicted values without offsets in the text, and score them as spans: the first occurrence, or all. "
        "[default: none]"
    ),
]
Normalize = Annotated[
    Iterable[str] | None,
    Option(
        "What to ignore when values are compared or found in the text, comma-separated: case, space, unicode, "
        "punctuation.",
        names="karatage.matching.VALUE_FORMS",
    ),
]
Duplicates = Annotated[
    Literal["error", "dedupe"] | None,
    Option("How to handle duplicate gold entities, and duplicate rows of judgements or results (dedupe: count once)."),
]
Ties = Annotated[
    Literal["trec_eval", "expected"] | None,
    Option("How to order tied results: by document id, as in trec_eval, or averaged over all orders."),
]
Depth = Annotated[int | None, Option("Score only the first results of each query, this many; search only.")]
CheckText = Annotated[
    bool | None,
    Option("Do not check that gold and predictions have the same text.", flags=("--ignore-text",), sets=False),
]
Metrics = Annotated[
    str | Iterable[str] | None,
    Option("Metrics to report (see `karatage metrics`). The first is the headline, which decides ranks."),
]


@dataclass(frozen=True, kw_only=True)
class ProfileOptions:
    """Which profile scores, and which of its decisions a call changes; None leaves a decision as it is."""

    like: Like = None
    scheme: SchemeName = None
    separator: Separator = None
    suffix: Suffix = None
    match: RuleOption = None
    threshold: Threshold = None
    labels: Labels = None
    group_by: GroupBy = None
    missing: Missing = None
    extra: Extra = None
    truncated: Truncated = None
    ground: GroundOption = None
    normalize: Normalize = None
    duplicates: Duplicates = None
    ties: Ties = None
    depth: Depth = None
    check_text: CheckText = None
    metrics: Metrics = None

    def changes(self) -> dict[str, object]:
        """Return what the call changes, with lists of names as tuples."""
        given = {name: value for name, value in vars(self).items() if value is not None and name != "like"}
        return given | {name: _names(given[name]) for name in ("labels", "metrics", "normalize") if name in given}

    def metric_names(self) -> tuple[str, ...]:
        """Return the metrics to report; none stands for those of the profile."""
        return () if self.metrics is None else _names(self.metrics)


def _names(given: str | Iterable[str]) -> tuple[str, ...]:
    if isinstance(given, str):
        return (given,)
    return tuple(sorted(map(str, given)) if isinstance(given, set | frozenset) else map(str, given))


class ProfileKeywords(TypedDict, total=False):
    """The options of `ProfileOptions` as keywords."""

    like: Like
    scheme: SchemeName
    separator: Separator
    suffix: Suffix
    match: RuleOption
    threshold: Threshold
    labels: Labels
    group_by: GroupBy
    missing: Missing
    extra: Extra
    truncated: Truncated
    ground: GroundOption
    normalize: Normalize
    duplicates: Duplicates
    ties: Ties
    depth: Depth
    check_text: CheckText
    metrics: Metrics
