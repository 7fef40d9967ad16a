"""The shape of the code: imports go one way, heavy things load late, the public face is pinned."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import karatage

SOURCE = Path(karatage.__file__).parent
ORDER = ["errors", "claims", "formats", "taggers", "matching", "metrics", "stats", "profiles"]
ORDER += ["corpus", "facade", "tagging", "outcomes", "keeping", "result", "run", "extraction", "search", "scoring"]
ORDER += ["comparison", "fields", "judging", "comparing", "explaining", "planning", "gating", "recall", "experiments"]
ORDER += ["submission", "reports", "demo", "cli"]
# What was found prints itself through `reports`, inside its methods; nothing else looks up.
PRINTED = ("result", "comparison", "explaining", "planning", "gating", "recall", "submission")
ALLOWED = {(name, "reports") for name in PRINTED} | {("corpus", "formats")}


def imports(path: Path) -> set[str]:
    out = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        out |= {name.split(".")[1] for name in names if name.startswith("karatage.")}
    return out


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_go_one_way(path: Path) -> None:
    """No module imports from a package that stands behind its own."""
    own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    if own not in ORDER:
        return
    behind = ORDER[ORDER.index(own) + 1 :]
    upward = {(own, name) for name in imports(path) if name in behind} - ALLOWED
    assert not upward


def loaded_by(code: str) -> set[str]:
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    return {name.split(".")[0] for name in done.stdout.split()}


def test_import_karatage_is_light() -> None:
    assert not loaded_by("import karatage") & {"numpy", "polars", "scipy", "torch", "rich", "fastapi", "ray"}


def test_help_loads_nothing_heavy() -> None:
    assert not loaded_by("import karatage.cli") & {"numpy", "polars", "scipy", "torch"}


def test_scoring_tags_loads_neither_scipy_nor_sklearn() -> None:
    code = "import karatage; karatage.score([['B-X']], [['B-X']], like='semeval2013')['strict_f1']"
    assert not loaded_by(code) & {"scipy", "sklearn", "torch"}


def test_scoring_column_files_does_not_load_polars(tmp_path: Path) -> None:
    (tmp_path / "f.conll").write_text("a B-X\n\n")
    path = str(tmp_path / "f.conll")
    assert not loaded_by(f"import karatage; karatage.score({path!r}, {path!r})") & {"polars", "scipy"}


def test_the_public_face() -> None:
    assert karatage.__all__ == sorted(karatage.__all__)
    assert karatage.__all__ == [
        "Claims", "Comparison", "Explanation", "Gate", "KaratageError", "Metric", "Plan", "Profile", "Result", "Runs",
        "Score", "Sets", "Tags", "Tally", "__version__", "compare", "convert", "explain", "gate", "plan", "read",
        "scan", "score", "write",
    ]  # fmt: skip
    for name in karatage.__all__:
        assert getattr(karatage, name) is not None
    with pytest.raises(AttributeError):
        _ = karatage.nonsense
