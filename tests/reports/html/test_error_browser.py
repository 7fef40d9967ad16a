"""The errors of a page with the texts they stand in."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import karatage
from karatage.demo import data
from karatage.reports.html.error_browser import LONG, error_data
from karatage.scoring import DETAILS


def shown(found: Any, number: int) -> tuple[str, str, str, str | None, str | None]:
    """Return an error as the browser shows it: unit, kind, text, and what each side marks."""
    errors, units = found["errors"], found["units"]
    unit = errors["unit"][number]
    text = units["text"][unit]
    sides: list[Any] = []
    for spans, at in (
        (units["gold"][unit], errors["gold"][number]),
        (units["pred"][errors["system"][number]][unit], errors["pred"][number]),
    ):
        if at < 0:
            sides.append(None)
            continue
        label, *ends = spans[at]
        marked = ends[2] if ends[0] == -1 else " … ".join(text[a:b] for a, b in zip(ends[::2], ends[1::2], strict=True))
        sides.append(f"{found['labels'][label]}:{marked}")
    return units["id"][unit], found["details"][errors["detail"][number]], text, sides[0], sides[1]


def test_tokens_become_characters() -> None:
    result = karatage.score(data("gold.conll"), data("context.conll"), resamples=0)
    found: Any = error_data({"context": result.outcomes()})
    assert found["total"] == found["shown"] == result.errors().height
    assert found["details"] == list(DETAILS)
    for number, row in enumerate(result.errors().iter_rows(named=True)):
        unit, kind, text, gold, pred = shown(found, number)
        assert (unit, kind) == (row["unit"], row["detail"])
        assert f"{row['before']}{row['at']}{row['after']}" in text
        assert gold == (None if row["gold_label"] is None else f"{row['gold_label']}:{row['gold_text']}")
        assert pred == (None if row["pred_label"] is None else f"{row['pred_label']}:{row['pred_text']}")


def test_two_systems_share_the_texts() -> None:
    systems = {
        name: karatage.score(data("gold.conll"), data(f"{name}.conll"), resamples=0) for name in ("shape", "lexicon")
    }
    found: Any = error_data({name: result.outcomes() for name, result in systems.items()})
    assert found["total"] == sum(result.errors().height for result in systems.values())
    assert len(set(found["units"]["id"])) == len(found["units"]["id"])
    by_system = [found["errors"]["system"].count(k) for k in range(2)]
    assert by_system == [result.errors().height for result in systems.values()]


def test_long_texts_are_shown_in_parts() -> None:
    """A claim at 5,000 in a text of 10,000 characters comes with what is around it, and not with all of it."""
    text = "".join(chr(97 + k % 26) for k in range(5 * LONG))
    rows = {"label": ["A", "B"], "start": [5000, 5100], "end": [5010, 5120]}
    gold = pl.DataFrame({"unit": ["d", "d"], "text": [text] * 2} | rows)
    pred = gold.filter(pl.col("label") == "B").with_columns(end=pl.lit(5121, pl.Int64))
    found: Any = error_data({"s": karatage.score(gold, pred, resamples=0).outcomes()})
    assert len(found["units"]["text"]) == 1
    assert len(found["units"]["text"][0]) < LONG
    assert shown(found, 0)[3] == f"A:{text[5000:5010]}"
    assert shown(found, 1)[3:] == (f"B:{text[5100:5120]}", f"B:{text[5100:5121]}")


def test_a_claim_longer_than_its_part_is_cut() -> None:
    text = "x" * (10 * LONG)
    gold = pl.DataFrame({"unit": ["d"], "text": [text], "label": ["A"], "start": [10], "end": [9 * LONG]})
    found: Any = error_data({"s": karatage.score(gold, gold.with_columns(end=pl.lit(20)), resamples=0).outcomes()})
    (span,) = found["units"]["gold"][0]
    assert span[1] == 10
    assert span[2] == len(found["units"]["text"][0])


def test_pieces_and_values() -> None:
    """A span in pieces keeps them; a value is where it first occurs, and a chip where it does not."""
    gold = pl.DataFrame({"unit": ["1"], "text": ["ab cd ef"], "label": ["A"], "pieces": ["0-2;6-8"]})
    found: Any = error_data({"s": karatage.score(gold, gold.with_columns(label=pl.lit("B")), resamples=0).outcomes()})
    assert shown(found, 0)[3:] == ("A:ab … ef", "B:ab … ef")
    gold = pl.DataFrame({"unit": ["1"], "text": ["a red car"], "label": ["Colour"], "value": ["red"]})
    pred = pl.DataFrame({"unit": ["1"], "label": ["Colour"], "value": ["blue"]})
    found = error_data({"s": karatage.score(gold, pred, match="value", resamples=0).outcomes()})
    assert {shown(found, k)[3:] for k in range(2)} == {("Colour:red", None), (None, "Colour:blue")}
    assert found["units"]["pred"][0][0] == [[0, -1, -1, "blue"]]


def test_without_texts_places_stand_for_them() -> None:
    found: Any = error_data({"s": karatage.score([["B-A", "I-A"]], [["O", "O"]], resamples=0).outcomes()})
    assert found["units"]["text"] == [""]
    assert found["units"]["gold"] == [[[0, -1, -1, "0–2"]]]


@pytest.mark.parametrize(("most", "budget"), [(500, 10**9), (10**9, 40_000)])
def test_too_many_errors_are_sampled_by_kind(most: int, budget: int) -> None:
    """The rare kinds are there in full, the page says that it is a sample, and what it holds is true."""
    result = karatage.score(data("gold.conll"), data("shape.conll"), resamples=0)
    whole: Any = error_data({"shape": result.outcomes()})
    found: Any = error_data({"shape": result.outcomes()}, most=most, budget=budget)
    assert found["total"] == whole["total"] > found["shown"] == len(found["errors"]["unit"])
    assert found["shown"] <= most
    assert "random sample" in found["note"]
    assert {whole["errors"]["detail"][k] for k in range(whole["shown"])} == set(found["errors"]["detail"])
    known = {shown(whole, k) for k in range(whole["shown"])}
    assert all(shown(found, k) in known for k in range(found["shown"]))


def test_no_errors_at_all() -> None:
    found: Any = error_data({"s": karatage.score([["B-A"]], [["B-A"]], resamples=0).outcomes()})
    assert (found["shown"], found["total"], found["errors"]["unit"]) == (0, 0, [])
