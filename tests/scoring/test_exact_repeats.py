"""`--duplicates dedupe` for search: exact duplicates count once, and contradictions are errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import karatage
from karatage.errors import InputError, UsageError
from karatage.scoring.search import streamed_run

GOLD = "query,docid,rating\nq,a,3\nq,b,0\nq,a,3\n"
RUN = "query,docid,rank,score\nq,b,1,5\nq,a,2,5\nq,b,1,5\n"


def score(folder: Path, gold: str = GOLD, run: str = RUN, **options: Any) -> Any:
    (folder / "gold.csv").write_text(gold)
    (folder / "run.csv").write_text(run)
    return karatage.score(folder / "gold.csv", folder / "run.csv", metrics=["RR"], resamples=0, **options)


def test_exact_duplicates_count_once(tmp_path: Path) -> None:
    """The relevant document is second of two results."""
    with pytest.raises(InputError, match=r"gold.csv:4.*duplicate document 'a'.*--duplicates dedupe"):
        score(tmp_path)
    result = score(tmp_path, duplicates="dedupe")
    assert (result["RR"].value, result.counts["gold"], result.counts["predicted"]) == (0.5, 1, 2)
    assert result.warnings[:2] == (
        "gold: duplicate documents of a query, counted once: 1",
        "predictions: duplicate documents of a query, counted once: 1",
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"gold": GOLD + "q,a,2\n"},
            "gold.csv, query q: the document 'a' .* with the grades [23] and [23]",
        ),
        ({"run": RUN + "q,b,1,4\n"}, "run.csv, query q: the document 'b' .* with the scores [45] and [45]"),
        ({"run": RUN + "q,b,3,5\n"}, "run.csv, query q: the document 'b' .* with different ranks"),
    ],
)
def test_contradictions_stay_errors(change: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        score(tmp_path, duplicates="dedupe", **change)


def test_files_frames_and_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Duplicates in different files, in a frame, and in a run that would be streamed."""
    monkeypatch.setattr(streamed_run, "_LEAST", 1)
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "a.run").write_text("q Q0 b 1 5 x\nq Q0 a 2 4 x\n")
    (folder / "b.run").write_text("q Q0 a 2 4 x\n")
    (tmp_path / "a.qrels").write_text("q 0 a 1\n")
    (tmp_path / "twice.run").write_text("q Q0 b 1 5 x\nq Q0 a 2 4 x\nq Q0 a 2 4 x\n")
    frame = pl.DataFrame({"query": ["q"] * 3, "docid": ["b", "a", "a"], "score": [5, 4, 4]})
    for run in (folder, tmp_path / "twice.run", frame):
        result = karatage.score(tmp_path / "a.qrels", run, metrics=["RR"], resamples=0, duplicates="dedupe")
        assert result["RR"].value == 0.5
        assert "predictions: duplicate documents of a query, counted once: 1" in result.warnings
    with pytest.raises(InputError, match="twice for a query, in different files"):
        karatage.score(tmp_path / "a.qrels", folder, metrics=["RR"])


def test_labels_have_rules_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("doc\tq1\nd1\t1\n")
    with pytest.raises(UsageError, match="--duplicates works for ranked results only"):
        karatage.score(tmp_path / "a.tsv", tmp_path / "a.tsv", like="sigir-ecom19", duplicates="dedupe")
