"""One thread for PyTorch, and tiny encoders."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from tests.training.corpora import MAKERS, MAKES, titles

if importlib.util.find_spec("torch") is not None:
    import torch

    torch.set_num_threads(1)  # the networks are tiny, and tests run side by side


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A BERT with random weights that takes 24 pieces; some words of the corpora are two or three pieces."""
    pytest.importorskip("transformers")
    from tests.training.encoders import save_bert

    return save_bert(tmp_path_factory.mktemp("bert"), _words())


@pytest.fixture(scope="session")
def roberta(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A RoBERTa with random weights over bytes."""
    pytest.importorskip("transformers")
    from tests.training.encoders import save_roberta

    return save_roberta(tmp_path_factory.mktemp("roberta"), [*MAKERS, *MAKES, "Brems", "Zahn"])


def _words() -> list[str]:
    return sorted({token for title in titles(60) for token in title.tokens})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A place where a model can go."""
    return tmp_path / "model"
