"""What was tagged: counts that add up over files, and the summary that users read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import reduce
from operator import add
from typing import Any, Self

from karatage.taggers import Tagger
from karatage.training.model_folder import ModelCard


@dataclass(frozen=True)
class TaggingCounts:
    """What was tagged in some files.

    Attributes:
        formats: the formats that were written.
        notes: what was passed over or could not be written, with how often.
        ungrouped: files without the attribute that the model uses.
        unseen: values of this attribute that the model did not see in training.
    """

    files: int = 0
    units: int = 0
    claims: int = 0
    formats: frozenset[str] = frozenset()
    notes: Mapping[str, int] = field(default_factory=dict)
    ungrouped: int = 0
    unseen: frozenset[str] = frozenset()

    def __add__(self, other: Self) -> TaggingCounts:
        """Count the files of both."""
        return TaggingCounts(
            self.files + other.files,
            self.units + other.units,
            self.claims + other.claims,
            self.formats | other.formats,
            dict(Counter(self.notes) + Counter(other.notes)),
            self.ungrouped + other.ungrouped,
            self.unseen | other.unseen,
        )

    def warnings(self, tagger: Tagger) -> Iterator[str]:
        """Yield a line for each thing that a user should know."""
        for what, count in self.notes.items():
            yield f"{what}: {count:,}"
        card: ModelCard | None = getattr(tagger, "card", None)
        if card is None:
            return
        if self.ungrouped:
            some = "the input does" if self.files == 1 else f"{self.ungrouped:,} of {self.files:,} files do"
            yield f"the model uses {card.group_by}, which {some} not have"
        if self.unseen:
            some = ", ".join(map(repr, sorted(self.unseen)[:5]))
            yield f"{card.group_by} not seen in training, tagged with all labels: {some}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**asdict(self), "formats": sorted(self.formats), "unseen": sorted(self.unseen)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TaggingCounts:
        """Read what `to_dict` returned; anything else raises KeyError, TypeError or ValueError."""
        files, units, claims, ungrouped = (int(data[name]) for name in ("files", "units", "claims", "ungrouped"))
        notes = {str(what): int(count) for what, count in dict(data["notes"]).items()}
        formats, unseen = (frozenset(map(str, data[name])) for name in ("formats", "unseen"))
        return cls(files, units, claims, formats, notes, ungrouped, unseen)


def total(counts: Iterable[TaggingCounts]) -> TaggingCounts:
    """Add counts."""
    return reduce(add, counts, TaggingCounts())


@dataclass(frozen=True)
class TaggingSummary:
    """What was tagged.

    Attributes:
        format: the format that was written; several are separated by commas.
        seconds: how long it took, without loading the model.
        files: how many files were written.
        resumed_files: how many of them an earlier run had written.
        resumed_units: how many of the units are in those.
    """

    units: int
    claims: int
    format: str
    seconds: float
    warnings: tuple[str, ...] = ()
    files: int = 1
    resumed_files: int = 0
    resumed_units: int = 0

    def __str__(self) -> str:
        rate = (self.units - self.resumed_units) / self.seconds if self.seconds else 0.0
        files = f" in {_count(self.files, 'file', 'files')}" if self.files > 1 else ""
        before = f"; {_count(self.resumed_files, 'file was', 'files were')} done before" if self.resumed_files else ""
        found = _count(self.claims, "entity", "entities")
        return (
            f"Tagged {_count(self.units, 'text', 'texts')}{files} and found {found}, "
            f"written as {self.format} ({rate:,.0f} texts per second{before})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**vars(self), "warnings": list(self.warnings)}


def summary_of(
    counts: TaggingCounts, tagger: Tagger, seconds: float, before: TaggingCounts | None = None, *more: str
) -> TaggingSummary:
    """Return what users read of counts.

    Args:
        before: what was tagged by an earlier run, which is among the counts.
        more: further warnings.
    """
    before = before or TaggingCounts()
    return TaggingSummary(
        counts.units,
        counts.claims,
        ", ".join(sorted(counts.formats)),
        seconds,
        (*counts.warnings(tagger), *more),
        counts.files,
        before.files,
        before.units,
    )


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
