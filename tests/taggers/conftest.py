"""The model of sentences that EstNLTK needs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import DATA


@pytest.fixture(scope="session")
def sentence_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """NLTK's punkt_tab where NLTK finds it: it follows no links, so it is copied."""
    pytest.importorskip("estnltk")
    import nltk.data

    if not (DATA / "punkt_tab").is_dir():
        try:
            nltk.data.find("tokenizers/punkt_tab/estonian/")
        except LookupError:
            pytest.skip("NLTK's model punkt_tab is neither installed nor beside this repository")
        yield
        return
    folder: Path = tmp_path_factory.mktemp("nltk")
    shutil.copytree(DATA / "punkt_tab", folder / "tokenizers" / "punkt_tab")
    nltk.data.path.insert(0, str(folder))
    yield
    nltk.data.path.remove(str(folder))
