"""The options of commands that make an HTML page, and how they write it."""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Annotated

import typer

from karatage._printing import tell
from karatage.errors import UsageError

if TYPE_CHECKING:
    from karatage.reports import Page

Html = Annotated[str | None, typer.Option(metavar="FILE", help="Write a self-contained HTML page.")]
Title = Annotated[str | None, typer.Option(help="Title of the HTML page.")]

COMMAND: ContextVar[str] = ContextVar("COMMAND", default="")
"""The command line, while `karatage` runs as a command."""


def check_page(html: str | None, title: str | None, inputs: Iterable[object]) -> None:
    """Refuse a title without a page, and a page that cannot be written, before any work is done."""
    from karatage.explanation import PAGES, check_paths

    if title is not None and html is None:
        raise UsageError("--title needs --html FILE")
    check_paths({"--html": (html, PAGES)}, inputs)


def save_page(page: Page, html: str, inputs: Iterable[object]) -> None:
    """Write a page, with the command and its files in the foot, and say how large it is."""
    tell(page_line(page, html, inputs))


def page_line(page: Page, html: str, inputs: Iterable[object]) -> str:
    """Write a page, with the command and its files in the foot, and return a line on it."""
    from karatage.reports import with_origin, write_page

    files = [str(one) for one in inputs if one is not None]
    size = len(write_page(with_origin(page, COMMAND.get(), files), html).encode())
    return f"{size / 1e6:.1f} MB page written to {html}"
