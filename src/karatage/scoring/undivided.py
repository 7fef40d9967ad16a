"""Why files are read by one process, although an engine could read parts of them."""

from __future__ import annotations

from collections.abc import Sequence

from karatage.errors import KaratageError
from karatage.inputs import Input, are_shards, shard_sizes

_MEGABYTE = 1 << 20


def why_undivided(inputs: Sequence[Input], least: int) -> str:
    """Say why gold and predictions are not read in parts.

    Args:
        inputs: gold, and the predictions of each system.
        least: the size of gold, in bytes, from which files like these are read in parts.
    """
    gold = inputs[0]
    if any(own.content != "files" for own in inputs):
        return "what is not in files is read on this machine"
    if any(source.once for own in inputs for source in own.sources):
        return "pipes are read on this machine"
    try:
        size = sum(shard_sizes(gold))
        if size < least:
            return f"{gold.name} has {_shown(size)}, and files like these are read in parts from {_shown(least)}"
        if any(source.is_folder for own in inputs for source in own.sources):
            return "folders of documents are read on this machine"
        if len({len(own.sources) for own in inputs}) > 1:
            return "gold and predictions have different numbers of files, and are read on this machine"
        if any(own.remembers for own in inputs):
            return "files that stay in memory are read on this machine"
        if not are_shards(inputs):
            whole = next((own for own in inputs if own.format.cuts is None or not own.sources[0].plain), gold)
            packed = "compressed" if not whole.sources[0].plain else f"in the format {whole.format.name}"
            return f"{whole.name} is {packed}, and single files like this are not cut. Split it into shards"
    except (KaratageError, OSError):
        pass  # who reads the files says what is wrong
    return "these files cannot be cut, and are read on this machine"


def _shown(size: int) -> str:
    return f"{size / _MEGABYTE:,.1f} MB" if size % _MEGABYTE else f"{size // _MEGABYTE:,} MB"
