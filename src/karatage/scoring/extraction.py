"""Scoring an extractor: a fold over batches of paired units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from karatage.claims import Batch, Claims, TagDecoder, Tagged, detect, detect_like_seqeval
from karatage.errors import InputError, UsageError
from karatage.matching import Alignment, Pair, Pairing, Sides, TaggedPair
from karatage.metrics import COUNTS, KINDS, Metric, Tally, mean_rows, sums, tally, tally_tags
from karatage.profiles import DETECT, Profile
from karatage.scoring.outcomes.error_kinds import ungrounded
from karatage.scoring.task import Progress, Run, Side
from karatage.scoring.unit_counts import Keep


class Extraction(Run):
    """One scoring of claims about texts: a fold over batches of paired units."""

    def __init__(self, gold: Side, pred: Side, profile: Profile) -> None:
        if profile.scheme == DETECT:
            profile = replace(profile, scheme=_detect(gold, profile))
        super().__init__(gold, pred, profile)

    def pairs(self, *, kinds: bool) -> Iterator[tuple[Sides, Alignment]]:
        """Yield the aligned batches, reading the input again."""
        if self.gold.corpus.once or self.pred.corpus.once:
            raise UsageError("standard input cannot be read again to look at the errors: score a file")
        for pair in self._pairing():
            if isinstance(pair, Pair):  # as all are that do not keep tags
                yield self._align(pair, kinds)[1]

    def _pairing(self, *, keep_tags: bool = False) -> Pairing:
        batches = (self.gold.batches(), self.pred.batches())
        return Pairing(*batches, self.profile.decoder(), self.profile.units, keep_tags=keep_tags)

    def _align(self, pair: Pair, kinds: bool) -> tuple[tuple[int, int], tuple[Sides, Alignment]]:
        """Align a pair; return how many claims were left out of each side, and the alignment."""
        gold, pred = pair
        excluded = (0, 0)
        if self.profile.labels:
            wanted = set(self.profile.labels)
            (gold, g), (pred, p) = _only(gold, wanted), _only(pred, wanted)
            excluded = (g, p)
        return excluded, self.profile.rule.align(gold, pred, kinds=kinds, duplicates=self.profile.duplicates)

    def tally(self, progress: Progress | None = None, keep: Keep | None = None) -> tuple[Tally, list[str]]:
        """Count everything, batch by batch.

        Args:
            progress: called with the number of units done so far.
            keep: gets the counts of each unit, where they are wanted.
        """
        profile = self.profile
        columns = COUNTS + (KINDS if profile.kinds else ())
        total = Tally(columns, (), np.zeros((0, len(columns)), np.int64))
        for side in (self.gold, self.pred):
            side.options.notes.clear()
        # Exact matches of tags need no claims, only places in the stream.
        plain = profile.rule.equal_only and not (profile.kinds or profile.labels or profile.group_by)
        pairing = self._pairing(keep_tags=plain)
        excluded = np.zeros(2, np.int64)
        invalid = np.zeros(2, np.int64)
        ungrounded = 0
        decoder = profile.decoder()
        means = [metric for metric in dict.fromkeys(profile.metrics.values()) if metric.per_unit]
        rows = keep is not None or bool(means)
        for pair in pairing:
            if isinstance(pair, TaggedPair):
                counted = tally_tags(*pair, decoder, rows=rows)
            else:
                left_out, (sides, alignment) = self._align(pair, profile.kinds)
                group_by = profile.group_by or None
                counted = tally(sides, alignment, kinds=profile.kinds, group_by=group_by, rows=rows)
                if profile.labels:  # the tags speak of all labels
                    del counted.facts["tokens"], counted.facts["tokens_correct"]
                    counted = replace(counted, tokens=None)
                excluded += left_out
                if profile.rule.of_values:
                    ungrounded += _count_ungrounded(sides, alignment)
            if means:
                counted = _with_means(counted, means, profile)
            if keep is not None:
                keep.add(pair.gold.units, counted)
            total = total + replace(counted, rows=None, tokens=None, means=None)
            if profile.scheme:
                invalid += [_count_invalid(decoder, side) for side in pair]
            if progress is not None:
                progress(total.facts["units"])
        total.check()
        self._check_groups(total)
        return total, self._warnings(total, pairing, excluded.tolist(), invalid.tolist(), ungrounded)

    def _check_groups(self, total: Tally) -> None:
        declared = self.profile.schema.groups
        strange = [group for group in total.groups if declared and group not in declared]
        if strange:
            raise InputError(
                f"{self.profile.group_by} {strange[0]!r} is not one of {', '.join(declared)}",
                source=self.gold.corpus.name,
                hint=f"The profile {self.profile.name} knows no other",
            )

    def _warnings(
        self, total: Tally, pairing: Pairing, excluded: list[int], invalid: list[int], ungrounded: int
    ) -> list[str]:
        out = []
        gold, predicted = total.column("gold"), total.column("predicted")
        labels = {label for k, (_, label) in enumerate(total.cells) if gold[k]}
        strange = sorted({label for k, (_, label) in enumerate(total.cells) if predicted[k]} - labels)
        if strange:
            count = sum(int(predicted[k]) for k, (_, label) in enumerate(total.cells) if label in strange)
            out.append(
                f"predictions whose label has no gold support ({_some(strange)}), "
                f"which weighted averages do not see: {count:,}"
            )
        for name, count in zip(("gold", "predictions"), invalid, strict=True):
            if count:
                out.append(f"transitions in {name} that the scheme {self.profile.scheme} forbids: {count:,}")
        for name, count in zip(("gold claims", "predictions"), excluded, strict=True):
            if count:
                out.append(f"{name} left out because their label is not to be scored: {count:,}")
        seen = {label for _, label in total.cells}
        unseen = [label for label in self.profile.labels if label not in seen]
        if unseen:
            out.append(f"labels to score that occur on neither side: {_some(unseen)}")
        if "scheme" in self.profile.options and "tokens" not in total.facts and not self.profile.labels:
            out.append("the scheme has no effect: gold or predictions are not tags")
        for name, side in (("gold", self.gold), ("predictions", self.pred)):
            out += [f"{name}: {what}: {count:,}" for what, count in side.options.notes.items()]
        if pairing.missing:
            out.append(f"gold units without predictions, counted as empty: {pairing.missing:,}")
        if pairing.extra:
            out.append(f"predicted units that gold lacks, left out: {pairing.extra:,}")
        out += self.undefined_means(total, "units")
        if pairing.truncated:
            out.append(
                f"units with fewer predicted than gold tokens, the tail counted as missed: {pairing.truncated:,}"
            )
        if ungrounded:
            out.append(f"wrong predicted values that do not occur in their unit's text (ungrounded): {ungrounded:,}")
        return out


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


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


def _detect(gold: Side, profile: Profile) -> str:
    """Tell the scheme from gold: the only one that is valid, or the one that seqeval would take."""
    if gold.corpus.once:
        raise UsageError("the scheme cannot be detected on standard input: name it with --scheme")
    layers = (layer for batch in gold.batches() if isinstance(batch, Tagged) for layer in batch.layers)
    first = next(layers, None)
    if first is None:
        return "IOB2"  # spans need no scheme
    if profile.reader != "seqeval-strict":
        return detect(chain([first], layers), profile.style).name
    letters: set[str] = set()
    for layer in chain([first], layers):
        side = -1 if profile.style.suffix else 0
        letters |= {layer.vocabulary[code][side] for code in np.unique(layer.codes).tolist() if layer.vocabulary[code]}
    found = detect_like_seqeval(letters)
    if found is None:
        known = ", ".join(sorted(letters))
        raise UsageError(f"the scheme cannot be told from the prefixes {known}: name it with --scheme")
    return found.name


def _count_invalid(decoder: TagDecoder, batch: Batch) -> int:
    return sum(len(decoder.invalid(layer)) for layer in batch.tags)


def _count_ungrounded(sides: Sides, alignment: Alignment) -> int:
    """Count wrong predicted values that do not occur in the text, where the text is known."""
    wrong = np.ones(len(sides.pred), bool)
    wrong[alignment.pred[alignment.credited]] = False
    return len(ungrounded(sides, np.flatnonzero(wrong)))
