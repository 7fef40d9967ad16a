"""Which scheme tags are written in, told only where the tags leave one answer."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from karatage.claims.decoding import TagDecoder
from karatage.claims.parsing import Style, read_tag
from karatage.claims.schemes import SCHEMES, Scheme
from karatage.claims.tags import Tags
from karatage.errors import UsageError


def candidates(tags: Tags, style: Style | None = None) -> list[Scheme]:
    """Return every scheme in which the tags are valid, in the order of `SCHEMES`, EMPTY left out."""
    style = style or Style()
    present = np.unique(tags.codes)
    letters = {read_tag(tags.vocabulary[code], style)[0] for code in present.tolist() if code} - {"O"}
    return [
        scheme
        for scheme in SCHEMES.values()
        if scheme.prefixes and letters <= set(scheme.prefixes) and len(TagDecoder(scheme, style).invalid(tags)) == 0
    ]


def detect(layers: Iterable[Tags], style: Style | None = None) -> Scheme:
    """Return the one scheme in which all tags are valid.

    Tags that are all O are valid in every scheme, and I tags alone in three: then the answer would be a guess, and
    an error says so.
    """
    found = [scheme for scheme in SCHEMES.values() if scheme.prefixes]
    for tags in layers:
        valid = candidates(tags, style)
        found = [scheme for scheme in found if scheme in valid]
    if len(found) == 1:
        return found[0]
    names = ", ".join(scheme.name for scheme in found)
    reason = f"the tags are valid in several schemes ({names})" if found else "the tags are valid in no scheme"
    raise UsageError(f"cannot detect the tagging scheme: {reason}. Set it with --scheme")


def detect_like_seqeval(prefixes: set[str]) -> Scheme | None:
    """Return the scheme that seqeval's `auto_detect` makes of the prefix letters, O included; None where it refuses."""
    inner = prefixes - {"O", "I"}
    if inner in ({"B"}, {"E"}) and prefixes <= {"O", "I", "B", "E"}:
        return SCHEMES["IOB2" if "B" in inner else "IOE2"]
    for name, first, last, single in (("IOBES", "B", "E", "S"), ("BILOU", "B", "L", "U")):
        if prefixes == {single} or {first, last} <= prefixes <= {"O", "I", first, last, single}:
            return SCHEMES[name]
    return None
