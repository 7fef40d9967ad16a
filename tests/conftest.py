"""Shared helpers: seeded noise, and real data where it lies beside the repository."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


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
