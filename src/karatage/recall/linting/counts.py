"""What is wrong with the counts of a benchmark, and what that does to the estimate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from karatage.errors import InputError
from karatage.recall.benchmark import Benchmark
from karatage.recall.drawing.draw_sample import MANIFEST, read_draw
from karatage.recall.estimates import check, counts_of, estimate_results
from karatage.recall.linting.export_findings import Labels
from karatage.recall.linting.findings import ERROR, NOTE, WARNING, Finding
from karatage.recall.strata import hidden
from karatage.stats import DEFAULT, interval


def impossible_counts(benchmark: Benchmark) -> Iterator[Finding]:
    """Look for counts that contradict each other."""
    for stratum in benchmark.strata:
        n, size, positive = stratum.labelled, stratum.occurrences, len(stratum.positives)
        if n > size:
            effect = "no sample without repeats can be larger than its stratum: its variance would be negative"
            yield Finding("labelled-over-occurrences", ERROR, f"{n:,} labelled of {size:,}", effect, stratum.name)
        if stratum.positive is not None and stratum.positive != positive:
            what = f"the description states {stratum.positive:,} positives, the file has {positive:,}"
            effect = "the stratum's weight follows one number and its recall the other"
            yield Finding("positive-count", ERROR, what, effect, stratum.name)
        if positive + stratum.unresolved > n:
            what = f"{positive:,} positives and {stratum.unresolved:,} undecided items of {n:,} labelled"
            yield Finding("positive-over-labelled", ERROR, what, "", stratum.name)
    if not benchmark.positives:
        yield Finding("no-positive-at-all", ERROR, "no stratum has any positive", "there is nothing to find")


def real_counts(benchmark: Benchmark, answers: Labels, level: float) -> Iterator[Finding]:
    """Compare the labelled counts of the description with those of the exports."""
    real: dict[str, int] = {}
    for stratum in benchmark.strata:
        sizes = [len({one.item for one in group}) for group in answers[stratum.name]]
        # The first pass covers all drawn items, a second one only the positives.
        if sizes and max(sizes) != stratum.labelled and max(sizes) >= len(stratum.positives):
            real[stratum.name] = max(sizes)
    if not real:
        return
    right = replace(
        benchmark,
        strata=tuple(replace(one, labelled=real.get(one.name, one.labelled)) for one in benchmark.strata),
    )
    yield Finding(
        "labelled-count",
        WARNING,
        "; ".join(
            f"{one.name}: {one.labelled:,} labelled in the description, {real[one.name]:,} in the exports"
            for one in benchmark.strata
            if one.name in real
        ),
        _change(benchmark, right, level),
    )
    for stratum in benchmark.strata:
        count, drawn, size = real.get(stratum.name, stratum.labelled), stratum.labelled, stratum.occurrences
        if count < drawn and size:
            distinct = size * (1 - (1 - 1 / size) ** drawn)
            if drawn - count <= 4 * (drawn - distinct) + 4:
                what = (
                    f"{drawn:,} draws left {count:,} items; with replacement {distinct:,.0f} distinct ones are expected"
                )
                effect = "repeats collapsed silently: count the distinct items as labelled"
                yield Finding("with-replacement", NOTE, what, effect, stratum.name)


def _change(old: Benchmark, new: Benchmark, level: float) -> str:
    """Say how other counts change the estimate; by the stored results, or by the weights alone."""
    try:
        check(old)
        check(new)
    except InputError:
        return "the estimate cannot be made with the description's counts"
    results = [one.correct for one in old.positives]
    if None in results:
        before, after = (counts_of(one, [True] * len(results)).weights for one in (old, new))
        names = [one.name for one in old.strata if one.positives]
        moved = zip(names, before.tolist(), after.tolist(), strict=True)
        return "weights: " + ", ".join(f"{name} {one:.4f} → {other:.4f}" for name, one, other in moved)
    found = [estimate_results(one, results, method="published", level=level).recall for one in (old, new)]
    parts = [f"{one.value:.4f} ({one.low:.4f}–{one.high:.4f})" for one in found]
    return f"recall of the stored results, by the published formula: {parts[0]} → {parts[1]}"


def ratios(benchmark: Benchmark) -> Iterator[Finding]:
    """Look at the description's own ratios, and at intervals of the estimated positives, where it has any."""
    total = sum(one.occurrences for one in benchmark.strata)
    shares = [float(one.row["occurence_ratio"]) for one in benchmark.strata if _number(one.row.get("occurence_ratio"))]
    if len(shares) == len(benchmark.strata) and 0 < sum(shares) < 0.9999:
        whole = total / sum(shares)
        what = (
            f"the shares of occurrences sum to {sum(shares):.4f}: strata with about {whole - total:,.0f} are left out"
        )
        effect = (
            "what was dropped counts as if it held no positive: name it to `estimate` with --dropped NAME=N/LABELLED"
        )
        yield Finding("dropped-strata", WARNING, what, effect)
    for stratum in benchmark.strata:
        if not stratum.labelled:
            continue
        share = len(stratum.positives) / stratum.labelled
        error = stratum.occurrences * (share * (1 - share) / stratum.labelled) ** 0.5
        middle = stratum.occurrences * share
        for column, text in stratum.row.items():
            value = float(text) if _number(text) else None
            if value is None or not error or column in ("occurences", "labelled", "positive", ""):
                continue
            reach = abs(value - middle) / error
            if abs(reach - 0.95) < 0.01:
                what = f"{column} is {value:,.1f}, the estimated positives ± 0.95 standard errors"
                effect = (
                    f"0.95 is the level; 1.96 belongs there: ± {1.96 * error:,.0f} instead of ± {0.95 * error:,.0f}"
                )
                yield Finding("level-as-quantile", WARNING, what, effect, stratum.name)


