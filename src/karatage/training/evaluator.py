"""Scoring a model on validation or test data with Karatage's own metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from karatage.claims import Claims
from karatage.errors import UsageError
from karatage.metrics import TOKENS
from karatage.profiles import Profile, get_profile, profile_names
from karatage.scoring import Result, score
from karatage.stats import Resampling
from karatage.training.examples import sizes_of
from karatage.training.fit_context import TagScorer
from karatage.training.tagset import TagSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DEFAULT = Resampling()


@dataclass(frozen=True)
class Evaluator:
    """Scores predictions against gold.

    Attributes:
        metric: the metric that selects the best epoch, threshold or variant.
        profile_file: the profile's file, unless it is built in.
    """

    gold: Claims
    profile: Profile
    metric: str
    resampling: Resampling
    profile_file: str | None = None

    @classmethod
    def make(cls, gold: Claims, like: str, metric: str, resampling: Resampling = _DEFAULT) -> Evaluator:
        """Look up the profile and the metric, so that a wrong name is found before training starts."""
        profile = get_profile(like)
        if profile.search:
            raise UsageError(f"the profile {profile.name} is for search, not for taggers")
        name = metric or profile.headline
        if TOKENS in profile.metric(name).measure.needs:
            raise UsageError(f"the metric {name!r} scores tags. Choose one that scores entities, e.g. f1")
        return cls(gold, profile, name, resampling, None if like in profile_names() else like)

    def tag_scorer(self, tags: TagSet) -> TagScorer:
        """Return a function that scores tag codes: the selecting metric first, then those of the profile."""
        sizes = sizes_of(self.gold.units.tokens or [])

        def score_tags(codes: NDArray[np.int64]) -> dict[str, float]:
            return self.values(tags.claims(codes, self.gold.units, sizes))

        return score_tags

    def values(self, pred: Claims) -> dict[str, float]:
        """Return the metrics without intervals.

        If the selecting metric is undefined, e.g. without predictions, it counts as 0; others are left out.
        """
        result = score(self.gold, pred, like=self.profile, resamples=0)
        found = {name: result[name].value for name in dict.fromkeys((self.metric, *self.profile.metrics))}
        found[self.metric] = found[self.metric] or 0.0
        return {name: value for name, value in found.items() if value is not None}

    def result(self, pred: Claims) -> Result:
        """Return the scores with intervals."""
        how = self.resampling
        found = score(self.gold, pred, like=self.profile, resamples=how.resamples, level=how.level, seed=how.seed)
        return found.compute()
