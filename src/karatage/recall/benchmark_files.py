"""Files of the Amundsen benchmarks: `data_description.csv`, and one file of positives per stratum.

Reading and writing a benchmark reproduces its files byte for byte.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from karatage._folders import made_folder
from karatage._writing import write_files
from karatage.errors import InputError
from karatage.formats import Source
from karatage.recall.benchmark import Benchmark, Positive, Stratum
from karatage.recall.csv_tables import read_table, table_bytes, whole_number
from karatage.recall.drawing.draw_folder import MANIFEST
from karatage.recall.drawing.draw_record import slugs
from karatage.recall.positive_files import find_positives, outside, target_of

DESCRIPTION = "data_description.csv"
SETS = "data/recall_sets"

_COUNTS = ("occurences", "labelled", "positive")  # the layout's own spelling
_RATIOS = ("occurence_ratio", "detection_ratio", "relative_frequency")
_COLUMNS = ("", "population", *_COUNTS, *_RATIOS, "file")
OWN_COLUMNS = frozenset((*_COLUMNS, "unresolved"))
"""The columns of a description that are written here; others may have anything."""
_SET_COLUMNS = ("", "text", "span", "correct")


def benchmark_folder(path: str | Path) -> Path:
    """Return the folder of a benchmark, given the folder or the description in it."""
    path = Path(path)
    return path if path.is_dir() else path.parent


def read_benchmark(path: str | Path, defects: list[InputError] | None = None) -> Benchmark:
    """Read a benchmark.

    Args:
        path: The folder or the description.
        defects: Receives errors in files of positives, whose strata then have no positives. Without it, such an error
            is raised.
    """
    folder = Path(path)
    description = folder / DESCRIPTION if folder.is_dir() else folder
    if folder.is_dir() and not description.exists():
        drawn = (folder / MANIFEST).exists()
        hint = "Import labels first: karatage recall import" if drawn else "Pass the folder of a benchmark"
        raise InputError(f"{DESCRIPTION} not found", source=str(folder), hint=hint)
    source = Source(description)
    hint = f"A description has the columns {', '.join(_COLUMNS[1:])}"
    _, rows = read_table(source, ("population", *_COUNTS, "file"), hint=hint)
    own = description.resolve().parent
    strata = tuple(_stratum(row, line, source, own, defects) for line, row in rows)
    if not strata:
        raise InputError("the description has no strata", source=source.name)
    for what, names in (("stratum", [one.name for one in strata]), ("file", [one.file for one in strata if one.file])):
        if len(set(names)) < len(names):
            repeated = next(name for name in names if names.count(name) > 1)
            raise InputError(f"duplicate {what} {repeated!r}", source=source.name)
    return Benchmark(own.name, strata, source.name)


def _stratum(row: dict[str, str], line: int, source: Source, folder: Path, defects: list[InputError] | None) -> Stratum:
    occurrences, labelled, positive = (whole_number(row[name], name, source, line) for name in _COUNTS)
    unresolved = whole_number(row.get("unresolved") or "0", "unresolved", source, line)
    if not row["population"]:
        raise InputError("the stratum has no name", source=source.name, line=line)
    positives: tuple[Positive, ...] = ()
    columns: list[str] = []
    elsewhere = ""
    if row["file"] or positive:
        try:
            path = find_positives(folder, row["file"], source=source.name, line=line)
            elsewhere, file = outside(folder, path), Source(path)
            columns, rows = read_table(file, ("text", "span"))
            positives = tuple(_positive(own, number, file.name) for number, own in rows)
        except InputError as error:
            if defects is None:
                raise
            defects.append(error)
    return Stratum(
        name=row["population"],
        occurrences=occurrences,
        labelled=labelled,
        positives=positives,
        unresolved=unresolved,
        positive=positive,
        file=row["file"],
        outside=elsewhere,
        row=row,
        columns=tuple(columns),
    )


def _positive(row: dict[str, str], line: int, source: str) -> Positive:
    """Parse a positive: columns text, span (a literal with start, end, text and labels) and correct."""

    def fail(problem: str, hint: str | None = None) -> NoReturn:
        raise InputError(problem, source=source, line=line, hint=hint)

    shape = "Expected e.g. {'start': 0, 'end': 5, 'text': 'Japan', 'labels': ['LOC']}"
    try:
        span = ast.literal_eval(row["span"])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        fail(f"invalid span {row['span'][:60]!r}", shape)
    if not isinstance(span, dict):
        fail(f"the span {row['span'][:60]!r} is not a dictionary", shape)
    start, end, labels, text = span.get("start"), span.get("end"), span.get("labels"), row["text"]
    if type(start) is not int or type(end) is not int:
        fail("start and end of the span must be whole numbers", shape)
    if not isinstance(labels, list) or not labels or not all(isinstance(one, str) and one for one in labels):
        fail("the span has no labels", shape)
    if not 0 <= start < end <= len(text):
        fail(f"the span {start}–{end} is outside its text of {len(text)} characters")
    quoted = span.get("text", text[start:end])
    if quoted != text[start:end]:
        fail(f"the text at {start}–{end} is {text[start:end]!r:.50}, but the span says {quoted!r:.50}")
    correct = row.get("correct") or None
    if correct not in (None, "yes", "no"):
        fail(f"correct must be yes, no or empty, got {correct!r:.30}")
    known = None if correct is None else correct == "yes"
    return Positive(text, start, end, tuple(labels), correct=known, span=span, number=row.get("", row.get("id")))


def write_benchmark(
    benchmark: Benchmark, folder: str | Path, *, name: str = "", others: Mapping[Path, bytes] | None = None
) -> None:
    """Write a benchmark, with other files of the same folder, all together; its description is the last of them.

    Args:
        name: The folder's name, if it is to be renamed.
        others: More files, which are written with it.
    """
    target = Path(folder)
    name = name or target.resolve().name
    strata = _with_files(benchmark.strata, name)
    files = dict(others or {})
    for stratum in strata:
        path = target_of(target, stratum.file, name)
        columns = _set_columns(stratum)
        rows = (_set_row(number, one, columns) for number, one in enumerate(stratum.positives))
        files[path] = table_bytes(path, columns, rows)
    header = _COLUMNS + (("unresolved",) if any(stratum.unresolved for stratum in strata) else ())
    known = dict.fromkeys(key for stratum in strata for key in stratum.row)
    header += tuple(key for key in known if key not in header)
    files[target / DESCRIPTION] = table_bytes(target / DESCRIPTION, header, _description(strata, header))
    with made_folder(*(path.parent for path in files)):
        write_files(files, durable=True)


def _with_files(strata: Sequence[Stratum], folder: str) -> list[Stratum]:
    """Choose a file for each stratum that has none."""
    taken = {stratum.file for stratum in strata}
    out = []
    for stratum, slug in zip(strata, slugs([one.name for one in strata]), strict=True):
        path, number = f"{folder}/{SETS}/{slug}.csv", 2
        while not stratum.file and path in taken:
            path, number = f"{folder}/{SETS}/{slug}-{number}.csv", number + 1
        out.append(stratum if stratum.file else replace(stratum, file=path))
        taken.add(out[-1].file)
    return out


def _set_columns(stratum: Stratum) -> tuple[str, ...]:
    """Return the columns of a file of positives: those that were read, if they are columns of the layout."""
    known = all(name in (*_SET_COLUMNS, "id") for name in stratum.columns)
    if not known or not stratum.columns or any(one.correct is not None for one in stratum.positives):
        return _SET_COLUMNS
    return stratum.columns


def _set_row(number: int, one: Positive, columns: Sequence[str]) -> list[str]:
    span = dict(one.span) or {"start": one.start, "end": one.end, "text": one.quoted, "labels": list(one.labels)}
    correct = {None: "", True: "yes", False: "no"}[one.correct]
    first = str(number) if one.number is None else one.number
    cells = {"": first, "id": first, "text": one.text, "span": repr(span), "correct": correct}
    return [cells[name] for name in columns]


def _description(strata: Sequence[Stratum], columns: Sequence[str]) -> Iterator[list[str]]:
    total = sum(stratum.occurrences for stratum in strata)
    shares = [len(s.positives) / s.labelled if s.labelled else 0.0 for s in strata]
    expected = [s.occurrences * share for s, share in zip(strata, shares, strict=True)]
    whole = sum(expected)
    for index, stratum in enumerate(strata):
        frequency = expected[index] / whole if whole else 0.0
        ratios = (stratum.occurrences / total if total else 0.0, shares[index], frequency)
        cells = dict(stratum.row) | {
            "": stratum.row.get("", str(index)),
            "population": stratum.name,
            "occurences": str(stratum.occurrences),
            "labelled": str(stratum.labelled),
            "positive": str(len(stratum.positives)),
            "file": stratum.file,
            "unresolved": str(stratum.unresolved),
        }
        for name, value in zip(_RATIOS, ratios, strict=True):
            cells[name] = _unchanged(stratum.row.get(name), value)
        yield [cells.get(name, "") for name in columns]


def _unchanged(old: str | None, value: float) -> str:
    """Return a number as it was written before, if it is still the same apart from rounding."""
    try:
        same = old is not None and math.isclose(float(old), value, rel_tol=1e-12)
    except ValueError:
        same = False
    return old if same and old is not None else repr(value)
