"""Checking a pull request: what it compares with, what it reports, and what it refuses."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from tests.command import refused, run

from karatage.comparison import check_pull, file_at
from karatage.errors import InputError, UsageError
from karatage.reports import GitHubJob, marker, workflow_command

GOLD = [["B-X", "B-Y"]] * 40
WORSE = [["B-X", "O"]] * 30 + [["B-X", "B-Y"]] * 10


def git(folder: Path, *words: str) -> None:
    own = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    (tmp_path / "pred.conll").write_bytes(b"old\r\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message=one")
    (tmp_path / "pred.conll").write_bytes(b"new\n")
    return tmp_path


def test_only_what_is_given_is_checked() -> None:
    both = check_pull(GOLD, WORSE, baseline=GOLD, max_drop=0.1, minimum={"precision": 0.5})
    assert both.gate is not None
    assert both.comparison is not None
    assert not both.holds
    assert [check.holds for check in both.gate.checks] == [True, False]
    compared = check_pull(GOLD, WORSE, baseline=GOLD)
    assert (compared.gate, compared.holds) == (None, True)
    gated = check_pull(GOLD, WORSE, minimum={"precision": 0.5})
    assert gated.comparison is None
    assert gated.to_markdown().startswith("## Gate passes\n")
    assert "Compared" not in gated.to_markdown()
    assert json.loads(gated.to_json())["comparison"] is None


def test_the_report_lists_labels_that_changed() -> None:
    """Of 40 Y, 10 are left: recall 0.25, F1 0.4. Overall 50 of 80: recall 0.625, F1 2 · 0.625 / 1.625 = 0.7692."""
    lines = check_pull(GOLD, WORSE, baseline=GOLD).to_markdown().splitlines()
    (overall,) = [line for line in lines if line.startswith("| f1 |")]
    assert "| 0.7692 (" in overall
    assert "| -0.2308 |" in overall
    (label,) = [line for line in lines if line.startswith("| Y |")]
    assert "| -0.6000 |" in label
    assert label.endswith("| worse |")
    assert lines[-1] == "1 other label without a significant difference in f1."
    turned = check_pull(GOLD, GOLD, baseline=WORSE).to_markdown()
    assert "| +0.6000 |" in turned
    assert "| worse |" not in turned
    assert "2 labels without a significant difference in f1." in check_pull(GOLD, GOLD, baseline=GOLD).to_markdown()


@pytest.mark.parametrize(("given", "said"), [({}, "set a threshold"), ({"max_drop": 0.1}, "max_drop needs a baseline")])
def test_a_call_that_checks_nothing_is_refused(given: dict[str, float], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        check_pull(GOLD, WORSE, **given)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--base", "main", "--baseline", "b"], "either --base or --baseline"),
        (["--base", "main", "--junit", "x.xml"], "--junit needs a threshold"),
        (["--base", "--upload-pack=x"], "is not a git revision"),
        (["--base", "gone"], "gone: git cannot read this revision"),
        (["--base", "main", "--name", "a --> b"], "a name has up to 60 letters"),
        (["--base", "main", "--min", "high"], "expected METRIC=VALUE"),
    ],
)
def test_a_wrong_call_is_refused(options: list[str], said: str, repository: Path) -> None:
    assert said in refused("pull-request", "gold.conll", "pred.conll", *options, cwd=repository)


def test_standard_input_cannot_be_read_twice() -> None:
    assert "name files" in refused("pull-request", "-", "pred.conll", "--min", "0.8")


def test_a_file_of_another_revision_is_exact_and_gone_afterwards(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    with file_at("main", "pred.conll") as copy:
        assert copy.name == "pred.conll"
        assert copy.read_bytes() == b"old\r\n"
    assert not copy.exists()
    with pytest.raises(InputError, match="not a file"), file_at("main", "."):
        pass
    (repository / "link.conll").symlink_to("pred.conll")
    with pytest.raises(InputError, match="a link"), file_at("main", "link.conll"):
        pass


def test_a_line_of_the_report_never_starts_with_data() -> None:
    """A runner obeys lines that start with two colons, so no separator in a label may start a line."""
    label = "X\u2028::error::a\x85::error::b\x0b::error::c"
    gold = [[f"B-{label}"]] * 40
    checked = check_pull(gold, [["O"]] * 40, baseline=gold, minimum={f"recall[{label}]": 0.5})
    lines = checked.to_markdown().split("\n")
    assert sum("error" in line for line in lines) > 2
    assert [line for line in lines if line.lstrip().startswith("::")] == []


def test_a_workflow_command_cannot_be_ended_by_its_texts() -> None:
    assert (
        workflow_command("error", "50 %\r\n::set-output::x", title="a,b:c\n%", file="")
        == "::error title=a%2Cb%3Ac%0A%25::50 %25%0D%0A::set-output::x"
    )
    assert workflow_command("notice", "hello") == "::notice::hello"


def test_many_findings_are_counted_where_they_are_not_shown() -> None:
    """GitHub shows ten of a kind: 13 labels are worse, nine are named, and the tenth warning counts the other four."""
    from karatage.reports import github_annotations

    gold = [[f"B-L{k:02}" for k in range(13)]] * 60
    pred = [["O"] * 13] * 60
    found = list(github_annotations(check_pull(gold, pred, baseline=gold), "p"))
    assert len(found) == 10
    assert found[-1] == "::warning title=Not shown::4 more findings: see the summary"


def test_a_long_report_is_cut_at_a_line_and_says_so() -> None:
    body = GitHubJob(head="a" * 40).body("line\n" * 20_000, "gate")
    assert len(body) < 65_536
    first, *lines = body.splitlines()
    assert first == marker("gate")
    assert set(lines[:13_000]) == {"line"}
    assert "The report is longer than a comment may be: see the summary of the job." in lines
    assert lines[-1] == f"Commit {'a' * 12}."


@pytest.mark.parametrize("event", ["", "[]", "{", '{"pull_request": null}', '{"pull_request": {"number": "7"}}'])
def test_an_event_without_a_pull_request_gets_no_comment(event: str, tmp_path: Path) -> None:
    (tmp_path / "event.json").write_text(event, "utf-8")
    job = GitHubJob.of({"GITHUB_EVENT_PATH": str(tmp_path / "event.json"), "GITHUB_REPOSITORY": "a/b"})
    with pytest.raises(InputError, match="no pull request in this event"):
        job.comment("text", "gate")


def test_outside_of_a_job_the_report_is_printed_only(tmp_path: Path) -> None:
    (tmp_path / "gold.conll").write_text("a B-X\n\n" * 40, "utf-8")
    (tmp_path / "pred.conll").write_text("a O\n\n" * 40, "utf-8")
    done = run("pull-request", "gold.conll", "pred.conll", "--min", "0.5", cwd=tmp_path, GITHUB_ACTIONS="")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("## Gate fails\n")
    done = run(
        "pull-request", "gold.conll", "pred.conll", "--min", "0.5", "--json", cwd=tmp_path, GITHUB_ACTIONS="true"
    )
    assert json.loads(done.stdout)["holds"] is False
    assert done.stderr.startswith("::error file=pred.conll,title=f1 at least 0.5::")


def test_logs_have_no_gold(repository: Path) -> None:
    """60 of 100 answers are right at first; then 40, of which none that was right stays so."""
    log = repository / "scores.csv"
    log.write_text("id,score\n" + "".join(f"{k},{int(k < 60)}\n" for k in range(100)))
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message=two")
    log.write_text("id,score\n" + "".join(f"{k},{int(k >= 60)}\n" for k in range(100)))
    done = run("pull-request", "scores.csv", "--base", "HEAD", "--max-drop", 0.1, "--json", cwd=repository)
    assert done.returncode == 1, done.stderr
    (difference,) = json.loads(done.stdout)["comparison"]["metrics"]["score"]["differences"]
    assert abs(difference["value"]) == pytest.approx(0.2)


@pytest.mark.parametrize("limits", [{}, {"max_drop": 0.1}])
def test_a_baseline_that_lacks_sentences_is_not_counted_as_empty(limits: dict[str, float], tmp_path: Path) -> None:
    """Counted as empty, the missing half would make the baseline worse than the new system."""
    gold = tmp_path / "gold.conll"
    gold.write_text("".join(f"Anna{n}\tB-PER\n\n" for n in range(40)))
    old = tmp_path / "old.conll"
    old.write_text("".join(f"Anna{n}\tB-PER\n\n" for n in range(20)))
    with pytest.raises(InputError, match="system baseline: 20 gold sentences .* Run the old system on them too"):
        check_pull(gold, gold, baseline=old, **limits)
