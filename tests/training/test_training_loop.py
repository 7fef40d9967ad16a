"""The training loop: repeatable, resumable, the best epoch, the learning rates."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.parts import parts
from tests.training.corpora import TINY, TINY_CRF, examples

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402  PyTorch is optional

from karatage.errors import InputError, UsageError  # noqa: E402
from karatage.training.fit_context import Checkpointing, EpochResult, FitContext, FitResult  # noqa: E402
from karatage.training.models import get_model  # noqa: E402
from karatage.training.network.checkpoint import read_tensors, write_tensors  # noqa: E402
from karatage.training.network.network_settings import TrainingSettings  # noqa: E402
from karatage.training.network.training_loop import TrainingLoop, chosen_device  # noqa: E402
from karatage.training.network.training_step import WeightAverage  # noqa: E402
from karatage.training.settings import settings_from  # noqa: E402

GIVEN, TAGS = examples(20)
HELD, _ = examples(8, seed=5)
HELD_CODES = HELD.codes.tolist()


def fit(
    model: str = "bilstm", *, judged: bool = True, context: Mapping[str, Any] | None = None, **settings: Any
) -> FitResult:
    """Train a tiny model; the judge counts right tags, unless there is none."""
    kind = get_model(model)
    base = TINY if model == "bilstm" else TINY_CRF
    options: dict[str, Any] = {"validation": HELD, "score_tags": accuracy} if judged else {}
    return kind.labeller.fit(
        GIVEN,
        TAGS,
        settings_from(kind.settings, {**base, **settings}, "here"),
        FitContext(**options | dict(context or {})),
    )


def accuracy(codes: Any) -> dict[str, float]:
    return {"accuracy": sum(a == b for a, b in zip(codes.tolist(), HELD_CODES, strict=True)) / len(codes)}


def weights(fitted: FitResult) -> dict[str, Any]:
    return dict(fitted.labeller.network.state_dict())  # type: ignore[attr-defined]


def same(left: FitResult, right: FitResult) -> bool:
    """Whether two models have the same weights, to the last bit."""
    a, b = weights(left), weights(right)
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def curve(fitted: FitResult) -> list[tuple[int, float, Mapping[str, float]]]:
    """The history without the seconds."""
    return [(one.number, one.loss, one.metrics) for one in fitted.history]


class Scripted:
    """A judge that says what it was told to, epoch by epoch."""

    def __init__(self, *values: float) -> None:
        self.values = iter(values)

    def __call__(self, codes: Any) -> dict[str, float]:
        assert len(codes) == len(HELD_CODES)
        return {"value": next(self.values)}


class Stop(Exception):  # noqa: N818  it is no error
    """What a test kills a training with."""


class Killer:
    """Ends a training at the first step, or at the end, of an epoch."""

    def __init__(self, epoch: int, *, at_end: bool = False) -> None:
        self.number, self.at_end, self.went_on = epoch, at_end, -1

    def resumed(self, epoch: int, _: float) -> None:
        self.went_on = epoch

    def step(self, epoch: int, epochs: int, step: int, steps: int) -> None:
        assert 1 <= step <= steps
        assert epoch <= epochs
        if epoch == self.number and not self.at_end:
            raise Stop

    def epoch(self, found: EpochResult, epochs: int) -> None:  # noqa: ARG002
        if found.number == self.number and self.at_end:
            raise Stop


@pytest.mark.parametrize(
    ("model", "settings"), [("bilstm", {}), ("bilstm-crf", {"chars": "lstm", "word_dropout": 0.3})]
)
def test_the_same_seed_gives_the_same_weights(model: str, settings: dict[str, Any]) -> None:
    torch.manual_seed(1)
    before = torch.get_rng_state()
    first = fit(model, **settings)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    assert same(fit(model, **settings), first)
    assert not same(fit(model, **settings, seed=1), first)


def test_a_judge_changes_nothing_but_the_choice_of_the_epoch() -> None:
    """Labelling the validation data draws no random numbers and leaves the network as it is."""
    settings = {"dropout": 0.3, "word_dropout": 0.2, "epochs": 3, "average": 0.5}
    alone = fit("bilstm-crf", judged=False, **settings)
    judged = fit("bilstm-crf", context={"score_tags": Scripted(0.1, 0.2, 0.3)}, **settings)
    assert same(alone, judged)
    assert [one.loss for one in alone.history] == [one.loss for one in judged.history]
    assert (alone.best_epoch, judged.best_epoch) == (3, 3)
    assert [one.metrics for one in alone.history] == [{}, {}, {}]


RESUMED: dict[str, tuple[str, dict[str, Any]]] = {
    "adam": ("bilstm", {}),
    "adamw, plateau": (
        "bilstm",
        {
            "optimizer": "adamw",
            "weight_decay": 0.1,
            "schedule": "plateau",
            "schedule_patience": 0,
            "learning_rate": 0.2,
        },
    ),
    "average": ("bilstm", {"average": 0.7}),
    "dropout": ("bilstm", {"dropout": 0.4, "word_dropout": 0.2, "layers": 2}),
    "linear": ("bilstm", {"schedule": "linear", "clip": 0.5}),
    "sgd": ("bilstm", {"optimizer": "sgd"}),
    "crf": ("bilstm-crf", {}),
}


@pytest.mark.parametrize("case", parts(RESUMED, 2))
def test_a_training_that_was_killed_goes_on_as_if_nothing_had_been(case: str, tmp_path: Path) -> None:
    """Killed behind each of six epochs, with a checkpoint after each: the same weights and the same curve."""
    model, settings = RESUMED[case]
    settings = {**settings, "epochs": 6}
    whole = fit(model, **settings)
    if "plateau" in case:
        values = [one.metrics["accuracy"] for one in whole.history]
        assert any(value <= max(values[:at]) for at, value in enumerate(values[1:5], 1))  # so the rate was lowered
    for epoch in range(2, 7):
        # Behind the checkpoint of the epoch before it; and before its own, at the very end.
        for at_end, place in ((False, tmp_path / f"{epoch}"), (True, tmp_path / f"{epoch}-end")):
            if at_end and epoch % 3:
                continue
            around = {"checkpointing": Checkpointing(place, 0.0, "it")}
            with pytest.raises(Stop):
                fit(model, **settings, context={**around, "progress": Killer(epoch, at_end=at_end)})
            watching = Killer(0)
            again = fit(model, **settings, context={**around, "progress": watching})
            assert watching.went_on == epoch - 1
            assert same(again, whole)
            assert curve(again) == curve(whole)
            assert again.best_epoch == whole.best_epoch


def test_killed_again_and_again(tmp_path: Path) -> None:
    around = {"checkpointing": Checkpointing(tmp_path / "c", 0.0)}
    settings = {"epochs": 5, "dropout": 0.2}
    for epoch in range(1, 6):
        with pytest.raises(Stop):
            fit("bilstm-crf", **settings, context={**around, "progress": Killer(epoch)})
    assert same(fit("bilstm-crf", **settings, context=around), fit("bilstm-crf", **settings))


def test_a_training_that_was_done_is_not_done_again(tmp_path: Path) -> None:
    """Killed between its last epoch and the writing of its model; also where it stopped early."""
    for settings, epochs in (({"epochs": 3}, 3), ({"epochs": 9, "patience": 2}, 3)):
        path = tmp_path / f"{settings['epochs']}"
        around: dict[str, Any] = {"checkpointing": Checkpointing(path, 0.0)}
        first = fit(**settings, context={**around, "score_tags": Scripted(0.9, 0.8, 0.7)})
        again = fit(**settings, context={**around, "score_tags": Scripted(), "progress": Killer(epochs + 1)})
        assert same(again, first)
        assert curve(again) == curve(first)
        assert (first.best_epoch, len(again.history)) == (1, epochs)


def test_without_time_for_a_checkpoint_there_is_none(tmp_path: Path) -> None:
    fit(context={"checkpointing": Checkpointing(tmp_path / "c", 3600.0)})
    assert not (tmp_path / "c").exists()


def test_a_checkpoint_of_another_training_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c"
    fit(context={"checkpointing": Checkpointing(path, 0.0, "one")})
    with pytest.raises(
        InputError, match=r"c: is a checkpoint of a training with other settings or data\. Use the same"
    ):
        fit(context={"checkpointing": Checkpointing(path, identity="two")})
    with pytest.raises(InputError, match=r"c: does not fit this training"):
        fit(hidden=10, context={"checkpointing": Checkpointing(path, identity="one")})


def _without_state(path: Path) -> None:
    tensors, _ = read_tensors(path)
    write_tensors(path, tensors, {"identity": ""})


def _without_optimizer_and_average(path: Path) -> None:
    tensors, facts = read_tensors(path)
    write_tensors(path, {k: v for k, v in tensors.items() if not k.startswith("average")}, facts)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-100]),
        lambda path: path.write_bytes(path.read_bytes()[:20]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"\x80\x04cos\nsystem\n(S'false'\ntR."),
        lambda path: path.write_bytes(b"\xff" * 5000),
        _without_state,
        _without_optimizer_and_average,
    ],
)
def test_a_damaged_checkpoint_is_refused(damage: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "c"
    fit(average=0.5, context={"checkpointing": Checkpointing(path, 0.0)})
    damage(path)
    with pytest.raises(InputError, match=r"c: (is damaged|does not fit)"):
        fit(average=0.5, context={"checkpointing": Checkpointing(path)})


def test_tensors_with_facts(tmp_path: Path) -> None:
    given = {"a": torch.arange(6).view(2, 3).t(), "b": torch.tensor(1.5)}
    write_tensors(tmp_path / "t", given, {"x": ["ä", 1]})
    tensors, facts = read_tensors(tmp_path / "t")
    assert facts == {"x": ["ä", 1]}
    assert {name: tensor.tolist() for name, tensor in tensors.items()} == {"a": [[0, 3], [1, 4], [2, 5]], "b": 1.5}


@pytest.mark.parametrize("average", [0.0, 0.6])
@pytest.mark.parametrize(
    ("values", "best"),
    [((0.1, 0.5, 0.3, 0.5), 2), ((0.4, 0.3, 0.2, 0.1), 1), ((0.1, 0.2, 0.3, 0.4), 4), ((0.0,) * 4, 1)],
)
def test_the_best_epochs_weights_are_kept(values: tuple[float, ...], best: int, average: float) -> None:
    """They are those of a training that ends there; of equal epochs the first is the best."""
    found = fit(epochs=4, average=average, context={"score_tags": Scripted(*values)})
    assert found.best_epoch == best
    assert [one.metrics["value"] for one in found.history] == list(values)
    assert same(found, fit(epochs=best, average=average, judged=False))


def test_the_first_metric_decides() -> None:
    calls = iter([(0.1, 0.9), (0.2, 0.8)])
    found = fit(context={"score_tags": lambda _: dict(zip(("first", "second"), next(calls), strict=True))})
    assert found.best_epoch == 2


@pytest.mark.parametrize(
    ("patience", "values", "epochs"),
    [
        (2, (0.5, 0.4, 0.3, 0.9), 3),
        (1, (0.5, 0.6, 0.6, 0.9), 3),  # the same again is not better
        (3, (0.5, 0.4, 0.3, 0.6, 0.1, 0.1, 0.1, 0.9), 7),
        (0, (0.5, 0.4, 0.3, 0.2), 4),
    ],
)
def test_stopping_early(patience: int, values: tuple[float, ...], epochs: int) -> None:
    found = fit(epochs=len(values), patience=patience, context={"score_tags": Scripted(*values)})
    assert len(found.history) == epochs


class Line:
    """A network of one weight, whose steps take down the learning rates that they run with."""

    def __init__(self, rates: tuple[float, ...] = (0.1,)) -> None:
        self.network = nn.Linear(1, len(rates), bias=False)
        self.parts = nn.ParameterList([nn.Parameter(torch.ones(1)) for _ in rates])
        self.network.parts = self.parts
        self.rates = rates
        self.used: list[list[float]] = []
        self.training: TrainingLoop

    def loss(self, rows: Any, width: int) -> Any:
        assert rows.shape == (2,)
        assert width == 4
        self.used.append([float(group["lr"]) for group in self.training.optimizer.param_groups])
        return sum((part**2).sum() for part in self.parts)

    def groups(self) -> Iterator[tuple[list[Any], float]]:
        return (([part], rate) for part, rate in zip(self.parts, self.rates, strict=True))


def rates(values: tuple[float, ...], *, start: tuple[float, ...] = (0.1,), **settings: Any) -> list[list[list[float]]]:
    """The rates of each step of each epoch, where an epoch has three steps."""
    task = Line(start)
    lengths = np.array([3, 1, 2, 3, 2])
    told = iter(values)
    given = TrainingSettings(epochs=len(values), batch=2, **settings)
    context = FitContext(score_tags=lambda _: {"value": next(told)})
    task.training = TrainingLoop(task, lengths, given, torch.device("cpu"), context, graphs=False)
    task.training.run(lambda: np.zeros(0, np.int64))
    assert len(task.used) == 3 * len(values)
    return [task.used[at : at + 3] for at in range(0, len(task.used), 3)]


@pytest.mark.parametrize("patience", [0, 1, 2])
def test_a_plateau_lowers_the_rate_as_pytorchs_does(patience: int) -> None:
    values = (0.1, 0.3, 0.2, 0.3, 0.1, 0.2, 0.4, 0.4, 0.4, 0.4, 0.1, 0.2)
    found = rates(values, schedule="plateau", schedule_factor=0.5, schedule_patience=patience)
    weight = nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    theirs = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, "max", factor=0.5, patience=patience, threshold=0)
    for epoch, value in enumerate(values):
        expected = optimizer.param_groups[0]["lr"]
        assert found[epoch] == [[pytest.approx(expected)]] * 3
        theirs.step(value)
    assert optimizer.param_groups[0]["lr"] < 0.1


def test_a_plateau_by_hand() -> None:
    """Patience 1: epochs 2 and 3 are no better than 1, so the rate is halved for epoch 4; 5 is better; 6, 7 are not."""
    found = rates((0.5, 0.4, 0.5, 0.3, 0.6, 0.1, 0.1, 0.1), schedule="plateau", schedule_patience=1)
    assert [epoch[0][0] for epoch in found] == pytest.approx([0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05, 0.025])


def test_a_linear_schedule_by_hand() -> None:
    """Ten epochs of three steps: three rise to the full rate, 27 fall; each group of weights from its own rate."""
    found = [step for epoch in rates((0.0,) * 10, start=(0.9, 0.3), schedule="linear") for step in epoch]
    assert [step[0] for step in found[:5]] == pytest.approx([0.3, 0.6, 0.9, 0.9, 0.9 * 26 / 27])
    assert found[-1] == pytest.approx([0.9 / 27, 0.3 / 27])
    assert [step[1] for step in found] == pytest.approx([step[0] / 3 for step in found])


def test_a_rate_that_stays() -> None:
    assert rates((0.3, 0.2, 0.1)) == [[[0.1]] * 3] * 3


def test_a_loss_that_is_no_number() -> None:
    with pytest.raises(UsageError, match="the loss is not finite in epoch 1. Use a lower learning_rate, or clip"):
        fit(learning_rate=1e38, optimizer="sgd")


def test_a_batch_is_never_larger_than_the_data() -> None:
    assert same(fit(batch=1000), fit(batch=len(GIVEN)))
    assert not same(fit(batch=1000), fit(batch=len(GIVEN) - 1))


def test_a_running_average_by_hand() -> None:
    """The share of the new weights is 9 / (9 + step), but at least 1 - keep: .9, .818, .75, .692 …"""
    weight = nn.Parameter(torch.zeros(1))
    average = WeightAverage([weight], 0.3)
    expected = 0.0
    for step, value in enumerate((1.0, 5.0, -2.0, 3.0), 1):
        with torch.no_grad():
            weight.fill_(value)
        average.update()
        expected += max(9 / (9 + step), 0.7) * (value - expected)
        assert float(average.values[0]) == pytest.approx(expected, rel=1e-5)
    average.swap()
    assert float(weight.detach()) == pytest.approx(expected, rel=1e-5)
    assert float(average.values[0]) == 3.0


def test_clipping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gradients of a norm above `clip` are scaled down to it, and no others."""
    norms: list[float] = []
    original = nn.utils.clip_grad_norm_

    def watched(parameters: Any, most: float) -> Any:
        out = original(parameters, most)
        norms.append(float(sum((p.grad**2).sum() for p in parameters if p.grad is not None) ** 0.5))
        return out

    monkeypatch.setattr(nn.utils, "clip_grad_norm_", watched)
    fit(clip=0.05, epochs=1)
    assert norms
    assert max(norms) == pytest.approx(0.05, rel=1e-3)
    norms.clear()
    fit(clip=0.0, epochs=1)
    assert not norms


