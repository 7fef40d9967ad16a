"""The command `karatage`: one file per command, no logic of its own."""

from __future__ import annotations

import difflib
import io
import os
import re
import shlex
import sys
from functools import cache
from importlib import import_module
from typing import Any, NoReturn

import typer

from karatage._printing import say, say_diagnostics, tell
from karatage._version import __version__
from karatage.cli.completion import completed_words
from karatage.cli.help_texts import Commands
from karatage.cli.page_options import COMMAND
from karatage.cli.result_output import add_commands
from karatage.errors import KaratageError

COMMANDS = (
    *(
        "score",
        "compare",
        "explain",
        "describe",
        "agree",
        "gate",
        "pull-request",
        "badge",
        "plan",
        "train",
        "tag",
        "submit",
        "sweep",
        "ensemble",
        "sigir19",
    ),
    *("convert", "formats", "profiles", "metrics", "demo", "demo-data"),
)
"""The commands in the order of the help, each in the module of its name."""

GROUPS = ("recall", "clicks", "log")
"""Commands with commands of their own, each a package."""


def _version(asked: bool) -> None:
    if asked:
        say(f"karatage {__version__}")
        raise typer.Exit


def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    pass


@cache
def application(only: str = "") -> typer.Typer:
    """Return the command line: all of it, or just one command or group, which is loaded sooner."""
    app = typer.Typer(
        name="karatage",
        cls=Commands,
        help="Evaluate entity extraction and search: the scores of conlleval, seqeval, nervaluate, trec_eval and more, "
        "with confidence intervals, significance tests and error analysis.",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name in COMMANDS:
        if only in ("", name):
            add_commands(app, {name: import_module(f"karatage.cli.{name.replace('-', '_')}").run})
    for name in GROUPS:
        if only in ("", name):
            app.add_typer(import_module(f"karatage.cli.{name}").app, name=name)
    return app


# Typer has Click's errors, from Click or from a copy of its own: this is what a wrong call raises, in both.
_WrongCall: Any = typer.BadParameter.__base__


def main() -> None:
    """Run the command; an error of ours is one message on standard error and exit code 2."""
    say_diagnostics()
    COMMAND.set(shlex.join(["karatage", *sys.argv[1:]]))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a character gets a question mark
    try:
        try:
            status = application(_named(completed_words() or sys.argv))(prog_name="karatage", standalone_mode=False)
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # a full disk is found here, not when the interpreter exits
    except _WrongCall as error:
        if error.message.startswith("Usage: "):  # a command without arguments shows its help
            say(error.message, err=True)
            sys.exit(error.exit_code)
        _fail(_one_line(error))
    except typer.Abort:
        say("Aborted!", err=True)
        sys.exit(1)
    except KaratageError as error:
        _fail(str(error))
    except MemoryError:
        _fail("out of memory. Use fewer systems, fewer labels or fewer --resamples")
    except UnicodeEncodeError as error:
        _fail(f"{error.object[:60]!r} contains bytes that are not UTF-8")
    except RecursionError:
        _fail("the input is nested too deeply")
    except BrokenPipeError:
        # The reader of our output went away, as `head` does.
        _discard_output()
        sys.exit(1)
    except OSError as error:
        _discard_output()
        _fail(f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error))
    sys.exit(status)


def _named(words: list[str]) -> str:
    """Return the command that is called, if the first word is one."""
    return words[1] if len(words) > 1 and words[1] in (*COMMANDS, *GROUPS) else ""


_PLAIN = {
    r"Value error, ": "",
    r"Input should be a valid number, .*": "not a number",
    r"Input should be a valid integer, .*": "not a whole number",
    r"Input should be greater than or equal to ": "must be at least ",
    r"Input should be less than or equal to ": "must be at most ",
    r"Input should be (greater|less) than ": r"must be \1 than ",
}
"""What Pydantic says of a value, and how we say it."""


def _one_line(error: Any) -> str:
    """Say what is wrong with a call, without the usage around it, and which value was probably meant."""
    text = " ".join(error.format_message().split())
    for theirs, ours in _PLAIN.items():
        text = re.sub(theirs, ours, text)
    given, _, known = text.partition(" is not one of ")
    close = difflib.get_close_matches(given.rpartition("'")[0].rpartition("'")[2], re.findall("'([^']+)'", known), n=1)
    meant = f" Did you mean {close[0]!r}?" if close else ""
    return f"{text[:1].lower()}{text[1:]}{meant}"


def _fail(message: str) -> NoReturn:
    tell(message)
    sys.exit(2)


def _discard_output() -> None:
    """Keep Python from trying to write the rest of the output, and complaining, when it exits."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
