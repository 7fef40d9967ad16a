"""Every place where a form stands that gold or a system marks somewhere, and what gold says of it there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.explanation.gold_check.entity_columns import EntityColumns, GoldData
from karatage.explanation.gold_check.row_hashes import Index, Keys, mix, overlaps
from karatage.explanation.gold_check.token_rows import TokenRows

LONGEST = 12
"""Forms of more tokens than this are not looked for: they hardly ever occur twice."""

_SIEVE = 1 << 20
_MASK = np.uint64(_SIEVE - 1)


@dataclass(frozen=True, eq=False, kw_only=True)
class Occurrences:
    """Where forms occur, and in which state gold has them there.

    A state below `len(labels)` is that label, on just this place; `len(labels)` is untagged; above are the ways to mark
    a part of it, or to give it several labels. Places that lie in a longer claim, or cross one, are left out: they are
    no occurrence of the form as a name of its own.

    Attributes:
        form: the key of the form, whatever its case.
        written: the key of the form as it is written; None for values.
        unit: the unit.
        first, last: the tokens, half-open; for values, which have no place, the value's number.
        left, right: the keys of the neighbours; None for values.
        state: what gold says of it.
        gold: the gold claim on it or the longest in it, -1 where it is untagged.
        untagged: the number of the state of that name.
        inner: for each state above, the label of its longest part and where it starts and ends, counted from `first`.
    """

    form: Keys
    written: Keys | None
    unit: Ints
    first: Ints
    last: Ints
    left: Keys | None
    right: Keys | None
    state: Ints
    gold: Ints
    untagged: int
    inner: Ints

    def __len__(self) -> int:
        return len(self.form)

    @property
    def place(self) -> Keys:
        """One key for each place."""
        return mix(self.first, self.last)

    @classmethod
    def of_values(cls, data: GoldData) -> Occurrences:
        """Take each gold value as an occurrence; that a value is not marked cannot be seen."""
        gold = data.gold
        known = np.flatnonzero(gold.start >= 0)
        place = gold.unit * (len(data.values) + 1) + gold.start
        return cls(
            form=mix(gold.start)[known],
            written=None,
            unit=gold.unit[known],
            first=place[known],
            last=place[known] + 1,
            left=None,
            right=None,
            state=gold.label[known],
            gold=known,
            untagged=len(data.labels),
            inner=np.zeros((0, 3), np.int64),
        )

    @classmethod
    def of(cls, data: GoldData, token_rows: TokenRows) -> Occurrences:
        """Look for the forms of gold and of all systems in all texts."""
        spans = [token_rows.span(entities) for entities in (data.gold, *data.systems)]
        first, last = _find(token_rows, [(low[whole], high[whole]) for low, high, whole in spans])
        state, gold, inner = _states(first, last, spans[0], data.gold, len(data.labels))
        kept = np.flatnonzero(state >= 0)
        first, last = first[kept], last[kept]
        unit = token_rows.unit_of(first)
        return cls(
            form=token_rows.stretch(first, last),
            written=token_rows.stretch(first, last, as_written=True),
            unit=unit,
            first=first,
            last=last,
            left=token_rows.before(first, unit),
            right=token_rows.after(last, unit),
            state=state[kept],
            gold=gold[kept],
            untagged=len(data.labels),
            inner=inner,
        )


def _find(token_rows: TokenRows, spans: list[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    """Return every place of every form, length by length."""
    low, high = (np.concatenate(ends) for ends in zip(*spans, strict=True))
    size = high - low
    room = np.repeat(token_rows.starts[1:], np.diff(token_rows.starts)) - np.arange(len(token_rows.key))
    begins = (token_rows.key & _MASK).astype(np.int64)
    found: list[tuple[Ints, Ints]] = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    for length in np.unique(size[size <= LONGEST]).tolist():
        own = low[size == length]
        forms = Index.of(token_rows.stretch(own, own + length))
        # Few places start like a form: a sieve by the first token spares the others.
        sieve = np.zeros(_SIEVE, bool)
        sieve[begins[own]] = True
        here = np.flatnonzero(sieve[begins] & (room >= length))
        here = here[forms.at(token_rows.stretch(here, here + length)) >= 0]
        found.append((here, here + length))
    first, last = (np.concatenate(ends) for ends in zip(*found, strict=True))
    return first, last


def _states(
    first: Ints, last: Ints, spans: tuple[Ints, Ints, Bools], gold: EntityColumns, labels: int
) -> tuple[Ints, Ints, Ints]:
    """Return the state of each place (-1 where it is part of something longer), its gold claim and the inner states."""
    low, high, whole = spans
    row, claim = overlaps(first, last, low, high)
    exact = whole[claim] & (low[claim] == first[row]) & (high[claim] == last[row])
    inside = whole[claim] & (low[claim] >= first[row]) & (high[claim] <= last[row])
    count = len(first)
    several = np.bincount(row[exact], minlength=count)
    beyond = np.bincount(row[~inside], minlength=count)
    state = np.where(several == 1, 0, np.where(beyond > 0, -1, labels))
    state[several > 1] = labels
    main = np.full(count, -1, np.int64)
    # The longest part comes last and stays; of equals, the first in gold.
    for some in (inside & (state[row] == labels), exact):
        at = np.flatnonzero(some)
        at = at[np.lexsort((-claim[at], high[claim[at]] - low[claim[at]]))]
        main[row[at]] = claim[at]
    state[several == 1] = gold.label[main[several == 1]]
    part = inside & (state[row] == labels) & (exact | (several[row] == 0))
    signature = np.zeros(count, np.uint64)
    one = mix(low[claim[part]] - first[row[part]], high[claim[part]] - first[row[part]], gold.label[claim[part]])
    np.add.at(signature, row[part], one)
    marked = np.flatnonzero(np.bincount(row[part], minlength=count))
    _, example, number = np.unique(signature[marked], return_index=True, return_inverse=True)
    state[marked] = labels + 1 + number
    seen = marked[example]
    inner = np.stack([gold.label[main[seen]], low[main[seen]] - first[seen], high[main[seen]] - first[seen]], 1)
    return state, np.where(state == -1, -1, main), inner
