"""A format: one span per line, its parts separated by pipes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from karatage.claims import Claims, Units
from karatage.formats import FileStart, Format, Lost, ReadOptions, Source, WriteOptions, writing


def sniff(start: FileStart) -> bool:
    """Recognise lines with two pipes. Karatage's column files, of lower precedence, are tried later."""
    return bool(start.lines) and all(line.count("|") == 2 for line in start.lines)


def read(source: Source, options: ReadOptions) -> Iterator[Claims]:  # noqa: ARG001  no options apply
    """Yield a unit for each line."""
    lines = [text.split("|") for _, text in source.lines()]
    rows = [(k, label, int(a), int(b), None, None) for k, (label, a, b) in enumerate(lines)]
    yield Claims.build(Units(len(lines), source=source.name), "char", rows)


def write(batches: Iterable[Claims], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write a line for each span."""
    with writing(path) as out:
        for claims in batches:
            out.writelines(f"{label}|{start}|{end}\n".encode() for _, label, start, end, _, _ in claims.rows())


PIPES = Format(
    name="pipes",
    about="One span per line, its parts separated by pipes.",
    suffixes=(".pipes",),
    holds=frozenset({"chars"}),
    sniff=sniff,
    read=read,
    write=write,
    example="PER|0|4\nLOC|2|9\n",
)
