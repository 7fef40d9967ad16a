"""The significance tests of a pair of systems."""

from __future__ import annotations

from typing import Literal

TestName = Literal["randomisation", "bootstrap"]
"""`randomisation` swaps the outputs of two systems at random, unit by unit; `bootstrap` resamples the units."""
