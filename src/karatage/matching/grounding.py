"""Grounding: where values without offsets occur in the text, so that they can be scored as spans.

A value is sought in the text as it is, or in the form in which values are compared; runs of blanks are one blank in any
case. An occurrence that starts or ends within a word counts only where no other one is found, as in scripts without
blanks between words. In tokens, an occurrence starts and ends with a token. An occurrence within one of a longer
predicted value is used last: `Ann` is not the first word of `Ann Lee` if it occurs elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Literal, NamedTuple

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.claims import Claims
from karatage.errors import InputError
from karatage.matching.normal_forms import composed, form_of
from karatage.matching.sought_text import Place, SoughtText
from karatage.matching.value_forms import ValueForm

Ground = Literal["none", "first", "all"]
"""Which occurrences of a value are spans."""

NOWHERE = -1
"""The start and end of a value that does not occur in the text."""
WITHIN_TOKENS = -2
"""The start and end of a value that occurs in the text, but does not start and end with a token."""


class Grounded(NamedTuple):
    """Values as spans.

    Attributes:
        claims: the claims; start and end are `NOWHERE` for a value that its text does not contain, and `WITHIN_TOKENS`
            for one that is within tokens.
        repeated: how many values were left out because the same value stands for all its occurrences already.
        shared: how many values stand for the same occurrence as with another label, though there are more occurrences.
        surplus: how many values were returned more often than they occur.
        other_form: how many values are in the text in another Unicode normal form only.
        example: one of them: its unit, and what differs.
    """

    claims: Claims
    repeated: int
    shared: int = 0
    surplus: int = 0
    other_form: int = 0
    example: tuple[str | int, str] | None = None


def ground(gold: Claims, pred: Claims, how: Ground, form: ValueForm) -> Grounded:
    """Turn predicted values into spans of the text of their unit.

    Args:
        gold: gold with offsets; its texts, or those of the predictions, are searched.
        pred: predictions without offsets, of the same units.
        how: `first`: the n-th time that a unit has a value with a label, it stands for the n-th occurrence, or for the
            last one if there are fewer; the order of predictions does not matter. `all`: a value stands for all
            occurrences, however often the unit has it. Occurrences within those of longer values come last, and `all`
            leaves them out if there are others.
        form: the form in which values are sought.
    """
    texts = _texts(gold, pred, form)
    codes = np.full(len(pred), -1) if pred.value is None else pred.value
    places = _places(pred, codes, texts, how)
    within = _gold_ends(gold, texts) if "punctuation" in form.ignored else {}
    used: Counter[tuple[int, int, int]] = Counter()
    rows: list[int] = []
    found: list[Place] = []
    repeated = surplus = 0
    for row, (unit, label, code) in enumerate(
        zip(pred.unit.tolist(), pred.label.tolist(), codes.tolist(), strict=True)
    ):
        own, again = places[unit, code], used[unit, label, code]
        used[unit, label, code] += 1
        if how == "all" and own and again:
            repeated += 1
            continue
        surplus += again >= len(own) > 0
        here = own if how == "all" else own[again : again + 1] or own[-1:]
        for place in here or [_elsewhere(texts[unit], pred, code, gold)]:
            rows.append(row)
            found.append(within.get((unit, pred.labels[label], place), within.get((unit, "", place), place)))
    ends = np.array(found, np.int64).reshape(-1, 2)
    spans = replace(pred.keep(np.array(rows, np.int64)), space=gold.space, start=ends[:, 0], end=ends[:, 1])
    order = np.lexsort((spans.label, spans.end, spans.start, spans.unit))
    other_form, example = _other_forms(spans, texts)
    shared = 0 if how == "all" else _shared(used, places)
    return Grounded(spans.keep(order), repeated, shared, surplus, other_form, example)


def _places(pred: Claims, codes: Ints, texts: Sequence[SoughtText], how: Ground) -> dict[tuple[int, int], list[Place]]:
    """Return where each value occurs in its unit; what is within a longer value comes last, and not at all for all."""
    out: dict[tuple[int, int], list[Place]] = {}
    keys = dict.fromkeys(zip(pred.unit.tolist(), codes.tolist(), strict=True))
    for unit, own in groupby(keys, key=lambda key: key[0]):
        found = {key: texts[unit].find(pred.values[key[1]]) if key[1] >= 0 else [] for key in own}
        covered = _covered(place for places in found.values() for place in places)
        for key, places in found.items():
            free = [place for place in places if place not in covered]
            inner = [place for place in places if place in covered]
            out[key] = free if how == "all" and free else free + inner
    return out


def _covered(places: Iterable[Place]) -> set[Place]:
    """Return the places that are within longer ones."""
    out, reached = set(), -1
    for place in sorted(set(places), key=lambda one: (one.start, -one.end)):
        if place.end <= reached:
            out.add(place)
        reached = max(reached, place.end)
    return out


def _gold_ends(gold: Claims, texts: Sequence[SoughtText]) -> dict[tuple[int, str, Place], Place]:
    """Return the spans of gold by what is left without punctuation at their ends: that does not make a difference.

    They are found by unit and label, and with the label "" whatever it is.
    """
    out: dict[tuple[int, str, Place], Place] = {}
    for unit, label, start, end, _, _ in gold.rows():
        bare = texts[unit].trimmed(start, end)
        if bare is not None:
            out.setdefault((unit, label, bare), Place(start, end))
            out.setdefault((unit, "", bare), Place(start, end))
    return out


def _elsewhere(text: SoughtText, pred: Claims, code: int, gold: Claims) -> Place:
    """Return the place of a value that starts and ends with no token, or is not in the text at all."""
    inside = gold.space == "token" and code >= 0 and text.contains(pred.values[code])
    return Place(WITHIN_TOKENS, WITHIN_TOKENS) if inside else Place(NOWHERE, NOWHERE)


def _other_forms(spans: Claims, texts: Sequence[SoughtText]) -> tuple[int, tuple[str | int, str] | None]:
    """Count values that are not in the text, but would be in the same Unicode normal form; return an example."""
    count, example = 0, None
    rows = np.flatnonzero(spans.start == NOWHERE) if spans.value is not None else ()
    for row in rows:
        unit, value = int(spans.unit[row]), spans.values[spans.value[row]]  # type: ignore[index]  # there are values
        text = texts[unit].text
        if (value.isascii() and text.isascii()) or composed(value).replace(" ", "") not in composed(text).replace(
            " ", ""
        ):
            continue
        count += 1
        shown = f"{value[:40]!r} is {form_of(value)}, its text {form_of(text)}"
        example = example or (spans.units.name(unit), shown)
    return count, example


def _shared(used: Iterable[tuple[int, int, int]], places: Mapping[tuple[int, int], Sequence[Place]]) -> int:
    """Count the values that have several labels in a unit, where there is more than one occurrence."""
    labels = Counter((unit, code) for unit, _, code in used)
    return sum(count for key, count in labels.items() if count > 1 and len(places[key]) > 1)


def _texts(gold: Claims, pred: Claims, form: ValueForm) -> list[SoughtText]:
    """Return the text of each unit as values are sought in it, gold's first."""
    count = len(gold.units)
    if gold.space == "token":
        tokens = gold.units.tokens if gold.units.tokens is not None else pred.units.tokens
        if tokens is None and count:
            raise _no_text(pred, "tokens")
        return [SoughtText.of_tokens(list(tokens[k]), form) for k in range(count)] if tokens is not None else []
    ours, theirs = gold.units.texts, pred.units.texts
    if ours is None and theirs is None and count:
        raise _no_text(pred, "texts")
    both = ((ours or [""] * count)[k] or (theirs or [""] * count)[k] for k in range(count))
    return [SoughtText.of_text(text, form) for text in both]


