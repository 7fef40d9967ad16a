"""What a training is made of: a plan, and the data that it names, read and parted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from karatage.claims import Claims
from karatage.errors import InputError, UsageError
from karatage.inputs import DataFile, as_input, describe_file, read
from karatage.training.examples import in_tokens, words_of
from karatage.training.splitting import held_out


@dataclass(frozen=True)
class Plan:
    """What to train.

    Attributes:
        data: the training data: a path, a folder or a pattern.
        model: the model's name.
        settings: its settings, as far as they are not its defaults.
        validation: validation data of its own; empty sets a share of the training data apart.
        share: that share.
        split_seed: where the random numbers of the split start; those of training are a setting of the model.
        split_by: an attribute, such as `document`: units that share it stay on one side of the split.
        test: data that is scored at the end, and nothing else; empty for none.
        like: the profile that scores; empty for the usual one of the data's format.
        group_by: the attribute that is the units' category.
        threshold: claims less sure than this are dropped; `tune` finds the best value on the validation data.
        reading: how files are read: format, columns, unit, scheme, separator, suffix.
        resampling: how intervals are made: resamples, level, seed.
        keep_gold: whether the log may keep the scored units with their texts.
    """

    data: str
    model: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    validation: str = ""
    share: float = 0.1
    split_seed: int = 0
    split_by: str = ""
    test: str = ""
    like: str = ""
    group_by: str = "category"
    threshold: str = "0"
    reading: Mapping[str, Any] = field(default_factory=dict)
    resampling: Mapping[str, Any] = field(default_factory=dict)
    keep_gold: bool = True

    def least(self) -> float | None:
        """Return the threshold, None where it is to be tuned."""
        if self.threshold == "tune":
            return None
        try:
            value = float(self.threshold)
        except ValueError:
            value = -1.0
        if not 0 <= value <= 1:
            raise UsageError(f"the threshold must be tune or a number from 0 to 1, not {self.threshold!r}")
        return value


@dataclass(frozen=True)
class Material:
    """The data of a training, read and parted.

    Attributes:
        learned: what to learn from.
        held: what to validate on.
        test: what to score at the end; None for the validation data.
        split: how they were parted, in words.
        words: how texts are cut into tokens.
        like: the profile.
        entries: the files.
        warnings: what the user should know.
    """

    learned: Claims
    held: Claims
    test: Claims | None
    split: str
    words: str
    like: str
    entries: tuple[DataFile, ...]
    warnings: tuple[str, ...]


def gather(plan: Plan) -> Material:
    """Read the data, all of it to learn from, unless there is validation data of its own."""
    if "-" in (plan.data, plan.validation, plan.test):
        raise UsageError("the data of a training is read more than once: name a file instead of standard input")
    lost: Counter[str] = Counter()
    learned = _read(plan.data, plan, lost)
    held = _read(plan.validation, plan, lost) if plan.validation else None
    test = _read(plan.test, plan, lost) if plan.test else None
    entries = [describe_file("train", plan.data, len(learned.units))]
    if held is not None:
        entries.append(describe_file("validation", plan.validation, len(held.units)))
    if test is not None:
        entries.append(describe_file("test", plan.test, len(test.units)))
    twice = [one.path for one in entries[1:] if one.sha256 and one.sha256 == entries[0].sha256]
    warnings = [f"{place} is the training data: its scores say nothing of other data" for place in twice]
    warnings += [f"left out of the training data: {kind}: {count:,}" for kind, count in lost.items() if count]
    if plan.group_by not in ("", "category", *learned.units.attributes):
        known = ", ".join(learned.units.attributes) or "none"
        warnings.append(f"units have no attribute {plan.group_by!r} for their category. There are: {known}")
    return Material(
        learned,
        learned if held is None else held,
        test,
        "validation data of its own" if held is not None else "",
        words_of(learned),
        plan.like or as_input(plan.data, format=plan.reading.get("format")).profile,
        tuple(entries),
        tuple(warnings),
    )


def prepare(plan: Plan) -> Material:
    """Read the data, and set a share of it apart for validation where that has no data of its own."""
    whole = gather(plan)
    return whole if plan.validation else part(whole, plan)


def part(whole: Material, plan: Plan) -> Material:
    """Set a share of the data apart for validation."""
    everything = whole.learned
    train, rest = held_out(everything.units, plan.share, plan.split_seed, plan.split_by)
    by = plan.split_by or "unit"
    split = f"{100 * plan.share:g}% by {by}, seed {plan.split_seed}"
    return replace(whole, learned=everything.take(train), held=everything.take(rest), split=split)


def _read(place: str, plan: Plan, lost: Counter[str]) -> Claims:
    claims = in_tokens(read(place, notes=lost, **plan.reading), lost)
    if not len(claims.units):
        raise InputError("holds no unit", source=place)
    if not len(claims):
        hint = "Give a file with the answers: tags or spans"
        raise InputError("holds no claims to learn from or to score against", source=place, hint=hint)
    return claims
