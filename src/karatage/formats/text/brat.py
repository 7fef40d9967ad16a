"""brat standoff: a folder of texts, each with a file of annotations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from errno import ENAMETOOLONG
from pathlib import Path, PurePosixPath

from karatage._folders import new_folder
from karatage._writing import create_file
from karatage.claims import Batch, Claims, Fragments
from karatage.errors import FormatError
from karatage.formats.batching import Row, UnitRecord, claims_batches, records_of
from karatage.formats.format import FileStart, Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source, bounded_lines, decode, to_bytes
from karatage.formats.json.json_members import LARGEST
from karatage.formats.losses import drop_unsupported

_SPAN = re.compile(r"T\S*\t(\S+) (\d+ \d+(?:;\d+ \d+)*)(?:\t([^\r]*))?")
_OTHER = re.compile(r"([REAMN#*])\S*\t")
_OTHERS = {
    "R": "relations",
    "E": "events",
    "A": "attributes of entities",
    "M": "attributes of entities",
    "N": "normalizations",
    "#": "notes of annotators",
    "*": "equivalences",
}
"""What a line is about that is not a span."""


def read(source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield the documents with their spans; other annotations are skipped."""
    return claims_batches(source, "char", _documents(source, options))


_ENDINGS = (".ann", ".txt")
_NAMES = "Pass the folder, or one of its .ann files"


def _documents(source: Source, options: ReadOptions) -> Iterator[UnitRecord]:
    for stem, pair in _pairs(source).items():
        if ".ann" not in pair:
            options.notes["texts without an .ann file, read as texts without entities"] += 1
        name = stem.relative_to(source.path if source.is_folder else stem.parent).as_posix()
        yield _document(pair, name, options)


def _pairs(source: Source) -> dict[Path, dict[str, Path]]:
    """Return the files of each document by their endings, in lower case."""
    if not source.is_folder:
        if source.once:
            raise FormatError("brat files come in pairs, so they cannot be read from standard input", hint=_NAMES)
        if source.path.suffix.lower() not in _ENDINGS:
            raise FormatError("expected a file that ends in .ann or .txt", source=source.name, hint=_NAMES)
        beside = {ending: _beside(source.path, ending) for ending in _ENDINGS}
        found = {ending: path for ending, path in beside.items() if path is not None}
        return {source.path.with_suffix(""): found | {source.path.suffix.lower(): source.path}}
    pairs: dict[Path, dict[str, Path]] = {}
    for path in source.files():
        ending = path.suffix.lower()
        if ending not in _ENDINGS:
            continue
        pair = pairs.setdefault(path.with_suffix(""), {})
        if ending in pair:
            problem = f"{pair[ending].name} and {path.name} differ in upper and lower case only"
            raise FormatError(problem, source=str(path.parent), hint="Keep one of them")
        pair[ending] = path
    if not pairs:
        raise FormatError("no .ann files in the folder", source=source.name)
    return dict(sorted(pairs.items(), key=lambda item: item[0].relative_to(source.path).as_posix()))


def _beside(path: Path, ending: str) -> Path | None:
    """Return the file of the same name with another ending, in lower or upper case."""
    return next((own for form in (ending, ending.upper()) if (own := path.with_suffix(form)).exists()), None)


def _document(pair: dict[str, Path], name: str, options: ReadOptions) -> UnitRecord:
    """Read one pair of files. A text alone has no entities; annotations may come without their text."""
    text = _text(pair[".txt"]) if ".txt" in pair else None
    rows: list[Row] = []
    if ".ann" in pair:
        source = Source(pair[".ann"])
        for number, line in source.lines():
            try:
                rows += _rows(line, text)
                if options.others and (other := _OTHER.match(line)):
                    options.notes[_OTHERS[other[1]]] += 1
            except FormatError as error:
                raise error.at(source=source.name, line=number, unit=name) from None
    return UnitRecord(None, rows, name, text)


def _text(path: Path) -> str:
    source = Source(path)
    with source.open() as stream:
        return "".join(
            decode(line, source.name, number) for number, line in enumerate(bounded_lines(stream, source.name), 1)
        )


