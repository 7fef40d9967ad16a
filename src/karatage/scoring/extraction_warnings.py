"""What a reader of an extraction's numbers should know: odd labels, sides without an entity, units left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from karatage._limits import VARIABLE
from karatage.claims import Tags
from karatage.inputs import Input
from karatage.matching import Pair, TaggedPair, UnitNotes, composed
from karatage.metrics import Tally
from karatage.profiles import Profile
from karatage.scoring.nouns import Nouns, counted

_SIDES = ("gold", "predictions")


@dataclass
class SideNotes:
    """What was noticed of gold, or of the predictions, while they were read.

    Attributes:
        passed: counts of what the reader passed over.
        excluded: how many claims were left out because of their label.
        invalid: how many transitions the scheme forbids.
        claims: how many claims were counted.
        tokens: how many tokens there are, as long as there is no claim.
        tags: which tags there are, as long as there is no claim.
    """

    passed: Counter[str] = field(default_factory=Counter)
    excluded: int = 0
    invalid: int = 0
    claims: int = 0
    tokens: int = 0
    tags: set[str] = field(default_factory=set)

    def __iadd__(self, other: SideNotes) -> SideNotes:
        """Add what was noticed in the part that follows."""
        self.passed.update(other.passed)
        self.excluded += other.excluded
        self.invalid += other.invalid
        self.claims += other.claims
        self.tokens += other.tokens
        self.tags |= other.tags
        return self


def note_claims(notes: tuple[SideNotes, SideNotes], pair: Pair | TaggedPair, counts: Tally) -> None:
    """Count the claims of both sides; of a side without any so far, remember what it has instead."""
    for own, side, name in zip(notes, (pair.gold, pair.pred), ("gold", "predicted"), strict=True):
        own.claims += int(counts.column(name).sum())
        if own.claims == 0 and side.tags:
            own.tokens += int(side.tags[0].sizes.sum())
            own.tags |= {tag for layer in side.tags for tag in _tags_in(layer) if tag}


def _tags_in(layer: Tags) -> list[str]:
    """Return the tags that occur; O is in every vocabulary."""
    return [layer.vocabulary[code] for code in np.flatnonzero(np.bincount(layer.codes)).tolist()]


def extraction_warnings(
    total: Tally,
    *,
    profile: Profile,
    nouns: Nouns,
    inputs: tuple[Input, Input],
    notes: tuple[SideNotes, SideNotes],
    units: UnitNotes,
) -> list[str]:
    """Return all warnings but those of undefined means, and of what is checked of paired units."""
    return [
        *_label_warnings(total, profile, nouns, notes),
        *(text for name, own, given in zip(_SIDES, notes, inputs, strict=True) if total.facts["units"]
          for text in _empty_side(name, own, given, nouns, total.facts["units"])),
        *(f"{name}: {what}: {count:,}" for name, own in zip(_SIDES, notes, strict=True)
          for what, count in own.passed.items()),
        *_unit_warnings(units, profile, nouns),
    ]  # fmt: skip


def _label_warnings(total: Tally, profile: Profile, nouns: Nouns, notes: tuple[SideNotes, SideNotes]) -> list[str]:
    """Warn of labels without gold, of forbidden transitions, and of what was left out."""
    out = _strange_labels(total)
    if len(total.labels) > (most := len(total.reported_labels)):
        out.append(
            f"labels without scores of their own, as only the {most:,} most frequent in gold have them "
            f"({VARIABLE}=labels=…): {len(total.labels) - most:,}"
        )
    for name, own in zip(_SIDES, notes, strict=True):
        if own.invalid:
            out.append(f"transitions in {name} that the scheme {profile.scheme} forbids: {own.invalid:,}")
    for name, own in zip((f"gold {nouns.claims}", "predictions"), notes, strict=True):
        if own.excluded:
            out.append(f"{name} left out because of their label: {own.excluded:,}")
    seen = {label for _, label in total.cells}
    unseen = [label for label in profile.labels if label not in seen]
    if unseen:
        out.append(f"labels to score that occur in neither gold nor predictions: {_some(unseen)}")
    if "scheme" in profile.options and "tokens" not in total.facts and not profile.labels:
        out.append("the scheme has no effect: gold or predictions are not tags")
    return out


def _strange_labels(total: Tally) -> list[str]:
    """Warn of predicted labels that gold lacks, and of sides that share no label at all."""
    gold, predicted = total.column("gold"), total.column("predicted")
    labels = {label for k, (_, label) in enumerate(total.cells) if gold[k]}
    found = {label for k, (_, label) in enumerate(total.cells) if predicted[k]}
    strange = sorted(found - labels)
    if not strange:
        return []
    count = sum(int(predicted[k]) for k, (_, label) in enumerate(total.cells) if label not in labels)
    out = [
        f"predictions whose label does not occur in gold ({_some(strange)}), which weighted averages ignore: {count:,}"
    ]
    if labels and labels.isdisjoint(found):
        out.append(
            f"gold and predictions have no label in common: {_some(sorted(labels))} in gold, {_some(strange)} in the "
            "predictions"
        )
    known = {composed(label) for label in labels}
    alike = [label for label in strange if not label.isascii() and composed(label) in known]
    if alike:
        out.append(f"predicted labels that differ from gold's only in their Unicode normal form: {_some(alike)}")
    return out


def _empty_side(name: str, notes: SideNotes, given: Input, nouns: Nouns, units: int) -> list[str]:
    """Warn of a side without a claim, and say what was found instead; what was left out by label is said elsewhere."""
    if notes.claims or notes.excluded:
        return []
    found = [counted(units, nouns.unit)]
    if notes.tokens:
        found.append(counted(notes.tokens, "token"))
    if notes.tags:
        found.append(f"{'tag' if len(notes.tags) == 1 else 'tags'} {_some(sorted(notes.tags))}")
    if given.content == "files":
        options = _OPTIONS[name] + (" or --columns" if notes.tags else "")
        found.append(f"read as {given.format.name}. If that is wrong, set {options}")
    return [f"{name} {'contains' if name == 'gold' else 'contain'} no {nouns.claims}: {', '.join(found)}"]


_OPTIONS = {"gold": "--format", "predictions": "--pred-format"}


_EXTRA = {"ignore": "left out", "empty": "counted as empty in gold", "error": ""}
_UNCHECKED = "no texts show that the order is the same"


def _unit_warnings(units: UnitNotes, profile: Profile, nouns: Nouns) -> list[str]:
    """Warn of units that only gold or only the predictions have, of those that were cut off, and of unchecked ones."""
    found = (
        (f"gold {nouns.units} without predictions, counted as empty", units.missing),
        (f"predicted {nouns.units} that are not in gold, {_EXTRA[profile.units.extra]}", units.extra),
        (f"predicted {nouns.claims} in these {nouns.units}, which precision does not count",
         units.extra_claims if profile.units.extra == "ignore" else 0),
        (f"{nouns.units} with fewer predicted than gold tokens, the tail counted as missed", units.truncated),
        (f"{nouns.units} paired by order, because only gold has ids; {_UNCHECKED}", units.unchecked["gold"]),
        (f"{nouns.units} paired by order, because only the predictions have ids; {_UNCHECKED}",
         units.unchecked["predictions"]),
    )  # fmt: skip
    near = units.near
    alike = [f"ids that differ {near.how}: {near.pairs:,}, {near.example}. Write them alike"] if near else []
    return [*alike, *(f"{what}: {count:,}" for what, count in found if count)]


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
