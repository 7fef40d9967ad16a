"""A log as a Markdown page: a summary table and a section for each experiment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from karatage._printing import named, visible
from karatage.experiments import GROUP_METRICS, Experiment, SettingChange, changed_settings, display_names
from karatage.metrics import Score
from karatage.reports import experiment_texts as texts
from karatage.reports.answer_texts import AnswerText, LabelName
from karatage.training import MODELS, get_model

_METRICS = 6
"""Number of metrics in the summary."""


def experiments_markdown(experiments: Sequence[Experiment], title: str = "Experiments") -> str:
    """Return the log as Markdown: a summary, then a section for each experiment."""
    names = display_names(one.name for one in experiments)
    before = _before(experiments)
    lines = [f"# {escaped(title)}", ""]
    if not experiments:
        return "\n".join([*lines, "No experiments yet."]) + "\n"
    lines += [*_summary(experiments, names, before), ""]
    for experiment in experiments:
        lines += [*_section(experiment, names, before.get(experiment.name)), ""]
    return "\n".join(lines[:-1]) + "\n"


def _before(experiments: Sequence[Experiment]) -> dict[str, Experiment]:
    """Return for each experiment the one before it of the same kind, and of the same sweep."""
    last: dict[tuple[str, str], Experiment] = {}
    out: dict[str, Experiment] = {}
    for experiment in experiments:
        key = (experiment.kind, experiment.parent)
        if key in last:
            out[experiment.name] = last[key]
        last[key] = experiment
    return out


def _summary(experiments: Sequence[Experiment], names: dict[str, str], before: dict[str, Experiment]) -> list[str]:
    headlines = dict.fromkeys(one.headline for one in experiments if one.headline)
    same = len(headlines) == 1
    headline = next(iter(headlines), "")
    others = dict.fromkeys(name for one in experiments for name in one.metrics if name != headline) if same else {}
    metrics = list(others)[: _METRICS - 1]
    columns = ["id", "model and settings", *([headline] if same else ["metric", "score"]), *metrics]
    rows = [
        [
            names[one.name],
            _described(one, before.get(one.name)),
            *([] if same else [one.headline]),
            _with_interval(one.score(one.headline)),
            *(texts.format_score(one.score(name)) for name in metrics),
        ]
        for one in experiments
    ]
    return markdown_table(columns, rows)


def _with_interval(score: Score | None) -> str:
    bounds = texts.format_interval(score)
    return texts.format_score(score) + (f" ({bounds})" if bounds else "")


def _described(experiment: Experiment, before: Experiment | None) -> str:
    """Describe the settings: for the first experiment of a model those that are not defaults, then what changed."""
    if before is None or experiment.model != before.model:
        usual = _defaults(experiment.model)
        chosen = {name: value for name, value in experiment.config.items() if name not in usual or usual[name] != value}
        settings = ", ".join(f"{name} {texts.format_setting(value)}" for name, value in chosen.items())
        return ": ".join(filter(None, (experiment.title, settings))) or experiment.kind
    own = [one for one in changed_settings(before, experiment) if one.name != "model"]
    model = experiment.title if experiment.title != before.title else ""
    changed = ", ".join(f"{one.name} {texts.format_setting(one.values[1])}" for one in own)
    return ": ".join(filter(None, (model, f"+ {changed}" if changed else ""))) or "same settings"


def _defaults(model: str) -> dict[str, Any]:
    """Return the default settings of a model."""
    if model not in MODELS:
        return {"threshold": 0.0}
    usual = {one.name: one.default for one in fields(get_model(model).settings)} | {"threshold": 0.0}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in usual.items()}


def _section(experiment: Experiment, names: dict[str, str], before: Experiment | None) -> Iterator[str]:
    yield f"## {escaped(f'{names[experiment.name]}: {experiment.title or experiment.kind}')}"
    yield ""
    facts = [f"{experiment.when:%Y-%m-%d %H:%M} {experiment.when:%z}", experiment.kind]
    facts += [f"sweep {names.get(experiment.parent, experiment.parent)}"] if experiment.parent else []
    facts += [texts.format_duration(experiment.duration), texts.describe_code(experiment)]
    yield escaped(" · ".join(filter(None, facts)))
    if experiment.note:
        yield ""
        yield from (f"> {visible(line)}".replace("<", "&lt;").rstrip() for line in experiment.note.splitlines())
    if experiment.preset:
        yield from ("", escaped(f"Preset: {experiment.preset}."))
    if experiment.config_line:
        yield from ("", escaped(f"Config: {experiment.config_line}."))
    if before is not None:
        yield from _changed(changed_settings(before, experiment), names[before.name])
    if experiment.config:
        yield from ("", "Settings:", "")
        yield from markdown_table(
            ("setting", "value"), [(name, texts.format_setting(value)) for name, value in experiment.config.items()]
        )
    if experiment.data:
        yield from ("", "Data:" if not experiment.split else f"Data (split: {escaped(experiment.split)}):", "")
        yield from markdown_table(("role", "path", "units", "sha256"), texts.data_rows(experiment))
    if experiment.best_epoch is not None:
        yield from ("", f"Best epoch: {escaped(texts.describe_best_epoch(experiment))}.")
    yield from _scores(experiment)
    yield from ("", escaped(f"Machine: {texts.describe_machine(experiment)}."))


def _changed(found: Sequence[SettingChange], name: str) -> Iterator[str]:
    yield ""
    if not found:
        yield f"Same settings as {escaped(name)}."
        return
    yield f"Changes since {escaped(name)}:"
    yield ""
    rows = [(one.name, *map(texts.format_setting, one.values)) for one in found]
    yield from markdown_table(("setting", "before", "after"), rows)


def _scores(experiment: Experiment) -> Iterator[str]:
    if not experiment.scores:
        return
    scored = f"profile {experiment.scores.get('profile', '')}, {texts.format_counts(experiment, ', ')}"
    yield from ("", f"Scores ({escaped(scored)}):", "")
    ends = texts.interval_heading(experiment)
    rows = [
        (
            name,
            texts.format_score(score) + (f" ({score.undefined})" if score.undefined else ""),
            texts.format_interval(score),
        )
        for name, score in experiment.metrics.items()
    ]
    yield from markdown_table(("metric", "value", ends), rows)
    groups = experiment.scores.get("groups", {})
    if groups:
        yield ""
        *names, last = GROUP_METRICS
        columns = (str(experiment.scores.get("group_by", "group")), *names, last, f"{ends} of {last}" if ends else "")
        rows = [(name, *texts.score_cells(own, last)[:-1]) for name, own in groups.items()]
        yield from markdown_table((*columns, *texts.COUNTS[:-1]), rows)


def markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table; columns without a title and content are dropped."""
    kept = [k for k, title in enumerate(columns) if title or any(row[k] for row in rows)]
    lines = ["| " + " | ".join(escaped(columns[k]) for k in kept) + " |", "|" + "---|" * len(kept)]
    return lines + ["| " + " | ".join(escaped(row[k]) for k in kept) + " |" for row in rows]


def answer_markdown(answer: AnswerText) -> str:
    """Return an answer as Markdown: labels as code, and names that are not read as markup."""
    text = "".join(_code(part) if isinstance(part, LabelName) else _escaped_signs(part) for part in answer.parts)
    return text.replace("p \\< ", "p < ")  # before a blank, it starts no tag


def _code(label: str) -> str:
    shown = named(label)
    return f"<code>{escaped(shown)}</code>" if "`" in shown else f"`{shown}`"


def escaped(text: str) -> str:
    """Escape a text for Markdown and HTML."""
    return _escaped_signs(" ".join(text.split()))


def _escaped_signs(text: str) -> str:
    for sign in "\\`*_|<>[]":
        text = text.replace(sign, f"\\{sign}")
    return visible(text)
