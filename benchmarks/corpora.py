"""Real corpora on which two CRFs answered once, so that test sets can be drawn from their sentences.

The corpora are looked for in `shared/data` beside the checkout. `python -m benchmarks.corpora` trains the CRFs, which
takes minutes, and keeps what they answered in `results`.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import karatage
from karatage.claims import Claims

DATA = Path(__file__).parents[2] / "shared" / "data"
KEPT = Path(__file__).parent / "results" / "corpora"
CORPORA: dict[str, tuple[str | None, str]] = {
    "WNUT-17": ("wnut17/train.conll", "wnut17/dev.conll"),
    "UNER": (None, "uner-ewt/en_ewt-ud-dev.iob2"),
    "LER": (None, "german-ler/ler-sample.conll"),
}
"""Training data and test data; without training data each half is tagged by a CRF that learnt from the other."""

SYSTEMS: dict[str, dict[str, Any]] = {
    "usual": {},
    "small": {"window": 1, "neighbour_affixes": 0, "pairs": False, "shape_pairs": False, "iterations": 60},
}
"""The settings of both CRFs: the usual features, and fewer of them."""

Tags = list[str]


def present() -> list[str]:
    """Return the corpora that are there, with what the CRFs answered."""
    return [name for name in CORPORA if gold(name).exists() and all(_kept(name, system).exists() for system in SYSTEMS)]


def gold(name: str) -> Path:
    """Return the gold file of a corpus."""
    return DATA / CORPORA[name][1]


def answers(name: str, system: str) -> list[Tags]:
    """Return the tags that a CRF gave to each sentence."""
    kept: list[Tags] = json.loads(_kept(name, system).read_text("utf-8"))
    return kept


def _kept(name: str, system: str) -> Path:
    return KEPT / f"{name}-{system}.json"


def answer(name: str, system: str) -> list[Tags]:
    """Train a CRF, or one for each half of the sentences, and let it answer."""
    learn, _ = CORPORA[name]
    test = karatage.read(gold(name))
    out: list[Tags] = [[] for _ in range(len(test.units))]
    every = np.arange(len(out))
    halves = [(every[k::2], test.take(every[1 - k :: 2])) for k in (0, 1)]
    for held, known in [(every, karatage.read(DATA / learn))] if learn is not None else halves:
        for unit, tags in zip(held.tolist(), tagged(known, test.take(held), SYSTEMS[system]), strict=True):
            out[unit] = tags
    return out


def tagged(known: Claims, held: Claims, settings: dict[str, Any]) -> list[Tags]:
    """Train a CRF on some sentences, and let it tag others."""
    from karatage.training import TrainedTagger

    tagger, _ = TrainedTagger.fit(known, "crf", settings)
    out = [["O"] * len(tokens) for tokens in held.units.tokens or ()]
    for unit, label, start, end, *_ in tagger.tag_units(held.units).rows():
        out[unit][start:end] = [f"B-{label}"] + [f"I-{label}"] * (end - start - 1)
    return out


def main() -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    for name in CORPORA:
        if not gold(name).exists():
            print(f"{name}: no {gold(name).name} in {DATA.name}", file=sys.stderr)
            continue
        for system in SYSTEMS:
            start = time.perf_counter()
            found = answer(name, system)
            _kept(name, system).write_text(json.dumps(found), "utf-8")
            score = karatage.score(gold(name), found, resamples=0)["f1"]
            print(f"{name}, {system}: F1 {float(score):.4f}, {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
