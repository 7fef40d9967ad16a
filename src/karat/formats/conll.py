"""CoNLL columns: a token and its tags per line, a blank line after each sentence.

The reader never looks at a line in Python: it finds all separators of a block of text at once, cuts the columns out of
their positions and numbers the distinct tags. Only comments and lines that break the pattern are looked at one by one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any, BinaryIO, overload

import numpy as np

from karat.claims import Batch, Claims, Tagged, Tags, Units, encode, layers_of
from karat.claims.interning import PADDING, Vocabulary, words_at
from karat.errors import FormatError, TagError
from karat.formats.base import BATCH_BYTES, Format, Head, Lost, ReadOptions, WriteOptions
from karat.formats.columns import DOCUMENT_START, Layout, find_layout, is_comment, looks_like_columns
from karat.formats.io import Source, decode, writing

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLANK, _DATA, _COMMENT, _DOCUMENT = range(4)
_MIX = np.uint64(0x9E3779B97F4A7C15)


class LazyTokens(Sequence[list[str]]):
    """The tokens of each unit, cut out of the text when somebody asks."""

    def __init__(
        self, buffer: NDArray[np.uint8], starts: NDArray[Any], ends: NDArray[Any], first: NDArray[np.int64]
    ) -> None:
        self._buffer, self._starts, self._ends, self._first = buffer, starts, ends, first

    def __len__(self) -> int:
        return len(self._first) - 1

    @overload
    def __getitem__(self, index: int) -> list[str]: ...
    @overload
    def __getitem__(self, index: slice) -> LazyTokens: ...
    def __getitem__(self, index: int | slice) -> list[str] | LazyTokens:
        if isinstance(index, slice):
            start, stop, _ = index.indices(len(self))
            return LazyTokens(self._buffer, self._starts, self._ends, self._first[start : stop + 1])
        low, high = self._first[index], self._first[index + 1]
        places = zip(self._starts[low:high].tolist(), self._ends[low:high].tolist(), strict=True)
        return [self._buffer[a:b].tobytes().decode() for a, b in places]


def read(source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield the sentences of a file, or its documents, as tags."""
    batches = _sentences(source, options)
    return _documents(batches) if options.unit == "document" else iter(batches)


def _sentences(source: Source, options: ReadOptions) -> Iterator[Tagged]:
    layout = None
    vocabularies: list[Vocabulary] = []
    units, line, document = 0, 1, (0, "")
    for text in _blocks(source):
        _check_text(text, source.name, line)
        if layout is None:
            head = [decode(x, source.name, i) for i, x in enumerate(text[: 1 << 16].splitlines()[:500], 1)]
            layout = find_layout(head, options.columns, source.name)
            vocabularies = [Vocabulary() for _ in layout.tags]
        block = _Block(text, layout, source.name, line, header=layout.header and line == 1)
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


def _single_blanks(text: bytes) -> bytes:
    """Make one blank of each run of them and none at the ends of lines; the number of lines stays the same."""
    return re.sub(rb" *\n *", b"\n", re.sub(rb"[ \t\r\f\v]+", b" ", text)).lstrip(b" ")


