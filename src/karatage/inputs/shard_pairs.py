"""Shards of gold and of predictions that belong together: by their names, or else in the order of their names."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from karatage.errors import UsageError
from karatage.formats import Source
from karatage.inputs.input import Input

_PACKED = (".gz", ".zst")


def are_shards(inputs: Sequence[Input]) -> bool:
    """Whether inputs are several files each, as many, which can be read again."""
    counts = {len(own.sources) for own in inputs}
    return len(counts) == 1 and counts.pop() > 1 and all(own.content == "files" and not own.once for own in inputs)


def paired_shards(gold: Input, pred: Input) -> Input:
    """Return predictions with their files in the order of those of gold that they belong to.

    Files of the same names belong together; where names do not match, as many files do in the order of their names.
    """
    if not are_shards([gold, pred]):
        return pred
    for key in _KEYS:
        ours, theirs = key(gold.sources), key(pred.sources)
        partner = dict(zip(theirs, pred.sources, strict=True))
        if len(partner) == len(theirs) == len(set(ours)) and partner.keys() == set(ours):
            return replace(pred, sources=tuple(partner[name] for name in ours))
    if gold.listing and pred.listing and gold.listing != pred.listing:
        raise UsageError(
            "the files of gold and predictions have different names, and are not listed in the same order: which "
            "belong together? Give both sides the same names, or sort both lists by name"
        )
    return pred


def without_partner(gold: Input, pred: Input) -> str:
    """Say which file of one side the other side lacks, where names tell; an empty text where they do not."""
    if not len(gold.sources) > 1 < len(pred.sources):
        return ""
    ours, theirs = (dict(zip(_bare(own.sources), own.sources, strict=True)) for own in (gold, pred))
    if not ours.keys() & theirs.keys():
        return ""
    for side, own, others in (("predictions", ours, theirs), ("gold", theirs, ours)):
        lacking = [source.name for name, source in own.items() if name not in others]
        if lacking:
            more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
            return f"No file of {'the ' if side == 'predictions' else ''}{side} has the name of {lacking[0]}{more}"
    return ""


def _paths(sources: Sequence[Source]) -> list[str]:
    """Return where files are in the folder that contains all of them."""
    paths = [source.location for source in sources]
    folder = os.path.commonpath([path.parent for path in paths])
    return [str(path.relative_to(folder)) for path in paths]


def _names(sources: Sequence[Source]) -> list[str]:
    return [source.file_name for source in sources]


def _bare_paths(sources: Sequence[Source]) -> list[str]:
    return list(map(_without_ending, _paths(sources)))


def _bare(sources: Sequence[Source]) -> list[str]:
    return list(map(_without_ending, _names(sources)))


def _without_ending(name: str) -> str:
    """Remove the extensions: predictions may be compressed, or in another format."""
    path = Path(name)
    path = path.with_suffix("") if path.suffix.lower() in _PACKED else path
    return str(path.with_suffix(""))


_KEYS: tuple[Callable[[Sequence[Source]], list[str]], ...] = (_paths, _names, _bare_paths, _bare)
"""What two files may have in common, tried in this order."""
