"""Running a model over texts of any length: in overlapping windows, sorted by length, in batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from karatage.errors import UsageError
from karatage.taggers.protocol import import_optional
from karatage.taggers.subword_spans import LabelledSubwords

_BATCH = 32
"""Windows per forward pass."""


@dataclass(frozen=True)
class _SlidingWindow:
    """What the model sees at once.

    Attributes:
        columns: the columns of its input, with the special tokens at both ends.
        first: the index of its first subword in the text.
        count: how many subwords of the text it has.
        added: how many special tokens come before them.
    """

    columns: dict[str, list[int]]
    first: int
    count: int
    added: int


@dataclass(frozen=True)
class WindowedModel:
    """A model that labels the subwords of texts.

    A text with more subwords than the model takes is cut into windows that share a quarter of their subwords with the
    next one. A subword gets its tag from the window in which it is farthest from a cut.

    Attributes:
        tokenizer: a fast tokenizer, which knows the offsets of subwords.
        limit: how many subwords the model takes at once, including special tokens.
    """

    tokenizer: Any
    model: Any
    tags: tuple[str, ...]
    limit: int

    def __call__(self, texts: Sequence[str]) -> list[LabelledSubwords]:
        """Return the subwords of each text with their tags."""
        if not texts:
            return []
        # The windows are cut here: what tokenizers do with text beyond a limit differs between their versions.
        found = self.tokenizer(
            list(texts),
            truncation=False,
            padding=False,
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
            verbose=False,
        )
        special, offsets = found.pop("special_tokens_mask"), found.pop("offset_mapping")
        inner = [_without_special(mask) for mask in special]
        windows = [self._cut({name: found[name][i] for name in found}, own) for i, own in enumerate(inner)]
        classes = iter(self._classes([window for own in windows for window in own]))
        out = []
        for text, own, inside, pairs in zip(texts, windows, inner, offsets, strict=True):
            numbers = _join(len(inside), own, [next(classes) for _ in own])
            tags = [self.tags[number] for number in numbers]
            out.append(LabelledSubwords(text, [tuple(pairs[i]) for i in inside], tags))
        return out

    def _cut(self, columns: dict[str, list[int]], inner: range) -> list[_SlidingWindow]:
        """Return the windows over the subwords of a text; none if it has no subwords."""
        if not inner:
            return []
        before, count = inner.start, len(inner)
        room = self.limit - (len(columns["input_ids"]) - count)
        if room < 1:
            raise UsageError(f"the model takes {self.limit} subwords at once, which leaves no room for the text")
        step = room - room // 4
        return [
            _SlidingWindow(
                {
                    name: row[:before] + row[before + at : before + min(at + room, count)] + row[before + count :]
                    for name, row in columns.items()
                },
                at,
                min(room, count - at),
                before,
            )
            for at in range(0, max(count - room + step, 1), step)
        ]

    def _classes(self, windows: list[_SlidingWindow]) -> list[list[int]]:
        """Return the class of each subword of the text in each window."""
        torch = import_optional("torch", "hf")
        out: list[list[int]] = [[] for _ in windows]
        order = sorted(range(len(windows)), key=lambda i: windows[i].count)
        for at in range(0, len(order), _BATCH):
            batch = order[at : at + _BATCH]
            with torch.inference_mode():
                logits = self.model(**self._padded([windows[i].columns for i in batch])).logits
            for i, best in zip(batch, logits.argmax(-1).tolist(), strict=True):
                out[i] = best[windows[i].added : windows[i].added + windows[i].count]
        return out

    def _padded(self, rows: list[dict[str, list[int]]]) -> dict[str, Any]:
        """Put the windows of a batch into tensors, padded at the end."""
        torch = import_optional("torch", "hf")
        longest = max(len(row["input_ids"]) for row in rows)
        fill = {"input_ids": self.tokenizer.pad_token_id or 0}
        return {
            name: torch.tensor(
                [row[name] + [fill.get(name, 0)] * (longest - len(row[name])) for row in rows], device=self.model.device
            )
            for name in rows[0]
        }


def _without_special(special: list[int]) -> range:
    """Return the positions between the special tokens at both ends."""
    return range(special.index(0), len(special) - special[::-1].index(0)) if 0 in special else range(0)


def _join(total: int, windows: list[_SlidingWindow], classes: list[list[int]]) -> list[int]:
    """Return the class of each subword of a text, from the window in which it is farthest from a cut."""
    best = [(-1, 0)] * total
    for window, own in zip(windows, classes, strict=True):
        stop = window.first + window.count
        for i, number in enumerate(own, window.first):
            left = i - window.first if window.first else total
            right = stop - 1 - i if stop < total else total
            best[i] = max(best[i], (min(left, right), number), key=lambda one: one[0])  # the first of equals
    return [number for _, number in best]
