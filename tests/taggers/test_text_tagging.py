"""Slow taggers: batches, failures of single texts, and a journal that survives being killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from karatage.claims import Claims, Units
from karatage.errors import FormatError, InputError, UsageError
from karatage.taggers import Span, tag_texts
from karatage.taggers.protocol import claims_of

TEXTS = [f"text {i} ä😀" for i in range(25)]


def ends(text: str) -> list[Span]:
    """The last character is a span, and the first one of every third text."""
    return [(len(text) - 1, len(text), "END")] + ([(0, 1, "FIRST")] if len(text) % 3 == 0 else [])


class Counting:
    """A tagger that remembers what it was asked."""

    labels = None

    def __init__(self, find: Callable[[str], Any] = ends, name: str = "counting") -> None:
        self.name, self.find = name, find
        self.batches: list[list[str]] = []

    def tag(self, texts: Sequence[str]) -> Claims:
        self.batches.append(list(texts))
        return claims_of(texts, [self.find(text) for text in texts])


EXPECTED = tuple(tuple(sorted(ends(text))) for text in TEXTS)


def test_batches_and_progress() -> None:
    tagger = Counting()
    told: list[int] = []
    done = tag_texts(tagger, TEXTS, batch=10, progress=told.append)
    assert (done.spans, done.failures, done.resumed) == (EXPECTED, {}, 0)
    assert [len(batch) for batch in tagger.batches] == [10, 10, 5]
    assert told == [10, 20, 25]


def test_distinct_texts_are_tagged_once() -> None:
    tagger = Counting()
    told: list[int] = []
    done = tag_texts(tagger, ["a", "bb", "a", "a", "cc"], batch=2, progress=told.append)
    assert tagger.batches == [["a", "bb"], ["cc"]]
    assert done.spans[0] == done.spans[2] == done.spans[3] == ((0, 1, "END"),)
    assert told == [4, 5]


def test_no_texts(tmp_path: Path) -> None:
    assert tag_texts(Counting(), [], journal=tmp_path / "j").spans == ()


def fails(text: str) -> list[Span]:
    if text == TEXTS[7]:
        raise RuntimeError("cannot\ntake it")
    return ends(text)


def test_only_the_bad_text_fails() -> None:
    done = tag_texts(Counting(fails), [*TEXTS, TEXTS[7]], batch=10)
    assert done.spans == (*EXPECTED[:7], None, *EXPECTED[8:], None)
    assert done.failures == {7: "RuntimeError: cannot", 25: "RuntimeError: cannot"}


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, UsageError])
def test_what_ends_the_run(error: type[BaseException]) -> None:
    def find(_: str) -> list[Span]:
        raise error

    with pytest.raises(error):
        tag_texts(Counting(find), TEXTS)


def unchecked(texts: Sequence[str], start: int, end: int) -> Claims:
    """Claims that nobody looked at when they were made."""
    one = claims_of(["x" * 50], [[(0, 1, "X")]])
    return Claims(Units(len(texts)), "char", one.unit, one.label, one.start + start, one.end + end - 1, one.labels)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda texts: unchecked(texts, 0, 99), "the span X 0–99 is empty or outside the 10 characters"),
        (lambda texts: unchecked(texts, -1, 3), "the span X -1–3 is empty"),
        (lambda texts: unchecked(texts, 3, 3), "the span X 3–3 is empty"),
        (
            lambda texts: claims_of(texts, [[(0, 99, "X")]]),
            "the span X 0–99 is outside the text of 10 characters",
        ),
        (lambda texts: claims_of(texts, [[(0, 1, "")]]), "empty label"),
        (lambda texts: claims_of([*texts, ""], []), "the tagger returned 2 units for 1 texts"),
        (lambda texts: claims_of(texts[1:], []), "the tagger returned 0 units for 1 texts"),
        (lambda _: None, "the tagger returned NoneType, not Claims"),
        (lambda texts: Claims.build(Units(len(texts)), "token", ()), "in tokens, not in characters"),
        (
            lambda texts: Claims.build(Units(len(texts)), "char", [(0, "X", 0, 5, ((0, 1), (3, 5)), None)]),
            "the span X 0–5 is discontinuous",
        ),
    ],
)
def test_nonsense_is_a_failure_of_the_text(answer: Callable[[Sequence[str]], Any], message: str) -> None:
    class Odd(Counting):
        def tag(self, texts: Sequence[str]) -> Claims:
            return answer(texts) if TEXTS[10] in texts else super().tag(texts)

    done = tag_texts(Odd(), TEXTS, batch=10)
    assert done.spans == (*EXPECTED[:10], None, *EXPECTED[11:])
    assert message in done.failures[10]
    assert list(done.failures) == [10]
    assert "unit" not in done.failures[10].replace("the unit's", "").replace("units for", "")


def test_batch_size() -> None:
    with pytest.raises(UsageError, match="batch must be at least 1, not 0"):
        tag_texts(Counting(), TEXTS, batch=0)


def test_journal(tmp_path: Path) -> None:
    journal = tmp_path / "run.jsonl"
    first = tag_texts(Counting(fails), TEXTS, journal=journal, batch=10)
    tagger = Counting()
    second = tag_texts(tagger, [*TEXTS, "new", TEXTS[0]], journal=journal, batch=10)
    assert first.resumed == 0
    assert second.resumed == 25  # 24 texts, one of them twice
    assert tagger.batches == [[TEXTS[7]], ["new"]]  # what failed is tried again
    assert second.spans == (*EXPECTED, ((2, 3, "END"), (0, 1, "FIRST"))[::-1], EXPECTED[0])
    header, *lines = [json.loads(line) for line in journal.read_text("ascii").splitlines()]
    assert (header["tagger"], header["format"], len(lines)) == ("counting", 1, 26)


@pytest.mark.parametrize("batches", [0, 1, 2])
def test_interrupted_and_resumed(tmp_path: Path, batches: int) -> None:
    class Interrupted(Counting):
        def tag(self, texts: Sequence[str]) -> Claims:
            if len(self.batches) == batches:
                raise KeyboardInterrupt
            return super().tag(texts)

    with pytest.raises(KeyboardInterrupt):
        tag_texts(Interrupted(), TEXTS, journal=tmp_path / "j", batch=10)
    tagger = Counting()
    done = tag_texts(tagger, TEXTS, journal=tmp_path / "j", batch=10)
    assert (done.spans, done.resumed) == (EXPECTED, 10 * batches)
    assert [len(batch) for batch in tagger.batches] == [10, 10, 5][batches:]


def test_cut_anywhere(tmp_path: Path) -> None:
    """Whatever byte the file ends with, the next run gives the same result and leaves the same file."""
    whole = tmp_path / "whole"
    tag_texts(Counting(), TEXTS, journal=whole, batch=10)
    data = whole.read_bytes()
    cut = tmp_path / "cut"
    for size in {*range(200), *range(200, len(data), 37), len(data) - 1}:
        cut.write_bytes(data[:size])
        done = tag_texts(Counting(), TEXTS, journal=cut, batch=10)
        assert done.spans == EXPECTED
        assert done.resumed == max(data[:size].count(b"\n") - 1, 0)
        assert cut.read_bytes() == data


SLOW = """
import sys, time
from pathlib import Path
from karatage.taggers import open_tagger, tag_texts
def find(text):
    time.sleep(0.01)
    return [(len(text) - 1, len(text), "END")] + ([(0, 1, "FIRST")] if len(text) % 3 == 0 else [])
