"""A real browser for tests: one Chromium for a file of tests, pages that must stay quiet and reach for nothing, axe."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = Path("/usr/bin/chromium")
AXE = Path(__file__).resolve().parents[1] / ".venv" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
ARGUMENTS += ["--disable-component-update", "--disable-sync"]


def absent(what: str) -> None:
    """Skip where a tool is missing; in continuous integration it must be there."""
    if os.environ.get("KARATAGE_CI"):
        pytest.fail(f"{what} is missing, and KARATAGE_CI is set")
    pytest.skip(f"{what} is missing")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Start Chromium once for a file of tests.

    Not once for all: Playwright keeps an event loop running for as long, in which other tests could not start theirs.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        absent("Playwright")
    if not CHROMIUM.exists():
        absent(str(CHROMIUM))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Visit:
    """An open page with what it did besides showing itself."""

    page: Any
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def ready(self) -> None:
        """Wait until the error browser stands."""
        self.page.wait_for_selector(".browser", state="attached")

    def texts(self, selector: str) -> list[str]:
        return self.page.locator(selector).all_inner_texts()  # type: ignore[no-any-return]

    def shows(self, status: str) -> None:
        """Wait until the error browser has found so many."""
        from playwright.sync_api import expect

        expect(self.page.locator(".status")).to_have_text(status)

    def status(self) -> str:
        return self.page.locator(".status").inner_text()  # type: ignore[no-any-return]


@contextmanager
def visiting(
    chromium: Any, path: Path, *, fragment: str = "", width: int = 1280, quiet: bool = True, **options: Any
) -> Iterator[Visit]:
    """Open a file; at the end it must have complained of nothing and asked for nothing but itself."""
    page = chromium.new_page(viewport={"width": width, "height": 900}, **options)
    visit = Visit(page)
    page.on("request", lambda request: visit.requests.append(request.url))
    page.on(
        "console",
        lambda message: visit.complaints.append(message.text) if message.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: visit.complaints.append(str(error)))

    def dismiss(dialog: Any) -> None:
        visit.dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    page.set_default_timeout(15_000)
    address = path.as_uri()
    page.goto(address + fragment)
    try:
        yield visit
        if quiet:
            assert not visit.complaints
            assert not visit.dialogs
            outside = [url for url in visit.requests if url.split("#")[0] != address and url != "data:,"]
            assert not outside
    finally:
        page.close()


def findings(page: Any) -> list[str]:
    """Return what axe finds that is serious or critical, and what fails the contrast of WCAG AA."""
    if not AXE.exists():
        absent(f"{AXE.name} (make installs it)")
    page.evaluate(AXE.read_text("utf-8"))  # the page's own policy forbids a script element
    found = page.evaluate("axe.run(document, {preload: false, resultTypes: ['violations']})")
    return [
        f"{one['id']} ({one['impact']}): {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"][:3]
    ]
