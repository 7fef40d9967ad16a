"""A function's version covers its module and what that imports from the same place."""

from __future__ import annotations

from pathlib import Path

from karatage.taggers.local_code import local_sources

FILES = {
    "alone.py": "import json, numpy.linalg\n",
    "top.py": "import words\nfrom pack import inner\nfrom pack.deep.low import LIMIT\n",
    "words.py": "import top\n",  # a circle
    "unrelated.py": "",
    "pack/__init__.py": "from .side import x\n",
    "pack/inner.py": "def f():\n    from . import lazy\n",
    "pack/lazy.py": "",
    "pack/side.py": "x = 1\n",
    "pack/other.py": "from ..pack import nothing\n",
    "pack/deep/__init__.py": "",
    "pack/deep/low.py": "from ..other import *\nLIMIT = 1\n",
}


def sources(folder: Path, name: str, module: str) -> set[str]:
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return {path.relative_to(folder).as_posix() for path in local_sources(folder / name, module)}


def test_what_a_module_imports(tmp_path: Path) -> None:
    assert sources(tmp_path, "alone.py", "alone") == {"alone.py"}
    every = set(FILES) - {"alone.py", "unrelated.py"}
    assert sources(tmp_path, "top.py", "top") == every


def test_modules_in_packages(tmp_path: Path) -> None:
    inner = {"pack/__init__.py", "pack/side.py", "pack/inner.py", "pack/lazy.py"}
    assert sources(tmp_path, "pack/inner.py", "pack.inner") == inner
    low = {"pack/__init__.py", "pack/side.py", "pack/other.py", "pack/deep/__init__.py", "pack/deep/low.py"}
    assert sources(tmp_path, "pack/deep/low.py", "pack.deep.low") == low
    assert sources(tmp_path, "pack/__init__.py", "pack") == {"pack/__init__.py", "pack/side.py"}


def test_code_that_is_not_python(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_bytes(b"\0 import top")
    assert local_sources(tmp_path / "odd.py", "odd") == [tmp_path / "odd.py"]
