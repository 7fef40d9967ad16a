"""The scores of one system, as a log has them: a number for each sample, epoch and metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from karatage._arrays import Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class SampleScores:
    """The scores of one system.

    Attributes:
        source: the file or folder that they come from.
        ids: the id of each sample within its task.
        tasks: the task of each sample; empty where the log names none.
        attributes: other facts about samples, such as their metadata, as texts.
        contents: what each sample is about, to check that two logs have the same samples; None where it is unknown.
        epochs: the names of the epochs.
        runs: whether epochs are runs of a system that was trained several times, and not repeated answers of one.
        values: the scores of each metric by epoch and sample; NaN where there is none.
        rising: whether a metric is better when it is higher; those without an entry are.
        headline: the metric to look at first, where the log names one.
        notes: what a reader of the scores should know, as counts.
    """

    source: str
    ids: Sequence[str]
    tasks: Sequence[str]
    attributes: Mapping[str, Sequence[str]]
    contents: Sequence[str | None]
    epochs: tuple[str, ...]
    values: Mapping[str, Floats]
    runs: bool = False
    rising: Mapping[str, bool] = field(default_factory=dict)
    headline: str = ""
    notes: Counter[str] = field(default_factory=Counter)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"<SampleScores: {len(self):,} samples, {len(self.epochs)} epochs, {', '.join(self.values)}>"
