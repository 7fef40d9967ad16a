"""File formats: one file each, one registry, sniffing, and errors that name file and line."""

from karatage.formats.base import Format, Head, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source
from karatage.formats.registry import format_names, get_format, sniff

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
