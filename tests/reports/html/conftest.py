"""Pages on disk, made once."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.browser import chromium
from tests.reports.html.hostile import hostile_page, hostile_texts
from tests.reports.html.samples import rich_page

from karatage.reports.html.render import write_page

__all__ = ["chromium"]


@pytest.fixture(scope="session")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "rich.html"
    write_page(rich_page(), path)
    return path


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "hostile.html"
    write_page(hostile_page(), path)
    write_page(hostile_texts(), path.with_name("texts.html"))
    return path
