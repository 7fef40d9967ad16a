"""Against Inspect AI: it runs an evaluation with a mock model, and reports what Karatage reads in its log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.peer_environments import installed, told_by
from tests.samples.test_logs import ANSWERS

import karatage
from karatage.samples.inspect_logs import _as_float

VERSION = "0.3.285"

SCRIPT = '''
import json
import random

import tiktoken


class Words:
    """Counts tokens without the network, where the vocabulary would come from."""

    def encode(self, text, **_):
        return text.split()

    encode_ordinary = encode


tiktoken.get_encoding = tiktoken.encoding_for_model = lambda *_: Words()

from inspect_ai import Epochs, Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import Score, accuracy, match, mean, scorer, stderr, value_to_float
from inspect_ai.solver import generate


@scorer(metrics=[mean(), stderr(), stderr(cluster="topic")])
def graded():
    async def score(state, target):
        return Score(value={"yes": 1.0, "maybe": 0.25}.get(state.output.completion, 0.0))

    return score


@scorer(metrics={"length": [mean()], "tone": [mean(), stderr()]})
def rubric():
    async def score(state, target):
        return Score(value={"length": len(state.output.completion) / 10, "tone": 0.5})

    return score


rng = random.Random(5)
topics = [k for k in range(12) for _ in range(1 + k % 4)]
samples = [Sample(id=f"s{k}", input=f"Q{k}", target="yes", metadata={"topic": f"t{t}"}) for k, t in enumerate(topics)]
made = {}
for name, log_format, epochs, reducers in (
    ("one", "eval", 1, None), ("two", "json", 1, None), ("three", "eval", 3, None),
    ("largest", "eval", 3, ["max"]), ("usual", "json", 3, ["mode"]), ("passed", "eval", 3, ["mean", "pass_at_2"]),
):
    right = [rng.random() for _ in range(12)]
    asked = [t for t in topics for _ in range(epochs)]
    said = [rng.choices(["yes", "maybe", "no"], [right[t], 0.3, 1 - right[t]])[0] for t in asked]
    outputs = [ModelOutput.from_content("mockllm/model", word) for word in said]
    scorers = [match(), graded(), rubric()] if reducers is None else match()
    task = Task(dataset=samples, solver=generate(), scorer=scorers, name="quiz")
    model = get_model("mockllm/model", custom_outputs=outputs)
    repeats = Epochs(epochs, reducers)
    options = {"epochs": repeats, "log_dir": name, "log_format": log_format, "display": "none", "max_connections": 1}
    (log,) = eval(task, model=model, **options)
    assert log.status == "success", log.error
    scores = {}
    for own in log.results.scores:
        values = {key: metric.value for key, metric in own.metrics.items()}
        shown = own.name if own.scorer == own.name else f"{own.scorer}/{own.name}"
        scores[f"{shown}/{own.reducer}" if reducers and len(reducers) > 1 else shown] = values
    made[name] = {"log": log.location, "scores": scores, "samples": len(topics)}
floats = [value_to_float()(answer) for answer in ANSWERS]
print(json.dumps({"logs": made, "floats": floats}))
'''


@pytest.fixture(scope="module")
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    python = installed(request.config, "inspect_ai", VERSION)
    script = SCRIPT.replace("ANSWERS", repr(ANSWERS))
    return told_by(python, script, tmp_path_factory.mktemp("inspect"), INSPECT_DISABLE_MODEL_API="0")


def shown_error(result: karatage.Result, metric: str) -> float:
    """Return the standard error that the samples show; where answers are partly right, Karatage adds to it for failures
    that the samples do not show."""
    return float(result.evidence[result.profile.metrics[metric]].shown ** 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one", "two", "three"])
def test_means_and_standard_errors_are_those_that_inspect_reports(name: str, told: Any) -> None:
    """Of a log in either format, and of means over three epochs."""
    made = told["logs"][name]
    path = Path(made["log"])
    result = karatage.score(path)
    assert result.counts["units"] == made["samples"]
    assert set(result.metrics) == set(made["scores"])
    for metric, reported in made["scores"].items():
        value = reported.get("accuracy", reported.get("mean"))
        assert result[metric].value == pytest.approx(value, abs=1e-12)
    for metric in ("match", "graded"):
        reported = made["scores"][metric]["stderr"]
        assert shown_error(result, metric) == pytest.approx(reported, rel=1e-6)
        assert (result[metric].error or 0) > reported * (1 - 1e-6)
    assert result["match"].error == pytest.approx(
        made["scores"]["match"]["stderr"], rel=0.1 if name == "three" else 1e-6
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["largest", "usual", "passed"])
def test_epochs_are_reduced_as_in_inspect(name: str, told: Any) -> None:
    """By their maximum, by the most frequent score, and by the chance that one of two answers is right."""
    made = told["logs"][name]
    result = karatage.score(made["log"])
    assert result.counts["units"] == made["samples"]
    assert set(result.metrics) == set(made["scores"])
    for metric, reported in made["scores"].items():
        assert result[metric].value == pytest.approx(reported["accuracy"], abs=1e-12)
        shown = shown_error(result, metric)
        assert shown == pytest.approx(reported["stderr"], rel=1e-6)
    assert any("as in Inspect" in warning for warning in result.warnings)


@pytest.mark.slow
def test_clustered_standard_errors_are_those_that_inspect_reports(told: Any) -> None:
    """`stderr(cluster="topic")` and `--cluster-by topic`, with clusters of one to four samples."""
    made = told["logs"]["one"]
    (clustered,) = [
        value for key, value in made["scores"]["graded"].items() if key.startswith("stderr") and key != "stderr"
    ]
    result = karatage.score(made["log"], cluster_by="topic", metrics=["graded"])
    assert shown_error(result, "graded") == pytest.approx(clustered, rel=1e-6)
    assert (result.headline.error or 0) > clustered


@pytest.mark.slow
def test_answers_become_the_numbers_that_inspect_makes_of_them(told: Any) -> None:
    assert [_as_float(answer) for answer in ANSWERS] == told["floats"]


@pytest.mark.slow
def test_logs_in_both_formats_are_compared(told: Any) -> None:
    one, two = (told["logs"][name]["log"] for name in ("one", "two"))
    found = karatage.compare(None, {"a": one, "b": two})
    means = {name: told["logs"][key]["scores"]["match"]["accuracy"] for name, key in (("a", "one"), ("b", "two"))}
    assert {name: score.value for name, score in found.headline.scores.items()} == pytest.approx(means)
