"""What a page was made from: the command, the files and their date, in the foot of the page."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from karatage.reports.html.blocks import Page

DATE = "SOURCE_DATE_EPOCH"
"""The variable of reproducible builds that sets the date: seconds since 1970."""

_FILES = 12
"""More files than these are counted instead."""


def with_origin(page: Page, command: str, files: Iterable[str]) -> Page:
    """Return a page whose foot also has the command that made it, and the files that it read with their date.

    The date is that of the newest file, not of the clock: the same command on the same files makes the same page, byte
    for byte. Where files are copied and their dates change, set SOURCE_DATE_EPOCH.

    Args:
        page: the page.
        command: the command line; empty if there is none.
        files: the paths that the command read, whichever of them are files or folders.
    """
    known = [path for path in dict.fromkeys(files) if Path(path).exists()]
    lines = [f"Command: {command}"] if command else []
    if known:
        lines.append(f"Files: {_names(known)}")
    if date := _date(known):
        lines.append(f"Date of the files: {date}" if DATE not in os.environ else f"Date: {date}")
    return replace(page, footer=[*lines, *page.footer])


def _names(files: Sequence[str]) -> str:
    more = f" and {len(files) - _FILES:,} more" if len(files) > _FILES else ""
    return f"{', '.join(files[:_FILES])}{more}"


def _date(files: Sequence[str]) -> str:
    """Return the day that the environment sets, or that of the newest file, in UTC; empty if nothing is known."""
    given = os.environ.get(DATE, "")
    if given.isdecimal():
        seconds = float(given)
    elif times := [own.stat().st_mtime for path in files for own in _members(Path(path))]:
        seconds = max(times)
    else:
        return ""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"


def _members(path: Path) -> list[Path]:
    """Return a file, or the files of a folder."""
    return [one for one in path.iterdir() if one.is_file()] if path.is_dir() else [path]