sys.modules["slow"] = sys.modules["__main__"]
tag_texts(open_tagger("slow:find"), [f"text {i} ä😀" for i in range(2000)], journal=Path(sys.argv[1]), batch=4)
"""


def test_killed_and_resumed(tmp_path: Path) -> None:
    journal = tmp_path / "j"
    process = subprocess.Popen([sys.executable, "-c", SLOW, str(journal)])
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (journal.exists() and journal.read_bytes().count(b"\n") > 8):
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    done = tag_texts(Counting(name="slow:find"), TEXTS, journal=journal, batch=4)
    assert done.spans == EXPECTED
    assert 8 <= done.resumed <= 25


def test_journal_of_another_tagger(tmp_path: Path) -> None:
    journal = tmp_path / "j"
    tag_texts(Counting(), TEXTS[:3], journal=journal)
    before = journal.read_bytes()
    message = "j: this is a journal of 'counting', not of 'other'. Use another file, or --fresh"
    with pytest.raises(InputError, match=message):
        tag_texts(Counting(name="other"), TEXTS, journal=journal)
    newer: Any = Counting()
    newer.version = "2"
    with pytest.raises(InputError, match="is a journal of 'counting' at another version \\(none; now 2\\)"):
        tag_texts(newer, TEXTS, journal=journal)
    assert journal.read_bytes() == before


def test_a_journal_of_karat_is_continued(tmp_path: Path) -> None:
    """The package was called Karat once, and its journals said so."""
    journal = tmp_path / "j"
    tag_texts(Counting(), TEXTS[:3], journal=journal)
    journal.write_bytes(journal.read_bytes().replace(b"karatage tagging", b"karat tagging"))
    assert tag_texts(Counting(), TEXTS[:4], journal=journal).resumed == 3


@pytest.mark.parametrize("content", ["notes", "notes\n", '{"kind": 1}\n', "[]\n", '{"kind":"karatage tagging journ\n'])
def test_other_files_are_left_alone(tmp_path: Path, content: str) -> None:
    (tmp_path / "j").write_text(content)
    with pytest.raises(InputError, match="not a journal that this version"):
        tag_texts(Counting(), TEXTS, journal=tmp_path / "j")
    assert (tmp_path / "j").read_text() == content


def test_damaged_journal(tmp_path: Path) -> None:
    journal = tmp_path / "j"
    tag_texts(Counting(), TEXTS[:3], journal=journal)
    lines = journal.read_text().splitlines()
    journal.write_text("\n".join([*lines[:2], "{}", *lines[2:], ""]))
    with pytest.raises(FormatError, match="j:3: not a line of a journal. Delete the file to start over"):
        tag_texts(Counting(), TEXTS, journal=journal)


def test_journal_that_cannot_be(tmp_path: Path) -> None:
    for path in (tmp_path / "missing" / "j", tmp_path):
        with pytest.raises(UsageError, match="cannot open the journal"):
            tag_texts(Counting(), TEXTS, journal=path)
