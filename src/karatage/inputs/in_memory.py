"""Gold and predictions in memory: tags, spans, values, relevance, claims and data frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from karatage.claims import Claims, Fragments, Space, Tagged, Tags, Units
from karatage.errors import InputError, UsageError
from karatage.formats import ANSWERS, ReadOptions, claims_of_records, id_text, is_claim_table, is_null, whole
from karatage.inputs.input import Annotators, Content, Input, Runs, Sets, open_files
from karatage.inputs.record_objects import answer_record, are_answers, are_entity_lists, are_records, plain
from karatage.inputs.shard_lists import are_paths, is_list_file, open_list_file, open_paths


def as_input(given: Any, *, format: str | None = None, name: str = "data") -> Input:  # noqa: A002  users say format
    """Resolve what a user passes.

    Args:
        given: a path, a folder, a pattern such as `gold/*.conll`, a list of paths, `@shards.txt` for a text file that
            lists them, `-` for standard input; one list of tags per sentence; one list of spans per text, as (label,
            start, end) or mappings with these keys; a mapping from ids to such lists; records with entities, as
            dictionaries, dataclasses or Pydantic models; claims; a Polars or pandas frame with the columns unit, label,
            start, end and value, or with the columns id and entities. An input is returned as it is.
        format: the format of the files; detected automatically by default.
        name: what messages call things that have no path.
    """
    if isinstance(given, Input):
        return given
    if isinstance(given, Annotators):
        raise UsageError(f"{name}: karatage.Annotators works as the gold of karatage.score and karatage.compare only")
    if isinstance(given, Runs | Sets):
        kind = type(given).__name__
        raise UsageError(
            f"{name}: karatage.{kind} works in karatage.compare only, as gold or as a whole system, not within another"
        )
    if isinstance(given, str | Path):
        path = str(given)
        return open_list_file(path, format) if is_list_file(path) else open_files(path, format)
    if are_paths(given):
        return open_paths(given, format, name)
    if isinstance(given, Claims | Tagged):
        content: Content = "spans" if isinstance(given, Claims) else "tags"
        return Input(name=name, read=lambda *_: iter([given]), content=content)
    if type(given).__name__ == "LazyFrame" and hasattr(given, "collect"):
        given = given.collect()
    if hasattr(given, "columns") and (hasattr(given, "to_dicts") or hasattr(given, "to_dict")):
        return _frame(given, name)
    if isinstance(given, Mapping) and are_records(given.values()):
        ids = _ids(given, name)
        return _records([{**plain(own), "id": key} for key, own in zip(ids, given.values(), strict=True)], name)
    if isinstance(given, Mapping) and all(isinstance(own, Mapping) for own in given.values()):
        return _mappings(given, name)
    if isinstance(given, Mapping):
        return _lists(list(given.values()), _ids(given, name), name)
    if isinstance(given, Iterable):
        return _lists(given if isinstance(given, list) else list(given), None, name)
    raise UsageError(
        f"cannot read {name} from {type(given).__name__}: give a path, lists of tags or spans, or a data frame"
    )


def _records(records: list[Any], name: str) -> Input:
    """Take records with entities, as they would be read from JSON."""

    def read(_: Input, options: ReadOptions) -> Iterator[Any]:
        yield claims_of_records(records, name, options)

    return Input(name=name, read=read, content="spans", systems=True)


def _lists(rows: list[Any], ids: list[str] | None, name: str) -> Input:
    if ids is None and are_records(rows):
        return _records([plain(row) for row in rows], name)
    if are_answers(rows):
        named = [{}] * len(rows) if ids is None else [{"id": own} for own in ids]
        return _records([{**own, **answer_record(row)} for own, row in zip(named, rows, strict=True)], name)
    if are_entity_lists(rows):
        named = [{}] * len(rows) if ids is None else [{"id": own} for own in ids]
        entities = zip(named, map(plain, rows), strict=True)
        return _records([{**own, "entities": found} for own, found in entities], name)
    if rows and all(isinstance(row, tuple) and len(row) == 3 and isinstance(row[1], int) for row in rows):
        raise InputError("expected a list of spans per unit, got one flat list", source=name, hint=_NESTED)
    first = next((row for row in rows if not isinstance(row, str) and hasattr(row, "__len__") and len(row)), None)
    sample = next(iter(first)) if first is not None and not isinstance(first, Mapping) else first
    content: Content = "spans"
    if isinstance(sample, str) or (sample is not None and not isinstance(sample, Mapping | tuple | list)):
        content = "tags"
    elif sample is None:
        content = "tags" if any(isinstance(row, str) or not hasattr(row, "__len__") for row in rows) else "unknown"

    def read(own: Input, options: ReadOptions) -> Iterator[Any]:
        if own.content in ("spans", "token spans"):
            yield from_spans(rows, ids, name, "char" if own.content == "spans" else "token")
        else:
            units = Units(len(rows), ids, source=name)
            yield Tagged(units, (Tags.from_lists(rows, source=name, empty=options.empty_tags),))

    return Input(name=name, read=read, content=content)


_NESTED = "Put the spans of each unit into a list of their own: [[('PER', 0, 4)], …]"


def from_spans(rows: list[Any], ids: list[str] | None, name: str, space: Space) -> Claims:
    """Make claims of one list of spans per unit."""
    units = Units(len(rows), ids, source=name)
    table: list[tuple[int, str, int, int, Fragments | None, str | None]] = []
    valued = False
    for unit, given in enumerate(rows):
        if isinstance(given, Mapping):
            fields = _fields(given, name, units.name(unit))
            table += [(unit, label, -1, -1, None, value) for label, value in fields]
            valued = valued or bool(fields)
            continue
        if not isinstance(given, list | tuple):
            raise InputError(
                f"expected a list of spans, got {type(given).__name__}", source=name, unit=units.name(unit)
            )
        for span in given:
            label, start, end, value = _span(span, name, units.name(unit))
            valued = valued or start is None
            table.append((unit, label, -1 if start is None else start, -1 if end is None else end, None, value))
    if valued and any(row[2] >= 0 for row in table):
        raise InputError("some spans have offsets and some only values", source=name)
    return Claims.build(units, "value" if valued else space, table)


def _fields(record: Mapping[Any, Any], name: str, unit: str | int) -> list[tuple[str, str]]:
    """Return the fields of a record with each of their values, which are texts."""
    if "label" in record and len(record) > 1 and record.keys() <= _SPAN_KEYS:
        raise InputError("expected a list of spans per unit, got one span", source=name, unit=unit, hint=_NESTED)
    rows = [(label, value) for label, values in record.items() if not is_null(values) for value in _as_list(values)]
    for label, value in rows:
        if not isinstance(label, str):
            raise InputError(f"the name of the field {label!r:.40} must be a string", source=name, unit=unit)
        if not isinstance(value, str):
            raise InputError(
                f"the field {label!r:.40} must be a string or a list of strings, got {value!r:.40}",
                source=name,
                unit=unit,
                hint="Write numbers as text, as they stand in the text. For search, give each document a number",
            )
    return rows


_SPAN_KEYS = {"label", "start", "end", "value"}


def _ids(rows: Mapping[Any, Any], name: str) -> list[str]:
    """Return the keys of a mapping as ids."""
    found = [id_text(key) for key in rows]
    for key, own in zip(rows, found, strict=True):
        if own is None:
            raise InputError(f"the id {key!r:.40} must be a string or an integer, and not empty", source=name)
    return [own for own in found if own is not None]


def _as_list(values: Any) -> list[Any]:
    return list(values) if isinstance(values, list | tuple) else [values]


def _span(span: Any, name: str, unit: str | int) -> tuple[str, int | None, int | None, str | None]:
    value: Any = None
    if isinstance(span, tuple) and len(span) == 2 and isinstance(span[0], str) and isinstance(span[1], str):
        return span[0], None, None, span[1]  # as nearly always, where there are values
    if isinstance(span, Mapping):
        label, start, end, value = (span.get(key) for key in ("label", "start", "end", "value"))
    elif isinstance(span, list | tuple) and len(span) == 3:
        label, start, end = span if isinstance(span[0], str) else (span[2], span[0], span[1])
    elif isinstance(span, list | tuple) and len(span) == 2 and all(isinstance(x, str) for x in span):
        (label, value), start, end = span, None, None
    else:
        label = start = end = None
    value = None if is_null(value) else value
    nowhere = is_null(start) and is_null(end)
    start, end = whole(start), whole(end)
    offsets = start is not None and end is not None
    valued = isinstance(value, str)
    if isinstance(label, str) and ((offsets and (valued or value is None)) or (nowhere and valued)):
        return label, start, end, value
    raise InputError(
        f"cannot read the span {span!r:.80}",
        source=name,
        unit=unit,
        hint="A span is (label, start, end), a mapping with label, start and end, or (label, value)",
    )


def _mappings(rows: Mapping[Any, Mapping[Any, Any]], name: str) -> Input:
    """Take documents with numbers as relevance, and anything else as fields with their values."""
    sample = next((value for own in rows.values() for value in own.values() if not is_null(value)), None)
    number = not isinstance(sample, bool) and (isinstance(sample, int | float) or hasattr(sample, "dtype"))
    fields = _lists(list(rows.values()), _ids(rows, name), name)

    def read(own: Input, options: ReadOptions) -> Iterator[Any]:
        if own.content == "relevance":
            from karatage.formats import from_mapping

            yield from_mapping(rows, name)
        else:
            yield from fields.read(own, options)

    return Input(
        name=name, read=read, content="relevance" if number else "unknown" if sample is None else fields.content
    )


def _frame(frame: Any, name: str) -> Input:
    from karatage.formats import claims_of_frame, from_frame, is_relevance

    header = [str(column) for column in frame.columns]
    relevance = is_relevance(header)
    if not relevance and not is_claim_table(header) and {"entities", *ANSWERS} & set(header):
        rows = frame.to_dicts() if hasattr(frame, "to_dicts") else frame.to_dict("records")
        return _records([plain(row) for row in rows], name)

    def read(own: Input, options: ReadOptions) -> Iterator[Any]:
        if not relevance:
            yield claims_of_frame(frame, name, options)
            return
        scores = own.scores_first and is_relevance(header, "scores")
        yield from_frame(
            frame,
            name,
            "scores" if scores else None,
            repeats=options.repeats,
            columns=options.columns,
            grades=options.grades,
            notes=options.notes,
        )

    return Input(name=name, read=read, content="relevance" if relevance else "spans", systems=not relevance)
