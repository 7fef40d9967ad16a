"""The trainable taggers: what they reach, and how fast.

`python -m benchmarks.taggers PART` runs one part: ebay, speed, tag, fold and pooled, or wnut.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from karatage.inputs.claims_io import read
from karatage.scoring.scoring import score as score_files
from karatage.training.data_split import split_folds, split_validation
from karatage.training.evaluator import Evaluator
from karatage.training.examples import examples_of, sizes_of, tagset_of
from karatage.training.settings import parse_value, read_settings
from karatage.training.train_tagger import TrainingResult, train
from karatage.training.training_data import TrainingData, TrainingPlan, prepare_data

RECORDS, TITLES_OF = 5_000, 0
STEPS = ("plain", "exp-001", "exp-002", "exp-003", "exp-004", "exp-006", "bilstm-crf")
SEEDS = (0, 1, 2)


def made(folder: Path, records: int, seed: int = TITLES_OF) -> Path:
    """Make data like the challenge's, unless it is there."""
    out = folder / f"ebay-{records}-{seed}"
    if not (out / "train.tsv.gz").exists():
        command = [
            "-m",
            "karatage",
            "demo-data",
            "ebay",
            "--records",
            str(records),
            "--seed",
            str(seed),
            "--out",
            str(out),
        ]
        subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
    return out


def settings_of(step: str) -> tuple[str, dict[str, Any]]:
    """Return the model and settings of a preset, or of a model by its name."""
    if step.startswith("exp-"):
        settings = read_settings(step)
        return str(settings.pop("model")), settings
    return step, {}


def shown(outcome: TrainingResult) -> str:
    one = outcome.result[outcome.evaluator.metric]
    return f"{one.value:.4f} ({one.low:.4f}–{one.high:.4f})"


def plain_titles(material: TrainingData) -> tuple[list[Any], list[Any], Any]:
    """Return both sides as a plain loop takes them."""
    tags = tagset_of(material.train, "category", "IO")
    numbers: dict[str, int] = {}

    def titles(claims: Any) -> list[Any]:
        found = examples_of(claims, tags, "category")
        ends = np.cumsum(found.sizes)
        return [
            (list(own), numbers.setdefault(group, len(numbers)), found.codes[end - len(own) : end].tolist())
            for own, group, end in zip(found.tokens, found.groups or [], ends.tolist(), strict=True)
        ]

    return titles(material.train), titles(material.validation), tags


def ebay(folder: Path, steps: tuple[str, ...] = STEPS, seeds: tuple[int, ...] = SEEDS) -> None:
    """Each preset, the defaults of `bilstm-crf` and the plain loop, on generated titles.

    Prints `final_f0.2` with its interval and `final_f1` as the challenge scores them, then with entities merged.
    """
    from benchmarks.plain_loop import train as plain

    data = made(folder, RECORDS) / "train.tsv.gz"
    plan = TrainingPlan(str(data), "bilstm")
    material = prepare_data(plan)
    judge = Evaluator.make(material.validation, material.profile, "final_f0.2")
    learned, held, tags = plain_titles(material)
    of_tags = judge.tag_scorer(tags)

    def score(rows: list[list[int]]) -> float:
        return float(of_tags(np.concatenate([np.array(row, np.int64) for row in rows]))["final_f0.2"])

    for step in steps:
        values: list[float] = []
        f1s: list[float] = []
        merged_values: list[float] = []
        for seed in seeds:
            began = time.perf_counter()
            if step == "plain":
                value, epoch, _ = plain(learned, held, len(tags), seed=seed, device=_device(), score=score)
                text = f"{value:.4f}  epoch {epoch}"
            else:
                model, settings = settings_of(step)
                found = train(replace(plan, model=model, settings={**settings, "seed": seed}), data=material)
                value = found.result["final_f0.2"].value or 0.0
                text = f"{shown(found)}  f1 {found.result['final_f1'].value:.4f}"
                runs = found.evaluator.gold, found.predictions
                merged = score_files(*runs, like="ebay-2025-runs", resamples=0)
                text += f"  runs {merged['final_f0.2'].value:.4f} f1 {merged['final_f1'].value:.4f}"
                text += f"  epoch {found.best_epoch}/{len(found.epochs)}"
                f1s.append(found.result["final_f1"].value or 0.0)
                merged_values.append(merged["final_f0.2"].value or 0.0)
            values.append(value)
            print(f"{step:<13} seed {seed}  {text}  {time.perf_counter() - began:.1f} s", flush=True)
        more = f" f1 {statistics.fmean(f1s):.4f} runs {statistics.fmean(merged_values):.4f}" if f1s else ""
        print(f"{step:<13} mean {statistics.fmean(values):.4f} sd {statistics.stdev(values):.4f}{more}", flush=True)


