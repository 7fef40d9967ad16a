"""Counts, and nothing but counts: the only thing that a metric may read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from karatage._arrays import Ints
from karatage._limits import limits
from karatage.claims import TagDecoder, Tagged, Tags, Units, units_of
from karatage.errors import InputError
from karatage.matching import Alignment, ClaimPair, Kind, match_spans, unpaired
from karatage.metrics.means import Sum
from karatage.metrics.measure import COUNTS, TOKENS
from karatage.metrics.metric import Metric
from karatage.metrics.named_counts import Cell, Layout
from karatage.metrics.rows import Rows

KINDS = (
    "gold_correct",
    "gold_type",
    "gold_boundary",
    "gold_both",
    "missed",
    "pred_correct",
    "pred_type",
    "pred_boundary",
    "pred_both",
    "spurious",
)
"""Further columns where the kinds of error are counted, under the gold label and under the predicted one."""


@dataclass(frozen=True, eq=False, repr=False)
class Tally:
    """Counts per group of units and label; tallies add.

    Attributes:
        columns: what is counted.
        cells: the groups and labels, sorted.
        totals: the counts, one row a cell, one column a count.
        facts: counts that belong to no label: units, tokens, tokens_correct, retagged.
        confusion: how often a gold label met a predicted label; an empty name is missed or spurious.
        rows: the counts of each unit, where they were kept for resampling.
        tokens: the counts of each unit's tokens, where they were kept and gold and predictions are tags.
        typed: the tokens of each type, where they were counted: a tally of tokens instead of entities.
        values: for each metric that is a mean over units the sum of its values.
        means: the values of each unit, where they were kept for resampling.
        grounding: predicted values without offsets, where they were looked for in the text: those in it are correct.
    """

    columns: tuple[str, ...] = COUNTS
    cells: tuple[Cell, ...] = ()
    totals: Ints = field(default_factory=lambda: np.zeros((0, len(COUNTS)), np.int64))
    facts: Counter[str] = field(default_factory=Counter)
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    rows: Rows | None = None
    tokens: Rows | None = None
    typed: Tally | None = None
    values: Mapping[Metric, Sum] = field(default_factory=dict)
    means: Rows | None = None
    grounding: Tally | None = None

    def __repr__(self) -> str:
        sums = ", ".join(f"{name} {int(self.column(name).sum()):,}" for name in ("gold", "predicted", "correct"))
        return f"<Tally: {self.facts['units']:,} units, {len(self.cells)} cells, {sums}>"

    def __add__(self, other: Tally) -> Tally:
        """Count both inputs together."""
        if not self.cells and not self.facts:
            return other
        facts, confusion = Counter(self.facts), Counter(self.confusion)
        facts.update(other.facts)  # and not +, which drops a count that is 0
        confusion.update(other.confusion)
        kept = (
            _both(self.rows, other.rows),
            _both(self.tokens, other.tokens),
            None if self.typed is None or other.typed is None else self.typed + other.typed,
            {metric: own + other.values[metric] for metric, own in self.values.items() if metric in other.values},
            _both(self.means, other.means),
        )
        if self.cells == other.cells:
            return Tally(self.columns, self.cells, self.totals + other.totals, facts, confusion, *kept)
        cells = tuple(sorted({*self.cells, *other.cells}))
        row = {cell: k for k, cell in enumerate(cells)}
        totals = np.zeros((len(cells), len(self.columns)), np.int64)
        for part in (self, other):
            totals[[row[cell] for cell in part.cells]] += part.totals
        return Tally(self.columns, cells, totals, facts, confusion, *kept)

    def column(self, name: str) -> Ints:
        """Return one count for all cells."""
        out: Ints = self.totals[:, self.columns.index(name)]
        return out

    @cached_property
    def layout(self) -> Layout:
        """The columns and cells."""
        return Layout(self.columns, self.cells)

    @property
    def labels(self) -> list[str]:
        """The labels that occur, sorted; relevance has none."""
        cells = (*self.cells, *(() if self.typed is None else self.typed.cells))
        return sorted({label for _, label in cells if label})

    @property
    def reported_labels(self) -> list[str]:
        """The labels that scores are reported for, sorted: all, or the most frequent in gold if there are too many."""
        labels, most = self.labels, limits().labels
        if len(labels) <= most:
            return labels
        gold: Counter[str] = Counter()
        for (_, label), count in zip(self.cells, self.column("gold").tolist(), strict=True):
            gold[label] += count
        return sorted(sorted(labels, key=lambda label: (-gold[label], label))[:most])

    def read_by(self, metric: Metric) -> Tally | None:
        """Return what a metric reads: these counts, or those of tokens by type, where they were counted."""
        return self.typed if metric.measure.by_token else self

    def counts(self, metric: Metric) -> bool:
        """Whether everything was counted that a metric reads."""
        return metric in self.values if metric.per_unit else self.read_by(metric) is not None

    def rows_of(self, metric: Metric) -> Rows | None:
        """Return the counts of each unit that a metric reads, where they were kept."""
        read = self.read_by(metric)
        if read is None:
            return None
        return read.rows if metric.measure.reads(read.columns) else read.tokens

    def without_rows(self) -> Tally:
        """Return the totals without the counts of each unit."""
        typed = None if self.typed is None else self.typed.without_rows()
        return replace(self, rows=None, tokens=None, means=None, typed=typed)

    def check(self) -> None:
        """Make sure of what must always hold; a violation is a bug in Karatage, never in the input."""
        one = {name: self.column(name) for name in self.columns}
        broken = (
            (self.totals < 0).any()
            or (one["correct"] > one["gold"]).any()
            or (one["hits"] > one["predicted"]).any()
            or one["correct"].sum() != one["hits"].sum()
        )
        if "missed" in one:
            for side, kinds in (("gold", KINDS[:5]), ("predicted", KINDS[5:])):
                broken = broken or not np.array_equal(np.sum([one[k] for k in kinds], axis=0), one[side])
        if broken:  # pragma: no cover
            raise AssertionError("the counts contradict each other; please report this with the input")


def tally(
    pair: ClaimPair, alignment: Alignment, *, kinds: bool = False, group_by: str | None = None, rows: bool = False
) -> Tally:
    """Count what an alignment says, by label and by a unit attribute such as `category`.

    `kinds` counts the kinds of error too; `rows` keeps the counts of each unit, in the units' order.
    """
    gold_cell, pred_cell, names = _cells(pair, group_by)
    gold, pred = (pair.gold.unit, gold_cell), (pair.pred.unit, pred_cell)
    credited = slice(None) if alignment.credited.all() else alignment.credited
    hits = _chosen(gold, alignment.gold[credited]), _chosen(pred, alignment.pred[credited])
    counted_claims = [gold, pred, *hits]
    confusion: Counter[tuple[str, str]] = Counter()
    if kinds:
        for side, paired in ((gold, alignment.gold), (pred, alignment.pred)):
            counted_claims += [_chosen(side, paired[alignment.kind == kind]) for kind in range(Kind.MISSED)]
            counted_claims.append(_chosen(side, unpaired(len(side[0]), paired)))
        confusion = _confusion(pair, alignment)
    columns = COUNTS + (KINDS if kinds else ())
    totals = np.stack([np.bincount(cell, minlength=len(names)) for _, cell in counted_claims], axis=1)
    seen = sorted(np.flatnonzero(totals.any(axis=1)).tolist(), key=names.__getitem__)
    count = len(pair.gold.units)
    facts, tokens = Counter({"units": count}), None
    if pair.gold.tags and pair.pred.tags:
        counted, tokens = _tokens(pair.gold.tags, pair.pred.tags, rows, _equal_spans(pair, alignment))
        facts.update(counted)
    kept = Rows.of_units(columns, names, count, counted_claims) if rows else None
    return Tally(columns, tuple(names[k] for k in seen), totals[seen], facts, confusion, kept, tokens)


def _chosen(side: tuple[Ints, Ints], claims: Ints) -> tuple[Ints, Ints]:
    unit, cell = side
    return unit[claims], cell[claims]


def _both(one: Rows | None, other: Rows | None) -> Rows | None:
    return None if one is None or other is None else one + other


def _cells(pair: ClaimPair, group_by: str | None) -> tuple[Ints, Ints, list[Cell]]:
    """Return the cell of each gold and of each predicted claim, and the cells' names."""
    if group_by is None:
        return pair.gold_label, pair.pred_label, [("", label) for label in pair.labels]
    first, cells = cells_of(pair.gold.units, pair.labels, group_by)
    return first[pair.gold.unit] + pair.gold_label, first[pair.pred.unit] + pair.pred_label, cells


