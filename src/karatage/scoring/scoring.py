"""Scoring: gold and predictions in, a result out."""

from __future__ import annotations

import atexit
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from karatage._options import takes
from karatage.errors import UsageError
from karatage.formats import ReadOptions, Source, get_format, sniff
from karatage.inputs import Corpus, open_corpus
from karatage.profiles import Profile, get_profile
from karatage.scoring import Result
from karatage.scoring.extraction import Extraction
from karatage.scoring.scoring_options import RECORDS, ScoringKeywords, ScoringOptions, ScoringReading
from karatage.scoring.task import Progress, Run, Side
from karatage.scoring.unit_counts import Merged


@takes(*RECORDS)
def score(
    gold: Any,
    pred: Any = None,
    *,
    resamples: int = 1000,
    progress: Progress | None = None,
    **options: Unpack[ScoringKeywords],
) -> Result:
    """Score predictions against gold.

    Args:
        gold: A path, a folder, a pattern; a list of tags or of spans (label, start, end) for each sentence, or a
            mapping from ids to such lists; claims; a data frame with unit, label, start, end and value. For search: a
            path, a mapping from queries to documents with their grades, or a data frame with query_id, doc_id and
            relevance.
        pred: The predictions, in any of these forms; for search with scores in place of grades. By default, the last
            two columns of the gold file are gold and predictions, as conlleval reads them.
        resamples: Number of bootstrap resamples; 0 turns intervals off.
        progress: Called with the number of sentences or queries scored so far.
        options: Scoring options.

    Returns:
        The result: prints as a table, shows as one in a notebook, and holds every number.
    """
    given = ScoringOptions.of(options, resamples)
    resampling, reading = given.resampling, given.reading
    if all(isinstance(side, str | Path) and str(side) == "-" for side in (gold, pred)):
        raise UsageError("gold and predictions cannot both come from standard input")
    gold, pred = opened_once(repeatable(gold), reading.format), repeatable(pred)
    profile = profile_for(given.profile.like, gold, reading.format, pred).with_options(given.profile)
    run = open_run(gold, pred, profile, reading)
    keep = Merged(resampling) if resamples else None
    total, warnings, digests = run.fingerprinted_tally(progress, keep)
    if keep is not None:
        total = replace(total, rows=keep.claims.rows(), tokens=keep.tokens.rows(), means=keep.means.rows())
    result = Result(run.profile, total, tuple(warnings), digests, run, resampling if resamples else None)
    if resampling.stratify_by is not None and resamples:
        result.warnings += tuple(result.sampler.warnings())
    return result


def opened_once(gold: Any, gold_format: str | None) -> Any:
    """Open gold where that can be done only once, as standard input."""
    if not isinstance(gold, str | Path):
        return gold
    corpus = open_corpus(gold, format=gold_format, name="gold")
    return corpus if corpus.once else gold


def profile_for(
    like: str | Path | Profile | None, gold: Any, gold_format: str | None = None, pred: Any = None
) -> Profile:
    """Return the profile that was named, or the one that gold's format is usually scored by.

    Gold in memory that holds nothing is of the predictions' kind.
    """
    if like is not None:
        return get_profile(like)
    corpus = open_corpus(gold, format=gold_format, name="gold")
    if corpus.kind == "unknown" and isinstance(pred, Mapping):
        corpus = open_corpus(pred, name="predictions")
    return get_profile(corpus.profile)


def open_run(gold: Any, pred: Any, profile: Profile, options: ScoringReading) -> Run:
    """Open both sides, without reading them yet."""
    if options.unit not in ("sentence", "document"):
        raise UsageError(f"unit must be 'sentence' or 'document', not {options.unit!r}")
    columns = (options.columns,) if isinstance(options.columns, str) else options.columns
    reading = ReadOptions(tuple(str(c) for c in columns), options.unit, profile.scheme == "EMPTY")
    formats, documents = (options.format, options.pred_format), options.documents
    if profile.search:
        from karatage.scoring.search import Search

        sides = _search_sides(gold, pred, *formats, reading, profile)
        prices = None if documents is None else Source(documents)
        if prices is not None and prices.standard_input and any(side.corpus.name == "-" for side in sides):
            raise UsageError("the documents and another file cannot both come from standard input")
        return Search(*sides, profile, prices)
    if documents is not None:
        raise UsageError("prices of documents are for search: choose the profile sigir-ecom19")
    return Extraction(*_sides(gold, pred, *formats, reading), profile)


def repeatable(side: Any) -> Any:
    """Keep what an iterator yields, so that it can be read again."""
    return list(side) if isinstance(side, Iterator) else side


def check_repeatable(sides: Mapping[str, Any], gold_format: str | None, why: str) -> None:
    """Refuse standard input where a side is read several times."""
    for name, side in sides.items():
        if open_corpus(side, format=gold_format, name=name).once:
            raise UsageError(f"{name} cannot come from standard input or a device: {why}. Give a file")


