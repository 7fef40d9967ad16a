"""Results of promptfoo in JSON: one file has all combinations of providers and prompts, each of which is a system."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from karatage.errors import FormatError
from karatage.formats import FileStart, Source
from karatage.samples.log_formats import LogFormat
from karatage.samples.score_rows import NOT_NUMBERS, ScoreRows, as_score

_ERROR = 2
"""The `failureReason` of a test that did not get as far as its assertions."""
_PROMPT = 40


def _sniff(start: FileStart) -> bool:
    head = start.objects[0] if start.objects else {}
    inner = head.get("results")
    if "evalId" in head:
        return inner is None or isinstance(inner, dict | list)
    return isinstance(inner, dict) and "results" in inner and ("stats" in inner or "version" in inner)


def _read(source: Source, rows: ScoreRows) -> None:
    with source.open() as stream:
        try:
            data = json.load(stream)
        except ValueError as error:
            raise FormatError(f"invalid JSON ({error})", source=source.name, hint="Is it cut off?") from None
    inner = data.get("results") if isinstance(data, dict) else None
    results = inner.get("results") if isinstance(inner, dict) else inner
    if not isinstance(results, list) or not all(isinstance(one, dict) for one in results):
        raise FormatError("results.results must be a list of objects", source=source.name)
    prompts = {_prompt(one) for one in results}
    first: dict[tuple[str, str], str] = {}
    times: Counter[tuple[str, str]] = Counter()
    for place, one in enumerate(results, 1):
        system = _provider(one) + (f" · {_prompt(one)}" if len(prompts) > 1 else "")
        test = _test(one)
        # Repeats have a number of their own each, so what is tested tells which belong together.
        sample = first.setdefault(("", test), str(one.get("testIdx", place)))
        times[system, test] += 1
        if times[system, test] == 2:
            rows.note(system, "tests that occur several times, read as repeats (epochs)")
        _take(one, rows, system=system, sample=sample, epoch=str(times[system, test]), source=source, content=test)


def _take(
    one: Mapping[str, Any], rows: ScoreRows, *, system: str, sample: str, epoch: str, source: Source, content: str
) -> None:
    values: dict[str, float] = {}
    if _failed(one):
        rows.note(system, "tests with an error, not scored")
    else:
        given = {"score": one.get("score"), "pass": one.get("success")}
        named = one.get("namedScores")
        given |= {f"score/{name}": own for name, own in named.items()} if isinstance(named, dict) else {}
        for metric, value in given.items():
            number = as_score(value)
            if number is None:
                rows.note(system, NOT_NUMBERS)
            else:
                values[metric] = number
    case = _dict(one, "testCase")
    described = {"description": case["description"]} if isinstance(case.get("description"), str) else {}
    rows.add(
        values,
        sample=sample,
        source=source.name,
        system=system,
        epoch=epoch,
        attributes={**_dict(one, "vars"), **_dict(case, "metadata"), **described},
        content=content,
    )


def _failed(one: Mapping[str, Any]) -> bool:
    """Whether the provider failed; a failed assertion has a message in `error` too."""
    reason = one.get("failureReason")
    if isinstance(reason, int) and not isinstance(reason, bool):
        return reason == _ERROR
    return bool(one.get("error")) and not one.get("gradingResult")


def _provider(one: Mapping[str, Any]) -> str:
    found = one.get("provider")
    if isinstance(found, dict):
        found = found.get("label") or found.get("id")
    return found if isinstance(found, str) and found else "provider"


def _prompt(one: Mapping[str, Any]) -> str:
    prompt = one.get("prompt")
    label = (prompt.get("label") or prompt.get("raw")) if isinstance(prompt, dict) else prompt
    text = " ".join(label.split()) if isinstance(label, str) else ""
    number = one.get("promptIdx")
    short = text if len(text) <= _PROMPT else f"{text[: _PROMPT - 1]}… ({str(one.get('promptId') or number)[:8]})"
    return short or f"prompt {number}"


def _test(one: Mapping[str, Any]) -> str:
    """Return what a test is: its variables, and what it asserts."""
    case = _dict(one, "testCase")
    variables = _dict(one, "vars") or _dict(case, "vars")
    return json.dumps([variables, case.get("assert"), case.get("description")], sort_keys=True)


def _dict(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = data.get(key)
    return found if isinstance(found, dict) else {}


PROMPTFOO = LogFormat(
    name="promptfoo",
    about="Results of promptfoo in JSON, with a system for each provider and prompt.",
    suffixes=(".json",),
    sniff=_sniff,
    read=_read,
    example="""\
{"evalId": "eval-1", "results": {"version": 3, "results": [
  {"promptIdx": 0, "testIdx": 0, "provider": {"id": "small"}, "prompt": {"raw": "Add {{sum}}", "label": "add"},
   "vars": {"sum": "1 + 1"}, "success": true, "score": 1, "failureReason": 0, "namedScores": {}},
  {"promptIdx": 1, "testIdx": 0, "provider": {"id": "large"}, "prompt": {"raw": "Add {{sum}}", "label": "add"},
   "vars": {"sum": "1 + 1"}, "success": false, "score": 0.5, "failureReason": 1, "namedScores": {}}]}}
""",
)
