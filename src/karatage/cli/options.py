"""Options that several commands share, made from the records that declare them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

import typer

from karatage import engine, inputs, stats
from karatage._options import Declared, Option, declared
from karatage._printing import PIPED, say_json
from karatage._shown import Shown
from karatage.cli import completion
from karatage.cli.progress_display import shown_work

if TYPE_CHECKING:
    from karatage.reports import Citation

Gold = Annotated[
    str,
    typer.Argument(
        metavar="GOLD",
        help="Gold: a file, a folder, a quoted glob pattern, @FILE for a list of files, or - for standard input.",
    ),
]
MoreGold = Annotated[
    list[str] | None,
    typer.Option(
        "--gold",
        metavar="GOLD",
        help="Gold of another annotator for the same sentences or queries; repeatable. Scores are means over "
        "annotators, and intervals include their disagreement.",
    ),
]
Judge = Annotated[
    str | None,
    typer.Option(
        metavar="JUDGE",
        help="Labels of another model, e.g. an LLM, for all sentences or queries, if GOLD has a random part of them.",
    ),
]
Queries = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Table of query ids, texts and attributes (search only)."),
]
CHANGED = 10
Limit = Annotated[
    int | None,
    typer.Option(help=f"Number of queries to list with --diff, worst first (search only). [default: {CHANGED}]", min=0),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Cite = Annotated[
    bool, typer.Option("--cite", help="Add a paragraph on the methods used, for a paper, and BibTeX for their sources.")
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        metavar="METRIC",
        autocompletion=completion.metric,
        help="Metric to report (see `karatage metrics`); repeatable. The first is the headline, which decides ranks.",
    ),
]


def from_option(alias: Any, *flags: str) -> Any:
    """Make Typer's option from the annotation of a record's field."""
    _, option = get_args(alias)
    return _typer_option(option, *flags)


def _typer_option(option: Option, *flags: str) -> Any:
    complete = completion.names_from(option.names) if option.names else None
    return typer.Option(*(option.flags or flags), help=option.help, min=option.least, autocompletion=complete)


Format = Annotated[str | None, from_option(inputs.FormatName)]
Columns = Annotated[str | None, from_option(inputs.Columns)]
Unit = Annotated[Literal["sentence", "document"], from_option(inputs.UnitKind)]
Scheme = Annotated[str | None, from_option(inputs.SchemeName)]
Separator = Annotated[str | None, from_option(inputs.Separator)]
Suffix = Annotated[bool, from_option(inputs.Suffix, "--suffix")]
Resamples = Annotated[int, from_option(stats.Resamples)]
Level = Annotated[float, from_option(stats.Level)]
Seed = Annotated[int, from_option(stats.Seed)]
Jobs = Annotated[int | None, from_option(engine.Jobs)]
SkipBad = Annotated[bool, from_option(inputs.SkipBad, "--skip-bad")]
EngineName = Annotated[str, from_option(engine.EngineName)]
Resume = Annotated[str | None, from_option(engine.Resume)]


@cache  # several commands have the same options
def keywords(*records: type, leave_out: tuple[str, ...] = ()) -> Callable[..., dict[str, Any]]:
    """Make a function that takes the options of records from the command line and returns them as keywords."""
    options = [one for one in declared(*records) if one.name not in leave_out]

    def collect(**given: Any) -> dict[str, Any]:
        return {one.name: _value(one, given[one.name]) for one in options}

    collect.__signature__ = inspect.Signature([_parameter(one) for one in options])  # type: ignore[attr-defined]
    return collect


def _parameter(one: Declared) -> inspect.Parameter:
    """Make a parameter for Typer: a flag for a yes or no, text for what can be listed, anything else as it is."""
    kinds, default = _kinds(one), one.default
    kind: Any = one.type
    if bool in kinds:
        kind, default = bool, False
    elif not isinstance(default, int | float) and not any(
        get_origin(own) is Literal or own in (int, float) for own in kinds
    ):
        kind, default = str | None, default if isinstance(default, str) else None
    annotation = Annotated[kind, _typer_option(one.option, f"--{one.name.replace('_', '-')}")]
    return inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _value(one: Declared, given: Any) -> Any:
    """Return what the command line gave as the record takes it."""
    kinds = _kinds(one)
    if bool in kinds:
        return one.option.sets if given else None
    several = any(inspect.isclass(own := get_origin(kind)) and issubclass(own, Iterable) for kind in kinds)
    return (listed(given) or one.default) if several else given


def _kinds(one: Declared) -> tuple[Any, ...]:
    return get_args(one.type) if get_origin(one.type) in (Union, UnionType) else (one.type,)


def with_scoring(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of scoring; it gets them as its argument `scoring`."""
    from karatage.scoring import RECORDS

    return with_shared(command, keywords(*RECORDS, leave_out=("metrics", "resamples")), "scoring")


