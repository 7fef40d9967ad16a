"""A plain PyTorch loop of exp-001's network, as one writes it without Karatage: the peer of `--config exp-001`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader

Title = tuple[list[str], int, list[int]]
"""Tokens, category and tag numbers."""

Row = tuple[torch.Tensor, int, torch.Tensor]


class Network(nn.Module):
    """Word and category embeddings, a bidirectional LSTM, a linear layer.

    Unpacked it is quicker, but what it says of a title then hangs on the padding, and so on the titles beside it.
    """

    def __init__(self, words: int, tags: int, categories: int, *, packed: bool = True) -> None:
        super().__init__()
        self.packed = packed
        self.words = nn.Embedding(words, 128, padding_idx=0)
        self.category = nn.Embedding(categories, 10)
        self.lstm = nn.LSTM(138, 128, batch_first=True, bidirectional=True)
        self.out = nn.Linear(256, tags)

    def forward(self, words: torch.Tensor, category: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        own = self.category(category).unsqueeze(1).expand(-1, words.shape[1], -1)
        given = torch.cat([self.words(words), own], -1)
        if not self.packed:
            plain: torch.Tensor = self.out(self.lstm(given)[0])
            return plain
        packed = pack_padded_sequence(given, lengths, batch_first=True, enforce_sorted=False)
        padded, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        found: torch.Tensor = self.out(padded)
        return found


def collate(batch: Sequence[Row]) -> tuple[torch.Tensor, ...]:
    words = pad_sequence([words for words, _, _ in batch], batch_first=True)
    gold = pad_sequence([tags for _, _, tags in batch], batch_first=True, padding_value=-100)
    return words, torch.tensor([c for _, c, _ in batch]), torch.tensor([len(w) for w, _, _ in batch]), gold


def train(
    titles: Sequence[Title],
    held: Sequence[Title],
    tags: int,
    *,
    epochs: int = 50,
    seed: int = 0,
    device: str = "cpu",
    packed: bool = True,
    score: Callable[[list[list[int]]], float],
) -> tuple[float, int, list[list[int]]]:
    """Train, scoring the held-out titles after each epoch; return the best score, its epoch and its tags."""
    torch.manual_seed(seed)
    numbers = {"": 0, "<unk>": 1}
    for tokens, _, _ in titles:
        for token in tokens:
            numbers.setdefault(token, len(numbers))

    def rows(some: Sequence[Title]) -> list[Row]:
        return [(torch.tensor([numbers.get(t, 1) for t in own]), c, torch.tensor(gold)) for own, c, gold in some]

    categories = 1 + max(category for _, category, _ in titles)
    network = Network(len(numbers), tags, categories, packed=packed).to(device)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss(ignore_index=-100)
    # A list is a data set.
    learned: DataLoader[Row] = DataLoader(rows(titles), batch_size=32, shuffle=True, collate_fn=collate)
    checked: DataLoader[Row] = DataLoader(rows(held), batch_size=32, collate_fn=collate)
    best: tuple[float, int, list[list[int]]] = (-1.0, 0, [])
    for epoch in range(1, epochs + 1):
        network.train()
        for words, category, lengths, gold in learned:
            optimizer.zero_grad()
            found = network(words.to(device), category.to(device), lengths)
            loss = criterion(found.flatten(0, 1), gold.to(device).flatten())
            loss.backward()
            optimizer.step()
        network.eval()
        out: list[list[int]] = []
        with torch.no_grad():
            for words, category, lengths, _ in checked:
                chosen = network(words.to(device), category.to(device), lengths).argmax(-1).tolist()
                out += [row[:n] for row, n in zip(chosen, lengths.tolist(), strict=True)]
        value = score(out)
        if value > best[0]:
            best = (value, epoch, out)
    return best
