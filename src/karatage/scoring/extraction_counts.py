"""What is counted of an extraction: a fold over batches of paired units, whose parts add up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from karatage.claims import Claims, merge_adjacent
from karatage.errors import InputError, UsageError
from karatage.inputs import Input, InputParts
from karatage.matching import Alignment, ClaimPair, Pair, Pairing, TaggedPair, UnitNotes
from karatage.metrics import COUNTS, KINDS, Metric, Tally, mean_rows, sums, tally, tally_tags, tally_types
from karatage.profiles import Profile
from karatage.scoring.extraction_warnings import SideNotes, note_claims
from karatage.scoring.grounding_counts import GroundedPair, GroundingCounts, grounded
from karatage.scoring.nouns import Nouns
from karatage.scoring.pair_checks import PairChecks
from karatage.scoring.unit_counts import CountCollector, DistinctCounts


class ExtractionCounts:
    """The counts of gold and predictions, and what was noticed while they were read.

    Counts of parts add up with `add_part`, in the order of the parts, to those of the whole.

    Args:
        profile: how they are scored.
        nouns: what users call what is scored.
        collector: gets the counts of each unit, where they are wanted.

    Attributes:
        total: the counts.
        notes: what was noticed of gold and of the predictions.
        pairing: what was noticed of units while they were paired.
        checks: what was noticed of paired units.
        grounding: which predicted values occur in the text.
    """

    def __init__(self, profile: Profile, nouns: Nouns, collector: CountCollector | None) -> None:
        self.profile, self.nouns, self.collector = profile, nouns, collector
        columns = COUNTS + (KINDS if profile.kinds else ())
        self.total = Tally(columns, (), np.zeros((0, len(columns)), np.int64))
        self.notes = SideNotes(), SideNotes()
        self.pairing = UnitNotes()
        placed_by = () if collector is None else collector.resampling.attributes
        self.checks = PairChecks(profile, nouns, (*filter(None, [profile.group_by]), *placed_by))
        self.grounding = GroundingCounts(profile, nouns, collector)
        self._decoder = profile.decoder()
        self._means = [metric for metric in dict.fromkeys(profile.metrics.values()) if metric.per_unit]
        self._rows = collector is not None or bool(self._means)
        every = (*profile.metrics.values(), *profile.by_label.values())
        self.by_token = any(metric.measure.by_token for metric in every)

    def read(self, gold: Input, pred: Input, done: Callable[[int], None] | None = None) -> None:
        """Read and count everything, batch by batch; `done` is called with the number of units so far."""
        for units in self.steps(gold, pred):
            if done is not None:
                done(units)

    def steps(self, gold: Input, pred: Input) -> Iterator[int]:
        """Read and count everything; yield the number of units so far, batch by batch."""
        profile = self.profile
        # Exact matches of tags need no claims, only positions in the stream.
        plain = profile.rule.equal_only and not (profile.kinds or profile.labels or profile.group_by or profile.merge)
        pairing = paired(gold, pred, profile, self.notes, keep_tags=plain)
        for pair in pairing:
            self._add(pair)
            yield self.units
        self.pairing += pairing.notes

    def fresh(self) -> ExtractionCounts:
        """Return counts of nothing."""
        return ExtractionCounts(self.profile, self.nouns, None if self.collector is None else self.collector.fresh())

    @property
    def units(self) -> int:
        """How many units were counted."""
        return self.total.facts["units"]

    def read_part(self, part: InputParts) -> None:
        """Read and count a part; refuse one whose gold and predictions do not have the same units."""
        gold, pred = part.inputs
        self.read(gold, pred)
        self.check_part(part)

    def check_part(self, part: InputParts) -> None:
        """Refuse a part whose gold and predictions do not have the same units, as many as it says."""
        if part.units not in (None, self.units) or self.pairing.missing or self.pairing.extra:
            raise InputError("a part has other units than were counted", source=part.inputs[0].name)

    @property
    def takes_shards(self) -> bool:
        """Whether it notes no names of units but those of a few examples."""
        return self.collector is None or isinstance(self.collector, DistinctCounts)

    def shift(self, before: int) -> None:
        """Count the numbers of units in examples from behind so many others."""
        self.checks.shift(before)
        self.grounding.shift(before)

    def check_whole(self) -> None:
        """Refuse an id that occurs in two parts."""
        self.pairing.check_ids()

    def add_part(self, other: ExtractionCounts) -> None:
        """Add the part that follows."""
        self.total = self.total + other.total
        for own, more in zip(self.notes, other.notes, strict=True):
            own += more
        self.pairing += other.pairing
        self.checks += other.checks
        self.grounding += other.grounding
        if self.collector is not None and other.collector is not None:
            self.collector += other.collector

    def _add(self, given: Pair | TaggedPair) -> None:
        found = grounded(given, self.profile)
        pair = found.pair
        counted = self._counted(found)
        if self.by_token:
            counted = replace(counted, typed=self._typed(pair))
        if self._means:
            counted = _with_means(counted, self._means, self.profile)
        if self.collector is not None:
            self.collector.add(pair.gold.units, counted)
        self.total = self.total + counted.without_rows()
        note_claims(self.notes, pair, counted)
        self.checks.add(given, counted)
        if self.profile.scheme:
            for own, side in zip(self.notes, (pair.gold, pair.pred), strict=True):
                own.invalid += sum(len(self._decoder.invalid(layer)) for layer in side.tags)

    def _counted(self, found: GroundedPair) -> Tally:
        profile, pair = self.profile, found.pair
        if isinstance(pair, TaggedPair):
            return tally_tags(*pair, self._decoder, rows=self._rows)
        left_out, (claim_pair, alignment) = align(pair, profile, kinds=profile.kinds)
        group_by = profile.group_by or None
        counted = tally(claim_pair, alignment, kinds=profile.kinds, group_by=group_by, rows=self._rows)
        if profile.labels:  # the tags speak of all labels
            del counted.facts["tokens"], counted.facts["tokens_correct"]
            counted = replace(counted, tokens=None)
        for own, count in zip(self.notes, left_out, strict=True):
            own.excluded += count
        self.grounding.add(claim_pair, alignment, found)
        if profile.rule.of_values:
            self.checks.add_values(claim_pair, alignment)
        return counted

    def _typed(self, pair: Pair | TaggedPair) -> Tally:
        """Count the tokens of each type."""
        labels, group_by = self.profile.labels, self.profile.group_by or None
        return tally_types(*pair, decoder=self._decoder, labels=labels, group_by=group_by, rows=self._rows)


def paired(
    gold: Input, pred: Input, profile: Profile, notes: tuple[SideNotes, SideNotes], *, keep_tags: bool = False
) -> Pairing:
    """Read gold and predictions side by side."""
    ours, theirs = (own.batches(side.passed) for own, side in zip((gold, pred), notes, strict=True))
    return Pairing(ours, theirs, profile.decoder(), profile.units, keep_tags=keep_tags, noun=gold.noun)


def align(pair: Pair, profile: Profile, *, kinds: bool) -> tuple[tuple[int, int], tuple[ClaimPair, Alignment]]:
    """Align a pair; return how many claims were left out of each side, and the alignment."""
    gold, pred = pair
    if profile.merge:
        gold, pred = merge_adjacent(gold), merge_adjacent(pred)
    excluded = (0, 0)
    if profile.labels:
        wanted = set(profile.labels)
        (gold, g), (pred, p) = _only(gold, wanted), _only(pred, wanted)
        excluded = (g, p)
    if not (profile.form and profile.rule.of_values):
        return excluded, profile.rule.align(gold, pred, kinds=kinds, duplicates=profile.duplicates)
    sides = gold.with_values(), pred.with_values()
    in_form = map(profile.form.applied, sides)
    found, alignment = profile.rule.align(*in_form, kinds=kinds, duplicates=profile.duplicates)
    # Errors are shown with the values as they are.
    return excluded, (replace(found, gold=sides[0], pred=sides[1], form=profile.form), alignment)


def _with_means(counted: Tally, metrics: Sequence[Metric], profile: Profile) -> Tally:
    """Add the values of metrics that are means over units."""
    values = {}
    for metric in metrics:
        rows = counted.rows_of(metric)
        if rows is None:
            raise UsageError(f"{metric} needs tags on both sides")
        values[metric] = metric.of_units(rows.columns, rows.per_row(), profile.undefined)
    return replace(counted, values=sums(values), means=mean_rows(values))


def _only(claims: Claims, labels: set[str]) -> tuple[Claims, int]:
    keep = np.array([label in labels for label in claims.labels], bool)[claims.label]
    return (claims, 0) if keep.all() else (replace(claims.keep(keep), tags=claims.tags), int((~keep).sum()))
