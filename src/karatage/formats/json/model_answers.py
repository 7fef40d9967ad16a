"""What language models answer: JSON in a string, perhaps in a code fence, perhaps broken."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from karatage.formats.json.json_members import JsonObject
from karatage.formats.json.json_records import parse_json
from karatage.formats.json.json_sample import sample

ANSWERS = ("output", "response", "completion", "answer", "prediction", "generated_text")
"""Where a record may have the answer of a model, if it has no entities of its own."""

FENCED = "answers in code fences, which were removed"
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
        fields.fail(f"{key} is not valid JSON ({error}): {text.strip()[:40]!r}")
    if blocks:
        notes[FENCED] += 1
    if isinstance(found, dict) and found.keys() <= _REFUSALS:
        fields.fail(f"{key} has no entities, but {text.strip()[:60]!r}")
    return found


def looks_like_json(answer: Any) -> bool:
    """Whether an answer seems to be JSON, parsed or not."""
    if isinstance(answer, str):
        return answer.lstrip().startswith(("{", "[")) or bool(_FENCE.search(answer))
    return isinstance(answer, list | dict)


def id_in_broken(line: str) -> Any:
    """Return the members of a line of JSON that is cut off or broken, as far as they can be read."""
    found = sample(line)
    return found[0] if found else {}
