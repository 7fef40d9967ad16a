"""The command `karatage`: one file per command, no logic of its own."""

from __future__ import annotations

import io
import os
import sys
from typing import NoReturn

import typer

from karatage._version import __version__
from karatage.cli import (
    compare,
    convert,
    demo,
    demo_data,
    ensemble,
    explain,
    formats,
    gate,
    log,
    metrics,
    plan,
    profiles,
    recall,
    score,
    submit,
    sweep,
    tag,
    train,
)
from karatage.errors import KaratageError

app = typer.Typer(
    name="karatage",
    help="Evaluate entity extraction and search: the scores of conlleval, seqeval, nervaluate, trec_eval and more, "
    "with confidence intervals, significance tests and error analysis.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    score,
    compare,
    explain,
    gate,
    plan,
    train,
    tag,
    submit,
    sweep,
    ensemble,
    convert,
    formats,
    profiles,
    metrics,
    demo,
    demo_data,
):
    app.command(command.NAME)(command.run)
for group in (recall, log):
    app.add_typer(group.app, name=group.NAME)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"karatage {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    pass


def main() -> None:
    """Run the command; an error of ours is one message on standard error and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a character gets a question mark
    try:
        try:
            app()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # a full disk is found here, not when the interpreter exits
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


def _fail(message: str) -> NoReturn:
    typer.echo(f"karatage: {message}", err=True)
    sys.exit(2)


def _discard_output() -> None:
    """Keep Python from trying to write the rest of the output, and complaining, when it exits."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
