"""The Ladder: values worked out by hand, the example of its authors' package, and someone who climbs by chance."""

from __future__ import annotations

import numpy as np
import pytest

from karatage.errors import UsageError
from karatage.stats import Ladder


def test_a_fixed_step() -> None:
    """Steps of 0.02: 0.70 is shown; 0.715 is not above 0.72, nor is 0.72 itself; 0.733 is, and is shown as 0.74."""
    board = Ladder.with_step(0.02)
    shown, best = [], []
    for score in (0.70, 0.715, 0.72, 0.733, 0.70, 0.752, 0.7601):
        board = board.submit(score)
        shown.append(board.shown)
        best.append(board.best)
    # 0.733 / 0.02 = 36.65, rounded 37; 0.752 is not above 0.74 + 0.02, and 0.7601 is: 38.005, rounded 38
    assert shown == pytest.approx([0.70, 0.70, 0.70, 0.74, 0.74, 0.74, 0.76])
    assert best == [1, 1, 1, 4, 4, 4, 7]
    assert board.submissions == 7


def test_without_a_parameter_as_in_the_example_of_ladder_jl() -> None:
    """Six labels; two, three and four right answers: one more answer is not enough, two more are.

    The standard error is the sample deviation of the differences divided by √6: for one answer √(1/6) / √6 = 1/6, which
    is not less than the gain of 1/6; for two answers √(4/15) / √6 = 0.211, which is less than 1/3.
    """
    labels = np.array([1, 0, 1, 1, 1, 0])
    answers = [np.array(row) for row in ([0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0])]
    board, shown = Ladder.parameter_free(6), list[float]()
    best: np.ndarray | None = None
    for answer in answers:
        right = (answer == labels).astype(float)
        error = None if best is None else float((right - best).std(ddof=1) / np.sqrt(6))
        after = board.submit(float(right.mean()), error)
        best = right if after.best > board.best else best
        board = after
        shown.append(1 - (board.shown or 0.0))  # its losses
    assert shown == pytest.approx([0.6666666666666666, 0.6666666666666666, 0.3333333333333333])


def test_what_a_ladder_refuses() -> None:
    with pytest.raises(UsageError, match="between 0 and 1, not 0"):
        Ladder.with_step(0)
    with pytest.raises(UsageError, match="at least one unit"):
        Ladder.parameter_free(0)
    first = Ladder.parameter_free(10).submit(0.5)
    with pytest.raises(UsageError, match="needs the standard error"):
        first.submit(0.6)


@pytest.mark.parametrize(("kind", "least"), [("naive", 0.12), ("step", None), ("parameter-free", None)])
def test_a_participant_who_climbs_by_random_submissions(kind: str, least: float | None) -> None:
    """500 random answers to 1,000 yes-or-no questions; those that the board calls good ones vote on the last answer.

    Nobody knows anything, so every submission is right in half of all questions. A naive board shows well above 0.5 in
    the end, as the votes fit its questions (the attack of Blum and Hardt); a ladder shows little more than the luckiest
    single answer.
    """
    rng = np.random.default_rng(5)
    questions, rounds = 1000, 500
    labels = rng.integers(0, 2, questions)
    board = Ladder.with_step(0.05) if kind == "step" else Ladder.parameter_free(questions)
    best = np.zeros(questions)
    votes = np.zeros(questions)
    shown = 0.0
    for _ in range(rounds + 1):
        last = _ == rounds
        answer = (votes > 0).astype(int) if last else rng.integers(0, 2, questions)
        right = (answer == labels).astype(float)
        score = float(right.mean())
        if kind == "naive":
            good, shown = score > 0.5, score if last else max(shown, score)
        else:
            error = float((right - best).std(ddof=1) / np.sqrt(questions)) if board.submissions else None
            after = board.submit(score, error)
            good = after.best > board.best
            best, board, shown = (right if good else best), after, after.shown or 0.0
        votes += (2 * answer - 1) * (1 if good else -1 if kind == "naive" else 0)
    if least is not None:
        assert shown > 0.5 + least
    else:
        assert abs(shown - 0.5) <= 0.06
