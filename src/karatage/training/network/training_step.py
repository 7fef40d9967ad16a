"""Training steps: run directly, or captured once as a CUDA graph and replayed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn


class WeightAverage:
    """An exponential moving average of the weights.

    It moves faster at first, so that the random initial weights are soon forgotten.
    """

    def __init__(self, parameters: list[nn.Parameter], keep: float) -> None:
        self.parameters, self.least = parameters, 1 - keep
        self.values = [parameter.detach().clone() for parameter in parameters]
        self.steps = torch.zeros((), device=parameters[0].device)

    def update(self) -> None:
        """Move towards the current weights."""
        self.steps += 1
        share = (9 / (9 + self.steps)).clamp(min=self.least)
        with torch.no_grad():
            for value, parameter in zip(self.values, self.parameters, strict=True):
                value.lerp_(parameter, share.to(value.dtype))

    def swap(self) -> None:
        """Exchange the weights and their average."""
        with torch.no_grad():
            for value, parameter in zip(self.values, self.parameters, strict=True):
                current = parameter.detach().clone()
                parameter.copy_(value)
                value.copy_(current)


class TrainingStep:
    """Runs training steps; `clip` is the maximum gradient norm, and 0 does not clip."""

    def __init__(
        self,
        loss: Callable[[Tensor, int], Tensor],
        optimizer: torch.optim.Optimizer,
        parameters: list[nn.Parameter],
        *,
        clip: float,
        average: WeightAverage | None,
        autocast: Callable[[], AbstractContextManager[Any]] = nullcontext,
    ) -> None:
        self.loss, self.optimizer, self.parameters = loss, optimizer, parameters
        self.clip, self.average, self.autocast = clip, average, autocast
        self.total = torch.zeros((), device=parameters[0].device)
        """The sum of the losses since it was last reset to 0."""

    def __call__(self, rows: Tensor, width: int) -> None:
        """Run one step."""
        self._step(rows, width)

    def _step(self, rows: Tensor, width: int) -> None:
        self.optimizer.zero_grad(set_to_none=True)
        with self.autocast():
            loss = self.loss(rows, width)
        loss.backward()  # type: ignore[no-untyped-call]  # PyTorch leaves it untyped
        if self.clip:
            nn.utils.clip_grad_norm_(self.parameters, self.clip)
        self.optimizer.step()
        if self.average is not None:
            self.average.update()
        self.total += loss.detach()


class CudaGraphStep(TrainingStep):
    """Captures a step of each width as a CUDA graph, so that a small network does not wait for Python.

    Capturing runs real steps; what they change is restored, so that a resumed training gives the same weights.
    """

    def __init__(self, *args: Any, size: int, **options: Any) -> None:
        super().__init__(*args, **options)
        self._rows = torch.zeros(size, dtype=torch.long, device=self.total.device)
        self._graphs: dict[int, torch.cuda.CUDAGraph] = {}
        self._pool: Any = None

    def __call__(self, rows: Tensor, width: int) -> None:
        """Replay the step that was captured for this width."""
        self._rows.copy_(rows)
        if width not in self._graphs:
            self._graphs[width] = self._captured(width)
        self._graphs[width].replay()

    def _captured(self, width: int) -> torch.cuda.CUDAGraph:
        saved = [(tensor, tensor.detach().clone()) for tensor in self._changing()]
        random_state = torch.cuda.get_rng_state()
        aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]  # PyTorch leaves it untyped
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(2):
                self._step(self._rows, width)
        torch.cuda.current_stream().wait_stream(aside)
        self.optimizer.zero_grad(set_to_none=True)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            self._step(self._rows, width)
        self._pool = self._pool or graph.pool()
        known = {id(tensor) for tensor, _ in saved}
        with torch.no_grad():
            for tensor, value in saved:
                tensor.copy_(value)
            for tensor in self._changing():
                if id(tensor) not in known:  # what the optimizer created in its first step starts at 0
                    tensor.zero_()
        torch.cuda.set_rng_state(random_state)
        return graph

    def _changing(self) -> Iterable[Tensor]:
        yield self.total
        yield from self.parameters
        for state in self.optimizer.state.values():
            yield from (value for value in state.values() if isinstance(value, Tensor))
        if self.average is not None:
            yield from self.average.values
            yield self.average.steps
