"""How soon a page shows something, and how large it is, against an earlier version of the same page.

`python -m benchmarks.first_paint BEFORE AFTER` takes two folders with pages of the same names, such as those of two
versions of Karatage, and prints a table. Chromium opens each pair by turns, from disk, and says when it first painted
content; the ratio is that of the medians.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.explain import ARGUMENTS, CHROMIUM

PAINTED = """new Promise(done => new PerformanceObserver((list, observer) => {
    const [found] = list.getEntriesByName("first-contentful-paint");
    if (found) { observer.disconnect(); done(found.startTime); }
}).observe({type: "paint", buffered: true}))"""


def first_paint(browser: Any, page: Path) -> float:
    """Return when the first content was painted, in milliseconds."""
    tab = browser.new_page()
    tab.goto(page.as_uri())
    found = float(tab.evaluate(PAINTED))
    tab.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.first_paint")
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args()
    from playwright.sync_api import sync_playwright

    print("| page | size before, after | ratio | first paint before, after | ratio |")
    print("|---|---|---|---|---|")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for after in sorted(options.after.glob("*.html")):
            pair = options.before / after.name, after
            if not pair[0].exists():
                continue
            times: tuple[list[float], list[float]] = [], []
            for _ in range(options.repeats):
                for page, own in zip(pair, times, strict=True):
                    own.append(first_paint(browser, page))
            sizes = [page.stat().st_size / 1000 for page in pair]
            first, second = map(median, times)
            print(
                f"| {after.stem} | {sizes[0]:,.0f} kB, {sizes[1]:,.0f} kB | {sizes[1] / sizes[0]:.2f} "
                f"| {first:.0f} ms, {second:.0f} ms | {second / first:.2f} |"
            )
        browser.close()


if __name__ == "__main__":
    main()