def known_weights(benchmark: Benchmark, level: float) -> Iterator[Finding]:
    """Say what it does that weights are estimates."""
    results = [one.correct for one in benchmark.positives]
    try:
        check(benchmark)
    except InputError:
        return
    if None in results:
        return
    strata = counts_of(benchmark, results)
    ends = {name: interval(strata, name, level) for name in ("published", DEFAULT)}
    widths = {name: high - low for name, (low, high) in ends.items()}
    (low, high) = ends[DEFAULT]
    wider = f"{100 * widths[DEFAULT] / widths['published'] - 100:+.1f} % in width, " if widths["published"] else ""
    what = "the published interval takes the weights as known, and all strata to have one recall; both are estimates"
    effect = f"stored results: {wider}{low:.4f}–{high:.4f} by {DEFAULT}"
    yield Finding("weights-known", NOTE, what, effect)


def empty_strata(benchmark: Benchmark, level: float) -> Iterator[Finding]:
    """Say what strata without positives may hide."""
    for one in benchmark.strata:
        if one.occurrences and not one.labelled:
            what = f"none of {one.occurrences:,} occurrences is labelled"
            yield Finding("unlabelled", WARNING, what, "the recall is that of the other strata only", one.name)
    empty = [one for one in benchmark.strata if not one.positives and 0 < one.labelled <= one.occurrences]
    if empty:
        most = sum(hidden(one, level) for one in empty)
        size = sum(one.occurrences for one in empty)
        what = f"no positive in {', '.join(one.name for one in empty)}, with {size:,} occurrences"
        effect = f"they may hide up to {most:,} positives (one-sided bounds of {100 * level:g} %, summed)"
        yield Finding("no-positives", NOTE, what, effect)


def manifest(benchmark: Benchmark, folder: Path) -> Iterator[Finding]:
    """Compare the benchmark with the manifest of its draw."""
    if not (folder / MANIFEST).exists():
        what = "there is no manifest of the draw: neither its seed nor the frame is known"
        yield Finding("no-manifest", NOTE, what, "the sample can be neither repeated, checked nor continued")
        return
    try:
        drawn = read_draw(folder)
    except InputError as error:
        yield Finding("manifest", ERROR, str(error), "the labels may not be of the items that were drawn")
        return
    sizes = {one.name: one for one in drawn.strata}
    for stratum in benchmark.strata:
        own = sizes.get(stratum.name)
        if own is None or own.occurrences != stratum.occurrences:
            there = f"{own.occurrences:,} in the manifest" if own is not None else "and the manifest does not have it"
            what = f"{stratum.occurrences:,} occurrences, {there}"
            yield Finding("manifest", ERROR, what, "the weights are not those of the frame", stratum.name)


def _number(text: str | None) -> bool:
    try:
        float(text or "")
    except ValueError:
        return False
    return True
