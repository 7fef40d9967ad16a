"""The notebooks in the documentation run, cell by cell, and print what they show."""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = sorted(DOCS.rglob("*.ipynb"))


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    before = set(sys.modules)
    names: dict[str, Any] = {}
    cells = [one for one in json.loads(path.read_text("utf-8"))["cells"] if one["cell_type"] == "code"]
    assert len(cells) > 3
    for number, cell in enumerate(cells, 1):
        assert cell["execution_count"] == number
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), names)  # noqa: S102  our own
        shown = "".join("".join(one["text"]) for one in cell["outputs"])
        assert printed.getvalue() == shown, f"cell {number} prints something else"
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(tmp_path):
            del sys.modules[name]
