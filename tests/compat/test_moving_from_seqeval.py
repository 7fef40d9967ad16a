"""The examples on the page about moving from seqeval run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "moving" / "from-seqeval.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_example(example: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Its assertions hold and it prints something."""
    exec(example, {})  # noqa: S102  # the page is ours
    assert capsys.readouterr().out
