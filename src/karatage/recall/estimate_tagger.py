"""Estimate the recall of a tagger, of a file of predictions, or of the results stored in a benchmark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from karatage.errors import InputError, UsageError
from karatage.recall.benchmark import Benchmark, Stratum
from karatage.recall.benchmark_files import DESCRIPTION, benchmark_folder, read_benchmark
from karatage.recall.count_defects import PUBLISHED, usable_counts
from karatage.recall.drawing.draw_folder import LABELS, find_draw
from karatage.recall.drawing.draw_record import Draw
from karatage.recall.estimate_options import EstimateOptions, FailedTexts
from karatage.recall.labels.label_import import LabelledBenchmark, adjudicate
from karatage.recall.predictions import predicted_spans, remove_journal, run_tagger, stored_answers
from karatage.recall.recall_estimate import (
    RecallEstimate,
    check_options,
    check_results,
    estimate_results,
    found_by,
    stored_results,
)
from karatage.scoring import counted
from karatage.stats import DEFAULT, Assisted
from karatage.taggers import Span, Tagger, open_tagger

_SHOWN = 5
"""How many failures of a tagger are listed."""

STORED = "stored results"
"""What the results that are stored in a benchmark are called: they are those of no tagger."""


def estimate(
    benchmark: str | Path | Benchmark,
    *,
    tagger: str | Tagger | None = None,
    predictions: Any = None,
    stored: bool = False,
    words: str | None = None,
    label_map: Mapping[str, str] | None = None,
    format: str | None = None,  # noqa: A002  users say format
    name: str | None = None,
    failed: FailedTexts | None = None,
    dropped: Mapping[str, tuple[int, int]] | None = None,
    save: str | Path | None = None,
    fresh: bool = False,
    progress: Callable[[int], None] | None = None,
    **options: Unpack[EstimateOptions],
) -> RecallEstimate:
    """Estimate the recall of a tagger on the corpus that a benchmark was drawn from.

    Pass one of `tagger`, `predictions` and `stored`.

    Args:
        benchmark: The benchmark, its folder or its description.
        tagger: A tagger, or its name as for `karatage.taggers.open_tagger`.
        predictions: Predictions with texts and character offsets: a file, or anything else that `karatage.scan` reads.
        stored: Use the results stored in the benchmark.
        words: Expand the tagger's spans to whole words: `estnltk` or `spaces`.
        label_map: New names for labels. A label mapped to "" or "O" is dropped.
        format: Format of the predictions.
        name: Name of the system.
        failed: Texts on which the tagger failed: `leave-out` (default), or count as a `miss`. With `predictions`, texts
            that are missing in the file are an error unless this is set.
        dropped: Occurrences and labelled candidates of strata that the benchmark omits because no positive was found.
        save: File for the tagger's predictions; an interrupted run resumes from it.
        fresh: Throw stored predictions away, and tag all texts again.
        progress: Called with the number of texts tagged so far.
        options: Method, level and seed of the interval, and more: as for `estimate_results`.
    """
    for option in options.keys() - EstimateOptions.__annotations__.keys():
        raise TypeError(f"estimate() got an unexpected keyword argument {option!r}")  # before a tagger runs
    if (tagger is not None) + (predictions is not None) + stored != 1:
        raise UsageError("choose one of --tagger, --predictions and --stored")
    if tagger is None and (words is not None or save is not None or fresh):
        raise UsageError("--words, --save and --fresh need a --tagger")
    check_options(failed=failed, **options)
    method = options.get("method") or DEFAULT
    given = with_dropped(benchmark, dropped)
    usable_counts(given, method)  # refuses what cannot be estimated before a tagger runs
    folder = benchmark_folder(given.source) if given.source else None
    drawn = None if folder is None else find_draw(folder)
    warnings = [*_check_draw(drawn, given, method), *_other_labels(folder, drawn, given)]
    samples = assisted_labels(folder, drawn, given) if method == "assisted" else None
    if tagger is not None:
        opened = open_tagger(tagger, words=words, label_map=label_map) if isinstance(tagger, str) else tagger
        tagging = run_tagger(given, opened, save=save, fresh=fresh, progress=progress)
        system, results = opened.name, found_by(given.positives, tagging.spans)
        warnings += stored_answers(given, tagging, save)
        warnings += [*_failures(given, tagging.failures), *_missing_labels(given, tagging.spans)]
    elif predictions is not None:
        read = predicted_spans(given, predictions, label_map=label_map, partial=failed is not None, format=format)
        system, results = str(predictions)[:200], found_by(given.positives, read.spans)
        warnings += read.warnings
    else:
        system, results = STORED, stored_results(given)
    if samples is not None:
        results = tuple(False if one is None and failed == "miss" else one for one in results)
    try:
        check_results(given, results, failed or "leave-out")
    except UsageError as error:
        first = next((one for one in warnings if one.startswith("text ")), None)
        raise UsageError(f"{error}{f' First failure: {first}' if first else ''}") from None
    found = estimate_results(
        given,
        results,
        system=name or system,
        failed=failed or "leave-out",
        samples=None if samples is None else samples.with_results(results),
        **options,
    )
    if tagger is not None and save is None and not tagging.failures:
        remove_journal(given, opened)
    return replace(found, warnings=(*found.warnings, *warnings))


def _check_draw(drawn: Draw | None, benchmark: Benchmark, method: str) -> list[str]:
    """Check that the occurrences of a benchmark are those of its draw; return warnings."""
    if drawn is None:
        return []
    warnings = []
    sizes = {one.name: one.occurrences for one in benchmark.strata}
    for one in drawn.strata:
        if sizes.get(one.name) != one.occurrences:
            problem = f"stratum {one.name!r} has {one.occurrences:,} occurrences in the manifest, but not here"
            if method != PUBLISHED:
                hint = "Import the labels again to rewrite the description"
                raise InputError(problem, source=benchmark.source, hint=hint)
            warnings.append(f"{problem}; used as stated")
    if drawn.candidates.get("claims"):
        among = "the candidates are predictions of a tagger, so this is the recall among them, not on the whole corpus"
        warnings.append(among)
    return warnings


def _other_labels(folder: Path | None, drawn: Draw | None, benchmark: Benchmark) -> Iterator[str]:
    """Warn if the labels in the folder give another benchmark, e.g. because an import was killed while it wrote."""
    if folder is None or not (folder / LABELS).exists() or Path(benchmark.source).name != DESCRIPTION:
        return
    known = {one.name: one for one in benchmark.strata}
    for one in adjudicate(folder, drawn=drawn).benchmark.strata:
        here = known.get(one.name)
        if here is None or _labelling(here) != _labelling(one):
            stated = "does not have it" if here is None else f"has {_counts(here)}"
            if here is not None and _counts(here) == _counts(one):
                stated = "has other positives"
            problem = f"stratum {one.name!r}: {LABELS} gives {_counts(one)}, but the benchmark {stated}"
            yield f"{problem}. Import the last export again, or undo manual changes"


def _labelling(stratum: Stratum) -> tuple[int, int, list[tuple[str, int, int]]]:
    return stratum.labelled, stratum.unresolved, sorted(one.key for one in stratum.positives)


def _counts(stratum: Stratum) -> str:
    undecided = f" and {stratum.unresolved:,} undecided" if stratum.unresolved else ""
    return f"{stratum.labelled:,} labelled, {len(stratum.positives):,} positive{undecided}"


def with_dropped(benchmark: str | Path | Benchmark, dropped: Mapping[str, tuple[int, int]] | None = None) -> Benchmark:
    """Read a benchmark, and add strata that were dropped because they had no positives."""
    given = benchmark if isinstance(benchmark, Benchmark) else read_benchmark(benchmark)
    known = {stratum.name for stratum in given.strata}
    for name, (size, labelled) in (dropped or {}).items():
        if name in known:
            raise UsageError(f"stratum {name!r} was not dropped: the benchmark has it")
        if labelled > size:
            raise UsageError(f"dropped stratum {name!r}: {labelled:,} labelled, but {counted(size, 'occurrence')}")
    more = tuple(Stratum(name, size, labelled, ()) for name, (size, labelled) in (dropped or {}).items())
    return replace(given, strata=(*given.strata, *more))


def _missing_labels(benchmark: Benchmark, spans: Iterable[Iterable[Span] | None]) -> Iterator[str]:
    """Warn of a tagger that never predicts a label of the benchmark."""
    predicted = {label for own in spans for _, _, label in own or ()}
    if not predicted & benchmark.labels:
        others = f", only {', '.join(sorted(predicted)[:10])}" if predicted else ", nor anything else"
        yield f"the tagger never predicted {', '.join(sorted(benchmark.labels))}{others}"


def _failures(benchmark: Benchmark, failures: Mapping[int, str]) -> list[str]:
    shown = list(failures.items())[:_SHOWN]
    out = [f"text {index + 1} ({benchmark.texts[index][:40]!r}): {why}" for index, why in shown]
    more = len(failures) - len(shown)
    return [*out, counted(more, "more failure")] if more else out


@dataclass(frozen=True)
class AssistedLabels:
    """The labels of a draw with the predictions of an existing tagger."""

    made: LabelledBenchmark
    drawn: Draw

    def with_results(self, results: Sequence[bool | None]) -> dict[str, Assisted]:
        """Return the sample of each stratum: which candidates are positive, found, and predicted by that tagger."""
        means = {stratum.name: stratum.assist for stratum in self.drawn.strata}
        predictions = {item.item: item.assist for item in self.drawn.items}
        found = iter(results)
        out = {}
        for stratum in self.made.benchmark.strata:
            own = [one for one in self.made.decisions if one.stratum == stratum.name]
            positive = np.array([one.entity is not None for one in own], bool)
            hit = np.array([one.entity is not None and next(found) is True for one in own], bool)
            predicted = np.array([predictions[one.item] for one in own], float)
            out[stratum.name] = Assisted(positive, hit, predicted, float(means[stratum.name] or 0.0))
        return out


def assisted_labels(folder: Path | None, drawn: Draw | None, benchmark: Benchmark) -> AssistedLabels:
    """Read the labels for the method `assisted`; an error says what is missing."""
    if drawn is None or folder is None:
        raise UsageError("the method 'assisted' needs the folder of a draw made with `karatage recall draw --assist`")
    if any(stratum.assist is None for stratum in drawn.strata if stratum.occurrences):
        raise UsageError(f"{folder}: the draw was made without --assist, so it has no predictions")
    made = adjudicate(folder, drawn=drawn)
    if made.benchmark.hash != benchmark.hash:
        hint = "Import the labels again, or undo manual changes of the recall sets"
        raise InputError("the positives do not match the labels", source=str(folder), hint=hint)
    return AssistedLabels(made, drawn)
