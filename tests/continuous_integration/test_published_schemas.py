"""Every YAML file and example that a CI server reads is valid by its published schema."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml
from tests.docs.examples import blocks

from karatage._version import __version__
from karatage.cli import application

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = [(page, block) for page in PAGES for block in blocks(page) if block.language in ("yaml", "yml")]
NAMES = [f"{page.name}:{block.line}" for page, block in EXAMPLES]
OPTIONS = {
    name
    for parameter in typer.main.get_command(application("pull-request")).commands["pull-request"].params  # type: ignore[attr-defined]
    for name in parameter.opts
}
# By the path of a file: the schema that check-jsonschema carries, or the command of pre-commit.
SCHEMAS = (
    (r"(.*/)?action\.yml", "vendor.github-actions"),
    (r"\.github/workflows/[^/]+\.yml", "vendor.github-workflows"),
    (r"\.github/dependabot\.yml", "vendor.dependabot"),
    (r"\.github/ISSUE_TEMPLATE/config\.yml", "vendor.github-issue-config"),
    (r"\.github/ISSUE_TEMPLATE/[^/]+\.yml", "vendor.github-issue-forms"),
    (r"ci/gitlab\.yml|\.gitlab-ci\.yml", "vendor.gitlab-ci"),
    (r"\.pre-commit-hooks\.yaml", "validate-manifest"),
    (r"\.pre-commit-config\.yaml", "validate-config"),
)
FILES = [
    *("action.yml", "ci/gitlab.yml", ".pre-commit-hooks.yaml", ".pre-commit-config.yaml"),
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / ".github").rglob("*.yml")),
]


def validated(name: str, file: Path) -> subprocess.CompletedProcess[str]:
    """Validate a file by the schema for its name."""
    schema = next((schema for pattern, schema in SCHEMAS if re.fullmatch(pattern, name)), None)
    assert schema is not None, f"{name!r}: give the example the title of a file with a known schema"
    tool = ["pre_commit", schema] if schema.startswith("validate") else ["check_jsonschema", "--builtin-schema", schema]
    return subprocess.run([sys.executable, "-m", *tool, str(file)], capture_output=True, encoding="utf-8", check=False)


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_valid(name: str) -> None:
    done = validated(name, ROOT / name)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("page", "block"), EXAMPLES, ids=NAMES)
def test_an_example_is_valid(page: Path, block: Any, tmp_path: Path) -> None:
    file = tmp_path / "example.yaml"
    file.write_text(block.body, "utf-8")
    done = validated(block.title, file)
    assert done.returncode == 0, f"{page.name}:{block.line}: {done.stdout}{done.stderr}"


def test_there_are_examples() -> None:
    titles = {block.title for _, block in EXAMPLES}
    assert {".gitlab-ci.yml", ".pre-commit-config.yaml"} < titles


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".github/workflows/gate.yml", "on: push\njobs:\n  a:\n    steps:\n      - run: x\n"),
        ("action.yml", "name: a\nruns:\n  using: composite\n  steps:\n    - run: x\n"),
        (".gitlab-ci.yml", "job:\n  script: x\n  artifacts:\n    when: sometimes\n"),
        (".pre-commit-hooks.yaml", "- id: a\n  name: a\n"),
    ],
)
def test_a_wrong_file_is_found(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.yaml").write_text(text, "utf-8")
    assert validated(name, tmp_path / "wrong.yaml").returncode == 1


def scripts(own: Any) -> Iterator[str]:
    """Yield the scripts of a workflow or an action."""
    if isinstance(own, dict):
        yield from (value for key, value in own.items() if key == "run" and isinstance(value, str))
        yield from (script for value in own.values() for script in scripts(value))
    elif isinstance(own, list):
        yield from (script for value in own for script in scripts(value))


@pytest.mark.parametrize("name", [name for name in FILES if "workflows" in name or name == "action.yml"])
def test_no_expression_is_a_part_of_a_script(name: str) -> None:
    """What an expression stands for may come from a pull request: in a script it would be run."""
    found = list(scripts(yaml.safe_load((ROOT / name).read_text("utf-8"))))
    assert found
    assert [script for script in found if "${{" in script] == []


@pytest.mark.parametrize("script", list(scripts(yaml.safe_load((ROOT / "action.yml").read_text("utf-8")))))
def test_a_script_is_valid_shell(script: str) -> None:
    done = subprocess.run(["bash", "-n", "-c", script], capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")


def uses(own: Any) -> Iterator[dict[str, Any]]:
    """Yield whatever calls an action or a workflow."""
    if isinstance(own, dict):
        yield from [own] if "uses" in own else []
        yield from (step for value in own.values() for step in uses(value))
    elif isinstance(own, list):
        yield from (step for value in own for step in uses(value))


CALLS = [
    (name, call)
    for name, text in [
        *((f"{page.name}:{block.line}", block.body) for page, block in EXAMPLES),
        (".github/workflows/karatage-gate.yml", (ROOT / ".github/workflows/karatage-gate.yml").read_text("utf-8")),
    ]
    for call in uses(yaml.safe_load(text))
    if call["uses"].startswith("karatage/")
]


@pytest.mark.parametrize(("name", "call"), CALLS, ids=[name for name, _ in CALLS])
def test_calls_of_ours_are_of_this_release_and_have_known_inputs(name: str, call: dict[str, Any]) -> None:
    place, _, release = call["uses"].partition("@")
    assert release == f"v{__version__}", f"{name}: name the release that this is"
    file = place.removeprefix("karatage/karatage").lstrip("/") or "action.yml"
    own = yaml.safe_load((ROOT / file).read_text("utf-8"))
    called = own[True]["workflow_call"] if True in own else own  # `on` is true in YAML 1.1
    inputs, given = called["inputs"], call["with"]
    assert set(given) <= set(inputs)
    assert {name for name, about in inputs.items() if about.get("required")} <= set(given)
    lines = [line.split()[0] for line in given.get("options", "").splitlines() if "${{" not in line]
    assert set(lines) <= OPTIONS


WORKFLOWS = [
    *(pytest.param((ROOT / name).read_text("utf-8"), id=name) for name in FILES if "workflows" in name),
    *(
        pytest.param(block.body, id=name)
        for name, (_, block) in zip(NAMES, EXAMPLES, strict=True)
        if "workflows" in block.title
    ),
]


@pytest.mark.parametrize("text", WORKFLOWS)
def test_a_workflow_grants_rights_to_the_jobs_that_need_them(text: str) -> None:
    """Without a word on rights, every job gets those of the repository's settings, which may be all."""
    own = yaml.safe_load(text)
    granted = {right for right, level in own["permissions"].items() if level == "write"}
    assert granted <= ({"pull-requests"} if len(own["jobs"]) == 1 else set())


