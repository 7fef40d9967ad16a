"""What to train, and the data for it: read and split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Literal

from karatage.claims import Claims
from karatage.errors import InputError, UsageError
from karatage.inputs import DataFile, ReadingKeywords, as_input, describe_file, read
from karatage.stats import Resampling
from karatage.training.data_split import split_validation
from karatage.training.examples import in_tokens, tokenization_of


@dataclass(frozen=True)
class TrainingPlan:
    """What to train.

    Attributes:
        data: the training data: a path, a folder or a pattern.
        model: the model's name.
        settings: its settings, as far as they differ from its defaults.
        preset: the preset that they come from, and what was changed; for the log.
        validation: validation data; if empty, a share of the training data is used.
        share: that share.
        split_seed: random seed of the split; the seed of the training is a setting of the model.
        split_by: an attribute, e.g. `document`; units with the same value are not split.
        test: data that is only scored at the end; empty for none.
        like: the profile that scores; if empty, the default of the data's format.
        group_by: the attribute that is the units' category.
        threshold: entities with a lower confidence are dropped; `tune` finds the best value on the validation data.
        reading: how files are read.
        resampling: how intervals are made.
        keep_gold: whether the log may store the scored units with their texts.
    """

    data: str
    model: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    _: KW_ONLY
    preset: str = ""
    validation: str = ""
    share: float = 0.1
    split_seed: int = 0
    split_by: str = ""
    test: str = ""
    like: str = ""
    group_by: str = "category"
    threshold: float | Literal["tune"] = 0.0
    reading: ReadingKeywords = field(default_factory=ReadingKeywords)
    resampling: Resampling = field(default_factory=Resampling)
    keep_gold: bool = True

    def __post_init__(self) -> None:
        if self.threshold != "tune" and not 0 <= self.threshold <= 1:
            raise UsageError(f"the threshold must be 'tune' or a number from 0 to 1, not {self.threshold:g}")


@dataclass(frozen=True, kw_only=True)
class TrainingData:
    """The data of a training, read and split.

    Attributes:
        validation: what selects the best epoch and the threshold.
        test: what is scored at the end; None scores the validation data.
        split: how it was split, in words.
        tokenization: how texts are split into tokens: `spaces` or `words`.
    """

    train: Claims
    validation: Claims
    test: Claims | None
    split: str
    tokenization: str
    profile: str
    files: tuple[DataFile, ...]
    warnings: tuple[str, ...]

    @property
    def gold(self) -> Claims:
        """What is scored at the end."""
        return self.validation if self.test is None else self.test


def read_data(plan: TrainingPlan) -> TrainingData:
    """Read the data without splitting it: unless there is validation data, everything is for both."""
    if "-" in (plan.data, plan.validation, plan.test):
        raise UsageError("training reads its data more than once: name a file instead of standard input")
    lost: Counter[str] = Counter()
    paths = {"train": plan.data, "validation": plan.validation, "test": plan.test}
    claims = {role: _read(path, plan, lost) for role, path in paths.items() if path}
    files = [describe_file(role, paths[role], len(own.units)) for role, own in claims.items()]
    train = claims["train"]
    twice = [one.path for one in files[1:] if one.sha256 and one.sha256 == files[0].sha256]
    warnings = [f"{path} is the training data: scores on it say nothing about other data" for path in twice]
    warnings += [f"not used for training: {kind}: {count:,}" for kind, count in lost.items() if count]
    if plan.group_by not in ("", "category", *train.units.attributes):
        known = ", ".join(train.units.attributes) or "none"
        warnings.append(f"there is no attribute {plan.group_by!r} to use as category. Known: {known}")
    return TrainingData(
        train=train,
        validation=claims.get("validation", train),
        test=claims.get("test"),
        split="validation data of its own" if plan.validation else "",
        tokenization=tokenization_of(train),
        profile=plan.like or as_input(plan.data, format=plan.reading.get("format")).profile,
        files=tuple(files),
        warnings=tuple(warnings),
    )


def prepare_data(plan: TrainingPlan) -> TrainingData:
    """Read the data; without validation data, split off a share of the training data."""
    whole = read_data(plan)
    return whole if plan.validation else split_data(whole, plan)


def split_data(whole: TrainingData, plan: TrainingPlan) -> TrainingData:
    """Split off a share of the training data for validation."""
    everything = whole.train
    train, validation = split_validation(everything.units, plan.share, plan.split_seed, plan.split_by)
    split = f"{100 * plan.share:g}% by {plan.split_by or 'unit'}, seed {plan.split_seed}"
    return replace(whole, train=everything.take(train), validation=everything.take(validation), split=split)


def _read(path: str, plan: TrainingPlan, lost: Counter[str]) -> Claims:
    claims = in_tokens(read(path, notes=lost, **plan.reading), lost)
    if not len(claims.units):
        raise InputError("is empty", source=path)
    if not len(claims):
        raise InputError("has no entities to learn from or score against", source=path, hint="Pass annotated data")
    return claims
