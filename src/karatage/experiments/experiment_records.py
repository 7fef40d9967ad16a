"""What is kept of an experiment: settings, data, learning curve, scores, machine."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import Enum
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Literal, get_args

from karatage.claims import Batch, Relevance
from karatage.errors import KaratageError, UsageError, unknown
from karatage.experiments.machine import Code, Machine, code, machine
from karatage.inputs import DataFile
from karatage.metrics import Score
from karatage.profiles import get_profile, profile_names

if TYPE_CHECKING:
    from karatage.scoring import Result

Kind = Literal["train", "sweep", "score"]

GROUP_METRICS = ("precision", "recall", "f1")
"""What is kept of each group of units, such as a category."""


@dataclass(frozen=True)
class Epoch:
    """A row of the learning curve.

    Attributes:
        epoch: its number, from 1.
        loss: the mean loss over the training data.
        seconds: how long it took.
        metrics: scores on the validation data, by name.
    """

    epoch: int
    loss: float | None = None
    seconds: float | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Kept:
    """How an experiment can be scored again.

    Attributes:
        profile: the profile: a built-in one's name, or a file in the record's folder.
        options: the options of `karatage.score` that the profile was used with.
        gold: the fingerprint of gold's content.
        gold_file: where gold is, in the log's folder; empty where only its fingerprint is kept.
        predictions: where the predictions are, in the record's folder.
        reading: how the gold file was read: format, columns, unit.
    """

    profile: str
    options: Mapping[str, Any]
    gold: str
    gold_file: str
    predictions: str
    reading: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What a draft and a record have in common.

    Attributes:
        kind: train, sweep or score.
        model: the model, such as `bilstm-crf`; empty where only predictions are known.
        config: the settings, by name.
        data: the files.
        split: how validation data was set apart, in words.
        epochs: the learning curve.
        best_epoch: the epoch whose model was kept.
        metric: the metric that chose it.
        scores: what `Result.to_dict()` gives, and under `group_by` and `groups` the scores of each group.
        duration: seconds.
        note: what the user says about it.
        parent: the id of the sweep that it belongs to, or empty.
        model_folder: where the trained model is, or empty.
        machine: where it ran.
        code: the version of Karatage, and the commit.
    """

    kind: Kind
    model: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    data: tuple[DataFile, ...] = ()
    split: str = ""
    epochs: tuple[Epoch, ...] = ()
    best_epoch: int | None = None
    metric: str = ""
    scores: Mapping[str, Any] = field(default_factory=dict)
    duration: float = 0.0
    note: str = ""
    parent: str = ""
    model_folder: str = ""
    machine: Machine = field(default_factory=Machine)
    code: Code = field(default_factory=Code)


@dataclass(frozen=True, kw_only=True)
class Draft(Facts):
    """An experiment that is not in a log yet.

    Attributes:
        date: when it ended, in ISO 8601 with an offset from UTC; empty for now.
        gold: the units that were scored, to keep for a paired test later.
        pred: the predictions for them.
        profile: the profile of the scores: a name, or the path of a TOML file.
        options: the options that it was used with.
        reading: how gold was read from its file.
        keep_gold: whether gold may be copied; else only its fingerprint is kept, and no text with the predictions.
    """

    date: str = ""
    gold: Batch | Relevance | None = field(default=None, repr=False)
    pred: Batch | Relevance | None = field(default=None, repr=False)
    profile: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    reading: Mapping[str, Any] = field(default_factory=dict)
    keep_gold: bool = True

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise unknown("kind of experiment", self.kind, get_args(Kind))
        if (self.gold is None) != (self.pred is None):
            raise UsageError("to be scored again later, an experiment needs gold and predictions, not one of them")
        if self.gold is not None and not self.profile:
            raise UsageError("gold and predictions are kept with the profile that scores them: name it")


