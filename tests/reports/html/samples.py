"""Made-up pages for the tests: one rich one, and one with a hostile string in every place."""

from __future__ import annotations

from typing import Any

from karatage.reports.answer_texts import LabelName, SystemName
from karatage.reports.html import charts, curve_charts
from karatage.reports.html.blocks import (
    Cell,
    Columns,
    ErrorData,
    Errors,
    Figure,
    Finding,
    Header,
    HeatMap,
    Opening,
    Page,
    ScoreCard,
    Scores,
    Section,
    Table,
    Tabs,
    Text,
)

LABELS = ["PER", "ORG", "LOC", "MISC"]
DETAILS = ["type", "too long", "too short", "missed", "spurious", "both"]
LONG = "At the end of a long and winding road through the hills of the north, " * 3


def tagged(marked: str) -> tuple[str, list[list[Any]]]:
    """Return the text and the spans of `[PER:Ada] wrote to [ORG:the [LOC:Paris] office]`."""
    text, spans, stack, k = "", [], [], 0
    while k < len(marked):
        if marked[k] == "[":
            label, k = marked[k + 1 :].split(":", 1)[0], marked.index(":", k)
            stack.append([LABELS.index(label), len(text)])
        elif marked[k] == "]":
            spans.append([*stack.pop(), len(text)])
        else:
            text += marked[k]
        k += 1
    return text, sorted(spans, key=lambda span: (span[1], -span[2]))


# Each unit: gold, the first system, the second system.
UNITS = [
    (
        "[PER:Angela Merkel] visited [LOC:Paris] .",
        "[ORG:Angela Merkel] visited [LOC:Paris] .",
        "[PER:Angela Merkel] visited Paris .",
    ),
    (
        "The [ORG:University of [LOC:Tartu]] won .",
        "The University of [LOC:Tartu] won .",
        "The [ORG:University] of [LOC:Tartu] won .",
    ),
    (f"{LONG}[LOC:Ürümqi] lies {LONG}", f"{LONG}[LOC:Ürümqi lies] {LONG}", f"{LONG}[LOC:Ürümqi] lies {LONG}"),
    (
        "زار [PER:محمد علي] مدينة [LOC:القاهرة] أمس",
        "زار [PER:محمد] علي مدينة [LOC:القاهرة] أمس",
        "زار [ORG:محمد علي] مدينة [LOC:القاهرة] أمس",
    ),
    (
        "😀 [PER:José] met 👩‍🚀 [MISC:Apollo 11] fans",
        "😀 [PER:José met] 👩‍🚀 Apollo 11 fans",
        "😀 [PER:José] met 👩‍🚀 [MISC:Apollo 11] fans",
    ),
]


def error_data(copies: int = 8) -> ErrorData:
    """Return the errors of two systems on a few units, repeated."""
    ids: list[str] = []
    texts: list[str] = []
    gold: list[Any] = []
    preds: tuple[list[Any], list[Any]] = ([], [])
    rows: Any = {key: [] for key in ("unit", "system", "detail", "gold", "pred", "score")}

    def error(unit: int, system: int, detail: str, gold: int, pred: int, score: float | None) -> None:
        values = (unit, system, DETAILS.index(detail), gold, pred, score)
        for key, value in zip(rows, values, strict=True):
            rows[key].append(value)

    for copy in range(copies):
        first = len(ids)
        for k, sides in enumerate(UNITS):
            text, spans = tagged(sides[0])
            ids.append(f"news-{copy}-{k}")
            texts.append(text)
            gold.append(spans)
            for system in range(2):
                preds[system].append(tagged(sides[1 + system])[1])
        error(first, 0, "type", 0, 0, 0.91)
        error(first, 1, "missed", 1, -1, None)
        error(first + 1, 0, "missed", 0, -1, None)
        error(first + 1, 1, "too short", 0, 0, 0.42 + copy / 100)
        error(first + 2, 0, "too long", 0, 0, 0.77)
        error(first + 3, 0, "too short", 0, 0, 0.63)
        error(first + 3, 1, "type", 0, 0, 0.58)
        error(first + 4, 0, "too long", 0, 0, 0.35)
        error(first + 4, 0, "missed", 1, -1, None)
    return {
        "systems": ["crf", "bert-base"],
        "labels": LABELS,
        "details": DETAILS,
        "shown": len(rows["unit"]),
        "total": 1240,
        "note": "A random sample of the errors, the same for every system.",
        "units": {
            "id": ids,
            "text": texts,
            "gold": gold,
            "pred": list(preds),
            "attributes": {"source": ["news"] * len(ids)},
        },
        "errors": rows,
    }


def label_table() -> Table:
    columns = [
        "label",
        Header("gold", True),
        Header("predicted", True),
        Header("precision", True),
        Header("recall", True),
        Header("F1", True, "the harmonic mean of precision and recall"),
        Header("interval", True),
        Header("against the rest", True),
    ]
    rows = []
    for label, gold, f1, mark in (
        ("PER", 1617, 0.912, "better"),
        ("ORG", 1661, 0.793, ""),
        ("LOC", 1668, 0.887, ""),
        ("MISC", 702, 0.683, "worse"),
        ("EVENT", 96, 0.55, "worse"),
        ("LAW", 12, None, ""),
    ):
        score = "–" if f1 is None else f"{f1:.3f}"
        rows.append(
            [
                label,
                Cell(f"{gold:,}", gold),
                Cell(f"{gold - 7:,}", gold - 7),
                Cell(score, f1),
                Cell(score, f1),
                Cell(score, f1, "strong"),
                Cell("" if f1 is None else f"{f1 - 0.02:.3f} – {f1 + 0.02:.3f}", f1, "dim"),
                Cell(
                    "" if f1 is None else f"{f1 - 0.84:+.3f}", None if f1 is None else f1 - 0.84, mark, {"gold": label}
                ),
            ]
        )
    return Table(
        "By label",
        columns,
        rows,
        "Each label against all others.",
        "Marked where Holm's correction leaves a difference.",
        4,
    )


