"""Runs the examples of a page of documentation, in a folder of its own.

A fenced block with a title is a file that the examples below it use. In a `console` block a line behind `$ ` is
a command, and what follows it is its output: blanks do not matter, and `…` on a line of its own stands for any
lines. Below `<!-- numbers differ -->` any number stands for any other, and all else is compared: what training gives
differs between machines. A `pycon` block is a session as doctest reads it. A `python` block is run. All blocks of a
page share one folder, which has the demonstration's files in `karatage-demo`, and one namespace.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from karatage.cli import main

ANY = "…"
_FENCE = re.compile(
    r"(?P<loose>^<!-- numbers differ -->\n)?^( *)```(?P<head>[^\n`]*)\n(?P<body>.*?)^\2```[ ]*$", re.M | re.S
)
_NUMBER = re.compile(r"(?<![\w.])[+-]?\d+(?:[.,]\d+)*")  # but not those of a name, such as f0.2


class Block(NamedTuple):
    """A fenced block: its language, its title, its text, the line where it starts, and whether numbers are compared."""

    language: str
    title: str
    body: str
    line: int
    exact: bool = True


def blocks(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page."""
    text = page.read_text("utf-8")
    for found in _FENCE.finditer(text):
        language, _, rest = found["head"].strip().partition(" ")
        title = re.search(r'title="([^"]+)"', rest)
        body = re.sub(rf"^{found[2]}", "", found["body"], flags=re.M)
        line = text.count("\n", 0, found.start("head")) + 1
        yield Block(language, title[1] if title else "", body, line, not found["loose"])


def run(page: Path) -> int:
    """Run the examples of a page in the current folder and return how many there were."""
    names: dict[str, object] = {"__name__": page.stem}
    count = 0
    for block in blocks(page):
        where = f"{page.name}:{block.line}"
        if block.title:
            Path(block.title).parent.mkdir(parents=True, exist_ok=True)
            Path(block.title).write_text(block.body, "utf-8")
        elif block.language == "console":
            _console(block.body, where, exact=block.exact)
        elif block.language == "pycon":
            _session(block.body, names, where)
        elif block.language == "python":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block.body, where, "exec"), names)  # noqa: S102  the page is ours
        else:
            continue
        count += 1
    return count


def _session(text: str, names: dict[str, object], where: str) -> None:
    test = doctest.DocTestParser().get_doctest(text, names, where, where, 0)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    out = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=flags, verbose=False)
    runner.run(test, out=out.write, clear_globs=False)
    assert not runner.failures, out.getvalue()
    names.update(test.globs)


def _console(text: str, where: str, *, exact: bool) -> None:
    code = 0
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, expected = part.partition("\n")
        while command.endswith("\\"):
            more, _, expected = expected.partition("\n")
            command = command[:-1] + more.strip()
        if command == "echo $?":
            actual = str(code)
        else:
            code, actual = _karatage(shlex.split(command)[1:]) if _plain(command) else _shell(command)
        problem = differs(expected, actual, exact=exact)
        assert problem is None, f"{where}: $ {command}\n{problem}\n--- the output is\n{actual}"


def _plain(command: str) -> bool:
    return command.startswith("karatage ") and not re.search(r"[|<>&;]", command)


def _karatage(arguments: list[str]) -> tuple[int, str]:
    """Run the command in this process, which is quicker, as if its output were piped."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    code = 0
    with (
        mock.patch.object(sys, "argv", ["karatage", *arguments]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
    ):
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
    return code, out.buffer.getvalue().decode()


def _shell(command: str) -> tuple[int, str]:
    """Run a line with pipes or other programs; the commands karatage and python are those under test."""
    script = f'python() {{ "{sys.executable}" "$@"; }}\n'
    script += f'karatage() {{ python -c "from karatage.cli import main; main()" "$@"; }}\n{command}'
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(["bash", "-c", script], capture_output=True, env=environment, check=False, encoding="utf-8")
    return done.returncode, done.stdout + done.stderr


def differs(expected: str, actual: str, *, exact: bool = True) -> str | None:
    """Return the first expected line that the output lacks; None if all are there, in their order."""
    wanted, got = _lines(expected, exact), _lines(actual, exact)
    at, anywhere = 0, False
    for line in wanted:
        if line == ANY:
            anywhere = True
            continue
        place = next((k for k in range(at, len(got)) if got[k] == line), None) if anywhere else at
        if place is None or place >= len(got) or got[place] != line:
            return f"expected {line!r}" + ("" if place is None or place >= len(got) else f", got {got[place]!r}")
        at, anywhere = place + 1, False
    return None if anywhere or at == len(got) else f"unexpected {got[at]!r}"


def _lines(text: str, exact: bool) -> list[str]:
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    return lines if exact else [_NUMBER.sub("#", line) for line in lines]
