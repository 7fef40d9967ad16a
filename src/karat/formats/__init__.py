"""File formats: one file each, one registry, sniffing, and errors that name file and line."""

from karat.formats.base import Format, Head, Lost, ReadOptions, WriteOptions
from karat.formats.io import Source
from karat.formats.registry import format_names, get_format, sniff

__all__ = [
    "Format",
    "Head",
    "Lost",
    "ReadOptions",
    "Source",
    "WriteOptions",
    "format_names",
    "get_format",
    "sniff",
]
