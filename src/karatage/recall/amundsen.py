"""The layout of the Amundsen benchmarks: `data_description.csv` with a row per stratum, and a file of positives each.

What was read is written back byte for byte. The paths of positives are relative to the folder above the benchmark.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import NoReturn

from karatage.errors import InputError
from karatage.formats import Source
from karatage.recall.benchmark import Benchmark, Positive, Stratum
from karatage.recall.csv_tables import read_table, whole_number, write_table
from karatage.recall.drawing.draw_folder import MANIFEST, slugs

DESCRIPTION = "data_description.csv"
SETS = "data/recall_sets"

_COUNTS = ("occurences", "labelled", "positive")  # spelt as the layout spells it
_RATIOS = ("occurence_ratio", "detection_ratio", "relative_frequency")
_COLUMNS = ("", "population", *_COUNTS, *_RATIOS, "file")
_SET_COLUMNS = ("", "text", "span", "correct")


def folder_of(place: str | Path) -> Path:
    """Return the folder of a benchmark, which may be named by its description."""
    path = Path(place)
    return path if path.is_dir() else path.parent


def read_benchmark(place: str | Path, defects: list[InputError] | None = None) -> Benchmark:
    """Read a benchmark from its folder or its description.

    Args:
        place: the folder or the description.
        defects: gets what is wrong with files of positives, which then have none; without it, that is an error.
    """
    path = Path(place)
    description = path / DESCRIPTION if path.is_dir() else path
    if path.is_dir() and not description.exists():
        drawn = (path / MANIFEST).exists()
        hint = "Import labels first: karatage recall import" if drawn else "Name the folder of a benchmark"
        raise InputError(f"holds no {DESCRIPTION}", source=str(path), hint=hint)
    source = Source(description)
    header, rows = read_table(source)
    missing = [name for name in ("population", *_COUNTS, "file") if name not in header]
    if missing:
        raise InputError(
            f"has no column {', '.join(missing)}",
            source=source.name,
            line=1,
            hint=f"A description has the columns {', '.join(_COLUMNS[1:])}",
        )
    strata = tuple(_stratum(row, line, source, description, defects) for line, row in rows)
    if not strata:
        raise InputError("describes no stratum", source=source.name)
    names = [stratum.name for stratum in strata]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"the stratum {twice!r} is there twice", source=source.name)
    return Benchmark(description.resolve().parent.name, strata, source.name)


def _stratum(
    row: dict[str, str], line: int, source: Source, description: Path, defects: list[InputError] | None
) -> Stratum:
    occurrences, labelled, positive = (whole_number(row[name], name, source, line) for name in _COUNTS)
    unresolved = whole_number(row.get("unresolved") or "0", "unresolved", source, line)
    name = row["population"]
    if not name:
        raise InputError("the stratum has no name", source=source.name, line=line)
    positives: tuple[Positive, ...] = ()
    if row["file"] or positive:
        try:
            positives = read_positives(find_file(description, row["file"], line, source.name))
        except InputError as error:
            if defects is None:
                raise
            defects.append(error)
    return Stratum(name, occurrences, labelled, positives, unresolved, positive, row["file"], row)


def find_file(description: Path, file: str, line: int, source: str) -> Path:
    """Find a file of positives: the paths are relative to the folder above the benchmark, or to the benchmark."""
    folder = description.resolve().parent
    inner = PurePosixPath(file.replace("\\", "/"))
    if not file or inner.is_absolute() or ".." in inner.parts:
        raise InputError(f"the file {file!r} is not a path inside the benchmark", source=source, line=line)
    tried = [folder.parent / inner, folder / inner, folder / PurePosixPath(*inner.parts[1:])]
    for path in tried:
        if path.is_file():
            return path
    raise InputError(
        f"no such file: {file}",
        source=source,
        line=line,
        hint="Paths of positives are relative to the folder above the benchmark, or to the benchmark itself",
    )


def read_positives(path: Path) -> tuple[Positive, ...]:
    """Read a file of positives: columns text, span (a literal with start, end, text and labels) and correct."""
    source = Source(path)
    header, rows = read_table(source)
    missing = [name for name in ("text", "span") if name not in header]
    if missing:
        raise InputError(f"has no column {', '.join(missing)}", source=source.name, line=1)
    return tuple(_positive(row, line, source.name) for line, row in rows)


def _positive(row: dict[str, str], line: int, source: str) -> Positive:
    def fail(problem: str, hint: str | None = None) -> NoReturn:
        raise InputError(problem, source=source, line=line, hint=hint)

    shape = "A span reads {'start': 0, 'end': 5, 'text': 'Japan', 'labels': ['LOC']}"
    try:
        span = ast.literal_eval(row["span"])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        fail(f"the span {row['span'][:60]!r} cannot be read", shape)
    if not isinstance(span, dict):
        fail(f"the span {row['span'][:60]!r} is not a dictionary", shape)
    start, end, labels, text = span.get("start"), span.get("end"), span.get("labels"), row["text"]
    if type(start) is not int or type(end) is not int:
        fail("the span has no whole numbers start and end", shape)
    if not isinstance(labels, list) or not labels or not all(isinstance(one, str) and one for one in labels):
        fail("the span has no labels", shape)
    if not 0 <= start < end <= len(text):
        fail(f"the span {start}–{end} does not lie in its text of {len(text)} characters")
    quoted = span.get("text", text[start:end])
    if quoted != text[start:end]:
        fail(f"at {start}–{end} the text has {text[start:end]!r:.50}, but {quoted!r:.50} is quoted")
    correct = row.get("correct") or None
    if correct not in (None, "yes", "no"):
        fail(f"correct is {correct!r:.30}", "It is yes, no or empty")
    return Positive(text, start, end, tuple(labels), None if correct is None else correct == "yes", span, row.get(""))


def write_benchmark(benchmark: Benchmark, folder: str | Path) -> None:
    """Write a benchmark; the description comes last, so an interrupted writing leaves none."""
    place = Path(folder)
    strata = _with_files(benchmark.strata, place.resolve().name)
    for stratum in strata:
        parts = PurePosixPath(stratum.file).parts
        path = place.joinpath(*(parts[1:] if len(parts) > 1 and parts[0] == place.resolve().name else parts))
        path.parent.mkdir(parents=True, exist_ok=True)
        write_table(path, _SET_COLUMNS, (_set_row(at, one) for at, one in enumerate(stratum.positives)))
    columns = _COLUMNS + (("unresolved",) if any(stratum.unresolved for stratum in strata) else ())
    known = dict.fromkeys(key for stratum in strata for key in stratum.row)
    columns += tuple(key for key in known if key not in columns)
    write_table(place / DESCRIPTION, columns, _description(strata, columns))


def _with_files(strata: Sequence[Stratum], folder: str) -> list[Stratum]:
    """Give each stratum that has none a file of its own."""
    taken = {stratum.file for stratum in strata}
    out = []
    for stratum, slug in zip(strata, slugs([one.name for one in strata]), strict=True):
        path, number = f"{folder}/{SETS}/{slug}.csv", 2
        while not stratum.file and path in taken:
            path, number = f"{folder}/{SETS}/{slug}-{number}.csv", number + 1
        out.append(stratum if stratum.file else replace(stratum, file=path))
        taken.add(out[-1].file)
    return out


def _set_row(at: int, one: Positive) -> list[str]:
    span = dict(one.span) or {"start": one.start, "end": one.end, "text": one.quoted, "labels": list(one.labels)}
    correct = {None: "", True: "yes", False: "no"}[one.correct]
    return [str(at) if one.number is None else one.number, one.text, repr(span), correct]


def _description(strata: Sequence[Stratum], columns: Sequence[str]) -> Iterator[list[str]]:
    total = sum(stratum.occurrences for stratum in strata)
    share = [len(s.positives) / s.labelled if s.labelled else 0.0 for s in strata]
    expected = [s.occurrences * part for s, part in zip(strata, share, strict=True)]
    whole = sum(expected)
    for at, stratum in enumerate(strata):
        ratios = (stratum.occurrences / total if total else 0.0, share[at], expected[at] / whole if whole else 0.0)
        found = dict(stratum.row) | {
            "": stratum.row.get("", str(at)),
            "population": stratum.name,
            "occurences": str(stratum.occurrences),
            "labelled": str(stratum.labelled),
            "positive": str(len(stratum.positives)),
            "file": stratum.file,
            "unresolved": str(stratum.unresolved),
        }
        for name, value in zip(_RATIOS, ratios, strict=True):
            found[name] = _kept(stratum.row.get(name), value)
        yield [found.get(name, "") for name in columns]


def _kept(old: str | None, value: float) -> str:
    """Return a number as it was written, where it is the same but for rounding."""
    try:
        same = old is not None and math.isclose(float(old), value, rel_tol=1e-12)
    except ValueError:
        same = False
    return old if same and old is not None else repr(value)
