"""Logs of Inspect AI: `.eval` files, which are zip files, and logs in JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from karatage.errors import FormatError
from karatage.formats import FileStart, Source
from karatage.samples.log_formats import LogFormat
from karatage.samples.score_rows import NOT_NUMBERS, ScoreRows, as_score, sample_id
from karatage.samples.zip_members import ZipMembers, open_zip

_WORDS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""What Inspect's scorers write for correct, incorrect, partially correct and no answer."""
_TRUTHS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_NUMBER = re.compile(r"[0-9]+")


def _sniff(start: FileStart) -> bool:
    if start.data.startswith(b"PK\x03\x04"):
        return start.suffixes.endswith(".eval") or b"_journal/start.json" in start.data[:200]
    head = start.objects[0] if start.objects else {}
    return "eval" in head and "version" in head and ("status" in head or "plan" in head)


def _read(source: Source, rows: ScoreRows) -> None:
    if not source.once:
        with source.open_raw() as stream:
            packed = stream.read(4) == b"PK\x03\x04"
        if packed:
            with open_zip(source) as members:
                header = dict(_header(members, source))
                if "reductions.json" in members.names:
                    header["reductions"] = members.json("reductions.json")
                _take(header, list(_summaries(members)), source, rows)
            return
    with source.open() as text:
        try:
            log = json.load(text)
        except ValueError as error:
            raise FormatError(f"invalid JSON ({error})", source=source.name, hint="Is it cut off?") from None
    if not isinstance(log, dict):
        raise FormatError("an Inspect log must be an object", source=source.name)
    _take(log, _listed(log.get("samples")), source, rows)


def _header(members: ZipMembers, source: Source) -> Mapping[str, Any]:
    name = "header.json" if "header.json" in members.names else "_journal/start.json"
    if name not in members.names:
        raise FormatError("the zip file has no header.json, so it is not an Inspect log", source=source.name)
    found = members.json(name)
    return found if isinstance(found, dict) else {}


def _summaries(members: ZipMembers) -> Iterator[Any]:
    """Yield what is known of each sample: from the summary of all, or, if a log is unfinished, from its parts."""
    if "summaries.json" in members.names:
        yield from _listed(members.json("summaries.json"))
        return
    for folder in ("_journal/summaries/", "samples/"):
        names = sorted((name for name in members.names if name.startswith(folder)), key=_natural)
        for name in names:
            found = members.json(name)
            yield from found if isinstance(found, list) else [found]
        if names:
            return


def _natural(name: str) -> list[int]:
    return [int(part) for part in _NUMBER.findall(name)[:4] if len(part) < 10]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _take(log: Mapping[str, Any], samples: Iterable[Any], source: Source, rows: ScoreRows) -> None:
    """Take the scores of all samples."""
    about = log.get("eval") if isinstance(log.get("eval"), dict) else {}
    assert isinstance(about, dict)  # noqa: S101  for the type checker
    system, task = (name if isinstance(name, str) else "" for name in (about.get("model"), about.get("task")))
    status = log.get("status")
    if isinstance(status, str) and status != "success":
        rows.note(system, f"logs with the status {status:.20}, which may lack samples")
    if log.get("invalidated") is True:
        rows.note(system, "logs that were marked as invalid")
    count, reduced = 0, _reduced(log, about, source, system, rows)
    for sample in samples:
        if not isinstance(sample, dict):
            raise FormatError(f"a sample must be an object, got {sample!r:.40}", source=source.name)
        _take_sample(sample, system, task, source, rows, reduced)
        count += 1
    results = log.get("results") if isinstance(log.get("results"), dict) else {}
    assert isinstance(results, dict)  # noqa: S101
    started = results.get("total_samples")
    if isinstance(started, int) and not isinstance(started, bool) and started > count:
        rows.note(system, "samples that were started but are not in the log", started - count)
    with suppress(KeyError, TypeError):
        named = results["headline"]
        scorer, score = named["scorer"], named["score"]
        shown = str(score) if scorer == score else f"{scorer}/{score}"
        rows.of(system).headline = f"{shown}/{named['reducer']}" if len(_reducers(about)) > 1 else shown


def _reducers(about: Mapping[str, Any]) -> list[str]:
    """Return how Inspect makes one score of those of several epochs, where that is not their mean."""
    config = about.get("config")
    found = _listed(config.get("epochs_reducer")) if isinstance(config, dict) else []
    names = [name for name in found if isinstance(name, str)]
    return [] if names == ["mean"] else names


