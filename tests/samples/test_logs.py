"""Logs of other harnesses: which scores are read from them, and what is said of those that are not there."""

from __future__ import annotations

import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.command import refused, run, said
from tests.samples.log_files import (
    inspect_eval,
    inspect_json,
    inspect_sample,
    lm_eval,
    promptfoo,
    promptfoo_result,
    table,
    zstd_zip,
)

import karatage
from karatage.errors import FormatError, InputError, UsageError
from karatage.explanation import SampleExplanation
from karatage.samples import is_log, log_format_names, open_log
from karatage.samples.log_formats import LOG_FORMATS

ANSWERS = ["C", "I", "P", "N", True, 0.25, "0.75", "yes", "No"]
FLOATS = [1.0, 0.0, 0.5, 0.0, 1.0, 0.25, 0.75, 1.0, 0.0]
"""What Inspect's own `value_to_float` makes of the answers; `tests/parity/test_inspect.py` asks it."""


@pytest.mark.parametrize("packed", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, 93, "json"])
def test_inspect_scores(packed: Any, tmp_path: Path) -> None:
    """Answers become numbers as in Inspect, whatever compresses the log."""
    samples = [inspect_sample(k, {"match": answer}, metadata={"topic": "a"}) for k, answer in enumerate(ANSWERS)]
    if packed == "json":
        path = inspect_json(tmp_path / "log.json", samples)
    else:
        path = inspect_eval(tmp_path / "log.eval", samples, packed=packed)
    found = open_log(path).only()
    assert list(found.values["match"][0]) == FLOATS
    assert found.attributes["topic"] == ["a"] * len(ANSWERS)
    result = karatage.score(path)
    assert result["match"].value == pytest.approx(sum(FLOATS) / 9)
    assert result.warnings[0] == "answers marked N (no answer), scored 0 as in Inspect: 1"


def test_inspect_scorers_and_parts_are_metrics(tmp_path: Path) -> None:
    path = inspect_eval(
        tmp_path / "log.eval", [inspect_sample(k, {"f1": 0.5, "rubric": {"a": 1, "b": k}}) for k in (0, 1)]
    )
    result = karatage.score(path)
    assert {name: score.value for name, score in result.metrics.items()} == {
        "f1": 0.5,
        "rubric/a": 1.0,
        "rubric/b": 0.5,
    }
    assert result.profile.headline == "f1"
    named = inspect_eval(
        tmp_path / "named.eval",
        [inspect_sample(k, {"f1": 0.5, "match": "C"}) for k in (0, 1)],
        results={"total_samples": 2, "headline": {"scorer": "match", "score": "match", "metric": "accuracy"}},
    )
    assert karatage.score(named).profile.headline == "match"


def test_an_unfinished_inspect_log_is_read_from_its_journal(tmp_path: Path) -> None:
    samples = [inspect_sample(k, {"match": "C"}) for k in range(3)]
    members: dict[str, Any] = {"_journal/start.json": {"version": 2, "eval": {"task": "t", "model": "m"}}}
    members |= {"_journal/summaries/1.json": samples[:2], "_journal/summaries/2.json": samples[2:]}
    path = tmp_path / "log.eval"
    path.write_bytes(zstd_zip({name: json.dumps(value).encode() for name, value in members.items()}))
    assert karatage.score(path).counts == {"units": 3}


def test_samples_without_a_score_are_counted_and_never_0(tmp_path: Path) -> None:
    """An error, a limit, a score that is no number and a lacking sample are each said; the mean is over the rest."""
    path = inspect_json(
        tmp_path / "log.json",
        [
            inspect_sample(1, {"match": "C"}),
            inspect_sample(2, {"match": "C"}, limit={"type": "token"}),
            inspect_sample(3, None, error={"message": "timeout"}),
            inspect_sample(4, {"match": ["a"]}),
            inspect_sample(5, {"match": "I"}),
        ],
        status="error",
        results={"total_samples": 7},
    )
    result = karatage.score(path)
    assert result["match"].value == pytest.approx(2 / 3)  # of samples 1, 2 and 5
    assert result.warnings[:6] == (
        "logs with the status error, which may lack samples: 1",
        "samples that hit a limit (token), scored as logged: 1",
        "samples with an error, not scored: 1",
        "scores that are not numbers, left out: 1",
        "samples without a score, not scored: 1",
        "samples that were started but are not in the log: 2",
    )
    assert "samples left out of a mean because the value is undefined (match): 2" in result.warnings
    zeros = karatage.score(path, missing="empty")
    assert zeros["match"].value == pytest.approx(2 / 5)
    assert "samples without a score, scored 0: 2" in zeros.warnings


