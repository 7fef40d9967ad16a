"""Makes the demonstration's files again: `python -m karatage.demo.make`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from karatage.demo.demo_taggers import TAGGERS
from karatage.demo.demo_titles import Title, titles
from karatage.demo.engines import files
from karatage.demo.label_matrices import matrix_files
from karatage.demo.recall_benchmark import benchmark_contents

DATA = Path(__file__).parent / "data"


def contents() -> dict[str, str]:
    """Return the text of each file by its name."""
    gold = titles()
    tags = {"gold": [list(title.tags) for title in gold]}
    tags |= {name: [tagger(title.tokens) for title in gold] for name, tagger in TAGGERS.items()}
    out = {f"{name}.conll": _columns(gold, rows) for name, rows in tags.items()}
    out |= {f"{name}-values.tsv": _values(gold, tags[name]) for name in ("gold", "context")}
    return out | files(gold) | matrix_files(gold) | benchmark_contents()


def _columns(gold: Sequence[Title], tags: Sequence[Sequence[str]]) -> str:
    """Write CoNLL columns with the titles' numbers as ids."""
    blocks = []
    for title, row in zip(gold, tags, strict=True):
        lines = [f"{token}\t{tag}" for token, tag in zip(title.tokens, row, strict=True)]
        blocks.append("\n".join([f"# sent_id = {title.number}", *lines]) + "\n\n")
    return "".join(blocks)


def _values(gold: Sequence[Title], tags: Sequence[Sequence[str]]) -> str:
    """Write number, category, aspect and value, as the eBay 2025 challenge wants a submission."""
    return "".join(
        f"{title.number}\t{title.category}\t{aspect}\t{text}\n"
        for title, row in zip(gold, tags, strict=True)
        for aspect, text in title.entities(row)
    )


if __name__ == "__main__":
    for name, text in contents().items():
        (DATA / name).parent.mkdir(parents=True, exist_ok=True)
        (DATA / name).write_text(text, "utf-8")
