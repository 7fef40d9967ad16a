"""An experiment: its settings, data, learning curve and scores, and the machine it ran on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Literal, get_args

from karatage.claims import Batch, Relevance
from karatage.errors import UsageError, unknown
from karatage.experiments.experiment_scores import score_from
from karatage.experiments.machine import Code, Machine, current_code, this_machine
from karatage.experiments.plain_data import to_json_values
from karatage.inputs import DataFile
from karatage.metrics import Score
from karatage.profiles import get_profile, profile_names

if TYPE_CHECKING:
    from karatage.scoring import Result

Kind = Literal["train", "sweep", "score"]


@dataclass(frozen=True)
class EpochEntry:
    """A row of the learning curve: mean loss over the training data, and scores on the validation data."""

    epoch: int
    loss: float | None = None
    seconds: float | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class StoredInputs:
    """The gold and predictions that a log has of an experiment, and how to score them again.

    Attributes:
        profile: Name of a built-in profile, or a file in the experiment's folder.
        options: Options of `karatage.score` that the profile was used with.
        gold: Fingerprint of the gold data.
        gold_file: Path of the gold data in the log's folder; empty if the log has only its fingerprint.
        predictions: Path of the predictions in the experiment's folder.
        reading: How the gold file was read: format, columns, unit.
    """

    profile: str
    options: Mapping[str, Any] = field(default_factory=dict)
    gold: str
    gold_file: str = ""
    predictions: str
    reading: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ScoredInputs:
    """Gold and predictions that were scored, to be stored for a paired test later.

    Attributes:
        pred: The predictions, in the order of gold.
        profile: Name of the profile, or the path of its TOML file.
        reading: How gold was read from its file: format, columns, unit.
        keep_gold: Whether gold may be copied. If not, the log gets its fingerprint, and predictions without texts.
    """

    gold: Batch | Relevance
    pred: Batch | Relevance
    profile: str
    options: Mapping[str, Any] = field(default_factory=dict)
    reading: Mapping[str, Any] = field(default_factory=dict)
    keep_gold: bool = True

    @classmethod
    def of(
        cls,
        result: Result,
        gold: Batch | Relevance,
        pred: Batch | Relevance,
        *,
        like: str | Path | None = None,
        reading: Mapping[str, Any] | None = None,
        keep_gold: bool = True,
    ) -> ScoredInputs:
        """Return the inputs with the profile and the options that give the same scores again."""
        profile = result.profile.name if like is None else str(like)
        if like is None and profile not in profile_names():
            raise UsageError(f"{profile!r} is not a built-in profile. Pass the path of its file as `like`")
        options = dict(result.profile.options)
        if list(result.profile.metrics) != list(get_profile(profile).metrics):
            options["metrics"] = list(result.profile.metrics)
        return cls(gold=gold, pred=pred, profile=profile, options=options, reading=reading or {}, keep_gold=keep_gold)


@dataclass(frozen=True, kw_only=True)
class ExperimentFields:
    """What is known of an experiment, in a log or not yet.

    Attributes:
        kind: train, sweep or score.
        model: The model, such as `bilstm-crf`; empty if only predictions are known.
        preset: The preset that its settings come from, and what was changed: `exp-001 with epochs=6`; empty for none.
        config_line: The settings in one line.
        split: How validation data was split off.
        best_epoch: The epoch whose model was kept.
        metric: The metric that selected it.
        scores: What `Result.to_dict()` returns, and the scores of each group under `group_by` and `groups`.
        duration: Seconds.
        parent: Id of the sweep that it belongs to, or empty.
        model_folder: Folder of the trained model, or empty.
    """

    kind: Kind
    model: str = ""
    preset: str = ""
    config_line: str = ""
    config: Mapping[str, object] = field(default_factory=dict)
    data: tuple[DataFile, ...] = ()
    split: str = ""
    epochs: tuple[EpochEntry, ...] = ()
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
class NewExperiment(ExperimentFields):
    """An experiment to add to a log.

    Attributes:
        machine: Default: this machine.
        code: Default: this version of Karatage, and the commit of the working directory.
        date: When it ended, in ISO 8601 with a UTC offset. Default: now.
        inputs: Gold and predictions to store.
    """

    machine: Machine = field(default_factory=this_machine)
    code: Code = field(default_factory=current_code)
    date: str = ""
    inputs: ScoredInputs | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise unknown("kind of experiment", self.kind, get_args(Kind))


@dataclass(frozen=True, kw_only=True)
class Experiment(ExperimentFields):
    """An experiment in a log.

    Attributes:
        id: Its number in the log, such as `RUN-012`.
        name: Its folder, which is unique even if two experiments have the same number.
        date: When it ended, in ISO 8601 with a UTC offset.
    """

    id: str
    name: str
    date: str
    stored: StoredInputs | None = None

    @property
    def when(self) -> datetime:
        """The date as a point in time."""
        return datetime.fromisoformat(self.date)

    @property
    def title(self) -> str:
        """The model's name, or else the name of the predictions file."""
        files = [one.path for one in self.data if one.role == "predictions"]
        return self.model or next((PurePath(path).name.split(".")[0] or path for path in files), "")

    @property
    def headline(self) -> str:
        """The name of the headline metric; empty if there are no scores."""
        return str(self.scores.get("headline", ""))

    @property
    def metrics(self) -> dict[str, Score]:
        """The overall scores."""
        return {name: score_from(one) for name, one in self.scores.get("metrics", {}).items()}

    def score(self, metric: str) -> Score | None:
        """Return the score of a reported metric."""
        return self.metrics.get(metric)

    @property
    def level(self) -> float | None:
        """The confidence level; None if there are no intervals."""
        found = self.scores.get("intervals", {}).get("level")
        return None if found is None else float(found)

    @property
    def curve(self) -> tuple[str, list[tuple[int, float]]]:
        """The metric that selected the best epoch, or else the first one, and its value in each epoch that has it."""
        names = list(dict.fromkeys(name for one in self.epochs for name in one.metrics))
        name = self.metric if self.metric in names else next(iter(names), "")
        found = ((one.epoch, one.metrics.get(name)) for one in self.epochs)
        return name, [(number, value) for number, value in found if value is not None and math.isfinite(value)]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, in the shape that `--json` prints."""
        own: dict[str, Any] = {"id": self.id, "name": self.name, "date": self.date}
        own |= {key: to_json_values(value) for key, value in asdict(self).items() if key not in own}
        own["kept"] = own.pop("stored")  # the key that files and scripts know
        return own
