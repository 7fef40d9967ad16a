"""Second labels of some items: an estimate that takes the errors of labels off."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command import run
from tests.recall.conftest import ends, write

from karatage.errors import InputError, UsageError
from karatage.recall import (
    CheckedCounts,
    Export,
    estimate_results,
    import_labels,
    read_benchmark,
    read_second_labels,
)

HEAD = "item,stratum,text,start,end,candidate,answer,entity"


def table(path: Path, answers: dict[int, str], entity: str = "") -> str:
    rows = [f"lakes-{k},lakes,lake number {k},0,4,lake,{answer},{entity}" for k, answer in answers.items()]
    path.write_text("\n".join([HEAD, *rows]) + "\n", "utf-8")
    return str(path)


@pytest.fixture
def lakes(tmp_path: Path) -> Path:
    """40 of 4,000 candidates are labelled, and the first 10 of them as positive."""
    first = table(tmp_path / "first.csv", {k: "yes" if k < 10 else "no" for k in range(40)})
    import_labels(tmp_path / "lakes", [Export(first)], labels=["LOC"], occurrences={"lakes": 4000})
    return tmp_path / "lakes"


RESULTS = [k < 6 for k in range(10)]


def test_second_labels_of_a_random_sample(lakes: Path, tmp_path: Path) -> None:
    """Of the positives 1, 8 and 9 were checked, and 9, which the tagger missed, is none; 10 was overlooked.

    So 1 of the 12 negatives (9 and 11 to 21) was labelled positive, and missed: α = 1/12, and 1 of the 3 positives was
    overlooked: β = 1/3. π = (10/40 - 1/12) / (1 - 1/12 - 1/3) = 2/7. Of 4,000 · 5/7 = 2,857.1 negatives 238.1 are
    labelled positive, of 400 misses 161.9 are left, and the recall is 600 / 761.9 = 0.7875.
    """
    truth = {1: "yes", 8: "yes", 9: "no", 10: "yes"} | dict.fromkeys(range(11, 22), "no")
    benchmark = read_benchmark(lakes)
    second = read_second_labels(table(tmp_path / "second.csv", truth), benchmark)
    found = estimate_results(benchmark, RESULTS, label_errors=second)
    assert found.recall.value == pytest.approx(0.6)
    assert found.corrected is not None
    assert found.corrected.counts == (1, 12, 1, 3)
    assert found.corrected.recall.value == pytest.approx(0.7875)
    assert found.corrected.positives.value == pytest.approx(4000 * 2 / 7)
    low, high = ends(found.corrected.recall)
    assert low < found.corrected.recall.value < high
    assert high - low > ends(found.recall)[1] - ends(found.recall)[0]
    assert not found.warnings


def test_false_positives_that_the_tagger_found_are_taken_off_the_hits(lakes: Path, tmp_path: Path) -> None:
    """Item 0 was found and is none: α = 1/20 of 3,158 negatives, so that of 600 hits 442 are left, and 400 misses."""
    truth = {0: "no", 8: "yes", 1: "yes", 2: "yes", 3: "yes"} | dict.fromkeys(range(10, 29), "no")
    benchmark = read_benchmark(lakes)
    second = read_second_labels(table(tmp_path / "second.csv", truth), benchmark)
    found = estimate_results(benchmark, RESULTS, label_errors=second).corrected
    assert found is not None
    hits = 600 - 4000 * (1 - 0.2 / 0.95) / 20
    assert found.recall.value == pytest.approx(hits / (hits + 400))


def test_other_spans_and_undecided_second_labels_are_counted(lakes: Path, tmp_path: Path) -> None:
    truth = {0: "yes", 1: "perhaps", 12: "no", 13: "no", 14: "no"}
    path = table(tmp_path / "second.csv", truth, "")
    text = Path(path).read_text("utf-8").replace("lake,yes,", "lake,yes,lake number 0")
    Path(path).write_text(text, "utf-8")
    second = read_second_labels(path, read_benchmark(lakes))
    assert list(second.warnings) == [
        "1 second label undecided, left out",
        "1 second label with another span than the first; counted as positive in both",
    ]


def test_items_that_were_chosen_by_their_first_label_are_noticed(lakes: Path, tmp_path: Path) -> None:
    """All 10 positives and 1 of 30 others: a random sample of 11 has about 3."""
    benchmark = read_benchmark(lakes)
    truth = dict.fromkeys(range(10), "yes") | {10: "no"}
    second = read_second_labels(table(tmp_path / "second.csv", truth), benchmark)
    assert "10 of 11 items with second labels were labelled positive; a random sample has about 3" in second.warnings[0]
    with pytest.raises(InputError, match="all items with second labels were labelled positive.*--adjudication"):
        read_second_labels(table(tmp_path / "third.csv", dict.fromkeys(range(10), "yes")), benchmark)


def test_second_labels_that_do_not_belong_here_are_refused(lakes: Path, tmp_path: Path) -> None:
    benchmark = read_benchmark(lakes)
    with pytest.raises(InputError, match="annotator 'first' has labelled item 'lakes-0' before"):
        read_second_labels(tmp_path / "first.csv", benchmark)
    with pytest.raises(InputError, match="item 'lakes-99' has no first label"):
        read_second_labels(table(tmp_path / "second.csv", {99: "no"}), benchmark)
    plain = read_benchmark(write(tmp_path / "plain"))
    with pytest.raises(InputError, match="no labels found"):
        read_second_labels(tmp_path / "first.csv", plain)


def test_the_command_with_counts(tmp_path: Path) -> None:
    """rivers: 1,000 · 1/40 hits and misses; lakes: 300 · 3/20 and 300 · 1/20: 70 and 40, or 0.6364."""
    folder = str(write(tmp_path / "waters"))
    done = run("recall", "estimate", folder, "--stored", "--label-errors", "1/100,1/10", "--json")
    found = json.loads(done.stdout)
    assert found["metrics"]["recall"]["value"] == pytest.approx(70 / 110)
    assert found["corrected"]["checked"] == {"false": 1, "negatives": 100, "overlooked": 1, "positives": 10}
    shares = [(own - 0.01) / 0.89 for own in (2 / 40, 4 / 20)]
    misses = 40 - 0.01 * (1000 * (1 - shares[0]) + 300 * (1 - shares[1]))
    assert found["corrected"]["recall"]["value"] == pytest.approx(70 / (70 + misses))
    assert found["corrected"]["positives"]["value"] == pytest.approx(1000 * shares[0] + 300 * shares[1])
    text = run("recall", "estimate", folder, "--stored", "--label-errors", "1/100,1/10").stdout
    assert "recall, labels corrected   0.7" in text
    assert "of 100 negatives checked, 1 had been labelled positive; of 10 positives, 1 had been overlooked" in text


def test_without_second_labels_the_command_says_what_wrong_labels_would_do(tmp_path: Path) -> None:
    """α = 1 %, β = 0: the same as with a known rate."""
    folder = str(write(tmp_path / "waters"))
    found = json.loads(run("recall", "estimate", folder, "--stored", "--json").stdout)
    shares = [(own - 0.01) / 0.99 for own in (2 / 40, 4 / 20)]
    misses = 40 - 0.01 * (1000 * (1 - shares[0]) + 300 * (1 - shares[1]))
    assert found["if_false_positives"]["share"] == 0.01
    assert found["if_false_positives"]["recall"]["value"] == pytest.approx(70 / (70 + misses))
    text = run("recall", "estimate", folder, "--stored").stdout
    assert "if 1 % of the negatives were labelled positive by mistake, the recall would be 0.7" in " ".join(
        text.split()
    )


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("3/300x", "expected FALSE/NEGATIVES"),
        ("1/2,3/4,5/6", "expected FALSE/NEGATIVES"),
        ("3/2", "0 ≤ wrong ≤ checked"),
        ("0/0", "false positives are unknown"),
        ("99/100", "more than all positive labels of waters"),
        ("60/100,5/10", "wrong as often as right"),
    ],
)
def test_counts_that_cannot_be_are_refused(given: str, problem: str, tmp_path: Path) -> None:
    done = run("recall", "estimate", str(write(tmp_path / "waters")), "--stored", "--label-errors", given)
    assert done.returncode == 2
    assert problem in " ".join(done.stderr.split())


@pytest.mark.parametrize("option", [{"method": "assisted"}, {"unresolved": "widen"}])
def test_what_does_not_go_together_is_refused(option: dict[str, str], tmp_path: Path) -> None:
    benchmark = read_benchmark(write(tmp_path / "waters"))
    with pytest.raises(UsageError, match="--label-errors does not work with"):
        estimate_results(benchmark, [True] * 6, label_errors=CheckedCounts.of(1, 100), **option)
