"""`karatage recall draw CORPUS… --out FOLDER`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage._printing import say
from karatage.cli import completion, options as o
from karatage.errors import UsageError


def run(
    corpus: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CORPUS…]",
            help="Plain text (one text per line), JSON Lines, Parquet, or any format with texts or tokens; - for "
            "standard input. Omit with --candidates.",
        ),
    ] = None,
    out: Annotated[str, typer.Option(metavar="FOLDER", help="Output folder.  [required]", show_default=False)] = "",
    words: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[STRATUM=]FILE",
            help="Word list, one word per line, # for comments. Matches whole words in any case; järv* matches any "
            "ending, *saar any beginning. Repeatable.",
        ),
    ] = None,
    pattern: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[STRATUM=]REGEX", help="Regular expression in Rust's syntax, without look-around. Repeatable."
        ),
    ] = None,
    candidates: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Use the entities in a file as candidates, e.g. a tagger's predictions."),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="ATTRIBUTE",
            help="Stratify by an attribute of the texts, or by word for each word of the lists. With --candidates also "
            "label (the default) or value.",
        ),
    ] = None,
    size: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N|STRATUM=N", help="Sample size per stratum, or of one stratum. Repeatable.  [default: 1000]"
        ),
    ] = None,
    after: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Continue an earlier draw from the same corpus, e.g. a pilot, with --size more items. The new folder "
            "has the items and labels of both, and tasks for the new items.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Random seed.  [default: that of the earlier draw, or 0]", min=0)
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(help="Label of the entities, e.g. LOC.  [default: that of the earlier draw, or entity]"),
    ] = None,
    text: Annotated[str, typer.Option(metavar="KEY", help="Key or column of the text.")] = "text",
    id: Annotated[str, typer.Option(metavar="KEY", help="Key or column of the id.")] = "id",  # noqa: A002
    assist: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="Attribute with the predictions of an existing tagger, from 0 to 1, for narrower intervals with "
            "--method assisted. With --candidates also value.",
        ),
    ] = None,
    format: Annotated[  # noqa: A002  users say format
        str | None,
        typer.Option(
            "--format",
            "-f",
            autocompletion=completion.names_from("karatage.formats.format_names", "text"),
            help="text, jsonl, parquet, or any of `karatage formats`.  [default: detected automatically]",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            help="Number of threads, or of cores of a cluster. The draw does not depend on it.  [default: up to 8, or "
            "all of a cluster]",
            min=1,
        ),
    ] = None,
    engine: o.EngineName = "local",
    force: Annotated[bool, typer.Option("--force", help="Replace the draw in the output folder.")] = False,
    json: o.Json = False,
) -> None:
    """Find and count every candidate in a corpus, and draw a random sample of each stratum to label.

    karatage recall draw corpus.jsonl --words towns.txt --label LOC --out places
    """
    if not out:
        raise UsageError("missing output folder: set --out FOLDER")
    from karatage.recall import Pattern, WordList, check_folder, draw, read_pattern, read_words, write_draw

    check_folder(out, force=force)
    general, sizes = _sizes(size or [])
    lists: list[WordList | Pattern] = [*map(read_words, words or ()), *map(read_pattern, pattern or ())]
    with o.progress("lines read", reading=corpus or [candidates]) as progress:
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
            jobs=jobs,
            engine=engine,
            progress=progress,
        )
    write_draw(made, out, force=force, labels=after)
    if json:
        say(made.to_json())
        return
    from karatage.reports import draw_parts, print_parts

    print_parts(draw_parts(made, out))


def _sizes(given: list[str]) -> tuple[int, dict[str, int]]:
    general, sizes = 1000, {}
    for text in given:
        name, sign, number = text.rpartition("=")
        if not number.isdecimal() or len(number) > 15 or (sign and not name):
            raise UsageError(f"--size {text!r}: expected N or STRATUM=N, with a whole number")
        if sign:
            sizes[name] = int(number)
        else:
            general = int(number)
    return general, sizes
