"""Scoring: gold and predictions in, a result out."""

from __future__ import annotations

import atexit
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from karatage.errors import UsageError
from karatage.formats import ReadOptions, Source, get_format, sniff
from karatage.inputs import Corpus, open_corpus
from karatage.profiles import Profile, get_profile
from karatage.scoring import Result
from karatage.scoring.extraction import Extraction
from karatage.scoring.task import Progress, Run, Side
from karatage.scoring.unit_counts import Merged
from karatage.stats import Resampling


def score(
    gold: Any,
    pred: Any = None,
    *,
    like: str | Path | Profile | None = None,
    format: str | None = None,  # noqa: A002  users say format
    pred_format: str | None = None,
    columns: str | Sequence[str | int] = (),
    unit: str = "sentence",
    documents: str | Path | None = None,
    progress: Progress | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    interval: str = "auto",
    cluster_by: str | None = None,
    stratify_by: str | None = None,
    **options: Any,
) -> Result:
    """Score predictions against gold.

    Args:
        gold: a path, a folder, a pattern, one list of tags or of spans (label, start, end) per unit,
            a mapping from unit ids to such lists, claims, or a data frame with unit, label, start, end and value. For
            search: a path, a mapping from queries to documents with their grades, or a data frame with query_id, doc_id
            and relevance.
        pred: the predictions, in any of these; for search with scores in place of the grades. Left out, the last two
            columns of the gold file are gold and predictions, as conlleval reads them.
        like: the profile: a built-in one's name or the path of a TOML file. Left out: `exact`, and for search `trec` or
            `sigir-ecom19`, as gold's format is.
        format: the files' format; sniffed if left out.
        pred_format: the predictions' format, where it is another one.
        columns: which columns of a column file hold tags, by number from 1 (negative from the end) or header name.
        unit: `sentence` or `document`, where a format knows both.
        documents: a table of documents with their prices, for the price nDCG of `sigir-ecom19`.
        progress: called with the number of units done so far.
        resamples: how many resamples of the units to make for the intervals; 0 leaves the intervals out.
        level: how sure an interval is to hold the true value, such as 0.95.
        seed: where the random numbers start: the same seed gives the same intervals.
        interval: how intervals are made: `auto`, `wilson`, `percentile`, `bca`, `t`,
            `clopper-pearson` or `jeffreys`.
        cluster_by: an attribute of units, such as `document`: units that share it are drawn together.
        stratify_by: an attribute of units, such as `category`: every resample has as many units of each value.
        options: changes to the profile: `scheme`, `separator`, `suffix`, `match`, `threshold`, `duplicates`, `missing`,
            `extra`, `truncated`, `check_text`, `group_by`, `labels`, `metrics`; for search `missing`, `extra`, `ties`,
            `metrics`.

    Returns:
        The result: prints as a table, shows as one in a notebook, and holds every number.
    """
    resampling = Resampling(resamples, level, seed, interval, cluster_by, stratify_by)
    if all(isinstance(side, str | Path) and str(side) == "-" for side in (gold, pred)):
        raise UsageError("gold and predictions cannot both come from standard input")
    gold, pred = opened_once(repeatable(gold), format), repeatable(pred)
    profile = profile_for(like, gold, format, pred).with_options(**options)
    reading: dict[str, Any] = {"format": format, "pred_format": pred_format, "columns": columns, "unit": unit}
    run = open_run(gold, pred, profile, documents=documents, **reading)
    keep = Merged(resampling) if resamples else None
    total, warnings, digests = run.fingerprinted_tally(progress, keep)
    if keep is not None:
        total = replace(total, rows=keep.claims.rows(), tokens=keep.tokens.rows(), means=keep.means.rows())
    result = Result(run.profile, total, tuple(warnings), digests, run, resampling if resamples else None)
    if stratify_by is not None and resamples:
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


def open_run(
    gold: Any,
    pred: Any,
    profile: Profile,
    *,
    format: str | None = None,  # noqa: A002  users say format
    pred_format: str | None = None,
    columns: str | Sequence[str | int] = (),
    unit: str = "sentence",
    documents: str | Path | None = None,
) -> Run:
    """Open both sides, without reading them yet."""
    if unit not in ("sentence", "document"):
        raise UsageError(f"a unit is a sentence or a document, not {unit!r}")
    if isinstance(columns, str):
        columns = (columns,)
    reading = ReadOptions(tuple(str(c) for c in columns), unit, profile.scheme == "EMPTY")  # type: ignore[arg-type]
    if profile.search:
        from karatage.scoring.search import Search

        sides = _search_sides(gold, pred, format, pred_format, reading, profile)
        prices = None if documents is None else Source(documents)
        if prices is not None and prices.standard_input and any(side.corpus.name == "-" for side in sides):
            raise UsageError("the documents and another file cannot both come from standard input")
        return Search(*sides, profile, prices)
    if documents is not None:
        raise UsageError("prices of documents are for search: choose the profile sigir-ecom19")
    return Extraction(*_sides(gold, pred, format, pred_format, reading), profile)


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
