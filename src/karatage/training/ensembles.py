"""Ensembles: several models combined, by the mean of their probabilities or by majority vote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Self, get_args

import numpy as np
from numpy.typing import NDArray

from karatage._folders import make_folder
from karatage.claims import Units
from karatage.errors import InputError, UsageError, unknown
from karatage.training.examples import examples_of, sizes_of
from karatage.training.model_folder import ModelCard
from karatage.training.settings import option
from karatage.training.tagset import TagSet
from karatage.training.trained_tagger import TrainedTagger
from karatage.training.training_choices import Combination, TagScheme
from karatage.training.viterbi import best_path

ENSEMBLE = "ensemble"


@dataclass(frozen=True)
class EnsembleSettings:
    """How the members of an ensemble are combined."""

    by: Combination = option("mean", "The mean of their probabilities, or a majority vote.")
    scheme: TagScheme = option("IOB2", "Tags of a label, as in its members.")
    members: int = option(2, "The number of members.", least=1)
    device: str = option("auto", "Where neural members run: `auto`, `cpu` or `cuda`.")


class EnsembleLabeller:
    """Several models that label together, with their model cards."""

    def __init__(self, members: Sequence[TrainedTagger], tags: TagSet, settings: EnsembleSettings) -> None:
        self.members, self.tags, self.settings = tuple(members), tags, settings
        number = {tag: code for code, tag in enumerate(tags.tags)}
        # The code of each of a member's tags among all tags.
        self._codes = [np.array([number[tag] for tag in own.labeller.tags.tags], np.int64) for own in members]

    def label(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> NDArray[np.int64]:
        """Return the best tags of the mean, or of the entities that more than half of the members find."""
        if self.settings.by == "vote":
            return self._majority(tokens, groups)
        with np.errstate(divide="ignore"):
            scores = np.maximum(np.log(self.marginals(tokens, groups)), np.float32(-1e4))
        return best_path(scores, sizes_of(tokens), self.tags, groups)

    def marginals(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> NDArray[np.float32]:
        """Return the mean of the members' probabilities; a label that a member does not know has 0 there."""
        total = np.zeros((int(sizes_of(tokens).sum()), len(self.tags)), np.float32)
        for member, codes in zip(self.members, self._codes, strict=True):
            total[:, codes] += member.labeller.marginals(tokens, groups)
        return total / np.float32(len(self.members))

    def _majority(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> NDArray[np.int64]:
        sizes, units = sizes_of(tokens), Units(len(tokens), tokens=tokens)
        known = {label: number for number, label in enumerate(self.tags.labels)}
        found = []
        for member, codes in zip(self.members, self._codes, strict=True):
            claims = self.tags.claims(codes[member.labeller.label(tokens, groups)], units, sizes)
            label = np.array([known.get(name, -1) for name in claims.labels], np.int64)[claims.label]
            found.append(np.stack([claims.unit, claims.start, claims.end, label], 1))
        rows, votes = np.unique(np.concatenate(found), axis=0, return_counts=True)
        # More than half cannot agree on two entities that overlap.
        kept = rows[2 * votes > len(self.members)]
        claims = replace(
            self.tags.claims(np.zeros(int(sizes.sum()), np.int64), units, sizes),
            unit=kept[:, 0], start=kept[:, 1], end=kept[:, 2], label=kept[:, 3], labels=self.tags.labels,
        )  # fmt: skip
        return examples_of(claims, self.tags, "").codes

    def save(self, folder: Path) -> None:
        """Write each member into its own folder."""
        for number, member in enumerate(self.members, 1):
            own = folder / f"member-{number}"
            make_folder(own)
            member.write(own)

    @classmethod
    def load(cls, folder: Path, tags: TagSet, settings: EnsembleSettings) -> Self:
        """Read what `save` wrote."""
        folders = [folder / f"member-{number}" for number in range(1, settings.members + 1)]
        members = [TrainedTagger.load(own, device=settings.device) for own in folders]
        for member in members:
            if not set(member.card.labels) <= set(tags.labels):
                raise InputError("has labels that the ensemble does not have", source=member.folder)
        return cls(members, tags, settings)


def ensemble(members: Sequence[TrainedTagger], *, by: Combination = "mean") -> TrainedTagger:
    """Combine several taggers.

    Args:
        members: the taggers.
        by: `mean` for the best tags under the mean of their probabilities, `vote` for the entities that more than half
            of them find.

    The threshold of the ensemble is the mean of its members' thresholds.
    """
    if by not in get_args(Combination):
        raise unknown("combination", by, get_args(Combination))
    if len(members) < 2:
        raise UsageError("an ensemble needs at least two models")
    saved = [member for member in members if member.version]
    for one, other in combinations(saved, 2):
        if one.version == other.version:
            raise UsageError(f"{one.name} and {other.name} are the same model. Name each model once")
    cards = [member.card for member in members]
    groups: dict[str, set[str]] = {}
    for card in cards:
        for group, labels in card.by_group.items():
            groups.setdefault(group, set()).update(labels)
    for name in ("group_by", "words"):
        different = sorted({getattr(card, name) for card in cards})
        if len(different) > 1:
            raise UsageError(
                f"the models of an ensemble must have the same {name}, not {' and '.join(map(repr, different))}"
            )
    scheme = members[0].labeller.tags.scheme
    if any(member.labeller.tags.scheme != scheme for member in members):
        raise UsageError("the models of an ensemble must have the same tagging scheme, not IO and IOB2")
    tags = TagSet(
        tuple(sorted({label for card in cards for label in card.labels})),
        {group: frozenset(labels) for group, labels in sorted(groups.items())},
        scheme,
    )
    settings = EnsembleSettings(by=by, members=len(members), scheme=scheme)
    card = ModelCard(
        model=ENSEMBLE,
        settings={"by": settings.by, "members": settings.members, "scheme": settings.scheme},
        labels=tags.labels,
        by_group={group: tuple(sorted(labels)) for group, labels in tags.by_group.items()},
        group_by=cards[0].group_by,
        words=cards[0].words,
        threshold=fmean(card.threshold for card in cards),
        data=tuple({tuple(sorted(entry.items())): entry for card in cards for entry in card.data}.values()),
    )
    return TrainedTagger(EnsembleLabeller(members, tags, settings), card)