def _device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def speed(folder: Path, epochs: int = 50) -> None:
    """exp-001's training beside the plain loop, which scores nothing but how many tags are right."""
    from benchmarks.plain_loop import train as plain

    plan = TrainingPlan(str(made(folder, RECORDS) / "train.tsv.gz"), "bilstm", {"epochs": epochs})
    material = prepare_data(plan)
    learned, held, tags = plain_titles(material)
    gold = np.concatenate([np.array(own[2]) for own in held])

    def score(rows: list[list[int]]) -> float:
        return float((np.concatenate([np.array(row) for row in rows]) == gold).mean())

    device = _device()
    plain(learned[:320], held, len(tags), epochs=1, device=device, score=score)
    train(replace(plan, settings={"epochs": 1}), data=material)
    for packed in (True, False):
        began = time.perf_counter()
        plain(learned, held, len(tags), epochs=epochs, device=device, packed=packed, score=score)
        theirs = time.perf_counter() - began
        began = time.perf_counter()
        train(plan, data=material)
        ours = time.perf_counter() - began
        print(
            f"{device}: {epochs} epochs on {len(learned):,} titles: plain loop{'' if packed else ' without packing'} "
            f"{theirs:.2f} s ({theirs / epochs:.3f} an epoch), karatage {ours:.2f} s with validation and intervals "
            f"({ours / theirs:.2f} of it)",
            flush=True,
        )


def tag(folder: Path, models: list[str], records: int, times: int = 2) -> None:
    """Tag made-up listings, file to file, and the network alone on the same titles."""
    from karatage.inputs.claims_io import scan
    from karatage.training.file_tagging import tag_file
    from karatage.training.trained_tagger import TrainedTagger

    data = made(folder, RECORDS) / "train.tsv.gz"
    listings = made(folder, records, 1) / "listings.tsv.gz"
    for step in models:
        model, settings = settings_of(step)
        place = folder / f"model-{step}"
        if not place.exists():
            if model != "crf":
                settings = {**settings, "epochs": 3}
            train(TrainingPlan(str(data), model, settings)).tagger.save(place)
        out = folder / "submission.tsv"
        for _ in range(times):
            before = _peak()
            done = tag_file(str(place), str(listings), str(out))
            print(
                f"{step:<11} {done.units:,} titles, {done.claims:,} claims, file to file: "
                f"{done.units / done.seconds:,.0f} titles a second; peak memory {before:,} → {_peak():,} MiB",
                flush=True,
            )
        labeller: Any = TrainedTagger.load(place).labeller
        if not hasattr(labeller, "_unlabelled"):
            continue
        units = next(scan(str(listings))).units
        corpus = labeller._unlabelled(units.tokens, units.attributes["category"])
        labeller._label(corpus)
        began = time.perf_counter()
        for _ in range(5):
            labeller._label(corpus)
        alone = 5 * len(units) / (time.perf_counter() - began)
        print(
            f"{step:<11} the network alone: {alone:,.0f} titles a second; file to file is "
            f"{done.units / done.seconds / alone:.0%} of it",
            flush=True,
        )


def _peak() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def parted(corpus: Path, count: int) -> Iterator[tuple[Any, Any, Any]]:
    """Yield for each fold what to learn from, what to choose the epoch on, and what to score."""
    claims = read(str(corpus))
    parts = split_folds(claims.units, count, 0)
    for held in parts:
        rest = claims.take(np.setdiff1d(np.arange(len(claims.units)), held))
        train_, chosen = split_validation(rest.units, 0.1, 0)
        yield rest.take(train_), rest.take(chosen), claims.take(held)


def fitted(model: str, settings: dict[str, Any], learned: Any, held: Any) -> tuple[Any, Any, Any]:
    from karatage.training.fit_context import FitContext
    from karatage.training.models import get_model
    from karatage.training.settings import settings_from

    tags = tagset_of(learned, "")
    chosen = get_model(model)
    judge = Evaluator.make(held, "conlleval", "f1")
    around = FitContext(validation=examples_of(held, tags, ""), score_tags=judge.tag_scorer(tags))
    given = settings_from(chosen.settings, settings, model)
    return chosen.labeller.fit(examples_of(learned, tags, ""), tags, given, around), tags, judge


