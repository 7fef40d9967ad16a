"""Running a model over texts of any length: in overlapping windows, sorted by length, in batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from karatage.errors import UsageError
from karatage.taggers.protocol import needed
from karatage.taggers.subwords import Tokenized

_BATCH = 32
"""Windows per run of the model."""


@dataclass(frozen=True)
class _Window:
    """What the model sees at once.

    Attributes:
        columns: the columns of its input, what the tokenizer adds before and behind the text included.
        first: the first of its pieces, counted in the text.
        count: how many pieces of the text it holds.
        added: how many positions stand before them.
    """

    columns: dict[str, list[int]]
    first: int
    count: int
    added: int


@dataclass(frozen=True)
class Windowed:
    """A model that labels the pieces of texts.

    A text of more pieces than the model takes is cut into windows that share a quarter of their pieces with the
    next one. A piece takes its tag from the window where its nearer cut is farthest away.

    Attributes:
        tokenizer: makes the pieces; a fast one, which knows their places.
        model: the model, on its device.
        tags: the tag of each of its classes.
        limit: how many pieces it takes at once, those that the tokenizer adds included.
    """

    tokenizer: Any
    model: Any
    tags: tuple[str, ...]
    limit: int

    def __call__(self, texts: Sequence[str]) -> list[Tokenized]:
        """Return the pieces of each text with their tags."""
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
        pieces = [_inside(mask) for mask in special]
        windows = [self._cut({name: found[name][i] for name in found}, own) for i, own in enumerate(pieces)]
        classes = iter(self._classes([window for own in windows for window in own]))
        out = []
        for text, own, inside, places in zip(texts, windows, pieces, offsets, strict=True):
            numbers = _joined(len(inside), own, [next(classes) for _ in own])
            out.append(Tokenized(text, [tuple(places[i]) for i in inside], [self.tags[number] for number in numbers]))
        return out

    def _cut(self, columns: dict[str, list[int]], pieces: range) -> list[_Window]:
        """Return the windows over the pieces of a text, none if it has no pieces."""
        if not pieces:
            return []
        before, count = pieces.start, len(pieces)
        room = self.limit - (len(columns["input_ids"]) - count)
        if room < 1:
            raise UsageError(f"the model takes {self.limit} pieces at once, which leaves none for the text")
        step = room - room // 4
        return [
            _Window(
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

    def _classes(self, windows: list[_Window]) -> list[list[int]]:
        """Return the class of each piece of the text in each window."""
        torch = needed("torch", "hf")
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
        """Put the windows of a batch into tensors, the shorter ones filled up at their ends."""
        torch = needed("torch", "hf")
        longest = max(len(row["input_ids"]) for row in rows)
        fill = {"input_ids": self.tokenizer.pad_token_id or 0}
        return {
            name: torch.tensor(
                [row[name] + [fill.get(name, 0)] * (longest - len(row[name])) for row in rows], device=self.model.device
            )
            for name in rows[0]
        }


def _inside(special: list[int]) -> range:
    """Return the positions of the text's pieces: all between what the tokenizer adds at both ends."""
    return range(special.index(0), len(special) - special[::-1].index(0)) if 0 in special else range(0)


def _joined(total: int, windows: list[_Window], classes: list[list[int]]) -> list[int]:
    """Return the class of each piece of a text: that of the window whose nearer cut is farthest away."""
    best = [(-1, 0)] * total
    for window, own in zip(windows, classes, strict=True):
        behind = window.first + window.count
        for i, number in enumerate(own, window.first):
            left = i - window.first if window.first else total
            right = behind - 1 - i if behind < total else total
            best[i] = max(best[i], (min(left, right), number), key=lambda one: one[0])  # the first of equals
    return [number for _, number in best]
