"""CoNLL columns: a token and its tags per line, a blank line after each sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from shutil import copyfileobj
from typing import IO, BinaryIO

import numpy as np

from karatage._limits import limits
from karatage._temporaries import unnamed_file
from karatage._writing import writing
from karatage.claims import Batch, Claims, Tagged, TagVocabulary, encode, layers_of
from karatage.errors import FormatError
from karatage.formats.columns.column_blocks import ColumnBlock
from karatage.formats.columns.column_layout import (
    DOCUMENT_START,
    ColumnLayout,
    find_layout,
    is_fact,
    looks_like_columns,
)
from karatage.formats.columns.sentence_cuts import SentenceCuts
from karatage.formats.columns.sentence_joining import documents
from karatage.formats.format import BATCH_BYTES, FileStart, Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source, SourcePart, decode, is_utf8, too_large
from karatage.formats.losses import DISCONTINUOUS, IDS, NESTED, NO_TOKENS


def read(source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield the sentences of a file, or its documents, as tags."""
    batches = _sentences(source, options)
    return documents(batches) if options.unit == "document" else iter(batches)


def _sentences(source: Source, options: ReadOptions) -> Iterator[Tagged]:
    part = source if isinstance(source, SourcePart) else None
    layout = None if part is None else _layout_of(part.whole, options)
    vocabularies: list[TagVocabulary] = []
    units, line, document, has_ids = 0 if part is None else part.first, 1, (0, ""), False
    for text in _with_tokens(_blocks(source)):
        _check_text(text, source.name, line)
        if layout is None:
            layout = _layout(text, source.name, options)
        vocabularies = vocabularies or [TagVocabulary(strip=True) for _ in layout.tags]
        header = layout.header and line == 1 and (part is None or part.start == 0)
        block = ColumnBlock(text, layout, source.name, line, header=header)
        if block.skipped:
            options.notes["lines that start with # skipped as comments"] += block.skipped
        if options.others:
            options.notes.update(block.others())
        tagged, document = block.tagged(vocabularies, options, units, document)
        if part is not None and (tagged.units.ids is not None or document[0]):
            raise FormatError("a file with ids or documents is read as a whole", source=source.name)
        if len(tagged):
            if units and (tagged.units.ids is None) == has_ids:
                here, before = ("no", "one") if has_ids else ("an", "none")
                raise FormatError(
                    f"the sentence has {here} id, but those before it have {before}",
                    source=source.name,
                    line=tagged.units.line(0),
                    hint="Give every sentence a comment '# sent_id = …', or none of them",
                )
            has_ids = tagged.units.ids is not None
            yield tagged
        line += block.line_count
        units += len(tagged)


def _layout(text: bytes, name: str, options: ReadOptions) -> ColumnLayout:
    return find_layout(_first_lines(text, name), options.columns, name, options.least)


def column_count(source: Source) -> int | None:
    """Return how many columns a file has, from its start; None if that does not tell."""
    start = source.head()
    try:
        lines = _first_lines(start[: start.rfind(b"\n") + 1] or start, source.name)
        return find_layout(lines, (), source.name).width
    except FormatError:
        return None


def _layout_of(source: Source, options: ReadOptions) -> ColumnLayout | None:
    """Return the layout of a file; None if it is empty."""
    state = source.path.stat()
    return _known_layout(source.path, options.columns, options.least, (state.st_size, state.st_mtime_ns))


@lru_cache(maxsize=64)  # all parts of a file have its layout
def _known_layout(path: Path, columns: tuple[str, ...], least: int, _state: tuple[int, int]) -> ColumnLayout | None:
    source = Source(path)
    start = next(_with_tokens(_blocks(source)), None)
    return None if start is None else _layout(start, source.name, ReadOptions(columns, least=least))


_TOKEN = re.compile(rb"^(?!#|-DOCSTART-)[^\n]*[^ \t\r\f\v\n]", re.MULTILINE)


