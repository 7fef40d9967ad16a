"""The page on where systems fail whose scores come from logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from karatage.reports.explanation_sheets import samples_sheet
from karatage.reports.html.blocks import Block, Page, Section, Text
from karatage.reports.html.finding_blocks import worst_slice
from karatage.reports.html.score_blocks import score_blocks
from karatage.reports.html.shared_blocks import analysis_page, best_first, in_tabs, notebook_blocks, plain_table
from karatage.reports.html.slice_blocks import slice_blocks
from karatage.scoring import Nouns

if TYPE_CHECKING:
    from karatage.explanation import SampleExplanation, SampleSystem

_SAMPLES = 2_000
"""How many samples the page lists."""


def samples_page(explanation: SampleExplanation, title: str | None = None) -> Page:
    """Return the page with everything that is known of where the systems fail."""
    systems = best_first(explanation)
    sections = [
        Section("Slices", _slices(systems, explanation.nouns)),
        Section("Samples", in_tabs(systems, _samples)),
    ]
    best = next(iter(systems.values()))
    of = f" of {best.name}" if len(systems) > 1 else ""
    return analysis_page(explanation, title, sections, counts={}, findings=worst_slice(best.slices, of))


def samples_blocks(explanation: SampleExplanation) -> list[Block]:
    """Return what a notebook shows: scores, comparison, slices, the hardest samples."""
    own = notebook_blocks(explanation, lambda one: [*score_blocks(one.result), *_samples(one)])
    return [*own, *_slices(best_first(explanation), explanation.nouns)]


def _slices(systems: Mapping[str, SampleSystem], nouns: Nouns) -> list[Block]:
    return slice_blocks({name: (system.slices, system.overall) for name, system in systems.items()}, nouns)


def _samples(system: SampleSystem) -> list[Block]:
    sheet = samples_sheet(system.hardest(_SAMPLES))
    if not sheet.rows:
        return [Text("All samples are perfect.", "note")]
    total = len(system.hardest())
    note = "" if len(sheet.rows) == total else f"First {len(sheet.rows):,} of {total:,}; --export writes all."
    caption = f"Samples that are not perfect, worst {system.measure} first."
    words = [name for name, kind in system.samples.schema.items() if not kind.is_numeric()]
    return [plain_table("", sheet, words=words, caption=caption, note=note, collapsed_after=25)]
