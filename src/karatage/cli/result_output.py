"""What every command has: `--output`, which writes its result to a file, and `--quiet`."""

from __future__ import annotations

import inspect
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stdout
from fnmatch import fnmatch
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from karatage._printing import inform, quietly
from karatage.cli.help_texts import Command, with_value_name

Output = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write the result to this file instead of printing it."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress and no notes, only results and errors.")]

WRITES = ("--out", "-o", "--output")
"""The names of `--out` where it is the result, which has no other output then."""

_FINISHED = (0, 1)
"""Exit codes with which a result is complete; 1 is a gate that fails."""


def add_commands(app: typer.Typer, commands: dict[str, Callable[..., None]]) -> None:
    """Add commands to a group, with the options that every command has."""
    for name, command in commands.items():
        app.command(name, cls=Command)(with_output(command))


def with_output(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command `--output`, unless it has an option of its own that writes its result, and `--quiet`."""
    own = inspect.signature(command, eval_str=True)
    options = [one for p in own.parameters.values() for one in getattr(p.annotation, "__metadata__", ())]
    writes = any(set(WRITES[1:]) <= set(getattr(one, "param_decls", None) or ()) for one in options)
    added = {"quiet": Quiet} if writes else {"output": Output, "quiet": Quiet}

    @wraps(command)
    def run(**given: Any) -> None:
        output, quiet = given.pop("output", None) if "output" in added else None, given.pop("quiet")
        given |= format_by_name(output, given)
        with result_output(output, quiet=quiet, given=given.values()):
            command(**given)

    defaults = {"output": None, "quiet": False}
    mine = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name], annotation=annotation)
        for name, annotation in added.items()
    ]
    every = [with_value_name(p).replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own.parameters.values()]
    run.__signature__ = own.replace(parameters=[*every, *mine])  # type: ignore[attr-defined]  # what Typer reads
    return run


@contextmanager
def result_output(output: str | None, *, quiet: bool, given: Iterable[object] = ()) -> Iterator[None]:
    """Write what is printed to a file, completely or not at all, and keep quiet about anything else if asked to.

    Args:
        output: the file; None or `-` for standard output.
        quiet: whether to print no notes.
        given: what the command was called with, of which the file must be none.
    """
    with quietly() if quiet else nullcontext():
        if output is None or output == "-":
            yield
            return
        from karatage._writing import check_file, writing

        check_file(output)
        _check_not_given(output, given)
        content = io.BytesIO()
        printed = io.TextIOWrapper(content, "utf-8", errors="replace", newline="\n")
        ended: typer.Exit | None = None
        with redirect_stdout(printed):
            try:
                yield
            except typer.Exit as end:
                if end.exit_code not in _FINISHED:
                    raise
                ended = end
        printed.flush()
        with writing(output) as stream:
            stream.write(content.getvalue())
        inform(f"result written to {output}")
        if ended is not None:
            raise ended


def format_by_name(output: str | None, given: Mapping[str, object]) -> dict[str, bool]:
    """Return the option that makes the result what the name of its file says: `--json` for .json, `--markdown` for .md.

    Args:
        output: the file.
        given: what the command was called with.
    """
    ending = Path((output or "").removesuffix(".gz").removesuffix(".zst")).suffix.lower()
    asked = {".json": "json", ".md": "markdown"}.get(ending, "")
    if given.get("json"):
        return {}
    if given.get("markdown") and ending == ".json":
        raise _misnamed(output, "Markdown, not JSON; choose another name, e.g. one that ends in .md")
    if given.get(asked) is False:
        return {asked: True}
    do = "choose another name, e.g. one that ends in .txt"
    if ending in (".html", ".htm"):
        raise _misnamed(output, f"text, not HTML; {f'--html {output} writes a page' if 'html' in given else do}")
    if ending == ".json":
        raise _misnamed(output, f"text, not JSON; {do}")
    return {}


def _misnamed(output: str | None, found: str) -> Exception:
    from karatage.errors import UsageError

    return UsageError(f"--output {output}: the result is {found}")


def _check_not_given(output: str, given: Iterable[object]) -> None:
    """Refuse a file that is an input or another output, is in such a folder, or matches such a pattern."""
    from karatage.errors import UsageError

    place = Path(output).resolve()
    for text in _texts(given):
        path = Path(text)
        same = path.resolve() == place or (place.exists() and path.is_dir() and path.resolve() in place.parents)
        if same or (place.exists() and _matches(place, path)):
            raise UsageError(f"--output {output}: this file is an input or another output, choose another name")


def _matches(place: Path, pattern: Path) -> bool:
    return any(sign in str(pattern) for sign in "*?[") and fnmatch(str(place), str(Path.cwd() / pattern))


def _texts(given: Iterable[object]) -> Iterator[str]:
    """Yield whatever may be a path: FILE, @FILE or NAME=FILE."""
    for value in given:
        if isinstance(value, list | tuple):
            yield from _texts(value)
        elif isinstance(value, dict):
            yield from _texts(value.values())
        elif isinstance(value, str | Path) and "\0" not in str(value):
            yield str(value)
            yield from (part for part in (str(value).partition("=")[2], str(value).removeprefix("@")) if part)
