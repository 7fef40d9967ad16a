"""Tables that fit: what wraps, what is shortened, and what is left out, in which order."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from rich.cells import cell_len
from rich.text import Text

from karatage.reports import FittingTable, plain
from karatage.reports.terminal.shortening import shortened

COLUMNS = ("label", "precision", "recall", "f1", "95 % interval", "gold", "predicted", "correct")
ROWS = [
    ("Außenspiegel-Gehäuse-links", "0.8123", "0.7123", "0.7590", "0.7012–0.8012", "1,234", "1,082", "879"),
    ("Außenspiegel-Gehäuse-rechts", "0.9123", "0.8123", "0.8594", "0.8012–0.9012", "234", "208", "190"),
]
SPARE = ("correct", "predicted", "gold", "precision", "recall")


def table(width: int, rows: Sequence[tuple[str, ...]] = ROWS) -> list[str]:
    return plain([FittingTable(COLUMNS, rows, SPARE)], width).splitlines()


def test_with_room_everything_is_shown() -> None:
    # 27 for the label, then 9, 6, 6, 13, 5, 9 and 7 for the titles or numbers, with 7 gaps of 3: 103 cells.
    shown = table(103)
    assert re.split(" {2,}", shown[0]) == list(COLUMNS)
    assert "Außenspiegel-Gehäuse-rechts" in shown[2]
    assert len(shown) == 3
    assert max(map(cell_len, shown)) == 103


def test_names_are_shortened_before_a_column_goes() -> None:
    # The label may become 20 wide, so 7 cells fewer are enough.
    shown = table(96)
    assert "correct" in shown[0]
    assert shown[1].startswith("Außenspiege…se-links   ")
    assert max(map(cell_len, shown)) == 96
    assert "correct" not in table(95)[0]


def test_counts_go_first_and_scores_last() -> None:
    gone = [[title for title in SPARE if title not in table(width)[0]] for width in range(110, 40, -1)]
    assert sorted(map(len, gone)) == list(map(len, gone))  # none comes back in a narrower terminal
    assert all(titles == list(SPARE[: len(titles)]) for titles in gone)
    assert len(gone[110 - 80]) == 2  # at 80 columns precision, recall, F1, its interval and gold are left


def test_a_note_names_the_hidden_columns() -> None:
    note = " ".join(table(80)[3:])
    assert note == "(columns hidden at this width: predicted, correct; use a wider terminal or --json)"


@pytest.mark.parametrize("width", [20, 30, 40, 60, 80, 100, 200])
def test_no_line_is_too_long(width: int) -> None:
    rows = [(name, *ROWS[0][1:]) for name in ("互換車両の製造業者番号" * 9, "Za\u0308hne" * 30, "a b " * 50, "x")]
    assert max(map(cell_len, table(width, rows))) <= width


def test_numbers_are_never_cut() -> None:
    for width in range(30, 110):
        cells = table(width)[1].split()[1:]
        assert set(cells) <= set(ROWS[0])


def test_texts_wrap_before_names_are_shortened() -> None:
    rows = [("a-name-of-30-cells-is-this-one", "1", "a description of 57 cells, which has room on three lines")]
    shown = plain([FittingTable(("name", "count", "description"), rows, prose=("description",))], 66).splitlines()
    # 66 less 30 for the name, 5 for the count and two gaps of 3 leaves 25.
    assert shown[1] == "a-name-of-30-cells-is-this-one       1   a description of 57"
    assert len(shown) == 4


def test_a_reason_in_a_column_of_numbers_wraps() -> None:
    rows = [("a", "(no interval: there are fewer than two queries with judgements)"), ("b", "0.5000")]
    shown = plain([FittingTable(("system", "interval"), rows)], 40).splitlines()
    assert max(map(cell_len, shown)) <= 40
    assert "0.5000" in shown[-1]


def test_as_many_columns_as_fit_are_shown_of_many() -> None:
    columns = ["label", *(f"system-{k}" for k in range(20))]
    shown = plain([FittingTable(columns, [["PER", *["0.1234"] * 20]])], 80).splitlines()
    # 5 for the label, then 3 and 7 for each shortened title: 7 systems.
    assert shown[1].split() == ["PER", *["0.1234"] * 7]
    # Of the 13 others, the note lists 6.
    assert "system-7, system-8, system-9, system-10, system-11, system-12, 7 more;" in " ".join(shown[2:])


def test_styles_survive_shortening() -> None:
    rows = [(Text("x" * 60, "bold"), Text("0.5", "bold"))]
    assert "…" in plain([FittingTable(("metric", "value"), rows)], 30)


def test_names_are_shortened_in_the_middle() -> None:
    assert shortened(["Außenspiegel-rechts", "kurz"], 12) == ["Außensp…chts", "kurz"]


def test_wide_and_combining_characters_are_counted_as_a_terminal_does() -> None:
    # 11 cells, less one for the ellipsis: six for the beginning, four for the end, two for each character.
    assert shortened(["互換車両製造業者"], 11) == ["互換車…業者"]
    (short,) = shortened(["a\u0308b\u0308c\u0308d\u0308e\u0308f\u0308"], 5)
    assert short == "a\u0308b\u0308…e\u0308f\u0308"


def test_names_that_differ_in_the_middle_stay_different() -> None:
    names = ["Kompatibles_Fahrzeug_A_Modell", "Kompatibles_Fahrzeug_B_Modell"]
    short = shortened(names, 20)
    assert len(set(short)) == 2
    assert all(cell_len(name) <= 20 for name in short)


def test_no_room_at_all_is_no_error() -> None:
    assert shortened(["abc"], 1) == ["…"]
    assert shortened(["abc"], 0) == [""]
