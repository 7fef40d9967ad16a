"""The shape of the code: rooms with doors, imports that go one way, names that mean one thing, a pinned public face."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from docs.room_map import ROOMS, room_map

import karatage

SOURCE = Path(karatage.__file__).parent
PROJECT = Path(__file__).parents[1]
MODULES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE)
# A record prints itself through `reports`, inside its methods; nothing else looks up.
PRINTED = (
    "scoring",
    "comparison",
    "explanation",
    "description",
    "recall",
    "clicks",
    "training",
    "experiments",
    "challenges",
)
ALLOWED = {(name, "reports") for name in PRINTED}
# What every room may use; `_printing` alone prints.
PLUMBING = ("_version", "_arrays", "_doors", "_limits", "_options", "_plugins", "_printing", "_processes", "_shown")
# Plumbing that writes to disk: nothing else does.
WRITING = ("_temporaries", "_writing", "_folders", "_locking")
# Faces of other tools have those tools' names.
REPEATED_MODULES = {"__init__", "__main__"}


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0]


def imported(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the module and the name of every import from this package."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("karatage."):
            yield from ((str(node.module), name.name) for name in node.names)
        if isinstance(node, ast.Import):
            yield from ((name.name, "") for name in node.names if name.name.startswith("karatage."))


def test_every_room_is_known() -> None:
    """A folder that the map does not know is a room without a place in the order."""
    assert {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"} == set(ROOMS)


def test_no_module_lies_loose() -> None:
    """Beside the rooms there are only the errors, and plumbing behind an underscore."""
    assert {path.stem for path in SOURCE.glob("*.py") if not path.stem.startswith("_")} == {"errors"}


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_go_one_way_and_through_doors(path: Path) -> None:
    """A module imports from rooms above its own only, and from their doors: `karatage.room`, not what lies inside."""
    own = room_of(path)
    below = list(ROOMS)[list(ROOMS).index(own) + 1 :]
    for module, name in imported(path):
        room, *inside = module.split(".")[1:]
        if room in (own, "errors", *PLUMBING, *WRITING):
            continue
        assert room not in below or (own, room) in ALLOWED, f"{own} must not import {module}"
        door = 1 if room in ("challenges", "compat") else 0  # each challenge and each face is a room of its own
        assert len(inside) <= door, f"{module}: import {name} from the room's door"


def test_a_module_name_means_one_thing() -> None:
    names = Counter(path.stem for path in MODULES if path.stem not in REPEATED_MODULES)
    assert not {name for name, count in names.items() if count > 1}


def test_a_class_name_means_one_thing() -> None:
    found = Counter(
        node.name
        for path in MODULES
        if room_of(path) != "compat"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert not {name for name, count in found.items() if count > 1}


@pytest.mark.parametrize("stub", sorted(SOURCE.rglob("__init__.pyi")), ids=lambda p: str(p.parent.relative_to(SOURCE)))
def test_a_door_offers_what_exists_and_hides_no_module(stub: Path) -> None:
    inside = {path.stem for path in stub.parent.iterdir()}
    for node in ast.parse(stub.read_text("utf-8")).body:
        assert isinstance(node, ast.ImportFrom), "a door's stub holds nothing but imports"
        module = __import__(str(node.module), fromlist=["_"])
        for name in node.names:
            assert hasattr(module, name.name)
            assert name.name not in inside or stub.parent == SOURCE, f"{name.name} is a module and a name of this room"


def test_the_map_is_that_of_the_code() -> None:
    """CONTRIBUTING.md has the map that `python -m docs.room_map` writes."""
    assert room_map() in (PROJECT / "CONTRIBUTING.md").read_text("utf-8")


def loaded_by(code: str, *, whole: bool = False) -> set[str]:
    """Return the packages that are loaded, or the whole names of their modules."""
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    return {name if whole else name.split(".")[0] for name in done.stdout.splitlines()[-1].split()}


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


def test_the_command_score_loads_only_what_it_needs(tmp_path: Path) -> None:
    """What the command imports is a good part of its time on files of any size."""
    (tmp_path / "f.conll").write_text("He O\nmet O\nAnn B-PER\nthere O\n\n" * 2)  # copies, which are looked for
    words = ["karatage", "score", *[str(tmp_path / "f.conll")] * 2, "--json"]
    code = f"import sys; sys.argv = {words!r}\nfrom karatage.cli import main\ntry: main()\nexcept SystemExit: print()"
    heavy = {"polars", "scipy", "rich", "xml", "http", "jinja2", "multiprocessing"}
    assert not loaded_by(code) & heavy
    assert "numpy.ma" not in loaded_by(code, whole=True)


def test_the_public_face() -> None:
    face: list[str] = karatage.__all__  # type: ignore[attr-defined]
    assert face == sorted(face)
    assert face == [
        "Annotators", "Claims", "Comparison", "Description", "Explanation", "Gate", "GradeAgreement",
        "KaratageError", "Metric", "Plan", "Profile", "Result", "Runs", "Score", "Sets", "Tags", "Tally", "__version__",
        "agree", "compare", "convert", "describe", "explain", "gate", "plan", "read", "scan", "score", "write",
    ]  # fmt: skip
    for name in face:
        assert getattr(karatage, name) is not None
    with pytest.raises(AttributeError):
        _ = karatage.nonsense  # type: ignore[attr-defined]
