"""All formats by name, loaded when asked for; packages add theirs under the entry point `karat.formats`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from karat.errors import FormatError, unknown
from karat.formats.base import Format, Head
from karat.formats.io import Source

# In the order in which they are asked whether they recognise a file: the most particular first.
BUILT_IN = {
    "sigir19": "karat.formats.matrix",
    "trec-qrels": "karat.formats.trec",
    "trec-run": "karat.formats.trec",
    "parquet": "karat.formats.tables",
    "brat": "karat.formats.brat",
    "estner": "karat.formats.estner",
    "label-studio": "karat.formats.label_studio",
    "doccano": "karat.formats.doccano",
    "prodigy": "karat.formats.prodigy",
    "spacy": "karat.formats.spacy_json",
    "docbin": "karat.formats.docbin",
    "hf-rows": "karat.formats.huggingface",
    "hf-pipeline": "karat.formats.huggingface",
    "values": "karat.formats.values",
    "ebay-tagged": "karat.formats.ebay",
    "ebay-listings": "karat.formats.ebay",
    "ebay-submission": "karat.formats.ebay",
    "csv": "karat.formats.tables",
    "conll": "karat.formats.conll",
    "text": "karat.formats.text",
}


@cache
def _plugins() -> dict[str, EntryPoint]:
    """Return the formats of other packages by name; looking for them reads the description of every package."""
    return {point.name: point for point in entry_points(group="karat.formats")}


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
    head = Head(source)
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


_SAY_WHICH = "Name the format with --format; `karat formats` lists them"
