"""A package brings a format of its own under the entry point `karatage.formats`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PLUGIN = """
from karatage.claims import Claims, Units
from karatage.formats import Format


def read(source, options):
    lines = [text.split("|") for _, text in source.lines()]
    rows = [(k, label, int(a), int(b), None, None) for k, (label, a, b) in enumerate(lines)]
    yield Claims.build(Units(len(lines), source=source.name), "char", rows)


PIPES = Format(
    name="pipes",
    about="A span per line, its parts between pipes.",
    suffixes=(".pipes",),
    holds=frozenset({"chars"}),
    sniff=lambda head: head.suffixes.endswith(".pipes"),
    read=read,
)
"""


def test_an_installed_plugin_is_found_sniffed_and_listed(tmp_path: Path) -> None:
    site = tmp_path / "site"
    info = site / "pipes_plugin-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "pipes_plugin.py").write_text(PLUGIN)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pipes-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[karatage.formats]\npipes = pipes_plugin:PIPES\n")
    data = tmp_path / "spans.pipes"
    data.write_text("PER|0|4\nLOC|2|9\n")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import karatage\nfrom karatage.formats import format_names\n"
        "assert 'pipes' in format_names()\n"
        "assert karatage.score(sys.argv[2], sys.argv[2]).counts['correct'] == 2\n"
        "assert len(karatage.read(sys.argv[2], format='pipes')) == 2\n"
    )
    subprocess.run([sys.executable, "-c", code, str(site), str(data)], check=True)
