"""Shared helpers: seeded noise, and real data where it lies beside the repository."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from karatage.claims import Claims, join_batches
from karatage.cli.training_options import Lines
from karatage.formats import ReadOptions, Source, get_format

Read = Callable[..., Claims]
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(autouse=True, scope="session")
def _no_progress() -> None:
    """How long a training takes must not decide what it prints."""
    Lines.pause = float("inf")


@pytest.fixture(autouse=True, scope="session")
def _no_width() -> None:
    """How wide the terminal is in which the tests run must not decide what they see."""
    os.environ.pop("COLUMNS", None)
    os.unsetenv("COLUMNS")  # readline, which pytest loads, sets it behind Python's back, for processes that we start


@pytest.fixture
def rng() -> random.Random:
    return random.Random(20251115)


@pytest.fixture(scope="session")
def real_data() -> Path:
    if not DATA.is_dir():
        pytest.skip("the folder of real data is not beside this repository")
    return DATA


def noisy(tags: list[str], rng: random.Random, types: list[str], rate: float = 0.1) -> list[str]:
    """Replace some tags by random ones."""
    letters = "BIES"
    return [
        tag if rng.random() > rate else rng.choice(["O", f"{rng.choice(letters)}-{rng.choice(types)}"]) for tag in tags
    ]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Read a text, or bytes, as a format: `read("doccano", text)`; options go to the reader."""

    def reader(name: str, content: str | bytes, file: str = "", **options: Any) -> Claims:
        form = get_format(name)
        path = tmp_path / (file or f"corpus{form.suffixes[0]}")
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return join_batches(form.read(Source(path), ReadOptions(**options)))

    return reader
