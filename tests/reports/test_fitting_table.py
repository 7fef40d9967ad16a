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
    assert note == "(hidden at this width: predicted, correct; use a wider terminal or --json)"


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
    # 5 for the label, then 2 and 7 for each shortened title: 8 systems.
    assert shown[1].split() == ["PER", *["0.1234"] * 8]
    # Of the 12 others, the note lists 6.
    assert "system-8, system-9, system-10, system-11, system-12, system-13, 6 more;" in " ".join(shown[2:])


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


VERDICT = ("system", "other", "f1 difference", "95 % interval", "p", "p, Holm", "verdict")
SAME = "no significant difference"
TESTED = [
    ("transformer-large-seed-1", "lexicon", "+0.0965", "+0.0612 to +0.1313", "<0.0001", "<0.0001", "better"),
    ("transformer-large-seed-1", "rules", "+0.0023", "-0.0359 to +0.0405", "0.9053", "0.9053", SAME),
]  # fmt: skip


def verdicts(width: int) -> list[str]:
    brief = {SAME: "not significant", "f1 difference": "difference"}
    table = FittingTable(
        VERDICT, TESTED, ("p",), ("other", "verdict"), prose=["verdict"], always=["verdict"], brief=brief
    )
    return plain([table], width).splitlines()


def test_a_verdict_is_told_in_fewer_words_and_never_left_out() -> None:
    # 20 cells of a shortened name, 7, 13, 18, 7, 7 and 25 with 6 gaps of 3: 115.
    assert SAME in verdicts(115)[2]
    assert "f1 difference" in verdicts(115)[0]
    for width in range(114, 30, -1):
        shown = verdicts(width)
        assert "verdict" in shown[0]
        assert shown[1].endswith("better")
        assert "no significant" not in shown[2]
    # 9, 7, 10, 18, 7 and 15 with 5 gaps of 2: 76, so that just p goes.
    assert verdicts(80)[2].endswith("0.9053  not significant")
    assert verdicts(80)[3] == "(hidden at this width: p; use a wider terminal or --json)"


def test_hidden_columns_without_a_title_are_not_mentioned() -> None:
    table = FittingTable(("bins", "value", ""), [("3", "0.7198", "as published")], ("",))
    assert plain([table], 17).splitlines() == ["bins    value", "3      0.7198"]


def test_words_of_a_text_stay_whole_where_there_is_room() -> None:
    rows = [("trec", "nDCG(gain=linear)@10", "ranked results against judgements, " * 3)]
    shown = plain([FittingTable(("profile", "headline", "about"), rows, prose=("headline", "about"))], 60)
    assert "nDCG(gain=linear)@10" in shown
