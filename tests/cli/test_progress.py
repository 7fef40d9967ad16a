"""How much is done and how long it will still take: shown in a terminal, after a moment, and erased at the end."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from karatage.cli.progress_display import FollowedWork, clock, shown_work, total_size
from karatage.engine import PartsDone
from karatage.formats import ReadingMeter, Source


def test_the_time_left_follows_from_the_share_that_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("karatage.cli.progress_display.monotonic", lambda: now)
    work = FollowedWork("trainings", began=90.0)
    work.reach(2, 10)
    assert work.line(100.0) == (0.2, "0:10   trainings")  # nothing is known of how long one takes
    work.reach(4, 10)
    # Two of ten took 30 seconds since the first was told; six are left.
    assert work.line(130.0) == (0.4, "0:40, about 1:30 left   trainings")
    work.reach(10, 10)
    assert work.line(200.0) == (None, "1:50   trainings")  # what follows takes its time, too


def test_parts_and_counts() -> None:
    work = FollowedWork("scored", metered=lambda: 0.9, counts=True, began=0.0)
    assert work.line(5.0) == (None, "0:05   reading")  # the files may only have been cut into parts
    work.count(1000)
    assert work.line(10.0) == (0.9, "0:10, about 0:01 left   1,000 scored")
    work.count(PartsDone(2000, 3, None))
    assert work.line(10.0) == (None, "0:10   2,000 scored")  # others read the files
    work.count(PartsDone(4000, 5, 10))
    assert work.line(10.0) == (0.5, "0:10   4,000 scored")


def test_a_second_pass_knows_how_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karatage.cli.progress_display.monotonic", lambda: 10.0)
    work = FollowedWork("scored", metered=lambda: 1.0, counts=True, began=0.0)
    work.count(400)
    work.count(100)
    assert work.line(10.0) == (0.25, "0:10   pass 2, 100 scored")
    work.count(200)
    assert work.line(14.0) == (0.5, "0:14, about 0:08 left   pass 2, 200 scored")


def test_times() -> None:
    assert [clock(seconds) for seconds in (0.4, 59.6, 61, 3723)] == ["0:00", "1:00", "1:01", "1:02:03"]


def test_a_meter_counts_what_is_read_and_what_was_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * 1_000_000)
    meter = ReadingMeter()
    with meter.running():
        with Source(path).open() as stream:
            assert 0 < meter.read < 500_000  # a buffer
            stream.read(600_000)
            assert 600_000 <= meter.read < 900_000
            stream.read()
        assert meter.read == 1_000_000
    with Source(path).open() as stream:
        stream.read()
    assert meter.read == 1_000_000  # it does not run any more


def test_the_size_of_what_is_read(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name, size in (("a.conll", 10), ("b.conll", 20), ("folder/c.conll", 40)):
        (tmp_path / name).write_bytes(b"x" * size)
    assert total_size([str(tmp_path / "a.conll"), None, str(tmp_path / "folder")]) == 50
    assert total_size([str(tmp_path / "*.conll")]) == 30
    assert total_size([str(tmp_path / "a.conll"), "-"]) is None


def test_without_a_terminal_nothing_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with shown_work("scored") as work:
        assert work is None
    assert capsys.readouterr().err == ""


SLOW = """
import sys, time
import karatage.cli.progress_display as display
from karatage._printing import quietly
display.DELAY = 0.2
with display.shown_work("texts tagged") as work:
    for k in range(int(sys.argv[1])):
        if work is not None:
            work.count(k)
            work.reach(k, 100)
        time.sleep(0.05)
print("the end", file=sys.stderr)
"""


def seen(steps: int) -> str:
    """Return what a terminal of 80 columns gets."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "80"}
    command = [sys.executable, "-c", SLOW, str(steps)]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    out, until = b"", time.monotonic() + 60
    while time.monotonic() < until and (process.poll() is None or select.select([ours], [], [], 0.2)[0]):
        if select.select([ours], [], [], 0.2)[0]:
            try:
                out += os.read(ours, 65536)
            except OSError:
                break
    process.wait(60)
    os.close(ours)
    return out.decode()


def test_a_terminal_shows_a_line_that_is_erased() -> None:
    shown = seen(40)
    assert "texts tagged" in shown
    assert "left" in shown
    assert "\x1b[2K" in shown[shown.rindex("texts tagged") :]  # the line is erased
    assert shown.rstrip().endswith("the end")


def test_what_is_done_in_a_moment_shows_nothing() -> None:
    assert seen(1).split() == ["the", "end"]
