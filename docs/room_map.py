"""The map of the code in CONTRIBUTING.md, made from the rooms' own docstrings: `python -m docs.room_map` writes it."""

from __future__ import annotations

import ast
from pathlib import Path

PROJECT = Path(__file__).parents[1]
SOURCE = PROJECT / "src" / "karatage"
# A room may import from those before it, never from those behind it.
ROOMS = (
    "claims",
    "formats",
    "inputs",
    "samples",
    "matching",
    "metrics",
    "stats",
    "profiles",
    "engine",
    "scoring",
    "comparison",
    "explanation",
    "description",
    "taggers",
    "recall",
    "clicks",
    "training",
    "experiments",
    "challenges",
    "reports",
    "compat",
    "demo",
    "cli",
)
_START, _END = "<!-- map: start -->\n", "<!-- map: end -->"


def room_map() -> str:
    """Return the map: each room, the rooms inside it, and what they are for."""
    lines = ["src/karatage/", *_line("errors.py", SOURCE / "errors.py", 1)]
    for room in ROOMS:
        lines += _line(f"{room}/", SOURCE / room / "__init__.py", 1)
        inner = (path for path in sorted((SOURCE / room).iterdir()) if (path / "__init__.py").exists())
        for path in inner:
            lines += _line(f"{path.name}/", path / "__init__.py", 2)
    return "```text\n" + "\n".join(lines) + "\n```\n"


def _line(name: str, path: Path, depth: int) -> list[str]:
    about = (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").split("\n")[0].removesuffix(".")
    return [f"{'  ' * depth}{name:<{20 - 2 * depth}} {about}".rstrip()]


def write_map() -> None:
    """Put the map between its two marks in CONTRIBUTING.md."""
    page = PROJECT / "CONTRIBUTING.md"
    text = page.read_text("utf-8")
    before, after = text.split(_START)[0], text.split(_END)[1]
    page.write_text(f"{before}{_START}{room_map()}{_END}{after}", "utf-8")


if __name__ == "__main__":
    write_map()
