"""The metric for torchmetrics, on one process and on two."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import seqeval.metrics as peer

torch = pytest.importorskip("torch")
torchmetrics = pytest.importorskip("torchmetrics")

from karatage.compat.torchmetrics import TagScores  # noqa: E402  it needs both
from karatage.errors import UsageError  # noqa: E402

TAGS = ["O", "B-PER", "I-PER", "B-LOC"]


def batch(seed: int, count: int) -> tuple[Any, Any]:
    """Return logits and label ids, of which some are ignored."""
    rng = np.random.default_rng(seed)
    ids = torch.tensor(rng.integers(0, 4, (count, 7)))
    logits = torch.eye(4)[ids] + torch.tensor(rng.normal(0, 0.5, (count, 7, 4)))
    ids[:, 0], ids[:, -1] = -100, -100
    return logits, ids


def named(batches: list[tuple[Any, Any]]) -> tuple[list[list[str]], list[list[str]]]:
    gold = [[TAGS[k] for k in row[1:-1]] for _, ids in batches for row in ids]
    return gold, [[TAGS[k] for k in row[1:-1]] for logits, _ in batches for row in logits.argmax(-1)]


BATCHES = [batch(0, 5), batch(1, 3), batch(2, 8)]


def test_batches_add_up() -> None:
    metric = TagScores(TAGS, by_label=True)
    for one in BATCHES:
        metric.update(*one)
    found, (gold, pred) = metric.compute(), named(BATCHES)
    assert found["f1"] == peer.f1_score(gold, pred)
    assert found["recall"] == peer.recall_score(gold, pred)
    assert found["f1/PER"] == peer.f1_score(gold, pred, average=None)[1]


def test_a_call_returns_the_scores_of_a_batch_and_keeps_all() -> None:
    metric = TagScores(TAGS)
    for one in BATCHES:
        assert metric(*one)["f1"] == peer.f1_score(*named([one]))
    assert metric.compute()["f1"] == peer.f1_score(*named(BATCHES))


def test_lists_of_tags_predictions_first() -> None:
    """In each sentence, one of two entities is found, and nothing else."""
    metric = TagScores(intervals=True)
    metric.update([["B-PER", "O"]] * 30, [["B-PER", "B-LOC"]] * 30)
    found = metric.compute()
    assert (found["precision"], found["recall"]) == (1.0, 0.5)
    assert found["recall_low"] < 0.5 < found["recall_high"]


def test_it_starts_anew_after_a_reset() -> None:
    metric = TagScores(TAGS)
    metric.update(*BATCHES[0])
    metric.reset()
    metric.update(*BATCHES[1])
    assert metric.compute()["f1"] == peer.f1_score(*named([BATCHES[1]]))


@pytest.mark.filterwarnings("ignore:The ``compute`` method of metric")
def test_nothing_to_score_is_told() -> None:
    with pytest.raises(UsageError, match="call update first"):
        TagScores(TAGS).compute()


def test_copies_pickles_and_collections() -> None:
    metric = TagScores(TAGS)
    metric.update(*BATCHES[0])
    wanted = metric.compute()
    assert metric.clone().compute() == pickle.loads(pickle.dumps(metric)).compute() == wanted  # noqa: S301  our own
    collection = torchmetrics.MetricCollection([TagScores(TAGS)])
    collection.update(*BATCHES[0])
    assert collection.compute()["f1"] == wanted["f1"]


def scored_by(rank: int, folder: str, parts: list[list[int]]) -> None:
    """Score the batches of one process, and write what it computes."""
    torch.distributed.init_process_group("gloo", f"file://{folder}/meeting", rank=rank, world_size=len(parts))
    metric = TagScores(TAGS, by_label=True, intervals=True)
    for number in parts[rank]:
        metric.update(*BATCHES[number])
    found = metric.compute()
    metric.update(*BATCHES[0])  # it goes on with its own batches
    Path(folder, f"{rank}.pickle").write_bytes(pickle.dumps((found, metric.compute())))
    torch.distributed.destroy_process_group()


@pytest.mark.parametrize("parts", [[[0, 2], [1]], [[0, 1, 2], []]], ids=["both", "one"])
def test_two_processes_compute_what_one_does(parts: list[list[int]], tmp_path: Path) -> None:
    """Also where one of them has seen no batch; then each adds the first batch again."""
    torch.multiprocessing.spawn(scored_by, (str(tmp_path), parts), nprocs=2)
    metric = TagScores(TAGS, by_label=True, intervals=True)
    for one in BATCHES:
        metric.update(*one)
    first = metric.compute()
    metric.update(*BATCHES[0])
    metric.update(*BATCHES[0])
    for rank in range(2):
        assert pickle.loads((tmp_path / f"{rank}.pickle").read_bytes()) == (first, metric.compute())  # noqa: S301  our own
