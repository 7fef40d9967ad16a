"""What the tests of formats share: reading a text, and the sample data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from karatage.claims import Claims, join_batches
from karatage.formats import ReadOptions, Source, get_format

Read = Callable[..., Claims]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Read a text, or bytes, as a format: `read("doccano", text)`; options go to the reader."""

    def reader(name: str, content: str | bytes, file: str = "", **options: Any) -> Claims:
        form = get_format(name)
        path = tmp_path / (file or f"corpus{form.suffixes[0]}")
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return join_batches(form.read(Source(path), ReadOptions(**options)))

    return reader