def figures() -> list[Figure]:
    """Return one figure of each chart."""
    slices = [
        ("length", "1 token", [(0.88, 0.86, 0.9, "")]),
        ("length", "2 tokens", [(0.84, 0.82, 0.86, "")]),
        ("length", "4+ tokens", [(0.55, 0.46, 0.64, "worse")]),
        ("seen in training", "seen", [(0.92, 0.9, 0.94, "better")]),
        ("seen in training", "unseen", [(0.68, 0.64, 0.72, "worse")]),
    ]
    curve = [(k / 50, 1 - (k / 50) ** 3 * 0.6) for k in range(51)]
    bins = [(0.1 * k + 0.05, 0.09 * k + 0.05, 20 + k, 0.09 * k, 0.09 * k + 0.12) for k in range(10)]
    steps = [
        ("score now", 0, 0.841),
        ("missed", 0.841, 0.887),
        ("wrong type", 0.887, 0.921),
        ("boundaries", 0.921, 0.958),
        ("spurious", 0.958, 1.0),
        ("all fixed", 0, 1.0),
    ]
    table = Table(
        "", ["kind", Header("gain", True)], [["missed", Cell("0.046", 0.046)], ["spurious", Cell("0.042", 0.042)]]
    )
    return [
        Figure(
            "What a fix would bring",
            charts.waterfall(steps, "F1"),
            "F1 rises from 0.841 to 1 as errors are fixed; missed ones cost most.",
            "Each kind fixed after the ones above it.",
            table,
        ),
        Figure(
            "Slices",
            charts.slices_plot(slices, 0.841, metric="F1"),
            "F1 of five slices with intervals; long and unseen entities are worse.",
        ),
        Figure(
            "Precision and recall",
            curve_charts.pr_curve({"crf": curve, "bert-base": [(r, min(1, p + 0.04)) for r, p in curve]}),
            "Two curves that fall from 1 to about 0.4.",
        ),
        Figure(
            "Calibration",
            curve_charts.calibration({"crf": bins}),
            "The share that is right stays below the confidence.",
        ),
        Figure(
            "Ranks",
            charts.intervals_plot(
                [("bert-base", 0.87, 0.86, 0.88, "rank 1"), ("crf", 0.84, 0.83, 0.85, "rank 2")], metric="F1"
            ),
            "Two systems; their intervals do not touch.",
        ),
        Figure(
            "Gains",
            charts.systems_plot(
                {"missed": [(0.03, 0.02, 0.04, ""), (0.02, 0.01, 0.03, "")], "type": [(0.01, None, None, "")]},
                metric="gain in F1",
                systems=["crf", "bert-base"],
            ),
            "Missed entities cost crf more than bert-base.",
        ),
        Figure(
            "Kinds of error",
            charts.bars([("missed", 412), ("too long", 120), ("spurious", 88)], title="errors"),
            "412 missed, 120 too long, 88 spurious.",
        ),
    ]


def rich_page(data: ErrorData | None = None) -> Page:
    """Return a page with every kind of block."""
    heat = HeatMap(
        "Which label became which",
        LABELS,
        [[1480, 61, 12, 4], [48, 1301, 90, 33], [9, 52, 1502, 14], [12, 70, 31, 480]],
        [60, 189, 91, 109],
        [41, 77, 38, 25],
        "The share of the row colours a cell.",
        {"system": "crf"},
    )
    cards = [
        ScoreCard("F1", "0.841", "0.829 – 0.853", "micro, 95 % interval", 0.841, 0.829, 0.853),
        ScoreCard("Precision", "0.852", "0.839 – 0.864", "", 0.852, 0.839, 0.864),
        ScoreCard("Recall", "0.830", "0.815 – 0.845", "", 0.83, 0.815, 0.845),
        ScoreCard("Sentences all right", "0.71", "", "no interval asked for"),
    ]
    drawn = figures()
    sections = [
        Section(
            "In short",
            [
                Scores(cards),
                Text("Long and unseen entities fail most: 4 of 10 of them are cut short."),
                Text("Three units have no text.", "note"),
                Text("The two files differ in 3 tokens.", "warning"),
            ],
        ),
        Section("By label", [label_table(), heat]),
        Section("What it would bring", drawn[:2]),
        Section(
            "Systems",
            [
                Tabs(
                    [
                        ("crf", [drawn[6], Text("The baseline.")]),
                        ("bert-base", [drawn[5], drawn[4]]),
                        ("Curves", drawn[2:4]),
                    ],
                    "Systems",
                ),
                Columns([("crf", [Text("One column.")]), ("bert-base", [Text("Another one.")])]),
            ],
        ),
        Section("Errors", [Errors(data or error_data())], "errors"),
    ]
    return Page(
        "Where crf and bert-base fail",
        "news.conll · 3,453 sentences · 5,648 entities · profile conlleval",
        sections,
        ["Made by Karatage 0.9.", "gold sha256:1f3a… · seed 0"],
        Opening(
            [
                SystemName("bert-base"),
                " beats ",
                SystemName("crf"),
                " by 0.030 F1, most of it from ",
                LabelName("PER"),
                ".",
            ],
            [
                Finding(
                    "costliest error of bert-base", "missed", "412 errors; +0.046 F1 if fixed", "what-it-would-bring"
                ),
                Finding("worst slice of bert-base", "length: 4+ tokens", "F1 0.55, rest 0.86", "by-label"),
            ],
        ),
    )
