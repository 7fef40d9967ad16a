"""A hundred strings that break pages which trust them, and a page that holds each of them in every place."""

from __future__ import annotations

from typing import Any

from karatage.reports.answer_texts import LabelName, SystemName
from karatage.reports.html import charts, curve_charts
from karatage.reports.html.blocks import (
    Cell,
    Columns,
    Errors,
    Figure,
    Finding,
    Header,
    HeatMap,
    IntervalBar,
    Opening,
    Page,
    ScoreCard,
    Scores,
    Section,
    Table,
    Tabs,
    Text,
)

HIT = "window.__hit=1"
_TAGS = [
    f"<script>{HIT}</script>", f"<SCRIPT>{HIT}</SCRIPT>", f"<script src=data:text/javascript,{HIT}></script>",
    f"</script><script>{HIT}</script>", f"</title><script>{HIT}</script>", f"</style><script>{HIT}</script>",
    f"</textarea><script>{HIT}</script>", f"--><script>{HIT}</script>", f"<!--<script>{HIT}</script>-->",
    f"]]><script>{HIT}</script>", "<!--", "<!--<script>", "</script", "</SCRIPT >", "-->", "]]>", "<![CDATA[",
    "<?xml?>", f"<img src=x onerror={HIT}>", f"<img src=x onerror={HIT}//", f"<svg onload={HIT}>",
    f"<svg><script>{HIT}</script></svg>", f"<svg><animate onbegin={HIT} attributeName=x dur=1s>",
    f"<svg><a xlink:href='javascript:{HIT}'><text>x</text></a></svg>",
    f"<math><mtext></mtext><script>{HIT}</script></math>",
    f"<iframe srcdoc='<script>parent.{HIT}</script>'></iframe>", f"<iframe src=javascript:parent.{HIT}></iframe>",
    f"<object data=javascript:{HIT}>", f"<embed src=javascript:{HIT}>", f"<body onload={HIT}>",
    f"<details open ontoggle={HIT}>", f"<input autofocus onfocus={HIT}>", f"<video><source onerror={HIT}>",
    f"<a href=javascript:{HIT}>x</a>", "<base href=https://example.org/>",
    "<link rel=stylesheet href=https://example.org/x.css>",
    "<meta http-equiv=refresh content=0;url=https://example.org/>",
    f"<form action=javascript:{HIT}><button>x</button></form>", "<style>*{display:none}</style>",
    "<template><p>x</p></template>", "<noscript><p title='</noscript><img>'>", "<plaintext>", "<xmp>",
    "<table><tr><td>", "</td></tr></table>", "</div></main></body></html>", "<b>bold</b>", "<",
]  # fmt: skip
_ATTRIBUTES = [
    f'" onmouseover="{HIT}', f"' onmouseover='{HIT}", f'" autofocus onfocus="{HIT}" x="', f"` onmouseover=`{HIT}",
    f'"><script>{HIT}</script>', f"'><script>{HIT}</script>", '" style="position:fixed;inset:0', '"', "'", "\\",
    "\\\"", "&quot;", "&lt;script&gt;", "&#60;script&#62;", "&amp;", f"javascript:{HIT}", f"JaVaScRiPt:{HIT}",
    f"data:text/html,<script>{HIT}</script>", "x=y&z=#&q=%00",
]  # fmt: skip
_CODE = [
    "{{7*7}}", "{% raw %}", "{{ self.__init__ }}", "${7*7}", "#{7*7}", "<%= 7*7 %>", f"`${{{HIT}}}`", f"';{HIT};//",
    f'";{HIT};//', f"\\u003cscript>{HIT}", "}*{display:none}", "url(https://example.org/x)", "expression(alert(1))",
    "@import 'https://example.org/x.css'", f"+{HIT}+", "datum.value", "__proto__", "constructor", "hasOwnProperty",
    "toString", "null", "undefined", "NaN", "-1", "0",
]  # fmt: skip
_CHARACTERS = [
    "a\u2028b", "a\u2029b", "\u202eevil\u202c", "\u2066x\u2069", "a\u200bb", "a\u200db", "\ufeffx", "a\x00b",
    "\x1b[31mred", "a\x7fb", "\x85", "\ud800x", "x\udfff", "\ud83d\ude00", "line\nbreak", "tab\there",
    "e\u0301\u0301\u0301", "\u0301", "مرحبا", "👩‍👩‍👧", " ", "", "\xa0", "\xad", "\U000e0041", "w" * 10_000,
]  # fmt: skip
HOSTILE = [*_TAGS, *_ATTRIBUTES, *_CODE, *_CHARACTERS]


