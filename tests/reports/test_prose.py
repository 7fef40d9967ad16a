"""Texts wrap as people would break them."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from karatage.reports import FittingTable, plain


def lines(text: str, width: int) -> list[str]:
    return plain([Text(text)], width).splitlines()


def test_no_last_line_has_just_one_word() -> None:
    # The words end at 6, 12, 17 and 23, so that the last one would stand alone.
    assert lines("labels differ from others", 18) == ["labels differ", "from others"]


def test_a_last_word_stays_alone_where_two_have_no_room() -> None:
    assert lines("see the page nDCG(gain=linear)@10", 20) == ["see the page", "nDCG(gain=linear)@10"]


def test_a_line_does_not_lose_its_only_other_word() -> None:
    assert lines("warning: labels differ", 15) == ["warning: labels", "differ"]


def test_a_number_and_its_percent_sign_stay_together() -> None:
    assert lines("a power of 80 % is enough here", 13) == ["a power of", "80 % is", "enough here"]


def test_a_count_and_its_noun_stay_together() -> None:
    assert lines("12 texts · 24 gold · 20 correct", 23) == ["12 texts · 24 gold ·", "20 correct"]


def test_texts_of_a_table_wrap_as_well() -> None:
    table = FittingTable(("name", "about"), [("a", "labels differ from others")], prose=("about",))
    assert plain([table], 25).splitlines() == ["name  about", "a     labels differ", "      from others"]


def test_texts_inside_other_parts_wrap_as_well() -> None:
    part = Group(Text("labels differ from others"), Padding(Text("labels differ from others"), (0, 0, 0, 2)))
    assert plain([part], 18).splitlines() == ["labels differ", "from others", "  labels differ", "  from others"]


@pytest.mark.parametrize("width", range(2, 60))
def test_wrapping_changes_nothing_but_spaces(width: int) -> None:
    text = "F1 is 0.8 · 互換車両 · 24 gold (80 % of them) · Za\u0308hnezahl und anderes, too"
    shown = lines(text, width)
    assert "".join("".join(shown).split()) == "".join(text.split())
    assert max(map(cell_len, shown)) <= width


def test_styles_survive() -> None:
    from rich.console import Console

    from karatage.reports.terminal.prose import Prose

    text = Prose.of(Text.assemble("labels differ ", ("from", "bold"), (" others", "red")))
    (_, last) = text.wrap(Console(), 18)
    assert last.plain == "from others"
    assert [(last.plain[span.start : span.end], span.style) for span in last.spans] == [
        ("from", "bold"),
        ("others", "red"),
    ]
