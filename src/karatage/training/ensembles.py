"""Several models as one: by the mean of their probabilities, or by votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from karatage.claims import Units
from karatage.errors import InputError, UsageError
from karatage.training.examples import examples_of, sizes_of
from karatage.training.labeller import Labeller
from karatage.training.model_folder import Card
from karatage.training.settings import option, settings_from
from karatage.training.tagset import TagSet
from karatage.training.trained_tagger import TrainedTagger
from karatage.training.viterbi import best_path

if TYPE_CHECKING:
    from numpy.typing import NDArray

ENSEMBLE = "ensemble"


@dataclass(frozen=True)
class EnsembleSettings:
    """How the members of an ensemble decide."""

    by: str = option("mean", "The mean of their probabilities, or votes.", of=("mean", "vote"))
    members: int = option(2, "How many members there are.", least=1)
    device: str = option("auto", "Where neural members run: `auto`, `cpu` or `cuda`.")


class EnsembleLabeller:
    """Models that label together.

    Attributes:
        tags: the tags of all members.
        settings: how they decide.
        members: the members, with their cards.
    """

    def __init__(self, members: Sequence[TrainedTagger], tags: TagSet, settings: EnsembleSettings) -> None:
        self.members, self.tags, self.settings = tuple(members), tags, settings
        self._places = [_places(member.labeller.tags, tags) for member in members]

    def label(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> NDArray[np.int64]:
        """Return the best tags of the mean, or those of the entities that more than half of the members see."""
        if self.settings.by == "vote":
            return self._voted(tokens, groups)
        with np.errstate(divide="ignore"):
            scores = np.maximum(np.log(self.marginals(tokens, groups)), np.float32(-1e4))
        return best_path(scores, sizes_of(tokens), self.tags, groups)

    def marginals(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> NDArray[np.float32]:
        """Return the mean of the members' probabilities; a label that a member lacks has none there."""
        total = np.zeros((int(sizes_of(tokens).sum()), len(self.tags)), np.float32)
        for member, places in zip(self.members, self._places, strict=True):
            total[:, places] += member.labeller.marginals(tokens, groups)
        return total / np.float32(len(self.members))

    def _voted(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> NDArray[np.int64]:
        sizes, units = sizes_of(tokens), Units(len(tokens), tokens=tokens)
        known = {label: number for number, label in enumerate(self.tags.labels)}
        found = []
        for member, places in zip(self.members, self._places, strict=True):
            claims = self.tags.claims(places[member.labeller.label(tokens, groups)], units, sizes)
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
        """Write each member into a folder of its own."""
        for number, member in enumerate(self.members, 1):
            own = folder / f"member-{number}"
            own.mkdir()
            member.write(own)

    @classmethod
    def load(cls, folder: Path, tags: TagSet, settings: Any) -> Self:
        """Read what `save` wrote."""
        places = [folder / f"member-{number}" for number in range(1, settings.members + 1)]
        members = [TrainedTagger.load(place, device=settings.device) for place in places]
        for member in members:
            if not set(member.card.labels) <= set(tags.labels):
                raise InputError("has labels that its ensemble lacks", source=member.place)
        return cls(members, tags, settings)


def _places(own: TagSet, every: TagSet) -> NDArray[np.int64]:
    """Return the code of each of a member's tags among those of all."""
    number = {tag: code for code, tag in enumerate(every.tags)}
    return np.array([number[tag] for tag in own.tags], np.int64)


def ensemble(members: Sequence[TrainedTagger], *, by: str = "mean") -> TrainedTagger:
    """Make one tagger of several.

    Args:
        members: the taggers.
        by: `mean`, the best tags under the mean of their probabilities; or `vote`, the entities that more than half of
            them find.

    The ensemble drops claims below the mean of its members' thresholds.
    """
    if len(members) < 2:
        raise UsageError("an ensemble needs at least two models")
    cards = [member.card for member in members]
    groups: dict[str, set[str]] = {}
    for card in cards:
        for group, labels in card.by_group.items():
            groups.setdefault(group, set()).update(labels)
    for name in ("group_by", "words"):
        different = sorted({getattr(card, name) for card in cards})
        if len(different) > 1:
            raise UsageError(
                f"the models of an ensemble must have one {name}, not {' and '.join(map(repr, different))}"
            )
    tags = TagSet(
        tuple(sorted({label for card in cards for label in card.labels})),
        {group: frozenset(labels) for group, labels in sorted(groups.items())},
    )
    settings = settings_from(EnsembleSettings, {"by": by, "members": len(members)}, "an ensemble")
    card = Card(
        ENSEMBLE,
        {"by": settings.by, "members": settings.members},
        tags.labels,
        {group: tuple(sorted(labels)) for group, labels in tags.by_group.items()},
        cards[0].group_by,
        cards[0].words,
        fmean(card.threshold for card in cards),
        data=tuple({tuple(sorted(entry.items())): entry for card in cards for entry in card.data}.values()),
    )
    labeller: Labeller = EnsembleLabeller(members, tags, settings)
    return TrainedTagger(labeller, card)
