"""Speed and memory of `karatage recall draw` beside grep: `python -m benchmarks.draw`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.timing import best, karatage_command

Row = tuple[str, str, str, str]

FILLER = [
    "see", "on", "üks", "väga", "pikk", "lause", "mille", "sees", "leidub", "kohanimesid", "ja", "muid",
    "sõnu", "mis", "ei", "ole", "kohad", "aga", "õhtul", "läksime", "metsa", "ning", "päike", "paistis",
    "üle", "põldude", "kaugele",
]  # fmt: skip
ENDINGS = [
    "järv", "saar", "jõgi", "linn", "vald", "küla", "mägi", "laht", "org", "raba", "meri", "tänav", "väljak",
    "park", "mets", "nina", "neem", "oja", "ots", "poolsaar",
]  # fmt: skip
WORDS = ENDINGS + [first + last for first in ("suur", "väike", "uus", "vana") for last in ENDINGS[:10]]
PATTERN = "j[õä][gr][iv]|saar|mägi"


def write_corpus(path: Path, lines: int, share: float, words: list[str]) -> None:
    """Write lines of twelve words, of which a share has one of the given words."""
    rng = np.random.default_rng(lines)
    with path.open("w", encoding="utf-8") as out:
        for start in range(0, lines, 100_000):
            count = min(100_000, lines - start)
            table = np.array(FILLER, object)[rng.integers(0, len(FILLER), (count, 12))]
            chosen = np.flatnonzero(rng.random(count) < share)
            table[chosen, rng.integers(0, 12, len(chosen))] = rng.choice(np.array(words, object), len(chosen))
            out.write("".join(" ".join(row) + "\n" for row in table.tolist()))


def beside_grep(folder: Path, lines: int) -> list[Row]:
    """The whole draw, of 1,000 items with their folder, against counting the lines that match."""
    from karatage.recall import Pattern, WordList, draw, write_draw

    some = ["järv", "jõgi", "saar", "mägi"]
    cases: list[tuple[str, float, list[str], Pattern | WordList, list[str]]] = [
        ("every line a candidate, a pattern", 1.0, some, Pattern(PATTERN), ["-c", "-E", PATTERN]),
        ("a tenth of the lines, a pattern", 0.1, some, Pattern(PATTERN), ["-c", "-E", PATTERN]),
        (
            "every line a candidate, 60 words",
            1.0,
            WORDS,
            WordList(tuple(WORDS)),
            ["-c", "-i", "-w", "-E", "|".join(WORDS)],
        ),
        (
            "a tenth of the lines, 60 words",
            0.1,
            WORDS,
            WordList(tuple(WORDS)),
            ["-c", "-i", "-w", "-E", "|".join(WORDS)],
        ),
    ]
    out = []
    for name, share, words, wanted, arguments in cases:
        path = folder / "corpus.txt"
        write_corpus(path, lines, share, words)

        def ours(path: Path = path, wanted: Pattern | WordList = wanted) -> int:
            made = draw([path], lists=[wanted])
            write_draw(made, folder / "draw", force=True)
            return made.strata[0].occurrences

        def grep(path: Path = path, arguments: list[str] = arguments) -> int:
            return int(subprocess.run(["grep", *arguments, str(path)], capture_output=True, check=True).stdout)

        if ours() != grep():  # each line has one candidate at most
            raise AssertionError("the count differs from grep's")
        mine, theirs = best(ours, 3), best(grep, 3)
        out.append(
            (
                f"{name}, {lines:,} lines, {path.stat().st_size / 1e6:,.0f} MB: "
                f"karatage recall draw / grep {' '.join(arguments[:-1])}",
                f"{lines / mine / 1e6:.2f} against {lines / theirs / 1e6:.2f} million lines a second",
                f"{theirs / mine:.1f}×",
                "at least 1×" if "-w" in arguments else "no target: grep stops at the first match of a line",
            )
        )
    return out


def growth(folder: Path, sizes: tuple[int, ...]) -> list[Row]:
    """Time and memory of the command as the corpus grows, every line being a candidate."""
    path, words = folder / "corpus.txt", folder / "words.txt"
    words.write_text("\n".join(WORDS), "utf-8")
    out: list[Row] = []
    for lines in sizes:
        write_corpus(path, lines, 1.0, WORDS)
        place = folder / "draw"
        seconds, most = karatage_command("recall", "draw", path, "--words", words, "--out", place, "--force")
        out.append(
            (
                f"{lines:,} lines, {path.stat().st_size / 1e6:,.0f} MB, 60 words, each line a candidate, as a command",
                f"{seconds:.1f} s, {most / 1024:,.0f} MiB",
                f"{lines / seconds / 1e6:.2f} million lines a second",
                "memory the same at every size",
            )
        )
    return out


def rows(scale: int = 1) -> list[Row]:
    """Measure everything."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        return beside_grep(place, 2_000_000 // scale) + growth(place, (1_000_000 // scale, 10_000_000 // scale))


if __name__ == "__main__":
    for line in rows(10 if "--quick" in sys.argv else 1):
        print("| " + " | ".join(line) + " |", flush=True)
