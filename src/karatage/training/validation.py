"""The judge of a training: what Karatage's own scoring says of a model's tags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from karatage.claims import Claims
from karatage.errors import UsageError
from karatage.profiles import Profile, get_profile, profile_names
from karatage.scoring import Result, score
from karatage.training.examples import sizes_of
from karatage.training.tagset import TagSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Judge:
    """Scores predictions for one set of gold claims.

    Attributes:
        gold: the gold claims.
        profile: the profile that scores.
        metric: the metric that decides.
        resampling: how intervals are made, as options of `karatage.score`.
        file: the profile's file, where it is not a built-in one.
    """

    gold: Claims
    profile: Profile
    metric: str
    resampling: Mapping[str, Any] = field(default_factory=dict)
    file: str | None = None

    @classmethod
    def make(cls, gold: Claims, like: str, metric: str, **resampling: Any) -> Judge:
        """Check the names, so that a wrong one is found before training starts."""
        profile = get_profile(like)
        if profile.search:
            raise UsageError(f"the profile {profile.name} is for search, not for a tagger")
        name = metric or profile.headline
        if profile.metric(name).measure.counts_tokens:
            raise UsageError(
                f"the metric {name!r} counts tags, but a tagger is judged by its claims: choose another one"
            )
        return cls(gold, profile, name, resampling, None if like in profile_names() else like)

    def of_tags(self, tags: TagSet) -> Any:
        """Return what scores tag codes: the deciding metric, then those that the profile reports."""
        sizes = sizes_of(self.gold.units.tokens or [])

        def judge(codes: NDArray[np.int64]) -> dict[str, float]:
            return self.values(tags.claims(codes, self.gold.units, sizes))

        return judge

    def values(self, pred: Claims) -> dict[str, float]:
        """Return the metrics without intervals.

        If the one that decides is undefined, as without predictions, it counts as 0; others are left out then.
        """
        result = score(self.gold, pred, like=self.profile, resamples=0)
        found = {name: result[name].value for name in dict.fromkeys((self.metric, *self.profile.metrics))}
        found[self.metric] = found[self.metric] or 0.0
        return {name: value for name, value in found.items() if value is not None}

    def result(self, pred: Claims) -> Result:
        """Return the scores with intervals."""
        return score(self.gold, pred, like=self.profile, **self.resampling).compute()
