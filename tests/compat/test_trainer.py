"""Metrics for the Trainer of Hugging Face transformers."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import seqeval.metrics as peer

from karatage.compat.trainer import IGNORED, compute_metrics
from karatage.errors import InputError, UsageError

TAGS = ["O", "B-PER", "I-PER", "B-LOC"]


def logits_of(ids: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    found: np.ndarray[Any, Any] = np.eye(len(TAGS))[ids]
    return found


def test_logits_and_label_ids() -> None:
    """Two entities of gold, of which one is found, and one false one: P = R = F1 = 1/2. Ignored tokens do not count."""
    gold = np.array([[IGNORED, 1, 2, IGNORED, 0], [IGNORED, 3, 0, 0, IGNORED]])
    pred = np.array([[3, 1, 2, 1, 0], [1, 0, 0, 1, 3]])
    found = compute_metrics(TAGS, by_label=True)(SimpleNamespace(predictions=logits_of(pred), label_ids=gold))
    assert found["precision"] == found["recall"] == found["f1"] == 0.5
    assert found["f1/PER"] == pytest.approx(2 / 3)
    assert found["f1/LOC"] == 0.0
    rows = [[[TAGS[p] for p, g in zip(ps, gs, strict=True) if g != IGNORED] for ps, gs in zip(side, gold, strict=True)]
            for side in (gold, pred)]  # fmt: skip
    assert found["f1"] == peer.f1_score(*rows)


def test_pairs_tuples_and_ids() -> None:
    gold = np.array([[1, 2, 0]])
    compute = compute_metrics({0: "O", 1: "B-PER", 2: "I-PER", 3: "B-LOC"})
    assert compute((logits_of(gold), gold))["f1"] == 1.0
    assert compute(((logits_of(gold), "hidden states"), gold))["f1"] == 1.0
    assert compute((gold, gold))["f1"] == 1.0


def test_a_model_that_predicts_nothing_is_0_and_not_an_error() -> None:
    gold = np.array([[1, 2, 0]])
    compute = compute_metrics(TAGS)
    assert compute((np.zeros((1, 3), int), gold))["precision"] == 0.0
    assert compute_metrics(TAGS, undefined=-1.0, like="exact")((np.zeros((1, 3), int), gold))["precision"] == -1.0


def test_intervals() -> None:
    gold = np.array([[1, 2, 0], [3, 0, 0]] * 20)
    pred = np.where(np.arange(40)[:, None] % 5 == 0, 0, gold)
    found = compute_metrics(TAGS, intervals=True)((pred, gold))
    assert found["f1_low"] < found["f1"] < found["f1_high"]


def test_what_does_not_fit_is_told() -> None:
    gold = np.array([[1, 2, 0]])
    with pytest.raises(InputError, match=r"shape \(1, 2\) do not fit label ids of shape \(1, 3\)"):
        compute_metrics(TAGS)((np.zeros((1, 2), int), gold))
    with pytest.raises(InputError, match="label id 7 has no name: there are 4 labels"):
        compute_metrics(TAGS)((gold, np.array([[1, 7, 0]])))
    with pytest.raises(UsageError, match="ids 0, 1, 2"):
        compute_metrics({1: "O"})


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_real_trainer(tmp_path: Path) -> None:
    """A tiny BERT, trained for two steps, is evaluated; the numbers are those of its own predictions."""
    pytest.importorskip("accelerate")
    from transformers import BertConfig, BertForTokenClassification, Trainer, TrainingArguments

    config = BertConfig(
        vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        id2label=dict(enumerate(TAGS)), label2id={tag: k for k, tag in enumerate(TAGS)},
    )  # fmt: skip
    rng = np.random.default_rng(0)
    rows = [
        {"input_ids": rng.integers(1, 50, 6).tolist(), "labels": [IGNORED, *rng.integers(0, 4, 4).tolist(), IGNORED]}
        for _ in range(16)
    ]
    trainer = Trainer(
        BertForTokenClassification(config),
        TrainingArguments(
            str(tmp_path), max_steps=2, report_to=[], use_cpu=True, disable_tqdm=True, save_strategy="no"
        ),
        train_dataset=rows,
        eval_dataset=rows,
        compute_metrics=compute_metrics(config.id2label),
    )
    trainer.train()
    told = trainer.evaluate()
    found = trainer.predict(rows)
    gold = [[TAGS[k] for k in row["labels"] if k != IGNORED] for row in rows]
    pred = [[TAGS[k] for k in row[1:5]] for row in np.asarray(found.predictions).argmax(-1)]
    assert told["eval_f1"] == pytest.approx(peer.f1_score(gold, pred), abs=0)
    assert told["eval_recall"] == peer.recall_score(gold, pred)