def _no_text(pred: Claims, what: str) -> InputError:
    return InputError(
        f"values cannot be found in the text: neither gold nor predictions have {what}",
        source=pred.units.source,
        hint="Add the text of each record to gold, or score values with --like values",
    )


def texts_known(gold: Claims, pred: Claims) -> Bools:
    """Return which units have a text, or tokens, to look for values in; one that is empty is unknown."""
    columns = [column for units in (gold.units, pred.units) for column in (units.texts, units.tokens)]
    return np.array(
        [any(column is not None and len(column[k]) > 0 for column in columns) for k in range(len(gold.units))], bool
    )


def absent(pred: Claims, rows: Ints, texts: Sequence[str], form: ValueForm) -> Ints:
    """Return which of some values do not occur in the text of their unit, as places in `rows`."""
    sought: dict[int, tuple[str, str]] = {}
    out = []
    codes = np.full(len(pred), -1) if pred.value is None else pred.value
    for at, (unit, code) in enumerate(zip(pred.unit[rows].tolist(), codes[rows].tolist(), strict=True)):
        if unit not in sought:
            text = form(texts[unit])
            # A value that was made of tokens has one blank where the text may have several.
            sought[unit] = text, " ".join(text.split())
        value = form(pred.values[code]) if code >= 0 else ""
        if not any(value in text for text in sought[unit]):
            out.append(at)
    return np.array(out, np.int64)
