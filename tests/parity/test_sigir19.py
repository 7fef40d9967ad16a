"""The SIGIR eCom'19 script's fourteen values, equal to the last bit to an independent slow implementation."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.parity.sigir19_cases import random_case
from tests.parity.sigir19_slow import slow_scores
from tests.parts import parts

import karatage

CASES = 2000
PARTS = 8


@pytest.mark.parametrize("part", parts(PARTS, 1))
def test_all_fourteen_values_are_equal(part: int, tmp_path: Path) -> None:
    """Equal, not approximately, with and without prices, on whatever the script takes."""
    generator = random.Random(part)
    for number in range(CASES // PARTS):
        folder = tmp_path / str(number)
        folder.mkdir()
        case = random_case(generator, folder, prices=number % 3 > 0)
        result = karatage.score(
            case.gold, case.predictions, like="sigir-ecom19", format="sigir19", documents=case.documents, resamples=0
        )
        found = {name: score.value for name, score in result.metrics.items()}
        assert found == slow_scores(case.gold, case.predictions, case.documents), f"case {number} of part {part}"
        assert list(found) == list(slow_scores(case.gold, case.predictions, case.documents))
