"""Damaged logs: whatever comes in, only Karatage's own errors come out."""

from __future__ import annotations

import gzip
import json
import random
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.test_references import mutated
from tests.formats.test_fuzz import ODD_VALUES
from tests.parts import parts
from tests.samples.log_files import (
    inspect_eval,
    inspect_json,
    inspect_sample,
    lm_eval,
    promptfoo,
    promptfoo_result,
    table,
    zstd_zip,
)

import karatage
from karatage.errors import KaratageError

FILES = 50
"""Files of a turn: 4 turns make 200, 40 turns 2,000."""


FORMATS = {
    "inspect.eval": "inspect",
    "deflated.eval": "inspect",
    "zstd.eval": "inspect",
    "inspect.json": "inspect",
    "lm.jsonl": "lm-eval",
    "promptfoo.json": "promptfoo",
    "scores.csv": "scores",
    "scores.jsonl": "scores",
}


def seeds(folder: Path) -> dict[str, bytes]:
    """Return a good log of each kind."""
    samples = [
        inspect_sample(k, {"match": "C", "rubric": {"a": 0.5, "b": 1}}, epoch=e, metadata={"topic": "t"})
        for k in (1, 2, 3)
        for e in (1, 2)
    ]
    rows = [promptfoo_result(name, k, 0.5) for name in ("a", "b") for k in range(3)]
    results = {"model_name": "m", "n-samples": {"t": {"effective": 3}}, "higher_is_better": {"t": {"acc": True}}}
    made = {
        "inspect.eval": inspect_eval(folder / "a.eval", samples, packed=zipfile.ZIP_STORED),
        "deflated.eval": inspect_eval(folder / "b.eval", samples),
        "zstd.eval": inspect_eval(folder / "c.eval", samples, packed=93),
        "inspect.json": inspect_json(folder / "a.json", samples, results={"total_samples": 6}),
        "lm.jsonl": lm_eval(folder / "lm", "t", [{"acc": k % 2, "doc": {"subject": "s"}} for k in range(3)], results),
        "promptfoo.json": promptfoo(folder / "p.json", rows),
        "scores.csv": table(folder / "s.csv", "id,score,epoch,topic\n1,1,1,a\n2,0.5,1,b\n3,0,1,a\n"),
        "scores.jsonl": table(folder / "s.jsonl", '{"id": 1, "score": 1}\n{"id": 2, "score": null}\n'),
    }
    return {name: path.read_bytes() for name, path in made.items()}


def swapped(value: Any, rng: random.Random) -> Any:
    """Return a JSON value with one part of it replaced, lost or repeated."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(list(value))
        if rng.random() < 0.15:
            return {k: v for k, v in value.items() if k != key}
        return value | {key: swapped(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.85:
        at = rng.randrange(len(value))
        if rng.random() < 0.15:
            return [*value, value[at]]
        return [*value[:at], swapped(value[at], rng), *value[at + 1 :]]
    return rng.choice([*ODD_VALUES, "C", "I", float("nan"), float("inf"), 0.5])


def damaged(name: str, data: bytes, rng: random.Random, folder: Path) -> bytes:
    """Return a broken version of a log: of its bytes, or of the values in it."""
    kind = rng.random()
    if kind < 0.05:
        return gzip.compress(data)[: rng.randrange(20, len(data))]
    if kind < 0.45 or name.endswith(".csv"):
        return rng.choice(list(mutated(data, rng)))
    if name.endswith(".json"):
        return json.dumps(swapped(json.loads(data), rng)).encode()
    if name.endswith(".jsonl"):
        return "\n".join(json.dumps(swapped(json.loads(line), rng)) for line in data.decode().splitlines()).encode()
    with zipfile.ZipFile(folder / "a.eval") as members:
        values = {one: json.loads(members.read(one)) for one in members.namelist()}
    chosen = rng.choice(list(values))
    values[chosen] = swapped(values[chosen], rng)
    if rng.random() < 0.1:
        del values[chosen]
    packed = {one: json.dumps(value).encode() for one, value in values.items()}
    return zstd_zip(packed)


@pytest.mark.parametrize("turn", parts(40, 4))
def test_a_damaged_log_is_read_or_refused(turn: int, tmp_path: Path) -> None:
    """Scored alone, by its detected format and by its own, and beside the good log."""
    rng = random.Random(turn)
    good = seeds(tmp_path)
    names, refused = list(good), 0
    for number in range(FILES):
        name = names[(turn * FILES + number) % len(names)]
        path, whole, form = tmp_path / name, tmp_path / f"good-{name}", FORMATS[name]
        path.write_bytes(damaged(name, good[name], rng, tmp_path))
        whole.write_bytes(good[name])
        karatage.score(whole, format=form, **({"system": "a"} if form == "promptfoo" else {}))
        for options in ({}, {"format": form}):
            with suppress(KaratageError):
                karatage.score(path, resamples=rng.choice([0, 1000]), **options)
        missing = rng.choice(["error", "ignore", "empty"])
        try:
            karatage.compare(None, {"good": whole, "bad": path}, format=form, missing=missing)
        except KaratageError:
            refused += 1
    assert 0 < refused < FILES
