"""`karatage recall draw CORPUS… --out FOLDER`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o
from karatage.errors import UsageError

NAME = "draw"


def run(
    corpus: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CORPUS…",
            help="Plain text by line, JSON lines, Parquet, or any format with texts or tokens; - for standard input. "
            "Left out with --candidates.",
        ),
    ] = None,
    out: Annotated[str, typer.Option(metavar="FOLDER", help="Where the draw goes.")] = "",
    words: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[STRATUM=]FILE",
            help="A word list, one per line, # for comments: whole words in any case; järv* has any ending, *saar any "
            "beginning. Repeat the option for more.",
        ),
    ] = None,
    pattern: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[STRATUM=]REGEX",
            help="A regular expression, in Rust's syntax, without look-around. Repeat the option for more.",
        ),
    ] = None,
    candidates: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Candidates that are there already, as claims, or a tagger's output."),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="ATTRIBUTE",
            help="Strata by an attribute of the units, or word for each word of the lists; with --candidates also "
            "label (the default) and value.",
        ),
    ] = None,
    size: Annotated[
        list[str] | None,
        typer.Option(metavar="N|STRATUM=N", help="How many to draw of each stratum (1000), or of one. Repeatable."),
    ] = None,
    after: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="An earlier draw from the same frame, such as a pilot: draw --size more. The new folder has the items "
            "and labels of both, and tasks for the new items.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Where the random numbers start: 0, or as in the earlier draw.", min=0)
    ] = None,
    label: Annotated[
        str | None, typer.Option(help="What the entities are called, such as LOC (default entity).")
    ] = None,
    text: Annotated[str, typer.Option(metavar="MEMBER", help="The member or column with the text.")] = "text",
    id: Annotated[str, typer.Option(metavar="MEMBER", help="The member or column with the id.")] = "id",  # noqa: A002
    assist: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="An attribute of the units with what an existing tagger says, from 0 to 1, to narrow intervals later; "
            "with --candidates also value, for each claim its own.",
        ),
    ] = None,
    format: Annotated[  # noqa: A002  users say format
        str | None,
        typer.Option("--format", "-f", help="text, jsonl, parquet, or any of `karatage formats`; sniffed if left out."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the draw that the folder holds.")] = False,
    json: o.Json = False,
) -> None:
    """Find every candidate of a corpus, count them, and draw a random sample of each stratum to label.

    karatage recall draw corpus.jsonl.zst --words frequent=frequent.txt --words rare=rare.txt --label LOC --out places
    """
    if not out:
        raise UsageError("say where the draw goes: --out FOLDER")
    from karatage.recall import Pattern, WordList, check_folder, draw, read_pattern, read_words

    check_folder(out, force=force)
    general, sizes = _sizes(size or [])
    lists: list[WordList | Pattern] = [*map(read_words, words or ()), *map(read_pattern, pattern or ())]
    with o.progress("lines read") as progress:
        made = draw(
            corpus or (),
            lists=lists,
            candidates=candidates,
            by=by,
            size=general,
            sizes=sizes,
            after=after,
            seed=seed,
            label=label,
            text=text,
            id=id,
            assist=assist,
            format=format,
            progress=progress,
        )
    made.write(out, force=force, labels=after)
    if json:
        typer.echo(made.to_json())
        return
    from karatage.reports import draw_parts, print_parts

    print_parts(draw_parts(made, out))


def _sizes(given: list[str]) -> tuple[int, dict[str, int]]:
    general, sizes = 1000, {}
    for text in given:
        name, sign, number = text.rpartition("=")
        if not number.isdecimal() or len(number) > 15 or (sign and not name):
            raise UsageError(f"--size {text!r}: it reads N or STRATUM=N, with a whole number")
        if sign:
            sizes[name] = int(number)
        else:
            general = int(number)
    return general, sizes
