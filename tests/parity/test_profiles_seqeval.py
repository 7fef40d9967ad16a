"""The profiles conlleval, seqeval and seqeval-strict give seqeval's numbers, from lists and from files."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import numpy as np
import pytest
import seqeval.metrics as peer
import seqeval.scheme
from tests.conftest import noisy
from tests.parts import parts

import karatage
from karatage.claims import SCHEMES

TYPES = ["PER", "LOC", "B-C", "Ä"]


def random_tags(rng: random.Random, letters: str) -> list[list[str]]:
    tags = ["O", "O", *(f"{letter}-{kind}" for letter in letters for kind in TYPES)]
    return [[rng.choice(tags) for _ in range(rng.randint(1, 9))] for _ in range(rng.randint(1, 5))]


def expected(gold: list[list[str]], pred: list[list[str]], **options: object) -> dict[str, float]:
    out = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for average in ("micro", "macro", "weighted"):
            prefix = "" if average == "micro" else f"{average}_"
            for name, function in (
                ("precision", peer.precision_score),
                ("recall", peer.recall_score),
                ("f1", peer.f1_score),
            ):
                out[prefix + name] = function(gold, pred, average=average, **options)
        out["accuracy"] = peer.accuracy_score(gold, pred)
    return out


def same(result: karatage.Result, values: dict[str, float]) -> None:
    for name, value in values.items():
        ours = result[name].value
        assert np.isnan(value) if ours is None else ours == pytest.approx(value, abs=1e-12), name


@pytest.mark.parametrize("letters", parts(["BI", "BIESUL.X", "IE", "BIES", "BILU"], 2))
def test_default_mode(rng: random.Random, letters: str) -> None:
    """Any prefixes, known or not."""
    for _ in range(300):
        gold = random_tags(rng, letters)
        pred = [[rng.choice(["O", *row]) for _ in row] for row in gold]
        values = expected(gold, pred)
        same(karatage.score(gold, pred, like="seqeval", resamples=0), values)
        same(karatage.score(gold, pred, like="conlleval", resamples=0), values)


@pytest.mark.parametrize("name", parts(["IOB2", "IOBES", "IOB1", "IOE1", "IOE2", "BILOU"], 2))
def test_strict_mode(rng: random.Random, name: str) -> None:
    """Every scheme of seqeval, on tags that often violate it."""
    scheme = getattr(seqeval.scheme, name)
    letters = SCHEMES[name].prefixes.replace("O", "")
    for _ in range(300):
        gold = random_tags(rng, letters)
        pred = [noisy(row, rng, TYPES, 0.0) for row in gold]
        pred = [[rng.choice([tag, "O", rng.choice(row)]) for tag in row] for row in pred]
        same(
            karatage.score(gold, pred, like="seqeval-strict", scheme=name, resamples=0),
            expected(gold, pred, mode="strict", scheme=scheme),
        )


def test_strict_mode_detects_as_seqeval_does(rng: random.Random) -> None:
    """Without a scheme, the gold prefixes decide; where seqeval refuses, so does Karatage."""
    refused = 0
    for _ in range(400):
        letters = rng.choice(["B", "BI", "IE", "BIES", "BILU", "I", "S", "BS"])
        gold = random_tags(rng, letters)
        try:
            scheme = seqeval.scheme.auto_detect(gold)
        except ValueError:
            refused += 1
            with pytest.raises(karatage.KaratageError, match="--scheme"):
                karatage.score(gold, gold, like="seqeval-strict", resamples=0)
            continue
        same(
            karatage.score(gold, gold, like="seqeval-strict", resamples=0),
            expected(gold, gold, mode="strict", scheme=scheme),
        )
    assert 0 < refused < 400


def test_real_data_with_noise(real_data: Path, tmp_path: Path, rng: random.Random) -> None:
    """WNUT-17 dev against itself with noise: conlleval's numbers, from files, per label too."""
    lines = (real_data / "wnut17" / "dev.conll").read_text("utf-8").split("\n")
    gold: list[list[str]] = [[]]
    noised: list[list[str]] = [[]]
    row: list[str] = []
    types = ["person", "location", "group", "product", "corporation", "creative-work"]
    for line in lines:
        if not line.strip():
            gold[-1], noised[-1] = row, noisy(row, rng, types)
            gold.append([])
            noised.append([])
            row = []
            continue
        row.append(line.split("\t")[1])
    gold, noised = [r for r in gold if r], [r for r in noised if r]
    tokens = [line.split("\t")[0] for line in lines if line.strip()]
    at, out = 0, []
    for sentence in noised:
        out += [f"{token}\t{tag}" for token, tag in zip(tokens[at : at + len(sentence)], sentence, strict=True)] + [""]
        at += len(sentence)
    path = tmp_path / "pred.conll"
    path.write_text("\n".join(out) + "\n", "utf-8")
    result = karatage.score(real_data / "wnut17" / "dev.conll", path, like="conlleval")
    same(result, expected(gold, noised))
    report = peer.classification_report(gold, noised, output_dict=True, zero_division=0)
    for label, scores in result.by_label.items():
        theirs = report[label]
        assert scores["f1"].value == pytest.approx(theirs["f1-score"], abs=1e-12)
        assert scores.counts["gold"] == theirs["support"]
    assert 0.3 < result["f1"].value < 0.95
