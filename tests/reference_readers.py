"""Plain readers, one value at a time with `json`, `csv` and `split`: slow, short, and plainly what the docs say.

Each returns one `Unit` per unit, or raises `RefusedError`. They share with the real readers only the heuristics that
find the columns of a column file.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn

from karatage.errors import KaratageError
from karatage.formats.columns.column_layout import find_layout

LARGEST = 2**31 - 1


class RefusedError(Exception):
    """The file is not what it should be."""


class Unit(NamedTuple):
    """What a reader says of a unit; spans as (label, start, end, value), a position of -1 for values."""

    id: str | None = None
    text: str | None = None
    spans: tuple[tuple[Any, ...], ...] = ()
    tokens: tuple[str, ...] | None = None
    tags: tuple[tuple[str, ...], ...] = ()


def need(condition: object) -> None:
    if not condition:
        raise RefusedError


def refuse(*_: Any) -> NoReturn:
    raise RefusedError


def text_of(data: bytes) -> str:
    """Decode a file: UTF-8, with or without a byte order mark, no UTF-16."""
    need(data[:2] not in (b"\xff\xfe", b"\xfe\xff"))
    try:
        return data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError:
        raise RefusedError from None


def lines_of(data: bytes) -> list[str]:
    text = text_of(data)
    need("\0" not in text)
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


# Column files


def conll(data: bytes) -> list[Unit]:
    lines = [line.rstrip("\r") for line in lines_of(data)]
    need(not any("\r" in line for line in lines))
    try:
        layout = find_layout(lines, (), "reference")
    except KaratageError:
        raise RefusedError from None
    units: list[Unit] = []
    rows: list[list[str]] = []
    name: str | None = None
    header = layout.header

    def end() -> None:
        nonlocal rows, name
        if rows:
            tags = tuple(tuple(row[k].strip(" ") for row in rows) for k in layout.tags)
            units.append(Unit(name, None, (), tuple(row[layout.token] for row in rows), tags))
            rows, name = [], None

    for line in lines:
        columns = line.split("\t") if layout.tabs else re.findall(r"[^ \t\f\v]+", line)
        if not line.strip() or line.lstrip(" \t\f\v" if not layout.tabs else "").startswith("-DOCSTART-"):
            end()
        elif is_comment(line, columns, layout, inside=bool(rows)):
            found = re.match(r"#\s*sent_id\s*=\s?(.*)", line)
            name = found.group(1) if found else name
        else:
            need(len(columns) == layout.width)
            if header:
                header = False
                continue
            need(all(columns[k] for k in layout.tags))
            rows.append(columns)
    end()
    return consistent(units)


def consistent(units: list[Unit]) -> list[Unit]:
    """Refuse ids or texts that only some units have."""
    need(len({unit.id is None for unit in units}) <= 1)
    need(not units or units[0].text is None or all(unit.text is not None for unit in units))
    return units


def is_comment(line: str, columns: list[str], layout: Any, *, inside: bool) -> bool:
    line = line if layout.tabs else line.lstrip(" \t\f\v")
    fact = r"# +([\w.:-]+ *=|(newdoc|newpar)\b)|#(sent_id|text|document_id|global\.columns) *="
    return line.startswith("#") and (len(columns) != layout.width or (not inside and bool(re.match(fact, line))))


# JSON


def values_of(data: bytes) -> Iterator[Any]:
    """Yield the JSON values of a file, one after the other."""
    text, at = text_of(data), 0

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        need(len(dict(pairs)) == len(pairs))
        return dict(pairs)

    decoder = json.JSONDecoder(object_pairs_hook=members, parse_constant=refuse)
    while rest := re.compile(r"[^ \t\r\n]").search(text, at):
        try:
            value, at = decoder.raw_decode(text, rest.start())
            json.dumps(value, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            raise RefusedError from None
        yield value


def records_of(data: bytes) -> Iterator[Any]:
    """Yield the records: the values, or the elements of arrays."""
    for value in values_of(data):
        yield from value if isinstance(value, list) else [value]


def member(record: Any, key: str, kind: type | tuple[type, ...]) -> Any:
    need(isinstance(record, dict) and isinstance(record.get(key), kind))
    return record[key]


def optional(record: Any, key: str, kind: type) -> Any:
    return member(record, key, kind) if isinstance(record, dict) and record.get(key) is not None else None


def whole(value: Any) -> int:
    need(
        isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value == int(value)
    )
    return int(value)


def offset(value: Any) -> int:
    need(0 <= whole(value) <= LARGEST)
    return int(value)


def id_of(record: Any) -> str | None:
    need(isinstance(record, dict))
    value = record.get("id")
    if value is None:
        return None
    need(value != "")
    return value if isinstance(value, str) else str(whole(value))


def label_of(record: Any, key: str = "label") -> str:
    label = member(record, key, str)
    need(label)
    return str(label)


def checked(spans: list[tuple[Any, ...]], text: str | None) -> tuple[tuple[Any, ...], ...]:
    for _, start, end, _ in spans:
        need(start < end and (text is None or end <= len(text)))
    return tuple(sorted(spans, key=repr))


def rows(data: bytes) -> list[Unit]:
    """Read rows of tokens and tags; the mutations give no names to numbers."""
    units = []
    for record in hf_records(data):
        name, tokens = id_of(record), member(record, "tokens", list)
        key = next((key for key in ("ner_tags", "tags") if key in record), "ner_tags")
        names = optional(record, "label_names", list)
        need(names is None or all(isinstance(one, str) for one in names))
        need(key in record)
        tags = optional(record, key, list) or []
        need(all(isinstance(token, str) for token in tokens) and len(tags) == len(tokens))
        need(all(isinstance(tag, str) and tag for tag in tags))
        units.append(Unit(name, optional(record, "text", str), (), tuple(tokens), (tuple(tags),)))
    return consistent(units)


def hf_records(data: bytes) -> Iterator[Any]:
    for record in records_of(data):
        need(isinstance(record, dict) and "rows" not in record)
        inner = record.get("row") is not None and record.get("tokens") is None
        yield member(record, "row", dict) if inner else record


def brat(data: bytes) -> list[Unit]:
    """Read one file of annotations whose text is not there."""
    spans = []
    for line in lines_of(data):
        line = line.rstrip("\r")
        found = re.fullmatch(r"T\S*\t(\S+) (\d+ \d+(;\d+ \d+)*)(\t[^\r]*)?", line)
        if found is None:
            need(not line.strip() or re.match(r"[REAMN#*]\S*\t", line))
            continue
        numbers = [tuple(map(int, part.split())) for part in found.group(2).split(";")]
        need(all(len(number) <= 10 for number in re.findall(r"\d+", found.group(2))))
        parts = sorted(numbers)
        need(all(a < b for a, b in parts) and all(b <= c for (_, b), (c, _) in pairwise(parts)))
        spans.append((found.group(1), parts[0][0], max(b for _, b in parts), None))
    return [Unit("mutated", None, checked(spans, None))]


def doccano(data: bytes) -> list[Unit]:
    units = []
    for record in records_of(data):
        name = id_of(record)
        text = member(record, "data" if record.get("text") is None and record.get("data") is not None else "text", str)
        need(any(key in record for key in ("label", "labels", "entities")))
        spans = [
            (label_of(one), offset(one.get("start_offset")), offset(one.get("end_offset")), None)
            for one in optional(record, "entities", list) or []
        ]
        key = next((key for key in ("label", "labels") if record.get(key) is not None), None)
        for one in member(record, key, list) if key else []:
            need(isinstance(one, list) and len(one) == 3 and isinstance(one[2], str) and one[2])
            spans.append((one[2], offset(one[0]), offset(one[1]), None))
        units.append(Unit(name, text, checked(spans, text)))
    return consistent(units)


def prodigy(data: bytes) -> list[Unit]:
    units = []
    for record in records_of(data):
        name = id_of(record)
        answer = optional(record, "answer", str)
        need(answer in (None, "accept", "reject", "ignore"))
        if answer in ("reject", "ignore"):
            continue
        spans = []
        for one in optional(record, "spans", list) or []:
            spans.append((label_of(one), offset(one.get("start")), offset(one.get("end")), None))
            score(one)
        optional(record, "meta", dict)
        for one in optional(record, "tokens", list) or []:
            member(one, "text", str)
        text = member(record, "text", str)
        units.append(Unit(name, text, checked(spans, text)))
    return consistent(units)


def score(record: dict[str, Any]) -> None:
    value = record.get("score")
    if value is not None:
        need(isinstance(value, int | float | str) and not isinstance(value, bool))
        try:
            need(math.isfinite(float(value)) and not (isinstance(value, str) and ("_" in value or not value.isascii())))
        except (ValueError, OverflowError):
            raise RefusedError from None


def spacy(data: bytes) -> list[Unit]:
    units = []
    for record in records_of(data):
        name = id_of(record)
        need(isinstance(record, dict) and {"ents", "spans"} & record.keys())
        named = optional(record, "spans", dict) or {}
        groups = [optional(record, "ents", list) or [], *(optional(named, key, list) or [] for key in named)]
        spans: list[tuple[Any, ...]] = []
        for group in groups:
            own = [(label_of(one), offset(one.get("start")), offset(one.get("end")), None) for one in group]
            spans += [span for span in own if span not in spans] if group is not groups[0] else own
        text = member(record, "text", str)
        for one in optional(record, "tokens", list) or []:
            need(isinstance(one, dict))
            offset(one.get("start")), offset(one.get("end"))
        units.append(Unit(name, text, checked(spans, text)))
    return consistent(units)


def values(data: bytes) -> list[Unit]:
    units = []
    for record in records_of(data):
        name, spans = id_of(record), []
        for label, given in member(record, "fields", dict).items():
            need(label)
            for one in [] if given is None else given if isinstance(given, list) else [given]:
                need(isinstance(one, str))
                spans.append((label, -1, -1, one))
        units.append(Unit(name, optional(record, "text", str), tuple(sorted(spans, key=repr))))
    return consistent(units)


def plain_text(data: bytes) -> list[Unit]:
    if text_of(data[: 1 << 16]).lstrip(" \t\r\n\f\v")[:1] in ("{", "["):
        return consistent([Unit(id_of(record), member(record, "text", str)) for record in records_of(data)])
    return [Unit(None, line.rstrip("\r")) for line in lines_of(data)]


# Tables


def table(data: bytes) -> list[Unit]:
    lines = lines_of(data)
    need(lines)
    mark = next(
        (m for m in ",\t;" if {"unit", "label"} <= {n.strip('"') for n in lines[0].rstrip("\r").split(m)}), None
    )
    need(mark)
    rows = csv_rows(data, mark or ",")
    header = rows[0]
    need(len(set(header)) == len(header) and {"unit", "label"} <= set(header))
    units: dict[str, list[dict[str, str]]] = {}
    last = None
    for row in rows[1:]:
        need(len(row) == len(header) and row != header)
        cells = dict(zip(header, row, strict=True))
        need(cells["unit"] and (cells["unit"] == last or cells["unit"] not in units))
        last = cells["unit"]
        units.setdefault(last, []).append(cells)
    kinds: set[bool] = {False} if not {"start", "pieces"} & set(header) else set()
    found = [claims_of(name, own, kinds) for name, own in units.items()]
    need(len(kinds) <= 1)
    return found


def claims_of(name: str, rows: list[dict[str, str]], placed: set[bool]) -> Unit:
    spans: list[tuple[Any, ...]] = []
    for cells in rows:
        start, end = (position(cells.get(key, "")) for key in ("start", "end"))
        pieces = cells.get("pieces")
        if pieces:
            need(re.fullmatch(r"[0-9]{1,10}-[0-9]{1,10}(;[0-9]{1,10}-[0-9]{1,10})*", pieces) and cells["label"])
            parts = [tuple(map(int, part.split("-"))) for part in pieces.split(";")]
            need(all(a < b for a, b in parts) and all(b <= c for (_, b), (c, _) in pairwise(parts)))
            hull = parts[0][0], parts[-1][1]
            need((start, end) in (hull, (None, None)))
            start, end = hull
        label, value = cells["label"], cells.get("value") or None
        if not label:
            need(start is None and end is None and value is None)
            continue
        need((start is None) == (end is None) and (start is not None or "value" in cells))
        placed.add(start is not None)
        need(len(placed) == 1)
        spans.append((label, start, end, value) if start is not None else (label, -1, -1, value or ""))
    texts = {cells["text"] for cells in rows if cells.get("text")}
    need(len(texts) <= 1)
    size = len("".join(texts)) if "text" in rows[0] else 2**53
    need(all(span[1] < span[2] <= size for span in spans if span[1] >= 0))
    return Unit(name, None, tuple(sorted(spans, key=repr)))


def position(cell: str) -> int | None:
    if not cell:
        return None
    need(re.fullmatch(r"[0-9]{1,10}(\.0*)?", cell))
    return offset(int(cell.partition(".")[0]))


def csv_rows(data: bytes, mark: str) -> list[list[str]]:
    text = text_of(data)
    need("\0" not in text)
    try:
        return list(csv.reader(re.findall(r"[^\n]*\n|[^\n]+", text), delimiter=mark, strict=True))
    except csv.Error:
        raise RefusedError from None


def submission(data: bytes) -> list[Unit]:
    units: dict[str, list[tuple[Any, ...]]] = {}
    categories: dict[str, str] = {}
    for line in lines_of(data):
        row = line.rstrip("\r").split("\t")
        need(len(row) == 4 and row[0] and row[2])
        need(categories.setdefault(row[0], row[1]) == row[1])
        units.setdefault(row[0], [])
        if row[2] != "O":
            units[row[0]].append((row[2], -1, -1, row[3]))
    return [Unit(name, None, tuple(sorted(spans, key=repr))) for name, spans in units.items()]


def tagged_titles(data: bytes) -> list[Unit]:
    header, *rows = csv_rows(data, "\t") or [[]]
    need(header in (["Record Number", kind, "Title", "Token", "Tag"] for kind in ("Category", "Category Id")))
    units: list[list[list[str]]] = []
    for row in rows:
        need(len(row) == 5 and row[0])
        if units and units[-1][0][0] == row[0]:
            need(units[-1][0][1:3] == row[1:3])
            units[-1].append(row)
        else:
            units.append([row])
    return [Unit(own[0][0], own[0][2], (), tuple(row[3] for row in own), (continued(own),)) for own in units]


def continued(rows: list[list[str]]) -> tuple[str, ...]:
    """Return tags in IOB2: a bare aspect starts an entity, and an empty tag continues what stands before it."""
    need(rows[0][4])
    out: list[str] = []
    for *_, aspect in rows:
        begun = aspect if aspect == "O" else f"B-{aspect}"
        out.append(begun if aspect else out[-1] if out[-1] == "O" else f"I-{out[-1][2:]}")
    return tuple(out)


def listings(data: bytes) -> list[Unit]:
    header, *rows = csv_rows(data, "\t") or [[]]
    need(header in (["Record Number", kind, "Title"] for kind in ("Category", "Category Id")))
    for row in rows:
        need(len(row) == 3 and row[0])
    return [Unit(row[0], row[2]) for row in rows]


# Search


def trec(width: int, column: int, number: Callable[[str], float]) -> Callable[[bytes], list[Unit]]:
    def read(data: bytes) -> list[Unit]:
        found: dict[str, dict[str, float]] = {}
        for line in lines_of(data):
            row = re.split(r"[ \t]+", line.strip(" \t\r"))
            if row == [""] or row[0].startswith("#"):
                continue
            need(len(row) == width)
            own = found.setdefault(row[0], {})
            need(row[2] not in own)
            own[row[2]] = number(row[column])
        need(found)
        return [Unit(query, None, tuple(sorted(own.items()))) for query, own in found.items()]

    return read


def grade(text: str) -> float:
    value = decimal(text)
    need(value.is_integer() and abs(value) <= 2**53)
    return value


def decimal(text: str) -> float:
    need(re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", text, re.IGNORECASE))
    need(math.isfinite(float(text)))
    return float(text)


REFERENCES: dict[str, Callable[[bytes], list[Unit]]] = {
    "conll": conll,
    "brat": brat,
    "hf-rows": rows,
    "doccano": doccano,
    "prodigy": prodigy,
    "spacy": spacy,
    "values": values,
    "text": plain_text,
    "csv": table,
    "ebay-submission": submission,
    "ebay-tagged": tagged_titles,
    "ebay-listings": listings,
    "trec-qrels": trec(4, 3, grade),
    "trec-run": trec(6, 4, decimal),
}
"""The plain reader of each format."""
