"""The page on where systems fail whose scores come from logs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from karatage.reports.explanation_sheets import samples_sheet
from karatage.reports.html.blocks import Block, Page, Section, Text
from karatage.reports.html.shared_blocks import (
    analysis_page,
    notebook_blocks,
    per_system,
    plain_table,
    score_blocks,
    slice_blocks,
)
from karatage.reports.terminal.result_tables import counts_line
from karatage.scoring import Result

if TYPE_CHECKING:
    from karatage.explanation import SampleExplanation, SampleSystem

_SAMPLES = 2_000
"""How many samples the page lists."""


def samples_page(explanation: SampleExplanation, title: str | None = None) -> Page:
    """Return the page with everything that is known of where the systems fail."""
    sections = [
        Section(
            "Slices", per_system(explanation, lambda one: slice_blocks(one.slices, one.overall, explanation.nouns))
        ),
        Section("Samples", per_system(explanation, _samples)),
    ]
    return analysis_page(explanation, title, _scores, sections)


def samples_blocks(explanation: SampleExplanation) -> list[Block]:
    """Return what a notebook shows: scores, comparison, slices, the hardest samples."""

    def made(one: SampleSystem) -> list[Block]:
        return [*_scores(one), *slice_blocks(one.slices, one.overall, explanation.nouns), *_samples(one)]

    return notebook_blocks(explanation, made)


def _scores(system: SampleSystem, beside: Sequence[Result] = ()) -> list[Block]:
    return [*score_blocks(system.result, beside), Text(counts_line(system.result))]


def _samples(system: SampleSystem) -> list[Block]:
    sheet = samples_sheet(system.hardest(_SAMPLES))
    if not sheet.rows:
        return [Text("All samples are perfect.", "note")]
    total = len(system.hardest())
    note = "" if len(sheet.rows) == total else f"First {len(sheet.rows):,} of {total:,}; --export writes all."
    caption = f"Samples that are not perfect, worst {system.measure} first."
    return [plain_table("Samples", sheet, caption=caption, note=note, collapsed_after=25)]
