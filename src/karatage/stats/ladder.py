"""The Ladder: a leaderboard that moves only when a submission is better than the best one by more than chance.

Whoever submits often, and keeps what scored well, climbs a naive board without being better: its scores tell about its
test set. The Ladder tells less (Blum and Hardt 2015: The Ladder: a reliable leaderboard for machine learning
competitions. ICML). A submission that is not better than the best so far by a step gets the best score so far; one that
is better gets its own, rounded.

For losses from 0 to 1 on n units and a well-chosen step, the shown score is off by at most about (log(k n) / n)^(1/3)
after k submissions, whatever they were chosen by. The version without a parameter takes the standard error of the
difference to the best submission for the step, and multiples of 1/n for rounding: it adapts to how alike submissions
are, and has no such guarantee.
"""

from __future__ import annotations

from dataclasses import dataclass

from karatage.errors import UsageError

_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class Ladder:
    """The state of a leaderboard for one participant, whose scores are better the higher they are.

    Attributes:
        grid: the shown score is a multiple of this: the step, or 1 divided by the number of units without one.
        step: how much better a submission must be; None for the standard error of its difference to the best.
        shown: the score that the board shows; None before the first submission.
        best: which submission has it, counted from 1; 0 before the first.
        submissions: how many there were.
    """

    grid: float
    step: float | None = None
    shown: float | None = None
    best: int = 0
    submissions: int = 0

    @classmethod
    def with_step(cls, step: float) -> Ladder:
        """Start a board with a fixed step, e.g. 0.01."""
        if not 0 < step < 1:
            raise UsageError(f"the step of a ladder must be between 0 and 1, not {step}")
        return cls(grid=step, step=step)

    @classmethod
    def parameter_free(cls, units: int) -> Ladder:
        """Start a board whose step is the standard error of a difference on so many units."""
        if units < 1:
            raise UsageError("a ladder needs at least one unit")
        return cls(grid=1 / units)

    def submit(self, score: float, error: float | None = None) -> Ladder:
        """Return the board after a submission.

        Args:
            score: its score on the test set.
            error: the standard error of the difference between it and the best submission so far, on the same units;
                only needed without a fixed step, and not for the first submission.
        """
        count = self.submissions + 1
        step = self.step if self.step is not None else error
        if self.shown is not None:
            if step is None:
                raise UsageError("a ladder without a step needs the standard error of the difference to the best score")
            if score <= self.shown + step + _ROUNDING:
                return Ladder(grid=self.grid, step=self.step, shown=self.shown, best=self.best, submissions=count)
        shown = round(score / self.grid) * self.grid
        return Ladder(grid=self.grid, step=self.step, shown=shown, best=count, submissions=count)
