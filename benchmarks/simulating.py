"""What simulations share: they run in parts on two cores, and show a table as it grows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import Pool
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
_PART = 50

InParts = Callable[..., Iterator[Any]]


@contextmanager
def processes(count: int = 2) -> Iterator[InParts]:
    """Give a function that calls another for all test sets in parts: `in_parts(work, sets, *others)`.

    The work gets the others and a range of numbers of test sets; what it returns comes in any order.
    """
    with Pool(count) as pool:

        def in_parts(work: Callable[..., Any], sets: int, *others: Any) -> Iterator[Any]:
            parts = [(work, *others, range(k, min(k + _PART, sets))) for k in range(0, sets, _PART)]
            return pool.imap_unordered(_call, parts)

        yield in_parts


def _call(job: tuple[Any, ...]) -> Any:
    work, *arguments = job
    return work(*arguments)


class GrowingTable:
    """A Markdown table that is printed row by row, and written to a file of results at the end."""

    def __init__(self, *columns: str) -> None:
        self.lines: list[str] = []
        self.row(*columns)
        self._add(f"|{'---|' * len(columns)}")

    def row(self, *cells: object) -> None:
        """Print a row."""
        self._add(f"| {' | '.join(str(cell) for cell in cells)} |")

    def _add(self, line: str) -> None:
        self.lines.append(line)
        print(line, flush=True)

    def save(self, name: str) -> None:
        """Write what was printed."""
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{name}.md").write_text("\n".join(self.lines) + "\n", "utf-8")
