"""What language models answer: JSON in a string, perhaps in a code fence or among words, perhaps broken."""

from __future__ import annotations

import re
from collections import Counter
from json import JSONDecoder
from typing import Any

from karatage.formats.json.json_members import JsonObject
from karatage.formats.json.json_records import parse_json
from karatage.formats.json.json_sample import sample

ANSWERS = ("output", "response", "completion", "answer", "prediction", "generated_text")
"""Where a record may have the answer of a model, if it has no entities of its own."""

FENCED = "answers in code fences, which were removed"
AMONG_WORDS = "answers with words around their JSON, which were removed"
UNREAD = "keys beside entities that were not read"
INVALID_ENTITIES = "invalid entities of answers, left out"
INVALID = "invalid answers, counted as texts without entities"

_REFUSALS = frozenset({"error", "errors", "message", "refusal", "reason", "status"})
"""Keys of an answer that says why there are no entities; they are not types."""

_FENCE = re.compile(r"```[ \t]*[\w+-]*[ \t]*\n?(.*?)```", re.DOTALL)


def answer_key(fields: JsonObject) -> str | None:
    """Return the member that has the answer of a model; two of them are an error."""
    found = [key for key in ANSWERS if key in fields.members]
    if len(found) > 1:
        fields.fail(f'both "{found[0]}" and "{found[1]}" found', "Keep the one with the entities, or name it entities")
    return found[0] if found else None


def parsed_answer(fields: JsonObject, key: str, notes: Counter[str]) -> Any:
    """Return the JSON of an answer; a string is parsed, without the one code fence that it may have."""
    answer = fields.members[key]
    if not isinstance(answer, str):
        return answer
    blocks = _FENCE.findall(answer)
    if len(blocks) > 1:
        fields.fail(f"{key} has {len(blocks)} code fences", "Expected one")
    text = blocks[0] if blocks else answer
    try:
        found = parse_json(text)
    except ValueError as error:
        inner = [] if blocks else _answers_in(answer)
        if len(inner) > 1:
            fields.fail(f"{key} has {len(inner)} JSON values among its words", "Expected one")
        if not inner:
            fields.fail(f"{key} is not valid JSON ({error}): {text.strip()[:40]!r}")
        notes[AMONG_WORDS] += 1
        found = inner[0]
    if blocks:
        notes[FENCED] += 1
    if isinstance(found, dict) and found and found.keys() <= _REFUSALS:
        fields.fail(f"{key} has no entities, but {text.strip()[:60]!r}")
    return found


_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_MOST = 50
"""How many brackets are tried in an answer of many words."""


def _answers_in(answer: str) -> list[Any]:
    """Return the JSON objects and arrays among the words of an answer, its thoughts apart, that may be entities."""
    text = _THOUGHTS.sub("", answer)
    decoder = JSONDecoder()
    found: list[Any] = []
    at = 0
    for _ in range(_MOST):
        start = next((k for k in range(at, len(text)) if text[k] in "{["), None)
        if start is None:
            break
        try:
            value, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
            continue
        if _may_be_entities(value):
            found.append(value)
    return found


def _may_be_entities(value: Any) -> bool:
    """Whether a value may hold entities: a list of numbers, as of sources, does not."""
    if isinstance(value, list):
        return all(isinstance(one, dict | list) for one in value)
    if not isinstance(value, dict) or "entities" in value:
        return isinstance(value, dict)
    return all(one is None or isinstance(one, str | list | dict) for one in value.values())


def looks_like_json(answer: Any) -> bool:
    """Whether an answer seems to be JSON, parsed or not."""
    if isinstance(answer, str):
        starts = answer.lstrip().startswith(("{", "["))
        return starts or bool(_FENCE.search(answer)) or bool(_answers_in(answer))
    return isinstance(answer, list | dict)


def count_unread(answer: dict[str, Any], notes: Counter[str]) -> None:
    """Count the members beside `entities` that look like types with their values."""
    for key, value in answer.items():
        values = value if isinstance(value, list) else []
        if key != "entities" and values and all(isinstance(one, str | dict) for one in values):
            notes[f"{UNREAD} ({key!r:.40})"] += 1


def id_in_broken(line: str) -> Any:
    """Return the members of a line of JSON that is cut off or broken, as far as they can be read."""
    found = sample(line)
    return found[0] if found else {}
