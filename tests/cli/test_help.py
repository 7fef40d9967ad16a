"""The help of every command: it fits 80 columns, says what values are, and its examples can be copied."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len
from tests.cli.test_hostile_output import every_command
from typer.testing import CliRunner

from karatage.cli import application

GROUPS = [(), ("recall",), ("clicks",), ("log",)]


def help_of(words: tuple[str, ...], width: int) -> str:
    done = CliRunner().invoke(application(), [*words, "--help"], prog_name="karatage", env={"COLUMNS": str(width)})
    assert done.exit_code == 0
    return done.output


@pytest.mark.parametrize("words", [*GROUPS, *every_command()], ids=" ".join)
def test_help_fits_80_columns(words: tuple[str, ...]) -> None:
    assert [line for line in help_of(words, 80).splitlines() if cell_len(line) > 80] == []


@pytest.mark.parametrize("words", list(every_command()), ids=" ".join)
def test_help_says_what_a_value_is_and_not_its_type(words: tuple[str, ...]) -> None:
    shown = help_of(words, 80)
    assert not re.search(r"<(str|int|float|path|bool|list)\b", shown)
    usage = re.split(r"\n\n", shown)[0]
    assert "[[" not in usage.replace("[[NAME=]", "")
    assert "{" not in usage


@pytest.mark.parametrize("words", list(every_command()), ids=" ".join)
def test_examples_stand_on_one_line(words: tuple[str, ...]) -> None:
    paragraphs = re.split(r"\n\s*\n", help_of(words, 80).partition("Options:")[0])
    examples = [text for text in paragraphs if text.startswith("  karatage ")]
    assert [text for text in examples if "\n" in text.strip()] == []


@pytest.mark.parametrize("words", GROUPS, ids=" ".join)
def test_commands_are_listed_with_whole_sentences(words: tuple[str, ...]) -> None:
    assert "..." not in help_of(words, 80).partition("Commands:")[2]


def test_arguments_that_may_be_left_out_are_in_brackets() -> None:
    assert help_of(("score",), 80).startswith("Usage: karatage score [OPTIONS] GOLD [PRED]\n")
    assert help_of(("compare",), 80).startswith("Usage: karatage compare [OPTIONS] GOLD [SYSTEM…]\n")
    assert help_of(("demo",), 80).startswith("Usage: karatage demo [OPTIONS] [FOLDER]\n")
    assert help_of(("recall", "board"), 80).startswith(
        "Usage: karatage recall board [OPTIONS] BOARD [[NAME=]RESULT…]\n"
    )