def cells_of(units: Units, labels: Sequence[str], group_by: str | None) -> tuple[Ints, list[Cell]]:
    """Return the first cell of each unit, one for each label of its group, and the names of all cells."""
    if group_by is None:
        return np.zeros(len(units), np.int64), [("", label) for label in labels]
    names = list(attribute(units, group_by, "group"))
    groups = sorted(set(names)) or [""]
    number = {name: k for k, name in enumerate(groups)}
    first = np.array([number[name] for name in names], np.int64) * len(labels)
    return first, [(group, label) for group in groups for label in labels]


def attribute(units: Units, name: str, purpose: str) -> Sequence[str]:
    """Return an attribute of units; one that gold lacks is an error."""
    if name not in units.attributes:
        known = ", ".join(units.attributes) or "none"
        message = f"no attribute {name!r} to {purpose} units by (attributes: {known})"
        raise InputError(message, source=units.source or "gold")
    return units.attributes[name]


def _confusion(pair: ClaimPair, alignment: Alignment) -> Counter[tuple[str, str]]:
    count = len(pair.labels) + 1
    nothing = count - 1
    gold = np.append(pair.gold_label, nothing)
    pred = np.append(pair.pred_label, nothing)
    g_rest, p_rest = unpaired(len(pair.gold), alignment.gold), unpaired(len(pair.pred), alignment.pred)
    paired = gold[alignment.gold] * count + pred[alignment.pred]
    pairs = np.concatenate([paired, gold[g_rest] * count + nothing, nothing * count + pred[p_rest]])
    found, times = np.unique(pairs, return_counts=True)
    names = (*pair.labels, "")
    counted = zip(found.tolist(), times.tolist(), strict=True)
    return Counter({(names[k // count], names[k % count]): n for k, n in counted})


def tally_tags(gold: Tagged, pred: Tagged, decoder: TagDecoder, *, rows: bool = False) -> Tally:
    """Count exact matches of two single layers of tags over the same tokens, without making claims of them."""
    (ours,), (theirs,) = gold.spans(decoder), pred.spans(decoder)
    found = match_spans(ours, theirs)
    names = [("", name) for name in found.names]
    claims = (found.true, found.predicted, found.predicted[found.hit])
    counts = [np.bincount(cell, minlength=len(names)) for cell in claims]
    totals = np.stack([*counts, counts[-1]], axis=1).astype(np.int64)
    hits = theirs.starts[found.hit], theirs.ends[found.hit]
    counted, tokens = _tokens(gold.layers, pred.layers, rows, hits)
    kept = None
    if rows:
        unit = [units_of(layer, spans) for layer, spans in ((gold.layers[0], ours), (pred.layers[0], theirs))]
        counted_claims = list(zip((*unit, unit[1][found.hit]), claims, strict=True))
        kept = Rows.of_units(COUNTS, names, len(gold), [*counted_claims, counted_claims[-1]])
    return Tally(COUNTS, tuple(names), totals, Counter({"units": len(gold)} | counted), Counter(), kept, tokens)


def _equal_spans(pair: ClaimPair, alignment: Alignment) -> tuple[Ints, Ints]:
    """Return where credited claims with the same span and label on both sides start and end in the stream of tags."""
    g, p = alignment.gold[alignment.credited], alignment.pred[alignment.credited]
    same = (pair.gold.start[g] == pair.pred.start[p]) & (pair.gold.end[g] == pair.pred.end[p])
    same &= pair.gold_label[g] == pair.pred_label[p]  # a rule may give credit to another label
    own = g[same]
    first = pair.gold.tags[0].starts[pair.gold.unit[own]]
    return first + pair.gold.start[own], first + pair.gold.end[own]


def _tokens(
    gold: Sequence[Tags], pred: Sequence[Tags], rows: bool, hits: tuple[Ints, Ints]
) -> tuple[dict[str, int], Rows | None]:
    """Count tokens, those whose tags agree in all layers that both sides have, and correct spans with other tags.

    The latter are retagged: their first or last tags differ, as in another tagging scheme.
    """
    agree = np.ones(len(gold[0].codes), bool)
    for ours, theirs in zip(gold, pred, strict=False):
        if ours.vocabulary == theirs.vocabulary:
            same = ours.codes == theirs.codes
        else:
            number = {tag: k for k, tag in enumerate(ours.vocabulary) if k}
            codes = [0, *(number.get(tag, len(ours.vocabulary)) for tag in theirs.vocabulary[1:])]
            same = ours.codes == np.array(codes)[theirs.codes]
        agree &= same
    first = gold[0]
    breaks = len(first)
    counted = dict(zip(TOKENS, (len(first.codes) - breaks, int(np.count_nonzero(agree)) - breaks), strict=True))
    starts, ends = hits
    counted["retagged"] = int(np.count_nonzero(~(agree[starts] & agree[ends - 1])))
    if not rows:
        return counted, None
    before = np.concatenate([[0], np.cumsum(agree)])[first.starts]  # breaks agree: one too many in each unit
    return counted, Rows.of_values(TOKENS, np.stack([first.sizes, np.diff(before) - 1], axis=1))


def total(parts: Iterable[Tally], columns: Sequence[str] = COUNTS) -> Tally:
    """Add up tallies; with none, return an empty one."""
    out = Tally(tuple(columns), (), np.zeros((0, len(columns)), np.int64))
    for part in parts:
        out = out + part
    return out
