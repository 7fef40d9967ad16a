"""The demo: three taggers and three search engines on invented German car-part titles."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

FILES = (
    "gold.conll",
    "lexicon.conll",
    "shape.conll",
    "context.conll",
    "gold-values.tsv",
    "context-values.tsv",
    "search.qrels",
    "queries.tsv",
    "bm25.run",
    "trigrams.run",
    "expanded.run",
    "sigir19/ground_truth.tsv",
    "sigir19/predictions.tsv",
    "sigir19/documents.tsv",
    "makers/data_description.csv",
    "makers/data/recall_sets/part-makers.csv",
    "makers/data/recall_sets/car-makes.csv",
)
"""The bundled files: gold and three taggers; gold and the best tagger as values; for search the judgements, the queries
and the results of three engines; judgements, labels and prices of documents as in SIGIR eCom'19; a recall benchmark
with the results of the best tagger."""


def data(name: str) -> Path:
    """Return the path of a bundled file."""
    return Path(__file__).parent / "data" / name


def copy(folder: Path) -> None:
    """Copy the bundled files to a folder, which is created if necessary; other files of their names are refused."""
    from karatage._folders import check_place, made_folder
    from karatage._writing import write_files
    from karatage.errors import InputError

    check_place(folder)
    missing = {}
    for name in FILES:
        content = data(name).read_bytes()
        if not (folder / name).exists():
            missing[folder / name] = content
        elif not (folder / name).is_file() or (folder / name).read_bytes() != content:
            hint = "Move it, or choose another folder"
            raise InputError("is there already, and is not a file of the demo", source=str(folder / name), hint=hint)
    with ExitStack() as made:
        for parent in dict.fromkeys(path.parent for path in missing):
            made.enter_context(made_folder(parent))
        write_files(missing)


def show(folder: Path | None = None) -> None:
    """Score the systems, print the results, and end with commands to try.

    Args:
        folder: where to copy the files to; by default nothing is written.
    """
    from karatage.demo.tour import tour

    if folder is not None:
        copy(folder)
    tour(folder)