def fold(corpus: Path, model: str, count: int, number: int, settings: dict[str, Any], out: Path) -> None:
    """Train on one fold's rest and write what the model says of the fold."""
    learned, held, test = list(parted(corpus, count))[number]
    began = time.perf_counter()
    if model == "crf":  # it has no epochs to choose, so it learns from all of the rest
        learned = type(learned).concatenate([learned, held])
    found, tags, _ = fitted(model, settings, learned, held)
    seconds = time.perf_counter() - began
    codes = found.labeller.label(test.units.tokens, None)
    pred = tags.claims(codes, test.units, sizes_of(test.units.tokens or ()))
    value = Evaluator.make(test, "conlleval", "f1").values(pred)["f1"]
    rows = [[int(u), label, int(a), int(b)] for u, label, a, b, _, _ in pred.rows()]
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{model}-{number}.json").write_text(json.dumps({"f1": value, "seconds": seconds, "rows": rows}))
    print(
        f"{model} fold {number}: f1 {value:.4f}, epoch {found.best_epoch}/{len(found.history)}, {seconds:.0f} s",
        flush=True,
    )


def pooled(corpus: Path, model: str, count: int, out: Path) -> None:
    """Score the predictions of all folds together, with an interval."""
    from karatage.claims import Claims

    claims = read(str(corpus))
    gold, pred = [], []
    for number, held in enumerate(split_folds(claims.units, count, 0)):
        rows = json.loads((out / f"{model}-{number}.json").read_text())["rows"]
        test = claims.take(held)
        gold.append(test)
        pred.append(Claims.build(test.units, "token", [(u, label, a, b, None, None) for u, label, a, b in rows]))
    judge = Evaluator.make(Claims.concatenate(gold), "conlleval", "f1")
    result = judge.result(replace(Claims.concatenate(pred), units=judge.gold.units))
    f1 = result["f1"]
    print(
        f"{model}: {count} folds pooled: f1 {f1.value:.4f} ({f1.low:.4f}–{f1.high:.4f}), precision "
        f"{result['precision'].value:.4f}, recall {result['recall'].value:.4f}",
        flush=True,
    )


def wnut(folder: Path, model: str, settings: dict[str, Any]) -> None:
    """Train on WNUT-17's training data and score its dev set; a tenth of the training data chooses the epoch."""
    learned, test = read(str(folder / "train.conll")), read(str(folder / "dev.conll"))
    train_, chosen = split_validation(learned.units, 0.1, 0)
    part, held = learned.take(train_), learned.take(chosen)
    began = time.perf_counter()
    found, tags, _ = fitted(model, settings, learned if model == "crf" else part, held)
    seconds = time.perf_counter() - began
    pred = tags.claims(found.labeller.label(test.units.tokens, None), test.units, sizes_of(test.units.tokens or ()))
    result = Evaluator.make(test, "conlleval", "f1").result(pred)
    f1 = result["f1"]
    print(
        f"WNUT-17 dev, {model}: f1 {f1.value:.4f} ({f1.low:.4f}–{f1.high:.4f}), precision "
        f"{result['precision'].value:.4f}, recall {result['recall'].value:.4f}, epoch {found.best_epoch}/"
        f"{len(found.history)}, {seconds:.0f} s",
        flush=True,
    )


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["ebay", "speed", "tag", "fold", "pooled", "wnut"])
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "karatage-taggers")
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--models", nargs="*", default=[])
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--fold", type=int, default=0)
    parser.add_argument("--count", type=int, default=5)
    parser.add_argument("--set", nargs="*", default=[])
    given = parser.parse_args()
    settings = {key: parse_value(value) for key, _, value in (text.partition("=") for text in given.set)}
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.part == "ebay":
        ebay(given.folder, tuple(given.models or STEPS))
    elif given.part == "speed":
        speed(given.folder, given.epochs)
    elif given.part == "tag":
        tag(given.folder, given.models or ["exp-001"], given.records)
    elif given.part == "wnut":
        wnut(given.corpus, given.models[0], settings)
    else:
        for model in given.models:
            if given.part == "fold":
                fold(given.corpus, model, given.count, given.fold, settings, given.folder)
            else:
                pooled(given.corpus, model, given.count, given.folder)


if __name__ == "__main__":
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    main()