def test_lm_eval_samples(tmp_path: Path) -> None:
    """Tasks of a folder are read together, filters are metrics of their own, and the results say which way is up."""
    filters = [
        {"doc_id": k, "filter": name, "exact_match": (k + j) % 2} for j, name in enumerate("ab") for k in (0, 1, 2)
    ]
    lm_eval(tmp_path / "out", "sums", filters, {"model_name": "tiny", "n-samples": {"sums": {"effective": 5}}})
    result = karatage.score(tmp_path / "out")
    assert {name: round(score.value or 0, 4) for name, score in result.metrics.items()} == {
        "exact_match/a": 0.3333,  # of 0, 1, 0
        "exact_match/b": 0.6667,  # of 1, 0, 1
    }
    assert "samples of the results that are not in the samples file: 2" in result.warnings
    groups = {"group_subtasks": {"all": ["one", "two"]}, "higher_is_better": {"one": {"acc": False}}}
    for task in ("one", "two"):
        rows = [{"acc": k % 2, "doc": {"subject": f"s{k % 3}"}} for k in range(4)]
        path = lm_eval(tmp_path / "both", task, rows, groups)
    found = open_log(tmp_path / "both").only()
    assert (len(found), found.tasks[0], found.attributes["group"][0]) == (8, "one", "all")
    assert found.rising == {"acc": False}
    assert open_log(path).only().attributes["subject"] == ["s0", "s1", "s2", "s0"]
    assert karatage.score(tmp_path / "both").by_unit["unit"].to_list()[-1] == "two/3"


def test_lm_eval_metrics_that_are_no_numbers_or_no_shares_are_named(tmp_path: Path) -> None:
    rows = [{"acc": 1.0, "bleu": ["a", "b"], "perplexity": 17.5}, {"acc": 0.0, "bleu": ["a", "b"], "perplexity": 3.0}]
    path = lm_eval(tmp_path, "sums", rows)
    result = karatage.score(path)
    assert list(result.metrics) == ["acc"]
    assert result.warnings[:2] == (
        "scores that are not numbers, left out (bleu): 2",
        "metrics with scores outside of 0 and 1, left out (perplexity: 17.5; see --scale): 1",
    )
    assert karatage.score(path, scale=20)["perplexity"].value == pytest.approx((17.5 + 3) / 2 / 20)


def test_promptfoo_has_a_system_for_each_provider_and_prompt(tmp_path: Path) -> None:
    rows = [
        promptfoo_result(name, k, score)
        for name, scores in (("a", (1, 0.5)), ("b", (1, 1)))
        for k, score in enumerate(scores)
    ]
    path = promptfoo(tmp_path / "out.json", rows)
    found = karatage.compare(path, metrics=["score", "pass"])
    assert {name: score.value for name, score in found["score"].scores.items()} == {"b": 1.0, "a": 0.75}
    assert {name: score.value for name, score in found["pass"].scores.items()} == {"b": 1.0, "a": 0.5}
    assert karatage.score(path, system="a")["score"].value == 0.75
    with pytest.raises(UsageError, match=r"has 2 systems \(a, b\): compare them .*or choose one with --system"):
        karatage.score(path)
    with pytest.raises(UsageError, match=r"no system 'c' \(its systems are a, b\)"):
        karatage.score(path, system="c")
    other = {"prompt": {"raw": "Reply", "label": "Reply"}, "promptIdx": 1}
    both = promptfoo(tmp_path / "both.json", [*rows, *(row | other for row in rows)])
    assert list(open_log(both).systems) == [f"{p} · {q}" for q in ("Answer {{question}}", "Reply") for p in "ab"]


def test_promptfoo_errors_are_not_failures_and_repeats_are_epochs(tmp_path: Path) -> None:
    """A failed assertion has a message, too; repeats have other test numbers."""
    rows = [
        promptfoo_result("a", 0, 0, error="Expected yes", gradingResult={"pass": False}),
        promptfoo_result("a", 1, 0, error="timeout", failureReason=2),
        promptfoo_result("a", 0, 1) | {"testIdx": 2},
        promptfoo_result("a", 1, 1) | {"testIdx": 3},
    ]
    found = open_log(promptfoo(tmp_path / "out.json", rows)).only()
    assert found.ids == ["0", "1"]
    assert found.epochs == ("1", "2")
    assert str(found.values["score"].tolist()) == "[[0.0, nan], [1.0, 1.0]]"
    assert found.notes["tests with an error, not scored"] == 1


