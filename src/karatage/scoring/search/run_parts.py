"""Parts of a large run, cut between queries, so that they can be scored anywhere and in any order."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from mmap import ACCESS_READ, mmap

from karatage.formats import Source, SourcePart
from karatage.inputs import Input, InputParts

_LEAST = 16 << 20
"""The smallest part, in bytes."""

_EACH = 4
"""How many parts each process gets: with more, processes finish at the same time, but read more judgements."""


def run_parts(gold: Input, run: Input, jobs: int) -> list[InputParts]:
    """Cut a run between queries, for so many processes; none where it stays whole.

    Each part comes with all judgements. Those from its first query on come first, as a part reads no more of them than
    it needs: files are usually in the same order.
    """
    if len(run.sources) != 1 or not run.sources[0].plain:
        return []
    source = run.sources[0]
    with source.path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        count = min(_EACH * jobs, len(data) // _LEAST)
        places = sorted({0, len(data), *(_next_query(data, len(data) * k // count) for k in range(1, count))})
        firsts = [_query(data, place) for place in places[:-1]]
    if len(places) < 3:
        return []
    return [
        InputParts((judgements, run.part([SourcePart(source, start, end, 0)])), 0)
        for judgements, (start, end) in zip(_turned(gold, firsts), pairwise(places), strict=True)
    ]


def _turned(gold: Input, queries: list[bytes]) -> list[Input]:
    """Return gold once for each query, starting with it where that is possible."""
    if len(gold.sources) != 1 or not gold.sources[0].plain or gold.remembers:
        return [replace(gold, _memory=None)] * len(queries)
    source, places, place = gold.sources[0], [], 0
    with source.path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        size = len(data)
        for query in queries:
            place = _first_line(data, query, place)
            places.append(place)
    return [gold.part(_from(source, place, size)) for place in places]


def _from(source: Source, place: int, size: int) -> list[SourcePart]:
    """Return a file from a place on, and then what comes before it."""
    bounds = [(place, size), (0, place)] if place else [(0, size)]
    return [SourcePart(source, start, end, 0) for start, end in bounds]


def _first_line(data: mmap, query: bytes, start: int) -> int:
    """Return where the lines of a query start, from a place on; 0 if that does not show at once."""
    found = [at + 1 for blank in (b" ", b"\t") if (at := data.find(b"\n" + query + blank, start)) >= 0]
    place = min(found, default=0)
    before = _query(data, data.rfind(b"\n", 0, max(place - 1, 0)) + 1)
    return place if before not in (query, b"") and not before.startswith(b"#") else 0


def _next_query(data: mmap, place: int) -> int:
    """Return where a query starts, at a place or behind it; comments and blank lines are of no query."""
    start, query = data.rfind(b"\n", 0, place - 1) + 1, b""
    while start < len(data):
        own = _query(data, start)
        if own and not own.startswith(b"#"):
            if query and own != query:
                return start
            query = own
        start = _next_line(data, start)
    return start


def _next_line(data: mmap, place: int) -> int:
    return data.find(b"\n", place) + 1 or len(data)


def _query(data: mmap, start: int) -> bytes:
    """Return the first field of a line."""
    return next(iter(data[start : _next_line(data, start)].split(None, 1)), b"")
