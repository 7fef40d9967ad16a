"""All formats by name, and which of them a file is in. Packages add theirs by entry points in `karatage.formats`."""

from __future__ import annotations

from karatage._plugins import Registry
from karatage.errors import FormatError
from karatage.formats.format import FileStart, Format
from karatage.formats.io import Source
from karatage.formats.json.label_studio_exports import refuse_other_exports

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
        "values": "karatage.formats.json.field_values:VALUES",
        "brat": "karatage.formats.text.brat:BRAT",
        "text": "karatage.formats.text.plain_text:TEXT",
        "parquet": "karatage.formats.tables.claim_tables:PARQUET",
        "csv": "karatage.formats.tables.claim_tables:CSV",
        "trec-qrels": "karatage.formats.search.trec:QRELS",
        "trec-run": "karatage.formats.search.trec:RUN",
    },
)


def get_format(name: str) -> Format:
    """Look up a format by its name."""
    return _FORMATS[name]


def format_names() -> list[str]:
    """Return the names of all formats, including those of plugins."""
    return _FORMATS.names()


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
            return known
    problem = "cannot detect the format of this binary file" if binary else "cannot detect the format"
    raise FormatError(problem, source=source.name, hint="Set it with --format; `karatage formats` lists all formats")