def _reduced(
    log: Mapping[str, Any], about: Mapping[str, Any], source: Source, system: str, rows: ScoreRows
) -> dict[str, dict[str, float]] | None:
    """Return the scores of each sample over all epochs, as Inspect reduced them; None where they are plain means."""
    reducers = _reducers(about)
    if not reducers:
        return None
    out: dict[str, dict[str, float]] = {}
    for reduction in _listed(log.get("reductions")):
        for sample in _listed(reduction.get("samples") if isinstance(reduction, dict) else None):
            if isinstance(sample, dict):
                own = out.setdefault(sample_id(sample.get("sample_id"), source.name, key="sample_id"), {})
                last = f"/{reduction.get('reducer')}" if len(reducers) > 1 else ""
                values = _values({str(reduction.get("scorer")): sample.get("value")}, system, rows)
                own |= {f"{metric}{last}": value for metric, value in values.items()}
    if out:
        rows.note(system, f"samples whose epochs are reduced by {', '.join(reducers)}, as in Inspect", len(out))
        return out
    rows.note(system, f"logs without the scores reduced by {', '.join(reducers)}, so that means over epochs are used")
    return None


def _values(scores: Any, system: str, rows: ScoreRows) -> dict[str, float]:
    """Return the scores of a sample as numbers, by scorer and part."""
    values: dict[str, float] = {}
    for scorer, score in scores.items() if isinstance(scores, dict) else ():
        value = score.get("value") if isinstance(score, dict) and "value" in score else score
        parts = {f"{scorer}/{key}": own for key, own in value.items()} if isinstance(value, dict) else {scorer: value}
        for metric, own in parts.items():
            number = _as_float(own)
            if number is None:
                rows.note(system, NOT_NUMBERS)
            else:
                values[metric] = number
            if own == "N":
                rows.note(system, "answers marked N (no answer), scored 0 as in Inspect")
    return values


def _take_sample(
    sample: Mapping[str, Any],
    system: str,
    task: str,
    source: Source,
    rows: ScoreRows,
    reduced: dict[str, dict[str, float]] | None,
) -> None:
    name = sample_id(sample.get("id"), source.name)
    values = _values(sample.get("scores"), system, rows)
    if not values:
        why = "with an error" if sample.get("error") else "without a score"
        rows.note(system, f"samples {why}, not scored")
    limit = sample.get("limit")
    if limit:
        kind = limit.get("type") if isinstance(limit, dict) else limit
        rows.note(system, f"samples that hit a limit ({kind!s:.20}), {'scored as logged' if values else 'not scored'}")
    metadata = sample.get("metadata")
    epoch = sample_id(sample.get("epoch", 1), source.name, key="epoch")
    if reduced is not None:
        if name not in reduced:  # it has been taken with its first epoch, or has no score
            return
        values, epoch = reduced.pop(name), "1"
    rows.add(
        values,
        sample=name,
        source=source.name,
        system=system,
        task=task,
        epoch=epoch,
        attributes=metadata if isinstance(metadata, dict) else {},
        content=_content(sample),
    )


def _content(sample: Mapping[str, Any]) -> str | None:
    """Return the question and the expected answer; a summary has only the start of long ones, so that is compared."""
    given, target = sample.get("input"), sample.get("target")
    if not isinstance(given, str):
        return None  # messages have ids that differ between logs
    shown = target if isinstance(target, str) else json.dumps(target)
    return f"{given[:_START]}\n{shown[:_START]}"


_START = 900


def _as_float(value: Any) -> float | None:
    """Return what Inspect's `value_to_float` does, but None where that warns and counts 0."""
    if isinstance(value, str):
        if value in _WORDS:
            return _WORDS[value]
        return _TRUTHS.get(value.lower(), as_score(value))
    return as_score(value)


INSPECT = LogFormat(
    name="inspect",
    about="Logs of Inspect AI: `.eval` files, or logs in JSON.",
    suffixes=(".eval", ".json"),
    sniff=_sniff,
    read=_read,
    example="""\
{"version": 2, "status": "success", "eval": {"task": "arithmetic", "model": "mockllm/model"},
 "samples": [
  {"id": 1, "epoch": 1, "input": "1 + 1", "target": "2", "metadata": {"topic": "sums"},
   "scores": {"match": {"value": "C"}}},
  {"id": 2, "epoch": 1, "input": "2 * 3", "target": "6", "metadata": {"topic": "products"},
   "scores": {"match": {"value": "I"}}}]}
""",
)