def with_reading(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of reading; it gets them as its argument `reading`."""
    return with_shared(command, keywords(inputs.Reading, inputs.TagReading), "reading")


def with_shared(command: Callable[..., None], options: Callable[..., object], name: str) -> Callable[..., None]:
    """Give a command the options of a function; it gets what that returns as the named argument."""
    shared = inspect.signature(options, eval_str=True).parameters
    own = inspect.signature(command, eval_str=True)

    @wraps(command)
    def run(**given: Any) -> None:
        mine = {key: given.pop(key) for key in list(given) if key not in shared}
        command(**mine, **{name: options(**given)})

    mine = [p for p in own.parameters.values() if p.name != name]
    arguments = [p for p in mine if isinstance(p.annotation.__metadata__[0], typer.models.ArgumentInfo)]
    others = [p for p in mine if p not in arguments]
    every = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (*arguments, *others, *shared.values())]
    run.__signature__ = own.replace(parameters=every)  # type: ignore[attr-defined]  # what Typer reads
    return run


def annotators(gold: str, others: list[str] | None) -> Any:
    """Return gold, or the gold of several annotators, who are named by their files."""
    if not others:
        return gold
    from karatage.comparison import short_names
    from karatage.errors import UsageError
    from karatage.inputs import Annotators

    paths = [gold, *others]
    if len(set(paths)) < len(paths):
        raise UsageError("--gold: the same file is given twice")
    return Annotators(zip(short_names(paths), paths, strict=True))


def check_limit(limit: int | None, diff: bool) -> None:
    """Refuse a limit of a list that is not asked for."""
    if limit is not None and not diff:
        from karatage.errors import UsageError

        raise UsageError("--limit needs --diff")


def listed(text: str | None) -> tuple[str, ...]:
    """Split a comma-separated option."""
    return tuple(part.strip() for part in text.split(",") if part.strip()) if text else ()


def print_json(value: object, *, err: bool = False) -> None:
    """Print plain data as JSON, to standard output or to standard error."""
    say_json(value, err=err)


def show(found: Shown, *, json: bool, piped: int = PIPED, cited: Citation | None = None) -> None:
    """Print what was found as JSON, or as tables; lines in a file or a pipe are so wide."""
    if json:
        print_json(found.to_dict() | ({} if cited is None else {"citation": cited.to_dict()}))
        return
    from karatage.reports import print_parts

    print_parts([*found.parts(), *(() if cited is None else cited.parts())], piped)


@contextmanager
def working(what: str, reading: Iterable[object] | None = None) -> Iterator[None]:
    """Say what is being done while it lasts, and how much of the files it has read, if a person looks."""
    with shown_work(what, reading):
        yield


@contextmanager
def progress(what: str = "scored", reading: Iterable[object] | None = None) -> Iterator[Callable[[int], None] | None]:
    """Show how much is done, if a person looks.

    Args:
        what: what is counted.
        reading: the files that are read meanwhile, from which the time left is estimated.
    """
    with shown_work(what, reading) as work:
        if work is not None:
            work.counts = True
        yield None if work is None else work.count
