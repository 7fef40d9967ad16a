"""`karatage.describe`: what is in a data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from karatage._options import check_names, pick, takes
from karatage.claims import Style, scheme
from karatage.description.ambiguity import ExampleFinder, ambiguous_values, ambiguous_words
from karatage.description.data_counts import DataCounts
from karatage.description.data_description import Description
from karatage.description.data_overlap import overlap
from karatage.description.duplicate_units import DuplicateSearch, UnitTextFinder
from karatage.description.extraction_description import (
    ExtractionDescription,
    attribute_summaries,
    label_summaries,
)
from karatage.description.listed_texts import LISTED, Listed
from karatage.description.row_counts import Distribution
from karatage.description.search_description import QuerySummary, SearchDescription
from karatage.description.search_pairs import pairs_in, search_overlap
from karatage.description.tag_validity import TagChecker
from karatage.description.unlabelled_values import UnlabelledSearch
from karatage.description.word_batches import WordBatch
from karatage.errors import UsageError
from karatage.inputs import Input, Reading, ReadingKeywords, TagReading, as_input, check_graded, scan
from karatage.scoring import Nouns, Progress


@takes(Reading, TagReading)
def describe(
    data: Any, against: Any = None, *, progress: Progress | None = None, **options: Unpack[ReadingKeywords]
) -> Description:
    """Describe a data set: counts, lengths, ambiguous values, inconsistencies, duplicates; for search, judgements.

    Args:
        data: What `karatage.scan` takes; for search judgements or results, as files, mappings or data frames.
        against: A second data set, to report what both share: test data for training data, or a run for judgements.
        progress: Called with the number of sentences, documents or listings read so far.
        options: Reading options.

    Returns:
        The description: prints as tables, and holds every count.
    """
    check_names(options, Reading, TagReading)
    if all(isinstance(given, str | Path) and str(given) == "-" for given in (data, against)):
        raise UsageError("both data sets cannot come from standard input")
    first = _opened(data, "the data", pick(Reading, options))
    second = None if against is None else _opened(against, "the second data set", pick(Reading, options))
    if second is not None and first.relevance != second.relevance:
        names = (first.name, second.name) if first.relevance else (second.name, first.name)
        raise UsageError(f"{names[0]} contains search results or judgements, but {names[1]} does not")
    if first.relevance:
        return _search(first, second)
    return _Corpus(first, options, progress).described(None if second is None else _Corpus(second, options, None))


def _opened(given: Any, name: str, reading: Reading) -> Input:
    own = as_input(given, format=reading.format, name=name)
    columns = (reading.columns,) if isinstance(reading.columns, str) else reading.columns
    if reading.grades:
        check_graded(own, reading.grades)
    options = replace(own.options, unit=reading.unit, repeats=True, query_list=str(reading.query_list or ""))
    own = replace(own, options=replace(options, columns=tuple(map(str, columns)), grades=reading.grades or ""))
    return own.remembered() if own.once else own  # it is read twice


@dataclass(frozen=True, eq=False)
class _Corpus:
    """A data set of entities or values, with how to read it."""

    given: Input
    options: ReadingKeywords
    progress: Progress | None

    def described(self, second: _Corpus | None) -> ExtractionDescription:
        """Count everything in a first pass, and look for examples and unlabelled values in a second one."""
        notes: Counter[str] = Counter()
        checker = self._tag_checker()
        counts = self.counted(notes, checker)
        values, words = ambiguous_values(counts), ambiguous_words(counts)
        repeated = DuplicateSearch(counts.keys, counts.annotations)
        finders = ExampleFinder(values, words), UnlabelledSearch(counts), UnitTextFinder(repeated.wanted)
        if any(finder.needed for finder in finders):
            for batch in self._batches(Counter()):
                for finder in finders:
                    finder.add(batch)
        examples, search, texts = finders
        partly, unlabelled = search.result()
        facts = counts.facts
        labels = label_summaries(counts)
        return ExtractionDescription(
            data=self.given.name,
            format=_format(self.given),
            nouns=Nouns(unit=self.given.noun, claim="value" if counts.spaces == {"value"} else "entity"),
            warnings=_noted(notes),
            counts={
                "units": facts["units"],
                "tokens": facts.get("words"),
                "entities": facts["entities"],
                "labels": len(labels),
                "empty": facts["empty"],
                "without_entities": counts.per_unit[0],
                "overlapping": facts["overlapping"],
                "discontinuous": facts["discontinuous"],
                "inside_words": facts["inside words"],
            },
            token="word" if facts["found words"] else "token",
            lengths=Distribution.of(counts.sizes),
            per_unit=Distribution.of(counts.per_unit),
            labels=labels,
            attributes=attribute_summaries(counts),
            ambiguous_values=examples.fill(values),
            ambiguous_tokens=examples.fill(words, words=True),
            partly_labelled=partly,
            unlabelled=unlabelled,
            tags=None if checker is None else checker.result(),
            duplicates=repeated.result(texts) if len(counts.keys) else None,
            overlap=None if second is None else second.compared(counts),
        )

    def counted(self, notes: Counter[str], checker: TagChecker | None = None) -> DataCounts:
        """Count everything."""
        counts = DataCounts()
        for batch in self._batches(notes):
            counts.add(batch)
            if checker is not None:
                checker.add(batch.claims.tags)
            if self.progress is not None:
                self.progress(counts.facts["units"])
        return counts

    def compared(self, first: DataCounts) -> Any:
        """Return what this data set shares with another one."""
        return overlap(self.given.name, first, self.counted(Counter()), self._batches(Counter()))

    def _batches(self, notes: Counter[str]) -> Iterator[WordBatch]:
        return map(WordBatch.of, scan(self.given, notes=notes, **self.options))

    def _tag_checker(self) -> TagChecker | None:
        tags = pick(TagReading, self.options)
        chosen = scheme(tags.scheme) if tags.scheme else None
        if chosen is not None and not chosen.prefixes:
            return None  # EMPTY forbids nothing that its reader accepts
        return TagChecker(Style("-" if tags.separator is None else tags.separator, bool(tags.suffix)), chosen)


def _noted(notes: Counter[str]) -> tuple[str, ...]:
    """Say what a reader passed over."""
    return tuple(f"{what}: {count:,}" for what, count in notes.items() if count)


def _format(given: Input) -> str | None:
    return given.format.name if given.content == "files" else None


def _search(first: Input, second: Input | None) -> SearchDescription:
    notes: Counter[str] = Counter()
    pairs = pairs_in(first, notes)
    per_query, relevant, tied = pairs.per_query(), pairs.relevant(), pairs.tied()
    results = pairs.kind == "result"
    totals = {"queries": len(pairs.queries), "documents": len(pairs.documents()), "pairs": int(per_query.sum())}
    bare = [pairs.queries[k] for k in np.flatnonzero(relevant == 0).tolist()]
    rows = zip(pairs.queries, per_query.tolist(), relevant.tolist(), tied.tolist(), strict=True)
    return SearchDescription(
        data=first.name,
        format=_format(first),
        nouns=Nouns(unit="query", claim="document"),
        warnings=(*pairs.warnings(), *_noted(notes)),
        kind=pairs.kind,
        counts=totals | ({"tied": int(tied.sum())} if results else {"relevant": int(relevant.sum())}),
        per_query=Distribution.of_numbers(per_query),
        relevant_per_query=None if results else Distribution.of_numbers(relevant),
        values=None if results else pairs.values(),
        queries=tuple(QuerySummary(q, n, None if results else r, t if results else None) for q, n, r, t in rows),
        without_relevant=None if results else Listed(len(bare), tuple(bare[:LISTED])),
        tied_queries=int((tied > 0).sum()) if results else None,
        repeated=pairs.repeated(),
        overlap=None if second is None else search_overlap(second.name, pairs, pairs_in(second, Counter())),
    )