def _with_tokens(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Put a block without tokens, such as one of comments, in front of the next one."""
    waiting = b""
    for block in blocks:
        text = waiting + block if waiting else block
        if _TOKEN.search(text):
            yield text
            text = b""
        waiting = text
    if waiting:
        yield waiting


def _first_lines(text: bytes, name: str, wanted: int = 500) -> list[str]:
    """Return the first lines of a block, up to a number of lines that are not comments."""
    lines, data = [], 0
    for line in BytesIO(text):
        lines.append(line)
        data += not (line.startswith(b"#") or line.isspace())
        if data >= wanted:
            break
    start = b"".join(lines).removesuffix(b"\n")
    if b"\0" in start or not is_utf8(start):
        for number, line in enumerate(lines, 1):
            decode(line.removesuffix(b"\n"), name, number)
    return start.decode().split("\n") if lines else []


_LINE_FEED = 10
_BLANK_LINE = re.compile(rb"\n[ \t\r\f\v]*\n")


def _blocks(source: Source) -> Iterator[bytes]:
    """Yield blocks of text with Unix line ends, each cut after a blank line."""
    with source.open() as stream:
        waiting: list[bytes] = []  # text without a blank line so far
        edge = b""  # the rest, from the last line end on
        held, line, most = 0, 1, limits().record
        while data := stream.read(max(BATCH_BYTES, len(edge))):  # doubles, so that a long line costs linear time
            text = edge + data
            text, ending = _unix(text) if b"\r" in text else (text, b"")
            cut = text.rfind(b"\n\n") + 2
            if cut < 2:
                cut = max((match.end() for match in _BLANK_LINE.finditer(text)), default=-1)
            if cut < 0:
                last = max(text.rfind(b"\n"), 0)
                waiting.append(text[:last])
                edge = text[last:] + ending
                held += last
                if held + len(edge) > most:
                    raise too_large("line" if len(edge) > most // 2 else "sentence", source.name, line)
                continue
            block = b"".join([*waiting, text[:cut]])
            yield block
            line += int(np.count_nonzero(np.frombuffer(block, np.uint8) == _LINE_FEED))  # much quicker than `count`
            waiting, edge, held = [], text[cut:] + ending, 0
        text = b"".join([*waiting, edge]).rstrip(b"\r")
        if text.strip():
            yield text if text.endswith(b"\n") else text + b"\n"


_LINE_END = re.compile(rb"(?<!\r)\r++\n")
"""A run of carriage returns is tried once, at its start: a long one costs linear time."""


def _unix(text: bytes) -> tuple[bytes, bytes]:
    """Return text with Unix line ends, and the carriage returns at its end, whose line feed may follow."""
    whole = text.rstrip(b"\r")
    return _LINE_END.sub(b"\n", whole), text[len(whole) :]


def _check_text(text: bytes, name: str, number: int) -> None:
    """Refuse a line that is not UTF-8 or contains NUL or a carriage return, with which old Macs ended lines."""
    if (at := text.find(b"\r")) >= 0:
        raise FormatError(
            "the line contains a carriage return (CR) that is not part of a line end",
            source=name,
            line=number + text.count(b"\n", 0, at),
            hint="Lines must end in LF or CRLF: convert the file, e.g. with tr '\\r' '\\n'",
        )
    if b"\0" in text or not is_utf8(text):
        for line in text.split(b"\n"):
            decode(line, name, number)
            number += 1


def write(batches: Iterable[Claims], path: str, options: WriteOptions, lost: Lost) -> None:
    """Write tokens and tags, separated by tabs; nested spans get one column per layer and a leading index."""
    with unnamed_file() as spool:
        depth = max((_write_batch(claims, spool, options, lost) for claims in batches), default=1)
        spool.seek(0)
        with writing(path) as out:
            if depth == 1:
                copyfileobj(spool, out)
            else:
                _write_nested(spool, out, depth)


def _write_nested(lines: IO[bytes], out: BinaryIO, depth: int) -> None:
    """Add an index and the missing columns to every line: their number is known only after the last batch."""
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
    """Write one batch; return how many layers of tags it needs."""
    units = claims.units
    if claims.space != "token" or units.tokens is None:
        raise FormatError("the format 'conll' needs tokens and spans of tokens", source=units.source)
    if claims.shape is not None and (claims.shape >= 0).any():
        lost[DISCONTINUOUS] += int((claims.shape >= 0).sum())
        claims = claims.keep(claims.shape < 0)
    claims = _writable(claims, options, lost)
    tokens = [list(x) for x in units.tokens]
    sizes = np.array([len(x) for x in tokens], np.int64)
    level = layers_of(claims)
    depth = int(level.max()) + 1 if len(level) else 1
    if not options.scheme.splits_neighbours:
        touching = (claims.unit[1:] == claims.unit[:-1]) & (claims.end[:-1] == claims.start[1:])
        merged = touching & (claims.label[1:] == claims.label[:-1])
        lost["boundaries between adjacent spans of one label"] += int(merged.sum())
    layers = [encode(claims.keep(level == k), sizes, options.scheme, options.style).lists() for k in range(depth)]
    for unit, words in enumerate(tokens):
        if not words:
            lost[NO_TOKENS] += 1
            continue
        clean = [_clean(word) for word in words]
        lost[ALTERED] += sum(a != b for a, b in zip(clean, words, strict=True))
        rows = zip(clean, *(layer[unit] for layer in layers), strict=True)
        lines = []
        if units.ids is not None:
            lines.append(f"# sent_id = {_clean(units.ids[unit])}")
            lost[IDS] += _clean(units.ids[unit]) != units.ids[unit]
        cells = ["\t".join(row) for row in rows]
        if is_fact(cells[0]) or (cells[0].startswith("\ufeff") and not lines and not out.tell()):
            what = "a comment" if cells[0].startswith("#") else "a byte order mark"
            raise FormatError(
                f"the first token {clean[0]!r:.40} would be read as {what}",
                source=units.source,
                unit=str(units.name(unit)),
                hint="Change the token, or choose another format",
            )
        lines += cells
        out.write(("\n".join(lines) + "\n\n").encode())
    return depth


ALTERED = "tokens with tabs or line breaks, which were replaced"


def _writable(claims: Claims, options: WriteOptions, lost: Lost) -> Claims:
    """Drop and count what could not be read from the columns again."""
    odd = np.array([_clean(label) != label or label != label.strip(" ") for label in claims.labels], bool)[claims.label]
    if odd.any():
        lost["labels with tabs, line breaks or surrounding spaces"] += int(odd.sum())
        claims = claims.keep(~odd)
    above = layers_of(claims) > 0
    if options.scheme.name == "EMPTY" and above.any():
        lost[NESTED] += int(above.sum())
        claims = claims.keep(~above)
    return claims


def _clean(text: str) -> str:
    """Replace characters that would end a line or a column, and a token that would start a document."""
    return _CONTROL.sub(" ", text).replace(DOCUMENT_START, "DOCSTART")


_CONTROL = re.compile(r"[\t\n\r\0]+")


def _sniff(start: FileStart) -> bool:
    if start.folder:
        return False
    named = start.suffixes.endswith((".conll", ".conllu", ".iob", ".iob2", ".bio", ".conllup"))
    return named or looks_like_columns(start.lines)


CONLL = Format(
    name="conll",
    about="Columns of tokens and tags, with a blank line after each sentence (CoNLL, UNER, GermEval, HIPE).",
    suffixes=(".conll", ".iob2", ".bio", ".tsv", ".txt"),
    holds=frozenset({"tokens", "nested", "ids"}),
    sniff=_sniff,
    read=read,
    write=write,
    example="SKF\tB-Hersteller\nZahnriemensatz\tB-Produktart\nfür\tO\nVOLVO\tB-Marke\n",
    precedence=-20,
    unit="sentence",
    cuts=SentenceCuts,
)