def predictions_format(gold_format: str | None, pred_format: str | None) -> str | None:
    """Return the format of the predictions: the one that was named for them, or the one that goes with gold's."""
    return pred_format or ("trec-run" if gold_format == "trec-qrels" else gold_format)


def _search_sides(
    gold: Any, pred: Any, gold_format: str | None, pred_format: str | None, reading: ReadOptions, profile: Profile
) -> tuple[Side, Side]:
    if pred is None:
        raise UsageError("give results to score too")
    ours = open_corpus(gold, format=gold_format, name="gold")
    named = (gold_format, predictions_format(gold_format, pred_format))
    theirs = open_corpus(pred, format=named[1], name="predictions")
    labels = not any(metric.measure.ranks for metric in profile.metrics.values())
    usual = ("sigir19", "sigir19") if labels else ("trec-qrels", "trec-run")
    theirs.results = True
    for corpus, name, chosen in zip((ours, theirs), usual, named, strict=True):
        if corpus.kind == "file" and chosen is None and not corpus.recognised_as_search:
            corpus.format = get_format(name)  # whose reader says what is wrong
    for corpus in (ours, theirs):
        if corpus.kind == "unknown":
            corpus.kind = "relevance"
        if not corpus.search:
            raise UsageError(
                f"{corpus.name} holds claims about texts, but the profile {profile.name} is for search. {_SEARCH}"
            )
    if ours.once and ours.name == str(pred):
        raise UsageError(f"gold and predictions cannot both come from {ours.sources[0].name}")
    return _side(ours, reading), _side(theirs, reading)


def _sides(
    gold: Any, pred: Any, gold_format: str | None, pred_format: str | None, reading: ReadOptions
) -> tuple[Side, Side]:
    ours = open_corpus(gold, format=gold_format, name="gold")
    if pred is None:
        _check_claims(ours)
        if ours.kind != "file":
            raise UsageError("give predictions too; only a column file can hold gold and predictions in one")
        last_two = reading.columns or ("-2", "-1")
        if len(last_two) != 2:
            raise UsageError("name two columns, gold and predictions, or give a file of predictions")
        if not ours.once and sniff(ours.sources[0]).name != "conll":
            raise UsageError(f"{ours.name} holds gold only: give predictions too")
        place = _kept_input(ours.sources[0]) if ours.once else gold
        one, other = (open_corpus(place, format="conll", name="gold") for _ in last_two)
        # Gold is not the first column: that holds the tokens.
        return _side(one, reading, columns=(last_two[0],), least=3), _side(other, reading, columns=(last_two[1],))
    theirs = open_corpus(pred, format=pred_format or gold_format, name="predictions")
    _check_claims(ours, theirs)
    if ours.once and ours.name == str(pred):
        raise UsageError(f"gold and predictions cannot both come from {ours.sources[0].name}")
    # Lists of spans count what the other side counts; a list that holds nothing is of the other side's kind.
    for one, other in ((ours, theirs), (theirs, ours)):
        if one.kind == "unknown":
            one.kind = "spans" if other.kind == "spans" else "tags"
    for one, other in ((ours, theirs), (theirs, ours)):
        if one.kind == "spans" and other.kind == "tags":
            one.kind = "token spans"
    return _side(ours, reading), _side(theirs, reading)


_SEARCH = (
    "Search takes TREC's files, mappings from queries to documents with grades or scores, or frames with the columns "
    "query_id, doc_id and relevance or score"
)


def _check_claims(ours: Corpus, theirs: Corpus | None = None) -> None:
    """Refuse relevance, which another profile scores."""
    found = [corpus.name for corpus in (ours, theirs) if corpus is not None and corpus.search]
    if len(found) == 1 and theirs is not None:
        other = next(corpus.name for corpus in (ours, theirs) if corpus.name != found[0])
        raise UsageError(f"{found[0]} holds relevance for search, but {other} does not. {_SEARCH}")
    if found:
        raise UsageError(
            f"{found[0]} holds relevance for search, not claims about texts: leave --like out, or take trec"
        )


def _side(corpus: Corpus, reading: ReadOptions, **changes: Any) -> Side:
    return Side(corpus, replace(reading, notes=Counter(), **changes))


def _kept_input(source: Source) -> str:
    """Keep a stream in a file, which can be read twice; it goes when the program ends."""
    from tempfile import NamedTemporaryFile

    kept = NamedTemporaryFile(prefix="karatage-", suffix=".conll", delete=False)  # noqa: SIM115  it outlives this call
    atexit.register(Path(kept.name).unlink, missing_ok=True)
    with kept, source.open() as stream:
        shutil.copyfileobj(stream, kept)
    return kept.name
