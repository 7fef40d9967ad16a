"""Random corpora in parts: `make test` compares the first few with the peer, `make test-all` all of them."""

from __future__ import annotations

from typing import Any

import pytest


def parts(number: int, quick: int) -> list[Any]:
    """Number the parts; those beyond the quick ones are slow."""
    return [*range(quick), *(pytest.param(k, marks=pytest.mark.slow) for k in range(quick, number))]
