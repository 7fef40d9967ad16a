"""How long a page takes to make and to show: `python -m benchmarks.explain` prints a table.

The corpus is that of `benchmarks.gold_check`: 50,000 sentences, and a simulated system that also misses a quarter of
what it would find, which makes about 40,000 errors. The whole command is timed, in a process of its own; Chromium says
when it first painted the page, opened from disk.

`python -m benchmarks.explain --tokens 10000000 30000000` makes pages for huge column files instead, on one core and on
all: CPU time against that of `score` with intervals, by turns, and peak memory, which should not grow with the files.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import karatage
from benchmarks.data import corpus, write_files
from benchmarks.engine import PEAKS
from benchmarks.gold_check import answer, make, write
from karatage.engine import Running

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def painted(page: Path) -> tuple[float, float]:
    """Return when the first content was painted and when the error browser stood, in seconds."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        tab = browser.new_page()
        began = time.perf_counter()
        tab.goto(page.as_uri())
        tab.wait_for_selector(".browser")
        ready = time.perf_counter() - began
        script = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
        first = tab.evaluate(script) / 1000
        browser.close()
    return first, ready


def measured(*arguments: str) -> tuple[float, float, float]:
    """Run a command; return its CPU seconds, and the peaks of its process and of the largest other one, in MiB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", PEAKS, *arguments]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    own, largest = map(int, done.stderr.split()[-2:])
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, own / 1024, largest / 1024


def huge(sizes: list[int]) -> None:
    """Make pages for files with so many tokens."""
    made = corpus(30_000)
    jobs = 1 if (engine := Running().chosen) is None else engine.jobs
    print("| tokens | processes | CPU time | / score | peak memory: this process, the largest other, all |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        page = str(Path(folder) / "page.html")
        for tokens in sizes:
            gold, pred, count = write_files(Path(folder), *made, tokens)
            for own in dict.fromkeys((1, jobs)):
                files = (str(gold), str(pred), "--jobs", str(own))
                scored, _, _ = measured("score", *files, "--json")
                seconds, main_peak, other = measured("explain", *files, "--html", page)
                other = other if own > 1 else 0.0
                time_taken = f"{seconds:.1f} s against {scored:.1f} s | {seconds / scored:.1f}×, at most 10×"
                every = main_peak + (own - 1) * other
                peaks = f"{main_peak:,.0f} MiB, {other:,.0f} MiB, at most {every:,.0f} MiB"
                print(f"| {count:,} | {own} | {time_taken} | {peaks} |")
            gold.unlink()
            pred.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.explain")
    parser.add_argument("--tokens", type=int, nargs="+", help="make pages for column files with so many tokens")
    parser.add_argument("--sentences", type=int, default=50_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    if options.tokens:
        huge(options.tokens)
        return
    world = make(options.sentences, 0)
    rng = np.random.default_rng(0)
    system = [[span for span in own if rng.random() < 0.75] for own in answer(world, 0, systems=1)[0]]
    with tempfile.TemporaryDirectory() as folder:
        gold, pred, page = (Path(folder) / name for name in ("gold.conll", "pred.conll", "page.html"))
        write(gold, world.tokens, world.spans)
        write(pred, world.tokens, system)
        errors = sum(karatage.score(gold, pred, resamples=0).kinds.values())
        command = [sys.executable, "-m", "karatage", "explain", str(gold), str(pred), "--html", str(page)]
        times = []
        for _ in range(options.repeats):
            began = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            times.append(time.perf_counter() - began)
        size = page.stat().st_size / 1e6
        first, ready = painted(page)
    print("| sentences | errors | page built | size | first paint | errors shown |")
    print("|---|---|---|---|---|---|")
    print(
        f"| {options.sentences:,} | {errors:,} | {min(times):.2f} s (of {', '.join(f'{t:.2f}' for t in times)}) "
        f"| {size:.1f} MB | {first:.2f} s | {ready:.2f} s |"
    )


if __name__ == "__main__":
    main()
