"""What differs between two experiments: settings, scores, and whether the difference is real."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karatage.claims import Batch, Relevance, Style, TagDecoder, Tagged, scheme
from karatage.comparison import compare
from karatage.errors import InputError, TagError, UsageError
from karatage.experiments.experiment_records import Record, jsonable
from karatage.experiments.log import ExperimentLog, shown_names
from karatage.experiments.stored_inputs import Side, as_read, fingerprint, joined, load, with_texts
from karatage.formats import Lost, to_tokens
from karatage.inputs import Runs
from karatage.profiles import get_profile
from karatage.scoring import open_run

if TYPE_CHECKING:
    from karatage.comparison import Comparison
    from karatage.scoring import Progress

_RESAMPLING = {name: name for name in ("level", "seed", "cluster_by", "stratify_by")} | {"method": "interval"}
"""The names of options among the intervals of a result, and as `karatage.compare` takes them."""


@dataclass(frozen=True)
class Change:
    """A setting that differs: its value in each experiment, None where one does not have it."""

    name: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Contrast:
    """Two experiments side by side, or the runs of two systems.

    Attributes:
        sides: the experiments of either side; several of them are runs of one system.
        names: what the two sides are called.
        changes: the settings in which any two of the experiments differ.
        test: the paired comparison; None where there is none.
        why: why there is none.
        remarks: what a reader of the comparison should know.
    """

    sides: tuple[tuple[Record, ...], tuple[Record, ...]]
    names: tuple[str, str]
    changes: tuple[Change, ...]
    test: Comparison | None
    why: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def records(self) -> dict[str, Record]:
        """The experiments of both sides, by what they are called."""
        everything = [record for side in self.sides for record in side]
        names = shown_names(record.name for record in everything)
        return {names[record.name]: record for record in everything}

    @property
    def metrics(self) -> list[str]:
        """The metrics that any of them reports, that of the headline first."""
        found = list(self.records.values())
        names = dict.fromkeys([found[0].headline, *(name for record in found for name in record.metrics)])
        return [name for name in names if name]

    @property
    def verdict(self) -> str:
        """Say in words whether the difference is real."""
        if self.test is None:
            return f"no test: {self.why}"
        contest = self.test.headline
        found = contest.differences[0]
        if found.value is None:
            return f"no test: {contest.metric} is undefined"
        if not found.units:
            return "they have the same counts on every unit"
        by = f"{abs(found.value):.4f} in {contest.metric}"
        p = "" if found.p is None else f" (p = {found.p:.4f})" if found.p >= 0.00005 else " (p < 0.0001)"
        if found.significant:
            return f"the difference is real: {found.one} is better than {found.other} by {by}{p}"
        return f"the difference may be chance: {found.one} is ahead of {found.other} by {by}{p}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, in the shape that `--json` prints."""
        records = self.records
        scores = {name: record.scores.get("metrics", {}) for name, record in records.items()}
        return {
            "one": self.names[0],
            "other": self.names[1],
            "changes": {one.name: jsonable(dict(zip(records, one.values, strict=True))) for one in self.changes},
            "scores": {metric: {name: own.get(metric) for name, own in scores.items()} for metric in self.metrics},
            "verdict": self.verdict,
            "test": None if self.test is None else self.test.to_dict(),
            "remarks": list(self.remarks),
        }

    def to_json(self) -> str:
        """Return everything as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)


def changes(*records: Record) -> tuple[Change, ...]:
    """Return the settings that differ: the model, its configuration, data, split, profile and version."""
    settings = [_settings(record) for record in records]
    nothing: tuple[Any, Any] = (None, None)
    out = []
    for name in dict.fromkeys(name for own in settings for name in own):
        found = [own.get(name, nothing) for own in settings]
        if any(identity != found[0][0] for identity, _ in found):
            out.append(Change(name, tuple(shown for _, shown in found)))
    return tuple(out)


def _settings(record: Record) -> dict[str, tuple[Any, Any]]:
    """Return what tells each setting from another value of it, and how it is shown."""
    out: dict[str, tuple[Any, Any]] = {}
    plain = {"model": record.model, **record.config, "split": record.split}
    plain |= {"profile": _profile(record), "karatage": record.code.version}
    for name, value in plain.items():
        if value != "":
            # True is 1 to Python, but not to a reader.
            out[name] = ((type(value) is bool, value), value)
    for one in record.data:
        if one.role != "predictions":  # which always differ
            shown = f"{one.path} ({one.sha256[:8]})" if one.sha256 else one.path
            out[f"{one.role} data"] = (one.sha256 or one.path, shown)
    return out


def _profile(record: Record) -> str:
    options = record.scores.get("options") or {}
    changed = ", ".join(f"{name}={value}" for name, value in options.items())
    return str(record.scores.get("profile", "")) + (f" with {changed}" if changed else "")


def contrast(
    log: ExperimentLog,
    one: str | Sequence[str],
    other: str | Sequence[str],
    *,
    gold: str | Path | None = None,
    resamples: int = 10_000,
    by_label: bool = True,
    progress: Progress | None = None,
) -> Contrast:
    """Compare two experiments of a log.

    Args:
        log: the log.
        one: an experiment, or several runs of one system, that were trained with different seeds.
        other: another one, or several runs of another system.
        gold: gold's file, where the log has only its fingerprint; units that were not scored may be in it too.
        resamples: how many resamples, and how many rounds of random swaps.
        by_label: whether to compare on each label too.
        progress: called with the number of units done so far.
    """
    found = _records(log, one), _records(log, other)
    everything = [record for side in found for record in side]
    if not all(found) or len({record.name for record in everything}) < len(everything):
        raise UsageError("a comparison needs two experiments, each of them once")
    shown = shown_names(record.name for record in everything)
    called = tuple(" ".join(shown[record.name] for record in side) for side in found)
    why, test, remarks = _why_not(everything), None, list[str]()
    if not why:
        if len({_profile(record) for record in everything}) > 1:
            remarks.append(f"they were scored by different profiles; the test is by that of {everything[0].id}")
        ours = _gold_side(log, everything, gold)
        if ours is None:
            why = "the log has only a fingerprint of gold: name its file with --gold FILE"
        else:
            systems = dict(zip(called, (_predicted(log, side, ours) for side in found), strict=True))
            test = compare(
                ours,
                systems,
                like=log.like(everything[0]),
                resamples=resamples,
                by_label=by_label,
                progress=progress,
                **_options(everything[0]),
            )
    if test is not None:
        remarks += _cautions(found, shown)
    return Contrast(found, (called[0], called[1]), changes(*everything), test, why, tuple(remarks))


def _cautions(sides: Sequence[Sequence[Record]], shown: Mapping[str, str]) -> Iterator[str]:
    """Say what the test does not know: what was chosen on the data that is scored, and that seeds matter."""
    for record in (record for side in sides for record in side):
        tuned = bool(record.config.get("threshold"))
        chosen = ["its epoch"] * (record.best_epoch is not None) + ["its threshold"] * tuned
        if record.kind == "train" and chosen and not any(one.role == "test" for one in record.data):
            yield f"{shown[record.name]} chose {' and '.join(chosen)} on the units that are compared, which favours it"
    alone = [shown[side[0].name] for side in sides if len(side) == 1 and "seed" in side[0].config]
    if alone:
        yield (
            f"one run stands for {' and for '.join(alone)}: with another seed it may differ by more; to compare "
            "several runs, join them with commas"
        )


def _records(log: ExperimentLog, names: str | Sequence[str]) -> tuple[Record, ...]:
    return tuple(log.get(name) for name in ([names] if isinstance(names, str) else names))


def _options(record: Record) -> dict[str, Any]:
    """Return the options that a record was scored with."""
    resampling = record.scores.get("intervals", {})
    own = record.kept.options if record.kept is not None else {}
    return {option: resampling[name] for name, option in _RESAMPLING.items() if name in resampling} | dict(own)


def _why_not(records: Sequence[Record]) -> str:
    lacking = [record.id for record in records if record.kept is None]
    if lacking:
        return f"the predictions of {', '.join(lacking)} were not kept"
    prints = {record.kept.gold: record.id for record in reversed(records) if record.kept}
    if len(prints) > 1:
        known = ", ".join(f"{name} on {one[:8]}" for one, name in reversed(prints.items()))
        return f"they were not scored on the same gold ({known})"
    return ""


def _gold_side(log: ExperimentLog, records: Sequence[Record], given: str | Path | None) -> Batch | str | None:
    """Return the gold of records that have the same; None where it is not there."""
    for record in records:
        place = log.folder / record.kept.gold_file if record.kept and record.kept.gold_file else None
        if place is not None and place.is_file():
            return load(place)
    return None if given is None else _named_gold(log, records[0], given)


def _named_gold(log: ExperimentLog, record: Record, given: str | Path) -> Batch | str:
    """Read gold from the user's file; what is not that of the record is an error."""
    kept = record.kept
    assert kept is not None  # noqa: S101  the caller checks it
    profile = get_profile(log.like(record)).with_options(**kept.options)
    reading = {name: value for name, value in kept.reading.items() if name in ("format", "columns", "unit")}
    whole = joined(list(open_run(str(given), str(given), profile, **reading).gold.batches()))
    if whole is not None:
        pred = load(log.folder / record.name / kept.predictions)
        for side in _candidates(whole, pred, _decoder(kept.reading)):
            side = as_read(side, profile)
            if fingerprint(side) == kept.gold:
                return str(given) if isinstance(side, Relevance) else side
    raise UsageError(f"{given}: this is not the gold that {record.id} was scored on")


