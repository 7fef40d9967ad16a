"""Files of two systems and a judge on real corpora: `python -m benchmarks.judge_corpora` trains CRFs and writes them.

`python -m benchmarks.judges --files` then draws test sets from them. The corpora are those of `benchmarks.corpora`, and
the files are kept in `results`.

In UNER, each half of the sentences is tagged by CRFs that learnt from the other half: the judge from all of it, each
system from a quarter. In WNUT-17, the systems learnt from a half of the training data each, and the judge from the
training data and three quarters of the test data, so that it tags the fourth.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import karatage
from benchmarks.corpora import CORPORA, DATA, Tags, gold, tagged
from karatage.claims import Claims

KEPT = Path(__file__).parent / "results" / "judges"
NAMES = ("judge", "one", "other")

Part = tuple[np.ndarray, dict[str, Claims]]
"""Some sentences, and what the CRFs learnt from that tag them."""


def uner(test: Claims) -> Iterator[Part]:
    """Yield both halves of the sentences."""
    every = np.arange(len(test.units))
    for k in (0, 1):
        known = every[1 - k :: 2]
        parts = {"judge": known, "one": known[::4], "other": known[2::4]}
        yield every[k::2], {name: test.take(own) for name, own in parts.items()}


def wnut17(test: Claims) -> Iterator[Part]:
    """Yield all sentences for the systems, and four folds of them for the judge."""
    train = karatage.read(DATA / str(CORPORA["WNUT-17"][0]))
    every, known = np.arange(len(test.units)), np.arange(len(train.units))
    yield every, {"one": train.take(known[::2]), "other": train.take(known[1::2])}
    for k in range(4):
        yield every[k::4], {"judge": Claims.concatenate([train, test.take(every[every % 4 != k])])}


def answers(name: str) -> dict[str, list[Tags]]:
    """Train the CRFs of a corpus, and let them answer."""
    test = karatage.read(gold(name))
    out: dict[str, list[Tags]] = {own: [[] for _ in range(len(test.units))] for own in NAMES}
    for held, known in {"UNER": uner, "WNUT-17": wnut17}[name](test):
        for own, claims in known.items():
            for unit, tags in zip(held.tolist(), tagged(claims, test.take(held), {}), strict=True):
                out[own][unit] = tags
    return out


def main() -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    for name in ("UNER", "WNUT-17"):
        tokens = karatage.read(gold(name)).units.tokens or ()
        for own, found in answers(name).items():
            file = KEPT / f"{name}-{own}.conll"
            lines = (map("\t".join, zip(*both, strict=True)) for both in zip(tokens, found, strict=True))
            file.write_text("\n\n".join(map("\n".join, lines)) + "\n", "utf-8")
            print(f"{name}, {own}: F1 {float(karatage.score(gold(name), file, resamples=0)['f1']):.4f}", flush=True)


if __name__ == "__main__":
    main()
