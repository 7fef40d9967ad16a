"""A plain PyTorch loop of EXP-001's network, as one writes it in an afternoon: the peer of Karat's training."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader

Title = tuple[list[str], int, list[int]]
"""Tokens, category and tag numbers."""


class Network(nn.Module):
    def __init__(self, words: int, tags: int, categories: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, 128, padding_idx=0)
        self.category = nn.Embedding(categories, 10)
        self.lstm = nn.LSTM(138, 128, batch_first=True, bidirectional=True)
        self.out = nn.Linear(256, tags)

    def forward(self, words: torch.Tensor, category: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        own = self.category(category).unsqueeze(1).expand(-1, words.shape[1], -1)
        packed = pack_padded_sequence(
            torch.cat([self.words(words), own], -1), lengths, batch_first=True, enforce_sorted=False
        )
        found, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return self.out(found)


def train(
    titles: Sequence[Title],
    held: Sequence[Title],
    tags: int,
    *,
    epochs: int = 50,
    seed: int = 0,
    device: str = "cpu",
    score: Callable[[list[list[int]]], float] = lambda _: 0.0,
) -> tuple[float, int]:
    """Train, scoring the held-out titles after each epoch; return the best score and its epoch."""
    torch.manual_seed(seed)
    numbers = {"": 0, "<unk>": 1}
    for tokens, _, _ in titles:
        for token in tokens:
            numbers.setdefault(token, len(numbers))

    def collate(batch: Sequence[Title]) -> tuple[torch.Tensor, ...]:
        words = pad_sequence([torch.tensor([numbers.get(t, 1) for t in b[0]]) for b in batch], batch_first=True)
        gold = pad_sequence([torch.tensor(b[2]) for b in batch], batch_first=True, padding_value=-100)
        return words, torch.tensor([b[1] for b in batch]), torch.tensor([len(b[0]) for b in batch]), gold

    network = Network(len(numbers), tags, 1 + max(t[1] for t in titles)).to(device)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss(ignore_index=-100)
    loader = DataLoader(titles, batch_size=32, shuffle=True, collate_fn=collate)
    best = (0.0, 0)
    for epoch in range(1, epochs + 1):
        network.train()
        for words, category, lengths, gold in loader:
            optimizer.zero_grad()
            found = network(words.to(device), category.to(device), lengths)
            loss = criterion(found.flatten(0, 1), gold.to(device).flatten())
            loss.backward()
            optimizer.step()
        network.eval()
        out: list[list[int]] = []
        with torch.no_grad():
            for at in range(0, len(held), 32):
                words, category, lengths, _ = collate(held[at : at + 32])
                chosen = network(words.to(device), category.to(device), lengths).argmax(-1).tolist()
                out += [row[:n] for row, n in zip(chosen, lengths.tolist(), strict=True)]
        best = max(best, (score(out), epoch), key=lambda one: one[0])
    return best
