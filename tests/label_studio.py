"""A real Label Studio for tests: installed into an environment of its own, on loopback, and people who work with it."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import subprocess
import time
import venv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any, cast
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, ProxyHandler, Request, build_opener

import pytest

from tests.browser import absent

VERSION = "1.23.2"
PASSWORD = "only-for-A-test-1"  # noqa: S105  of a server that nobody else reaches
FOLDER = "KARATAGE_LABEL_STUDIO"
"""Names a folder for the virtual environment, which may have one already; by default it is in pytest's cache."""

QUIET = {
    "COLLECT_ANALYTICS": "False",
    "LATEST_VERSION_CHECK": "False",
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
    "FEATURE_FLAGS_OFFLINE": "true",
    "DEBUG": "False",
}
"""Label Studio reports home unless each of these says no."""


def installed(config: pytest.Config) -> Path:
    """Return the command of a Label Studio, installed by pip with the user's settings unless that was done before."""
    named = os.environ.get(FOLDER)
    cache: pytest.Cache | None = getattr(config, "cache", None)
    if named is None and cache is None:
        absent(f"a folder for Label Studio (pytest's cache, or one named by {FOLDER})")
    folder = Path(named) if named else cast("pytest.Cache", cache).mkdir("label-studio") / VERSION
    folder.parent.mkdir(parents=True, exist_ok=True)
    command = folder / "bin" / "label-studio"
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:  # tests may run in several processes
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not command.exists():  # pip installs it last, after everything that it needs
            venv.create(folder, with_pip=True)
            pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            done = subprocess.run([*pip, f"label-studio=={VERSION}"], capture_output=True, text=True, check=False)
            if done.returncode or not command.exists():
                absent(f"label-studio {VERSION}, which pip could not install ({done.stderr.strip()[-300:]}),")
    return command


@dataclass
class Person:
    """Someone who is signed in, and speaks to the server as the pages in a browser do."""

    address: str
    email: str
    cookies: CookieJar = field(default_factory=CookieJar)

    def __post_init__(self) -> None:
        self._opener = build_opener(ProxyHandler({}), HTTPCookieProcessor(self.cookies))

    @property
    def token(self) -> str:
        return next((str(one.value) for one in self.cookies if one.name == "csrftoken"), "")

    def send(self, path: str, body: bytes | None = None, kind: str = "application/json", method: str = "GET") -> bytes:
        request = Request(self.address + path, body, method=method)  # noqa: S310  loopback
        request.add_header("Content-Type", kind)
        request.add_header("X-CSRFToken", self.token)
        request.add_header("Referer", self.address)
        try:
            with self._opener.open(request, timeout=120) as answer:
                return bytes(answer.read())
        except HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read()[:500]!r}") from None

    def form(self, path: str, **fields: str) -> None:
        """Fill in a form of a page."""
        self.send(path)
        fields["csrfmiddlewaretoken"] = self.token
        self.send(path, urlencode(fields).encode(), "application/x-www-form-urlencoded", "POST")

    def get(self, path: str) -> Any:
        return json.loads(self.send(path))

    def post(self, path: str, value: object, method: str = "POST") -> Any:
        text = self.send(path, json.dumps(value).encode(), method=method)
        return json.loads(text) if text.strip() else None

    def project(self, title: str, configuration: str) -> int:
        return int(self.post("/api/projects", {"title": title, "label_config": configuration})["id"])

    def upload(self, project: int, path: Path) -> Mapping[str, int]:
        """Import a file of tasks, as the dialogue for it does."""
        mark = b"----------------karatage"
        head = f'Content-Disposition: form-data; name="f"; filename="{path.name}"\r\nContent-Type: application/json'
        parts = [b"--" + mark, head.encode(), b"", path.read_bytes(), b"--" + mark + b"--", b""]
        kind = f"multipart/form-data; boundary={mark.decode()}"
        return dict(json.loads(self.send(f"/api/projects/{project}/import", b"\r\n".join(parts), kind, "POST")))

    def tasks(self, project: int) -> list[dict[str, Any]]:
        found = self.get(f"/api/tasks?project={project}&page_size=1000&fields=all")["tasks"]
        return [self.get(f"/api/tasks/{one['id']}") for one in sorted(found, key=lambda one: int(one["id"]))]

    def submit(self, task: int, result: Sequence[Mapping[str, Any]]) -> int:
        answer = self.post(f"/api/tasks/{task}/annotations", {"result": list(result), "lead_time": 2.5})
        return int(answer["id"])

    def skip(self, task: int, annotation: int | None = None) -> None:
        """Skip a task; one that was answered before is skipped by cancelling the answer."""
        if annotation is None:
            self.post(f"/api/tasks/{task}/annotations", {"result": [], "was_cancelled": True, "lead_time": 1.0})
        else:
            self.post(f"/api/annotations/{annotation}", {"was_cancelled": True}, "PATCH")

    def export(self, project: int, kind: str = "JSON", *, every_task: bool = False) -> bytes:
        every = "&download_all_tasks=true" if every_task else ""
        return self.send(f"/api/projects/{project}/export?exportType={kind}{every}")

    def snapshot(self, project: int) -> bytes:
        """Return an export of everything, with the predictions written out."""
        options = {
            "annotation_filter_options": {"usual": True, "ground_truth": True, "skipped": True},
            "serialization_options": {
                "predictions": {"only_id": False},
                "drafts": {"only_id": False},
                "annotations__completed_by": {"only_id": False},
            },
        }
        made = self.post(f"/api/projects/{project}/exports/", options)["id"]
        for _ in range(120):
            if self.get(f"/api/projects/{project}/exports/{made}")["status"] == "completed":
                break
            time.sleep(0.5)
        return self.send(f"/api/projects/{project}/exports/{made}/download?exportType=JSON")


