"""The ruler of the published experiment log: entities are runs of one tag."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

import karatage
from karatage.errors import InputError

Title = tuple[str, list[tuple[str, str]]]
"""A category, and the tokens with their tags; an empty tag continues the previous entity."""


def write(path: Path, titles: list[Title]) -> Path:
    rows = ["Record Number\tCategory\tTitle\tToken\tTag"]
    for number, (category, tokens) in enumerate(titles, 1):
        title = " ".join(token for token, _ in tokens)
        rows += [f"{number}\t{category}\t{title}\t{token}\t{tag}" for token, tag in tokens]
    path.write_text("\r\n".join(rows) + "\r\n")
    return path


def test_runs_by_hand(tmp_path: Path) -> None:
    """Two adjacent makes are one value; O, and another aspect, part them."""
    rest = ("2", [("SKF", "Hersteller")])
    gold = write(
        tmp_path / "gold.tsv",
        [("1", [("ATE", "Hersteller"), ("BMW", "Marke"), ("VW", "Marke"), ("für", "O"), ("VW", "Marke")]), rest],
    )
    # One entity of two tokens is to runs what two entities are.
    pred = write(
        tmp_path / "pred.tsv",
        [("1", [("ATE", "O"), ("BMW", "Marke"), ("VW", ""), ("für", "O"), ("VW", "Marke")]), rest],
    )
    # Official: Marke has gold BMW, VW, VW and predicted BMW VW, VW: one correct, P 1/2, R 1/3, F1 .4 with weight 3;
    # Hersteller is missed and has weight 1: F1 of category 1 is .3, and (.3 + 1)/2 = .65 the final one.
    official = karatage.score(gold, pred, like="ebay-2025")
    assert official["c1_f1"].value == pytest.approx(0.3)
    assert official["final_f1"].value == pytest.approx(0.65)
    # Runs: Marke has BMW VW, VW on both sides, F1 1 with weight 2; Hersteller has 0 with weight 1: 2/3, and 5/6.
    runs = karatage.score(gold, pred, like="ebay-2025-runs")
    assert runs["c1_f1"].value == pytest.approx(2 / 3)
    assert runs["final_f1"].value == pytest.approx(5 / 6)
    assert runs.counts == {"units": 2, "gold": 4, "predicted": 3, "correct": 3} | {
        name: count for name, count in runs.counts.items() if name.startswith("tokens")
    }


def test_the_worked_example_of_the_challenge(tmp_path: Path) -> None:
    """P .9, R .8 and P .7, R .6, the first aspect twice as frequent: .829 and .780; entities of two tokens."""
    gold: list[Title] = []
    pred: list[Title] = []
    # Aspect A: 2016 correct of 2240 predicted (.9) and of 2520 gold (.8); B: 756 of 1080 (.7) and of 1260 (.6).
    for name, n_gold, n_pred, n_correct in (("A", 2520, 2240, 2016), ("B", 1260, 1080, 756)):
        for k in range(n_gold):
            tokens = ["x", f"{name}{k}"]
            found = [name, name] if k < n_correct else ["O", name] if k < n_pred else ["O", "O"]
            gold.append(("1", list(zip(tokens, [name, name], strict=True))))
            pred.append(("1", list(zip(tokens, found, strict=True))))
    both: Title = ("2", [("x", "A")])
    files = write(tmp_path / "g.tsv", [*gold, both]), write(tmp_path / "p.tsv", [*pred, both])
    result = karatage.score(*files, like="ebay-2025-runs", resamples=0)
    a, b = 0.7488 / 0.836, 0.4368 / 0.628
    assert result["c1_f0.2"].value == pytest.approx((2 * a + b) / 3, abs=1e-12)
    assert [round(result[name].value, 3) for name in ("c1_f0.2", "c1_f1")] == [0.829, 0.780]
    assert result["final_f0.2"].value == pytest.approx((result["c1_f0.2"].value + 1) / 2)


def slowly(gold: list[Title], pred: list[Title], beta: float) -> float:
    """Score as the log does, tag by tag."""

    def runs(titles: list[Title]) -> dict[tuple[str, str, int], Counter[str]]:
        found: dict[tuple[str, str, int], Counter[str]] = {}
        for number, (category, tokens) in enumerate(titles):
            filled: list[str] = []
            for _, tag in tokens:
                filled.append(tag or filled[-1])
            start = 0
            for at in range(1, len(tokens) + 1):
                if at == len(tokens) or filled[at] != filled[start]:
                    if filled[start] != "O":
                        value = " ".join(token for token, _ in tokens[start:at])
                        found.setdefault((category, filled[start], number), Counter())[value] += 1
                    start = at
        return found

    ours, theirs = runs(gold), runs(pred)
    finals = []
    for category in "12":
        weighted, weights = 0.0, 0
        for aspect in sorted({key[1] for key in ours if key[0] == category}):
            keys = [key for key in {**ours, **theirs} if key[:2] == (category, aspect)]
            none: Counter[str] = Counter()
            right = sum((ours.get(key, none) & theirs.get(key, none)).total() for key in keys)
            n_gold = sum(ours.get(key, none).total() for key in keys)
            n_pred = sum(theirs.get(key, none).total() for key in keys)
            precision, recall = (right / n_pred if n_pred else 0.0), right / n_gold
            down = beta**2 * precision + recall
            weighted += n_gold * ((1 + beta**2) * precision * recall / down if down else 0.0)
            weights += n_gold
        finals.append(weighted / weights)
    return sum(finals) / 2


@pytest.mark.parametrize("seed", range(30))
def test_random_titles_against_a_slow_implementation(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)

    def tagged(words: list[str], aspects: list[str]) -> list[tuple[str, str]]:
        tags = [rng.choice([*aspects, "O", ""]) for _ in words]
        tags[0] = tags[0] or "O"
        return list(zip(words, tags, strict=True))

    gold: list[Title] = [("1", [("x", "A")]), ("2", [("x", "B")])]
    pred: list[Title] = [("1", [("x", "A")]), ("2", [("x", "B")])]
    for _ in range(60):
        category, words = rng.choice("12"), rng.choices("uvw", k=rng.randint(1, 8))
        gold.append((category, tagged(words, ["A", "B"])))
        pred.append((category, gold[-1][1] if rng.random() < 0.3 else tagged(words, ["A", "B", "C"])))
    files = write(tmp_path / "g.tsv", gold), write(tmp_path / "p.tsv", pred)
    result = karatage.score(*files, like="ebay-2025-runs", resamples=0)
    assert result["final_f0.2"].value == pytest.approx(slowly(gold, pred, 0.2), abs=1e-12)
    assert result["final_f1"].value == pytest.approx(slowly(gold, pred, 1.0), abs=1e-12)
    assert result["final_f1"].value != karatage.score(*files, like="ebay-2025", resamples=0)["final_f1"].value
    # Claims without tags, as a training scores them, are merged alike.
    claims = [karatage.read(str(path)) for path in files]
    assert karatage.score(*claims, like="ebay-2025-runs", resamples=0)["final_f1"].value == result["final_f1"].value


def test_a_submission_is_refused(tmp_path: Path) -> None:
    """It does not say which values are adjacent."""
    gold = write(tmp_path / "gold.tsv", [("1", [("BMW", "Marke"), ("VW", "Marke")])])
    sent = tmp_path / "sent.tsv"
    sent.write_text("1\t1\tMarke\tBMW\n1\t1\tMarke\tVW\n")
    for files in ((gold, sent), (sent, gold), (sent, sent)):
        with pytest.raises(InputError, match="has values without tokens, but merging adjacent") as caught:
            karatage.score(*files, like="ebay-2025-runs")
        assert "sent.tsv" in str(caught.value)
        assert "tagged data on both sides" in str(caught.value)
