"""Units by their content, where sources have no ids: the second one with the same text has another name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from karatage.errors import UsageError
from karatage.formats import ReadOptions
from karatage.inputs import Input


def identified(*inputs: Input) -> list[Input]:
    """Return inputs whose units have ids: their own, or their tokens or text where one of the inputs has no ids."""
    heads = [next(iter(own.batches()), None) for own in inputs]
    units = [head.units for head in heads if head is not None]
    if all(own.ids is not None for own in units):
        return list(inputs)
    content = next((n for n in ("tokens", "texts") if all(getattr(own, n) is not None for own in units)), None)
    if content is None:
        lacking = next(own.name for own, head in zip(inputs, heads, strict=True) if head and head.units.ids is None)
        raise UsageError(
            f"{lacking}: with a judge, gold labels a part of the {inputs[0].noun}s, so they need ids to be paired by. "
            "Give them ids, or their texts or tokens in all files; in Python, pass mappings from ids"
        )
    return [_named(own.remembered(), content) for own in inputs]


def repeated(names: Collection[str], among: Collection[str]) -> int:
    """Count the units whose content occurs several times, so that it does not say which one they are."""
    known = set(among)
    return sum(_again(name, 2) in known or _first(name) in known for name in names)


def _named(own: Input, content: str) -> Input:
    def read(wanted: Input, options: ReadOptions) -> Iterator[Any]:
        del wanted  # it is the same, under other options
        seen: Counter[str] = Counter()
        for batch in replace(own, options=options).batches(options.notes):
            texts = getattr(batch.units, content)
            ids = []
            for text in (texts[i] if content == "texts" else " ".join(texts[i]) for i in range(len(texts))):
                seen[text] += 1
                ids.append(text if seen[text] == 1 else _again(text, seen[text]))
            yield replace(batch, units=replace(batch.units, ids=ids))

    return replace(own, read=read, _memory=None).remembered()


def _again(text: str, time: int) -> str:
    return f"{text} [{time}]"


def _first(name: str) -> str:
    """Return the name of the first unit with the same content; an empty one for the first itself."""
    text, sign, time = name.rpartition(" [")
    return text if sign and time[:-1].isdigit() and time.endswith("]") else ""
