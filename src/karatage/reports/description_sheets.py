"""The tables of a description of entities as texts, which the terminal and the page show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from karatage._printing import named
from karatage.reports.sheet_texts import lengths_sheet, number_text, of_all, share_text
from karatage.reports.terminal.result_tables import counted
from karatage.reports.terminal.text_tables import Sheet
from karatage.scoring import Nouns, plural

if TYPE_CHECKING:
    from karatage.description import (
        AmbiguousText,
        AttributeSummary,
        DataOverlap,
        Duplicates,
        Excerpt,
        ExtractionDescription,
        FrequentValue,
        LabelUse,
        Listed,
        TagValidity,
    )

_GAP = 3
"""The blanks between two columns of a table."""

ACROSS = 6
"""An attribute with more values has a row for each value, not a column."""


def size_line(found: ExtractionDescription) -> str:
    """Say how much there is: 320 sentences · 4,120 tokens · 2,436 entities · 12 labels."""
    counts = found.counts
    parts = [counted(counts["units"] or 0, found.nouns.unit)]
    parts += [] if counts["tokens"] is None else [counted(counts["tokens"], found.token)]
    return " · ".join(
        [*parts, counted(counts["entities"] or 0, found.nouns.claim), counted(len(found.labels), "label")]
    )


def fact_lines(found: ExtractionDescription) -> list[str]:
    """Say what is unusual about the units and entities; nothing of what does not occur."""
    units, claims = found.nouns.units, found.nouns.claims
    facts = (
        (f"{units} without {claims}", found.counts["without_entities"]),
        (f"empty {units}", found.counts["empty"]),
        (f"{claims} that overlap another", found.counts["overlapping"]),
        (f"discontinuous {claims}", found.counts["discontinuous"]),
        (f"{claims} that start or end inside a word", found.counts["inside_words"]),
    )
    return [f"{what}: {count:,}" for what, count in facts if count]


def extraction_lengths(found: ExtractionDescription) -> Sheet:
    """Return the lengths of units, and the entities in each."""
    unit = found.nouns.unit
    return lengths_sheet(
        [(f"{plural(found.token)} per {unit}", found.lengths), (f"{found.nouns.claims} per {unit}", found.per_unit)]
    )


def labels_sheet(found: ExtractionDescription) -> Sheet:
    """Return each label with its counts and lengths."""
    rows = [
        [
            one.label,
            f"{one.count:,}",
            share_text(one.share),
            f"{one.units:,}",
            number_text(one.distinct),
            number_text(one.lengths.median),
            number_text(one.lengths.max),
        ]
        for one in found.labels
    ]
    return Sheet("", ["label", "count", "share", found.nouns.units, "distinct", "median length", "longest"], rows)


def frequent_sheet(found: ExtractionDescription, width: int) -> Sheet:
    """Return the most frequent values of each label, as many as fit."""
    rows = []
    for one in found.labels:
        texts = [_frequent(own) for own in one.frequent]
        fitting = [k for k in range(1, len(texts) + 1) if len(" · ".join(texts[:k])) <= width]
        rows.append([one.label, " · ".join(texts[: max(fitting, default=1)])])
    return Sheet("", ["label", "most frequent values"], [row for row in rows if row[1]])


def _fitting(texts: Sequence[str], width: int) -> str:
    """Join as many texts as fit, at least the first, and say how many do not."""
    for shown in range(len(texts), 0, -1):
        more = [f"{len(texts) - shown:,} more"] if shown < len(texts) else []
        out = " · ".join([*texts[:shown], *more])
        if len(out) <= width:
            break
    return out


def _frequent(one: FrequentValue) -> str:
    return f"{_cut(named(one.value))} {one.count:,}"


def attribute_sheet(found: ExtractionDescription, own: AttributeSummary, limit: int | None = None) -> Sheet:
    """Return the labels in each group: a column for each value of the attribute, or a row if there are many."""
    groups = own.groups
    if len(groups) <= ACROSS:
        names = [one.value for one in groups]
        rows = [[found.nouns.units, *(f"{one.units:,}" for one in groups)]]
        rows += [[one.label, *(f"{group.labels.get(one.label, 0):,}" for group in groups)] for one in found.labels]
        return Sheet(f"labels by {own.name}", ["label", *map(named, names)], rows)
    rows = [
        [
            named(one.value),
            f"{one.units:,}",
            f"{one.entities:,}",
            " · ".join(f"{k} {n:,}" for k, n in one.labels.items()),
        ]
        for one in groups[:limit]
    ]
    return Sheet(f"labels by {own.name}", [own.name, found.nouns.units, found.nouns.claims, "labels"], rows)


def ambiguous_sheet(listed: Listed[AmbiguousText], noun: str, rows: int, width: int) -> Sheet:
    """Return texts with several labels; tokens also have how often they are outside of entities.

    Args:
        listed: the texts.
        noun: what they are.
        rows: maximum number of texts.
        width: how wide the table should be; as many labels are named as fit.
    """
    shown = listed.rows[:rows]
    outside = ["unlabelled"] if any(map(_outside, shown)) else []
    longest = max(len(text) for text in (noun, *(_cut(named(row.text)) for row in shown)))
    left = width - sum(size + _GAP for size in (longest, len("labelled"), *map(len, outside)))
    cells = [[_cut(named(row.text)), f"{row.count:,}", *_outside(row), _uses(row.labels, left)] for row in shown]
    return Sheet("", [noun, "labelled", *outside, "labels"], cells)


def label_uses_sheet(listed: Listed[AmbiguousText], noun: str, unit: str) -> Sheet:
    """Return texts with several labels: a row for each label, with an example."""
    cells = [
        [named(row.text), one.label, f"{one.count:,}", f"{row.count:,}", *_outside(row), *_place(one.example)]
        for row in listed.rows
        for one in row.labels
    ]
    outside = ["unlabelled"] if any(map(_outside, listed.rows)) else []
    return Sheet("", [noun, "label", "count", "labelled", *outside, unit, "example"], cells)


def _outside(row: AmbiguousText) -> list[str]:
    return [] if row.unlabelled is None else [f"{row.unlabelled:,}"]


def _place(example: Excerpt | None) -> list[str]:
    return ["", ""] if example is None else [named(example.unit), example.text]


def partly_sheet(found: ExtractionDescription, limit: int | None = None) -> Sheet:
    """Return values that are labelled in some places only."""
    rows = [
        [
            named(row.text),
            f"{row.labelled:,}",
            f"{row.unlabelled:,}",
            _uses(row.labels),
            *_place(row.example),
        ]
        for row in found.partly_labelled.rows[:limit]
    ]
    unit = f"unlabelled in {found.nouns.unit}"
    return Sheet("", ["value", "labelled", "unlabelled", "labels", unit, "text"], rows)


def tags_line(tags: TagValidity) -> str:
    """Name the tagging scheme, and say how many transitions it forbids."""
    if not tags.schemes:
        return f"tags: no tagging scheme has all of the prefixes {', '.join(tags.prefixes)}"
    if tags.invalid:
        many = counted(tags.invalid, "transition")
        if tags.enforced:
            return f"tags: {tags.schemes[0]} forbids {many}"
        return f"tags: closest to {tags.schemes[0]}, which forbids {many}; they are read leniently"
    return f"tags: valid {' and '.join(tags.schemes)}"


def transitions_sheet(tags: TagValidity, limit: int | None = None) -> Sheet:
    """Return the forbidden transitions."""
    rows = [[one.before, one.tag, f"{one.count:,}"] for one in tags.transitions[:limit]]
    return Sheet("", ["tag before", "tag", "count"], rows)


def duplicates_line(found: ExtractionDescription, own: Duplicates) -> str:
    """Say how many units are copies."""
    unit, total = found.nouns.unit, own.repeated.total
    if not total:
        return f"duplicates: no {unit} occurs twice"
    copies = f"{counted(own.extra, 'copy')} of an earlier {unit}"
    return f"duplicates: {copies}; {counted(total, f'repeated {unit}')}, {own.differing:,} of them labelled differently"


def duplicates_sheet(found: ExtractionDescription, own: Duplicates, limit: int | None = None) -> Sheet:
    """Return the repeated units."""
    rows = [
        [named(row.text), f"{row.count:,}", f"{row.annotations:,}", ", ".join(map(named, row.units))]
        for row in own.repeated.rows[:limit]
    ]
    return Sheet("", [found.nouns.unit, "count", "annotations", found.nouns.units], rows)


def overlap_title(first: str, second: str) -> str:
    """Name both data sets."""
    return f"overlap of {second} with {first}"


def overlap_lines(own: DataOverlap, nouns: Nouns, token: str) -> list[str]:
    """Say what the second data set shares with the first."""
    seen, out = own.seen, []
    if own.shared is not None and own.relabelled is not None:
        out.append(f"{nouns.units} in both: {of_all(own.shared, own.units)}, {own.relabelled:,} labelled differently")
    if own.seen_tokens is not None and own.tokens is not None:
        out.append(f"{plural(token)} that occur in the first: {of_all(own.seen_tokens, own.tokens)}")
    if seen.count:
        what = "values" if nouns.claim == "value" else f"values of {nouns.claims}"
        out.append(f"{what} that occur in the first: {of_all(seen.same + seen.other, seen.count)}")
    for side, labels in (("first", own.only_first), ("second", own.only_second)):
        if labels:
            out.append(f"labels only in the {side}: {', '.join(labels)}")
    return out


def seen_sheet(own: DataOverlap) -> Sheet:
    """Return the share of values that the first data set has, by label."""
    rows = [
        [
            one.label or "all",
            f"{one.count:,}",
            f"{one.same:,}",
            f"{one.other:,}",
            f"{one.unseen:,}",
            share_text((one.same + one.other) / one.count),
        ]
        for one in (*own.labels, own.seen)
    ]
    return Sheet("", ["label", "count", "same label", "other label", "unseen", "seen"], rows)


def excerpts_sheet(listed: Listed[Excerpt], unit: str) -> Sheet:
    """Return places in the data with their texts."""
    return Sheet("", [unit, "text"], [[named(one.unit), named(one.text)] for one in listed.rows])


def _uses(labels: Sequence[LabelUse], width: int = 1 << 20) -> str:
    return _fitting([f"{one.label} {one.count:,}" for one in labels], width)


def _cut(text: str, most: int = 34) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
