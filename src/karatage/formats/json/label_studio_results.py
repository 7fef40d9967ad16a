"""What annotators left in a task of Label Studio: spans by the type of their result, choices, and the rest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from karatage.formats.json.json_members import JsonObject

Offsets = tuple[int, int]


def spans_of(
    results: Iterable[JsonObject], text: str, notes: Counter[str]
) -> Iterator[tuple[JsonObject, str, Offsets]]:
    """Yield the spans among results: the result, a label of it, and its offsets in characters."""
    for item in results:
        locate = _SPANS.get(kind_of(item))
        if locate is None:
            continue
        value = item.object("value")
        place = locate(value, text, notes)
        labels = choices_of(item, kind_of(item))
        if "" in labels:
            value.fail(f"{value.path}.{kind_of(item)} contains an empty label")
        if not labels:
            notes["spans without a label, left out"] += 1
        yield from ((item, label, place) for label in labels)


def count_others(results: Iterable[JsonObject], notes: Counter[str]) -> None:
    """Count the results that are neither spans nor choices: relations, ratings, written answers."""
    for item in results:
        kind = kind_of(item)
        if kind not in _SPANS and kind != "choices":
            notes[f"results of type {kind!r:.40}, left out"] += 1


def kind_of(item: JsonObject) -> str:
    """Return the type of a result."""
    kind = item.members.get("type")
    return kind if isinstance(kind, str) else "unknown"


def choices_of(item: JsonObject, key: str) -> list[str]:
    """Return the labels or the choices of a result."""
    value = item.object("value")
    return value.texts(key) if value.members.get(key) is not None else []


def all_choices(results: Iterable[JsonObject]) -> list[str]:
    """Return the choices among results."""
    return [one for item in results if kind_of(item) == "choices" for one in choices_of(item, "choices")]


def text_key(data: JsonObject, results: Iterable[JsonObject]) -> str:
    """Find the member of a task's data that the spans lie in."""
    given = (item.members.get("to_name") for item in results if kind_of(item) in _SPANS)
    named = list(dict.fromkeys(name for name in given if isinstance(name, str)))
    if len(named) > 1:
        data.fail(f"the spans lie in several texts: {', '.join(named)[:60]}", "Label one text per task")
    for key in (*named, "text"):
        if isinstance(data.members.get(key), str):
            return key
    texts = [key for key, value in data.members.items() if isinstance(value, str)]
    if "text" not in data.members and len(texts) == 1:
        return texts[0]
    return "text"


def _plain_span(value: JsonObject, text: str, notes: Counter[str]) -> Offsets:
    """Return a span in characters, as Label Studio counts them: code points.

    Older versions and other tools count in UTF-16, where an emoji is two: the quoted text tells which count it is.
    """
    start, end = value.offset("start"), value.offset("end")
    quoted = value.optional_text("text")
    if quoted is None or end > 2 * len(text):
        return start, end
    fits = _plain(text[start:end]) == _plain(quoted)
    if fits and text.isascii():
        return start, end
    wide = text.encode("utf-16-le", "surrogatepass")
    before, inside = (wide[2 * a : 2 * b].decode("utf-16-le", "replace") for a, b in ((0, start), (start, end)))
    other = len(before), len(before) + len(inside)
    if not fits and _plain(inside) != _plain(quoted):
        value.fail(
            f"the text at {start}–{end} is {text[start:end]!r:.50}, but the annotation says {quoted!r:.50}",
            "Was the text changed after annotation? Offsets must count characters",
        )
    if fits and other != (start, end) and _plain(inside) == _plain(quoted):
        notes["spans that fit the text in code points and in UTF-16, read as code points"] += 1
    return (start, end) if fits else other


def _hypertext_span(value: JsonObject, text: str, notes: Counter[str]) -> Offsets:  # noqa: ARG001  as for all types
    """Return a span in characters. Offsets count what a browser shows, which is the text only if it has no markup."""
    places = value.object("globalOffsets")
    start, end = places.offset("start"), places.offset("end")
    if "<" in text or "&" in text:
        value.fail(
            f"the span {start}–{end} of type 'hypertextlabels' counts the displayed text, not its markup",
            "Label plain text, with <Text> and <Labels> in the labelling configuration",
        )
    shown = [at for at, sign in enumerate(text) if sign != "\r" or text[at + 1 : at + 2] != "\n"]
    if not start < end <= len(shown):
        value.fail(f"the span {start}–{end} is outside its text of {len(shown)} characters")
    found = shown[start], shown[end - 1] + 1
    quoted = value.optional_text("text")
    if quoted is not None and _plain(text[slice(*found)]) != _plain(quoted):
        value.fail(f"the text at {start}–{end} is {text[slice(*found)]!r:.50}, but the annotation says {quoted!r:.50}")
    return found


def _plain(text: str) -> str:
    """Drop blanks and line breaks, which Label Studio quotes in several ways."""
    return re.sub(r"\s|\\n", "", text)


_SPANS = {"labels": _plain_span, "hypertextlabels": _hypertext_span}
"""The types of results that are spans of a text."""
