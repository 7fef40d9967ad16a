"""A badge says a score with its interval: in text, in words and in colours that can be read."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from tests.command import refused, run

import karatage
from karatage.errors import InputError, UsageError
from karatage.reports import result_badge
from karatage.reports.score_badge import COLOURS, LEFT, _width

NAMESPACE = "{http://www.w3.org/2000/svg}"


def result(**score: Any) -> dict[str, Any]:
    return {"headline": "f1", "metrics": {"f1": score}, "intervals": {"level": 0.95}}


SCORE = result(value=0.8454, low=0.8294, high=0.8602)


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours as WCAG 2 defines it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)  # the known grey that just fails


@pytest.mark.parametrize("colour", [LEFT, *COLOURS.values()])
def test_white_text_can_be_read_on_every_colour(colour: str) -> None:
    assert contrast("#ffffff", colour) >= 4.5


@pytest.mark.parametrize(
    ("limits", "verdict"),
    [
        ({}, ""),
        ({"minimum": 0.82}, "met"),
        ({"minimum": 0.8294}, "met"),
        ({"minimum": 0.84}, "unclear"),  # the score is above it, the interval is not
        ({"minimum": 0.85}, "unclear"),  # the score is below it, the interval is not
        ({"minimum": 0.8602}, "unclear"),
        ({"minimum": 0.87}, "missed"),
        ({"maximum": 0.87}, "met"),
        ({"maximum": 0.85}, "unclear"),
        ({"maximum": 0.82}, "missed"),
    ],
)
def test_the_interval_decides_on_the_colour(limits: dict[str, float], verdict: str) -> None:
    badge = result_badge(SCORE, **limits)
    assert (badge.label, badge.text, badge.verdict) == ("F1", "0.845 (0.829–0.860)", verdict)
    assert COLOURS[verdict] in badge.to_svg()


def test_without_an_interval_a_threshold_is_never_met() -> None:
    badge = result_badge(result(value=0.9), minimum=0.8)
    assert (badge.text, badge.verdict) == ("0.900", "unclear")
    assert badge.title == "F1 is 0.900, without an interval; at least 0.8: unclear"
    assert result_badge(result(value=0.7), minimum=0.8).verdict == "missed"


def test_an_undefined_score_says_why() -> None:
    badge = result_badge(result(value=None, undefined="no gold entities"), minimum=0.8)
    assert (badge.text, badge.verdict) == ("undefined", "undefined")
    assert badge.title == "F1 is undefined: no gold entities"


def test_the_picture_has_a_title_for_screen_readers_and_its_parts_fit() -> None:
    root = ET.fromstring(result_badge(SCORE, minimum=0.82, label='a <b> & "c"').to_svg())  # noqa: S314  our own
    title = 'a <b> & "c" is 0.845, 95 % interval 0.829 to 0.860; at least 0.82: met'
    assert root.get("role") == "img"
    assert root.get("aria-label") == root.findtext(f"{NAMESPACE}title") == title
    texts = list(root.iter(f"{NAMESPACE}text"))
    assert [text.text for text in texts] == ['a <b> & "c"', "0.845 (0.829–0.860) ✓"]
    edges = [0.0]
    for text in texts:
        middle, length = float(str(text.get("x"))), float(str(text.get("textLength")))
        edges += [middle - length / 2, middle + length / 2]
    assert all(one < other for one, other in pairwise([*edges, float(str(root.get("width")))]))


def test_a_wide_script_has_room_and_a_joiner_takes_none() -> None:
    """A Chinese character is as wide as the text is high, 11 px; an accent of its own changes nothing."""
    assert _width("\u65e5\u672c") == 2 * 11 + 2 * 6
    assert _width("e\u0301") == _width("e")


def test_a_result_of_score_is_one(tmp_path: Path) -> None:
    """Two of three entities are found: precision 1, recall 2/3, F1 0.8."""
    found = karatage.score([["B-X"], ["B-X"], ["B-X"]], [["B-X"], ["B-X"], ["O"]], resamples=0)
    assert result_badge(found.to_dict()).text == "0.800"
    (tmp_path / "r.json").write_text(found.to_json(), "utf-8")
    assert run("badge", "r.json", "b.svg", "-m", "recall", cwd=tmp_path).returncode == 0
    assert ">0.667</text>" in (tmp_path / "b.svg").read_text("utf-8")
    assert "unknown metric" in refused("badge", "r.json", "c.svg", "-m", "f2", cwd=tmp_path)
    done = run("badge", "-", "-", stdin=found.to_json())
    assert done.returncode == 0
    assert done.stdout == result_badge(found.to_dict()).to_svg()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[]", "not a result"),
        ("{}", "not a result"),
        (json.dumps({"headline": "f1", "metrics": {"f1": 3}}), "f1 is not a score"),
        (json.dumps(result(value="high")), "value is not a number: 'high'"),
        (json.dumps(result(value=float("nan"))), "value is not a number: nan"),
        (json.dumps({"headline": "f2", "metrics": {"f1": {}}}), "unknown metric of this result 'f2'"),
    ],
)
def test_what_is_not_a_result_is_refused(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(text, "utf-8")
    assert said in refused("badge", "r.json", "b.svg", cwd=tmp_path)
    assert not (tmp_path / "b.svg").exists()


def test_a_missing_file_and_two_thresholds_are_refused(tmp_path: Path) -> None:
    assert "gone.json" in refused("badge", "gone.json", "b.svg", cwd=tmp_path)
    with pytest.raises(UsageError, match="either a minimum or a maximum"):
        result_badge(SCORE, minimum=0.1, maximum=0.2)
    with pytest.raises(InputError, match="not a result"):
        result_badge({"metrics": 3})
