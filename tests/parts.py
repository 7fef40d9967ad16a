"""Cases in parts: `make test` runs the first few, `make test-all` all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def parts(cases: int | Iterable[Any], quick: int) -> list[Any]:
    """Return cases, or that many numbers; those beyond the quick ones are slow."""
    every = list(range(cases) if isinstance(cases, int) else cases)
    return [*every[:quick], *(pytest.param(case, marks=pytest.mark.slow) for case in every[quick:])]
