"""Fingerprints are equal in every process as long as the work and its files are, and differ as soon as one changes."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from karatage._processes import safe_environment
from karatage.engine.work_fingerprints import FileStamp, Fingerprints
from karatage.inputs import as_input, cut_alike
from karatage.profiles import get_profile
from karatage.scoring.extraction_counts import ExtractionCounts
from karatage.scoring.folding import FoldPart, fold_part
from karatage.scoring.nouns import Nouns

CODE = """
import sys
from tests.engine.test_work_fingerprints import of_part
from pathlib import Path
print(of_part(Path(sys.argv[1])))
"""


def of_part(folder: Path, **changes: Any) -> str:
    """Return the fingerprint of a real part, which has sets, functions, profiles and formats in it."""
    profile = get_profile("exact").with_options(changes.get("options") or _options())
    inputs = [as_input(folder / name, name=name) for name in ("gold.conll", "pred.conll")]
    part = next(cut_alike(inputs, 1))
    fold = ExtractionCounts(profile, Nouns(unit="sentence", claim="entity"), None)
    return Fingerprints().of(fold_part, FoldPart(fold, part))[0]


def _options(**given: Any) -> Any:
    from karatage.profiles import ProfileOptions

    return ProfileOptions(**({"labels": ("PER", "LOC", "ORG")} | given))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("gold.conll", "pred.conll"):
        (tmp_path / name).write_text("Ann B-PER\nlives O\n\n")
    return tmp_path


def test_a_fingerprint_is_the_same_in_every_process(folder: Path) -> None:
    """Sets have another order in each."""
    environment = safe_environment() | {"PYTHONPATH": os.pathsep.join(["src", *sys.path])}
    known = of_part(folder)
    for seed in ("0", "1", "2"):
        command = [sys.executable, "-c", CODE, folder]
        out = subprocess.check_output(command, env=environment | {"PYTHONHASHSEED": seed}, text=True)
        assert out.strip() == known


def test_whatever_changes_the_work_changes_its_fingerprint(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {of_part(folder)}
    assert of_part(folder) in seen
    os.utime(folder / "gold.conll", ns=(5, 5))
    seen.add(of_part(folder))
    (folder / "pred.conll").write_text("Ann B-PER\nlives O O\n\n")
    os.utime(folder / "pred.conll", ns=(5, 5))
    seen.add(of_part(folder))
    seen.add(of_part(folder, options=_options(labels=("PER",))))
    seen.add(of_part(folder, options=_options(missing="empty")))
    monkeypatch.chdir(folder)
    assert of_part(Path()) == of_part(folder.absolute()) or len({of_part(Path())} - seen) == 1
    assert len(seen) == 5


THINGS: list[Any] = [
    *(None, True, 1, 1.0, "1", b"1", (), [], {}, set(), frozenset({1}), (1,), [1], {1: 2}, {2: 1}, {1}, (1, 2), (2, 1)),
    *(np.arange(3), np.arange(4), np.arange(3.0), np.int64(1), re.compile("a"), re.compile("b"), partial(print, 1)),
    *(print, len, str, int, Path("a"), Path("b"), [[1], 2], [[1, 2]], {"a": 1, "b": 2}, {"b": 2, "a": 1}, slice(1)),
]


def test_different_things_have_different_fingerprints() -> None:
    found = [Fingerprints().of(thing)[0] for thing in THINGS]
    assert len(set(found)) == len(THINGS)
    copies = pickle.loads(pickle.dumps(THINGS))  # noqa: S301  our own
    assert [Fingerprints().of(thing)[0] for thing in copies] == found
    together = Fingerprints()
    assert [together.of(thing)[0] for thing in THINGS] == found, "what was seen before changes nothing"


def test_a_thing_that_contains_itself_has_one() -> None:
    endless: list[Any] = [1]
    endless.append(endless)
    assert Fingerprints().of(endless)[0] != Fingerprints().of([1])[0]


def test_files_are_found_wherever_their_paths_are(folder: Path) -> None:
    path = folder / "gold.conll"
    stamp = FileStamp(str(path), path.stat().st_size, path.stat().st_mtime_ns)
    assert Fingerprints().of({"a": [(path, folder / "none")]}, path)[1] == (stamp,)
    assert set(Fingerprints().of(folder)[1]) == {stamp, *Fingerprints().of(folder / "pred.conll")[1]}
    before = Fingerprints().of(folder)[0]
    (folder / "new").touch()
    assert Fingerprints().of(folder)[0] != before


def test_a_part_does_not_depend_on_the_content_of_other_files(tmp_path: Path) -> None:
    """The names of all files count: whether each is a document depends on them."""
    for side in ("gold", "pred"):
        (tmp_path / side).mkdir()
        for n in range(3):
            (tmp_path / side / f"{n}.conll").write_text(f"a{n} B-X\n\n")

    def found() -> list[str]:
        inputs = [as_input(tmp_path / side, name=side) for side in ("gold", "pred")]
        prints = Fingerprints()
        wholes = zip(*(own.sources for own in inputs), strict=True)
        from karatage.formats import SourcePart

        return [
            prints.of([own.part([SourcePart(s, 0, 5, 0)]) for own, s in zip(inputs, pair, strict=True)])[0]
            for pair in wholes
        ]

    before = found()
    (tmp_path / "pred" / "1.conll").write_text("other B-X\n\n")
    after = found()
    assert (before[0], before[2]) == (after[0], after[2])
    assert before[1] != after[1]
    (tmp_path / "gold" / "3.conll").touch()
    (tmp_path / "pred" / "3.conll").touch()
    assert not set(found()) & set(after)