_PLACE = """([quote, nth]) => {
  const root = document.querySelector('[class*=htx-richtext]');
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), nodes = [];
  while (walk.nextNode()) nodes.push(walk.currentNode);
  const whole = nodes.map(node => node.data).join('');
  let from = -1;
  for (let seen = 0; seen <= nth; seen++) from = whole.indexOf(quote, from + 1);
  const range = document.createRange();
  const spot = (offset, last) => {
    for (const node of nodes) {
      if (offset < node.length || (last && offset === node.length)) return [node, offset];
      offset -= node.length;
    }
  };
  range.setStart(...spot(from, false));
  range.setEnd(...spot(from + quote.length, true));
  const boxes = [...range.getClientRects()].filter(box => box.width > 0), end = boxes[boxes.length - 1];
  return [boxes[0].left, (boxes[0].top + boxes[0].bottom) / 2, end.right, (end.top + end.bottom) / 2];
}"""
"""Finds where the n-th occurrence of a text stands on the page."""

_MARKED = """() => {
  const root = document.querySelector('[class*=htx-richtext]');
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT), found = [];
  let before = 0;
  while (walk.nextNode()) {
    const node = walk.currentNode;
    if (node.nodeType === Node.TEXT_NODE) {
      if (node.parentElement.closest('[class*=htx-highlight]')) found.push([before, node.data]);
      before += [...node.data].length;
    } else if (node.tagName === 'BR') before += 1;  // one for CR, and one for LF
  }
  return found;
}"""
"""Returns what is marked on the page, and how many characters stand before it."""


@dataclass
class Desk:
    """A page of a browser in which someone is signed in."""

    person: Person
    page: Any

    def open(self, project: int, task: int) -> None:
        self.page.goto(f"{self.person.address}/projects/{project}/data?task={task}")
        self.page.get_by_role("button", name="Submit").wait_for(timeout=120_000)
        self.page.locator("[class*=htx-richtext]").first.wait_for()
        self.page.wait_for_timeout(1000)  # the marks of predictions come after the text

    def marked(self) -> list[tuple[int, str]]:
        """Return what is marked, with its position in characters."""
        return [(int(at), str(text)) for at, text in self.page.evaluate(_MARKED)]

    def chosen(self, *choices: str) -> list[str]:
        """Return which of these choices are made; all of them must be there to choose."""
        found = [self.page.locator(f"input[type=radio][name={one}]") for one in choices]
        assert [one.count() for one in found] == [1] * len(found)
        return [name for name, one in zip(choices, found, strict=True) if one.is_checked()]

    def mark(self, quote: str, nth: int = 0, key: str = "1") -> None:
        """Choose a label by its key, and drag the mouse over a text."""
        self.page.keyboard.press(key)
        left, top, right, bottom = self.page.evaluate(_PLACE, [quote, nth])
        self.page.mouse.move(left + 0.5, top)
        self.page.mouse.down()
        self.page.mouse.move((left + right) / 2, (top + bottom) / 2, steps=4)
        self.page.mouse.move(right - 0.5, bottom, steps=4)
        self.page.mouse.up()
        self.page.wait_for_timeout(300)

    def submit(self, key: str) -> None:
        """Choose by a key, and submit."""
        self.page.keyboard.press(key)
        with self.page.expect_response(lambda answer: answer.request.method == "POST" and "annotations" in answer.url):
            self.page.get_by_role("button", name="Submit").click()


@contextmanager
def sitting(chromium: Any, person: Person) -> Iterator[Desk]:
    """Open a browser for someone; it must ask for nothing but this server."""
    context = chromium.new_context(viewport={"width": 1400, "height": 1000})
    context.add_cookies([{"name": one.name, "value": one.value, "url": person.address} for one in person.cookies])
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    yield Desk(person, page)
    context.close()
    elsewhere = {url[:80] for url in asked if not url.startswith((person.address, "data:", "blob:"))}
    assert elsewhere == set()


@dataclass
class Server:
    """A running server, with its first user."""

    address: str
    owner: Person

    def join(self, email: str) -> Person:
        """Sign up by the owner's invitation."""
        link = self.owner.get("/api/invite")["invite_url"]
        person = Person(self.address, email)
        person.form("/user/signup/?" + link.split("?", 1)[1], email=email, password=PASSWORD)
        assert person.get("/api/current-user/whoami")["email"] == email
        return person


@contextmanager
def serving(command: Path, folder: Path, email: str) -> Iterator[Server]:
    """Run a server on a free port of loopback with its data in a folder; it stops at the end."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    call = [command, "start", "--init", "--no-browser", "--data-dir", folder, "--internal-host", "127.0.0.1"]
    call += ["--port", str(port), "--username", email, "--password", PASSWORD]
    own = {"LABEL_STUDIO_BASE_DATA_DIR": str(folder), "HOME": str(folder), "PATH": os.environ["PATH"]}
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(call, cwd=folder, env=own | QUIET, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            owner = Person(address, email)
            _wait(owner, process, folder)
            owner.form("/user/login/", email=email, password=PASSWORD)
            yield Server(address, owner)
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.kill()
            process.wait()


def _wait(owner: Person, process: subprocess.Popen[bytes], folder: Path, seconds: float = 1200) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        with suppress(URLError, AssertionError, OSError):
            owner.send("/health")
            return
        time.sleep(0.5)
    log = (folder / "server.log").read_text("utf-8", "replace")[-2000:]
    raise AssertionError(f"the server did not start: {log}")
