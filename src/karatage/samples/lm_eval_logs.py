"""Samples of lm-evaluation-harness: a file `samples_TASK_TIME.jsonl` for each task, with the results beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from karatage.errors import FormatError
from karatage.formats import FileStart, Source
from karatage.samples.log_formats import LogFormat
from karatage.samples.score_rows import NOT_NUMBERS, ScoreRows, as_score, sample_id

_NAME = re.compile(r"samples_(?P<task>.+?)_(?P<time>\d{4}-\d{2}-\d{2}T[\d\-.:]+)\.jsonl?(?:\.gz|\.zst)?")
_OTHERS = frozenset(
    [
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "filter",
        "metrics",
        "doc_hash",
        "prompt_hash",
        "target_hash",
        "schema_version",
        "sample_len",
        "sample_id",
        "task_name",
        "input",
        "context",
    ]
)
"""Members of a sample that are not metrics, for versions that do not list the metrics."""


def _sniff(start: FileStart) -> bool:
    return start.objects_are(lambda one: "doc_id" in one and ("resps" in one or "filtered_resps" in one))


def _read(source: Source, rows: ScoreRows) -> None:
    named = _NAME.fullmatch(source.file_name)
    task = named["task"] if named else source.file_name.split(".")[0].removeprefix("samples_")
    beside = _results(source, named["time"]) if named else {}
    model = beside.get("model_name")
    system = model if isinstance(model, str) else ""
    groups = [group for group, own in _dict(beside, "group_subtasks").items() if isinstance(own, list) and task in own]
    rising = _dict(_dict(beside, "higher_is_better"), task)
    distinct: set[str] = set()
    records = list(_records(source))
    several = len({record.get("filter") for _, record in records if isinstance(record.get("filter"), str)}) > 1
    for line, record in records:
        name = sample_id(record.get("doc_id"), source.name, line=line, key="doc_id")
        filtered = record.get("filter")
        filtered = filtered if isinstance(filtered, str) and several else ""
        values: dict[str, float] = {}
        for metric in _metrics(record, source.name, line):
            number = as_score(record.get(metric))
            shown = f"{metric}/{filtered}" if filtered else metric
            if number is None:
                rows.note(system, f"{NOT_NUMBERS} ({metric:.40})")
            else:
                values[shown] = number
                if rising.get(metric) is False:
                    rows.rising[shown] = False
        doc = record.get("doc") if isinstance(record.get("doc"), dict) else {}
        assert isinstance(doc, dict)  # noqa: S101
        facts = doc | ({"group": groups[0]} if groups else {})
        rows.add(
            values,
            sample=name,
            source=source.name,
            line=line,
            system=system,
            task=task,
            attributes=facts | {"task": task},
            content=record.get("doc_hash"),
            filtered=filtered,
        )
        distinct.add(name)
    known = _dict(_dict(beside, "n-samples"), task).get("effective")
    if isinstance(known, int) and not isinstance(known, bool) and known > len(distinct):
        rows.note(system, "samples of the results that are not in the samples file", known - len(distinct))


def _records(source: Source) -> Any:
    """Yield the samples with their lines."""
    for line, text in source.lines():
        if not text.strip():
            continue
        try:
            record = json.loads(text)
        except ValueError as error:
            raise FormatError(f"invalid JSON ({error})", source=source.name, line=line, hint="Is it cut off?") from None
        if not isinstance(record, dict):
            raise FormatError("a sample must be an object", source=source.name, line=line)
        yield line, record


def _metrics(record: Mapping[str, Any], source: str, line: int) -> list[str]:
    """Return the names of a sample's metrics: those that it lists, or all numbers beside what is known."""
    listed = record.get("metrics")
    if isinstance(listed, list) and all(isinstance(name, str) for name in listed):
        lacking = [name for name in listed if name not in record]
        if lacking:
            raise FormatError(f"the metric {lacking[0]!r:.40} has no value", source=source, line=line)
        return listed
    return [name for name, value in record.items() if name not in _OTHERS and isinstance(value, bool | int | float)]


def _results(source: Source, time: str) -> Mapping[str, Any]:
    """Return the results that were written together with the samples, where they are beside them."""
    path = None if source.once or source.remote else source.path.with_name(f"results_{time}.json")
    if path is None or not path.is_file():
        return {}
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise FormatError(f"invalid JSON ({error})", source=str(path)) from None
    return found if isinstance(found, dict) else {}


def _dict(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = data.get(key)
    return found if isinstance(found, dict) else {}


LM_EVAL = LogFormat(
    name="lm-eval",
    about="Samples of lm-evaluation-harness: `samples_*.jsonl`, written with `--log_samples`.",
    suffixes=(".jsonl",),
    sniff=_sniff,
    read=_read,
    example="""\
{"doc_id": 0, "doc": {"subject": "algebra"}, "target": "1", "resps": [["1"]], "filtered_resps": ["1"], "filter": "none", "metrics": ["acc"], "doc_hash": "a1", "acc": 1.0}
{"doc_id": 1, "doc": {"subject": "history"}, "target": "3", "resps": [["2"]], "filtered_resps": ["2"], "filter": "none", "metrics": ["acc"], "doc_hash": "b2", "acc": 0.0}
""",  # noqa: E501  lines of the harness are long
)