def hostile_page() -> Page:
    """Return a page with every hostile string as a label, an id, a text, a value, a system, a name and a caption."""
    count = len(HOSTILE)
    table = Table(
        HOSTILE[0],
        [Header(text, help=text) for text in HOSTILE[:3]],
        [
            [text, Cell(text, filters={"gold": text, "pred": text, "system": text, "q": text}), _detailed(text)]
            for text in HOSTILE
        ],
        HOSTILE[18],
        HOSTILE[19],
        groups=[(HOSTILE[0], 1), (HOSTILE[1], 2)],
    )
    texts = [Text(text, ("plain", "note", "warning")[k % 3]) for k, text in enumerate(HOSTILE)]
    parts = [HOSTILE[k : k + 30] for k in range(0, count, 30)]
    heats = [
        HeatMap(part[0], part, [[1] * len(part)] * len(part), [1] * len(part), [1] * len(part), part[1])
        for part in parts
    ]
    cards = [ScoreCard(text, text, text, text) for text in HOSTILE]
    names = [*HOSTILE[:6], "__proto__", "constructor", "datum.value", "toString", "\ud800x", ""]
    points = [(0.1, 0.9), (0.9, 0.2)]
    pictures = [
        charts.waterfall([(text, 0.1, 0.2) for text in names], HOSTILE[0]),
        charts.slices_plot([(text, text, [(0.5, 0.4, 0.6, "worse")]) for text in names], 0.5, metric=HOSTILE[0]),
        curve_charts.pr_curve(dict.fromkeys(names, points)),
        curve_charts.calibration({text: [(0.5, 0.5, 3, 0.4, 0.6)] for text in names}),
        charts.intervals_plot([(text, 0.5, 0.4, 0.6, text) for text in names], metric=HOSTILE[0]),
        charts.systems_plot({text: [(0.5, 0.4, 0.6, "")] * 2 for text in names}, metric=HOSTILE[0], systems=HOSTILE),
        charts.bars([(text, 3.0) for text in HOSTILE], title=HOSTILE[0]),
    ]
    figures = [Figure(text, picture, text, text) for text, picture in zip(HOSTILE, pictures, strict=False)]
    columns = Columns([(text, [Text(text)]) for text in HOSTILE])
    tabs = Tabs([(text, [Text(text)]) for text in HOSTILE], HOSTILE[0])
    sections = [
        Section(text, blocks, text)
        for text, blocks in zip(
            HOSTILE,
            ([Scores(cards)], [table], heats, texts, figures, [tabs, columns], [Errors(hostile_errors(), HOSTILE[0])]),
            strict=False,
        )
    ]
    findings = [Finding(text, text, text, "errors") for text in HOSTILE]
    return Page(
        HOSTILE[0],
        HOSTILE[4],
        sections,
        HOSTILE,
        Opening([SystemName(HOSTILE[0]), *HOSTILE, LabelName(HOSTILE[1])], findings),
    )


def _detailed(text: str) -> Cell:
    return Cell(text, 1.0, detail=text, bar=IntervalBar(0.5, 0.4, 0.6, (0.0, 1.0)))


def hostile_texts() -> Page:
    """Return a page with the errors alone, all of one system."""
    return Page("Texts", "", [Section("Errors", [Errors(hostile_errors(HOSTILE[:1]))])])


def hostile_errors(systems: list[str] = HOSTILE) -> Any:
    """Return one error for each hostile string, which is its unit's id, text, value, label, kind and system."""
    count = len(HOSTILE)
    own = [[[k, 0, len(text)], [k, -1, -1, text]] for k, text in enumerate(HOSTILE)]
    numbers = list(range(count))
    facts = {"__proto__": HOSTILE, HOSTILE[0]: HOSTILE}
    return {
        "systems": systems,
        "labels": HOSTILE,
        "details": HOSTILE,
        "shown": count,
        "total": count,
        "note": HOSTILE[3],
        "units": {"id": HOSTILE, "text": HOSTILE, "gold": own, "pred": [own] * len(systems), "attributes": facts},
        "errors": {
            "unit": numbers,
            "system": [min(k, len(systems) - 1) for k in numbers],
            "detail": numbers,
            "gold": [0] * count,
            "pred": [1] * count,
        },
    }
