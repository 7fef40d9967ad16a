"""What a tag says: its prefix and its type, read once per distinct tag.

Three readers, because three tools read tags differently. `read_tag` is Karatage's own and refuses what it does not
understand; `read_conlleval` and `read_seqeval_strict` never refuse what their tools accept.
"""

from __future__ import annotations

from dataclasses import dataclass

from karatage.errors import TagError, UsageError

UNTYPED = "_"
"""The type of a tag that is a bare prefix."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a tag is put together.

    Attributes:
        separator: what stands between prefix and type.
        suffix: whether the prefix letter comes last (`PER-B`).
    """

    separator: str = "-"
    suffix: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.separator, str) or not self.separator:
            raise UsageError(f"the separator must be a string of at least one character, got {self.separator!r}")


def read_tag(tag: str, style: Style, prefixes: str = "BIESUL") -> tuple[str, str]:
    """Split a tag into its prefix letter and its type; refuse anything else.

    The type may hold the separator: a prefix tag is split at the first one, a suffix tag at the last one.
    """
    if tag == "O":
        return "O", UNTYPED
    if tag in prefixes and len(tag) == 1:
        return tag, UNTYPED
    head, found, tail = tag.rpartition(style.separator) if style.suffix else tag.partition(style.separator)
    letter, kind = (tail, head) if style.suffix else (head, tail)
    if found and len(letter) == 1 and letter in prefixes and kind:
        return letter, kind
    raise TagError(f"invalid tag {tag!r}", hint=_advice(tag, style, prefixes))


def _advice(tag: str, style: Style, prefixes: str) -> str:
    if tag in ("o", "0"):
        return "Use a capital letter O for tokens outside any entity"
    mirrored = Style(style.separator, not style.suffix)
    if _readable(tag, mirrored, prefixes):
        side, verb = ("prefix", "drop") if style.suffix else ("suffix", "add")
        return f"This looks like a {side} tag: {verb} --suffix"
    for other in ("-", "_", "/", ":", "|", "."):
        if other != style.separator and _readable(tag, Style(other, style.suffix), prefixes):
            return f"Did you mean --separator {other!r}?"
    if prefixes != "BIESUL" and _readable(tag, style, "BIESUL"):
        return f"The scheme allows only the prefixes {', '.join(prefixes)}"
    shape = f"TYPE{style.separator}B" if style.suffix else f"B{style.separator}TYPE"
    return (
        f"Expected O or a tag such as {shape}. Set --separator for another separator, --scheme IO for files with "
        "I- tags only, or --scheme EMPTY if a bare type starts an entity and an empty tag continues it"
    )


def _readable(tag: str, style: Style, prefixes: str) -> bool:
    head, found, tail = tag.rpartition(style.separator) if style.suffix else tag.partition(style.separator)
    letter, kind = (tail, head) if style.suffix else (head, tail)
    return bool(found) and len(letter) == 1 and letter in prefixes and bool(kind)


def read_conlleval(tag: str, style: Style) -> tuple[str, str]:
    """Split a tag as seqeval's default mode does: the first (or last) character is the prefix, come what may."""
    if style.suffix:
        return tag[-1], tag[:-1].rsplit("-", maxsplit=1)[0] or UNTYPED
    return tag[0], tag[1:].split("-", maxsplit=1)[-1] or UNTYPED


def read_seqeval_strict(tag: str, style: Style) -> tuple[str, str]:
    """Split a tag as seqeval's strict mode does: the separator is stripped from both ends of what is left."""
    letter, rest = (tag[-1], tag[:-1]) if style.suffix else (tag[0], tag[1:])
    return letter, rest.strip(style.separator) or UNTYPED
