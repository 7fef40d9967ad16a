"""The recipes for training loops run as they are, each copied to a file of its own, with the real packages."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.docs.examples import blocks

from karatage.demo import copy

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "training-loops.md"
RECIPES = {block.title: block.body for block in blocks(PAGE) if block.language == "python"}
NEEDS = {
    "hugging_face.py": ("torch", "transformers", "accelerate"),
    "batches.py": (),
    "with_lightning.py": ("torch", "torchmetrics", "lightning"),
    "with_scikit_learn.py": ("sklearn",),
    "with_spacy.py": ("spacy",),
    "with_evaluate.py": ("datasets", "evaluate"),
}


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "HF_HUB_OFFLINE": "1", "HF_HOME": str(folder)}
    environment |= {"COLUMNS": "200", "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False, text=True, env=environment)


def test_every_recipe_is_listed() -> None:
    assert set(RECIPES) == {*NEEDS, "conftest.py", "test_tagger.py"}


@pytest.mark.parametrize("name", list(NEEDS))
def test_a_recipe_runs(name: str, tmp_path: Path) -> None:
    missing = [package for package in NEEDS[name] if find_spec(package) is None]
    if missing:
        assert os.environ.get("KARATAGE_CI") != "1", f"{missing} are not installed"
        pytest.skip(f"{', '.join(missing)} not installed")
    (tmp_path / name).write_text(RECIPES[name], "utf-8")
    done = run(tmp_path, name)
    assert done.returncode == 0, done.stderr


def test_a_fixture_gates(tmp_path: Path) -> None:
    """It passes as on the page; above the interval it fails, with the check and no traceback."""
    copy(tmp_path / "karatage-demo")
    text = RECIPES["test_tagger.py"]
    for name in ("conftest.py", "test_tagger.py"):
        (tmp_path / name).write_text(RECIPES[name], "utf-8")
    (tmp_path / "test_worse.py").write_text(text.replace('"f1": 0.80', '"f1": 0.9'), "utf-8")
    done = run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert "1 failed, 1 passed" in done.stdout
    assert "FAIL  f1 at least 0.9: f1 is 0.8454, its interval starts at 0.8294, below 0.9" in done.stdout
    assert "pass  recall at least 0.75" in done.stdout
    assert "Traceback" not in done.stdout
    assert "conftest.py:" not in done.stdout
