"""All formats by name, loaded when asked for; packages add theirs under the entry point `karatage.formats`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from karatage.errors import FormatError, unknown
from karatage.formats.base import Format, Head
from karatage.formats.io import Source

# In the order in which they are asked whether they recognise a file: the most particular first.
BUILT_IN = {
    "sigir19": "karatage.formats.matrix",
    "trec-qrels": "karatage.formats.trec",
    "trec-run": "karatage.formats.trec",
    "parquet": "karatage.formats.tables",
    "brat": "karatage.formats.brat",
    "estner": "karatage.formats.estner",
    "label-studio": "karatage.formats.label_studio",
    "doccano": "karatage.formats.doccano",
    "prodigy": "karatage.formats.prodigy",
    "spacy": "karatage.formats.spacy_json",
    "docbin": "karatage.formats.docbin",
    "hf-rows": "karatage.formats.huggingface",
    "hf-pipeline": "karatage.formats.huggingface",
    "values": "karatage.formats.values",
    "ebay-tagged": "karatage.formats.ebay",
    "ebay-listings": "karatage.formats.ebay",
    "ebay-submission": "karatage.formats.ebay",
    "csv": "karatage.formats.tables",
    "conll": "karatage.formats.conll",
    "text": "karatage.formats.text",
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


_SAY_WHICH = "Name the format with --format; `karatage formats` lists them"
