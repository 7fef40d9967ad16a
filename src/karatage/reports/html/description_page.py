"""The page that describes a data set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karatage._version import __version__
from karatage.reports import description_sheets as sheets, search_sheets
from karatage.reports.html.blocks import Block, Figure, Page, ScoreCard, Scores, Section, Text
from karatage.reports.html.charts import bars
from karatage.reports.html.shared_blocks import plain_table
from karatage.reports.terminal.result_tables import counted
from karatage.scoring import plural

if TYPE_CHECKING:
    from karatage.description import Description, Distribution, ExtractionDescription, SearchDescription

_FOLDED = 15
"""How many rows of a table show at first."""

_QUERIES = 2_000
"""How many queries the page lists."""

_VALUES = 150
"""Maximum width of the most frequent values of a label."""

_BARS = 40
"""How many labels a picture shows; the table below it has all."""


def description_page(found: ExtractionDescription, title: str | None = None) -> Page:
    """Return the page of a data set of entities or values."""
    sections = [
        Section("Overview", _overview(found)),
        Section("Labels", _labels(found)),
        *([Section("Attributes", _attributes(found))] if found.attributes else []),
        Section("Ambiguity", _ambiguity(found)),
        Section("Inconsistencies", _inconsistencies(found)),
        Section("Duplicates", _duplicates(found)),
        *([Section("Overlap", _overlap(found))] if found.overlap is not None else []),
    ]
    return _page(found, sheets.size_line(found), sections, title)


def search_description_page(found: SearchDescription, title: str | None = None) -> Page:
    """Return the page of judgements or results."""
    cards = _cards({"queries": "queries", plural(found.kind): "pairs", "documents": "documents"}, found.counts)
    last = "tied" if found.kind == "result" else "relevant"
    cards.append(ScoreCard(last, f"{found.counts[last]:,}"))
    per_query: list[Block] = [_histogram(f"{plural(found.kind)} per query", found.per_query, "queries")]
    if found.relevant_per_query is not None:
        per_query.append(_histogram("relevant documents per query", found.relevant_per_query, "queries"))
    lengths = plain_table("", search_sheets.search_lengths(found))
    queries = plain_table("All queries", search_sheets.queries_sheet(found, _QUERIES), collapsed_after=_FOLDED)
    if len(found.queries) > _QUERIES:
        per_query.append(Text(f"The table has the first {_QUERIES:,} of {len(found.queries):,} queries.", "note"))
    sections = [
        Section("Overview", [Scores(cards), *_warnings(found)]),
        *([Section("Grades" if found.kind == "judgement" else "Labels", _grades(found))] if found.values else []),
        Section("Queries", [*per_query, lengths, queries]),
        Section("Checks", _search_checks(found)),
    ]
    if found.overlap is not None:
        lines = search_sheets.search_overlap_lines(found.overlap)
        sections.append(
            Section(
                "Overlap", [_sentence(sheets.overlap_title(found.data, found.overlap.data)), *map(_sentence, lines)]
            )
        )
    return _page(found, search_sheets.search_line(found), sections, title)


def _page(found: Description, size: str, sections: list[Section], title: str | None) -> Page:
    form = f" ({found.format})" if found.format else ""
    return Page(title or "Data set", f"{found.data}{form} · {size}", sections, [f"karatage {__version__}"])


def _cards(names: dict[str, str], counts: object) -> list[ScoreCard]:
    known = dict(counts)  # type: ignore[call-overload]
    return [ScoreCard(name, f"{known[key]:,}") for name, key in names.items() if known[key] is not None]


def _overview(found: ExtractionDescription) -> list[Block]:
    nouns = found.nouns
    names = {nouns.units: "units", plural(found.token): "tokens", nouns.claims: "entities", "labels": "labels"}
    blocks: list[Block] = [Scores(_cards(names, found.counts)), *map(_sentence, sheets.fact_lines(found))]
    lengths = sheets.extraction_lengths(found)
    if lengths.rows:
        blocks.append(plain_table("Lengths", lengths))
    if found.lengths.total:
        blocks.append(_histogram(f"{plural(found.token)} per {nouns.unit}", found.lengths, nouns.units))
    return [*blocks, *_warnings(found)]


def _labels(found: ExtractionDescription) -> list[Block]:
    if not found.labels:
        return [Text(f"This data set has no {found.nouns.claims}.", "note")]
    rows = [(one.label, float(one.count)) for one in found.labels[:_BARS]]
    told = ", ".join(f"{name} {count:,.0f}" for name, count in rows)
    caption = f"The {_BARS} most frequent of {len(found.labels)} labels." if len(found.labels) > _BARS else ""
    picture = bars(rows, title=found.nouns.claims)
    blocks: list[Block] = [
        Figure(f"{_capital(found.nouns.claims)} by label", picture, f"Count of each label: {told}", caption),
        plain_table("All labels", sheets.labels_sheet(found), collapsed_after=25),
    ]
    frequent = sheets.frequent_sheet(found, _VALUES)
    if frequent.rows:
        words = ("most frequent values",)
        blocks.append(plain_table("Most frequent values", frequent, words=words, collapsed_after=25))
    return blocks


def _attributes(found: ExtractionDescription) -> list[Block]:
    blocks: list[Block] = []
    for own in found.attributes:
        if own.groups:
            sheet = sheets.attribute_sheet(found, own)
            blocks.append(plain_table(_capital(sheet.title), sheet, words=("labels",), collapsed_after=25))
        else:
            blocks.append(Text(f"{own.name}: {counted(own.distinct, 'distinct value')}."))
    return blocks


def _ambiguity(found: ExtractionDescription) -> list[Block]:
    blocks: list[Block] = []
    for noun, listed in (("value", found.ambiguous_values), (found.token, found.ambiguous_tokens)):
        sheet = sheets.label_uses_sheet(listed, noun, found.nouns.unit)
        title = f"{_capital(plural(noun))} with several labels"
        note = _first(len(listed.rows), listed.total)
        words = ("label", found.nouns.unit, "example")
        if listed.total:
            blocks.append(plain_table(title, sheet, words=words, caption=note, collapsed_after=_FOLDED))
        elif noun == "value" or found.counts["tokens"] is not None:
            blocks.append(Text(f"No {noun} has several labels.", "note"))
    return blocks


def _inconsistencies(found: ExtractionDescription) -> list[Block]:
    blocks: list[Block] = []
    partly = found.partly_labelled
    if partly.total:
        sheet = sheets.partly_sheet(found)
        words = ("labels", sheet.columns[4], "text")
        note = f"{_first(len(partly.rows), partly.total)} {counted(found.unlabelled, 'unlabelled occurrence')}."
        title = "Values labelled in some places only"
        blocks.append(plain_table(title, sheet, words=words, caption=note, collapsed_after=_FOLDED))
    elif found.counts["tokens"] is None or found.nouns.claim == "value":
        blocks.append(Text("Unlabelled occurrences are unknown: they need texts, and positions in them.", "note"))
    else:
        blocks.append(Text("No value is labelled in some places only.", "note"))
    blocks += [Text(f"Labels that differ by case only: {', '.join(own)}.", "warning") for own in found.spellings]
    if found.tags is not None:
        blocks.append(_sentence(sheets.tags_line(found.tags)))
        if found.tags.transitions:
            table = plain_table("Forbidden transitions", sheets.transitions_sheet(found.tags), words=("tag",))
            blocks.append(table)
    return blocks


def _duplicates(found: ExtractionDescription) -> list[Block]:
    own = found.duplicates
    if own is None:
        return [Text(f"The texts of the {found.nouns.units} are unknown.", "note")]
    blocks: list[Block] = [_sentence(sheets.duplicates_line(found, own))]
    if own.repeated.total:
        sheet, words = sheets.duplicates_sheet(found, own), (found.nouns.units,)
        note = _first(len(own.repeated.rows), own.repeated.total)
        title = f"Repeated {found.nouns.units}"
        blocks.append(plain_table(title, sheet, words=words, caption=note, collapsed_after=_FOLDED))
    return blocks


def _overlap(found: ExtractionDescription) -> list[Block]:
    own = found.overlap
    assert own is not None  # noqa: S101  the caller looked
    blocks: list[Block] = [
        _sentence(sheets.overlap_title(found.data, own.data)),
        *map(_sentence, sheets.overlap_lines(own, found.nouns, found.token)),
    ]
    if own.labels:
        blocks.append(plain_table("Values that occur in the first, by label", sheets.seen_sheet(own)))
    if own.examples.total:
        sheet = sheets.excerpts_sheet(own.examples, found.nouns.unit)
        note = _first(len(own.examples.rows), own.examples.total)
        title = f"{_capital(found.nouns.units)} in both"
        blocks.append(plain_table(title, sheet, words=("text",), caption=note, collapsed_after=_FOLDED))
    return blocks


def _grades(found: SearchDescription) -> list[Block]:
    rows = [(str(value), float(count)) for value, count in (found.values or {}).items()]
    told = ", ".join(f"{name}: {count:,.0f}" for name, count in rows)
    what = "label" if found.kind == "label" else "grade"
    table = plain_table("", search_sheets.values_sheet(found))
    return [Figure(f"{plural(_capital(found.kind))} by {what}", bars(rows, title="documents"), told, table=table)]


def _search_checks(found: SearchDescription) -> list[Block]:
    lines = search_sheets.search_lines(found)
    blocks: list[Block] = [_sentence(line) for line in lines]
    if not lines:
        blocks.append(Text("Nothing unusual was found.", "note"))
    if found.repeated.extra:
        pairs = found.repeated.pairs
        sheet, note = search_sheets.repeated_sheet(found), _first(len(pairs.rows), pairs.total)
        words = ("document", sheet.columns[2])
        blocks.append(plain_table("Repeated pairs", sheet, words=words, caption=note, collapsed_after=_FOLDED))
    return blocks


def _histogram(title: str, own: Distribution, noun: str) -> Figure:
    bins = [(f"{low:,}" if low == high else f"{low:,}–{high:,}", float(count)) for low, high, count in own.bins()]
    told = "; ".join(f"{name}: {count:,.0f}" for name, count in bins)
    return Figure(_capital(title), bars(bins, title=noun), f"{_capital(title)}: {told}")


def _warnings(found: Description) -> list[Block]:
    return [Text(warning, "warning") for warning in found.warnings]


def _first(shown: int, total: int) -> str:
    return f"{total:,} in all." if shown == total else f"The first {shown:,} of {total:,}."


def _sentence(line: str) -> Text:
    return Text(f"{_capital(line)}.")


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
