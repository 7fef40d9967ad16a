"""Gathering all that an explanation needs while files are read: a fold over batches, whose parts add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from karatage.errors import InputError
from karatage.explanation.changes import ChangeCounts
from karatage.explanation.confidence import ConfidenceCounts
from karatage.explanation.drawn_rows import Places, Placing
from karatage.explanation.fixes import FixCounts
from karatage.explanation.frequent_errors import ConfusionCounts, FormCounts
from karatage.explanation.held_units import HeldUnits
from karatage.explanation.slices import TrainingForms
from karatage.explanation.slices.entity_slices import main_measure
from karatage.explanation.slices.facts import Attributes
from karatage.explanation.slices.slice_gathering import SliceGathering
from karatage.explanation.slices.slicings import Grouping
from karatage.inputs import Input, InputParts
from karatage.profiles import Profile
from karatage.scoring import Outcomes, confusion_of, count_details, count_kinds, read_outcomes
from karatage.stats import Resampling


@dataclass(frozen=True, eq=False, kw_only=True)
class GatheringPlan:
    """What to gather of one system.

    Attributes:
        profile: how it is scored.
        resampling: what intervals rest on; None without intervals.
        by: what to slice by; without any, by everything that applies.
        training: what the system was trained on.
        attributes: the attributes of all units, where a slicing that was asked for may read them.
        labels: the labels that are slices of their own; None for all.
    """

    profile: Profile
    resampling: Resampling | None
    by: tuple[str, ...] = ()
    training: TrainingForms | None = None
    attributes: Attributes | None = None
    labels: frozenset[str] | None = None


class SystemGathering:
    """What is gathered of one system.

    Attributes:
        kinds, details: how many errors there are of each kind, as matching calls them and in detail.
        confusion: how often a gold label met a predicted label; an empty name is nothing.
    """

    def __init__(self, plan: GatheringPlan) -> None:
        self.plan = plan
        self.kinds: Counter[str] = Counter()
        self.details: Counter[str] = Counter()
        self.confusion: Counter[tuple[str, str]] = Counter()
        self.claims: Counter[str] = Counter()
        self.placing = Placing(plan.resampling or Resampling(0))
        self.fixes = FixCounts(plan.profile, plan.profile.claims_headline)
        self.confusions, self.forms, self.confidence = ConfusionCounts(), FormCounts(), ConfidenceCounts()
        main = main_measure(plan.profile)
        self.slices = SliceGathering(main, plan.by, plan.training, plan.attributes, plan.labels)

    def add(self, outcomes: Outcomes) -> list[Grouping]:
        """Take a batch; return the groups of its claims."""
        self.kinds.update(count_kinds(outcomes))
        self.details.update(count_details(outcomes))
        self.confusion.update(confusion_of(outcomes))
        self.claims.update({"gold": len(outcomes.claims.gold), "predicted": len(outcomes.claims.pred)})
        for own in (self.confusions, self.forms, self.confidence):
            own.add(outcomes)
        places: Places = self.placing.of(outcomes.units)
        self.fixes.add(outcomes, places)
        return self.slices.add(outcomes, places)

    def __iadd__(self, other: SystemGathering) -> SystemGathering:
        """Add what was gathered of the part that follows."""
        self.kinds.update(other.kinds)
        self.details.update(other.details)
        self.confusion.update(other.confusion)
        self.claims.update(other.claims)
        self.placing += other.placing
        self.fixes += other.fixes
        self.confusions += other.confusions
        self.forms += other.forms
        self.confidence += other.confidence
        self.slices += other.slices
        return self


class ErrorGathering:
    """Gathers counts and a bounded number of units of one or several systems on the same gold.

    Args:
        plans: what to gather of each system.
        diff: whether to gather what changed from the first system to the second.
        held: holds units with their claims.

    Attributes:
        systems: what was gathered of each system.
        changes: what changed; None unless it was asked for.
        held: the units that are held.
    """

    def __init__(self, plans: Sequence[GatheringPlan], *, diff: bool = False, held: HeldUnits | None = None) -> None:
        self.plans = tuple(plans)
        self.systems = [SystemGathering(plan) for plan in plans]
        self.changes = ChangeCounts() if diff else None
        self.held = HeldUnits(len(self.plans)) if held is None else held

    def fresh(self) -> ErrorGathering:
        """Return one that has gathered nothing."""
        return ErrorGathering(self.plans, diff=self.changes is not None, held=self.held.fresh())

    @property
    def units(self) -> int:
        """How many units were read."""
        return self.held.seen

    def read(self, inputs: Sequence[Input], done: Callable[[int], None] | None = None) -> None:
        """Read gold and the predictions of each system; `done` is called with the number of units so far."""
        gold, *preds = inputs
        for batch in read_outcomes(gold, preds, [plan.profile for plan in self.plans]):
            self.add(batch)
            if done is not None:
                done(self.units)
        self.held.settle()

    def add(self, batch: tuple[Outcomes, ...]) -> None:
        """Take the outcomes of each system on a batch of units."""
        groups = [own.add(outcomes) for own, outcomes in zip(self.systems, batch, strict=True)]
        if self.changes is not None:
            (old, new), (old_groups, new_groups) = batch, groups
            self.changes.add(old, new, old_groups, new_groups)
        self.held.add(tuple(replace(outcomes) for outcomes in batch))  # without the texts that were made on the way

    def read_part(self, part: InputParts) -> None:
        """Read a part; refuse one whose gold and predictions do not have the same units."""
        self.read(part.inputs)
        if self.units != part.units:
            raise InputError("a part has other units than were counted", source=part.inputs[0].name)

    def add_part(self, other: ErrorGathering) -> None:
        """Add the part that follows."""
        for own, more in zip(self.systems, other.systems, strict=True):
            own += more
        if self.changes is not None and other.changes is not None:
            self.changes += other.changes
        self.held += other.held
