"""Claims as plain lists."""

from __future__ import annotations

from karatage.claims import Claims


def spans(claims: Claims) -> list[list[tuple[int, int, str]]]:
    """Return start, end and label of the claims of each unit."""
    out: list[list[tuple[int, int, str]]] = [[] for _ in range(len(claims.units))]
    for unit, label, start, end, _, _ in claims.rows():
        out[unit].append((start, end, label))
    return out


def found(claims: Claims) -> list[list[tuple[str, str]]]:
    """Return the text and the label of the claims of each unit."""
    assert claims.space == "char"
    assert claims.units.texts is not None
    return [
        [(text[start:end], label) for start, end, label in own]
        for text, own in zip(claims.units.texts, spans(claims), strict=True)
    ]
