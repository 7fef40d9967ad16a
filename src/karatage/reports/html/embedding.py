"""Text and data made safe to stand in a page: nothing invisible, nothing that ends a script early."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from karatage.reports.html.blocks import ErrorData

_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")
_SURROGATES = re.compile("[\ud800-\udfff]")


def as_json(value: Any) -> str:
    """Return data as JSON that may stand inside a script element, whatever its texts hold."""
    # Half a surrogate pair cannot be written as UTF-8, and two halves would become one character and shift all offsets.
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_plain)
    return _UNSAFE.sub(lambda found: "\ufffd" if _SURROGATES.match(found[0]) else f"\\u{ord(found[0]):04x}", text)


def _plain(value: Any) -> Any:
    """Return a NumPy array or number as what JSON knows."""
    return value.tolist()


def check(data: ErrorData) -> None:
    """Raise a ValueError where the columns of an error browser do not fit each other."""
    units, rows = data["units"], data["errors"]
    for name, columns in (("units", units), ("errors", rows)):
        lengths = {key: len(column) for key, column in columns.items() if key not in ("pred", "attributes")}  # type: ignore[arg-type]  # all are sized
        if len(set(lengths.values())) != 1:
            raise ValueError(f"the columns of {name} differ in length: {lengths}")
    if len(units["pred"]) != len(data["systems"]):
        raise ValueError(f"{len(data['systems'])} systems, but predictions of {len(units['pred'])}")


def first_errors(data: ErrorData, count: int) -> Iterator[dict[str, Any]]:
    """Yield the first errors as plain texts: the unit, the system, the kind, and what each side says."""
    units, rows = data["units"], data["errors"]
    for k in range(min(count, len(rows["unit"]))):
        unit, system = rows["unit"][k], rows["system"][k]
        text = units["text"][unit]
        gold, pred = rows["gold"][k], rows["pred"][k]
        sides = {
            "gold": units["gold"][unit][gold] if gold >= 0 else None,
            "predicted": units["pred"][system][unit][pred] if pred >= 0 else None,
        }
        yield {
            "unit": units["id"][unit],
            "system": data["systems"][system],
            "kind": data["details"][rows["detail"][k]],
            "text": f"{text[:240]}…" if len(text) > 240 else text,
            "claims": [(side, data["labels"][span[0]], _surface(span, text)) for side, span in sides.items() if span],
        }


def _surface(span: Any, text: str) -> str:
    if span[1] < 0:
        return str(span[3]) if len(span) > 3 else ""
    pieces = (text[start:end] for start, end in zip(span[1::2], span[2::2], strict=True))
    return " … ".join(pieces)
