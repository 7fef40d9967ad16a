"""Draws the pictures of the guide from the demonstration's files: `python docs/images/draw.py`.

The numbers are those that `karatage score` and `karatage compare` print. Shapes have colours of a middle tone
and texts follow the reader's colour scheme, so that both light and dark pages show them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

import karatage
from karatage.demo import copy

if TYPE_CHECKING:
    from numpy.typing import NDArray

Tagged = list[list[str]]
HERE = Path(__file__).parent
GOOD, FAIR, BAD, MARK, PALE = "#2f7dc0", "#6d85ab", "#d0701f", "#9b59b6", "#8a8f98"
STYLE = """
text { font: 13px system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; fill: #454b54; }
.head { font-weight: 600; font-size: 15px; }
.small { font-size: 11.5px; }
.strong { font-weight: 600; }
.on { fill: #ffffff; font-size: 11.5px; font-weight: 600; }
.middle { text-anchor: middle; }
.end { text-anchor: end; }
@media (prefers-color-scheme: dark) { text { fill: #ccd1d9; } .on { fill: #ffffff; } }
"""


@dataclass
class Picture:
    """An SVG file in the making."""

    width: int
    height: int
    title: str
    about: str
    parts: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, words: str, kind: str = "") -> None:
        """Write words."""
        chosen = f' class="{kind}"' if kind else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}"{chosen}>{escape(words)}</text>')

    def box(self, x: float, y: float, width: float, height: float, colour: str, *, empty: bool = False) -> None:
        """Draw a box, filled or as a dashed outline; a narrow one has sharper corners."""
        look = f'fill="none" stroke="{colour}" stroke-dasharray="3 3"' if empty else f'fill="{colour}"'
        size = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
        self.parts.append(f'<rect {size} rx="{min(5.0, width / 8, height / 2):.1f}" {look}/>')

    def line(self, x: float, y: float, to_x: float, to_y: float, colour: str = PALE, width: float = 1.0) -> None:
        """Draw a line."""
        ends = f'x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"'
        self.parts.append(f'<line {ends} stroke="{colour}" stroke-width="{width:g}"/>')

    def interval(self, low: float, high: float, y: float, colour: str, ends: tuple[str, str]) -> None:
        """Draw a line with an end stop and a number on either side."""
        self.line(low, y, high, y, colour, 3)
        for x in (low, high):
            self.line(x, y - 7, x, y + 7, colour, 3)
        self.text(low - 12, y + 4, ends[0], "end strong")
        self.text(high + 12, y + 4, ends[1], "strong")

    def save(self, name: str) -> None:
        """Write the file."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img" aria-labelledby="title about">'
        )
        names = f'<title id="title">{escape(self.title)}</title>\n<desc id="about">{escape(self.about)}</desc>'
        whole = [head, names, f"<style>{STYLE}</style>", *self.parts, "</svg>"]
        (HERE / name).write_text("\n".join(whole) + "\n", "utf-8")


def shade(row: NDArray[np.int64]) -> str:
    """Return the colour of a unit: all found, some missed, or a third or more missed."""
    gold, _, correct = row.tolist()
    return GOOD if correct == gold else FAIR if 3 * correct > 2 * gold else BAD


def sentences(path: Path) -> Tagged:
    """Read the tags of a column file."""
    parts = path.read_text("utf-8").strip().split("\n\n")
    return [[line.split("\t")[1] for line in part.splitlines() if not line.startswith("# ")] for part in parts]


def counts(gold: Tagged, pred: Tagged) -> NDArray[np.int64]:
    """Count gold, predicted and correct claims of each unit."""
    each = [karatage.score([one], [other], resamples=0).counts for one, other in zip(gold, pred, strict=True)]
    return np.array([[own[name] for name in ("gold", "predicted", "correct")] for own in each])


def f1(totals: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return F1 of counts: twice the correct claims over those of gold and those predicted."""
    out: NDArray[np.float64] = 2 * totals[..., 2] / (totals[..., 0] + totals[..., 1])
    return out


def draws(units: int, times: int) -> NDArray[np.int64]:
    """Draw as many units as there are, so many times; return how often each comes up."""
    return np.random.default_rng(0).multinomial(units, [1 / units] * units, times)


def bars(
    picture: Picture, values: NDArray[np.float64], place: Axis, base: float, step: float, inside: tuple[float, float]
) -> None:
    """Draw a histogram that stands on `base`; bars outside the interval are pale."""
    edges = np.arange(np.floor(values.min() / step), np.ceil(values.max() / step) + 1) * step
    counts, _ = np.histogram(values, edges)
    for count, left in zip(counts.tolist(), edges.tolist(), strict=False):
        if count:
            high = 112 * count / counts.max()
            within = inside[0] <= left + step / 2 <= inside[1]
            wide = place(left + step) - place(left) - 1.2
            picture.box(place(left) + 0.6, base - high, wide, high, GOOD if within else PALE)


@dataclass(frozen=True)
class Axis:
    """Where values lie from left to right."""

    low: float
    high: float
    left: float
    right: float

    def __call__(self, value: float) -> float:
        """Return the place of a value."""
        return self.left + (value - self.low) / (self.high - self.low) * (self.right - self.left)

    def draw(self, picture: Picture, y: float, ticks: NDArray[np.float64], form: str = "{:.2f}") -> None:
        """Draw the axis with its ticks."""
        picture.line(self.left, y, self.right, y)
        for tick in ticks.tolist():
            picture.line(self(tick), y, self(tick), y + 5)
            words = form.format(tick).replace("-", "−") if abs(tick) > 1e-9 else "0"
            picture.text(self(tick), y + 19, words, "middle small")


TILE, GAP, LEFT = 37.0, 6.0, 104.0


def resampling(gold: Path, pred: Path) -> None:
    """Show how a resample is drawn, and what a thousand of them tell."""
    score = karatage.score(gold, pred, interval="percentile")["f1"]
    assert score.value is not None and score.low is not None and score.high is not None  # noqa: S101, PT018
    rows = counts(sentences(gold), sentences(pred))
    units = len(rows)
    picture = Picture(
        720,
        568,
        "Resampling a test set",
        "Above: twelve units with the share of gold entities found in each, and three resamples of them. In each "
        "resample some units come up twice or more and some not at all, so that its F1 differs. Below: the F1 of "
        f"1,000 resamples of all {units} units, as a histogram around {score.value:.4f}. The middle 95 % are from "
        f"{score.low:.4f} to {score.high:.4f}.",
    )
    _tiles(picture, rows[:12])
    picture.text(0, 344, f"2.  Repeat this 1,000 times with all {units} units: distribution of F1", "head")
    place, base = Axis(0.815, 0.875, 40, 680), 492
    bars(picture, f1(draws(units, 1000) @ rows), place, base, 0.002, (score.low, score.high))
    place.draw(picture, base, np.arange(0.82, 0.8751, 0.01))
    picture.line(place(score.value), 364, place(score.value), base, MARK, 2)
    picture.text(place(score.value) + 8, 374, f"the score: {score.value:.4f}", "strong")
    y = base + 44
    picture.interval(place(score.low), place(score.high), y, MARK, (f"{score.low:.4f}", f"{score.high:.4f}"))
    picture.text(place(score.value), y + 24, "the middle 95 %", "middle")
    picture.save("resampling.svg")


def _tiles(picture: Picture, rows: NDArray[np.int64]) -> None:
    """Draw units in a row, and below them how often each comes up in resamples."""
    places = [LEFT + k * (TILE + GAP) for k in range(len(rows))]
    score_at = places[-1] + TILE + 22
    picture.text(0, 18, "1.  Draw as many units as there are, at random and with replacement", "head")
    picture.text(score_at, 46, "F1", "strong")
    y = 54.0
    picture.text(0, y + TILE / 2 + 5, "test set", "strong")
    for k, x in enumerate(places):
        picture.text(x + TILE / 2, 46, f"{k + 1}", "middle small")
        picture.box(x, y, TILE, TILE, shade(rows[k]))
        picture.text(x + TILE / 2, y + TILE / 2 + 4, f"{rows[k, 2]}/{rows[k, 0]}", "on middle")
    picture.text(score_at, y + TILE / 2 + 5, f"{f1(rows.sum(axis=0)):.3f}", "strong")
    rng = np.random.default_rng(3)
    for number in range(3):
        y = 118 + number * (TILE + 18)
        times = np.bincount(rng.integers(len(rows), size=len(rows)), minlength=len(rows))
        picture.text(0, y + TILE / 2 + 5, f"resample {number + 1}")
        for k, x in enumerate(places):
            _drawn(picture, x, y, int(times[k]), shade(rows[k]))
        picture.text(score_at, y + TILE / 2 + 5, f"{f1(times @ rows):.3f}")
    legend = ((0, GOOD, "all gold entities found"), (162, FAIR, "some missed"), (268, BAD, "a third or more missed"))
    for x, colour, words in legend:
        picture.box(LEFT + x, 285, 12, 12, colour)
        picture.text(LEFT + x + 18, 295, words, "small")


def _drawn(picture: Picture, x: float, y: float, times: int, colour: str) -> None:
    if times == 0:
        picture.box(x + 1, y + 1, TILE - 2, TILE - 2, PALE, empty=True)
        return
    for k in range(times):
        inset = 5.0 * (times - 1 - k)
        picture.parts.append(f'<g opacity="{1 if k == times - 1 else 0.45:g}">')
        picture.box(x + inset / 2, y - inset, TILE - inset, TILE, colour)
        picture.parts.append("</g>")
    if times > 1:
        picture.text(x + TILE / 2, y + TILE / 2 + 4, f"×{times}", "on middle")


def paired(gold: Path, pred: Path) -> None:
    """Show that a difference on the same units varies less than the two scores."""
    cautious = pred.with_name("cautious.conll")
    cautious.write_text(re.sub(r"[BI]-Einbauposition$", "O", pred.read_text("utf-8"), flags=re.M), "utf-8")
    contest = karatage.compare(gold, {"context": pred, "cautious": cautious})["f1"]
    found = contest["context", "cautious"]
    assert found.value is not None and found.low is not None and found.high is not None  # noqa: S101, PT018
    picture = Picture(
        720,
        424,
        "A difference varies less than the scores",
        "Above: the F1 intervals of two systems overlap almost completely. Below, on the same scale: the differences "
        f"of their F1 on 10,000 common resamples, around {found.value:+.4f}. Their interval is a third as wide and "
        f"is from {found.low:+.4f} to {found.high:+.4f}: 0 is outside.",
    )
    picture.text(0, 18, "Each system on its own: the intervals overlap", "head")
    place = Axis(0.8175, 0.8675, 90, 690)
    for y, (name, score) in zip((54, 94), contest.scores.items(), strict=True):
        assert score.value is not None and score.low is not None and score.high is not None  # noqa: S101, PT018
        picture.text(0, y + 4, name, "strong")
        picture.interval(place(score.low), place(score.high), y, PALE, (f"{score.low:.4f}", f"{score.high:.4f}"))
        picture.box(place(score.value) - 5, y - 5, 10, 10, GOOD)
        picture.text(place(score.value), y - 12, f"{score.value:.4f}", "middle small")
    place.draw(picture, 124, np.arange(0.82, 0.8651, 0.01))
    picture.text(0, 190, "Their difference on the same resamples, on the same scale: 0 is outside", "head")
    rows = [counts(sentences(gold), sentences(one)) for one in (pred, cautious)]
    drawn = draws(len(rows[0]), 10_000)
    place, base = Axis(-0.0185, 0.0315, 90, 690), 348
    picture.line(place(0), 214, place(0), base, MARK, 2)
    picture.text(place(0) - 8, 226, "no difference", "end strong")
    bars(picture, f1(drawn @ rows[0]) - f1(drawn @ rows[1]), place, base, 0.001, (found.low, found.high))
    place.draw(picture, base, np.arange(-0.01, 0.031, 0.01), "{:+.2f}")
    y = base + 44
    picture.interval(place(found.low), place(found.high), y, MARK, (f"{found.low:+.4f}", f"{found.high:+.4f}"))
    picture.text(place(found.value), y + 24, "the 95 % interval of the difference", "middle")
    picture.save("paired.svg")


def main() -> None:
    """Draw all pictures."""
    with TemporaryDirectory() as folder:
        copy(Path(folder))
        sides = Path(folder) / "gold.conll", Path(folder) / "context.conll"
        resampling(*sides)
        paired(*sides)


if __name__ == "__main__":
    main()
