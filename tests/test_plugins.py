"""Registries load what they know on first use, and take in what other packages declare."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from karatage._plugins import Registry
from karatage.errors import UsageError


def test_a_name_is_loaded_on_first_use() -> None:
    known: Registry[float] = Registry("constant", "karatage.nothing", {"tau": "math:tau", "broken": "math:no_such"})
    assert known.names() == ["tau", "broken"]
    assert known["tau"] == math.tau
    with pytest.raises(UsageError, match="the constant 'broken' \\(math:no_such\\) cannot be loaded"):
        _ = known["broken"]


def test_a_wrong_name_is_answered_with_a_right_one() -> None:
    with pytest.raises(UsageError, match="unknown constant 'tao'. Did you mean 'tau'"):
        _ = Registry[float]("constant", "karatage.nothing", {"tau": "math:tau"})["tao"]


def test_packages_add_theirs_but_replace_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "constants-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: constants\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[karatage.constants]\ne = math:e\ntau = math:pi\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    known: Registry[float] = Registry("constant", "karatage.constants", {"tau": "math:tau"})
    assert known.names() == ["tau", "e"]
    assert (known["e"], known["tau"]) == (math.e, math.tau)


SAMPLE = Path(__file__).parent / "sample_plugin"
CODE = """
import sys
sys.path.insert(0, sys.argv[1])
import karatage
from karatage.formats import format_names
from karatage.matching import rule_names
from karatage.metrics import measures
from karatage.profiles import profile_names
from karatage.taggers import open_tagger

# A format: found by its ending, and listed.
assert "pipes" in format_names()
assert karatage.score(sys.argv[2], sys.argv[2]).counts["correct"] == 2

# A metric: A has gold 3, predicted 2, correct 2: 2/3; B gold 1, predicted 2, correct 1: 1/2. Together 3 / (4 + 4 - 3).
gold, pred = [["B-A", "B-A", "B-A", "B-B"]], [["B-A", "B-A", "B-B", "B-B"]]
result = karatage.score(gold, pred)
assert result["jaccard"].value == 3 / 5
assert result["jaccard[A]"].value == 2 / 3
assert result["macro_jaccard"].value == (2 / 3 + 1 / 2) / 2
assert karatage.score([["O"]], [["O"]])["jaccard"].undefined
assert "jaccard" in [measure.name for measure in measures()]
many = karatage.score(gold * 5 + pred, gold * 4 + pred * 2, metrics=["jaccard", "units_jaccard"], resamples=50)
assert many["jaccard"].low < many["jaccard"].value < many["jaccard"].high
run = karatage.score({"q": {"a": 1}, "r": {"b": 1}}, {"q": {"a": 2.0}, "r": {"c": 2.0, "b": 1.0}}, metrics=["First"])
assert run["First"].value == 0.5

# A matching rule, and a profile that uses it: 0-4 and 0-2 overlap by a half, 6-9 and 8-12 by 1 of 6.
assert "half-overlap" in rule_names() and "sample-halves" in profile_names()
spans = [[("A", 0, 4), ("A", 6, 9)]], [[("A", 0, 2), ("A", 8, 12)]]
assert karatage.score(*spans, like="sample-halves").headline.value == 1 / 3
assert karatage.score(*spans, match="half-overlap")["recall"].value == 1 / 2

# A tagger.
claims = open_tagger("capitals").tag(["Anna met Bob"])
assert [claims.labels[k] for k in claims.label] == ["NAME", "NAME"]
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Install the sample package into a folder of its own."""
    site = tmp_path / "site"
    shutil.copytree(SAMPLE / "src", site)
    info = site / "karatage_sample-1.0.dist-info"
    info.mkdir()
    project = tomllib.loads((SAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    groups = project["entry-points"].items()
    lines = [f"[{group}]\n" + "".join(f"{name} = {where}\n" for name, where in own.items()) for group, own in groups]
    (info / "entry_points.txt").write_text("\n".join(lines))
    (tmp_path / "spans.pipes").write_text("PER|0|4\nLOC|2|9\n")
    return site


def test_a_package_brings_one_of_everything(site: Path) -> None:
    """A sample package adds a format, two metrics, a matching rule, a profile and a tagger, without a change here."""
    subprocess.run([sys.executable, "-c", CODE, str(site), str(site.parent / "spans.pipes")], check=True)


def test_the_command_line_knows_them(site: Path) -> None:
    """The format is preferred to column files, which also recognise the ending `.conll`, by its higher precedence."""
    folder = site.parent
    (folder / "pred.conll").write_text("PER|0|4\nLOC|3|9\n")
    (folder / "texts.txt").write_text("Anna met Bob\n")

    def karatage(*arguments: str) -> str:
        command = [sys.executable, "-m", "karatage", *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=folder, env=os.environ | {"PYTHONPATH": "site"}
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    both = ("score", "spans.pipes", "pred.conll", "--resamples", "0", "-m")
    assert "pipes" in karatage("formats")
    assert "jaccard" in karatage("metrics")
    assert "sample-halves" in karatage("profiles")
    assert "jaccard   0.3333" in karatage(*both, "jaccard")
    assert "f1       0.5000" in karatage(*both, "f1")
    assert "f1       1.0000" in karatage(*both, "f1", "--match", "half-overlap")
    assert "f1       1.0000" in karatage(*both, "f1", "--like", "sample-halves")
    karatage("tag", "capitals", "texts.txt", "--format", "text", "--out", "found.pipes")
    assert (folder / "found.pipes").read_text() == "NAME|0|4\nNAME|9|12\n"
