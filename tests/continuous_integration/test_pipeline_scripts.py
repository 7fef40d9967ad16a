"""The scripts of the action and of the GitLab template, run for real with a repository and a fake `gh`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

ROOT = Path(__file__).parents[2]
LABEL = "a,b:%@team"
UNITS = 60
MARKER = "<!-- karatage pull-request: gate -->"
BETTER = "**new beats baseline by 0.333 F1 (0.217–0.448), p < 0.0001.**"  # 1 instead of 2 / 3
WORSE = "**baseline beats new by 0.267 F1 (0.143–0.388), p = 0.0001.**"  # 0.4 instead of 2 / 3
# What `gh api` does with comments, on a list in a file: list, create and change them, and record every call.
GH = """#!{python}
import json, os, sys
from pathlib import Path
words, state = sys.argv[1:], Path(os.environ["GH_STATE"])
known = json.loads(state.read_text()) if state.exists() else {{"comments": [], "calls": []}}
given = json.loads(sys.stdin.read()) if "--input" in words else None
known["calls"].append(words)
if os.environ.get("GH_FAILS"):
    state.write_text(json.dumps(known))
    sys.exit(os.environ["GH_FAILS"])
method = words[words.index("--method") + 1] if "--method" in words else "GET"
place = next(word for word in words if word.startswith("repos/"))
if method == "GET":
    for one in known["comments"]:
        print(json.dumps(one))
elif method == "POST":
    assert place == "repos/owner/name/issues/7/comments", place
    number = 100 + len(known["comments"])
    known["comments"].append({{"id": number, "type": "Bot", "association": "NONE", **given}})
elif method == "PATCH":
    (one,) = [own for own in known["comments"] if place == f"repos/owner/name/issues/comments/{{own['id']}}"]
    one.update(given)
