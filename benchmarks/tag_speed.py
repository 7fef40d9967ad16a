"""How long `karatage tag` takes to start, and how many titles it tags per second, on whatever device there is.

`python -m benchmarks.tag_speed` makes titles and a BiLSTM-CRF, unless they are in the folder already. Everything is run
with a folder for bytecode, which is filled first: an image whose packages are not compiled, and that forbids Python to
store what it compiles, imports PyTorch three times as slowly, and `--cold` measures that.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.taggers import RECORDS, made
from karatage.training.train_tagger import train
from karatage.training.training_data import TrainingPlan

SHARDS = 8


def environment(folder: Path, *, cold: bool) -> dict[str, str]:
    """Return the environment of the commands that are measured."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    if cold:
        return {**kept, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": str(folder / "no-bytecode")}
    return {**kept, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}


def timed(words: Sequence[object], around: dict[str, str]) -> tuple[float, str]:
    """Run Python; return its seconds and what it prints."""
    began = time.perf_counter()
    done = subprocess.run([sys.executable, *map(str, words)], env=around, check=True, stdout=subprocess.PIPE, text=True)
    return time.perf_counter() - began, done.stdout


def tagged(
    model: Path, source: Path, out: Path, around: dict[str, str], *more: object
) -> tuple[float, dict[str, float]]:
    """Run `karatage tag`; return its seconds and its summary."""
    seconds, text = timed(["-m", "karatage", "tag", model, source, "--out", out, "--json", *more], around)
    return seconds, json.loads(text)


def prepared(folder: Path, records: int) -> tuple[Path, Path, Path]:
    """Return a model, listings, and a folder with the same listings in several files."""
    model = folder / "model-bilstm-crf"
    if not model.exists():
        data = made(folder, RECORDS) / "train.tsv.gz"
        train(TrainingPlan(str(data), "bilstm-crf", {"epochs": 3})).tagger.save(model)
    listings = made(folder, records, 1) / "listings.tsv.gz"
    shards = folder / f"shards-{records}"
    if not shards.exists():
        shards.mkdir()
        head, *lines = gzip.decompress(listings.read_bytes()).splitlines(keepends=True)
        for number in range(SHARDS):
            part = lines[number * len(lines) // SHARDS : (number + 1) * len(lines) // SHARDS]
            (shards / f"{number}.tsv.gz").write_bytes(gzip.compress(head + b"".join(part), 6))
    return model, listings, shards


def measure(folder: Path, records: int, times: int, jobs: Sequence[int], *, cold: bool) -> None:
    """Print what takes how long."""
    model, listings, shards = prepared(folder, records)
    around = environment(folder, cold=cold)
    one = folder / "one.tsv"
    one.write_bytes(b"".join(gzip.decompress(listings.read_bytes()).splitlines(keepends=True)[:2]))
    tagged(model, one, folder / "one-out.tsv", around)  # fills the caches
    for name, code in (
        ("nothing", ""),
        ("import karatage.cli", "import karatage.cli"),
        ("import torch", "import torch"),
    ):
        print(f"{name:<22} {min(timed(['-c', code], around)[0] for _ in range(times)):.2f} s", flush=True)
    start = min(tagged(model, one, folder / "one-out.tsv", around)[0] for _ in range(times))
    print(f"{'tag one title':<22} {start:.2f} s, which is the start", flush=True)
    for _ in range(times):
        seconds, found = tagged(model, listings, folder / "out.tsv", around)
        print(
            f"tag {found['units']:,} titles   {seconds:.2f} s, of which {found['seconds']:.2f} s are tagging: "
            f"{found['units'] / found['seconds']:,.0f} titles per second",
            flush=True,
        )
    for count in jobs:
        with tempfile.TemporaryDirectory(dir=folder) as out:
            seconds, found = tagged(model, shards, Path(out) / "tagged", around, "--jobs", count)
        print(
            f"tag {SHARDS} files, {count} jobs   {seconds:.2f} s, of which {found['seconds']:.2f} s are tagging: "
            f"{found['units'] / found['seconds']:,.0f} titles per second",
            flush=True,
        )


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "karatage-taggers")
    parser.add_argument("--records", type=int, default=505_000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--jobs", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--cold", action="store_true", help="without stored bytecode")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    measure(given.folder, given.records, given.times, given.jobs, cold=given.cold)


if __name__ == "__main__":
    main()
