"""The evidence on each proposed change, added up.

The score of a suspect is `1 / (1 + exp(-x))` with::

    x = log-odds of a prior rate of errors + a * consistency + b * systems + c * oddity

Each of the three is the log of how much likelier the proposal is than gold, from smoothed counts over the rest of the
corpus. Adding them takes them as independent, which they are not, so their weights a, b and c are learned on a trial:
see `gold_trial`. They are 1 on average, and the prior is a guess. So the score orders the list: it is not the
probability that gold is wrong.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from karatage._arrays import Floats
from karatage.claims import TokenColumn
from karatage.explanation.gold_check.entity_columns import GoldData
from karatage.explanation.gold_check.gold_trial import weights_of_evidence
from karatage.explanation.gold_check.proposal_evidence import ProposalEvidence
from karatage.explanation.gold_check.token_rows import TokenRows

PRIOR = 0.02
"""The share of claims that is taken to be wrong before anything is looked at."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoredProposals(ProposalEvidence):
    """Proposed changes with their evidence, best first, no two of them at one place.

    Attributes:
        total: the sum of the weighted evidence with the prior's log-odds.
    """

    total: Floats

    @property
    def score(self) -> Floats:
        """What ranks the list, from 0 to 1."""
        out: Floats = 1 / (1 + np.exp(-self.total))
        return out


def weigh(
    data: GoldData, tokens: TokenColumn | None, evidence: Collection[str], limit: int | None, least: float
) -> ScoredProposals:
    """Gather the proposed changes and add up their evidence."""
    token_rows = TokenRows.of(data, tokens)
    every = ProposalEvidence.of(data, token_rows, evidence)
    total: Floats = every.columns @ weights_of_evidence(data, token_rows, evidence)
    order = every.proposals.ranked(data.gold, total, _odds(least) - _odds(PRIOR))[:limit]
    return ScoredProposals(**every.taken(order), total=total[order] + _odds(PRIOR))


def _odds(share: float) -> float:
    return float(np.log(share / (1 - share)))
