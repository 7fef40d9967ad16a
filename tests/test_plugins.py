"""Registries load what they know on first use, and take in what other packages declare."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest

from karatage._plugins import Registry
from karatage.errors import UsageError


def test_a_name_is_loaded_on_first_use() -> None:
    known: Registry[float] = Registry("constant", "karatage.nothing", {"tau": "math:tau", "broken": "math:no_such"})
    assert known.names() == ["tau", "broken"]
    assert known["tau"] == math.tau
    with pytest.raises(UsageError, match="the constant 'broken' \\(math:no_such\\) cannot be loaded"):
        _ = known["broken"]


def test_a_wrong_name_is_answered_with_a_right_one() -> None:
    with pytest.raises(UsageError, match="unknown constant 'tao'. Did you mean 'tau'"):
        _ = Registry[float]("constant", "karatage.nothing", {"tau": "math:tau"})["tao"]


def test_packages_add_theirs_but_replace_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "constants-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: constants\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[karatage.constants]\ne = math:e\ntau = math:pi\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    known: Registry[float] = Registry("constant", "karatage.constants", {"tau": "math:tau"})
    assert known.names() == ["tau", "e"]
    assert (known["e"], known["tau"]) == (math.e, math.tau)
