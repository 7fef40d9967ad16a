"""Made-up corpora of any size: sentences of 4 to 40 tokens, 18 types, and predictions with noise."""

from __future__ import annotations

import random
from pathlib import Path

TYPES = [f"TYPE{k:02d}" if k % 3 else f"T{k}" for k in range(18)]
Rows = list[list[str]]


def corpus(sentences: int, seed: int = 0) -> tuple[Rows, Rows]:
    """Make gold tags and noisy predictions."""
    rng = random.Random(seed)
    gold = [_sentence(rng) for _ in range(sentences)]
    return gold, _noisy(gold, rng)


def noisy(gold: Rows, seed: int) -> Rows:
    """Make the predictions of another system."""
    return _noisy(gold, random.Random(seed))


def _noisy(gold: Rows, rng: random.Random) -> Rows:
    return [[tag if rng.random() > 0.05 else _noise(rng) for tag in row] for row in gold]


def _sentence(rng: random.Random) -> list[str]:
    length = rng.randint(4, 40)
    tags: list[str] = []
    while len(tags) < length:
        if rng.random() < 0.12:
            kind = rng.choice(TYPES)
            tags += [f"B-{kind}", *([f"I-{kind}"] * rng.randint(0, 2))]
        else:
            tags.append("O")
    return tags[:length]


def _noise(rng: random.Random) -> str:
    return rng.choice(["O", f"B-{rng.choice(TYPES)}", f"I-{rng.choice(TYPES)}"])


def write_files(folder: Path, gold: Rows, pred: Rows, tokens: int) -> tuple[Path, Path, int]:
    """Write both as column files with about so many tokens, repeating the sentences; return how many there are."""
    rng = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(rng.choices(letters, k=rng.randint(2, 11))) for _ in range(5000)]
    have, rows = 0, 0
    while rows < len(gold) and have < tokens:
        have += len(gold[rows])
        rows += 1
    text = [[rng.choice(words) for _ in row] for row in gold[:rows]]
    repeats = max(1, round(tokens / have))
    paths = []
    for name, tags in (("gold", gold), ("pred", pred)):
        block = "".join(
            "".join(f"{w} {t}\n" for w, t in zip(ws, ts, strict=True)) + "\n"
            for ws, ts in zip(text, tags, strict=False)
        ).encode()
        path = folder / f"{name}-{tokens}.conll"
        with path.open("wb") as out:
            for _ in range(repeats):
                out.write(block)
        paths.append(path)
    return paths[0], paths[1], have * repeats
