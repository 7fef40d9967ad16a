"""One step of training: as PyTorch runs it, or recorded once as a CUDA graph and played again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn


class Average:
    """A running average of the weights: at each step it moves a little towards them.

    Early on it moves faster, so that the first weights, which are noise, are soon forgotten.
    """

    def __init__(self, parameters: list[nn.Parameter], keep: float) -> None:
        self.parameters, self.least = parameters, 1 - keep
        self.values = [parameter.detach().clone() for parameter in parameters]
        self.steps = torch.zeros((), device=parameters[0].device)

    def update(self) -> None:
        """Move towards the weights."""
        self.steps += 1
        share = (9 / (9 + self.steps)).clamp(min=self.least)
        with torch.no_grad():
            for value, parameter in zip(self.values, self.parameters, strict=True):
                value.lerp_(parameter, share.to(value.dtype))

    def swap(self) -> None:
        """Exchange the weights and their average."""
        with torch.no_grad():
            for value, parameter in zip(self.values, self.parameters, strict=True):
                held = parameter.detach().clone()
                parameter.copy_(value)
                value.copy_(held)


class Steps:
    """Runs the steps of training.

    Args:
        loss: the loss of the units in a tensor of rows, padded to a width.
        optimizer: the optimizer.
        parameters: what is trained.
        clip: the norm that gradients are scaled down to; 0 leaves them.
        average: a running average of the weights, or None.
        autocast: makes the context in which the loss is computed.
    """

    def __init__(
        self,
        loss: Callable[[Tensor, int], Tensor],
        optimizer: torch.optim.Optimizer,
        parameters: list[nn.Parameter],
        *,
        clip: float,
        average: Average | None,
        autocast: Callable[[], AbstractContextManager[Any]] = nullcontext,
    ) -> None:
        self.loss, self.optimizer, self.parameters = loss, optimizer, parameters
        self.clip, self.average, self.autocast = clip, average, autocast
        self.total = torch.zeros((), device=parameters[0].device)
        """The sum of the losses since it was last set to 0."""

    def __call__(self, rows: Tensor, width: int) -> None:
        """Do one step."""
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


class GraphedSteps(Steps):
    """Records a step of each width as a CUDA graph: a small network then waits for the GPU, not for Python.

    Recording needs steps that really run; what they changed is put back, so a recorded training is the same from
    wherever it starts.
    """

    def __init__(self, *args: Any, size: int, **options: Any) -> None:
        super().__init__(*args, **options)
        self._rows = torch.zeros(size, dtype=torch.long, device=self.total.device)
        self._graphs: dict[int, torch.cuda.CUDAGraph] = {}
        self._pool: Any = None

    def __call__(self, rows: Tensor, width: int) -> None:
        """Play the step that was recorded for this width."""
        self._rows.copy_(rows)
        if width not in self._graphs:
            self._graphs[width] = self._recorded(width)
        self._graphs[width].replay()

    def _recorded(self, width: int) -> torch.cuda.CUDAGraph:
        saved = [(tensor, tensor.detach().clone()) for tensor in self._changing()]
        dice = torch.cuda.get_rng_state()
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
                if id(tensor) not in known:  # what the optimizer made in its first step starts at 0
                    tensor.zero_()
        torch.cuda.set_rng_state(dice)
        return graph

    def _changing(self) -> Iterable[Tensor]:
        yield self.total
        yield from self.parameters
        for state in self.optimizer.state.values():
            yield from (value for value in state.values() if isinstance(value, Tensor))
        if self.average is not None:
            yield from self.average.values
            yield self.average.steps
