"""What is wrong with a benchmark, and what each defect does to the estimate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from karatage.errors import InputError
from karatage.recall.amundsen import folder_of, read_benchmark
from karatage.recall.linting import counts, export_findings, items
from karatage.recall.linting.findings import ERROR, NOTE, WARNING, Finding
from karatage.stats import check_level


def lint(
    place: str | Path,
    *,
    exports: Mapping[str, Sequence[str]] | None = None,
    against: str | Path | None = None,
    level: float = 0.95,
) -> list[Finding]:
    """Find what is wrong with a benchmark.

    Args:
        place: its folder or its description.
        exports: for each stratum the exports of its labels, for counting them; without it those in the folder
            `labelled` beside the description whose names hold the name of a stratum's file.
        against: another benchmark, which should have no item in common with this one.
        level: how sure bounds and intervals are to hold.
    """
    check_level(level)
    defects: list[InputError] = []
    benchmark = read_benchmark(place, defects)
    folder = folder_of(place)
    answers = export_findings.labels_of(benchmark, folder, exports)
    found = [Finding("file", ERROR, str(one), "the stratum has no positives here") for one in defects]
    found += counts.impossible_counts(benchmark)
    found += counts.real_counts(benchmark, answers, level)
    found += counts.ratios(benchmark)
    found += counts.known_weights(benchmark, level)
    found += counts.empty_strata(benchmark, level)
    found += counts.manifest(benchmark, folder)
    found += export_findings.answered(benchmark, answers, folder)
    found += items.positives(benchmark)
    if against is not None:
        found += items.shared(benchmark, read_benchmark(against, []))
    order = (ERROR, WARNING, NOTE)
    return sorted(found, key=lambda one: order.index(one.severity))
