"""What bash, zsh and fish get when they ask for completions, in the protocol of Typer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.command import run

from karatage.claims import SCHEMES
from karatage.demo import data
from karatage.formats import format_names
from karatage.metrics import Metric, common_metrics
from karatage.profiles import profile_names
from karatage.training import MODELS, preset_names

SHELLS = ("bash", "zsh", "fish")


def completed(words: str, shell: str = "bash", cwd: Path | None = None) -> list[str]:
    """Return what a shell is offered for the last word, which may be empty."""
    every = words.split(" ")
    asked = {"COMP_WORDS": "\n".join(every), "COMP_CWORD": str(len(every) - 1)}
    if shell != "bash":
        asked = {"_TYPER_COMPLETE_ARGS": words, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    done = run(cwd=cwd, _KARATAGE_COMPLETE=f"complete_{shell}", **asked)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize("shell", SHELLS)
def test_commands_options_and_values(shell: str) -> None:
    ends = {"bash": ("", ""), "zsh": ('"', '"'), "fish": ("", "")}[shell]

    def values(words: str) -> list[str]:
        lines = [line.removeprefix("_arguments '*: :((").removesuffix("))'") for line in completed(words, shell)]
        return [line.split("\t")[0].split('":"')[0].strip("".join(ends)) for line in lines]

    assert values("karatage com") == ["compare"]
    assert values("karatage recall e") == ["estimate"]
    assert values("karatage score --js") == ["--json"]
    assert values("karatage score gold.conll --like seq") == ["seqeval", "seqeval-strict"]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("karatage score --like ", profile_names()),
        ("karatage profiles ", profile_names()),
        ("karatage train --like ", profile_names()),
        ("karatage score --format ", format_names()),
        ("karatage convert a b --to ", format_names()),
        ("karatage convert a b --to-scheme ", list(SCHEMES)),
        ("karatage score --scheme ", list(SCHEMES)),
        ("karatage score -m ", common_metrics()),
        ("karatage gate --metric ", common_metrics()),
        ("karatage train --config ", preset_names()),
        ("karatage train --model ", list(MODELS)),
        ("karatage tag ", ["estnltk", "hf:", "spacy:"]),
        ("karatage recall estimate x --tagger h", ["hf:"]),
        ("karatage recall estimate x --method ra", ["ratio", "ratio-wilson"]),
        ("karatage recall estimate x --words s", ["spaces"]),
        ("karatage recall adjudicate x --resolve m", ["majority"]),
        ("karatage score --kind b", ["boundary", "both"]),
        ("karatage compare --test ", ["t", "randomisation", "bootstrap"]),
        ("karatage score --engine r", ["ray", "ray://", "ray:auto"]),
        ("karatage --inst", ["--install-completion"]),
    ],
)
def test_values(words: str, names: list[str], tmp_path: Path) -> None:
    assert completed(words, cwd=tmp_path) == names


def test_a_file_is_left_to_the_shell() -> None:
    """No completions of ours: bash and fish then complete files, and zsh is told to."""
    assert completed("karatage score ") == []
    assert completed("karatage score gold.conll pred.conll -o ") == []
    assert completed("karatage score ", "zsh") == ["_files"]


def test_experiments_of_the_log_that_is_named(tmp_path: Path) -> None:
    for name in ("context", "shape"):
        call = ("score", data("gold.conll"), data(f"{name}.conll"), "--resamples", "0")
        assert run(*call, "--log", tmp_path / "runs").returncode == 0
    assert completed("karatage log show --log runs RUN", cwd=tmp_path) == ["RUN-001", "RUN-002"]
    assert completed("karatage log --log runs show ", cwd=tmp_path) == ["RUN-001", "RUN-002"]
    assert completed("karatage log compare --log runs RUN-001,RUN-0", cwd=tmp_path) == [
        "RUN-001,RUN-001",
        "RUN-001,RUN-002",
    ]
    assert completed("karatage log list --log runs --by macro", cwd=tmp_path) == ["macro_f1"]
    assert completed("karatage log show ", cwd=tmp_path) == []  # there is no folder `experiments`


def test_trained_models_are_offered_and_nothing_that_a_shell_would_run(tmp_path: Path) -> None:
    for name in ("model", "$(touch x)", "two words"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.toml").write_text("")
    assert completed("karatage tag ", cwd=tmp_path) == ["model", "estnltk", "hf:", "spacy:"]


def test_every_metric_that_is_offered_is_one() -> None:
    names = common_metrics()
    assert len(set(names)) == len(names)
    for name in names:
        Metric.parse(name)


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_are_shown_and_installed(shell: str, tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    shown = run("--show-completion", shell, **environment)
    assert shown.returncode == 0
    assert "_KARATAGE_COMPLETE=complete_" + shell in shown.stdout
    done = run("--install-completion", shell, **environment)
    assert done.returncode == 0
    assert any("_KARATAGE_COMPLETE" in path.read_text() for path in tmp_path.rglob("*karatage*") if path.is_file())


def test_only_the_command_that_is_called_is_loaded() -> None:
    """Which is what keeps a completion fast."""
    code = (
        "import os, sys, atexit\n"
        "atexit.register(lambda: print([n for n in sys.modules if n.startswith('karatage.cli.')], file=sys.stderr))\n"
        "sys.argv = ['karatage']\n"
        "os.environ |= {'_KARATAGE_COMPLETE': 'complete_bash', 'COMP_WORDS': 'karatage gate --js', 'COMP_CWORD': '2'}\n"
        "from karatage._start import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["--json"]
    assert "karatage.cli.gate" in done.stderr
    assert "karatage.cli.train" not in done.stderr
