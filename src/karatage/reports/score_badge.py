"""A badge: one score with its interval as a small SVG, for a README."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from karatage._printing import named
from karatage.errors import InputError, UsageError, unknown

# White text has a contrast of at least 4.5 to 1 on each of them.
LEFT = "#444444"
COLOURS = {"met": "#1a7f37", "unclear": "#8a5a00", "missed": "#c21f2b", "": "#0b5cad", "undefined": "#5f5f5f"}
"""Green and red for a threshold that is met or missed, brown if the interval includes it; blue without a threshold."""
_SIGNS = {"met": " ✓", "unclear": " ?", "missed": " ✗", "": "", "undefined": ""}
_NARROW, _WIDE = "fijlrtI.,:;|!()[]'’ ", "mwMW@%✓✗"
_HEIGHT, _SIZE, _PADDING = 20, 11, 6


@dataclass(frozen=True, kw_only=True)
class Badge:
    """What a badge says.

    Attributes:
        label: the text at the left, e.g. F1.
        text: the text at the right: the score with its interval.
        verdict: whether a threshold is `met`, `missed` or `unclear`; `undefined`, or empty without a threshold.
        title: the whole in words, which screen readers say.
    """

    label: str
    text: str
    verdict: str
    title: str

    def to_svg(self) -> str:
        """Return the badge as SVG that needs nothing from elsewhere."""
        left, right = (_width(text) for text in (self.label, self.shown))
        total = left + right
        title = escape(self.title)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{_HEIGHT}" '
            f'viewBox="0 0 {total} {_HEIGHT}" role="img" aria-label={quoteattr(self.title)}>\n'
            f"  <title>{title}</title>\n"
            f'  <clipPath id="corners"><rect width="{total}" height="{_HEIGHT}" rx="3"/></clipPath>\n'
            f'  <g clip-path="url(#corners)">\n'
            f'    <rect width="{left}" height="{_HEIGHT}" fill="{LEFT}"/>\n'
            f'    <rect x="{left}" width="{right}" height="{_HEIGHT}" fill="{COLOURS[self.verdict]}"/>\n'
            f"  </g>\n"
            f'  <g fill="#ffffff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="{_SIZE}" '
            f'text-anchor="middle" aria-hidden="true">\n'
            f"    {_text(self.label, left / 2, left)}\n"
            f"    {_text(self.shown, left + right / 2, right)}\n"
            f"  </g>\n"
            f"</svg>\n"
        )

    @property
    def shown(self) -> str:
        """The text at the right with a sign for the verdict, for whoever cannot tell the colours."""
        return self.text + _SIGNS[self.verdict]


def result_badge(
    result: Mapping[str, Any],
    *,
    metric: str | None = None,
    label: str | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
) -> Badge:
    """Make the badge of a result.

    Args:
        result: What `karatage score --json` prints, or `to_dict()` of a result.
        metric: The metric to show; the headline if it is None.
        label: The text at the left; the name of the metric if it is None.
        minimum: What the lower end of the interval must reach for green.
        maximum: What the upper end must not exceed for green, if lower is better.
    """
    if minimum is not None and maximum is not None:
        raise UsageError("use either a minimum or a maximum")
    metrics = result.get("metrics")
    if not isinstance(metrics, Mapping) or not isinstance(result.get("headline"), str):
        raise InputError("not a result", hint="Pass what `karatage score --json` prints")
    name = result["headline"] if metric is None else metric
    if name not in metrics:
        raise unknown("metric of this result", name, metrics)
    score = metrics[name]
    if not isinstance(score, Mapping) or "value" not in score:
        raise InputError(f"{name} is not a score", hint="Pass what `karatage score --json` prints")
    shown = named(re.sub(r"^f(?=[0-9])", "F", name) if label is None else label)
    value, low, high = (_number(score, key) for key in ("value", "low", "high"))
    if value is None:
        reason = named(str(score.get("undefined") or "no value"))
        return Badge(label=shown, text="undefined", verdict="undefined", title=f"{shown} is undefined: {reason}")
    if low is None or high is None:
        text, about = f"{value:.3f}", f"{shown} is {value:.3f}, without an interval"
    else:
        text, about = f"{value:.3f} ({low:.3f}–{high:.3f})", f"{shown} is {value:.3f}, {_level(result)}"
        about += f"{low:.3f} to {high:.3f}"
    rising = minimum is not None
    limit = minimum if rising else maximum
    if limit is None:
        return Badge(label=shown, text=text, verdict="", title=about)
    verdict = _verdict(value, low, high, limit) if rising else _verdict(-value, _minus(high), _minus(low), -limit)
    bound = f"at least {limit:g}" if rising else f"at most {limit:g}"
    return Badge(label=shown, text=text, verdict=verdict, title=f"{about}; {bound}: {verdict}")


def _verdict(value: float, low: float | None, high: float | None, limit: float) -> str:
    """Say whether a threshold is met: clearly missed only if the whole interval is below it."""
    if low is not None and low >= limit:
        return "met"
    return "missed" if value < limit and (high is None or high < limit) else "unclear"


def _minus(value: float | None) -> float | None:
    return None if value is None else -value


def _number(score: Mapping[str, Any], key: str) -> float | None:
    value = score.get(key)
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
        raise InputError(f"{key} is not a number: {value!r}", hint="Pass what `karatage score --json` prints")
    return float(value)


def _level(result: Mapping[str, Any]) -> str:
    level = (result.get("intervals") or {}).get("level")
    return f"{100 * level:.10g} % interval " if isinstance(level, float) else "interval "


def _width(text: str) -> int:
    """Estimate how wide a text is; the SVG then fits it to that, in any font."""
    return round(sum(map(_advance, text))) + 2 * _PADDING


def _advance(sign: str) -> float:
    """Estimate how wide a character is, in pixels."""
    if unicodedata.category(sign) in ("Mn", "Me", "Cf"):  # accents of their own, joiners
        return 0
    if unicodedata.east_asian_width(sign) in "WF":
        return _SIZE
    if sign in _NARROW:
        return 4.2
    return 9.5 if sign in _WIDE else 8 if sign.isupper() else 7


def _text(text: str, middle: float, width: int) -> str:
    length = width - 2 * _PADDING
    return f'<text x="{middle:g}" y="14" textLength="{length}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
