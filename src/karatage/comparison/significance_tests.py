"""The significance tests of a pair of systems."""

from __future__ import annotations

from typing import Literal

TestName = Literal["t", "randomisation", "bootstrap"]
"""`t` divides the difference by its standard error and agrees with the interval; `randomisation` swaps the outputs of
two systems at random, unit by unit, and so also tells systems apart that have the same score in different ways;
`bootstrap` resamples the units."""
