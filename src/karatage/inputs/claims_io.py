"""Reading and writing claims: `karatage.read`, `karatage.scan`, `karatage.write`, `karatage.convert`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from karatage.claims import Claims, Style, TagDecoder, Tagged, scheme
from karatage.errors import FormatError, UsageError
from karatage.formats import ReadOptions, WriteOptions, convert as convert_batches, format_names, get_format
from karatage.inputs.corpus import open_corpus


def scan(
    source: Any,
    *,
    format: str | None = None,  # noqa: A002  users say format
    columns: tuple[str, ...] | list[str] = (),
    unit: str = "sentence",
    scheme: str | None = None,
    separator: str = "-",
    suffix: bool = False,
    notes: Counter[str] | None = None,
) -> Iterator[Claims]:
    """Read claims batch by batch, in memory that does not grow with the file.

    Args:
        source: a path, a folder, a pattern, `-`, lists of tags or spans, or a data frame.
        format: the files' format; sniffed if left out.
        columns: which columns of a column file hold tags.
        unit: `sentence` or `document`, where a format knows both.
        scheme: the scheme to enforce; left out, any scheme is read leniently.
        separator: what parts prefix and type in tags.
        suffix: whether the prefix comes last.
        notes: gets what the reader passes over, as counts.
    """
    if unit not in ("sentence", "document"):
        raise UsageError(f"a unit is a sentence or a document, not {unit!r}")
    decoder = _decoder(scheme, Style(separator, suffix))
    options = ReadOptions(
        tuple(str(c) for c in columns),
        unit,  # type: ignore[arg-type]  # checked above
        decoder.scheme is not None and decoder.scheme.name == "EMPTY",
        notes=Counter() if notes is None else notes,
    )
    corpus = open_corpus(source, format=format, name="the input")
    if corpus.search:
        raise UsageError(f"{corpus.name}: relevance for search can be scored, but not read or converted as claims")
    for batch in corpus.read(options):
        yield batch.decode(decoder) if isinstance(batch, Tagged) else batch


def _decoder(name: str | None, style: Style) -> TagDecoder:
    return TagDecoder(scheme(name) if name else None, style)


def read(source: Any, **options: Any) -> Claims:
    """Read all claims into one table; takes what `scan` takes."""
    return Claims.concatenate(list(scan(source, **options)))


def write(
    claims: Claims,
    place: str | Path,
    *,
    format: str | None = None,  # noqa: A002  users say format
    scheme: str = "IOB2",
    separator: str = "-",
    suffix: bool = False,
) -> dict[str, int]:
    """Write claims to a file, whole or not at all.

    Args:
        claims: what to write.
        place: a path; its ending chooses the compression (`.gz`, `.zst`) and, if `format` is left out, the format.
        format: the format to write.
        scheme: the tagging scheme, for formats that have tags.
        separator: what parts prefix and type in tags.
        suffix: whether the prefix comes last.

    Returns:
        What the format could not hold, as counts.
    """
    return _write(iter([claims]), str(place), format, scheme, Style(separator, suffix))


def convert(
    source: Any,
    place: str | Path,
    *,
    to: str | None = None,
    write_scheme: str = "IOB2",
    write_separator: str = "-",
    write_suffix: bool = False,
    allow_loss: bool = True,
    **options: Any,
) -> dict[str, int]:
    """Read one format and write another, batch by batch.

    Args:
        source: what to read; `options` are those of `scan`.
        place: where to write.
        to: the format to write; told from the ending of `place` if left out.
        write_scheme: the tagging scheme to write.
        write_separator: what parts prefix and type in the tags written.
        write_suffix: whether the prefix comes last in the tags written.
        allow_loss: whether to go on where the format cannot hold everything; else that is an error, and nothing is
            written.
        options: how to read, as for `scan`.

    Returns:
        What the format could not hold and what the reader passed over, as counts.
    """
    style = Style(write_separator, write_suffix)
    notes: Counter[str] = Counter()
    lost = _write(scan(source, notes=notes, **options), str(place), to, write_scheme, style, allow_loss)
    return lost | notes


def _write(
    batches: Iterator[Claims],
    place: str,
    format_name: str | None,
    scheme_name: str,
    style: Style,
    allow_loss: bool = True,
) -> dict[str, int]:
    chosen = get_format(format_name or format_by_ending(place))
    options = WriteOptions(scheme(scheme_name), style)
    if allow_loss:
        return dict(convert_batches(batches, chosen, place, options))
    if place == "-" or chosen.folder:
        raise UsageError("what would be lost can be checked only before writing a file: name one")
    path = Path(place)
    if path.is_dir():
        raise UsageError(f"{place} is a folder, not a file to write")
    trial = path.with_name(f".trial-{path.name}")
    try:
        lost = convert_batches(batches, chosen, str(trial), options)
        if lost:
            what = ", ".join(f"{kind} ({count})" for kind, count in lost.items())
            raise FormatError(
                f"the format {chosen.name} cannot hold everything: {what}",
                source=place,
                hint="Nothing was written",
            )
        trial.replace(path)
    finally:
        trial.unlink(missing_ok=True)
    return {}


def format_by_ending(place: str) -> str:
    """Tell the format to write from the ending of a file's name."""
    name = place.lower().removesuffix(".gz").removesuffix(".zst")
    fits = [f for f in map(get_format, format_names()) if f.write and any(name.endswith(s) for s in f.suffixes)]
    if len(fits) == 1:
        return fits[0].name
    reason = f"several formats end so ({', '.join(f.name for f in fits)})" if fits else "no format ends so"
    raise FormatError(f"cannot tell which format to write: {reason}", source=place, hint="Name it with --to")
