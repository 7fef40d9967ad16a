"""Results and comparisons in a notebook: the pieces that a page has, without its script."""

from __future__ import annotations

from karatage.comparison import Comparison
from karatage.reports.html.blocks import Block, Page, Text
from karatage.reports.html.comparison_blocks import comparison_blocks
from karatage.reports.html.label_blocks import label_table
from karatage.reports.html.query_change_blocks import query_change_blocks
from karatage.reports.html.render import render_fragment
from karatage.reports.html.score_blocks import score_blocks
from karatage.reports.html.shared_blocks import plain_table
from karatage.reports.terminal.comparison_tables import WORDS, headline
from karatage.reports.terminal.result_tables import counts_line, scenario_sheet
from karatage.reports.terminal.set_tables import set_sheets
from karatage.scoring import Result


def result_html(result: Result) -> str:
    """Return a result as HTML that needs nothing from outside."""
    counts = Text(f"Profile {result.profile.full_name} · {counts_line(result)}")
    blocks: list[Block] = [Text(result.answer), counts, *score_blocks(result)]
    if result.profile.scenarios:
        blocks.append(plain_table("Scenarios", scenario_sheet(result)))
    if result.labels:
        blocks.append(label_table({"": result}))
    return render_fragment(blocks)


def page_html(page: Page) -> str:
    """Return the blocks of a page, section by section, as HTML that needs nothing from outside."""
    blocks: list[Block] = [] if page.opening is None else [Text("".join(page.opening.answer))]
    for section in page.sections:
        blocks += [Text(section.title), *section.blocks]
    return render_fragment(blocks)


def comparison_html(comparison: Comparison) -> str:
    """Return a comparison as HTML that needs nothing from outside."""
    blocks: list[Block] = [Text(comparison.answer), Text(headline(comparison)), *comparison_blocks(comparison)]
    blocks += query_change_blocks(comparison)
    if comparison.headline.over_sets is not None:
        found = set_sheets(comparison.headline.metric, comparison.headline.over_sets, comparison.resampling.level)
        blocks += [plain_table(sheet.title, sheet, words=WORDS) for sheet in found]
    for name, own in comparison.sets.items():
        blocks += [Text(f"Test set {name}"), *comparison_blocks(own)]
    return render_fragment(blocks)
