"""What to cite for an estimate of recall: each option names its own sources, and no others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from tests.command import run

from karatage.metrics import Score
from karatage.recall import (
    Benchmark,
    Board,
    BoardEntry,
    BoardResult,
    CheckedCounts,
    Positive,
    PrecisionSample,
    RecallEstimate,
    RecallMethod,
    Stratum,
    StratumGuess,
    estimate_results,
    plan_labels,
    pool,
    write_benchmark,
)
from karatage.recall.second_labels import CheckedStratum, SecondLabels
from karatage.reports import Citation, recall_citations
from karatage.stats import Assisted

MOVER = ("zou2008", "donner2012", "fay1997", "fay2017")
FOUND = [True, True, False, True, False, False]


def stratum(name: str, positives: int, unresolved: int = 0) -> Stratum:
    spans = tuple(Positive(f"{name} {k}", 0, len(name), ("LOC",)) for k in range(positives))
    return Stratum(name, 1000, 40, spans, unresolved=unresolved)


TWO = Benchmark("waters", (stratum("lakes", 4), stratum("rivers", 2, unresolved=3)))
HIDING = Benchmark("waters", (*TWO.strata, stratum("islands", 0)))


def found(benchmark: Benchmark = TWO, **options: Any) -> RecallEstimate:
    return estimate_results(benchmark, FOUND, **options)


@pytest.mark.parametrize(
    ("method", "keys"),
    [
        ("mover", (*MOVER, "wilson1927")),
        ("published", ("wilson1927",)),
        ("stratified", ("wilson1927",)),
        ("ratio", ("wilson1927",)),
        ("ratio-wilson", ("wilson1927", "korn1998", "satterthwaite1946")),
        ("convolution", ("wilson1927",)),
        ("bayes", ("brown2001", "wilson1927")),
        ("wilson", ("wilson1927", "yan2010")),
    ],
)
def test_an_interval_names_its_method_and_no_other(method: RecallMethod, keys: tuple[str, ...]) -> None:
    """Weights of strata rest on Cochran (1977), and intervals of single strata on Wilson (1927), with every method."""
    assert found(method=method).cite().keys == ("cochran1977", *keys)


def test_one_stratum_has_no_weights() -> None:
    lakes = Benchmark("lakes", (stratum("lakes", 6),))
    cited = found(lakes).cite()
    assert cited.keys == (*MOVER, "wilson1927")
    assert "from 40 labelled candidates, a random sample." in cited.text
    assert "from 80 labelled candidates, random samples of 2 strata." in found().cite().text
    assert "cochran1977" in found(lakes, method="ratio").cite().keys, "the variance of a ratio is his, too"


def test_the_confidence_level_is_named() -> None:
    assert "The interval (99 %) follows from limits of the hits" in found(level=0.99).cite().text


@pytest.mark.parametrize("method", ["mover", "bayes"])
def test_positives_that_strata_may_hide_are_allowed_for(method: RecallMethod) -> None:
    assert (
        "It allows for positives in strata in which no positive was seen." in found(HIDING, method=method).cite().text
    )
    assert "no positive was seen" not in found(method=method).cite().text


def test_or_left_out() -> None:
    assert "It does not include strata in which no positive was seen." in found(HIDING, method="ratio").cite().text


def test_undecided_items_widen_an_interval_if_asked_to() -> None:
    assert "both outcomes of 3 undecided items" in found(unresolved="widen").cite().text
    assert "undecided" not in found().cite().text
    lakes = Benchmark("lakes", (stratum("lakes", 6),))
    assert "undecided" not in found(lakes, unresolved="widen").cite().text, "there are none"


def test_precision_names_its_prior() -> None:
    cited = found(precision=PrecisionSample.of_counts(180, 200)).cite()
    assert cited.keys == ("cochran1977", *MOVER, "wilson1927", "brown2001")
    assert "precision and F1" in cited.text


def test_corrected_labels_name_the_correction_and_its_interval() -> None:
    """Whatever the method of the recall as labelled, the corrected one has the limits of the default."""
    counts = CheckedCounts.of(1, 600, 2, 80)
    cited = found(label_errors=counts, method="wilson").cite()
    assert cited.keys == ("cochran1977", "wilson1927", "yan2010", "rogan1978", *MOVER)
    assert "those of 680 items labelled again, taken to be the same in all strata" in cited.text
    assert "rogan1978" not in found().cite().keys, "what 1 % of false positives would do is not part of the estimate"


def test_second_labels_are_those_of_each_stratum() -> None:
    """Of the lakes, 3 positives and 30 negatives were labelled again; of the rivers, 1 positive and 20 negatives."""
    second = SecondLabels(
        {
            "lakes": CheckedStratum((True, True, True, None), 30, 0),
            "rivers": CheckedStratum((True, None), 20, 0),
        }
    )
    assert "those of 54 items labelled again, in each stratum." in found(label_errors=second).cite().text


def test_assistance_is_named() -> None:
    """Of 40 labelled candidates 6 are positive and 3 found; the other tagger predicts the first half of them."""
    positive, hit = np.arange(40) < 6, np.arange(40) < 3
    samples = {"lakes": Assisted(positive, hit, (np.arange(40) < 20).astype(float), 0.5)}
    lakes = Benchmark("lakes", (stratum("lakes", 6),))
    cited = found(lakes, method="assisted", samples=samples).cite()
    assert cited.keys == ("angelopoulos2023ppi", "angelopoulos2023plus", *MOVER, "wilson1927")
    assert "narrower by as much as the predictions explain" in cited.text


def test_every_method_has_a_text_and_every_work_is_known() -> None:
    texts = recall_citations._INTERVALS
    assert set(texts) == set(get_args(RecallMethod))
    others = (recall_citations._ASSISTED, recall_citations._PRECISION, recall_citations._CORRECTED)
    assert Citation.of(iter((*texts.values(), *others))).bibtex, "a work that is not known is an error"


def test_a_plan_names_its_allocation_and_its_assurance() -> None:
    guesses = [StratumGuess(name, 1000, 0.2, 0.5) for name in ("lakes", "rivers")]
    cited = plan_labels(guesses, labels=[200], assurance=0.9).cite()
    assert cited.keys == ("neyman1934", "kelley2003", *MOVER)
    assert "With an assurance of 90 %, the interval (95 %)" in cited.text
    assert plan_labels(guesses[:1], labels=[200]).cite().keys == ("kelley2003", *MOVER), "nothing to allocate"


def test_a_plan_with_other_costs_names_optimum_allocation() -> None:
    guesses = [StratumGuess("lakes", 1000, 0.2, 0.5, seconds=5.0), StratumGuess("rivers", 1000, 0.2, 0.5, seconds=20.0)]
    cited = plan_labels(guesses, labels=[200]).cite()
    assert cited.keys == ("neyman1934", "cochran1977", "kelley2003", *MOVER)


@pytest.fixture
def waters(tmp_path: Path) -> Path:
    hits = [Positive(f"lake {k}", 0, 4, ("LOC",), k < 3) for k in range(6)]
    write_benchmark(Benchmark("waters", (Stratum("lakes", 1000, 40, tuple(hits)),)), tmp_path / "waters")
    return tmp_path


def test_the_commands_print_both(waters: Path) -> None:
    done = run("recall", "estimate", "waters", "--stored", "--cite", cwd=waters)
    assert "Recall was estimated with Karatage" in done.stdout
    assert "@article{zou2008," in done.stdout
    assert "@book{cochran1977," not in done.stdout
    out = json.loads(run("recall", "estimate", "waters", "--stored", "--cite", "--json", cwd=waters).stdout)
    assert set(out["citation"]) == {"text", "bibtex"}
    assert "citation" not in json.loads(run("recall", "estimate", "waters", "--stored", "--json", cwd=waters).stdout)
    assert "@article{kelley2003," in run("recall", "plan", "waters", "--labels", "100", "--cite", cwd=waters).stdout


def test_beside_a_page_the_command_prints_what_to_cite_alone(waters: Path) -> None:
    done = run("recall", "estimate", "waters", "--stored", "--cite", "--html", "page.html", cwd=waters)
    assert done.stdout.startswith("Recall was estimated with Karatage")


def test_a_result_with_a_citation_goes_on_a_board(waters: Path) -> None:
    done = run("recall", "estimate", "waters", "--stored", "--cite", "--json", cwd=waters)
    (waters / "stored.json").write_text(done.stdout, "utf-8")
    assert "0.5000" in run("recall", "board", "board.csv", "stored.json", cwd=waters).stdout


def test_a_tax_is_not_cited(waters: Path) -> None:
    done = run("recall", "estimate", "waters", "--tagger", "a:b", "--tax", "--cite", cwd=waters)
    assert done.returncode == 2
    assert "--tax cannot be combined with" in done.stderr


def rivers() -> Benchmark:
    """Six positives, the first of which is one of `waters`, too."""
    hits = [Positive(f"{'river' if k else 'lake'} {k}", 0, 4, ("LOC",), k < 3) for k in range(6)]
    return Benchmark("rivers", (Stratum("rivers", 1000, 40, tuple(hits)),))


def test_a_recall_from_several_benchmarks_rests_on_the_intervals_of_each() -> None:
    lakes = Benchmark("lakes", (stratum("lakes", 6),))
    cited = pool([lakes, rivers()], [FOUND, FOUND], level=0.9).cite()
    assert cited.keys == MOVER, "one stratum each: no weights of strata"
    assert "from 2 benchmarks, random samples of one corpus with 12 labelled positives in all." in cited.text
    assert "The interval (90 %) follows from theirs (Zou and Donner 2008)." in cited.text
    assert "once" not in cited.text
    assert pool([TWO, rivers()], [FOUND, FOUND]).cite().keys == ("cochran1977", *MOVER)


def test_shared_positives_are_said_to_count_once(waters: Path) -> None:
    write_benchmark(rivers(), waters / "rivers")
    assert "@article{zou2008," in run("recall", "pool", "waters", "rivers", "--stored", "--cite", cwd=waters).stdout
    out = json.loads(run("recall", "pool", "waters", "rivers", "--stored", "--cite", "--json", cwd=waters).stdout)
    assert "with 11 labelled positives in all" in out["citation"]["text"]
    assert "It counts 1 positive in several benchmarks once." in out["citation"]["text"]
    plain = json.loads(run("recall", "pool", "waters", "rivers", "--stored", "--json", cwd=waters).stdout)
    assert plain == {name: value for name, value in out.items() if name != "citation"}


def board_of(*entries: BoardEntry) -> Board:
    return Board(()).with_entries(entries)


def entry(name: str, **options: Any) -> BoardEntry:
    return BoardEntry.of(BoardResult.of(found(**options)), name)


def test_a_board_names_the_method_of_each_interval_and_how_systems_are_ranked() -> None:
    ranks = ("noreen1989", "holm1979", "mogstad2024")
    published = BoardEntry("old", Score(0.5, low=0.4, high=0.6), 3, 3)
    assert board_of(entry("a")).cite().keys == ("cochran1977", *MOVER), "nothing to rank"
    cited = board_of(entry("a"), entry("b", method="bayes"), published).cite()
    assert cited.keys == ("cochran1977", *MOVER, "brown2001", *ranks)
    assert "The interval (95 %) of 1 system is the central credible interval" in cited.text
    assert "Recall and interval of 1 system are as published on the board." in cited.text
    assert board_of(published).cite().keys == ()


def test_a_board_for_another_population_takes_its_shares_as_known() -> None:
    cited = board_of(entry("a", method="bayes")).reweighted({"lakes": 1, "rivers": 1}).cite()
    assert cited.keys == MOVER
    assert "in which the shares of the strata are taken as known" in cited.text


def test_a_board_is_cited_by_the_command(waters: Path) -> None:
    done = run("recall", "estimate", "waters", "--stored", "--json", cwd=waters)
    (waters / "stored.json").write_text(done.stdout, "utf-8")
    assert "@article{fay1997," in run("recall", "board", "board.csv", "stored.json", "--cite", cwd=waters).stdout
    out = json.loads(run("recall", "board", "board.csv", "stored.json", "--cite", "--json", cwd=waters).stdout)
    assert set(out["citation"]) == {"text", "bibtex"}
    refused = run("recall", "board", "board.csv", "stored.json", "--cite", "--markdown", cwd=waters)
    assert refused.returncode == 2
    assert "choose one of --cite and --markdown" in refused.stderr
