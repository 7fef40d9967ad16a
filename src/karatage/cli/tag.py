"""`karatage tag MODEL INPUT`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any

import typer

from karatage._printing import remark, say, tell
from karatage.cli import completion, options as o
from karatage.cli.progress_display import FollowedWork, shown_work
from karatage.cli.result_output import WRITES
from karatage.errors import UsageError
from karatage.taggers import WordSegmentation


def run(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            autocompletion=completion.tagger,
            help="Folder of a trained model, or another tagger: estnltk, hf:FOLDER, hf:OWNER/MODEL, spacy:NAME, "
            "MODULE:FUNCTION.",
        ),
    ],
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT…", help="Data to tag: files, a folder, a quoted glob pattern, or - for standard input."
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            *WRITES,
            help="Output file; its extension selects the format and the compression. Or a folder, for a file per "
            "input file.",
        ),
    ],
    to: Annotated[
        str | None,
        typer.Option(
            autocompletion=completion.format_,
            help="Output format. [default: from the extension; for eBay listings, .tsv is a submission]",
        ),
    ] = None,
    format: o.Format = None,  # noqa: A002  users say format
    columns: o.Columns = None,
    unit: o.Unit = "sentence",
    words: Annotated[
        WordSegmentation | None,
        typer.Option(help="Expand predictions of other taggers to whole words. [default: own, i.e. unchanged]"),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="Minimum confidence of entities. [default: that of the model]", min=0, max=1),
    ] = None,
    device: Annotated[
        str,
        typer.Option(
            help="Device for neural models: auto, cpu, cuda, or a specific GPU, e.g. cuda:1.",
            autocompletion=completion.one_of("auto", "cpu", "cuda"),
        ),
    ] = "auto",
    jobs: Annotated[
        int | None,
        typer.Option(
            help="Number of processes that tag files into a folder, each with its own model. The output does not "
            "depend on it. [default: all cores, as far as memory allows; 1 on a GPU]",
            min=1,
        ),
    ] = None,
    engine: o.EngineName = "local",
    json: o.Json = False,
) -> None:
    """Tag a corpus of any size with a trained model or another tagger.

    karatage tag model quiz.tsv.gz --out submission.tsv

    karatage tag model test.conll --out predicted.conll

    karatage tag model shards/ --out tagged/ --jobs 8
    """
    from karatage.training import tag_file, tag_files, writes_folder

    options: dict[str, Any] = {
        "to": to,
        "format": format,
        "columns": o.listed(columns),
        "unit": unit,
        "words": words,
        "threshold": threshold,
        "device": device,
    }
    if writes_folder(sources, out, to):
        with _interruptible(), _progress_over_files() as told:
            done = tag_files(model, sources, out, jobs=jobs, engine=engine, progress=told, **options)
    elif len(sources) > 1:
        raise UsageError("several inputs are tagged into a folder, e.g. --out tagged/")
    elif jobs is not None or engine != "local":
        raise UsageError("--jobs and --engine work only if --out is a folder: one file is tagged by one process")
    else:
        with o.progress("texts tagged", reading=sources) as progress:
            done = tag_file(model, sources[0], out, progress=progress, **options)
    if json:
        o.print_json(done.to_dict())
        return
    if out != "-":
        say(str(done))
    for warning in done.warnings:
        remark(f"warning: {warning}")


@contextmanager
def _interruptible() -> Iterator[None]:
    """Say how to resume when the user interrupts the work."""
    try:
        yield
    except KeyboardInterrupt:
        say("", err=True)
        tell("interrupted. Run the same command again to resume: files that are done are kept")
        raise typer.Exit(130) from None


@contextmanager
def _progress_over_files() -> Iterator[Callable[[int, int, int], None] | None]:
    """Show how many files and texts are done, if a person looks."""
    with shown_work("texts tagged") as work:
        yield None if work is None else partial(_follow_files, work)


def _follow_files(work: FollowedWork, texts: int, files: int, every: int) -> None:
    work.count(texts)
    work.reach(files, every)
    work.text = f"{files:,} of {every:,} files"
