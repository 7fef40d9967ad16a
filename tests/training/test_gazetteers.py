"""Gazetteers: the longest match from the left, in tokens."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from karatage.errors import InputError
from karatage.training.crf.features import TokenPositions, distinct
from karatage.training.crf.gazetteers import ROLES, Gazetteer, gazetteers_of, read_gazetteers


def places(entries: list[str], *units: str, match_case: bool = False) -> str:
    """The place of each token, a point for none."""
    tokens = [unit.split() for unit in units]
    words, keys = distinct([token for own in tokens for token in own])
    after = TokenPositions(np.array([len(own) for own in tokens], np.int64)).after
    found = Gazetteer(tuple(entries), match_case).match(words, keys, after)
    return "".join("." if place < 0 else ROLES[place] for place in found.tolist())


@pytest.mark.parametrize(
    ("entries", "text", "found"),
    [
        (["golf"], "vw golf", ".S"),
        (["vw golf"], "vw golf", "BE"),
        (["vw golf plus"], "vw golf plus", "BIE"),
        (["vw", "vw golf"], "vw golf vw", "BES"),
        (["a b", "b c d"], "a b c d", "BE.."),  # the match on the left is taken first
        (["a b c", "b"], "a b d", ".S."),  # what began in vain hides nothing
        (["a", "a a a"], "a a a a", "BIES"),
        (["c"], "a b", ".."),
        ([], "a b", ".."),
    ],
)
def test_matches(entries: list[str], text: str, found: str) -> None:
    assert places(entries, text) == found


def test_a_match_ends_with_its_unit() -> None:
    assert places(["a b"], "x a", "b", "a b") == "...BE"


def test_capitals() -> None:
    assert places(["VW Golf", "STRASSE"], "vw GOLF straße") == "BES"
    assert places(["VW Golf"], "vw golf VW Golf", match_case=True) == "..BE"


def test_entries_are_cleaned() -> None:
    made = gazetteers_of({"b": ["x", " y  z\t", "", "  ", "x"], "a": []}, match_case=True)
    assert [(name, one.entries) for name, one in made.items()] == [("a", ()), ("b", ("x", "y z"))]


def test_files(tmp_path: Path) -> None:
    (tmp_path / "makes.txt").write_bytes("\ufeffVW\r\nŠkoda\r\n".encode())
    assert read_gazetteers({"makes": str(tmp_path / "makes.txt")}) == {"makes": ["VW", "Škoda"]}


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "cannot read gazetteer"), (b"\xff\xfe\xff", "not UTF-8"), (b" \n\n", "is empty")],
)
def test_files_that_do_not_serve(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "makes.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message) as error:
        read_gazetteers({"makes": str(path)})
    assert error.value.source == str(path)
    assert "'makes'" in str(error.value)
