"""The review list: what looks wrong in gold, best first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from karatage.claims import Claims, Fragments
from karatage.errors import UsageError
from karatage.explanation.exporting import ending_of, write_frame
from karatage.formats import span_result, write_array, write_configuration
from karatage.scoring import Texts

_CLAIM = ("label", "start", "end", "text")
COLUMNS = (
    *("rank", "score", "unit", "reason", "kinds"),
    *(f"{side}_{name}" for side in ("gold", "proposed") for name in _CLAIM),
    *("systems", "context"),
)
"""The columns of the list."""

REVIEW_ENDINGS = (".csv", ".jsonl", ".parquet", ".json")
"""What a list can be written as."""


@dataclass(frozen=True, eq=False, repr=False)
class Suspects:
    """Likely errors of gold, ranked. The score orders the list; it is not a probability.

    Attributes:
        frame: one row per suspect with its rank, score, unit, reason, the kinds of evidence for it, the gold claim,
            what is proposed instead (nothing, where the claim should go), how many systems agree, and the context.
        gold: the gold claims.
        texts: the texts of the units, where known.
        rows: for each suspect the number of its unit and of its gold claim, -1 where it has none.
        pieces: the pieces of proposals that are discontinuous, by rank.
        of: how many units the test set has, of which a large one was checked in part; None where all were.
    """

    frame: pl.DataFrame
    gold: Claims = field(repr=False)
    texts: Texts | None = field(repr=False)
    rows: tuple[tuple[int, int], ...] = field(repr=False)
    pieces: Mapping[int, Fragments] = field(default_factory=dict, repr=False)
    of: int | None = None

    def __len__(self) -> int:
        return self.frame.height

    def __repr__(self) -> str:
        return f"<Suspects: {len(self):,} of {len(self.gold):,} gold claims>"

    @property
    def checked(self) -> int:
        """How many units were checked."""
        return len(self.gold.units)

    @property
    def sampled(self) -> bool:
        """Whether only a random sample of the units was checked."""
        return self.of is not None

    def to_tasks(self, *, annotations: bool = False) -> list[dict[str, Any]]:
        """Return one Label Studio task per suspect, ready to be imported.

        Each has two predictions for the whole unit: `gold` as it is, and `proposal`, which is gold with the one
        change. Offsets count characters; tokens are joined by one blank.

        Args:
            annotations: whether gold is an annotation, to be corrected in place, and not a prediction.
        """
        if self.texts is None:
            raise UsageError("Label Studio tasks need texts and offsets, which gold lacks: use .csv or .jsonl")
        return [self._task(row, annotations) for row in self.frame.iter_rows(named=True)]

    def _task(self, row: dict[str, Any], annotations: bool) -> dict[str, Any]:
        assert self.texts is not None  # noqa: S101  the caller looked
        unit, suspect = self.rows[row["rank"] - 1]
        text = self.texts.texts[unit]
        claims = self._claims_of(unit)
        gold = [one for _, one in claims]
        proposal = [one for at, one in claims if at != suspect]
        if row["proposed_label"] is not None:
            place = (row["proposed_start"], row["proposed_end"])
            proposal.append((row["proposed_label"], self.pieces.get(row["rank"], (place,))))
        data = {"text": text, "unit": str(row["unit"]), "reason": row["reason"], "score": round(row["score"], 4)}
        results = self._results(unit, text, gold), self._results(unit, text, sorted(proposal, key=lambda one: one[1]))
        predictions = [
            {"model_version": name, "score": share, "result": result}
            for name, result, share in zip(("gold", "proposal"), results, (1 - row["score"], row["score"]), strict=True)
        ]
        if annotations:
            kept = {"was_cancelled": False, "ground_truth": False, "result": results[0]}
            return {"data": data, "annotations": [kept], "predictions": predictions[1:]}
        return {"data": data, "predictions": predictions}

    def _claims_of(self, unit: int) -> list[tuple[int, tuple[str, Fragments]]]:
        """Return the gold claims of a unit, with their rows."""
        low, high = (int(at) for at in self.gold.unit.searchsorted([unit, unit + 1]))
        own = self.gold.keep(slice(low, high))  # type: ignore[arg-type]  # a slice picks rows as well as a mask does
        return [
            (low + at, (label, pieces or ((start, end),)))
            for at, (_, label, start, end, pieces, _) in enumerate(own.rows())
        ]

    def _results(self, unit: int, text: str, claims: list[tuple[str, Fragments]]) -> list[dict[str, Any]]:
        import numpy as np

        assert self.texts is not None  # noqa: S101  the caller looked
        flat = [(label, place) for label, pieces in claims for place in pieces]
        ends = np.array([place for _, place in flat], np.int64).reshape(-1, 2)
        tokens = self.gold.space == "token"
        low, high = self.texts.characters(np.full(len(ends), unit), ends[:, 0], ends[:, 1], tokens=tokens)
        return [
            span_result(f"s{at}", text, start, end, label)
            for at, ((label, _), start, end) in enumerate(zip(flat, low.tolist(), high.tolist(), strict=True))
        ]

    def write(self, place: str | Path, *, labelling: str | Path | None = None) -> int:
        """Write the list, whole or not at all, and return its length.

        `.csv`, `.jsonl` and `.parquet` are a table, the first with an empty column for decisions; `.json` has tasks for
        Label Studio.

        Args:
            labelling: a file for the labelling configuration of these tasks.
        """
        if ending_of(place, REVIEW_ENDINGS) == ".json":
            write_array(str(place), self.to_tasks())
            if labelling is not None:
                labels = {*self.gold.labels, *self.frame["proposed_label"].drop_nulls().to_list()}
                write_configuration(str(labelling), labels, header="$reason")
            return len(self)
        frame = self.frame
        if ending_of(place) == ".csv":  # which people fill in
            frame = frame.with_columns(pl.lit("").alias("decision"))
        return write_frame(frame, place)
