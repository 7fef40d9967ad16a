"""The page of a comparison: the answer, ranks, every difference with its verdict, labels, queries, test sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karatage._version import __version__
from karatage.reports.html.blocks import Block, Page, PageStart, Section, Text
from karatage.reports.html.comparison_blocks import (
    LARGEST,
    by_label_table,
    comparison_notes,
    contest_blocks,
    most_different_blocks,
    set_differences_table,
)
from karatage.reports.html.finding_blocks import differing
from karatage.reports.html.query_change_blocks import query_change_blocks
from karatage.reports.html.shared_blocks import plain_table
from karatage.reports.terminal.comparison_tables import WORDS, headline
from karatage.reports.terminal.set_tables import by_set, set_sheets

if TYPE_CHECKING:
    from karatage.comparison import Comparison


def comparison_page(comparison: Comparison, title: str | None = None) -> Page:
    """Return the page of a comparison."""
    lead = PageStart(comparison.answer.parts, differing(comparison))
    sections = comparison_sections(comparison)
    return Page(title or "Comparison", headline(comparison), sections, comparison_footer(comparison), lead)


def comparison_sections(comparison: Comparison) -> list[Section]:
    """Return the sections on ranks and differences, labels, queries and test sets."""
    sections = [Section("Ranks", [*contest_blocks(comparison), *comparison_notes(comparison)])]
    if comparison.by_label:
        sections.append(Section("Labels", [by_label_table(comparison)]))
    if changes := query_change_blocks(comparison):
        sections.append(Section("Changes", changes))
    if units := most_different_blocks(comparison):
        sections.append(Section(LARGEST, units))
    if comparison.sets:
        sections.append(Section("Test sets", _sets(comparison)))
    return sections


def _sets(comparison: Comparison) -> list[Block]:
    """Return what holds for test sets like these, and the differences in each of them."""
    blocks: list[Block] = []
    contest = comparison.headline
    if contest.over_sets is not None:
        found = set_sheets(contest.metric, contest.over_sets, comparison.resampling.level)
        sheets = [*found, by_set(comparison)]
        blocks += [plain_table(_capital(sheet.title), sheet, words=WORDS) for sheet in sheets]
    blocks.append(set_differences_table(comparison))
    return blocks + [
        Text(f"{name}: {warning}", "warning") for name, own in comparison.sets.items() for warning in own.warnings
    ]


def comparison_footer(comparison: Comparison) -> list[str]:
    """Return the version, the profile, the random seed and the SHA-256 of the files."""
    first = f"karatage {__version__}, profile {comparison.profile.full_name}, random seed {comparison.resampling.seed}"
    gold, systems = comparison.provenance.get("gold"), comparison.provenance.get("systems", {})
    lines = [first, f"gold {gold}"] if isinstance(gold, str) else [first]
    for name, digests in systems.items():
        known = [digest for digest in digests if isinstance(digest, str)] if isinstance(digests, list | tuple) else []
        lines += [f"{name} {', '.join(known)}"] if known else []
    return lines


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
