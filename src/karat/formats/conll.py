"""CoNLL columns: a token and its tags per line, a blank line after each sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, BinaryIO

import numpy as np

from karat.claims import Batch, Claims, Tagged, encode, layers_of
from karat.claims.interning import Vocabulary
from karat.errors import FormatError
from karat.formats.base import BATCH_BYTES, Format, Head, Lost, ReadOptions, WriteOptions
from karat.formats.column_blocks import Block
from karat.formats.columns import find_layout, looks_like_columns
from karat.formats.documents import documents
from karat.formats.io import Source, decode, writing


def read(source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield the sentences of a file, or its documents, as tags."""
    batches = _sentences(source, options)
    return documents(batches) if options.unit == "document" else iter(batches)


def _sentences(source: Source, options: ReadOptions) -> Iterator[Tagged]:
    layout = None
    vocabularies: list[Vocabulary] = []
    units, line, document = 0, 1, (0, "")
    for text in _blocks(source):
        _check_text(text, source.name, line)
        if layout is None:
            head = [decode(x, source.name, i) for i, x in enumerate(text[: 1 << 16].splitlines()[:500], 1)]
            layout = find_layout(head, options.columns, source.name, options.least)
            vocabularies = [Vocabulary() for _ in layout.tags]
        block = Block(text, layout, source.name, line, header=layout.header and line == 1)
        tagged, document = block.tagged(vocabularies, options, units, document)
        line += block.line_count
        units += len(tagged)
        if len(tagged):
            yield tagged


def _blocks(source: Source) -> Iterator[bytes]:
    """Yield blocks of text with unix line ends, each cut behind a blank line."""
    with source.open() as stream:
        rest = b""
        while True:
            data = stream.read(BATCH_BYTES)
            text = rest + data
            if not data:
                if text.strip():
                    yield text if text.endswith(b"\n") else text + b"\n"
                return
            if b"\r" in text:
                text = text.replace(b"\r\n", b"\n")
                if text.endswith(b"\r"):
                    rest = text
                    continue
            cut = text.rfind(b"\n\n")
            if cut < 0:
                cut = max(text.rfind(b"\n \n"), text.rfind(b"\n\t\n"))
            if cut < 0:
                rest = text
                continue
            cut = text.index(b"\n", cut + 1) + 1
            rest = text[cut:]
            yield text[:cut]


def _check_text(text: bytes, name: str, number: int) -> None:
    """Refuse what is not UTF-8 or holds NUL, naming the line."""
    if b"\0" in text or not (text.isascii() or _is_utf8(text)):
        for line in text.split(b"\n"):
            decode(line, name, number)
            number += 1


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def write(batches: Iterable[Claims], place: str, options: WriteOptions, lost: Lost) -> None:
    """Write tokens and tags, tab-separated; nested claims get a column for each layer and a leading index."""
    with TemporaryFile() as spool:
        depth = max((_write_batch(claims, spool, options, lost) for claims in batches), default=1)
        spool.seek(0)
        with writing(place) as out:
            if depth == 1:
                copyfileobj(spool, out)
            else:
                _write_nested(spool, out, depth)


def _write_nested(lines: IO[bytes], out: BinaryIO, depth: int) -> None:
    """Give every line an index and all columns: how many there are is known only after the last batch."""
    index = 0
    for line in lines:
        if b"\t" not in line:
            index = 0
            out.write(line)
            continue
        index += 1
        cells = line.rstrip(b"\n").split(b"\t")
        cells += [b"O"] * (depth + 1 - len(cells))
        out.write(b"\t".join([str(index).encode(), *cells]) + b"\n")


def _write_batch(claims: Claims, out: IO[bytes], options: WriteOptions, lost: Lost) -> int:
    """Write one batch; return how many layers of tags it needed."""
    units = claims.units
    if claims.space != "token" or units.tokens is None:
        raise FormatError("CoNLL columns need claims in tokens, and the tokens", source=units.source or None)
    if claims.shape is not None and (claims.shape >= 0).any():
        lost["discontinuous spans"] += int((claims.shape >= 0).sum())
        claims = claims.keep(claims.shape < 0)
    tokens = [list(x) for x in units.tokens]
    sizes = np.array([len(x) for x in tokens], np.int64)
    level = layers_of(claims)
    depth = int(level.max()) + 1 if len(level) else 1
    if not options.scheme.splits_neighbours:
        touching = (claims.unit[1:] == claims.unit[:-1]) & (claims.end[:-1] == claims.start[1:])
        merged = touching & (claims.label[1:] == claims.label[:-1])
        lost["borders between touching spans of one label"] += int(merged.sum())
    layers = [encode(claims.keep(level == k), sizes, options.scheme, options.style).lists() for k in range(depth)]
    for unit, words in enumerate(tokens):
        if not words:
            lost["units without tokens"] += 1
            continue
        clean = [_LINE_BREAKS.sub(" ", word) for word in words]
        lost["line breaks and tabs in tokens"] += sum(a != b for a, b in zip(clean, words, strict=True))
        rows = zip(clean, *(layer[unit] for layer in layers), strict=True)
        lines = [f"# sent_id = {_LINE_BREAKS.sub(' ', units.ids[unit])}"] if units.ids is not None else []
        lines += ["\t".join(row) for row in rows]
        out.write(("\n".join(lines) + "\n\n").encode())
    return depth


_LINE_BREAKS = re.compile(r"[\t\n\r]+")


def _sniff(head: Head) -> bool:
    if head.folder:
        return False
    named = head.suffixes.endswith((".conll", ".conllu", ".iob", ".iob2", ".bio", ".conllup"))
    return named or looks_like_columns(head.lines)


FORMATS = {
    "conll": Format(
        name="conll",
        about="Columns of tokens and tags, a blank line after each sentence (CoNLL, UNER, GermEval, HIPE).",
        suffixes=(".conll", ".iob2", ".bio", ".tsv", ".txt"),
        holds=frozenset({"tokens", "nested", "ids"}),
        sniff=_sniff,
        read=read,
        write=write,
        example="SKF\tB-Hersteller\nZahnriemensatz\tB-Produktart\nfür\tO\nVOLVO\tB-Marke\n",
    )
}