def test_a_category_that_training_did_not_see_is_like_all_of_them() -> None:
    table = weights(fit())["category.weight"]
    assert table.shape[0] == 3
    torch.testing.assert_close(table[0], table[1:].mean(0))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there() -> None:
    for name in ("cuda", "cuda:1"):
        with pytest.raises(UsageError, match=f"device is {name}, but PyTorch finds no GPU. Use device=auto"):
            fit(device=name)
    assert chosen_device("auto") == torch.device("cpu")


def test_a_device_that_is_none() -> None:
    with pytest.raises(UsageError, match="device must be auto, cpu or cuda, not 'tpu'"):
        chosen_device("tpu")
    with pytest.raises(UsageError, match="cannot use device 'cpu:x'"):
        chosen_device("cpu:x")


def has_bfloat16_lstm() -> bool:
    """Tell whether this machine can run an LSTM in bfloat16, which oneDNN lacks for many CPUs."""
    device = chosen_device("auto")
    try:
        with torch.autocast(device.type, torch.bfloat16):
            nn.LSTM(2, 2, batch_first=True).to(device)(torch.zeros(1, 1, 2, device=device))
    except RuntimeError:
        return False
    return True


def test_bfloat16() -> None:
    """In half precision the network still learns, and labels the same twice."""
    if not has_bfloat16_lstm():
        pytest.skip("PyTorch has no LSTM in bfloat16 for this CPU")
    found = fit(precision="bfloat16", epochs=4)
    assert found.history[-1].loss < found.history[0].loss
    assert (
        found.labeller.label(HELD.tokens, HELD.groups).tolist()
        == found.labeller.label(HELD.tokens, HELD.groups).tolist()
    )
    assert not same(found, fit(epochs=4))


def test_it_learns() -> None:
    """Forty epochs are enough for both to get all tags of what they learned from right."""
    for model in ("bilstm", "bilstm-crf"):
        found = fit(model, epochs=40, judged=False, learning_rate=0.03, average=0.0, dropout=0.0)
        assert found.history[-1].loss < 0.1 * found.history[0].loss
        assert found.labeller.label(GIVEN.tokens, GIVEN.groups).tolist() == GIVEN.codes.tolist()


def test_an_epoch_as_plain_data() -> None:
    one = EpochResult(3, 0.5, 1.25, {"f1": 0.75})
    assert EpochResult.from_dict(json.loads(json.dumps(one.to_dict()))) == one
