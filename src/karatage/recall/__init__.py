"""Recall benchmarks: draw a sample of a corpus, label it, and estimate the recall of taggers on the whole.

The way of the data: `draw` → labels → `import_labels` → `Benchmark` → `estimate` → `Board`."""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
