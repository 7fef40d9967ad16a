"""Reading and writing claims: `karatage.read`, `karatage.scan`, `karatage.write`, `karatage.convert`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from shutil import copyfileobj
from typing import Any, Literal, Unpack

from karatage._options import check_names, pick, takes
from karatage._temporaries import scratch_folder
from karatage._writing import check_file, check_not_input, writing
from karatage.claims import Claims, Style, TagDecoder, Tagged, scheme
from karatage.errors import FormatError, InputError, UsageError
from karatage.formats import (
    CHOICE,
    LABEL_STUDIO,
    LABEL_STUDIO_PREDICTIONS,
    MAGIC,
    Format,
    ReadOptions,
    WriteOptions,
    check_configuration,
    check_named,
    convert as convert_batches,
    convert_relevance,
    format_names,
    get_format,
    named_grades,
    write_configuration,
)
from karatage.inputs.in_memory import as_input
from karatage.inputs.input import Input
from karatage.inputs.reading import Reading, ReadingKeywords, TagReading


@takes(Reading, TagReading)
def scan(
    source: Any,
    *,
    notes: Counter[str] | None = None,
    unlabelled: bool = False,
    others: bool = False,
    **options: Unpack[ReadingKeywords],
) -> Iterator[Claims]:
    """Read claims batch by batch, in memory that does not grow with the file.

    Args:
        source: A path, a folder, a pattern, `-`, lists of tags or spans, or a data frame.
        notes: Counts what the reader passes over.
        unlabelled: Whether to read tasks that nobody labelled as well, for their texts.
        others: Whether `notes` also counts what is neither a text nor an entity: relations, comments, further columns.
        options: Reading options.
    """
    check_names(options, Reading, TagReading)
    reading, tags = pick(Reading, options), pick(TagReading, options)
    if reading.unit not in ("sentence", "document"):
        raise UsageError(f"unit must be 'sentence' or 'document', not {reading.unit!r}")
    style = Style("-" if tags.separator is None else tags.separator, bool(tags.suffix))
    decoder = TagDecoder(scheme(tags.scheme) if tags.scheme else None, style)
    columns = (reading.columns,) if isinstance(reading.columns, str) else reading.columns
    empty = decoder.scheme is not None and decoder.scheme.name == "EMPTY"
    given = as_input(source, format=reading.format, name="the input")
    if given.relevance:
        raise UsageError(f"{given.name} contains search results or judgements: score or convert them")
    chosen = ReadOptions(
        tuple(map(str, columns)), reading.unit, empty, unlabelled=unlabelled, others=others, invalid=reading.invalid
    )
    given = replace(given, options=chosen)
    try:
        for batch in given.batches(notes):
            yield batch.decode(decoder) if isinstance(batch, Tagged) else batch
    except InputError as error:
        if error.unit is None:
            raise
        raise error.called(given.noun) from None


@takes(Reading, TagReading)
def read(source: Any, *, notes: Counter[str] | None = None, **options: Unpack[ReadingKeywords]) -> Claims:
    """Read all claims into one table.

    Args:
        source: Anything that `scan` takes.
        notes: Counts what the reader passes over.
        options: Reading options.
    """
    return Claims.concatenate(list(scan(source, notes=notes, **options)))


def write(
    claims: Claims,
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002  users say format
    scheme: str = "IOB2",
    separator: str = "-",
    suffix: bool = False,
) -> dict[str, int]:
    """Write claims to a file, whole or not at all.

    Args:
        claims: What to write.
        path: Where to write; its ending chooses the compression (`.gz`, `.zst`) and, by default, the format.
        format: Format to write.
        scheme: Tagging scheme, for formats that have tags.
        separator: Separator between prefix and type in tags.
        suffix: Whether the prefix comes last.

    Returns:
        What the format cannot represent, as counts.
    """
    return _write(iter([claims]), str(path), format, scheme, Style(separator, suffix))


@takes(Reading, TagReading)
def convert(
    source: Any,
    path: str | Path,
    *,
    to: str | None = None,
    write_scheme: str = "IOB2",
    write_separator: str = "-",
    write_suffix: bool = False,
    allow_loss: bool = True,
    labelling: str | Path | None = None,
    **options: Unpack[ReadingKeywords],
) -> dict[str, int]:
    """Read one format and write another, batch by batch.

    Args:
        source: What to read: anything that `scan` takes.
        path: Where to write.
        to: Format to write; by default, the ending of `path` chooses it.
        write_scheme: Tagging scheme to write.
        write_separator: Separator between prefix and type in the tags written.
        write_suffix: Whether the prefix comes last in the tags written.
        allow_loss: Whether to continue where the format cannot represent everything; otherwise that is an error, and
            nothing is written.
        labelling: File for the labelling configuration of a Label Studio project for these tasks.
        options: Reading options.

    Returns:
        What the format cannot represent and what the reader passed over, as counts.
    """
    style = Style(write_separator, write_suffix)
    notes: Counter[str] = Counter()
    strict = None if allow_loss else notes
    given = as_input(source, format=options.get("format"), name="the input")
    for target in (path, labelling):
        check_not_input(target or "", [one.path for one in given.sources if not (one.once or one.remote)])
    if given.relevance:
        if labelling is not None:
            raise UsageError("--labelling works with entities only, not with search results or judgements")
        return _convert_search(given, str(path), to, notes, strict, options)
    batches = scan(given, notes=notes, others=True, **options)
    if labelling is None:
        return _write(batches, str(path), to, write_scheme, style, strict) | notes
    if get_format(to or format_by_ending(str(path))) not in (LABEL_STUDIO, LABEL_STUDIO_PREDICTIONS):
        names = f"{LABEL_STUDIO.name} and {LABEL_STUDIO_PREDICTIONS.name}"
        raise UsageError(f"--labelling works with --to {names} only")
    check_configuration(str(labelling))
    labels: set[str] = set()
    choices: set[str] = set()
    lost = _write(_noting(batches, labels, choices), str(path), to, write_scheme, style, strict)
    write_configuration(str(labelling), labels, choices)
    return lost | notes


def _convert_search(
    given: Input,
    target: str,
    to: str | None,
    notes: Counter[str],
    strict: Counter[str] | None,
    options: ReadingKeywords,
) -> dict[str, int]:
    """Read judgements or results as a whole, and write them."""
    check_names(options, Reading, TagReading)
    reading = pick(Reading, options)
    chosen = get_format(to or format_by_ending(target, search=True))
    columns = (reading.columns,) if isinstance(reading.columns, str) else reading.columns
    kinds: list[Literal["grades", "scores"]] = [one for one in _KINDS if one in chosen.holds]
    wanted = ReadOptions(
        tuple(map(str, columns)),
        others=True,
        relevance=kinds[0] if len(kinds) == 1 else None,
        query_list=str(reading.query_list or ""),
        grades=reading.grades or "",
    )
    check_graded(given, wanted.grades)
    try:
        found = list(replace(given, options=wanted).batches(notes))
    except InputError as error:
        raise (error if error.unit is None else error.called("query")) from None
    check_named(wanted.columns, [notes])
    kept = _written(partial(convert_relevance, found, given.name), chosen, target, strict)
    return kept if strict is not None else kept | {what: count for what, count in notes.items() if count}


def check_graded(given: Input, grades: str) -> None:
    """Refuse grades for words where judgements have none: they are columns of tables and keys of JSON lines."""
    if not grades:
        return
    named_grades(grades)
    if given.content == "files" and given.format.name not in ("search-csv", "search-jsonl"):
        parquet = [one for one in given.sources if not (one.once or one.is_folder) and one.head().startswith(MAGIC)]
        if not parquet:
            raise UsageError(f"--grades works for tables and JSON lines: {given.name} is {given.format.name}")


_KINDS: tuple[Literal["grades"], Literal["scores"]] = ("grades", "scores")


def _noting(batches: Iterator[Claims], labels: set[str], choices: set[str]) -> Iterator[Claims]:
    """Pass batches on, and collect their labels and choices."""
    for claims in batches:
        labels.update(claims.labels)
        choices.update(filter(None, claims.units.attributes.get(CHOICE, ())))
        yield claims


def _write(
    batches: Iterator[Claims],
    target: str,
    format_name: str | None,
    scheme_name: str,
    style: Style,
    notes: Counter[str] | None = None,
) -> dict[str, int]:
    """Write a corpus; with notes, which count what the reader passes over, only if nothing is lost."""
    chosen = get_format(format_name or format_by_ending(target))
    options = WriteOptions(scheme(scheme_name), style)
    return _written(lambda form, place: convert_batches(batches, form, place, options), chosen, target, notes)


def _written(
    write: Callable[[Format, str], Counter[str]], chosen: Format, target: str, notes: Counter[str] | None
) -> dict[str, int]:
    """Write by what is given the format and the file; with notes, only if nothing is lost."""
    if notes is None:
        return dict(write(chosen, target))
    if chosen.folder:
        raise UsageError("--strict (in Python allow_loss=False) needs an output file")
    check_file(target)
    with scratch_folder() as folder:
        bare = target.lower().removesuffix(".gz").removesuffix(".zst")  # compressed when it is copied
        trial = folder / f"converted{Path(bare).suffix}"
        lost = write(chosen, str(trial)) + notes
        if lost:
            what = ", ".join(f"{kind} ({count:,})" for kind, count in lost.items())
            raise FormatError(
                f"converting to {chosen.name} would lose something: {what}", source=target, hint="Nothing was written"
            )
        with trial.open("rb") as done, writing(target) as out:
            copyfileobj(done, out)
    return {}


def format_by_ending(path: str, *, search: bool = False) -> str:
    """Return the format to write by the ending of a file's name, of those for search or of the others."""
    name = path.lower().removesuffix(".gz").removesuffix(".zst")
    every = [form for form in map(get_format, format_names()) if form.search == search]
    known = [form for form in every if any(name.endswith(end) for end in form.suffixes)]
    known = [form for form in known if not (search and form.folder)]
    fits = [form for form in known if form.write]
    if len(fits) == 1:
        return fits[0].name
    reason = "unknown extension"
    if known:
        reason = f"{known[0].name} can be read but not written"
    if fits:
        reason = f"several formats use this extension ({', '.join(form.name for form in fits)})"
    raise FormatError(f"cannot choose a format to write: {reason}", source=path, hint="Set it with --to")
