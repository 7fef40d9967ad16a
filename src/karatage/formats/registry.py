"""All formats by name, and which of them a file is in. Packages add theirs by entry points in `karatage.formats`."""

from __future__ import annotations

from karatage._plugins import Registry
from karatage.errors import FormatError
from karatage.formats.foreign_files import foreign_file
from karatage.formats.format import FileStart, Format
from karatage.formats.io import Source
from karatage.formats.json.label_studio_exports import refuse_other_exports
from karatage.formats.unrecognised import described_start

_FORMATS: Registry[Format] = Registry(
    "format",
    "karatage.formats",
    {
        "conll": "karatage.formats.columns.conll:CONLL",
        "estner": "karatage.formats.json.estner:ESTNER",
        "label-studio": "karatage.formats.json.label_studio:LABEL_STUDIO",
        "label-studio-predictions": "karatage.formats.json.label_studio:LABEL_STUDIO_PREDICTIONS",
        "doccano": "karatage.formats.json.doccano:DOCCANO",
        "prodigy": "karatage.formats.json.prodigy:PRODIGY",
        "spacy": "karatage.formats.json.spacy_json:SPACY_JSON",
        "docbin": "karatage.formats.json.docbin:DOCBIN",
        "hf-rows": "karatage.formats.json.hf_rows:HF_ROWS",
        "hf-pipeline": "karatage.formats.json.hf_pipeline:HF_PIPELINE",
        "entities": "karatage.formats.json.entity_records:ENTITIES",
        "values": "karatage.formats.json.field_values:VALUES",
        "brat": "karatage.formats.text.brat:BRAT",
        "text": "karatage.formats.text.plain_text:TEXT",
        "parquet": "karatage.formats.tables.claim_tables:PARQUET",
        "csv": "karatage.formats.tables.claim_tables:CSV",
        "trec-qrels": "karatage.formats.search.trec:QRELS",
        "trec-run": "karatage.formats.search.trec:RUN",
        "search-csv": "karatage.formats.search.search_csv:SEARCH_CSV",
        "search-jsonl": "karatage.formats.search.search_json:SEARCH_JSON",
        "elasticsearch": "karatage.formats.search.elasticsearch:ELASTICSEARCH",
        "rank-eval": "karatage.formats.search.rank_eval:RANK_EVAL",
        "quepid": "karatage.formats.search.quepid:QUEPID",
        "rre": "karatage.formats.search.rre:RRE",
        "ltr": "karatage.formats.search.ltr_lines:LTR",
        "beir": "karatage.formats.search.beir:BEIR",
    },
)


def get_format(name: str) -> Format:
    """Look up a format by its name."""
    return _FORMATS[name]


def format_names() -> list[str]:
    """Return the names of all formats, including those of plugins."""
    return _FORMATS.names()


def is_corpus(folder: Source) -> bool:
    """Whether a folder as a whole is a corpus of some format, and not a folder of files."""
    start = FileStart(folder)
    return any(known.folder and known.sniff(start) for known in map(get_format, format_names()))


def _check_alone(found: Format, formats: list[Format], start: FileStart, source: Source) -> None:
    """Refuse a text that two formats of search claim alike."""
    if not found.search or found.binary:
        return
    alike = [other for other in formats if other.search and other.precedence == found.precedence and other is not found]
    names = [found.name, *(other.name for other in alike if other.sniff(start))]
    if len(names) > 1:
        raise FormatError(f"the file may be {' or '.join(names)}", source=source.name, hint="Set it with --format")


def sniff(source: Source) -> Format:
    """Detect the format of a source by its start and its name, asking formats of higher precedence first."""
    start = FileStart(source)
    if not start.folder and not start.data.strip():
        raise FormatError("the file is empty", source=source.name)
    refuse_other_exports(start, source.name)
    binary = b"\0" in start.data
    formats = sorted(map(get_format, format_names()), key=lambda known: -known.precedence)
    for known in formats:
        if (known.binary or not binary) and known.sniff(start):
            _check_alone(known, formats, start, source)
            return known
    raise _undetected(start, source, formats)


def undetected_search(source: Source, *, results: bool) -> FormatError:
    """Return the error for a file that should have judgements, or results, but is in none of their formats."""
    formats = [form for form in map(get_format, format_names()) if form.search]
    option, value = ("--pred-format", "rank") if results else ("--format", "grade")
    named = f"{option} search-csv --columns query=…,document=…,{value}=…"
    return _undetected(FileStart(source), source, formats, named)


def _undetected(start: FileStart, source: Source, formats: list[Format], columns: str = "") -> FormatError:
    """Say what a file starts with, and which of the formats is nearest to it, or how to name its columns."""
    binary = b"\0" in start.data
    foreign = None if start.folder else foreign_file(start.data, source.name)
    if foreign is not None:
        return foreign
    if binary or start.folder:
        problem = "cannot detect the format" + (" of this binary file" if binary else "")
        hint = "Set it with --format; `karatage formats` lists all formats"
        return FormatError(problem, source=source.name, hint=hint)
    said, hint = described_start(start, formats, columns)
    if start.suffixes.endswith((".csv", ".tsv")) and "The nearest format" in hint:
        hint += ". For search with other names of columns, use --format search-csv --columns query=…,document=…,grade=…"
    return FormatError(f"cannot detect the format{said}", source=source.name, hint=hint)
