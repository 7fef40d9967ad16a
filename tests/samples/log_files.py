"""Small logs for tests, in the shape that each harness documents."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import zstandard

Scores = Mapping[str, Any]


def inspect_sample(name: int | str, scores: Scores | None, epoch: int = 1, **more: Any) -> dict[str, Any]:
    given = None if scores is None else {scorer: {"value": value} for scorer, value in scores.items()}
    return (
        {"id": name, "epoch": epoch, "input": f"Question {name}", "target": "yes", "metadata": {}}
        | more
        | {"scores": given}
    )


def inspect_header(**more: Any) -> dict[str, Any]:
    return {"version": 2, "status": "success", "eval": {"task": "quiz", "model": "mockllm/model"}} | more


def inspect_json(path: Path, samples: Sequence[Mapping[str, Any]], **more: Any) -> Path:
    path.write_text(json.dumps(inspect_header(**more) | {"samples": samples}), "utf-8")
    return path


def inspect_eval(
    path: Path, samples: Sequence[Mapping[str, Any]], *, packed: int = zipfile.ZIP_DEFLATED, **more: Any
) -> Path:
    """Write an `.eval` file, with the summaries that Inspect writes at the end."""
    members = {
        "_journal/start.json": inspect_header(**more),
        "summaries.json": list(samples),
        "header.json": inspect_header(**more),
    }
    if packed == 93:
        path.write_bytes(zstd_zip({name: json.dumps(value).encode() for name, value in members.items()}))
        return path
    with zipfile.ZipFile(path, "w", packed) as out:
        for name, value in members.items():
            out.writestr(name, json.dumps(value))
    return path


def zstd_zip(members: Mapping[str, bytes]) -> bytes:
    """Return a zip file whose members are compressed by Zstandard (method 93), as newer versions of Inspect write."""
    out, directory = b"", b""
    for name, data in members.items():
        packed, title = zstandard.compress(data), name.encode()
        common = struct.pack("<HHHHHIIIHH", 20, 0, 93, 0, 33, zlib.crc32(data), len(packed), len(data), len(title), 0)
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, len(out))
        directory += title
        out += b"PK\x03\x04" + common + title + packed
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(out), 0)
    return out + directory + b"PK\x05\x06" + end


def lm_eval(
    folder: Path, task: str, rows: Sequence[Mapping[str, Any]], results: Mapping[str, Any] | None = None
) -> Path:
    """Write the samples of a task, and the results beside them."""
    folder.mkdir(exist_ok=True)
    time = "2026-01-02T03-04-05.678901"
    path = folder / f"samples_{task}_{time}.jsonl"
    lines = []
    for k, row in enumerate(rows):
        own = {"doc_id": k, "doc": {}, "target": "1", "arguments": {}, "resps": [["1"]], "filtered_resps": ["1"]}
        own |= {"filter": "none", "doc_hash": f"hash {own['doc_id']}"} | dict(row)
        metrics = [name for name in row if name in ("acc", "acc_norm", "exact_match", "perplexity", "bleu")]
        lines.append(json.dumps(own | {"metrics": metrics}) + "\n")
    path.write_text("".join(lines), "utf-8")
    if results is not None:
        (folder / f"results_{time}.json").write_text(json.dumps(results), "utf-8")
    return path


def promptfoo(path: Path, results: Sequence[Mapping[str, Any]]) -> Path:
    inner = {"version": 3, "prompts": [], "results": results, "stats": {}}
    path.write_text(json.dumps({"evalId": "eval-1", "results": inner, "config": {}}), "utf-8")
    return path


def promptfoo_result(provider: str, test: int, score: float, **more: Any) -> dict[str, Any]:
    return {
        "promptIdx": 0,
        "testIdx": test,
        "testCase": {"vars": {"question": f"q{test}"}, "assert": [{"type": "equals", "value": "yes"}]},
        "provider": {"id": provider, "label": ""},
        "prompt": {"raw": "Answer {{question}}", "label": "Answer {{question}}"},
        "vars": {"question": f"q{test}"},
        "success": score == 1,
        "score": score,
        "namedScores": {},
        "failureReason": 0 if score == 1 else 1,
    } | more


def table(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path