@dataclass(frozen=True, kw_only=True)
class Record(Facts):
    """An experiment in a log.

    Attributes:
        id: its number in the log, such as `EXP-012`.
        name: its folder, which tells it from another of the same number.
        date: when it ended, in ISO 8601 with an offset from UTC.
        kept: how it can be scored again; None where it cannot.
    """

    id: str
    name: str
    date: str
    kept: Kept | None = None

    @property
    def when(self) -> datetime:
        """The date as a point in time."""
        return datetime.fromisoformat(self.date)

    @property
    def title(self) -> str:
        """The model's name, or else that of the file of predictions."""
        files = [one.path for one in self.data if one.role == "predictions"]
        return self.model or next((PurePath(path).name.split(".")[0] or path for path in files), "")

    @property
    def headline(self) -> str:
        """The name of the metric to look at first; empty where there are no scores."""
        return str(self.scores.get("headline", ""))

    @property
    def metrics(self) -> dict[str, Score]:
        """The scores over everything."""
        return {name: score_of(one) for name, one in self.scores.get("metrics", {}).items()}

    def score(self, metric: str) -> Score | None:
        """Return the score of a metric that was reported."""
        found = self.scores.get("metrics", {}).get(metric)
        return None if found is None else score_of(found)

    @property
    def level(self) -> float | None:
        """How sure the intervals are; None where there are none."""
        found = self.scores.get("intervals", {}).get("level")
        return None if found is None else float(found)

    @property
    def curve(self) -> tuple[str, list[tuple[int, float]]]:
        """The metric that chose the best epoch, or else the first one, and its value in each epoch that has it."""
        names = list(dict.fromkeys(name for one in self.epochs for name in one.metrics))
        name = self.metric if self.metric in names else next(iter(names), "")
        found = ((one.epoch, one.metrics.get(name)) for one in self.epochs)
        return name, [(number, value) for number, value in found if value is not None and math.isfinite(value)]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, in the shape that `--json` prints."""
        own: dict[str, Any] = {"id": self.id, "name": self.name, "date": self.date}
        return own | {key: jsonable(value) for key, value in asdict(self).items() if key not in own}


def score_of(data: Mapping[str, Any]) -> Score:
    """Make a score of what `Score.to_dict` gave."""
    known = ("value", "undefined", "low", "high", "method", "withheld")
    return Score(**{name: data.get(name) for name in known}, undefined_share=data.get("undefined_share", 0.0))


def jsonable(value: Any) -> Any:
    """Return plain data that JSON can hold: what is no number there is null."""
    if isinstance(value, Mapping):
        return {str(key): jsonable(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def draft_of(
    result: Result | None,
    *,
    kind: Kind,
    model: str = "",
    config: Mapping[str, Any] | None = None,
    data: Iterable[DataFile] = (),
    split: str = "",
    epochs: Iterable[Epoch] = (),
    best_epoch: int | None = None,
    metric: str = "",
    duration: float = 0.0,
    note: str = "",
    parent: str = "",
    model_folder: str | Path = "",
    gold: Batch | Relevance | None = None,
    pred: Batch | Relevance | None = None,
    like: str | Path | None = None,
    reading: Mapping[str, Any] | None = None,
    keep_gold: bool = True,
    date: str = "",
) -> Draft:
    """Make a draft of a result and what led to it; the machine and the code are looked up.

    Args:
        result: the scores.
        kind: train, sweep or score.
        model: the model's name.
        config: its settings; a mapping within becomes names with points, and what is None is left out.
        data: the files, as `karatage.inputs.describe_file` describes them.
        split: how validation data was set apart, in words.
        epochs: the learning curve.
        best_epoch: the epoch whose model was kept.
        metric: the metric that chose it.
        duration: seconds.
        note: what the user says about it.
        parent: the id of the sweep that it belongs to.
        model_folder: where the trained model is.
        gold: the units that were scored, to keep for a paired test later; in the order of the predictions.
        pred: the predictions for them.
        like: the profile's file, where it is not a built-in one.
        reading: how gold was read from its file: format, columns, unit.
        keep_gold: whether gold may be copied into the log.
        date: when it ended; now if left out.
    """
    if result is None and gold is not None:
        raise UsageError("gold and predictions are kept with the result that they gave")
    profile, options = ("", {}) if result is None else _scored_by(result, like)
    return Draft(
        kind=kind,
        model=model,
        config=plain_settings(config or {}),
        data=tuple(data),
        split=split,
        epochs=tuple(epochs),
        best_epoch=best_epoch,
        metric=metric,
        scores={} if result is None else _scores(result),
        duration=duration,
        note=note,
        parent=parent,
        model_folder=str(model_folder),
        machine=machine(),
        code=code(),
        date=date,
        gold=gold,
        pred=pred,
        profile=profile if gold is not None else "",
        options=options,
        reading=plain_settings(reading or {}),
        keep_gold=keep_gold,
    )


def _scored_by(result: Result, like: str | Path | None) -> tuple[str, dict[str, Any]]:
    """Return the profile and the options that give the same scores again."""
    name = result.profile.name if like is None else str(like)
    if like is None and name not in profile_names():
        raise UsageError(f"the profile {name} is not a built-in one: say where its file is, with like")
    options = dict(result.profile.options)
    if list(result.profile.metrics) != list(get_profile(name).metrics):
        options["metrics"] = list(result.profile.metrics)
    return name, options


def _scores(result: Result) -> dict[str, Any]:
    out = result.compute().to_dict()
    groups: dict[str, Any] = {}
    for group, labels in result.by_group.items() if result.profile.group_by else ():
        try:
            scores = {name: result[f"{name}{{{group}}}"].to_dict() for name in GROUP_METRICS}
        except KaratageError:  # a name that the grammar of metrics cannot hold
            continue
        counts = {c: sum(one.counts[c] for one in labels.values()) for c in ("gold", "predicted", "correct")}
        groups[group] = scores | {"counts": counts}
    return out | ({"group_by": result.profile.group_by, "groups": groups} if groups else {})


def plain_settings(config: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return settings as a flat mapping that TOML can hold."""
    out: dict[str, Any] = {}
    for key, value in config.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            out |= plain_settings(value, f"{name}.")
        elif value is not None:
            out[name] = _plain(value, name)
    return out


def _plain(value: Any, name: str) -> Any:
    if isinstance(value, Enum):
        return _plain(value.value, name)
    if isinstance(value, set | frozenset):
        return _plain(sorted(value, key=str), name)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_plain(one, name) for one in value if one is not None]
    for kind in (bool, int, float, str):  # of exactly these types: NumPy's numbers are floats too, but print otherwise
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, PurePath):
        return str(value)
    if hasattr(value, "tolist"):  # numbers and arrays of NumPy
        return _plain(value.tolist(), name)
    raise UsageError(f"the setting {name} is {value!r:.40}, which is neither text nor number nor a list of them")
