"""Takes the picture of the home page from the demo data: `python docs/images/screenshot.py`.

It shows the page that `karatage explain --html` writes, in Chromium, once in light and once in dark colours. Take it
again when the page changes.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

import karatage
from karatage.demo import data

HERE = Path(__file__).parent
CHROMIUM = "/usr/bin/chromium"


def main() -> None:
    """Write `page-light.png` and `page-dark.png`."""
    systems = {name: data(f"{name}.conll") for name in ("context", "lexicon")}
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "page.html"
        karatage.explain(data("gold.conll"), systems).to_html(page)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for scheme in ("light", "dark"):
            opened = browser.new_page(
                viewport={"width": 880, "height": 690}, color_scheme=scheme, device_scale_factor=1.5
            )
            opened.goto(page.as_uri())
            opened.wait_for_selector(".browser", state="attached")
            opened.screenshot(path=HERE / f"page-{scheme}.png")
        browser.close()


if __name__ == "__main__":
    main()
