"""Estimating the recall of a tagger, of a file of predictions, or of what a benchmark stores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from karatage.errors import InputError, UsageError
from karatage.recall.amundsen import folder_of, read_benchmark
from karatage.recall.benchmark import Benchmark, Stratum
from karatage.recall.drawing.read_draw_folder import draw_in
from karatage.recall.estimates import (
    ASSISTED,
    Estimate,
    check,
    check_known,
    check_options,
    estimate_results,
    found_by,
    stored_results,
)
from karatage.recall.labels.samples import check_assisted, samples_of
from karatage.recall.precision import Precision
from karatage.recall.predictions import forget, predicted, tagged
from karatage.taggers import Span, Tagger, open_tagger

_SHOWN = 5
"""Failures of a tagger that are told one by one."""


def estimate(
    benchmark: str | Path | Benchmark,
    *,
    tagger: str | Tagger | None = None,
    predictions: Any = None,
    stored: bool = False,
    method: str | None = None,
    words: str | None = None,
    label_map: Mapping[str, str] | None = None,
    format: str | None = None,  # noqa: A002  users say format
    name: str | None = None,
    failed: str | None = None,
    unresolved: str = "count",
    dropped: Mapping[str, tuple[int, int]] | None = None,
    precision: Precision | None = None,
    save: str | Path | None = None,
    level: float = 0.95,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Estimate:
    """Estimate the recall of a tagger on the corpus that a benchmark was drawn from.

    One of `tagger`, `predictions` and `stored` says whose recall.

    Args:
        benchmark: the benchmark, its folder or its description.
        tagger: a tagger, or its name as `karatage.taggers.open_tagger` takes it.
        predictions: predictions with texts and spans in characters: a file, or whatever else `karatage.scan` takes.
        stored: take the results that the benchmark stores.
        method: how to make the interval: one of `karatage.stats.stratified.METHODS`, or `assisted`.
        words: snap the tagger's spans outwards to these words: `estnltk` or `spaces`.
        label_map: other names for labels; one that is mapped to "" or "O" is dropped.
        format: the format of the predictions.
        name: what to call the system.
        failed: what texts count as on which the tagger failed: `leave-out` (the default) or `miss`. With predictions,
            texts that are missing in the file are an error unless this is given.
        unresolved: `widen` lets the interval hold whatever undecided items turn out to be; `count` only counts them.
        dropped: occurrences and labels of strata that the benchmark leaves out because no positive was found.
        precision: a labelled sample of the tagger's predictions, for the precision and F1 on the corpus.
        save: keep what the tagger says in this file; an interrupted run goes on from it.
        level: how sure intervals are to hold the true value.
        seed: where random numbers start.
        progress: gets the number of texts that are tagged.
    """
    if (tagger is not None) + (predictions is not None) + stored != 1:
        raise UsageError("name a tagger or a file of predictions, or take the stored results")
    if tagger is None and (words is not None or save is not None):
        raise UsageError("only with a tagger can words be chosen and its results be saved")
    given = with_dropped(benchmark, dropped)
    check(given)
    warnings = [] if isinstance(benchmark, Benchmark) else check_draw(benchmark, given)
    check_options(method, level, failed or "leave-out", unresolved)
    if method == ASSISTED:
        check_assisted(benchmark)
    if tagger is not None:
        opened = open_tagger(tagger, words=words, label_map=label_map) if isinstance(tagger, str) else tagger
        said = tagged(given, opened, save=save, progress=progress)
        system, results = opened.name, found_by(given.positives, said.spans)
        warnings += [*_told(given, said.failures), *_never(given, said.spans)]
    elif predictions is not None:
        spans = predicted(given, predictions, label_map=label_map, partial=failed is not None, format=format)
        system, results = str(predictions)[:200], found_by(given.positives, spans)
    else:
        system, results = "stored results", stored_results(given)
    samples = None
    if method == ASSISTED and not isinstance(benchmark, Benchmark):
        results = tuple(False if one is None and failed == "miss" else one for one in results)
        samples = samples_of(benchmark, given, results)
    try:
        check_known(given, results, failed or "leave-out")
    except UsageError as error:
        first = next((one for one in warnings if one.startswith("text ")), None)
        raise UsageError(f"{error}{f' The first: {first}' if first else ''}") from None
    found = estimate_results(
        given,
        results,
        system=name or system,
        method=method,
        level=level,
        seed=seed,
        failed=failed or "leave-out",
        unresolved=unresolved,
        precision=precision,
        samples=samples,
    )
    if tagger is not None and save is None and not said.failures:
        forget(given, opened)
    return replace(found, warnings=(*found.warnings, *warnings))


def check_draw(place: str | Path, benchmark: Benchmark) -> list[str]:
    """Refuse a benchmark whose occurrences are not those of its draw; return what else its draw makes worth knowing."""
    drawn = draw_in(folder_of(place))
    if drawn is None:
        return []
    sizes = {one.name: one.occurrences for one in benchmark.strata}
    for one in drawn.strata:
        if sizes.get(one.name) != one.occurrences:
            problem = f"stratum {one.name!r} has {one.occurrences:,} occurrences in the manifest, but not here"
            raise InputError(problem, source=benchmark.source, hint="Import the labels again to write it anew")
    if drawn.candidates.get("claims"):
        return ["the candidates are what a tagger marked: this is the recall of what is among them, not of all"]
    return []


def with_dropped(benchmark: str | Path | Benchmark, dropped: Mapping[str, tuple[int, int]] | None = None) -> Benchmark:
    """Read a benchmark, and add strata that were dropped as having no positives."""
    given = benchmark if isinstance(benchmark, Benchmark) else read_benchmark(benchmark)
    known = {stratum.name for stratum in given.strata}
    for name in dropped or ():
        if name in known:
            raise UsageError(f"the benchmark has the stratum {name!r}: it was not dropped")
    more = tuple(Stratum(name, size, labelled, ()) for name, (size, labelled) in (dropped or {}).items())
    return replace(given, strata=(*given.strata, *more))


def _never(benchmark: Benchmark, spans: Iterable[Iterable[Span] | None]) -> Iterator[str]:
    """Warn of a tagger that never gives a wanted label."""
    wanted = {label for one in benchmark.positives for label in one.labels}
    said = {label for own in spans for _, _, label in own or ()}
    if not said & wanted:
        others = f", only {', '.join(sorted(said)[:10])}" if said else ": it found nothing at all"
        yield f"the tagger never said {', '.join(sorted(wanted))}{others}"


def _told(benchmark: Benchmark, failures: Mapping[int, str]) -> list[str]:
    out = [f"text {at + 1} ({benchmark.texts[at][:40]!r}): {why}" for at, why in list(failures.items())[:_SHOWN]]
    return out + ([f"{len(failures) - _SHOWN:,} more failures"] if len(failures) > _SHOWN else [])