def test_tables_of_scores(tmp_path: Path) -> None:
    """CSV, JSON lines, JSON and data frames say the same; other columns are attributes."""
    rows = [{"id": k, "score": k / 4, "epoch": 1 + k % 2, "topic": "t"} for k in range(5)]
    paths = [
        table(
            tmp_path / "a.csv",
            "id,score,epoch,topic\n" + "".join(f"{r['id']},{r['score']},{r['epoch']},t\n" for r in rows),
        ),
        table(
            tmp_path / "a.tsv",
            "id\tscore\tepoch\ttopic\n" + "".join(f"{r['id']}\t{r['score']}\t{r['epoch']}\tt\n" for r in rows),
        ),
        table(tmp_path / "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows)),
        table(tmp_path / "a.json", json.dumps(rows, indent=1)),
    ]
    frames = [pl.DataFrame(rows), pl.DataFrame(rows).lazy(), pl.DataFrame(rows).to_pandas()]
    for given in (*paths, *frames):
        assert is_log(given), given
        result = karatage.score(given)
        assert result["score"].value == 0.5  # of 0, .25, .5, .75 and 1
        assert result.by_unit["topic"].to_list() == ["t"] * 5
    words = table(tmp_path / "w.csv", "id,score\n1,true\n2,FALSE\n3,True\n4,0.5\n")
    assert karatage.score(words)["score"].value == 0.625
    texts = table(tmp_path / "t.csv", "id,text,score\n1,a b,1\n2,c,0\n")
    assert karatage.score(texts)["score"].value == 0.5
    several = table(tmp_path / "m.csv", "sample,model,score/a,score/b\n1,x,1,0\n1,y,0,\n2,x,1,1\n2,y,0,1\n")
    found = karatage.compare(several, metrics=["score/a"])
    assert {name: score.value for name, score in found.headline.scores.items()} == {"x": 1.0, "y": 0.0}


BROKEN = {
    "twice.csv": ("id,score\n1,1\n1,0\n", r"twice.csv:3, sample 1: this sample occurs twice"),
    "word.csv": ("id,score\n1,good\n2,1\n", r"word.csv:2, sample 1: score must be a number, got 'good'"),
    "wide.csv": ("id,score\n1,1,1\n", r"wide.csv:2: expected 2 columns, found 3"),
    "big.csv": ("id,score\n1,7\n2,3\n", r"big.csv: scores must be between 0 and 1, but score has 7. Give the largest"),
    "below.csv": ("id,score\n1,-7\n2,3\n", r"but score has -7. Scores below 0 cannot be used"),
    "none.csv": ("id,score\n", r"none.csv: the log has no samples"),
    "empty.csv": ("id,score\n1,\n2,\n", r"empty.csv: the log has no scores"),
    "id.jsonl": ('{"id": null, "score": 1}\n', r"id.jsonl:1: id is missing"),
    "cut.json": ('{"version": 2, "status": "success", "eval": {}, "samples": [', r"cut.json: invalid JSON"),
    "none.json": (
        '{"version": 2, "status": "success", "eval": {}, "samples": []}',
        r"none.json: the log has no samples",
    ),
    "list.json": (
        '{"evalId": "e", "results": {"results": 1}}',
        r"list.json: results.results must be a list of objects",
    ),
    "cut.eval": ("PK\x03\x04", r"cut.eval: the zip file is damaged \(File is not a zip file\). Copy it again"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_is_said_with_its_place(name: str, tmp_path: Path) -> None:
    text, message = BROKEN[name]
    path = table(tmp_path / name, text)
    with pytest.raises(InputError, match=message):
        karatage.score(path)
    assert refused("score", path)


def test_options_that_do_not_apply_are_refused(tmp_path: Path) -> None:
    path = table(tmp_path / "a.csv", "id,score\n1,1\n2,0\n")
    conll = table(tmp_path / "a.conll", "a O\n")
    for given, message in (
        ([path, path], "has scores already, so there is no gold: compare logs"),
        ([path, "--like", "exact"], "leave out --like"),
        ([path, "--match", "exact"], "the option 'match' does not apply"),
        ([path, "--extra", "ignore"], "the option 'extra' does not apply"),
        ([path, "-m", "f1"], "unknown metric of the log 'f1'. Known: score"),
        ([path, "--cluster-by", "topic"], "no attribute 'topic' to cluster units by"),
        ([path, "--log", tmp_path / "log"], "--log works with gold and predictions"),
        ([path, "--confusion"], "--confusion, --errors and --levels are for extraction"),
        ([path, "--scale", "0"], "the scale must be a number above 0"),
        ([conll, conll, "--scale", "2"], "--scale works for logs with scores only"),
        ([conll, conll, "--system", "a"], "--system works for logs with scores, such as"),
    ):
        assert message in refused("score", *given)
    assert "a gate needs predictions to check" in refused("gate", conll, "--min", "f1=0.5")
    assert "a plan needs the predictions of a system" in refused("plan", conll)
    assert "needs at least two systems" in refused("compare", conll)
    assert "needs at least two systems, got 1" in refused("compare", path)
    with pytest.raises(FormatError, match="this is not a log with scores"):
        karatage.compare(None, {"a": path, "b": conll})


def test_every_example_is_recognised_by_its_own_format_only(tmp_path: Path) -> None:
    """No file of entities or search results is taken for a log, and no log for another one."""
    from karatage.formats import FileStart, Source, format_names, get_format

    for name in log_format_names():
        form = LOG_FORMATS[name]
        path = table(tmp_path / f"log{form.suffixes[-1]}", form.example)
        start = FileStart(Source(path))
        assert [other for other in log_format_names() if LOG_FORMATS[other].sniff(start)] == [name]
        assert [other for other in format_names() if get_format(other).sniff(start)] == []
        assert open_log(path, format=name).systems
        assert form.about.endswith(".")
    for name in format_names():
        other = get_format(name)
        if other.example:
            path = table(tmp_path / f"data{other.suffixes[0]}", other.example)
            assert not is_log(path), name


def test_json_and_views_of_a_result(tmp_path: Path) -> None:
    """The shape of `--json` is that of other results, with `epochs`; there is nothing that is gold or predicted."""
    path = table(
        tmp_path / "a.csv",
        "id,score,run,topic\n" + "".join(f"{k},{k % 3 / 2},{r},t{k % 4}\n" for k in range(30) for r in (1, 2)),
    )
    told = json.loads(said("score", path, "--json", "--by-unit", "--cluster-by", "topic"))
    assert told["counts"] == {"units": 30}
    assert (told["epochs"], told["headline"], told["by_label"]) == (2, "score", {})
    assert told["metrics"]["score"]["value"] == 0.5
    assert told["intervals"]["clusters"] == 4
    assert told["provenance"]["gold"] is None
    assert told["provenance"]["pred"].startswith("sha256:")
    assert told["by_unit"][1] == {"unit": "1", "topic": "t1", "score": 0.5}
    result = karatage.score(path)
    assert repr(result) == "<MeasuredResult score=0.5000 like='samples'>"
    assert result.to_frame(intervals=True).columns == ["metric", "value", "low", "high"]
    assert "30 samples" in result._repr_html_()
    assert "30 samples" in str(result)
    assert "samples" in result.cite().text
    again = pickle.loads(pickle.dumps(result))  # noqa: S301  written here
    assert again.to_dict() == result.to_dict()
    assert "score" in run("score", path, "--cite").stdout
    other = json.loads(said("compare", f"a={path}", f"b={path}", "--json"))
    assert set(other["systems"] if "systems" in other else other["provenance"]["systems"]) == {"a", "b"}


def test_explain_slices_by_metadata_and_makes_a_page(tmp_path: Path) -> None:
    """Nine of ten in topic a are right, two of ten in topic b: the slices say so, and the page lists the samples."""
    rows = "".join(f"{k},{int(k % 10 < (9 if k < 60 else 2))},{'a' if k < 60 else 'b'}\n" for k in range(120))
    path = table(tmp_path / "one.csv", f"id,score,topic\n{rows}")
    other = table(tmp_path / "two.csv", "id,score,topic\n" + rows.replace(",1,", ",0.5,"))
    found = karatage.explain(path, {"two": other})
    assert isinstance(found, SampleExplanation)
    assert {(one.by, one.name): (one.score.value, one.mark) for one in found["one"].slices} == {
        ("topic", "a"): (0.9, "better"),
        ("topic", "b"): (0.2, "worse"),
    }
    assert found["one"].hardest().height == 6 + 48
    assert found["one"].hardest()["unit"].to_list()[:7] == ["9", "19", "29", "39", "49", "59", "62"]
    assert found["two"].hardest().height == 120
    page = tmp_path / "page.html"
    done = run("explain", path, other, "--html", page)
    assert done.returncode == 0, done.stderr
    text = page.read_text("utf-8")
    assert all(word in text for word in ("Slices", "Samples", "Largest differences", "topic"))
    assert json.loads(said("explain", path, "--json"))["systems"]["one"]["hardest"][0]["unit"] == "9"
    assert "worse" in said("explain", path, "--errors", "3")
    assert "leave out --kind" in refused("explain", path, "--kind", "missed")
    assert "leave out --train" in refused("explain", path, "--train", other)
    assert found._repr_html_()
    assert "score" in karatage.compare(path, {"two": other})._repr_html_()
