"""All formats by name, loaded when asked for; packages add theirs under the entry point `karatage.formats`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from karatage.errors import FormatError, unknown
from karatage.formats.format import FileStart, Format
from karatage.formats.io import Source

# In the order in which they are asked whether they recognise a file: the most particular first.
BUILT_IN = {
    "sigir19": "karatage.challenges.sigir_ecom19.label_matrix",
    "trec-qrels": "karatage.formats.search.trec",
    "trec-run": "karatage.formats.search.trec",
    "parquet": "karatage.formats.tables.claim_tables",
    "brat": "karatage.formats.text.brat",
    "estner": "karatage.formats.json.estner",
    "label-studio": "karatage.formats.json.label_studio",
    "doccano": "karatage.formats.json.doccano",
    "prodigy": "karatage.formats.json.prodigy",
    "spacy": "karatage.formats.json.spacy_json",
    "docbin": "karatage.formats.json.docbin",
    "hf-rows": "karatage.formats.json.hf_rows",
    "hf-pipeline": "karatage.formats.json.hf_rows",
    "values": "karatage.formats.json.field_values",
    "ebay-tagged": "karatage.challenges.ebay_2025.ebay_formats",
    "ebay-listings": "karatage.challenges.ebay_2025.ebay_formats",
    "ebay-submission": "karatage.challenges.ebay_2025.ebay_formats",
    "csv": "karatage.formats.tables.claim_tables",
    "conll": "karatage.formats.columns.conll",
    "text": "karatage.formats.text.plain_text",
}


@cache
def _plugins() -> dict[str, EntryPoint]:
    """Return the formats of other packages by name; looking for them reads the description of every package."""
    return {point.name: point for point in entry_points(group="karatage.formats")}


@cache
def get_format(name: str) -> Format:
    """Look up a format by its name."""
    if name in BUILT_IN:
        formats: dict[str, Format] = import_module(BUILT_IN[name]).FORMATS
        return formats[name]
    if name in _plugins():
        found: Format = _plugins()[name].load()
        return found
    raise unknown("format", name, format_names())


def format_names() -> list[str]:
    """Return the names of all formats, the plugins' included."""
    return [*BUILT_IN, *_plugins()]


def sniff(source: Source) -> Format:
    """Find the format of a source by its start and its name."""
    head = FileStart(source)
    if not head.folder:
        if not head.data.strip():
            raise FormatError("the file is empty", source=source.name)
        if b"\0" in head.data and not head.data.startswith(b"PAR1") and not get_format("docbin").sniff(head):
            raise FormatError("is a binary file", source=source.name, hint=_SAY_WHICH)
    for name in format_names():
        found = get_format(name)
        if found.sniff(head):
            return found
    raise FormatError("no format recognises this", source=source.name, hint=_SAY_WHICH)


_SAY_WHICH = "Name the format with --format; `karatage formats` lists them"
