"""Run all checks on a benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

from karatage.errors import InputError
from karatage.recall.benchmark_files import benchmark_folder, read_benchmark
from karatage.recall.linting import benchmark_checks, label_checks
from karatage.recall.linting.benchmark_checks import LintFinding, Severity
from karatage.stats import check_level


def lint(
    benchmark: str | Path,
    *,
    exports: Mapping[str, Sequence[str]] | None = None,
    against: str | Path | None = None,
    level: float = 0.95,
) -> list[LintFinding]:
    """Find defects of a benchmark, most serious first.

    Args:
        benchmark: Its folder or its description.
        exports: Label exports of each stratum, to count the labels. Default: the files in the folder `labelled` beside
            the description whose names contain the name of a stratum's file.
        against: Another benchmark, which should have no items in common with this one.
        level: Confidence level of bounds and intervals.
    """
    check_level(level)
    defects: list[InputError] = []
    given = read_benchmark(benchmark, defects)
    folder = benchmark_folder(benchmark)
    answers = label_checks.read_stratum_labels(given, folder, exports)
    found = [LintFinding("file", "error", str(one), "the stratum counts as having no positives") for one in defects]
    found += benchmark_checks.impossible_counts(given)
    found += benchmark_checks.label_counts(given, answers, level)
    found += benchmark_checks.ratios(given)
    found += benchmark_checks.known_weights(given, level)
    found += benchmark_checks.empty_strata(given, level)
    found += benchmark_checks.manifest(given, folder)
    found += label_checks.check_labels(given, answers, folder)
    found += benchmark_checks.check_positives(given)
    if against is not None:
        found += benchmark_checks.shared_items(given, read_benchmark(against, []))
    return sorted(found, key=lambda one: get_args(Severity).index(one.severity))