def _decoder(reading: Mapping[str, Any]) -> TagDecoder:
    name, style = reading.get("scheme"), Style(reading.get("separator") or "-", bool(reading.get("suffix")))
    return TagDecoder(scheme(name) if name else None, style)


def _candidates(side: Side, pred: Batch | str, decoder: TagDecoder) -> Iterator[Side]:
    """Yield what may have been scored: all units or those that have predictions; tags, claims, or claims in tokens."""
    if isinstance(side, Relevance) or isinstance(pred, str):
        yield side
        return
    parts = [replace(side, units=replace(side.units, first=0))]
    if pred.units.ids is not None:
        places = {str(side.units.name(k)): k for k in range(len(side.units))}
        found = [places[name] for name in pred.units.ids if name in places]
        parts.append(side.take(np.array(found, np.int64)))
    for part in parts:
        yield part
        if isinstance(part, Tagged):
            with suppress(TagError):
                yield replace(part.decode(decoder), tags=())
        elif part.space == "char":
            with suppress(InputError):
                yield to_tokens(part, Lost())


def _predicted(log: ExperimentLog, records: Sequence[Record], gold: Batch | str) -> Any:
    out = []
    for record in records:
        kept = record.kept
        assert kept is not None  # noqa: S101  the caller checks it
        pred = load(log.folder / record.name / kept.predictions)
        if not kept.gold_file and not isinstance(pred, str) and not isinstance(gold, str):
            pred = with_texts(pred, gold)
        out.append(pred)
    return Runs(*out) if len(out) > 1 else out[0]