state.write_text(json.dumps(known))
"""
KARATAGE = "#!{python}\nfrom karatage.cli import main\nmain()\n"


def conll(correct: int) -> str:
    """Return sentences with one entity each, of which so many are found and the others missed."""
    return "".join(f"w{k} {f'B-{LABEL}' if k < correct else 'O'}\n\n" for k in range(UNITS))


@dataclass
class Checkout:
    """A checkout of a pull request, as a runner has it: only its own commit, and a remote with the base branch."""

    folder: Path
    temporary: Path
    environment: dict[str, str]

    def install(self, system: str) -> subprocess.CompletedProcess[str]:
        """Run the first step of the action on a runner with this operating system."""
        own = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
        return self._bash(own["runs"]["steps"][0]["run"], {"RUNNER_OS": system})

    def step(self, **inputs: str) -> subprocess.CompletedProcess[str]:
        """Run the last step of the action as the runner does."""
        own = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
        step = own["runs"]["steps"][-1]
        for name in ("step_summary", "output"):
            (self.temporary / name).unlink(missing_ok=True)
        given = {name: str(about.get("default", "")) for name, about in own["inputs"].items()} | {
            "gold": "gold.conll", "predictions": "data/pred.conll", "base": "main", "token": "secret"
        } | inputs  # fmt: skip
        variables = {
            key: given[value.removeprefix("${{ inputs.").removesuffix(" }}")] for key, value in step["env"].items()
        }
        return self._bash(step["run"], variables)

    def job(self, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run the script of the GitLab template."""
        own = yaml.safe_load((ROOT / "ci" / "gitlab.yml").read_text("utf-8"))[".karatage-gate"]
        given = {"KARATAGE_PREDICTIONS": "data/pred.conll", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
        scripts = "\n".join(own["script"])
        return self._bash(scripts, own["variables"] | given | {"CI_PROJECT_DIR": str(self.folder)} | variables)

    def _bash(self, script: str, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
        words = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script]
        environment = self.environment | variables
        return subprocess.run(
            words, cwd=self.folder, env=environment, capture_output=True, encoding="utf-8", check=False
        )

    def summary(self) -> str:
        return (self.temporary / "step_summary").read_text("utf-8")

    def output(self) -> str:
        return (self.temporary / "output").read_text("utf-8")

    def gh(self) -> dict[str, Any]:
        state = self.temporary / "gh.json"
        found: dict[str, Any] = (
            json.loads(state.read_text("utf-8")) if state.exists() else {"comments": [], "calls": []}
        )
        return found

    def predict(self, correct: int) -> None:
        (self.folder / "data" / "pred.conll").write_text(conll(correct), "utf-8")


def git(folder: Path, *words: str) -> None:
    own = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A base branch whose predictions find 30 of 60 entities."""
    origin, folder, temporary = (tmp_path / name for name in ("origin", "checkout", "temporary"))
    (origin / "data").mkdir(parents=True)
    git(origin, "init", "--quiet", "--initial-branch=main")
    (origin / "gold.conll").write_text(conll(UNITS), "utf-8")
    (origin / "data" / "pred.conll").write_text(conll(30), "utf-8")
    git(origin, "add", ".")
    git(origin, "commit", "--quiet", "--message=base")
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{origin}", "checkout")
    git(folder, "checkout", "--quiet", "--detach")
    git(folder, "update-ref", "-d", "refs/remotes/origin/main")
    temporary.mkdir()
    for tools, name, code in ((temporary / "karatage" / "bin", "karatage", KARATAGE), (tmp_path / "bin", "gh", GH)):
        tools.mkdir(parents=True)
        (tools / name).write_text(code.format(python=sys.executable), "utf-8")
        (tools / name).chmod(0o755)
    (folder / ".karatage-venv").symlink_to(temporary / "karatage")
    event = {"pull_request": {"number": 7, "head": {"sha": "0123456789abcdef" * 2 + "01234567"}}}
    (temporary / "event.json").write_text(json.dumps(event), "utf-8")
    environment = {
        "HOME": str(tmp_path),
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(sys.path),
        "LANG": "C.UTF-8",
        "GITHUB_ACTIONS": "true",
        "GITHUB_REPOSITORY": "owner/name",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(temporary / "event.json"),
        "GITHUB_STEP_SUMMARY": str(temporary / "step_summary"),
        "GITHUB_OUTPUT": str(temporary / "output"),
        "GH_STATE": str(temporary / "gh.json"),
        "RUNNER_TEMP": str(temporary),
    }
    return Checkout(folder, temporary, environment)


def test_a_better_pull_request_passes_and_a_worse_one_fails_in_one_comment(checkout: Checkout) -> None:
    """The comment is created once, updated by the next push, and says at last that nothing was decided."""
    checkout.predict(UNITS)
    done = checkout.step(options="--max-drop 0.1\n\n  --min precision=0.9\n")
    assert done.returncode == 0, done.stderr
    assert "::" not in done.stderr
    assert checkout.output() == "passes=true\n"
    # F1 is 2 · 1 · 0.5 / 1.5 = 0.6667 on the base branch, and 1 now.
    row = next(line for line in checkout.summary().splitlines() if line.startswith("| f1 | 0.6667"))
    assert "| +0.3333 |" in row
    assert row.endswith("| better |")
    (comment,) = checkout.gh()["comments"]
    assert comment["body"].startswith(f"{MARKER}\n{BETTER}\n\n## Gate passes\n")
    assert comment["body"].endswith("\nCommit 0123456789ab.\n")

    checkout.predict(15)
    done = checkout.step(options="--max-drop 0.1")
    assert done.returncode == 1, done.stderr
    assert checkout.output() == "passes=false\n"
    # Of 60 entities 15 are found: recall is 0.25 and F1 is 2 · 0.25 / 1.25 = 0.4, which is 0.2667 less.
    assert "| f1 | 0.6667" in checkout.summary()
    assert "| -0.2667 |" in checkout.summary()
    (updated,) = checkout.gh()["comments"]
    assert updated["id"] == comment["id"]
    assert updated["body"].startswith(f"{MARKER}\n{WORSE}\n\n## Gate fails\n")

    done = checkout.step(options="--max-drop 0.1", gold="gone.conll")
    assert done.returncode == 2
    assert checkout.output() == "passes=\n"
    (last,) = checkout.gh()["comments"]
    assert last["body"].startswith(f"{MARKER}\n## No decision\n\ngone.conll: no such file or folder")
    methods = [call[call.index("--method") + 1] for call in checkout.gh()["calls"] if "--method" in call]
    assert methods == ["POST", "PATCH", "PATCH"]


def test_failing_checks_and_labels_are_annotated_with_their_texts_escaped(checkout: Checkout) -> None:
    checkout.predict(15)
    done = checkout.step(options=f"--max-drop 0.1\n--min recall[{LABEL}]=0.5")
    assert done.returncode == 1, done.stderr
    commands = [line for line in done.stderr.splitlines() if line.startswith("::")]
    file = "file=data/pred.conll"
    assert [command.split("::")[1] for command in commands] == [
        # a comma and a colon end a property, and a percent sign starts an escape
        f"error {file},title=recall[a%2Cb%3A%25@team] at least 0.5",
        f"error {file},title=f1 not more than 0.1 below the baseline",
        f"warning {file},title=a%2Cb%3A%25@team is worse",
    ]
    # in a message, only the percent sign and line breaks are escaped
    assert commands[0].split("::", 2)[2].startswith("recall[a,b:%25@team] is 0.2500, its interval starts at 0.")
    # a label does not notify a team
    (comment,) = checkout.gh()["comments"]
    assert "@team" not in comment["body"]
    assert "@\u200bteam" in comment["body"]


def test_without_thresholds_the_scores_are_only_compared(checkout: Checkout) -> None:
    checkout.predict(15)
    done = checkout.step()
    assert done.returncode == 0, done.stderr
    assert checkout.output() == "passes=true\n"
    assert checkout.summary().startswith(f"{WORSE}\n\n## Compared with the baseline\n")


def test_inputs_are_never_run(checkout: Checkout) -> None:
    done = checkout.step(
        gold="$(touch ran).conll",
        predictions="`touch ran`",
        options='--min f1=0.8; touch ran\n$(touch ran) "&& touch ran',
    )
    assert done.returncode == 2
    assert not (checkout.folder / "ran").exists()


def test_a_comment_of_somebody_else_stays_as_it_is(checkout: Checkout) -> None:
    """Whoever writes the marker into their own comment could change it afterwards."""
    theirs = {"id": 5, "type": "User", "association": "NONE", "body": f"{MARKER}\n## Gate passes\n"}
    (checkout.temporary / "gh.json").write_text(json.dumps({"comments": [theirs], "calls": []}), "utf-8")
    checkout.predict(15)
    checkout.step(options="--max-drop 0.1")
    first, second = checkout.gh()["comments"]
    assert first == theirs
    assert second["body"].startswith(f"{MARKER}\n{WORSE}\n\n## Gate fails\n")


def test_a_gate_decides_where_the_token_may_not_comment(checkout: Checkout) -> None:
    checkout.predict(UNITS)
    checkout.environment["GH_FAILS"] = "gh: Resource not accessible by integration (HTTP 403)"
    done = checkout.step(options="--max-drop 0.1")
    assert done.returncode == 0, done.stderr
    (warning,) = [line for line in done.stderr.splitlines() if line.startswith("::")]
    assert warning.startswith("::warning title=No comment::comment: not written (gh: Resource not accessible by")
    assert warning.endswith("The token needs `pull-requests: write`, which pull requests from forks do not get")
    assert checkout.summary().startswith(f"{BETTER}\n\n## Gate passes\n")


def test_a_server_that_is_down_is_not_taken_for_missing_rights(checkout: Checkout) -> None:
    checkout.predict(UNITS)
    checkout.environment["GH_FAILS"] = "gh: Bad Gateway (HTTP 502)"
    done = checkout.step(options="--max-drop 0.1")
    assert done.returncode == 0, done.stderr
    assert "::warning title=No comment::comment: not written (gh: Bad Gateway (HTTP 502))\n" in done.stderr


def test_a_push_gets_no_comment_and_no_warning(checkout: Checkout) -> None:
    checkout.predict(UNITS)
    checkout.environment["GITHUB_EVENT_NAME"] = "push"
    done = checkout.step(base="", options="--min f1=0.5")
    assert (done.returncode, "::" in done.stderr) == (0, False)
    assert checkout.gh()["calls"] == []


def test_a_branch_that_cannot_be_fetched_decides_nothing(checkout: Checkout) -> None:
    """An older copy of the branch, as a checkout of all branches has it, does not stand in for it."""
    git(checkout.folder, "update-ref", "refs/remotes/origin/gone", "HEAD")
    checkout.predict(UNITS)
    done = checkout.step(base="gone", options="--max-drop 0.1")
    assert done.returncode == 2
    assert "couldn't find remote ref refs/heads/gone" in done.stderr
    assert checkout.output() == "passes=\n"
    assert checkout.summary().startswith("## No decision\n\norigin/gone: git cannot read this revision")
    (comment,) = checkout.gh()["comments"]
    assert comment["body"].startswith(f"{MARKER}\n## No decision\n")


def test_predictions_that_nobody_wrote_are_named(checkout: Checkout) -> None:
    done = checkout.step(predictions="gone.conll", options="--max-drop 0.1")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "karatage: gone.conll: no such file or folder. Check the path"


def test_a_runner_with_windows_is_told_what_to_use(checkout: Checkout) -> None:
    done = checkout.install("Windows")
    assert done.returncode == 2
    assert done.stdout.startswith("::error title=No decision::This action runs on Linux and macOS")


def test_no_comment_is_written_if_none_is_wanted(checkout: Checkout) -> None:
    assert checkout.step(comment="false").returncode == 0
    assert checkout.gh()["calls"] == []


def test_a_baseline_may_be_a_file(checkout: Checkout) -> None:
    checkout.predict(UNITS)
    (checkout.folder / "old.conll").write_text(conll(UNITS), "utf-8")
    done = checkout.step(baseline="old.conll", options="--max-drop 0.1")
    assert done.returncode == 0, done.stderr
    assert "| f1 | 1.0000" in checkout.summary()


def test_predictions_that_the_base_branch_lacks_are_an_error(checkout: Checkout) -> None:
    (checkout.folder / "new.conll").write_text(conll(UNITS), "utf-8")
    done = checkout.step(predictions="new.conll", options="--max-drop 0.1")
    assert done.returncode == 2
    message = done.stderr.splitlines()[-1]
    assert message.startswith("karatage: origin/main:new.conll: git cannot read this revision (")
    assert message.endswith("Fetch the base branch, and merge the predictions there first, or pass them as --baseline")


def test_the_workflow_checks_out_the_commit_of_the_run(checkout: Checkout, tmp_path: Path) -> None:
    """Without another action: the commit is the only one, and the remote is there for the base branch."""
    own = yaml.safe_load((ROOT / ".github" / "workflows" / "karatage-gate.yml").read_text("utf-8"))
    step = own["jobs"]["gate"]["steps"][0]
    assert step["name"] == "Check out the pull request"
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=checkout.folder, capture_output=True, encoding="utf-8", check=True
    ).stdout.strip()
    variables = {"GITHUB_SERVER_URL": f"file://{tmp_path}", "GITHUB_REPOSITORY": "origin", "GITHUB_SHA": head}
    checkout.folder = tmp_path / "fresh"
    checkout.folder.mkdir()
    done = checkout._bash(step["run"], variables | {"GH_TOKEN": "secret"})
    assert done.returncode == 0, done.stderr
    assert (checkout.folder / "data" / "pred.conll").read_text("utf-8") == conll(30)
    checkout.predict(UNITS)
    assert checkout.step(options="--max-drop 0.1", comment="false").returncode == 0


def test_the_gitlab_job_writes_a_junit_report_and_a_summary(checkout: Checkout) -> None:
    for name in [name for name in checkout.environment if name.startswith("GITHUB")]:
        del checkout.environment[name]
    checkout.predict(15)
    done = checkout.job(KARATAGE_OPTIONS="--max-drop 0.1\n--min precision=0.5")
    assert done.returncode == 1, done.stderr
    assert "::" not in done.stdout + done.stderr
    suites = ET.parse(checkout.folder / "karatage-gate.xml").getroot()  # noqa: S314  our own file
    # Precision is 15 of 15; F1 drops by 0.2667.
    assert (suites.get("tests"), suites.get("failures")) == ("2", "1")
    assert (checkout.folder / "karatage-gate.md").read_text("utf-8").startswith(f"{WORSE}\n\n## Gate fails\n")
    assert checkout.gh()["calls"] == []
