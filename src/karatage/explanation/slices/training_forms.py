"""The surface forms of a training corpus: what a system has seen, how often and as what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from karatage._arrays import Floats, Ints
from karatage.claims import Claims
from karatage.errors import InputError
from karatage.inputs import scan
from karatage.matching import ClaimPair
from karatage.scoring import Texts

SEEN = ("this label only", "ambiguous", "another label only", "unseen")
"""How a form was seen in training: with the claim's label only, with that and another, only with others, or never."""

_PENDING = 1 << 16
"""Rows to hold before equal ones are added up."""


@dataclass(frozen=True, eq=False, repr=False)
class TrainingForms:
    """The distinct surface forms of a training corpus with their labels; case counts, and blanks are one blank.

    Attributes:
        forms: a Polars frame with a row for each form and label: `form`, `label`, `count`.
    """

    forms: pl.DataFrame

    def __len__(self) -> int:
        return len(self.forms)

    def __repr__(self) -> str:
        return f"<TrainingForms: {len(self):,} forms with a label, {int(self.forms['count'].sum()):,} claims>"

    @classmethod
    def read(cls, source: Any, **options: Any) -> TrainingForms:
        """Read a training corpus, in memory that grows with its distinct forms only.

        Args:
            source: what `karatage.scan` takes: a path, a folder, a pattern, claims, a data frame.
            options: how to read it, as for `karatage.scan`.
        """
        return cls.of(scan(source, **options))

    @classmethod
    def of(cls, batches: Iterable[Claims]) -> TrainingForms:
        """Count the forms of batches of claims."""
        schema = {"form": pl.String, "label": pl.String, "count": pl.Int64}
        kept, waiting = pl.DataFrame(schema=schema), 0
        held = [kept]
        for claims in batches:
            held.append(_counted(_forms(claims)))
            waiting += len(held[-1])
            if waiting > max(_PENDING, len(kept)):
                kept, waiting = _counted(pl.concat(held)), 0
                held = [kept]
        return cls(_counted(pl.concat(held)).sort("form", "label"))

    def look_up(self, surface: pl.Series, label: pl.Series) -> tuple[Floats, Ints]:
        """Return how often the form of each claim was seen, and how, as an index into `SEEN`; unknown is NaN and -1.

        Args:
            surface: the text of each claim; null where it is unknown.
            label: the label of each claim.
        """
        asked = pl.DataFrame({"form": form_of(surface), "label": label.cast(pl.String)})
        whole = self.forms.group_by("form").agg(pl.col("count").sum().alias("whole"))
        found = asked.join(whole, on="form", how="left", maintain_order="left").join(
            self.forms, on=["form", "label"], how="left", maintain_order="left"
        )
        known = surface.is_not_null().to_numpy()
        count, own = (found[name].fill_null(0).to_numpy().astype(float) for name in ("whole", "count"))
        seen = np.select([count == 0, own == 0, own < count], [3, 2, 1], 0).astype(np.int64)
        return np.where(known, count, np.nan), np.where(known, seen, -1)


def form_of(surface: pl.Series) -> pl.Series:
    """Return surface forms as they are compared: as they stand, but with one blank for several."""
    return surface.str.replace_all(r"\s+", " ").str.strip_chars()


def _forms(claims: Claims) -> pl.DataFrame:
    """Return a row for each claim."""
    surface = Texts.surfaces(Texts.of(ClaimPair.of(claims, claims)), claims)
    if surface.null_count():
        raise InputError(
            "the training data contains entities without their text",
            source=claims.units.source,
            hint="Use a file that contains the words",
        )
    label = pl.Series("label", list(claims.labels), pl.String).gather(claims.label)
    return pl.DataFrame({"form": form_of(surface), "label": label, "count": np.ones(len(claims), np.int64)})


def _counted(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.group_by("form", "label").agg(pl.col("count").sum())
