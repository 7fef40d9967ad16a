"""Texts with several labels, those with the most occurrences outside their most frequent label first."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from karatage.description.data_counts import DataCounts
from karatage.description.listed_texts import LISTED, AmbiguousText, Excerpt, LabelUse, Listed
from karatage.description.word_batches import WordBatch

Places = dict[tuple[str, str], Excerpt]
"""Where a text with a label occurs first."""


def ambiguous_values(counts: DataCounts) -> Listed[AmbiguousText]:
    """Return the values with several labels."""
    forms = counts.forms.frame().filter(pl.col("form").is_not_null())
    return _ambiguous(forms.group_by(pl.col("form").alias("text"), "label").agg(pl.col("count").sum()))


def ambiguous_words(counts: DataCounts) -> Listed[AmbiguousText]:
    """Return the tokens with several labels, each with how often it is outside of entities."""
    words = counts.words.frame().rename({"word": "text"})
    found = _ambiguous(words.filter(pl.col("label").is_not_null()))
    outside = words.filter(pl.col("label").is_null() & pl.col("text").is_in([row.text for row in found.rows]))
    times = dict(outside.select("text", "count").iter_rows())
    return replace(found, rows=tuple(replace(row, unlabelled=times.get(row.text, 0)) for row in found.rows))


def _ambiguous(rows: pl.DataFrame) -> Listed[AmbiguousText]:
    found = with_labels(rows).filter(pl.col("labels").list.len() > 1)
    first = found.with_columns((pl.col("total") - pl.col("most")).alias("differing"))
    first = first.sort("differing", "total", "text", descending=[True, True, False]).head(LISTED)
    return Listed(
        len(found),
        tuple(AmbiguousText(row["text"], row["total"], None, label_uses(row)) for row in first.iter_rows(named=True)),
    )


def with_labels(rows: pl.DataFrame) -> pl.DataFrame:
    """Return one row for each text: its total count, the largest count of a label, and its labels with their counts."""
    ordered = rows.sort("count", "label", descending=[True, False])
    return ordered.group_by("text", maintain_order=True).agg(
        pl.col("count").sum().alias("total"),
        pl.col("count").max().alias("most"),
        pl.struct("label", "count").alias("labels"),
    )


def label_uses(row: dict[str, object]) -> tuple[LabelUse, ...]:
    """Return the labels of a row of `with_labels`."""
    labels: list[dict[str, object]] = row["labels"]  # type: ignore[assignment]
    return tuple(LabelUse(str(one["label"]), int(one["count"])) for one in labels)  # type: ignore[call-overload]


class ExampleFinder:
    """Finds the first place of each listed text and label, batch by batch.

    Args:
        values: the values to find.
        words: the tokens to find.
    """

    def __init__(self, values: Listed[AmbiguousText], words: Listed[AmbiguousText]) -> None:
        self._values, self._words = _wanted(values), _wanted(words)
        self._places: tuple[Places, Places] = ({}, {})

    @property
    def needed(self) -> bool:
        """Whether there is anything to find."""
        return bool(self._values.height or self._words.height)

    def add(self, batch: WordBatch) -> None:
        """Look for examples in a batch."""
        if self._values.height:
            rows = pl.DataFrame({"text": batch.forms, "label": batch.labels}).with_row_index("at")
            for at, text, label in self._new(rows, self._values, 0):
                unit = int(batch.claims.unit[at])
                self._places[0][text, label] = Excerpt(
                    unit_name(batch, unit), batch.excerpt(unit, *batch.first_word(at))
                )
        if self._words.height and batch.words is not None:
            names = pl.Series([*batch.claims.labels, None], dtype=pl.String).gather(batch.innermost)
            rows = pl.DataFrame({"text": batch.words.flat, "label": names}).with_row_index("at")
            for at, text, label in self._new(rows, self._words, 1):
                unit = int(batch.words.starts.searchsorted(at, "right")) - 1
                place = batch.excerpt(unit, int(batch.low[at]), int(batch.high[at]))
                self._places[1][text, label] = Excerpt(unit_name(batch, unit), place)

    def _new(self, rows: pl.DataFrame, wanted: pl.DataFrame, which: int) -> list[tuple[int, str, str]]:
        """Return the first row of each wanted text and label that was not found before."""
        near = rows.filter(pl.col("text").is_in(wanted["text"].unique().implode()))
        found = near.join(wanted, on=["text", "label"], how="semi", maintain_order="left")
        first = found.unique(["text", "label"], keep="first", maintain_order=True)
        return [row for row in first.iter_rows() if row[1:] not in self._places[which]]

    def fill(self, listed: Listed[AmbiguousText], *, words: bool = False) -> Listed[AmbiguousText]:
        """Return a list with the examples found."""
        places = self._places[1 if words else 0]
        rows = tuple(
            replace(row, labels=tuple(replace(u, example=places.get((row.text, u.label))) for u in row.labels))
            for row in listed.rows
        )
        return replace(listed, rows=rows)


def _wanted(listed: Listed[AmbiguousText]) -> pl.DataFrame:
    pairs = [(row.text, use.label) for row in listed.rows for use in row.labels]
    return pl.DataFrame(pairs, schema={"text": pl.String, "label": pl.String}, orient="row")


def unit_name(batch: WordBatch, unit: int) -> str:
    """Return the id of a unit, or its number."""
    return str(batch.claims.units.name(unit))
