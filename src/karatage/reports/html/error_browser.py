"""The errors of systems with the texts they stand in, as the error browser takes them: few enough for a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from karatage._arrays import Floats, Ints
from karatage.claims import Claims
from karatage.reports.html.blocks import ErrorData
from karatage.scoring import DETAILS, Outcomes, Texts, unit_names

MOST = 50_000
"""How many errors a page holds at most."""

BUDGET = 12_000_000
"""About how many characters of texts and spans a page holds at most."""

LONG = 2_000
"""A longer text is shown in parts of `PART` characters, with `AROUND` more at either end."""

PART, AROUND = 1_000, 300

_SPAN = 16
"""About how many characters a span takes in the page."""

LONGEST = 1_000
"""Names of units and values are cut to so many characters."""

_LEAST = 200
"""Of each kind of error so many are kept before the rest is shared out."""


def error_data(
    systems: Mapping[str, Outcomes],
    most: int = MOST,
    budget: int = BUDGET,
    *,
    noun: str = "sentence",
    total: int | None = None,
) -> ErrorData:
    """Return the errors of systems on the same gold; where they are too many, a sample by kind of error.

    Args:
        systems: the outcomes of each system.
        most: how many errors to keep at most.
        budget: about how many characters of texts and spans to keep at most.
        noun: what a unit is called.
        total: how many errors there are, where the outcomes are a sample.
    """
    chosen = {name: np.flatnonzero(outcomes.wrong) for name, outcomes in systems.items()}
    held = sum(map(len, chosen.values()))
    total = held if total is None else total
    kept = chosen if held <= most else _sample(systems, chosen, most)
    while True:
        excerpts = _Excerpts.of(systems, kept)
        shown, size = sum(map(len, kept.values())), excerpts.size(systems)
        if size <= budget or shown <= 1:
            break
        # As the texts differ in length, it may take more than one go.
        kept = _sample(systems, kept, max(1, int(0.9 * shown * budget / size)))
    note = ""
    if shown < total:
        note = (
            f"{shown:,} of {total:,} errors: a random sample by system and kind of error, rare kinds in full. "
            "Use karatage explain --export to write all errors."
        )
    return excerpts.data(systems, kept, total, note, noun)


def _sample(systems: Mapping[str, Outcomes], rows: Mapping[str, Ints], most: int) -> dict[str, Ints]:
    """Choose errors at random within each system and kind, the small kinds in full."""
    rng = np.random.default_rng(0)
    kinds = range(1, len(DETAILS) + 1)
    found = [(name, own[systems[name].detail[own] == kind]) for name, own in rows.items() for kind in kinds]
    parts = [(name, own) for name, own in found if len(own)]
    sizes = np.array([len(own) for _, own in parts])
    least = np.minimum(sizes, min(_LEAST, most // len(parts)))
    rest = sizes - least
    share = least + (rest * min(1.0, max(most - least.sum(), 0) / max(rest.sum(), 1))).astype(np.int64)
    picked: dict[str, list[Ints]] = {name: [np.zeros(0, np.int64)] for name in rows}
    for (name, own), count in zip(parts, share.tolist(), strict=True):
        picked[name].append(rng.choice(own, count, replace=False))
    return {name: np.sort(np.concatenate(own)) for name, own in picked.items()}


@dataclass(frozen=True, eq=False)
class _Excerpts:
    """The units, or parts of long ones, that hold the chosen errors.

    Attributes:
        unit, part: the unit of each excerpt, and which part of it.
        low, high: where the excerpt lies in the unit's text, in characters.
        texts: what stands there.
        excerpt: the excerpt of each chosen error, by system.
    """

    unit: Ints
    part: Ints
    low: Ints
    high: Ints
    texts: list[str]
    excerpt: dict[str, Ints]

    @classmethod
    def of(cls, systems: Mapping[str, Outcomes], rows: Mapping[str, Ints]) -> _Excerpts:
        """Find the excerpts of some errors."""
        first = next(iter(systems.values()))
        texts = first.texts
        count = len(first.units)
        length = np.zeros(count, np.int64) if texts is None else texts.texts.str.len_chars().to_numpy().astype(np.int64)
        keys = {}
        for name, own in rows.items():
            outcomes = systems[name]
            unit = outcomes.unit[own]
            keys[name] = unit, np.where(length[unit] > LONG, _starts(outcomes, own) // PART, 0)
        width = int(length.max(initial=0)) // PART + 2
        packed = np.concatenate([np.zeros(0, np.int64), *(unit * width + part for unit, part in keys.values())])
        distinct, number = np.unique(packed, return_inverse=True)
        unit, part = distinct // width, distinct % width
        long = length[unit] > LONG
        low = np.where(long, np.maximum(part * PART - AROUND, 0), 0)
        high = np.where(long, np.minimum((part + 1) * PART + AROUND, length[unit]), length[unit])
        shown = [""] * len(unit) if texts is None else texts.cut(unit, low, high).to_list()
        ends = np.cumsum([0, *(len(own) for own in rows.values())])
        places = {name: number[a:b] for name, (a, b) in zip(rows, pairwise(ends.tolist()), strict=True)}
        return cls(unit, part, low, high, shown, places)

    def size(self, systems: Mapping[str, Outcomes]) -> int:
        """About how many characters the excerpts take: their texts, the names of their units, and their claims."""
        first = next(iter(systems.values()))
        names = unit_names(first.units, self.unit).str.len_bytes().clip(upper_bound=LONGEST).sum()
        chosen = np.zeros(len(first.units), bool)
        chosen[self.unit] = True
        total = sum(len(text.encode("utf-8", "replace")) for text in self.texts) + int(names)
        for outcomes, side in [(first, "gold"), *((one, "pred") for one in systems.values())]:
            claims: Claims = getattr(outcomes.claims, side)
            there = chosen[claims.unit]
            total += _SPAN * int(there.sum())
            if claims.space == "value" or first.texts is None:
                values = outcomes.surface(side).filter(there)  # type: ignore[arg-type]
                total += int(values.str.len_bytes().clip(upper_bound=LONGEST).sum() or 0)
        return total

    def data(
        self, systems: Mapping[str, Outcomes], rows: Mapping[str, Ints], total: int, note: str, noun: str
    ) -> ErrorData:
        """Return what the error browser takes."""
        first = next(iter(systems.values()))
        labels = sorted(set().union(*map(_labels, systems.values())))
        gold = self._spans(first, "gold", labels)
        preds = [self._spans(one, "pred", labels) for one in systems.values()]
        columns: dict[str, list[Ints]] = {name: [] for name in ("unit", "system", "detail", "gold", "pred")}
        scores: list[Floats] = []
        for number, (name, outcomes) in enumerate(systems.items()):
            own, excerpt = rows[name], self.excerpt[name]
            columns["unit"].append(excerpt)
            columns["system"].append(np.full(len(own), number))
            columns["detail"].append(outcomes.detail[own] - 1)
            columns["gold"].append(gold.index(excerpt, outcomes.gold[own]))
            columns["pred"].append(preds[number].index(excerpt, outcomes.pred[own]))
            known = outcomes.claims.pred.score
            sure = np.full(len(own), np.nan) if known is None else np.append(known, np.nan)[outcomes.pred[own]]
            scores.append(np.where(outcomes.pred[own] >= 0, sure, np.nan))
        order = np.lexsort([np.concatenate(columns["system"]), np.concatenate(columns["unit"])])
        errors: Any = {name: np.concatenate(parts)[order].tolist() for name, parts in columns.items()}
        sure = np.concatenate(scores)[order]
        if np.isfinite(sure).any():
            errors["score"] = [round(x, 4) if np.isfinite(x) else None for x in sure.tolist()]
        return {
            "systems": list(systems),
            "noun": noun,
            "labels": labels,
            "details": list(DETAILS),
            "shown": len(order),
            "total": total,
            "note": note,
            "units": {
                "id": [_cut(name) for name in unit_names(first.units, self.unit).to_list()],
                "text": self.texts,
                "gold": gold.lists,
                "pred": [side.lists for side in preds],
            },
            "errors": errors,
        }

    def _spans(self, outcomes: Outcomes, side: str, labels: list[str]) -> _Spans:
        """Return the spans of a side in each excerpt."""
        claims: Claims = getattr(outcomes.claims, side)
        texts = outcomes.texts
        start, end = _places(outcomes, side)
        excerpts = pl.DataFrame({"unit": self.unit, "part": self.part, "excerpt": np.arange(len(self.unit))})
        length = np.zeros(len(outcomes.units), np.int64)
        if texts is not None:
            length = texts.texts.str.len_chars().to_numpy().astype(np.int64)
        long = (length[claims.unit] > LONG) & (start >= 0)
        # The parts whose text, with what is around it, a claim overlaps.
        first = np.where(long, np.maximum(-((AROUND + PART - 1 - start) // PART), 0), 0)
        last = np.where(long, (end + AROUND - 1) // PART, 0)
        sizes = np.maximum(last - first + 1, 1)
        row = np.repeat(np.arange(len(claims)), sizes)
        part = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(first, sizes)
        met = pl.DataFrame({"unit": claims.unit[row], "part": part, "claim": row}).join(excerpts, on=["unit", "part"])
        met = met.sort("excerpt", "claim")
        excerpt, claim = (met[name].to_numpy().astype(np.int64) for name in ("excerpt", "claim"))
        number = {label: k for k, label in enumerate(labels)}
        label = np.array([*(number.get(name, 0) for name in claims.labels), 0], np.int64)[claims.label[claim]]
        low = np.where(start[claim] >= 0, np.maximum(start[claim] - self.low[excerpt], 0), -1)
        high = np.where(start[claim] >= 0, np.minimum(end[claim], self.high[excerpt]) - self.low[excerpt], -1)
        flat: list[list[Any]] = np.stack([label, low, np.maximum(high, low)], axis=1).tolist()
        self._add_values(outcomes, side, claim, start, flat)
        self._add_fragments(texts, claims, claim, excerpt, flat)
        bounds = np.searchsorted(excerpt, np.arange(len(self.unit) + 1)).tolist()
        return _Spans([flat[a:b] for a, b in pairwise(bounds)], excerpt, claim, np.array(bounds[:-1] or [0]))

    def _add_values(self, outcomes: Outcomes, side: str, claim: Ints, start: Ints, flat: list[list[Any]]) -> None:
        """Give spans without a place their value, or say where they would be."""
        placeless = np.flatnonzero(start[claim] < 0)
        if not len(placeless):
            return
        claims: Claims = getattr(outcomes.claims, side)
        surfaces = outcomes.surface(side).gather(claim[placeless]).to_list()  # type: ignore[arg-type]
        for at, row, text in zip(placeless.tolist(), claim[placeless].tolist(), surfaces, strict=True):
            place = (
                f"{claims.start[row]}–{claims.end[row]}" if claims.space != "value" and claims.start[row] >= 0 else ""
            )
            flat[at].append(_cut(text) if text is not None else place)

    def _add_fragments(
        self, texts: Texts | None, claims: Claims, claim: Ints, excerpt: Ints, flat: list[list[Any]]
    ) -> None:
        """Give discontinuous spans their pieces."""
        if claims.shape is None or texts is None:
            return
        for at in np.flatnonzero(claims.shape[claim] >= 0).tolist():
            row, low, high = int(claim[at]), int(self.low[excerpt[at]]), int(self.high[excerpt[at]])
            ends = np.array(claims.shapes[claims.shape[row]], np.int64)
            unit = np.full(len(ends), claims.unit[row])
            a, b = texts.characters(unit, ends[:, 0], ends[:, 1], tokens=claims.space == "token")
            inside = [(max(x, low) - low, min(y, high) - low) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
            flat[at] = [flat[at][0], *(end for piece in inside if piece[0] < piece[1] for end in piece)]
            flat[at] += [0, 0] if len(flat[at]) == 1 else []


@dataclass(frozen=True, eq=False)
class _Spans:
    """The spans of each excerpt, and which claims they are."""

    lists: list[list[list[Any]]]
    excerpt: Ints
    claim: Ints
    first: Ints

    def index(self, excerpt: Ints, claim: Ints) -> Ints:
        """Return which span of its excerpt a claim is; -1 for no claim."""
        place = np.arange(len(self.excerpt)) - self.first[self.excerpt]
        known = pl.DataFrame({"excerpt": self.excerpt, "claim": self.claim, "place": place})
        asked = pl.DataFrame({"excerpt": excerpt, "claim": claim})
        found = asked.join(known, on=["excerpt", "claim"], how="left", maintain_order="left")
        return found["place"].fill_null(-1).to_numpy().astype(np.int64)


def _places(outcomes: Outcomes, side: str) -> tuple[Ints, Ints]:
    """Return where the claims of a side are in their texts; a value is where it first occurs, -1 where nowhere."""
    claims: Claims = getattr(outcomes.claims, side)
    texts = outcomes.texts
    if texts is None or not len(claims):
        return np.full(len(claims), -1, np.int64), np.full(len(claims), -1, np.int64)
    if claims.space != "value":
        return texts.offsets(claims)
    return texts.find(claims.unit, outcomes.surface(side))  # type: ignore[arg-type]


def _labels(outcomes: Outcomes) -> set[str]:
    """Return the labels that entities have: which others a reader knows depends on how it reads."""
    pair = outcomes.claims
    return {pair.labels[k] for side in (pair.gold_label, pair.pred_label) for k in np.unique(side).tolist()}


def _starts(outcomes: Outcomes, rows: Ints) -> Ints:
    """Return where errors start in their texts."""
    far = np.iinfo(np.int64).max
    low = np.full(len(rows), far)
    for side, at in (("gold", outcomes.gold[rows]), ("pred", outcomes.pred[rows])):
        start = np.append(_places(outcomes, side)[0], -1)[at]
        low = np.where((at >= 0) & (start >= 0), np.minimum(low, start), low)
    return np.where(low == far, 0, low)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
