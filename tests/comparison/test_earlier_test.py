"""The default test until 0.1, paired approximate randomisation, beside the t-test: where verdicts may differ."""

from __future__ import annotations

import numpy as np
import pytest

import karatage
from karatage.comparison.earlier_test import EarlierTest

Tags = list[list[str]]


def opposites(seed: int, units: int = 60) -> tuple[Tags, dict[str, Tags]]:
    """Let one system find little and add nothing, and another find nearly all and add much."""
    rng = np.random.default_rng(seed)

    def tagged(*chances: float) -> list[str]:
        return ["B-X" if rng.random() < chance else "O" for chance in chances]

    cautious = [tagged(*[0.2] * 2, *[0.0] * 8) for _ in range(units)]
    bold = [tagged(*[0.9] * 10) for _ in range(units)]
    return [["B-X"] * 2 + ["O"] * 8] * units, {"cautious": cautious, "bold": bold}


def test_it_is_what_the_test_says_if_it_is_asked_for() -> None:
    gold, systems = opposites(8)
    (beside,) = karatage.compare(gold, systems).headline.differences
    (asked,) = karatage.compare(gold, systems, test="randomisation").headline.differences
    assert asked.p is not None
    assert beside.randomisation == EarlierTest(asked.p, asked.p, True)
    assert beside.p is not None
    assert beside.p > 0.05
    assert not beside.significant
    assert asked.randomisation is None
    assert beside.to_dict()["randomisation"] == {"p": asked.p, "corrected": asked.p, "significant": True}
    assert "randomisation" not in asked.to_dict()


def test_a_note_says_where_the_verdicts_differ() -> None:
    gold, systems = opposites(8)
    shown = " ".join(str(karatage.compare(gold, systems)).split())
    assert "By randomisation, the default test until 0.1: bold better than cautious (p, Holm: 0.0001)" in shown
    agreeing = karatage.compare(*opposites(0))
    assert agreeing.headline.differences[0].randomisation is not None
    assert "until 0.1" not in str(agreeing)


def test_the_correction_takes_undisputed_pairs_along() -> None:
    """Of three pairs, two are told apart beyond doubt and need no swaps; the third is corrected last, by 1."""
    gold, systems = opposites(8)
    found = karatage.compare(gold, {**systems, "right": gold}).headline
    assert found["right", "bold"].randomisation is found["right", "cautious"].randomisation is None
    assert found["right", "bold"].significant
    disputed = found["bold", "cautious"].randomisation
    assert disputed is not None
    assert disputed.corrected == disputed.p
    # With a copy of one of them there are five tests left, two of which have this p: it is multiplied by 3, then by 2.
    copied = karatage.compare(gold, {**systems, "right": gold, "copy": systems["bold"]}).headline
    twice = [copied[name, "cautious"].randomisation for name in ("bold", "copy")]
    assert [one and one.corrected for one in twice] == pytest.approx([3 * disputed.p] * 2)


@pytest.mark.parametrize("options", [{"test": "bootstrap"}, {"resamples": 10}])
def test_it_is_left_out(options: dict[str, object]) -> None:
    gold, systems = opposites(8)
    assert karatage.compare(gold, systems, **options).headline.differences[0].randomisation is None


def test_several_runs_have_no_earlier_test() -> None:
    gold, systems = opposites(8)
    runs = {"cautious": karatage.Runs(systems["cautious"], systems["cautious"][::-1]), "bold": systems["bold"]}
    assert karatage.compare(gold, runs).headline.differences[0].randomisation is None
