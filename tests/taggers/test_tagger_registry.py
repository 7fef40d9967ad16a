"""Taggers by name, their labels, and what is said where one cannot be opened."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.taggers.plain import spans

from karatage.errors import ClaimError, UsageError
from karatage.taggers import open_tagger


def test_import_loads_nothing_heavy() -> None:
    script = "import sys, karatage.taggers; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"torch", "transformers", "spacy", "estnltk", "nltk", "polars", "scipy"}


@pytest.mark.parametrize("name", ["estnlt", "", "hf:", "spacy:", "tagger", "a b:c", "a:b:c", "1:2", "a:"])
def test_unknown_names(name: str) -> None:
    with pytest.raises(
        UsageError,
        match="unknown tagger .* Known: MODULE:FUNCTION, a model folder, estnltk, hf:FOLDER",
    ):
        open_tagger(name)


def test_did_you_mean() -> None:
    with pytest.raises(UsageError, match="Did you mean 'estnltk'"):
        open_tagger("estnlt")


@pytest.mark.parametrize(
    ("module", "name", "extra"),
    [("torch", "hf:x", "hf"), ("spacy", "spacy:x", "spacy"), ("estnltk", "estnltk", "estnltk")],
)
def test_missing_package(monkeypatch: pytest.MonkeyPatch, module: str, name: str, extra: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError, match=rf"pip install '\.\[{extra}\]'"):
        open_tagger(name)


def places(text: str) -> list[tuple[int, int, str]]:
    return [(0, 5, "GPE"), (6, 10, "PER")] if text else []


def like_a_pipeline(text: str) -> list[dict[str, Any]]:
    whole = {"start": 0, "end": len(text), "score": 0.5, "word": text}
    return [whole | {"entity_group": "A", "entity": "B"}, whole | {"entity": "C"}, whole | {"label": "D"}]


def generator(text: str) -> Any:
    import numpy as np

    yield from ((np.int64(i), np.int64(i + 1), "C") for i in range(len(text)))


def echo(text: str) -> Any:
    return {"none": None, "text": "text", "mapping": {"start": 0}}.get(text, [])


def odd(text: str) -> Any:
    return [{"a": (0, 1), "b": (0, 1, 2), "c": {"start": 0, "end": 1}, "d": (0.5, 1, "X"), "e": 7}[text]]


NOT_A_FUNCTION = 3


def test_functions() -> None:
    texts = ["Tartu Mari", ""]
    assert spans(open_tagger(f"{__name__}:places").tag(texts)) == [[(0, 5, "GPE"), (6, 10, "PER")], []]
    tagger = open_tagger(f"python:{__name__}:places")
    assert (tagger.name, tagger.labels) == (f"{__name__}:places", None)
    assert spans(open_tagger(f"{__name__}:like_a_pipeline").tag(["ab"])) == [[(0, 2, "A"), (0, 2, "C"), (0, 2, "D")]]
    assert spans(open_tagger(f"{__name__}:generator").tag(["ab"])) == [[(0, 1, "C"), (1, 2, "C")]]


def test_claims_hold_the_texts() -> None:
    claims = open_tagger(f"{__name__}:places").tag(("Tartu Mari", ""))
    assert (claims.space, list(claims.units.texts or ())) == ("char", ["Tartu Mari", ""])


@pytest.mark.parametrize("text", ["none", "text", "mapping"])
def test_functions_that_give_no_list(text: str) -> None:
    with pytest.raises(ClaimError, match="text 2: .*Expected a list of spans"):
        open_tagger(f"{__name__}:echo").tag(["", text])


@pytest.mark.parametrize("text", "abcde")
def test_functions_that_give_no_spans(text: str) -> None:
    with pytest.raises(ClaimError, match=r"text 1: .*odd returned the span .*. Expected \(label, start, end\)"):
        open_tagger(f"{__name__}:odd").tag([text])


def test_modules_of_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_own_tagger.py").write_text("class Box:\n    @staticmethod\n    def tag(t): return [(0, 1, 'X')]\n")
    (tmp_path / "my_broken_tagger.py").write_text("1 / 0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    assert spans(open_tagger("my_own_tagger:Box.tag").tag(["a"])) == [[(0, 1, "X")]]
    with pytest.raises(UsageError, match="cannot import the tagger my_broken_tagger:tag \\(ZeroDivisionError"):
        open_tagger("my_broken_tagger:tag")


def test_functions_that_are_not_there() -> None:
    with pytest.raises(
        UsageError, match="No module named 'spcay'\\). Taggers are estnltk, hf:FOLDER, hf:OWNER/MODEL, spacy:NAME"
    ):
        open_tagger("spcay:et_core")
    with pytest.raises(UsageError, match="has no attribute 'nothing'"):
        open_tagger(f"{__name__}:nothing")
    with pytest.raises(UsageError, match="must be a function, not int"):
        open_tagger(f"{__name__}:NOT_A_FUNCTION")


@pytest.mark.parametrize("drop", ["", "O"])
def test_label_map(drop: str) -> None:
    tagger = open_tagger(f"{__name__}:places", label_map={"GPE": "LOC", "PER": drop})
    assert spans(tagger.tag(["Tartu Mari"])) == [[(0, 5, "LOC")]]
    assert tagger.name == f"{__name__}:places (GPE=LOC, PER=O)"