class _Block:
    """A block of whole sentences, cut into lines and columns."""

    def __init__(self, text: bytes, layout: Layout, name: str, line: int, *, header: bool) -> None:
        self.layout, self.name, self.line = layout, name, line
        if not layout.tabs and any(blank in text for blank in (b"\t", b"\r", b"\f", b"\v")):
            text = _single_blanks(text)
        self._find_marks(text)
        if not layout.tabs and self._has_runs():
            self._find_marks(_single_blanks(text))
        breaks = np.flatnonzero(self.buffer[self.marks] == 10)
        self.ends = self.marks[breaks]
        self.starts = np.empty_like(self.ends)
        self.starts[:1] = 0
        self.starts[1:] = self.ends[:-1] + 1
        self.first_mark = np.empty_like(breaks)
        self.first_mark[:1] = 0
        self.first_mark[1:] = breaks[:-1] + 1
        self.line_count = len(breaks)
        self.kinds = self._kinds(breaks - self.first_mark + 1, header)

    def _find_marks(self, text: bytes) -> None:
        """Find all separators and line ends."""
        self.buffer = np.frombuffer(text + bytes(PADDING), np.uint8)
        body = self.buffer[: len(text)]
        self.marks = np.flatnonzero((body == (9 if self.layout.tabs else 32)) | (body == 10))

    def _has_runs(self) -> bool:
        """Tell whether blanks touch each other or a line's end."""
        marks = np.concatenate([np.full(1, -1), self.marks])
        touching = np.flatnonzero(marks[1:] - marks[:-1] == 1)
        after, before = self.buffer[marks[touching + 1]], self.buffer[np.maximum(marks[touching], 0)]
        before[marks[touching] < 0] = 10
        return bool(((after != 10) | (before != 10)).any())

    def _kinds(self, widths: NDArray[np.int64], header: bool) -> NDArray[np.uint8]:
        """Tell blank lines, data, comments and document starts apart; refuse anything else."""
        blank = self.starts == self.ends
        regular = widths == self.layout.width
        first = self.buffer[self.starts]
        kinds = np.where(blank, np.uint8(_BLANK), np.uint8(_DATA))
        doubtful = ~(blank | regular) | (regular & ~blank & ((first == ord("#")) | (first == ord("-"))))
        for row in np.flatnonzero(doubtful).tolist():
            kinds[row] = self._kind(row, bool(regular[row]))
        if header:
            kinds[np.flatnonzero(kinds == _DATA)[:1]] = _COMMENT
        return kinds

    def _kind(self, row: int, regular: bool) -> int:
        text = self.text(row)
        if not text.strip():
            return _BLANK
        if text.startswith(DOCUMENT_START):
            return _DOCUMENT
        if is_comment(text, self.layout.tabs, self.layout.width):
            return _COMMENT
        if regular:
            return _DATA
        width = len(text.split("\t" if self.layout.tabs else None))
        raise FormatError(
            f"found {width} column{'s' * (width != 1)} where the lines before have {self.layout.width}",
            source=self.name,
            line=self.line + row,
            hint="Is the line cut off, or the separator another one?",
        )

    def text(self, row: int) -> str:
        """Return one line."""
        return self.buffer[self.starts[row] : self.ends[row]].tobytes().decode()

    def column(self, rows: NDArray[np.int64], column: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return start and end of a column in the given lines of data."""
        marks = self.first_mark[rows] + column
        starts = self.starts[rows] if column == 0 else self.marks[marks - 1] + 1
        return starts, self.marks[marks]

    def tagged(
        self, vocabularies: list[Vocabulary], options: ReadOptions, units: int, document: tuple[int, str]
    ) -> tuple[Tagged, tuple[int, str]]:
        """Make units out of the lines; return them, and the number and name of the last document begun."""
        kinds = self.kinds
        special = np.flatnonzero(kinds >= _COMMENT)
        lines = np.arange(len(kinds)) if len(special) == 0 else np.flatnonzero(kinds != _COMMENT)
        data = kinds[lines] == _DATA
        if len(data) and data[-1]:  # the file's last sentence has no blank line behind it
            lines, data = np.append(lines, len(kinds)), np.append(data, False)
        keep = data.copy()
        keep[1:] |= data[:-1]
        lines, data = lines[keep], data[keep]
        ends = np.flatnonzero(~data)
        sizes = np.diff(ends, prepend=-1) - 1
        rows = lines[data]
        layers = tuple(
            self._layer(rows, data, sizes, column, vocabulary, options)
            for column, vocabulary in zip(self.layout.tags, vocabularies, strict=True)
        )
        first = np.zeros(len(sizes) + 1, np.int64)
        np.cumsum(sizes, out=first[1:])
        starts, stops = self.column(rows, self.layout.token)
        facts, document = self._comments(special, lines[ends], len(sizes), document)
        return (
            Tagged(
                Units(
                    len(sizes),
                    facts.pop("sent_id", None),
                    units,
                    facts.pop("text", None) if options.texts else None,
                    LazyTokens(self.buffer, starts, stops, first),
                    _prints(self.buffer, starts, stops - starts, first),
                    facts,
                    self.name,
                    rows[first[:-1]] + self.line,
                ),
                layers,
            ),
            document,
        )

    def _layer(
        self,
        rows: NDArray[np.int64],
        data: NDArray[np.bool_],
        sizes: NDArray[np.int64],
        column: int,
        vocabulary: Vocabulary,
        options: ReadOptions,
    ) -> Tags:
        starts, ends = self.column(rows, column)
        lengths = ends - starts
        codes = vocabulary.encode(self.buffer, starts, lengths)
        empty = np.flatnonzero(lengths == 0)
        if len(empty):
            if not options.empty_tags:
                raise TagError(
                    "the tag is empty",
                    source=self.name,
                    line=self.line + int(rows[empty[0]]),
                    hint="Use O, or --scheme EMPTY where an empty tag continues the one before it",
                )
            codes = codes.astype(np.int64)
            codes[empty] = vocabulary.code(b"")
        stream = np.zeros(len(data), codes.dtype)
        stream[data] = codes
        return Tags(stream, tuple(vocabulary.names), sizes)

    def _comments(
        self, special: NDArray[np.int64], ends: NDArray[np.int64], count: int, document: tuple[int, str]
    ) -> tuple[dict[str, list[str]], tuple[int, str]]:
        """Collect what comments say of units: their ids, their texts and their documents."""
        number, name = document
        if len(special) == 0:
            return ({"document": [name] * count} if number else {}), document
        found: dict[str, dict[int, str]] = {"sent_id": {}, "text": {}}
        documents: dict[int, str] = {}
        for row, unit in zip(special.tolist(), np.searchsorted(ends, special).tolist(), strict=True):
            text = self.text(row)
            if self.kinds[row] == _DOCUMENT or text.startswith("# newdoc") or "document_id" in text:
                number += 1
                given = re.match(r"#.*?\b(?:newdoc id|document_id)\s*=\s*(.+)", text)
                documents[unit] = given.group(1).strip() if given else str(number)
            fact = re.match(r"#\s*(sent_id|text)\s*=\s?(.*)", text)
            if fact and unit < count:
                found[fact.group(1)][unit] = fact.group(2)
        facts = {
            name: [values[u] for u in range(count)] for name, values in found.items() if count and len(values) == count
        }
        if number:
            facts["document"] = []
            for unit in range(count):
                name = documents.get(unit, name)
                facts["document"].append(name)
        return facts, (number, documents.get(count, name))


def _prints(
    buffer: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int64], first: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """Return one number for the tokens of each unit that changes with any byte of any of them, and with their order."""
    prints = words_at(buffer, starts, lengths)
    for at in range(8, int(lengths.max(initial=0)), 8):
        rows = np.flatnonzero(lengths > at)
        prints[rows] = _mixed(prints[rows]) + words_at(buffer, starts[rows] + at, lengths[rows] - at)
    index = np.arange(len(starts)) - np.repeat(first[:-1], np.diff(first))
    prints += (index * 2 + 1).view(np.uint64) * _MIX ^ lengths.view(np.uint64)
    return np.add.reduceat(_mixed(prints), first[:-1]) if len(first) > 1 else np.zeros(0, np.uint64)


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    numbers = (numbers ^ (numbers >> np.uint64(32))) * _MIX
    numbers ^= numbers >> np.uint64(29)
    return numbers


def _documents(batches: Iterable[Tagged]) -> Iterator[Tagged]:
    """Join the sentences of each document, so that a span may cross a sentence's end."""
    waiting: list[Tagged] = []
    number = 0
    for batch in batches:
        waiting.append(batch)
        whole = Tagged.concatenate(waiting)
        names = _document_names(whole)
        changes = np.flatnonzero(np.array(names[1:]) != np.array(names[:-1])) + 1
        if len(changes):
            cut = int(changes[-1])
            yield _merge(whole.slice(0, cut), names[:cut], number)
            number += len(changes)
            waiting = [whole.slice(cut, len(whole))]
        else:
            waiting = [whole]
    if waiting:
        yield _merge(waiting[0], _document_names(waiting[0]), number)


def _document_names(batch: Tagged) -> list[str]:
    if "document" not in batch.units.attributes:
        raise FormatError(
            "the file does not say where documents start",
            source=batch.units.source,
            hint=f"Documents start with a line {DOCUMENT_START} or a comment '# newdoc'; else score by sentence",
        )
    return list(batch.units.attributes["document"])


def _merge(batch: Tagged, names: list[str], number: int) -> Tagged:
    new = np.ones(len(names), bool)
    new[1:] = np.array(names[1:]) != np.array(names[:-1])
    first = np.flatnonzero(new)
    sizes = np.add.reduceat(batch.layers[0].sizes, first)
    layers = []
    for layer in batch.layers:
        keep = np.ones(len(layer.codes), bool)
        keep[layer.starts[1:] - 1] = np.append(new[1:], True)
        layers.append(Tags(layer.codes[keep], layer.vocabulary, sizes))
    old = batch.units
    bounds = [*first.tolist(), len(names)]
    tokens = None
    if old.tokens is not None:
        known = old.tokens
        tokens = [[t for u in range(a, b) for t in known[u]] for a, b in itertools.pairwise(bounds)]
    prints = None if old.prints is None else np.add.reduceat(old.prints, first)
    lines = None if old.lines is None else old.lines[first]
    ids = [names[i] for i in first.tolist()]
    return Tagged(Units(len(ids), ids, number, None, tokens, prints, {}, old.source, lines), tuple(layers))


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
