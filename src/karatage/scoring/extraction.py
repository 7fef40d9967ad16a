"""Scoring an extractor: a fold over batches of paired units."""

from __future__ import annotations

import atexit
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np

from karatage._temporaries import scratch_folder
from karatage._writing import writing
from karatage.claims import Claims, Tagged, detect, detect_like_seqeval, merge_adjacent
from karatage.errors import InputError, UsageError
from karatage.formats import Source, get_format
from karatage.inputs import Input
from karatage.matching import Alignment, ClaimPair, Pair, Pairing, TaggedPair
from karatage.metrics import COUNTS, KINDS, Metric, Tally, mean_rows, sums, tally, tally_tags, tally_types
from karatage.profiles import DETECT, Profile
from karatage.scoring.extraction_result import ExtractionResult
from karatage.scoring.extraction_warnings import SideNotes, extraction_warnings, note_claims
from karatage.scoring.nouns import Nouns
from karatage.scoring.pair_checks import PairChecks
from karatage.scoring.task import Progress, Task
from karatage.scoring.unit_counts import CountCollector, DistinctCounts
from karatage.stats import Resampling


class Extraction(Task):
    """A scoring of claims about texts: a fold over batches of paired units."""

    result_type = ExtractionResult

    @classmethod
    def open(cls, gold: Input, pred: Input | None, profile: Profile, documents: str | Path | None) -> Extraction:
        """Check that gold and predictions go together; only a scheme that is to be detected is looked for in gold."""
        if documents is not None:
            raise UsageError("--documents works for search with the profile sigir-ecom19 only")
        found = [own.name for own in (gold, pred) if own is not None and own.relevance]
        if len(found) == 1 and pred is not None:
            other = next(own.name for own in (gold, pred) if own.name != found[0])
            raise UsageError(f"{found[0]} contains search results or judgements, but {other} does not. {SEARCH_INPUTS}")
        if found:
            how = "Leave out --like, or use --like trec" if gold.content == "files" else NUMBERS
            raise UsageError(
                f"{found[0]} contains search results or judgements, which the profile {profile.name} does not score. "
                f"{how}"
            )
        if gold.named_format is None and gold.content == "files" and gold.format.predicted:
            hint = f"Annotate it first. To score against predictions, set --format {gold.format.name}"
            raise InputError("gold has predictions only", source=gold.name, hint=hint)
        gold, pred = _two_columns(gold) if pred is None else _same_space(gold, pred)
        gold = replace(gold, file_documents=True)
        if profile.scheme == DETECT:
            profile = replace(profile, scheme=_detect(gold, profile))
        return cls(gold, pred, profile)

    @property
    def nouns(self) -> Nouns:
        """What users call what is scored."""
        return Nouns(unit=self.gold.noun, claim="value" if self.profile.rule.of_values else "entity")

    @property
    def by_id(self) -> bool:
        """Whether gold and predictions are paired by the ids of their units: if both have ids."""
        self.check_repeatable()
        first = (
            next((batch.units for batch in own.batches() if len(batch.units)), None) for own in (self.gold, self.pred)
        )
        return all(units is not None and units.ids is not None for units in first)

    def with_metrics(self, tally: Tally, metrics: Sequence[Metric], resampling: Resampling | None) -> Tally:
        """Return the tally with the tokens of each type, reading the input again; other means are not kept."""
        for metric in metrics:
            if metric.per_unit:
                raise UsageError(f"{metric} is a mean over {self.nouns.units}: name it in `metrics` when scoring")
        self.check_repeatable()
        collector = None if resampling is None else DistinctCounts(resampling)
        profile = replace(self.profile, metrics={str(metric): metric for metric in metrics})
        counted, _ = Extraction(self.gold, self.pred, profile).tally(None, collector)
        if collector is not None and resampling is not None:
            counted = collector.on(counted, clustered=resampling.cluster_by is not None)
        return replace(tally, typed=counted.typed)

    def pairs(self, *, kinds: bool) -> Iterator[tuple[ClaimPair, Alignment]]:
        """Yield the aligned batches, reading the input again."""
        self.check_repeatable()
        for pair in self._pairing(Counter(), Counter()):
            if isinstance(pair, Pair):  # as all are that do not keep tags
                yield self._align(pair, kinds)[1]

    def _pairing(self, *notes: Counter[str], keep_tags: bool = False) -> Pairing:
        gold, pred = (own.batches(passed) for own, passed in zip((self.gold, self.pred), notes, strict=True))
        return Pairing(gold, pred, self.profile.decoder(), self.profile.units, keep_tags=keep_tags, noun=self.gold.noun)

    def _align(self, pair: Pair, kinds: bool) -> tuple[tuple[int, int], tuple[ClaimPair, Alignment]]:
        """Align a pair; return how many claims were left out of each side, and the alignment."""
        gold, pred = pair
        if self.profile.merge:
            gold, pred = merge_adjacent(gold), merge_adjacent(pred)
        excluded = (0, 0)
        if self.profile.labels:
            wanted = set(self.profile.labels)
            (gold, g), (pred, p) = _only(gold, wanted), _only(pred, wanted)
            excluded = (g, p)
        return excluded, self.profile.rule.align(gold, pred, kinds=kinds, duplicates=self.profile.duplicates)

    def tally(
        self, progress: Progress | None = None, collector: CountCollector | None = None
    ) -> tuple[Tally, list[str]]:
        """Count everything, batch by batch."""
        profile = self.profile
        columns = COUNTS + (KINDS if profile.kinds else ())
        total = Tally(columns, (), np.zeros((0, len(columns)), np.int64))
        notes = SideNotes(), SideNotes()
        # Exact matches of tags need no claims, only positions in the stream.
        plain = profile.rule.equal_only and not (profile.kinds or profile.labels or profile.group_by or profile.merge)
        pairing = self._pairing(*(own.passed for own in notes), keep_tags=plain)
        placed_by = () if collector is None else collector.resampling.attributes
        checks = PairChecks(profile, self.nouns, (*filter(None, [profile.group_by]), *placed_by))
        decoder = profile.decoder()
        means = [metric for metric in dict.fromkeys(profile.metrics.values()) if metric.per_unit]
        rows = collector is not None or bool(means)
        by_token = any(metric.measure.by_token for metric in (*profile.metrics.values(), *profile.by_label.values()))
        for pair in pairing:
            if isinstance(pair, TaggedPair):
                counted = tally_tags(*pair, decoder, rows=rows)
            else:
                left_out, (claim_pair, alignment) = self._align(pair, profile.kinds)
                group_by = profile.group_by or None
                counted = tally(claim_pair, alignment, kinds=profile.kinds, group_by=group_by, rows=rows)
                if profile.labels:  # the tags speak of all labels
                    del counted.facts["tokens"], counted.facts["tokens_correct"]
                    counted = replace(counted, tokens=None)
                for own, count in zip(notes, left_out, strict=True):
                    own.excluded += count
                if profile.rule.of_values:
                    checks.add_values(claim_pair, alignment)
            if by_token:
                counted = replace(counted, typed=self._typed(pair, rows))
            if means:
                counted = _with_means(counted, means, profile)
            if collector is not None:
                collector.add(pair.gold.units, counted)
            total = total + counted.without_rows()
            note_claims(notes, pair, counted)
            checks.add(pair, counted)
            if profile.scheme:
                for own, side in zip(notes, (pair.gold, pair.pred), strict=True):
                    own.invalid += sum(len(decoder.invalid(layer)) for layer in side.tags)
            if progress is not None:
                progress(total.facts["units"])
        if by_token and total.typed is None:  # nothing was scored at all
            total = replace(total, typed=Tally())
        total.check()
        self._check_groups(total)
        inputs = self.gold, self.pred
        warnings = extraction_warnings(
            total,
            profile=profile,
            nouns=self.nouns,
            inputs=inputs,
            notes=notes,
            pairing=pairing,
        )
        return total, [*warnings, *checks.warnings(), *self.undefined_means(total)]

    def _typed(self, pair: Pair | TaggedPair, rows: bool) -> Tally:
        """Count the tokens of each type."""
        profile = self.profile
        group_by = profile.group_by or None
        return tally_types(*pair, decoder=profile.decoder(), labels=profile.labels, group_by=group_by, rows=rows)

    def _check_groups(self, total: Tally) -> None:
        declared = self.profile.schema.groups
        strange = [group for group in total.layout.groups if declared and group not in declared]
        if strange:
            raise InputError(
                f"{self.profile.group_by} {strange[0]!r} is not one of {', '.join(declared)}",
                source=self.gold.name,
                hint=f"The profile {self.profile.name} allows no others",
            )


