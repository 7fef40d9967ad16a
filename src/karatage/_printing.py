r"""Everything that Karatage prints: text from files is made visible, so that none of it can steer a terminal.

A label, an id, a file name or a note may contain escape sequences, bidirectional overrides or other characters that
cannot be seen. In messages and tables each of them is shown as a symbol (`␛`) or a code point (`⟨U+202E⟩`), in a
terminal, a file and a pipe alike. JSON has them as `\u202e`, so that its content stays exact. Data that is written to
standard output is exact too, unless a person looks.
"""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

# Controls, soft hyphens, fillers, zero-width characters, bidirectional overrides, tags and half surrogate pairs: what
# cannot be seen, or makes a reader see something else. text.js holds the same list.
_HIDDEN = re.compile(
    # After emoji, Arabic and Indic letters a joiner is how the text is written; elsewhere it only hides.
    "(?<![\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\u0900-\u0dff\u2190-\u2bff\ufe0f\U0001f000-\U0001faff])[\u200c\u200d]|"
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e00ff]"
)
_LONGEST = 160
PIPED = 120
"""How wide tables and texts are in a file or a pipe, where no terminal says how wide it is."""


def visible(text: str) -> str:
    """Return the text with a symbol or a code point in place of each character that cannot be seen."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(lambda found: _symbol(found[0]), text)


def _symbol(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"


def visible_lines(text: str) -> str:
    """Return the text with its line breaks, and everything else that cannot be seen made visible."""
    return "\n".join(map(visible, text.split("\n")))


def named(text: str) -> str:
    """Return a name as it can be shown: a blank one visible, a very long one cut."""
    shown = visible(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")
    if shown.strip():
        return shown
    return "␣" * len(shown) or "(empty)"


def json_text(value: Any) -> str:
    """Return plain data as JSON; characters that cannot be seen are escaped, which leaves its content as it is."""
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    if text.isascii() and "\x7f" not in text:
        return text  # JSON itself escapes the controls of ASCII, all but this one
    return "\n".join(_HIDDEN.sub(lambda found: json.dumps(found[0])[1:-1], line) for line in text.split("\n"))


def say(text: str, *, err: bool = False, end: str = "\n") -> None:
    """Print lines of text to standard output, or to standard error."""
    _write(visible_lines(text), err, end)


def tell(text: str) -> None:
    """Print an error: one line to standard error, after the name of the command."""
    _write(f"karatage: {visible(text)}", err=True, end="\n")


_quiet = 0


@contextmanager
def quietly() -> Iterator[None]:
    """Print no notes and no progress, only results and errors."""
    global _quiet
    _quiet += 1
    try:
        yield
    finally:
        _quiet -= 1


def is_quiet() -> bool:
    """Whether only results and errors are printed."""
    return _quiet > 0


def inform(text: str) -> None:
    """Print a note, such as where a file is: one line to standard error, after the name of the command."""
    if not is_quiet():
        tell(text)


def remark(text: str) -> None:
    """Print a line of a command's own to standard error, such as a warning or how far it is."""
    if not is_quiet():
        say(text, err=True)


def say_json(value: Any, *, err: bool = False) -> None:
    """Print plain data as JSON, to standard output or to standard error."""
    _write(json_text(value), err, "\n")


def say_data(lines: Iterable[bytes]) -> None:
    """Print the lines of a file to a terminal; a tab stays one."""
    for line in lines:
        text = line.decode("utf-8", "replace")
        _write("\t".join(map(visible, text.removesuffix("\n").split("\t"))), err=False, end="\n" * text.endswith("\n"))


def _write(text: str, err: bool, end: str) -> None:
    stream = sys.stderr if err else sys.stdout
    if stream is not None:  # a program without a console has none
        print(text, file=stream, end=end, flush=True)


def say_diagnostics() -> None:
    """Make Python print warnings and errors that nobody expected the same way: their texts may quote a file."""

    def warn(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: object = None,  # noqa: ARG001  as Python calls it
        line: str | None = None,
    ) -> None:
        if not is_quiet():
            say(warnings.formatwarning(message, category, filename, lineno, line), err=True, end="")

    def fail(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        import traceback

        say("".join(traceback.format_exception(kind, error, trace)), err=True, end="")

    warnings.showwarning, sys.excepthook = warn, fail


def columns_set() -> int | None:
    """Return the width that the environment variable COLUMNS asks for, if it does."""
    given = os.environ.get("COLUMNS", "")
    return int(given) if given.isascii() and given.isdigit() and 0 < int(given) < 10_000 else None


def console(**options: Any) -> Console:
    """Return a console of Rich that shows every text as it is: no markup, no emoji codes, nothing hidden.

    Args:
        options: Options of Rich's own console.
    """
    return _console_class()(**{"markup": False, "emoji": False, "highlight": False, **options})


@cache
def _console_class() -> type[Console]:
    from rich.console import Console
    from rich.segment import Segment

    class VisibleConsole(Console):
        """Whatever is rendered, in a table, a progress bar or a line, comes through here."""

        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
            for segment in super().render(renderable, options):
                text, style, control = segment
                yield segment if control else Segment(visible_lines(text), style)

    return VisibleConsole
