"""Builds the gallery: pages that the commands of Karatage write from the demo data, while the site is built."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from karatage.demo import copy

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

INTRODUCTION = """# Gallery

Each of these pages is one file, works offline, and was written from the demo data by the command shown.
`karatage demo karatage-demo` copies the same data for you.

"""


class Exhibit(NamedTuple):
    """A page of the gallery: its file, its title, what it shows, the command that writes it, and where it opens."""

    file: str
    title: str
    about: str
    command: str
    part: str = ""

    @property
    def address(self) -> str:
        """The page, at the part of it that is new."""
        return f"{self.file}#{self.part}" if self.part else self.file


EXHIBITS = (
    Exhibit(
        "taggers.html",
        "Two taggers",
        "Where two taggers fail, and what each kind of error costs: scores with intervals, the comparison, labels, "
        "slices, a browser for all errors in context, and gold entities that look wrong. See "
        "[Error analysis](../guide/error-analysis.md).",
        "karatage explain karatage-demo/gold.conll karatage-demo/context.conll karatage-demo/lexicon.conll",
    ),
    Exhibit(
        "comparison.html",
        "A comparison of three taggers",
        "Which tagger is better, by how much, and on which labels: ranks, differences with intervals and tests. See "
        "[Comparing systems](../guide/comparing.md).",
        "karatage compare karatage-demo/gold.conll karatage-demo/lexicon.conll karatage-demo/shape.conll "
        "karatage-demo/context.conll",
    ),
    Exhibit(
        "fixed-and-broken.html",
        "What a new version fixed and broke",
        "The same page with `--diff`: every entity that the second tagger gets right and the first did not, and the "
        "reverse. See [Error analysis](../guide/error-analysis.md).",
        "karatage explain karatage-demo/gold.conll karatage-demo/lexicon.conll karatage-demo/context.conll --diff",
        part="changes",
    ),
    Exhibit(
        "queries.html",
        "Queries that got worse",
        "Which queries a new search engine improves, which it makes worse, and which documents moved. See "
        "[Search](../guide/search.md#queries-that-got-worse).",
        "karatage explain karatage-demo/search.qrels karatage-demo/bm25.run karatage-demo/expanded.run --diff "
        "--queries karatage-demo/queries.tsv",
        part="changes",
    ),
    Exhibit(
        "data.html",
        "A data set",
        "What is in a data set before anybody trains on it: labels, lengths, ambiguous texts, inconsistencies and "
        "duplicates. See [Describing data sets](../guide/describe.md).",
        "karatage describe karatage-demo/gold.conll",
    ),
    Exhibit(
        "recall.html",
        "Recall on a corpus",
        "The recall of a tagger on 20,000 titles, estimated from a labelled sample, stratum by stratum. See "
        "[Estimating recall](../guide/recall.md).",
        "karatage recall estimate karatage-demo/makers --stored",
    ),
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the gallery and its pages to the site."""
    from mkdocs.structure.files import File  # the tests make the pages without MkDocs

    for path, text in {"gallery/index.md": gallery(), **written()}.items():
        files.append(File.generated(config, path, content=text))
    return files


def gallery() -> str:
    """Return the page that shows all the others, each with the page itself as its thumbnail."""
    return INTRODUCTION + "".join(map(_shown, EXHIBITS))


def _shown(one: Exhibit) -> str:
    thumbnail = (
        f'<a class="thumbnail" href="{one.address}" aria-label="{one.title}: open the page">'
        f'<iframe src="{one.file}" title="{one.title}" loading="lazy" tabindex="-1" inert></iframe></a>'
    )
    command = " \\\n    ".join(_lines(f"{one.command} --html page.html"))
    return (
        f'## {one.title}\n\n<div class="exhibit" markdown>\n{thumbnail}\n<div markdown>\n{one.about}\n\n'
        f"[Open the page]({one.address})\n</div>\n</div>\n\n```sh\n{command}\n```\n\n"
    )


def _lines(command: str, width: int = 78) -> Iterator[str]:
    """Break a command where a line would be too long for the page."""
    line = ""
    for word in command.split(" "):
        if line and len(line) + len(word) >= width:
            yield line
            line = word
        else:
            line = f"{line} {word}".strip()
    yield line


@cache
def written() -> dict[str, str]:
    """Return the pages by their paths; their commands run once, in a folder with the demo data."""
    with TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        copy(Path(folder) / "karatage-demo")
        texts = pool.map(lambda one: _page(one, Path(folder)), EXHIBITS)
        return {f"gallery/{one.file}": text for one, text in zip(EXHIBITS, texts, strict=True)}


def _page(one: Exhibit, folder: Path) -> str:
    _, *words = shlex.split(one.command)
    command = [sys.executable, "-m", "karatage", *words, "--html", one.file]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)  # noqa: S603  our own
    if done.returncode:
        raise RuntimeError(f"{one.command}: {done.stderr}")
    return (folder / one.file).read_text("utf-8")
