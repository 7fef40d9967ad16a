"""How long a page takes to make and to show: `python -m benchmarks.explain` prints a table.

The corpus is that of `benchmarks.gold_check`: 50,000 sentences, and a simulated system that also misses a quarter of
what it would find, which makes about 40,000 errors. The whole command is timed, in a process of its own; Chromium says
when it first painted the page, opened from disk.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import karatage
from benchmarks.gold_check import answer, make, write

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


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.explain")
    parser.add_argument("--sentences", type=int, default=50_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
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
