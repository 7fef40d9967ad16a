"""The options of everything that scores, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from karatage._options import Option, check_names, pick
from karatage.engine import RunningKeywords
from karatage.inputs import Reading, ReadingKeywords, ShardKeywords
from karatage.profiles import ProfileKeywords, ProfileOptions
from karatage.stats import Resampling, ResamplingKeywords

PredictedFormat = Annotated[
    str | None, Option("Format of the predictions, if different.", names="karatage.formats.format_names")
]
Documents = Annotated[str | Path | None, Option("Table of documents with prices, for the price nDCG of sigir-ecom19.")]

System = Annotated[
    str | None, Option("System to score, if predictions in a table or JSON records, or a log of scores, have several.")
]
Scale = Annotated[float | None, Option("Largest possible score of a log, e.g. 100: scores are divided by it.")]


@dataclass(frozen=True, kw_only=True)
class ScoringReading(Reading):
    """How gold and predictions are read."""

    pred_format: PredictedFormat = None
    documents: Documents = None
    system: System = None
    scale: Scale = None


class ScoringKeywords(ReadingKeywords, ProfileKeywords, ResamplingKeywords, total=False):
    """The options that everything takes that scores, as keywords."""

    pred_format: PredictedFormat
    documents: Documents
    system: System
    scale: Scale


class ScoreKeywords(ScoringKeywords, RunningKeywords, ShardKeywords, total=False):
    """The options of `score`, which can use several cores and leave out shards, as keywords."""


RECORDS = (ProfileOptions, ScoringReading, Resampling)


@dataclass(frozen=True, kw_only=True)
class ScoringOptions:
    """The options of a scoring, in records."""

    profile: ProfileOptions
    reading: ScoringReading
    resampling: Resampling

    @classmethod
    def of(cls, given: ScoringKeywords, resamples: int) -> ScoringOptions:
        """Sort keywords into records; one that no record has is an error."""
        check_names(given, *RECORDS)
        return cls(
            profile=pick(ProfileOptions, given),
            reading=pick(ScoringReading, given),
            resampling=pick(Resampling, {**given, "resamples": resamples}),
        )
