"""Against lm-evaluation-harness: its dummy model answers a local task, and it reports what Karatage reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.peer_environments import installed, told_by

import karatage

VERSION = "0.4.13"

SCRIPT = """
import json
import subprocess
import sys
from pathlib import Path

rows = [
    {"question": f"{k} + 1", "choices": [str(k), str(k + 1)], "answer": 1, "subject": f"s{k % 4}"} for k in range(30)
]
Path("data.jsonl").write_text("".join(json.dumps(row) + "\\n" for row in rows))
task = {
    "task": "little_sums",
    "dataset_path": "json",
    "dataset_kwargs": {"data_files": {"test": str(Path("data.jsonl").resolve())}},
    "test_split": "test",
    "output_type": "multiple_choice",
    "doc_to_text": "{{question}} =",
    "doc_to_choice": "{{choices}}",
    "doc_to_target": "{{answer}}",
    "metric_list": [
        {"metric": name, "aggregation": "mean", "higher_is_better": True} for name in ("acc", "acc_norm")
    ],
}
Path("task.yaml").write_text(json.dumps(task))  # JSON is YAML
for seed in ("one", "two"):
    words = ["--model", "dummy", "--tasks", "little_sums", "--include_path", ".", "--output_path", seed]
    words += ["--log_samples", "--seed", "1" if seed == "one" else "2"]
    subprocess.run([sys.executable, "-m", "lm_eval", *words], check=True, stdout=sys.stderr)
found = {seed: json.loads(next(Path(seed).rglob("results_*.json")).read_text()) for seed in ("one", "two")}
print(json.dumps({seed: own["results"]["little_sums"] for seed, own in found.items()}))
"""


@pytest.mark.slow
def test_means_and_standard_errors_are_those_that_the_harness_reports(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    python = installed(request.config, "lm_eval", VERSION)
    told: Any = told_by(python, SCRIPT, tmp_path, HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")
    for seed in ("one", "two"):
        result = karatage.score(tmp_path / seed)  # the folder, with the results beside the samples
        assert result.counts == {"units": 30}
        for metric in ("acc", "acc_norm"):
            assert result[metric].value == pytest.approx(told[seed][f"{metric},none"])
            assert result[metric].error == pytest.approx(told[seed][f"{metric}_stderr,none"], rel=1e-6)
    found = karatage.compare(tmp_path / "one", {"two": tmp_path / "two"}, cluster_by="subject")
    assert found.headline.scores["two"].value == pytest.approx(told["two"]["acc,none"])
    assert found.drawn == 4
