"""Blocks as HTML: a whole page with its script, or a fragment for a notebook without one."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import count, groupby
from typing import TYPE_CHECKING, Any

from karatage._printing import named, visible
from karatage.formats import writing
from karatage.reports.answer_texts import LabelName, SystemName
from karatage.reports.html.blocks import (
    Block,
    Cell,
    ChartRow,
    Columns,
    Errors,
    Header,
    Page,
    ScoreCard,
    Section,
    Table,
    Tabs,
)
from karatage.reports.html.embedding import as_json, check, first_errors
from karatage.reports.html.heat import heat_view
from karatage.reports.html.svg import clean

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_SCRIPTS = ("text.js", "browser.js", "page.js")
_IN_FRAGMENT = 20
"""How many errors a fragment, and a page before its script has run, lists."""
_LONGEST = 60
"""Names in charts are cut to so many characters."""


def render_page(page: Page) -> str:
    """Return a page as one HTML file that needs nothing from outside."""
    browsers = list(_errors(block for section in page.sections for block in section.blocks))
    if len(browsers) > 1:
        raise ValueError("a page has at most one error browser")
    for browser in browsers:
        check(browser.data)
    script = _script()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        _environment()
        .get_template("page.html")
        .render(
            page=page,
            sections=list(zip(_ids(page.sections), page.sections, strict=True)),
            data=_trusted(as_json(browsers[0].data)) if browsers else "",
            style=_trusted(_asset("page.css")),
            script=_trusted(script),
            digest=digest,
        )
    )


def render_fragment(blocks: Sequence[Block]) -> str:
    """Return blocks as HTML for a notebook: the same look, without a script."""
    for browser in _errors(blocks):
        check(browser.data)
    style = _trusted(_asset("page.css"))
    return _environment().get_template("fragment.html").render(blocks=list(map(_folded, blocks)), style=style)


def plain_html(text: str) -> str:
    """Return plain text as HTML for a notebook, in letters of one width."""
    return _environment().get_template("plain.html").render(text=text)


def _folded(block: Block) -> Block:
    """Leave out the rows that a page would fold away, which nothing could unfold."""
    if isinstance(block, Tabs | Columns):
        return replace(block, items=[(name, list(map(_folded, inner))) for name, inner in block.items])
    if not isinstance(block, Table) or block.collapsed_after is None or len(block.rows) <= block.collapsed_after:
        return block
    more = f"{len(block.rows) - block.collapsed_after:,} more rows are not shown."
    return replace(block, rows=block.rows[: block.collapsed_after], note=f"{more} {block.note}".strip())


def write_page(page: Page, place: str | os.PathLike[str]) -> str:
    """Write a page to a file, whole or not at all, and return it."""
    text = render_page(page)
    with writing(place) as stream:
        stream.write(text.encode())
    return text


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    # Escaping and `visible` are applied to whatever a template prints: no template can forget them.
    made = Environment(
        autoescape=True,
        finalize=_finalize,
        loader=FunctionLoader(lambda name: files(__package__).joinpath("templates", name).read_text("utf-8")),
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    made.filters["clean"] = clean
    made.filters["named"] = named
    made.filters["as_filters"] = lambda filters: json.dumps(dict(filters))
    made.filters["short"] = lambda text: text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    made.filters["trusted"] = _trusted
    made.globals.update(
        html=_html,
        balanced=balanced,
        grouped=_grouped,
        cell=lambda value: value if isinstance(value, Cell) else Cell(value),
        column=lambda value: value if isinstance(value, Header) else Header(value),
        first_errors=lambda data: list(first_errors(data, _IN_FRAGMENT)),
        heat_view=heat_view,
        window=window_of,
    )
    made.tests["drawable"] = _drawable
    made.tests["system_name"] = lambda piece: isinstance(piece, SystemName)
    made.tests["label_name"] = lambda piece: isinstance(piece, LabelName)
    return made


def balanced(count: int, most: int) -> int:
    """Return in how many columns things stand so that the last line is as full as can be."""
    lines = max(1, math.ceil(count / most))
    return max(1, math.ceil(count / lines))


def _grouped(rows: Sequence[ChartRow]) -> list[tuple[str, list[ChartRow]]]:
    """Return the rows of a chart by their groups, in their order."""
    return [(group, list(own)) for group, own in groupby(rows, key=lambda row: row.group)]


def _finalize(value: Any) -> Any:
    # Jinja escapes after this; what is Markup already was made by a template or comes from the package.
    return visible(value) if type(value) is str else value


def _drawable(card: ScoreCard) -> bool:
    """Say whether a card has an interval that a bar can show."""
    return card.value is not None and card.low is not None and card.high is not None and 0 <= card.low <= card.high <= 1


def window_of(cards: Sequence[ScoreCard]) -> tuple[float, float]:
    """Return between which tenths all bars of a headline run, so that their intervals can be seen and compared."""
    drawn = [card for card in cards if _drawable(card)]
    low = min((math.floor(10 * min(card.low or 0, card.value or 0)) for card in drawn), default=0)
    high = max((math.ceil(10 * max(card.high or 0, card.value or 0)) for card in drawn), default=10)
    return low / 10, max(high, low + 1) / 10


def _html(block: Block, level: int) -> Markup:
    """Return a block as HTML, its heading at this level."""
    name = f"{type(block).__name__.lower()}.html"
    return _trusted(_environment().get_template(name).render(block=block, level=level))


def _trusted(text: str) -> Markup:
    """Mark what the package itself made or cleaned as HTML that needs no escaping."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704  only rendered templates, package files, cleaned pictures and escaped JSON come here


def _errors(blocks: Any) -> Iterator[Errors]:
    """Yield the error browsers among blocks, those in tabs and columns included."""
    for block in blocks:
        if isinstance(block, Errors):
            yield block
        elif isinstance(block, Tabs | Columns):
            yield from _errors(inner for _, panel in block.items for inner in panel)


def _ids(sections: Sequence[Section]) -> Iterator[str]:
    """Yield an id for each section that is unique and safe in an address."""
    taken = {"main"}  # the target of the skip link
    for section in sections:
        plain = re.sub(r"[^a-z0-9]+", "-", (section.id or section.title).lower()).strip("-")[:60] or "section"
        unique = next(name for k in count(1) if (name := plain if k == 1 else f"{plain}-{k}") not in taken)
        taken.add(unique)
        yield unique


@cache
def _asset(name: str) -> str:
    return files(__package__).joinpath("assets", name).read_text("utf-8")


@cache
def _script() -> str:
    """Return the one script of a page: the files one after the other, in a scope of their own."""
    parts = "\n".join(_asset(name) for name in _SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}\n}})();'
