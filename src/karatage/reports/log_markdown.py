"""A log as a page of Markdown, in the manner of a published log of experiments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from karatage.experiments import (
    GROUP_METRICS,
    Change,
    Record,
    changes,
    experiment_texts as texts,
    score_of,
    shown_names,
)
from karatage.training import MODELS, get_model

_METRICS = 6
"""As many metrics as the summary has room for."""


def to_markdown(records: Sequence[Record], title: str = "Experiments") -> str:
    """Return the log as Markdown: a summary, then a section for each experiment."""
    names = shown_names(one.name for one in records)
    before = _before(records)
    lines = [f"# {escaped(title)}", ""]
    if not records:
        return "\n".join([*lines, "No experiment yet."]) + "\n"
    lines += [*_summary(records, names, before), ""]
    for record in records:
        lines += [*_section(record, names, before.get(record.name)), ""]
    return "\n".join(lines[:-1]) + "\n"


def _before(records: Sequence[Record]) -> dict[str, Record]:
    """Find for each record the one before it of the same kind: in a sweep, of the same sweep."""
    last: dict[tuple[str, str], Record] = {}
    out: dict[str, Record] = {}
    for record in records:
        key = (record.kind, record.parent)
        if key in last:
            out[record.name] = last[key]
        last[key] = record
    return out


def _summary(records: Sequence[Record], names: dict[str, str], before: dict[str, Record]) -> list[str]:
    headlines = dict.fromkeys(record.headline for record in records if record.headline)
    if len(headlines) == 1:
        headline = next(iter(headlines))
        others = dict.fromkeys(name for record in records for name in record.metrics if name != headline)
        metrics = [headline, *others][:_METRICS]
        rows = [
            (
                names[record.name],
                _described(record, before.get(record.name)),
                _with_interval(record, headline),
                *(texts.value(record.score(name)) for name in metrics[1:]),
            )
            for record in records
        ]
        return markdown_table(("id", "model and training", f"best {headline}", *metrics[1:]), rows)
    rows = [
        (
            names[record.name],
            _described(record, before.get(record.name)),
            record.headline,
            _with_interval(record, record.headline),
        )
        for record in records
    ]
    return markdown_table(("id", "model and training", "metric", "best"), rows)


def _with_interval(record: Record, metric: str) -> str:
    score = record.score(metric)
    ends = texts.interval(score)
    return texts.value(score) + (f" ({ends})" if ends else "")


def _described(record: Record, before: Record | None) -> str:
    """Say what was trained: of the first one and of another model what is not its default, then what changed."""
    if before is None or record.model != before.model:
        usual = _defaults(record.model)
        chosen = {name: value for name, value in record.config.items() if name not in usual or usual[name] != value}
        settings = ", ".join(f"{name} {texts.setting(value)}" for name, value in chosen.items())
        return ": ".join(filter(None, (record.title, settings))) or record.kind
    own = [one for one in changes(before, record) if one.name != "model"]
    model = record.title if record.title != before.title else ""
    changed = ", ".join(f"{one.name} {texts.setting(one.values[1])}" for one in own)
    return ": ".join(filter(None, (model, f"+ {changed}" if changed else ""))) or "the same again"


def _defaults(model: str) -> dict[str, Any]:
    """Return the settings that a model has where nothing is said."""
    if model not in MODELS:
        return {"threshold": 0.0}
    usual = {one.name: one.default for one in fields(get_model(model).settings)} | {"threshold": 0.0}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in usual.items()}


def _section(record: Record, names: dict[str, str], before: Record | None) -> Iterator[str]:
    heading = f"{names[record.name]}: {record.title}" if record.title else f"{names[record.name]}: {record.kind}"
    yield f"## {escaped(heading)}"
    yield ""
    facts = [f"{record.when:%Y-%m-%d %H:%M} {record.when:%z}", record.kind]
    facts += [f"part of {_called(record.parent, names)}"] if record.parent else []
    facts += [texts.duration(record.duration)] if record.duration else []
    yield escaped(" · ".join([*facts, texts.made_by(record)]))
    if record.note:
        yield ""
        yield from (f"> {line}".replace("<", "&lt;").rstrip() for line in record.note.splitlines())
    if before is not None:
        yield from _changed(changes(before, record), names[before.name])
    if record.config:
        yield from ("", "Settings:", "")
        yield from markdown_table(
            ("setting", "value"), [(name, texts.setting(value)) for name, value in record.config.items()]
        )
    if record.data:
        yield from ("", "Data:" if not record.split else f"Data, split {escaped(record.split)}:", "")
        rows = [
            (one.role, one.path, "" if one.units is None else f"{one.units:,}", one.sha256[:12]) for one in record.data
        ]
        yield from markdown_table(("role", "path", "units", "sha256"), rows)
    if record.best_epoch is not None:
        yield from ("", f"Best epoch: {escaped(texts.best(record))}.")
    yield from _scores(record)
    yield from ("", escaped(f"Machine: {texts.machine(record)}."))


def _called(parent: str, names: dict[str, str]) -> str:
    return names.get(parent, parent)


def _changed(found: Sequence[Change], name: str) -> Iterator[str]:
    yield ""
    if not found:
        yield f"No setting differs from {escaped(name)}."
        return
    yield f"Changed against {escaped(name)}:"
    yield ""
    rows = [(one.name, *map(texts.setting, one.values)) for one in found]
    yield from markdown_table(("setting", "before", "now"), rows)


def _scores(record: Record) -> Iterator[str]:
    if not record.scores:
        return
    counts = record.scores.get("counts", {})
    scored = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items())
    yield from ("", f"Scores, profile {escaped(str(record.scores.get('profile', '')))} ({scored}):", "")
    ends = texts.interval_title(record)
    rows = [
        (name, texts.value(score) + (f" ({score.undefined})" if score.undefined else ""), texts.interval(score))
        for name, score in record.metrics.items()
    ]
    yield from markdown_table(("metric", "value", ends), rows)
    groups = record.scores.get("groups", {})
    if groups:
        yield ""
        columns = (
            str(record.scores.get("group_by", "group")),
            *GROUP_METRICS,
            f"{ends} of {GROUP_METRICS[-1]}" if ends else "",
            "gold",
            "predicted",
        )
        yield from markdown_table(columns, [_group_row(name, own) for name, own in groups.items()])


def _group_row(name: str, own: dict[str, dict[str, float]]) -> tuple[str, ...]:
    scores = [score_of(own[metric]) for metric in GROUP_METRICS]
    counts = (f"{own['counts'][column]:,}" for column in ("gold", "predicted"))
    return (name, *map(texts.value, scores), texts.interval(scores[-1]), *counts)


def markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table; a column without title whose cells are empty is left out."""
    kept = [k for k, title in enumerate(columns) if title or any(row[k] for row in rows)]
    lines = ["| " + " | ".join(escaped(columns[k]) for k in kept) + " |", "|" + "---|" * len(kept)]
    return lines + ["| " + " | ".join(escaped(row[k]) for k in kept) + " |" for row in rows]


def escaped(text: str) -> str:
    """Keep a text from being read as Markdown or HTML."""
    for sign in "\\`*_|<>[]":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())
