"""Mutated files over all readers: no traceback, and memory that does not grow."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.parts import parts

BOUND = 16 << 20
"""Bytes by which a process may grow over the last four fifths of its files: 1 kB a file, of 20,000."""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory of a process is read from /proc")
@pytest.mark.parametrize("count", parts([400, 20_000], 1))
def test_mutated_files_are_read_or_refused_in_bounded_memory(count: int) -> None:
    """A process of its own, so that its memory is its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutated_files", str(count)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["broken"] == []
    assert found["files"] == count
    assert found["memory"][-1] - found["memory"][0] < BOUND
