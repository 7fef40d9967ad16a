"""Writing is all or nothing: whatever ends it early leaves no file behind."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from karatage import _temporaries
from karatage.formats import writing

WRITER = """
import sys, time
from karatage.claims import Claims, Units
from karatage.formats import convert, get_format

def batches():
    yield Claims.build(Units(1, ["a"], texts=["Tallinn"]), "char", [(0, "LOC", 0, 7, None, None)])
    print("writing", flush=True)
    time.sleep(60)

convert(batches(), get_format(sys.argv[2]), sys.argv[1])
"""


@pytest.mark.parametrize(("name", "target"), [("doccano", "out.jsonl"), ("csv", "out.csv.gz"), ("brat", "corpus")])
def test_sigterm_leaves_no_file_behind(name: str, target: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path / target), name]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.readline()
        assert len(list(tmp_path.iterdir())) == 1  # under its temporary name
        running.terminate()
        assert running.wait(30) == 128 + signal.SIGTERM
    assert list(tmp_path.iterdir()) == []


def test_the_handler_of_sigterm_is_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when two files are closed in the order in which they were opened."""
    monkeypatch.setattr(_temporaries, "_writers", 0)  # a copy of standard input stays open as long as its process
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        first, second = writing(tmp_path / "a"), writing(tmp_path / "b")
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        second.__exit__(None, None, None)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_handler_of_the_program_stays(tmp_path: Path) -> None:
    def handler(*_: object) -> None: ...

    before = signal.signal(signal.SIGTERM, handler)
    try:
        with writing(tmp_path / "a"):
            assert signal.getsignal(signal.SIGTERM) is handler
    finally:
        signal.signal(signal.SIGTERM, before)