@pytest.mark.parametrize("name", [name for name in FILES if "workflows" in name])
def test_actions_of_others_are_pinned_to_commits(name: str) -> None:
    """A tag can be moved. The comment says which release a commit is, and lets Dependabot update both."""
    lines = [line for line in (ROOT / name).read_text("utf-8").splitlines() if "uses: " in line]
    assert lines
    pinned = re.compile(r" uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
    assert [line for line in lines if "karatage/" not in line and not pinned.search(line)] == []


def test_the_action_uses_no_action_of_others() -> None:
    assert list(uses(yaml.safe_load((ROOT / "action.yml").read_text("utf-8")))) == []


def test_the_inputs_of_the_workflow_are_those_of_the_action() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"]
    workflow = yaml.safe_load((ROOT / ".github/workflows/karatage-gate.yml").read_text("utf-8"))
    own = workflow[True]["workflow_call"]["inputs"]
    assert set(action) - set(own) == {"base", "token"}  # which a workflow knows
    assert set(own) - set(action) == {"artifact"}


@pytest.mark.parametrize(("page", "block"), EXAMPLES, ids=NAMES)
def test_releases_in_examples_are_this_one(page: Path, block: Any) -> None:
    named = re.findall(r"karatage/karatage[^\s@]*@v?([0-9.]+[0-9])|rev: v([0-9.]+)", block.body)
    assert {one or other for one, other in named} <= {__version__}, page.name


def test_the_package_of_the_gitlab_template_is_this_release() -> None:
    own = yaml.safe_load((ROOT / "ci" / "gitlab.yml").read_text("utf-8"))[".karatage-gate"]
    assert own["variables"]["KARATAGE_PACKAGE"].endswith(f"@v{__version__}")
