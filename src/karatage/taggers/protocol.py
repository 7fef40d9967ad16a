"""What a tagger is, and what all taggers share: spans as claims, label maps, optional packages."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from karatage.claims import Claims, Units
from karatage.errors import missing_package, unknown
from karatage.formats import Lost, to_tokens

Offsets = tuple[int, int]
"""Start and end of a part of a text: half-open, in characters."""

Span = tuple[int, int, str]
"""Start, end (half-open, in characters) and label."""

DROPPED = ("", "O")
"""Mapping a label to one of these drops its spans."""


class TextTagger(Protocol):
    """Anything that turns texts into claims.

    A tagger may also have a string `version` for what its answers depend on besides its name. A journal is valid for
    one version of one tagger.
    """

    @property
    def name(self) -> str:
        """Its name in reports, e.g. `hf:models/estbert (words: estnltk)`."""

    @property
    def labels(self) -> frozenset[str] | None:
        """The labels that it can return, after the label map; None if unknown."""

    def tag(self, texts: Sequence[str]) -> Claims:
        """Find the spans of each text: one unit per text, in order, in characters, with the texts."""


class Tagger(TextTagger, Protocol):
    """Anything that turns texts or tokens into claims, and may use their attributes."""

    def tag(
        self, texts: Sequence[str] | Sequence[Sequence[str]], attributes: Mapping[str, Sequence[str]] | None = None
    ) -> Claims:
        """Find the spans of each text, in characters, or of each list of tokens, in tokens."""


@runtime_checkable
class UnitTagger(Protocol):
    """A tagger that tags whole units and knows how confident it is."""

    def tag_units(self, units: Units, *, scores: bool = False) -> Claims:
        """Tag units: in tokens if they have tokens, else in characters of their texts."""


@dataclass(frozen=True)
class LabelMap:
    """The labels of a tagger, and new names for some of them.

    Attributes:
        known: the tagger's own labels; None if unknown.
        renamed: the new names. A label that is mapped to "" or "O" is dropped.
    """

    known: frozenset[str] | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for label in self.renamed:
            if self.known is not None and label not in self.known:
                raise unknown("label of the tagger", label, self.known)

    def labels(self) -> frozenset[str] | None:
        """Return the labels after renaming, if known."""
        if self.known is None:
            return None
        return frozenset(self.renamed.get(label, label) for label in self.known) - set(DROPPED)

    def rename(self, spans: Iterable[Span]) -> list[Span]:
        """Return the spans with their new labels, without the dropped ones."""
        dropped = {label for label, new in self.renamed.items() if new in DROPPED}
        return [(start, end, self.renamed.get(label, label)) for start, end, label in spans if label not in dropped]


def full_name(name: str, words: str | None, renamed: Mapping[str, str]) -> str:
    """Return the name of a tagger with the options that change its answers."""
    changes = [f"words: {words}"] if words is not None else []
    changes += [f"{label}={new or 'O'}" for label, new in sorted(renamed.items())]
    return f"{name} ({', '.join(changes)})" if changes else name


def claims_of(texts: Sequence[str], spans: Iterable[Iterable[Span]]) -> Claims:
    """Make claims of the spans of each text; an invalid span is an error that names the text by its number."""
    rows = [(i, label, start, end, None, None) for i, own in enumerate(spans) for start, end, label in own]
    return Claims.build(Units(len(texts), texts=list(texts)), "char", rows)


def tag_texts_or_tokens(
    find: Callable[[Sequence[str]], Claims],
    texts: Sequence[str] | Sequence[Sequence[str]],
    attributes: Mapping[str, Sequence[str]] | None,
) -> Claims:
    """Let a function that takes texts tag texts or tokens; tokens are joined by spaces.

    A span that starts or ends inside a token is dropped.
    """
    if not len(texts) or isinstance(texts[0], str):
        found = find(texts)  # type: ignore[arg-type]  # the first is a text, so all are
    else:
        found = find([" ".join(tokens) for tokens in texts])
        found = to_tokens(replace(found, units=replace(found.units, tokens=texts)), Lost())
    return replace(found, units=replace(found.units, attributes=dict(attributes or {})))


def spans_of(claims: Claims) -> list[list[Span]]:
    """Return the spans of each text."""
    out: list[list[Span]] = [[] for _ in range(len(claims.units))]
    for unit, label, start, end, _, _ in claims.rows():
        out[unit].append((start, end, label))
    return out


def import_optional(module: str, extra: str) -> Any:
    """Import a module of an optional package; if it is missing, the error says how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise missing_package(module.partition(".")[0], extra=extra, error=error) from None


def one_line(error: BaseException) -> str:
    """Return the first line of an error's message, or its type if it has none."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def fingerprint(files: Iterable[Path]) -> str:
    """Return a hash of the names and contents of files."""
    total = hashlib.sha256()
    for path in sorted(files):
        with path.open("rb") as stream:
            total.update(path.name.encode("utf-8", "surrogateescape") + b"\0")
            total.update(hashlib.file_digest(stream, "sha256").digest())
    return f"sha256:{total.hexdigest()[:32]}"
