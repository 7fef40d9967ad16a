"""Scoring an extractor: a fold over batches of paired units."""

from __future__ import annotations

import atexit
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np

from karatage._temporaries import scratch_folder
from karatage._writing import writing
from karatage.claims import Tagged, detect, detect_like_seqeval
from karatage.engine import Engine
from karatage.errors import InputError, UsageError
from karatage.formats import INVALID, Source, get_format
from karatage.inputs import Input, read_together
from karatage.matching import Alignment, ClaimPair, Pair
from karatage.metrics import Metric, Tally
from karatage.profiles import DETECT, Profile
from karatage.scoring.extraction_counts import ExtractionCounts, align, paired
from karatage.scoring.extraction_result import ExtractionResult
from karatage.scoring.extraction_warnings import SideNotes, extraction_warnings
from karatage.scoring.folding import folded
from karatage.scoring.grounding_counts import grounded
from karatage.scoring.joint_counts import JointCounts
from karatage.scoring.joint_extraction import JointExtraction
from karatage.scoring.nouns import Nouns
from karatage.scoring.shard_columns import differing_columns
from karatage.scoring.task import Progress, Task, blamed
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
        for pair in paired(self.gold, self.pred, self.profile, (SideNotes(), SideNotes())):
            found = grounded(pair, self.profile).pair
            if isinstance(found, Pair):  # as all are that do not keep tags
                yield align(found, self.profile, kinds=kinds)[1]

    def tally(
        self,
        progress: Progress | None = None,
        collector: CountCollector | None = None,
        engine: Engine | None = None,
    ) -> tuple[Tally, list[str]]:
        """Count everything, batch by batch; on an engine, part by part, which gives the same counts and warnings."""
        found = ExtractionCounts(self.profile, self.nouns, collector)
        if (parts := folded(found, (self.gold, self.pred), engine, progress)) is not None:
            found.add_part(parts)
        else:
            found.read(self.gold, self.pred, progress)
        return self.finished(found)

    def tally_together(
        self, tasks: Mapping[str, Extraction], joint: JointCounts, progress: Progress, engine: Engine | None
    ) -> list[tuple[Tally, list[str]]]:
        """Count several scorings in one pass over gold; on an engine, part by part."""
        found = JointExtraction(self.profile, self.nouns, joint, len(tasks))
        preds = [task.pred for task in tasks.values()]
        named = [partial(blamed, task, name) for name, task in tasks.items()]
        if (parts := folded(found, (self.gold, *preds), engine, progress)) is not None:
            found.add_part(parts)
        else:
            found.read(read_together([task.gold for task in tasks.values()]), preds, progress, named)
        out = []
        for task, counts, name in zip(tasks.values(), found.runs, named, strict=True):
            try:
                out.append(task.finished(counts))
            except InputError as error:
                raise name(error) from None
        return out

    def finished(self, found: ExtractionCounts) -> tuple[Tally, list[str]]:
        """Check what was counted; return the counts and what a reader of them should know."""
        total = found.total
        if found.by_token and total.typed is None:  # nothing was scored at all
            total = replace(total, typed=Tally())
        total.check()
        self._check_groups(total)
        warnings = extraction_warnings(
            total,
            profile=self.profile,
            nouns=self.nouns,
            inputs=(self.gold, self.pred),
            notes=found.notes,
            units=found.pairing,
        )
        sides = (("gold", self.gold), ("predictions", self.pred))
        warnings += [text for name, own in sides for text in differing_columns(name, own)]
        checked = (*found.checks.warnings(), *found.grounding.warnings())
        invalid = found.notes[1].passed[INVALID]
        if invalid:
            total.facts["invalid"] = invalid
        total = replace(total, grounding=found.grounding.finished())
        return total, [*warnings, *checked, *self.undefined_means(total)]

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