def _rows(line: str, text: str | None) -> Iterator[Row]:
    """Yield the span of a line, if it has one."""
    found = _SPAN.fullmatch(line)
    if not found:
        if line.strip() and not _OTHER.match(line):
            raise FormatError(f"invalid line {line!r:.60}", hint="Expected e.g. T1<tab>LOC 0 5<tab>Japan")
        return
    label, offsets, quoted = found.groups()
    if any(len(number) > len(str(LARGEST)) for number in re.findall(r"\d+", offsets)):
        raise FormatError("offset too large", hint="Offsets count characters from 0")
    numbers = (tuple(map(int, part.split())) for part in offsets.split(";"))
    fragments: Fragments = tuple(sorted((a, b) for a, b in numbers))
    start, end = fragments[0][0], max(b for _, b in fragments)
    if text is not None:
        if end > len(text):
            raise FormatError(
                f"the span {label} {start}–{end} is outside the text of {len(text)} characters", hint=_COUNT
            )
        there = "".join(text[a:b] for a, b in fragments)
        if quoted and re.sub(r"\s", "", there) != re.sub(r"\s", "", quoted):
            problem = f"the text at {offsets} is {there!r:.50}, but the annotation says {quoted!r:.50}"
            raise FormatError(problem, hint=_COUNT)
    yield label, start, end, fragments if len(fragments) > 1 else None, None


_COUNT = "Offsets count characters, not bytes; a line end \\r\\n counts as two"


def write(batches: Iterable[Claims], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write a new folder with two files per unit, under a temporary name until everything is written."""
    if path == "-":
        raise FormatError("a folder cannot be written to standard output", hint="Name a folder")
    with new_folder(Path(path)) as folder:
        for claims in drop_unsupported(batches, BRAT.holds, lost):
            if claims.space != "char":
                raise FormatError("the format 'brat' needs spans of characters", source=claims.units.source)
            for unit, record in enumerate(records_of(claims)):
                name = str(claims.units.name(unit))
                if record.text is not None and record.text.startswith("\ufeff"):
                    raise FormatError(
                        "the text starts with U+FEFF, which would be read as a byte order mark and left out",
                        source=claims.units.source,
                        unit=name,
                        hint="Remove it and move the offsets by one, or choose another format",
                    )
                _write_document(record, name, folder)


def _write_document(record: UnitRecord, name: str, folder: Path) -> None:
    parts = PurePosixPath(name).parts
    if not parts or PurePosixPath(name).is_absolute() or ".." in parts or "\0" in name or "\\" in name:
        raise FormatError(f"the id {name!r} cannot be used as a file name", unit=name, hint="Give the unit another id")
    stem = folder.joinpath(*parts)
    lines = [_line(number, row, record.text, name) for number, row in enumerate(record.rows, 1)]
    try:
        if record.text is not None:
            create_file(stem.with_name(f"{stem.name}.txt"), to_bytes(record.text, name))
        create_file(stem.with_name(f"{stem.name}.ann"), to_bytes("".join(lines), name))
    except FileExistsError:
        problem = "two documents would be written to the same file"
        raise FormatError(problem, unit=name, hint="Give them different ids") from None
    except OSError as error:
        if error.errno != ENAMETOOLONG:
            raise
        raise FormatError("the id is too long to be a file name", unit=name, hint="Give the unit another id") from None


def _line(number: int, row: Row, text: str | None, name: str) -> str:
    label, start, end, fragments, _ = row
    if not re.fullmatch(r"\S+", label):
        raise FormatError(f"brat does not allow spaces in labels: {label!r}", unit=name)
    parts = fragments or ((start, end),)
    quoted = "" if text is None else re.sub(r"\s", " ", " ".join(text[a:b] for a, b in parts))
    return f"T{number}\t{label} {';'.join(f'{a} {b}' for a, b in parts)}\t{quoted}\n"


def _sniff(start: FileStart) -> bool:
    if start.folder is not None:
        return any(path.suffix.lower() == ".ann" for path in Source(start.folder).files())
    if start.suffixes.endswith(".txt"):
        return start.path is not None and _beside(start.path, ".ann") is not None
    if not start.suffixes.endswith(".ann"):
        return False
    lines = [line for line in start.lines if line.strip()]
    return bool(lines) and all(_SPAN.fullmatch(line) or _OTHER.match(line) for line in lines)


BRAT = Format(
    name="brat",
    about="brat standoff: a folder of .txt and .ann files, or one such file; spans may be discontinuous.",
    suffixes=(".ann",),
    holds=frozenset({"chars", "text", "nested", "discontinuous", "ids"}),
    sniff=_sniff,
    read=read,
    write=write,
    example="T1\tLOC 0 5\tJapan\nT2\tORG 10 14;20 26\tBank Nippon\n",
    folder=True,
    precedence=1,  # a text beside its .ann file may look like anything
    unit="document",
)