SEARCH_INPUTS = (
    "Search takes TREC files, mappings from queries to documents with grades or scores as numbers, or frames with the "
    "columns query_id, doc_id and relevance or score"
)
NUMBERS = "Numbers in a mapping are grades or scores: write the values of fields as text, and set like='values'"


def _two_columns(gold: Input) -> tuple[Input, Input]:
    """Take gold and predictions from two columns of one file."""
    if gold.content != "files":
        raise UsageError("missing predictions: only a column file can contain both gold and predictions")
    columns = gold.options.columns or ("-2", "-1")
    if len(columns) != 2:
        raise UsageError("--columns needs two columns, gold and predictions, unless you pass a file of predictions")
    streams = [source for source in gold.sources if source.once]
    if not streams and gold.format.name != "conll":
        raise UsageError(f"{gold.name} contains only gold: pass a file of predictions too")
    sources = tuple(map(_spooled, streams)) or gold.sources
    both = replace(gold, named_format=get_format("conll"), sources=sources)
    # Gold is not the first column, which contains the tokens.
    return (
        replace(both, options=replace(both.options, columns=(columns[0],), least=3)),
        replace(both, options=replace(both.options, columns=(columns[1],))),
    )


def _spooled(stream: Source) -> Source:
    """Copy a stream to a file, which can be read twice; it goes when the program ends."""
    kept = ExitStack()
    path = kept.enter_context(scratch_folder()) / "stream.conll"
    atexit.register(kept.close)
    with stream.open() as opened, writing(path) as copy:
        shutil.copyfileobj(opened, copy)
    return Source(path)


def _same_space(gold: Input, pred: Input) -> tuple[Input, Input]:
    """Let lists of spans count what the others count, tokens or characters; one without an entry is of their kind."""
    if gold.content == "unknown":
        gold = replace(gold, content="spans" if pred.content == "spans" else "tags")
    if pred.content == "unknown":
        pred = replace(pred, content="spans" if gold.content == "spans" else "tags")
    if gold.content == "spans" and pred.content == "tags":
        gold = replace(gold, content="token spans")
    elif pred.content == "spans" and gold.content == "tags":
        pred = replace(pred, content="token spans")
    return gold, pred


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


def _detect(gold: Input, profile: Profile) -> str:
    """Detect the scheme in gold: the only one that is valid, or the one that seqeval would take."""
    if gold.once:
        raise UsageError("the scheme of standard input cannot be detected: set it with --scheme")
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
        raise UsageError(f"the scheme cannot be detected from the prefixes {known}: set it with --scheme")
    return found.name
