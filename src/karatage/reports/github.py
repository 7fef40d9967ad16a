"""What GitHub shows of a check: annotations, the summary of a job, its outputs, and one comment on the pull request."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from karatage._writing import open_journal
from karatage.comparison import PullCheck
from karatage.errors import InputError, UsageError
from karatage.reports.pull_report import change_texts, worse_labels
from karatage.scoring import counted

_MOST = 10
"""How many annotations of a kind GitHub shows for a step."""
_LONGEST = 65_000
"""How long a comment may be: GitHub takes 65,536 characters."""
_TRUSTED = ("OWNER", "MEMBER", "COLLABORATOR")


def workflow_command(name: str, message: str, **properties: str) -> str:
    """Return a workflow command, e.g. `::error title=…::…`; nothing in its texts can end it or start another."""
    given = ",".join(f"{key}={_escaped(value, ',', ':')}" for key, value in properties.items() if value)
    return f"::{name}{f' {given}' if given else ''}::{_escaped(message)}"


def github_annotations(check: PullCheck, file: str) -> Iterator[str]:
    """Yield an error for each check that fails, and a warning for each label that became significantly worse."""
    failed = [] if check.gate is None else [one for one in check.gate.checks if not one.holds]
    for one in failed[:_MOST]:
        yield workflow_command("error", one.why, file=file, title=one.name)
    comparison = check.comparison
    worse = {} if comparison is None else worse_labels(comparison)
    for label, contest in list(worse.items())[: _MOST - 1]:
        value, ends = change_texts(contest)
        measure = comparison.profile.label_headline if comparison is not None else ""
        text = f"{measure} of {label} is significantly worse than the baseline: {value} ({ends})"
        yield workflow_command("warning", text, file=file, title=f"{label} is worse")
    rest = len(failed[_MOST:]) + len(list(worse)[_MOST - 1 :])
    if rest:
        yield workflow_command("warning", f"{counted(rest, 'more finding')}: see the summary", title="Not shown")


@dataclass(frozen=True, kw_only=True)
class GitHubJob:
    """The job that runs, as its environment tells.

    Attributes:
        actions: whether this is a job of GitHub Actions, which reads annotations.
        summary, output: the files to which the summary and the outputs are added; None where there are none.
        repository: its repository, OWNER/NAME.
        pull: the number of the pull request; None for other events.
        head: the commit at the head of the pull request.
    """

    actions: bool = False
    summary: Path | None = None
    output: Path | None = None
    repository: str = ""
    pull: int | None = None
    head: str = ""

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> GitHubJob:
        """Read the variables that GitHub Actions sets."""
        event = _event(environment.get("GITHUB_EVENT_PATH", ""))
        pull = event.get("pull_request")
        own = pull if isinstance(pull, dict) else {}
        number, head = own.get("number"), own.get("head")
        files = [environment.get(name) for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")]
        return cls(
            actions=environment.get("GITHUB_ACTIONS") == "true",
            summary=Path(files[0]) if files[0] else None,
            output=Path(files[1]) if files[1] else None,
            repository=environment.get("GITHUB_REPOSITORY", ""),
            pull=number if isinstance(number, int) else None,
            head=str(head.get("sha", "")) if isinstance(head, dict) else "",
        )

    def report(self, markdown: str, passes: bool | None) -> None:
        """Add to the summary of the job, and set the output `passes`: empty if nothing was decided."""
        decided = "" if passes is None else str(passes).lower()
        for path, text in ((self.summary, f"{markdown}\n"), (self.output, f"passes={decided}\n")):
            if path is not None:
                with open_journal(path, path.stat().st_size if path.exists() else 0) as out:
                    out.write(text.encode("utf-8", "replace"))

    def comment(self, markdown: str, name: str) -> str:
        """Create the comment of this name on the pull request, or update it, and say which.

        Raises an `InputError` if `gh` is missing or not allowed to.
        """
        if self.pull is None or not self.repository:
            raise InputError("no pull request in this event", source="comment", hint="Run on: pull_request")
        body = self.body(markdown, name)
        comments = f"repos/{self.repository}/issues/{self.pull}/comments"
        asked = "{id, body, type: .user.type, association: .author_association}"
        listed = _gh("--paginate", f"{comments}?per_page=100", "--jq", f".[] | {asked}")
        mine = [own["id"] for own in map(json.loads, filter(None, listed.split("\n"))) if _is_ours(own, marker(name))]
        target = f"repos/{self.repository}/issues/comments/{mine[0]}" if mine else comments
        _gh("--method", "PATCH" if mine else "POST", target, "--input", "-", given=json.dumps({"body": body}))
        return "updated" if mine else "created"

    def body(self, markdown: str, name: str) -> str:
        """Return the text of the comment: its hidden marker, the report, and the commit that it is about."""
        about = f"\nCommit {self.head[:12]}.\n" if re.fullmatch(r"[0-9a-f]{40,64}", self.head) else ""
        if len(markdown) > _LONGEST:
            about = f"\nThe report is longer than a comment may be: see the summary of the job.\n{about}"
            markdown = markdown[:_LONGEST].rpartition("\n")[0] + "\n"
        # A label such as @team must not notify anybody.
        return f"{marker(name)}\n{markdown}{about}".replace("@", "@\u200b")


def marker(name: str) -> str:
    """Return the hidden first line of a comment, by which it is found again."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_. /]{0,59}", name):
        raise UsageError(f"{name!r}: a name has up to 60 letters, digits, dots, slashes, underscores and spaces")
    return f"<!-- karatage pull-request: {name} -->"


def _is_ours(comment: Mapping[str, Any], first_line: str) -> bool:
    """Whether a comment has the marker, and is not from somebody who could write what they like into it."""
    ours = comment.get("type") == "Bot" or comment.get("association") in _TRUSTED
    return ours and str(comment.get("body", "")).startswith(first_line)


def _gh(*words: str, given: str | None = None) -> str:
    """Run `gh api` and return what it prints."""
    command = ["gh", "api", *words]
    try:
        done = subprocess.run(  # noqa: S603  no shell
            command, input=given, capture_output=True, check=False, encoding="utf-8", errors="replace"
        )
    except OSError as error:
        hint = "Install the command gh"
        raise InputError(f"cannot run gh ({error.strerror})", source="comment", hint=hint) from None
    if done.returncode:
        said = done.stderr.strip().partition("\n")[0] or f"exit code {done.returncode}"
        denied = re.search(r"HTTP 40[13]", said)
        rights = "The token needs `pull-requests: write`, which pull requests from forks do not get" if denied else None
        raise InputError(f"not written ({said})", source="comment", hint=rights)
    return done.stdout


def _event(path: str) -> dict[str, Any]:
    if not path:
        return {}
    try:
        found = json.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError):
        return {}  # no event, so no pull request: a comment says so
    return found if isinstance(found, dict) else {}


def _escaped(text: str, *more: str) -> str:
    """Escape what ends a workflow command, as GitHub decodes it."""
    for sign in ("%", "\r", "\n", *more):
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text
