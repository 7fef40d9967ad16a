"""Metrics for the Trainer of Hugging Face transformers."""

from __future__ import annotations

import json
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


def test_batches_add_up_until_the_last_one() -> None:
    """As with `batch_eval_metrics`: 1 of 2 entities in the first batch, 1 of 1 in the second, then nothing is left."""
    compute = compute_metrics(TAGS)
    first, second = (np.array([[1, 0], [3, IGNORED]]), np.array([[1, 0], [0, 0]])), (np.array([[3]]), np.array([[3]]))
    assert compute((first[1], first[0]), compute_result=False) == {}
    assert compute((second[1], second[0]), compute_result=True)["recall"] == pytest.approx(2 / 3)
    assert compute((first[1], first[0]))["recall"] == 0.5


def test_batches_that_were_not_joined() -> None:
    """As with `eval_do_concat_batches=False`: each batch has its own length."""
    ids = [np.array([[1, 2, 0], [1, 0, IGNORED]]), np.array([[3, 0]])]
    found = [logits_of(np.array([[1, 2, 0], [0, 0, 0]])), logits_of(np.array([[3, 0]]))]
    assert compute_metrics(TAGS)((found, ids))["recall"] == pytest.approx(2 / 3)


def test_tensors() -> None:
    torch = pytest.importorskip("torch")
    gold = torch.tensor([[1, 2, IGNORED]])
    logits = torch.tensor(logits_of(np.array([[1, 2, 0]])), dtype=torch.bfloat16, requires_grad=True)
    assert compute_metrics(TAGS)((logits, gold))["f1"] == 1.0


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("batches", ["joined", "apart", "added"])
def test_a_real_trainer(tmp_path: Path, batches: str) -> None:
    """A tiny BERT is trained until it stops early; the numbers are those of its own predictions."""
    pytest.importorskip("accelerate")
    from transformers import BertConfig, BertForTokenClassification, EarlyStoppingCallback, Trainer, TrainingArguments

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
            str(tmp_path),
            num_train_epochs=9,
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
            learning_rate=0.0,
            eval_strategy="epoch",
            save_strategy="epoch",
            load_best_model_at_end=True,
            metric_for_best_model="f1",
            eval_do_concat_batches=batches != "apart",
            batch_eval_metrics=batches == "added",
            per_device_eval_batch_size=5,
        ),
        train_dataset=rows,
        eval_dataset=rows,
        compute_metrics=compute_metrics(config.id2label),
        callbacks=[EarlyStoppingCallback(2)],
    )
    trainer.train()
    state = json.loads(next(tmp_path.glob("checkpoint-*/trainer_state.json")).read_text())
    told = trainer.evaluate()
    assert trainer.state.epoch == 3  # without learning, two epochs after the first are no better
    assert state["best_metric"] == told["eval_f1"]
    trainer.args.batch_eval_metrics, trainer.args.eval_do_concat_batches = False, True
    found = trainer.predict(rows)
    gold = [[TAGS[k] for k in row["labels"] if k != IGNORED] for row in rows]
    pred = [[TAGS[k] for k in row[1:5]] for row in np.asarray(found.predictions).argmax(-1)]
    assert told["eval_f1"] == pytest.approx(peer.f1_score(gold, pred), abs=0)
    assert told["eval_recall"] == peer.recall_score(gold, pred)
