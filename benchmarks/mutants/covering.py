"""Which test runs which statement: a plugin for pytest that records it.

    KARATAGE_COVERING=FILE KARATAGE_ROOMS=claims,stats python -m pytest -p benchmarks.mutants.covering tests/claims

Every statement of the rooms gets a marker in front of it, which costs less than tracing. What a fixture of a module or
a session runs counts for every test that asks for the fixture. Other processes that a test starts are not seen.
"""

from __future__ import annotations

import ast
import json
import os
from collections import defaultdict
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from benchmarks.mutants.rewriting import PACKAGE, Rewriting

MARKER = "__ran__"
Place = tuple[str, int]
"""A statement: its file within the package, and its first line."""


@dataclass(frozen=True)
class QuickTest:
    """A test that passed: its id, how long it took, and the statements that it ran."""

    id: str
    seconds: float
    places: frozenset[Place] = field(repr=False)


class Markers:
    """Puts a marker in front of every statement, and remembers which were passed."""

    def __init__(self) -> None:
        self.places: list[Place] = []
        self.ran = bytearray(1 << 16)

    def rewrite(self, path: Path, tree: ast.Module) -> ast.Module:
        """Mark all statements of a module."""
        name = str(path.relative_to(PACKAGE))
        for node in list(ast.walk(tree)):
            for block in ("body", "orelse", "finalbody"):
                statements = getattr(node, block, None)
                if isinstance(statements, list):
                    setattr(node, block, self._marked(name, statements))
        return tree

    def _marked(self, name: str, statements: list[ast.stmt]) -> list[ast.stmt]:
        marked: list[ast.stmt] = []
        for statement in statements:
            text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if not text and not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__"):
                mark = ast.parse(f"{MARKER}[{len(self.places)}] = 1").body[0]
                for part in ast.walk(mark):
                    ast.copy_location(part, statement)
                marked.append(mark)
                self.places.append((name, statement.lineno))
            marked.append(statement)
        return marked

    def take(self) -> set[Place]:
        """Return the statements passed since the last time."""
        ran = {place for place, mark in zip(self.places, self.ran, strict=False) if mark}
        self.ran[:] = bytes(len(self.ran))
        return ran


class Recorder:
    """Records what ran per test, and per fixture that tests share."""

    def __init__(self, target: Path, rooms: list[str]) -> None:
        self.target = target
        self.fixtures: dict[str, list[str]] = {}
        self.seconds: dict[str, float] = defaultdict(float)
        self.failed: set[str] = set()
        self.context = ""
        self.ran: dict[str, set[Place]] = defaultdict(set)
        self.markers = Markers()
        folders = [PACKAGE / room for room in rooms]
        Rewriting(
            lambda path: any(path.is_relative_to(folder) for folder in folders),
            self.markers.rewrite,
            **{MARKER: self.markers.ran},
        ).install()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Record one test."""
        self.fixtures[item.nodeid] = list(getattr(item, "fixturenames", ()))
        return (yield from self._within(item.nodeid))

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        """Record a fixture, unless it belongs to one test alone."""
        return (yield from self._within(self.context if fixturedef.scope == "function" else fixturedef.argname))

    def _within(self, context: str) -> Generator[None, Any, Any]:
        before = self.context
        self._switch(context)
        try:
            return (yield)
        finally:
            self._switch(before)

    def _switch(self, context: str) -> None:
        if context != self.context:
            self.ran[self.context] |= self.markers.take()
            self.context = context

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how long a test takes, and whether it passes."""
        self.seconds[report.nodeid] += report.duration
        if report.outcome != "passed":
            self.failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write the tests that passed."""
        places = sorted(set(self.markers.places))
        number = {place: index for index, place in enumerate(places)}
        tests = []
        for test, fixtures in self.fixtures.items():
            if test not in self.failed:
                ran = set().union(*(self.ran[context] for context in (test, *fixtures)))
                tests.append([test, round(self.seconds[test], 3), sorted(number[place] for place in ran)])
        self.target.write_text(json.dumps({"places": places, "tests": tests}), "utf-8")


def read_piece(path: Path) -> list[QuickTest]:
    """Return the tests of one recording."""
    piece = json.loads(path.read_text("utf-8"))
    places = [(file, line) for file, line in piece["places"]]
    return [
        QuickTest(test, seconds, frozenset(places[index] for index in ran)) for test, seconds, ran in piece["tests"]
    ]


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Start before any conftest imports Karatage."""
    if target := os.environ.get("KARATAGE_COVERING"):
        early_config.pluginmanager.register(Recorder(Path(target), os.environ["KARATAGE_ROOMS"].split(",")))
