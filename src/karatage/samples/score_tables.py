"""Tables of scores, in CSV or JSON lines: a row for each sample, so that any harness can be used."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from karatage.errors import FormatError
from karatage.formats import FileStart, Source, check_row, is_null, read_rows, records
from karatage.samples.log_formats import LogFormat
from karatage.samples.score_rows import ScoreRows, as_score, sample_id

IDS = ("id", "sample", "sample_id")
EPOCHS = ("epoch", "run", "seed", "repeat")
_RUNS = ("run", "seed")
"""Columns that tell models apart that were trained or set up several times."""
SYSTEMS = ("system", "model")
SCORE = "score"
_CLAIMS = {"label", "start", "end", "start_offset", "entities", "spans", "query_id", "doc_id", "tokens", "ents"}
"""What tables of entities and of search results have."""


def is_score_table(columns: Iterable[Any]) -> bool:
    """Whether columns are those of a table of scores: an id and a score, or several of them (`score/…`)."""
    names = {str(name) for name in columns}
    scores = any(name == SCORE or name.startswith(f"{SCORE}/") for name in names)
    return scores and not names.isdisjoint(IDS) and names.isdisjoint(_CLAIMS)


def _sniff(start: FileStart) -> bool:
    if start.objects:
        return start.objects_are(lambda one: is_score_table(one) and _numbers(one))
    first = start.lines[0] if start.lines else ""
    return any(is_score_table(next(csv.reader([first], delimiter=sign), ())) for sign in ",\t;")


def _numbers(one: Mapping[str, Any]) -> bool:
    """Whether the scores are numbers or null: texts are values to extract."""
    return all(value is None or isinstance(value, bool | int | float) for name, value in one.items() if _is_score(name))


def _is_score(name: str) -> bool:
    return name == SCORE or name.startswith(f"{SCORE}/")


def _read(source: Source, rows: ScoreRows) -> None:
    head = source.head()[:1]
    take_rows(_json_rows(source) if head in (b"{", b"[") else _csv_rows(source), rows, source.name)


def _json_rows(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    if source.head()[:1] == b"[":
        for line, row in records(source):
            if not isinstance(row, dict):
                raise FormatError("expected an array of objects", source=source.name, line=line)
            yield line, row
        return
    for line, text in source.lines():
        if not text.strip():
            continue
        try:
            row = json.loads(text)
        except ValueError as error:
            raise FormatError(f"invalid JSON ({error})", source=source.name, line=line) from None
        if not isinstance(row, dict):
            raise FormatError("expected an object per line", source=source.name, line=line)
        yield line, row


def _csv_rows(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    first = source.head().split(b"\n", 1)[0]
    delimiter = max("\t;,", key=lambda sign: first.count(sign.encode()))
    header: list[str] | None = None
    for line, row in read_rows(source, delimiter):
        if header is None:
            header = [name.strip() for name in row]
            if len(set(header)) < len(header):
                raise FormatError("two columns have the same name", source=source.name, line=line)
            continue
        if not any(row):
            continue
        check_row(row, header, source, line)
        yield line, {name: value or None for name, value in zip(header, row, strict=True)}


_TRUTH = {"true": 1.0, "false": 0.0}
"""Words for scores, as tables write the truth values of their programs."""


def take_rows(given: Iterable[tuple[int | None, dict[str, Any]]], rows: ScoreRows, source: str) -> None:
    """Take the rows of a table."""
    for line, row in given:
        ids, epochs, systems = (next((name for name in names if name in row), None) for names in (IDS, EPOCHS, SYSTEMS))
        scores = [name for name in row if _is_score(name)]
        if ids is None or not scores:
            wanted = "an id (id, sample or sample_id) and a score (score, or score/NAME for each of several)"
            raise FormatError(f"a row needs {wanted}", source=source, line=line)
        values: dict[str, float] = {}
        system = "" if systems is None or is_null(row[systems]) else str(row[systems])
        name = sample_id(row[ids], source, line=line, key=ids)
        for metric in scores:
            value = None if is_null(row[metric]) else row[metric]
            number = as_score(_TRUTH.get(value.strip().lower(), value) if isinstance(value, str) else value)
            if number is None:
                raise FormatError(
                    f"{metric} must be a number, got {value!r:.40}", source=source, line=line, unit=name, noun="sample"
                )
            if number != number:
                rows.note(system, f"samples without a {metric}")
            values[metric] = number
        epoch = "1" if epochs is None or is_null(row[epochs]) else str(row[epochs])
        rows.runs = rows.runs or epochs in _RUNS
        rows.add(
            values,
            sample=name,
            source=source,
            line=line,
            system=system,
            epoch=epoch,
            attributes={k: v for k, v in row.items() if k not in (ids, epochs, systems, *scores) and not is_null(v)},
        )


SCORES = LogFormat(
    name="scores",
    about="Tables with an id and a score per row, in CSV or JSON lines; further columns are attributes.",
    suffixes=(".csv", ".jsonl"),
    sniff=_sniff,
    read=_read,
    example="""\
id,score,topic
1,1,sums
2,0.5,sums
3,0,products
""",
)
