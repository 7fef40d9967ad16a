"""Blocks are cut alike, whether all lines follow one pattern or each is looked at."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from karatage.claims import TagVocabulary
from karatage.errors import KaratageError
from karatage.formats import ReadOptions
from karatage.formats.columns import column_blocks
from karatage.formats.columns.column_blocks import ColumnBlock
from karatage.formats.columns.column_layout import ColumnLayout
from karatage.formats.columns.regular_lines import regular_lines

BLANKS = ColumnLayout(tabs=False, width=2, token=0, tags=(1,))
TABS = ColumnLayout(tabs=True, width=3, token=0, tags=(2,))


def lines_of(text: str, layout: ColumnLayout) -> Any:
    """Return the lines of a block, if it is regular."""
    buffer = np.frombuffer(text.encode() + bytes(72), np.uint8)
    marks = np.flatnonzero((buffer == (9 if layout.tabs else 32)) | (buffer == 10))
    return regular_lines(buffer, marks, layout)


def test_sentences_are_found_between_blank_lines() -> None:
    """Lines 1 and 2 are a sentence, lines 5 to 7 another one; the first line and two more are blank."""
    found = lines_of("\na O\nb I-X\n\n\nc O\nd O\ne O\n", BLANKS)
    assert found.starts.tolist() == [1, 5, 13, 17, 21]
    assert found.ends.tolist() == [[2, 4], [6, 10], [14, 16], [18, 20], [22, 24]]
    assert found.first.tolist() == [0, 2, 5]
    assert found.numbers.tolist() == [1, 5]
    assert found.sizes.tolist() == [2, 3]
    assert found.total == 8
    assert [column.tolist() for column in found.cells(1)] == [[3, 7, 15, 19, 23], [4, 10, 16, 20, 24]]


@pytest.mark.parametrize("text", ["\n", "\n\n\n"])
def test_a_block_of_blank_lines_has_no_sentence(text: str) -> None:
    found = lines_of(text, BLANKS)
    assert (found.first.tolist(), found.numbers.tolist(), found.total) == ([0], [], len(text))


@pytest.mark.parametrize(
    "odd",
    [
        "a O O\n",  # more columns
        "a\n",  # fewer
        "a O O\nb\n",  # as many on average
        "a  O\n",
        " a O\n",
        "a O \n",
        "-DOCSTART- O\n",
        "# newdoc\n",
        "# x=y\n",
        " \n",
    ],
)
def test_a_block_with_another_line_is_not_regular(odd: str) -> None:
    assert lines_of(f"x O\n\n{odd}\ny O\n", BLANKS) is None
    assert lines_of("x O\n\n# y\n- O\n#z O\n\n#text O\n", BLANKS) is not None  # these are tokens


PIECES = [
    *["a O", "b B-X", "Łódź I-Y", "", "", "#tag O", "- O", "-D O", "# O", "x" * 70 + " B-Z"],
    *["# text = a", "# sent_id", "-DOCSTART- O", "a  O", " ", "a\tO", "a O O", "c", "# newdoc", "a \x0b", "\x01 O"],
]


def read(text: bytes, layout: ColumnLayout) -> object:
    """Return all that is read of a block, or the error."""
    options, notes = ReadOptions(others=True), Counter[str]()
    vocabulary = TagVocabulary(strip=True)
    try:
        block = ColumnBlock(text, layout, "f", 7, header=False)
        notes = block.others()
        tagged, document = block.tagged([vocabulary], options, 3, (0, ""))
    except KaratageError as error:
        return str(error)
    units = tagged.units
    facts = (units.ids, units.texts, dict(units.attributes), [units.line(k) for k in range(len(units))])
    tokens = [list(words) for words in units.tokens or ()]
    return tokens, tagged.layers[0].lists(), facts, document, notes, block.line_count, block.skipped


@pytest.mark.parametrize("layout", [BLANKS, TABS], ids=["blanks", "tabs"])
def test_random_blocks_are_read_alike_both_ways(layout: ColumnLayout, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    texts = []
    for _ in range(1500):
        pieces = PIECES[: rng.choice([5, 10, len(PIECES)])]
        lines = [rng.choice(pieces) for _ in range(rng.randint(1, 8))]
        if layout.tabs:
            lines = [line.replace(" ", rng.choice(["\t_\t", "\t", "\t\t", "\tn\t"])) for line in lines]
        texts.append(("\n".join(lines) + "\n" * rng.randint(1, 3)).encode())
    regular = sum(lines_of(text.decode(), layout) is not None for text in texts)
    assert 150 < regular < 1350  # both ways are taken
    quick = [read(text, layout) for text in texts]
    monkeypatch.setattr(column_blocks, "regular_lines", lambda *_: None)
    assert quick == [read(text, layout) for text in texts]
