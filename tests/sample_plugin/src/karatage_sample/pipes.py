"""A format: a span per line, its parts between pipes."""

from __future__ import annotations

from collections.abc import Iterator

from karatage.claims import Claims, Units
from karatage.formats import Format, ReadOptions, Source


def read(source: Source, options: ReadOptions) -> Iterator[Claims]:  # noqa: ARG001  there is nothing to choose
    """Yield a unit for each line."""
    lines = [text.split("|") for _, text in source.lines()]
    rows = [(k, label, int(a), int(b), None, None) for k, (label, a, b) in enumerate(lines)]
    yield Claims.build(Units(len(lines), source=source.name), "char", rows)


PIPES = Format(
    name="pipes",
    about="A span per line, its parts between pipes.",
    suffixes=(".pipes",),
    holds=frozenset({"chars"}),
    sniff=lambda head: head.suffixes.endswith(".pipes"),
    read=read,
)
