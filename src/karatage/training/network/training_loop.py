"""The training loop: seeded, resumable, with the best epoch by any metric."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from karatage.errors import InputError, UsageError
from karatage.training.fit_context import Checkpointing, EpochResult, FitContext
from karatage.training.network.checkpoint import read_tensors, write_tensors
from karatage.training.network.network_settings import Precision, TrainingSettings
from karatage.training.network.token_corpus import training_batches
from karatage.training.network.training_step import CudaGraphStep, TrainingStep, WeightAverage

_WARM_UP = 0.1
"""The share of all steps in which the linear schedule warms up."""


class Trainable(Protocol):
    """A network and the corpus that it is trained on."""

    @property
    def network(self) -> nn.Module:
        """The network."""

    def loss(self, rows: Tensor, width: int) -> Tensor:
        """Return the loss of the units with these numbers, padded to a width."""

    def groups(self) -> Iterable[tuple[list[nn.Parameter], float]]:
        """Yield the parameters with their learning rates."""


@dataclass
class LoopState:
    """The state of a training.

    Attributes:
        best: the epoch with the best metric; 0 if none.
        value: the metric after that epoch.
        waited: epochs since then.
        factor: the product of all `plateau` factors so far.
        stalled: epochs without improvement since the rate was last lowered.
    """

    epoch: int = 0
    best: int = 0
    value: float | None = None
    waited: int = 0
    factor: float = 1.0
    stalled: int = 0
    history: list[EpochResult] = field(default_factory=list)


class TrainingLoop:
    """A training that resumes from its checkpoint.

    The random numbers of an epoch depend only on the seed and the number of the epoch. A training that was killed and
    resumed ends with the same weights as an uninterrupted one, on the same machine.
    """

    def __init__(
        self,
        task: Trainable,
        lengths: NDArray[np.int64],
        settings: TrainingSettings,
        device: torch.device,
        context: FitContext,
        *,
        graphs: bool,
    ) -> None:
        self.task, self.lengths, self.settings, self.device = task, lengths, settings, device
        self.context, self.graphs = context, graphs and device.type == "cuda"
        self.size = max(min(settings.batch, int(np.count_nonzero(lengths))), 1)
        self.state = LoopState()
        self.parameters = [p for p in task.network.parameters() if p.requires_grad]
        self.average = WeightAverage(self.parameters, settings.average) if settings.average else None
        self.optimizer = self._optimizer()
        self.best: dict[str, Tensor] = {}

    def run(self, label: Callable[[], NDArray[np.int64]] | None) -> LoopState:
        """Train to the last epoch, or until the metric stops improving; leave the best weights in the network.

        `label` labels the validation data with the current weights. Without it, the last epoch is the best.
        """
        checkpointing, progress = self.context.checkpointing, self.context.progress
        if checkpointing is not None and checkpointing.path.exists():
            self._resume(checkpointing)
            if progress is not None:
                values = (next(iter(done.metrics.values()), 0.0) for done in self.state.history)
                progress.resumed(self.state.epoch, max(values, default=0.0))
        steps = self._steps()
        saved = time.monotonic()
        patience = self.settings.patience
        while self.state.epoch < self.settings.epochs and not (patience and self.state.waited >= patience):
            began = time.perf_counter()
            loss = self._epoch(steps)
            metrics = self._validate(label)
            self._record(EpochResult(self.state.epoch + 1, loss, time.perf_counter() - began, metrics))
            if checkpointing is not None and time.monotonic() - saved >= checkpointing.interval:
                self._save(checkpointing)
                saved = time.monotonic()
        if self.average is not None and not self.best:
            self.average.swap()
        if self.best:
            self.task.network.load_state_dict(self.best)
        return self.state

    def _epoch(self, steps: TrainingStep) -> float:
        """Go through the training data once; return the mean loss."""
        progress = self.context.progress
        settings, number = self.settings, self.state.epoch + 1
        batches = list(training_batches(self.lengths, self.size, settings.seed, number))
        rows = torch.from_numpy(np.stack([rows for rows, _ in batches])).to(self.device)
        self.task.network.train()
        steps.total.zero_()
        with seeded(settings.seed, number, self.device):
            for at, (_, width) in enumerate(batches):
                self._set_rate((number - 1) * len(batches) + at, len(batches))
                steps(rows[at], width)
                if progress is not None:
                    progress.step(number, settings.epochs, at + 1, len(batches))
            loss = float(steps.total) / len(batches)
        if not np.isfinite(loss):
            raise UsageError(f"the loss is not finite in epoch {number}. Use a lower learning_rate, or clip gradients")
        return loss

    def _validate(self, label: Callable[[], NDArray[np.int64]] | None) -> Mapping[str, float]:
        score_tags = self.context.score_tags
        if label is None or score_tags is None:
            return {}
        if self.average is not None:
            self.average.swap()
        try:
            return score_tags(label())
        finally:
            if self.average is not None:
                self.average.swap()

    def _record(self, found: EpochResult) -> None:
        """Record an epoch: whether it is the best, and whether the learning rate falls."""
        state, settings = self.state, self.settings
        state.epoch = found.number
        state.history.append(found)
        if found.metrics:
            value = next(iter(found.metrics.values()))
            if state.value is None or value > state.value:
                state.best, state.value, state.waited, state.stalled = found.number, value, 0, 0
                self.best = self._weights()
            else:
                state.waited += 1
                state.stalled += 1
                if settings.schedule == "plateau" and state.stalled > settings.schedule_patience:
                    state.factor, state.stalled = state.factor * settings.schedule_factor, 0
        if self.context.progress is not None:
            self.context.progress.epoch(found, settings.epochs)

    def _weights(self) -> dict[str, Tensor]:
        """Copy the weights that tag: their average, if there is one."""
        if self.average is not None:
            self.average.swap()
        out = {name: tensor.detach().clone() for name, tensor in self.task.network.state_dict().items()}
        if self.average is not None:
            self.average.swap()
        return out

    def _steps(self) -> TrainingStep:
        kind = partial(CudaGraphStep, size=self.size) if self.graphs else TrainingStep
        return kind(
            self.task.loss,
            self.optimizer,
            self.parameters,
            clip=self.settings.clip,
            average=self.average,
            autocast=self._autocast,
        )

    def _autocast(self) -> AbstractContextManager[Any]:
        return autocast(self.settings.precision, self.device, transformer=not self.graphs)

    def _optimizer(self) -> torch.optim.Optimizer:
        settings = self.settings
        cuda = self.device.type == "cuda"
        groups: list[dict[str, Any]] = [
            # A rate that is a tensor can change under a captured step.
            {"params": own, "lr": torch.tensor(rate, device=self.device) if self.graphs else rate, "base": rate}
            for own, rate in self.task.groups()
            if own
        ]
        options: dict[str, Any] = {"weight_decay": settings.weight_decay, "fused": True}
        if settings.optimizer == "sgd":
            return torch.optim.SGD(groups, momentum=0.9, **options)
        kind = torch.optim.Adam if settings.optimizer == "adam" else torch.optim.AdamW
        return kind(groups, capturable=cuda, **options)

    def _set_rate(self, step: int, per_epoch: int) -> None:
        """Set the learning rates of a step."""
        factor = self.state.factor
        if self.settings.schedule == "linear":
            total = per_epoch * self.settings.epochs
            rising = max(round(total * _WARM_UP), 1)
            factor *= min((step + 1) / rising, (total - step) / max(total - rising, 1))
        elif step % per_epoch:
            return  # it only changes between epochs
        for group in self.optimizer.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(group["base"] * factor)
            else:
                group["lr"] = group["base"] * factor

    def _save(self, checkpointing: Checkpointing) -> None:
        """Write a checkpoint."""
        tensors = {f"weights.{name}": tensor for name, tensor in self.task.network.state_dict().items()}
        tensors |= {f"best.{name}": tensor for name, tensor in self.best.items()}
        for at, parameter in enumerate(self.parameters):
            for name, value in self.optimizer.state.get(parameter, {}).items():
                if isinstance(value, Tensor):
                    tensors[f"optimizer.{at}.{name}"] = value
        if self.average is not None:
            tensors |= {f"average.{at}": value for at, value in enumerate(self.average.values)}
            tensors["average.steps"] = self.average.steps
        state = {**vars(self.state), "history": [epoch.to_dict() for epoch in self.state.history]}
        write_tensors(checkpointing.path, tensors, {"identity": checkpointing.identity, "state": state})

    def _resume(self, checkpointing: Checkpointing) -> None:
        """Load a checkpoint of the same training."""
        path, start_over = checkpointing.path, "Use --fresh to start over"
        try:
            tensors, facts = read_tensors(path)
        except InputError as error:
            raise InputError(error.message, source=error.source, hint=start_over) from None
        if facts.get("identity") != checkpointing.identity:
            raise InputError(
                "is a checkpoint of a training with other settings or data",
                source=str(path),
                hint="Use the same settings and data to resume, or --fresh to start over",
            )
        try:
            self._restore(tensors, dict(facts["state"]))
        except (KeyError, RuntimeError, TypeError, ValueError) as error:
            raise InputError(f"does not fit this training ({error})", source=str(path), hint=start_over) from None

    def _restore(self, tensors: dict[str, Tensor], state: dict[str, Any]) -> None:
        history = [EpochResult.from_dict(epoch) for epoch in state.pop("history")]
        self.state = LoopState(**state, history=history)
        self.task.network.load_state_dict(_under(tensors, "weights."))
        self.best = {name: value.to(self.device) for name, value in _under(tensors, "best.").items()}
        for at, parameter in enumerate(self.parameters):
            own = _under(tensors, f"optimizer.{at}.")
            keep_step = self.device.type == "cuda"
            self.optimizer.state[parameter] = {
                name: value.to(self.device) if name != "step" or keep_step else value for name, value in own.items()
            }
        if self.average is not None:
            for at, value in enumerate(self.average.values):
                value.copy_(tensors[f"average.{at}"])
            self.average.steps.copy_(tensors["average.steps"])


def _under(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


@contextmanager
def seeded(seed: int, part: int, device: torch.device) -> Iterator[None]:
    """Seed PyTorch's random numbers, and restore the caller's state afterwards."""
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.manual_seed(int(np.random.SeedSequence([seed, part]).generate_state(1, np.uint64)[0] >> 1))
        yield


def chosen_device(name: str) -> torch.device:
    """Return a device by name; `auto` is a GPU if there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name.split(":")[0] not in ("cpu", "cuda"):
        raise UsageError(f"device must be auto, cpu or cuda, not {name!r}")
    if name.startswith("cuda") and not torch.cuda.is_available():
        raise UsageError(f"device is {name}, but PyTorch finds no GPU. Use device=auto or device=cpu")
    try:
        return torch.device(name)
    except RuntimeError as error:
        raise UsageError(f"cannot use device {name!r} ({error})") from None


def autocast(precision: Precision, device: torch.device, *, transformer: bool) -> AbstractContextManager[Any]:
    """Return the context that computes in the chosen precision."""
    half = precision == "bfloat16" or (precision == "auto" and transformer and device.type == "cuda")
    return torch.autocast(device.type, torch.bfloat16) if half else nullcontext()
