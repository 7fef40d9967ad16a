"""Recall benchmarks: draw a sample of a corpus, label it, and estimate the recall of taggers on the whole corpus.

The steps: `draw` → label → `import_labels` → `Benchmark` → `estimate` → `Board`."""

from karatage._doors import open_door

__all__, __getattr__, __dir__ = open_door(__name__)
