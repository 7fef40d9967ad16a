"""A metric for torchmetrics and Lightning, which adds up the counts of batches and of processes."""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any, Unpack

import torch
from torchmetrics import Metric

from karatage.compat.trainer import score_ids
from karatage.errors import UsageError
from karatage.scoring import Result, ScoreKeywords, score


class TagScores(Metric):
    """Scores of tags, as plain numbers by name.

    `update(preds, target)` takes logits or predicted ids, and label ids, of which -100 is left out; or lists of tags if
    no names of tags are given.

    Args:
        tags: The tags by their ids: `model.config.id2label`, or a list.
        undefined: The number for what is undefined, such as the precision of a model that predicts nothing.
        by_label: Whether to add the scores of labels, such as `f1/PER`.
        intervals: Whether to add the ends of intervals, such as `f1_low`.
        options: Scoring options, such as `like="seqeval"`.
    """

    full_state_update = False

    def __init__(
        self,
        tags: Sequence[str] | Mapping[int, str] | None = None,
        *,
        undefined: float = 0.0,
        by_label: bool = False,
        intervals: bool = False,
        **options: Unpack[ScoreKeywords],
    ) -> None:
        super().__init__()
        self._tags, self._options, self._intervals = tags, options, intervals
        self._flat: dict[str, Any] = {"undefined": undefined, "labels": by_label, "intervals": intervals}
        # Results as bytes: one after the other they can be read again, so processes are joined as torchmetrics does.
        self.results: list[torch.Tensor]
        self.add_state("results", default=[], dist_reduce_fx="cat")

    def update(self, preds: Any, target: Any) -> None:
        """Add a batch."""
        self._keep(reduce(add, [*self._read(), self._score(preds, target)]))

    def compute(self) -> dict[str, float]:
        """Return the scores of all batches, of all processes."""
        found = self._read()
        if not found:
            raise UsageError("there is nothing to score: call update first")
        return reduce(add, found).to_flat(**self._flat)

    def sync(self, *args: Any, **kwargs: Any) -> None:
        """Join the results of all processes, of which some may have seen no batch."""
        if not self.results:
            self.results = [torch.empty(0, dtype=torch.uint8, device=self.device)]
        super().sync(*args, **kwargs)

    def _score(self, preds: Any, target: Any) -> Result:
        if self._tags is not None:
            return score_ids(self._tags, intervals=self._intervals, **self._options)(preds, target)
        given: dict[str, Any] = {"like": "seqeval"} | dict(self._options)
        return score(target, preds, resamples=1000 if self._intervals else 0, **given)

    def _keep(self, result: Result) -> None:
        data = bytearray(pickle.dumps(result))
        self.results = [torch.frombuffer(data, dtype=torch.uint8).to(self.device)]

    def _read(self) -> list[Result]:
        held = self.results if isinstance(self.results, list) else [self.results]  # one tensor once they are joined
        data = b"".join(one.cpu().numpy().tobytes() for one in held)
        stream, out = io.BytesIO(data), []
        while stream.tell() < len(data):
            out.append(pickle.load(stream))  # noqa: S301  what the processes of this training wrote
        return out
