"""Makes the reference pages from the code, so that they cannot fall behind it.

MkDocs calls `on_files`; the tests call `pages`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, get_origin, get_type_hints

import typer.main

import karatage
import karatage.recall
import karatage.taggers
from karatage.claims.schemes import _ALIASES, SCHEMES
from karatage.cli import app
from karatage.explanation.slices import QUERY_SLICINGS, SLICINGS
from karatage.explanation.slices.facts import CLAIM_NAMES, UNIT_NAMES
from karatage.formats import format_names, get_format
from karatage.matching.rules import RULES
from karatage.metrics import AVERAGES, MEASURES, MEASURES_OF_LISTS, SCENARIOS, metric
from karatage.profiles import get_profile, profile_names
from karatage.training.models import MODELS
from karatage.training.settings import presets, read_settings

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

MADE = "This page is made from the code when the documentation is built.\n\n"

HOLDS = {
    "tokens": "spans in tokens",
    "chars": "spans in characters",
    "values": "values without place",
    "text": "the units' text",
    "words": "their tokens beside spans in characters",
    "nested": "spans that overlap",
    "pieces": "spans in several pieces",
    "ids": "the units' ids",
    "attributes": "attributes of units",
    "confidence": "how sure a system is of each claim",
    "grades": "grades of documents, for search",
    "scores": "scores of documents, for search",
    "labels": "labels of documents, for search",
}

TRAINING = {
    "karatage.taggers": ("TrainedTagger", "ensemble"),
    "karatage.training.model_folder": ("Card",),
    "karatage.training.file_tagging": ("tag_file", "Tagged"),
    "karatage.training": ("Plan", "train_into", "train", "train_folds", "Grid", "run_sweep"),
    "karatage.experiments": (
        "ExperimentLog",
        "Experiment",
        "NewExperiment",
        "ScoredInputs",
        "StoredInputs",
        "EpochEntry",
        "result_scores",
        "log_score",
        "log_training",
        "log_sweep",
        "compare_experiments",
        "ExperimentComparison",
        "SettingChange",
    ),
    "karatage.inputs": ("DataFile",),
    "karatage.training.train_tagger": ("Outcome",),
    "karatage.training.sweeps": ("Variant", "Sweep", "Row"),
    "karatage.reports": ("export_to_mlflow",),
    "karatage.challenges.ebay_2025.submission": ("check", "Report", "Finding", "Place"),
    "karatage.challenges.ebay_2025.generator": ("generate",),
}
"""What is public of training and experiments, by the modules that it is imported from."""

EXPLAINING = {
    "karatage.explanation.extraction_explanation": ("ExtractionExplanation", "System"),
    "karatage.explanation.search_explanation": ("SearchExplanation", "SearchSystem"),
    "karatage.explanation.fixes": ("Fix",),
    "karatage.explanation.changes": ("Changes",),
    "karatage.explanation.slices": ("Slice", "Training"),
    "karatage.explanation.confidence": ("Confidence", "Point", "Bin"),
    "karatage.explanation.gold_check": ("check_gold", "Suspects"),
    "karatage.scoring.outcomes": ("Outcomes",),
}
"""What an explanation holds, by the modules that it is imported from."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages to those of the docs folder."""
    from mkdocs.structure.files import File  # the tests make the pages without MkDocs

    for place, text in pages().items():
        files.append(File.generated(config, place, content=text))
    return files


def pages() -> dict[str, str]:
    """Return the text of each generated page by its place."""
    return {
        "reference/metrics.md": metrics(),
        "reference/profiles.md": profiles(),
        "reference/formats.md": formats(),
        "reference/matching.md": matching(),
        "reference/slices.md": slices(),
        "reference/schemes.md": schemes(),
        "reference/settings.md": settings(),
        "reference/commands.md": commands(),
        "reference/python.md": python(),
    }


def metrics() -> str:
    """Explain the parts of a metric's name."""
    grammar = inspect.cleandoc(metric.__doc__ or "").split("::", 1)[1].strip().splitlines()[0].strip()
    names = {"f": "f1, f0.2, f2 …"}
    out = "# Metrics\n\n" + MADE
    out += "A metric is a text that says exactly what it is. Name one with `--metric`, in a profile, or in Python as "
    out += '`result["f0.5"]`.\n\n'
    out += f"```text\n{grammar}\n```\n\n"
    out += "## Measures\n\n" + _table(
        ("measure", "what it is"), [(_code(names.get(k, k)), v) for k, v in MEASURES.items()]
    )
    out += "## Averages\n\n" + _table(
        ("prefix", "what it is"), [(_code(f"{name}_"), about) for name, about in AVERAGES.items()]
    )
    out += "## Scenarios\n\nThey need the kinds of error, which the profile `semeval2013` counts.\n\n" + _table(
        ("prefix", "what earns credit"),
        [(_code(f"{name}_") if name else "none", about) for name, about in SCENARIOS.items()],
    )
    out += "## Parts in brackets\n\n" + _table(
        ("part", "what it does"),
        [
            (_code("[label]"), "one label only: `recall[PER]`"),
            (
                _code("{group}"),
                "one group of units only, where a profile or `--group-by` makes groups: `weighted_f0.2{1}`",
            ),
            (_code("(over=gold)"), "a macro average over the labels that gold has"),
            (_code("(over=union)"), "over the labels that gold or the predictions have; the default"),
            (_code("(over=schema)"), "over the labels that a profile declares as `schema`"),
        ],
    )
    out += "## Measures of ranked lists\n\nFor search: `name(parameter=value)@cutoff`, as ir_measures writes them. "
    out += (
        "The names of trec_eval read as well. In the examples a query has six results with the grades 2, 0, none, 1, "
    )
    out += "0 and -1, which is no judgement, and documents of the grades 1 and 0 were not retrieved.\n\n"
    for measure in MEASURES_OF_LISTS.values():
        out += f"### {measure.name}\n\n{_sentence(measure.about)}\n\n```text\n{measure.formula}\n```\n\n"
        out += f"{measure.cite}.\n\n"
        out += f"Example: `{measure.example}`.\n\n" if measure.example else ""
        cut = {"needed": f"`{measure.name}@10`", "optional": f"`{measure.name}`, `{measure.name}@10`"}
        names = [alias.replace("@", "10") if "_@" in alias else alias.replace("@", "@10") for alias in measure.aliases]
        rows = [("written", cut.get(measure.cutoff, f"`{measure.name}`"))]
        rows += [("also read", ", ".join(map(_code, names)))] if names else []
        rows += [(f"`{key}`", f"{own.what}; {own.default} if left out") for key, own in measure.parameters.items()]
        out += _table(("", ""), rows)
    return out


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def profiles() -> str:
    """Show every built-in profile with all that it decides."""
    out = "# Profiles\n\n" + MADE
    for name in profile_names():
        p = get_profile(name)
        scheme = p.scheme or "any, leniently"
        reading = [
            ("tags are read as", f"{p.reader} reads them; scheme: {scheme}"),
            ("match", _code(p.rule.name) + (f" at {p.rule.threshold:g}" if p.rule.threshold else "")),
        ]
        if p.search:
            reading = [
                ("scores", "the relevance of documents to queries"),
                ("results with the same score", "are ordered by document id, the last one first"),
                ("labels, rows and pairs that are not as they should be", "are errors" if p.strict else "count"),
            ]
        rows = [
            ("reproduces", p.like or "Karatage's own"),
            *reading,
            ("metrics", ", ".join(_reported(k, str(m)) for k, m in p.metrics.items())),
            ("headline", _code(p.headline)),
            *([] if p.search else [("by label", ", ".join(map(_code, p.by_label)))]),
            ("an undefined value", p.exports),
            (
                "a gold unit without predictions",
                {"error": "is an error", "empty": "counts as empty", "ignore": "is left out and counted"}[
                    p.units.missing
                ],
            ),
            (
                "a predicted unit that gold lacks",
                {"error": "is an error", "ignore": "is left out and counted"}[p.units.extra],
            ),
        ]
        if not p.search:
            rows.append(("the same gold claim twice", {"error": "is an error", "dedupe": "counts once"}[p.duplicates]))
        if p.group_by:
            rows.append(
                ("groups of units", f"by {_code(p.group_by)}: {', '.join(p.schema.groups) or 'all that occur'}")
            )
        out += f"## {name}\n\n{p.about}\n\n" + _table(("decision", "choice"), rows)
        if p.quirks:
            out += "Where it differs from Karatage's own rules, or from its tool:\n\n"
            out += "".join(f"- {quirk}\n" for quirk in p.quirks) + "\n"
    return out


def _reported(name: str, text: str) -> str:
    return _code(name) if name == text else f"{_code(name)} ({_code(text)})"


def formats() -> str:
    """Show every format: what it is, what it holds, an example."""
    found = [get_format(name) for name in format_names()]
    out = "# Formats\n\n" + MADE
    out += "`.gz` and `.zst` behind any ending are decompressed when reading and compressed when writing.\n\n"
    marks = [
        (f"[{f.name}](#{f.name})", *("✓" if h in f.holds else "" for h in HOLDS), "✓" if f.write else "") for f in found
    ]
    out += _table(("format", *HOLDS, "writes"), marks)
    for f in found:
        out += f"## {f.name}\n\n{f.about}\n\n"
        rows = [
            ("endings", " ".join(map(_code, f.suffixes)) or "none of its own"),
            ("holds", ", ".join(text for key, text in HOLDS.items() if key in f.holds)),
            ("written", "yes" if f.write else "no, read only"),
            ("a corpus is", "a folder of files" if f.folder else "a file"),
        ]
        out += _table(("", ""), rows)
        if f.example:
            out += f"```text\n{f.example.rstrip()}\n```\n\n"
    return out


def matching() -> str:
    """Show every matching rule."""
    out = "# Matching rules\n\n" + MADE
    out += "Choose one with `--match`, or as `match = { rule = … }` in a profile. How pairs are found is in "
    out += "[Matching and kinds of error](../guide/matching.md).\n\n"
    return out + _table(("rule", "what earns credit"), [(_code(name), about) for name, about in RULES.items()])


def slices() -> str:
    """Show every way to slice, and the names that an expression may use."""
    out = "# Slices\n\n" + MADE
    out += "Name one with `karatage explain --by`, or leave it out to have all that apply. What a slice is, and when "
    out += "it is really worse than the rest, is in [Error analysis](../guide/error-analysis.md#slices).\n\n"
    out += "## For extraction\n\n" + _table(("by", "groups"), [(_code(k), v) for k, v in SLICINGS.items()])
    out += "## For search\n\n" + _table(("by", "groups"), [(_code(k), v) for k, v in QUERY_SLICINGS.items()])
    out += "## In expressions\n\nComparisons, `in`, `and`, `or` and `not` over these names, numbers and texts in "
    out += "quotation marks, and over the attributes of the units.\n\n"
    names = {**CLAIM_NAMES, **UNIT_NAMES}
    return out + _table(("name", "what it is"), [(_code(name), about) for name, about in names.items()])


def schemes() -> str:
    """Show every tagging scheme with the same two touching spans written in it."""
    out = "# Tagging schemes\n\n" + MADE
    out += "Name one with `--scheme` to have it enforced: only spans that are well-formed in it count, and the "
    out += "transitions that it forbids are counted in a warning. Without one, any scheme is read leniently.\n\n"
    rows = []
    for scheme in SCHEMES.values():
        others = sorted(alias for alias, name in _ALIASES.items() if name == scheme.name)
        rows.append(
            (
                _code(scheme.name),
                " ".join(map(_code, scheme.prefixes)) or "none",
                scheme.about,
                ", ".join(map(_code, others)),
            )
        )
    out += _table(("scheme", "prefixes", "what it is", "also called"), rows)
    out += "The same three tokens, a span of two and a span of one that touches it, both of type X:\n\n"
    return out + _table(
        ("scheme", "tags"),
        [(_code(s.name), " ".join(t or "(empty)" for t in _written(s.name))) for s in SCHEMES.values()],
    )


def _written(name: str) -> list[str]:
    import numpy as np

    from karatage.claims import Claims, Units, encode

    claims = Claims.build(Units(1), "token", [(0, "X", 0, 2, None, None), (0, "X", 2, 3, None, None)])
    return list(encode(claims, np.array([3]), SCHEMES[name]).lists()[0])


def settings() -> str:
    """Show every setting of every model."""
    out = "# Settings of models\n\n" + MADE
    out += "Set one with `karatage train --set NAME=VALUE`, or in a TOML file with `--config`. The models are "
    out += "in [Models](../guide/models.md). [Presets](#presets) set what they name and leave the rest.\n\n"
    for model in MODELS.values():
        out += f"## {model.name}\n\n{model.about}\n\n"
        out += _table(("setting", "default", "may be", "what it does"), _settings(model.settings))
    out += "## Presets\n\n"
    for name in presets():
        rows = [(_code(key), _value(value)) for key, value in read_settings(name).items()]
        out += f"### {name}\n\n" + _table(("setting", "value"), rows)
    return out


def _settings(kind: type[Any]) -> list[tuple[str, ...]]:
    hints = get_type_hints(kind)
    return [
        (_code(one.name), _default(one), _allowed(hints[one.name], one.metadata), one.metadata["help"])
        for one in fields(kind)
    ]


def _default(one: Field[Any]) -> str:
    return _value(one.default_factory() if one.default_factory is not MISSING else one.default)


def _value(value: Any) -> str:
    if value in ("", (), {}):
        return "none"
    if isinstance(value, tuple):
        return ", ".join(map(_code, value))
    return _code(str(value).lower() if isinstance(value, bool) else str(value))


def _allowed(hint: Any, facts: Mapping[str, Any]) -> str:
    if facts.get("of"):
        return ", ".join(map(_code, facts["of"]))
    what = {bool: "`true` or `false`", int: "a whole number", float: "a number", str: "a text"}.get(hint)
    what = what or ("a list of texts" if get_origin(hint) is tuple else "a table of texts")
    ends = [(word, facts.get(key)) for word, key in (("at least", "least"), ("at most", "most"))]
    return ", ".join([what, *(f"{word} {value:g}" for word, value in ends if value is not None)])


def commands() -> str:
    """Show every command with its arguments and options."""
    group: Any = typer.main.get_command(app)
    out = f"# Commands\n\n{MADE}{group.help}\n\n`karatage COMMAND --help` prints the same. Exit codes are in "
    out += "[Errors and exit codes](../guide/errors.md).\n\n"
    out += "## karatage\n\n" + _table(("option", "what it does"), [_option(p) for p in group.params])
    for name, command in every_command(group):
        if hasattr(command, "commands"):
            out += _group(name, command)
            continue
        about, *further = inspect.cleandoc(command.help or "").split("\n\n")
        example = [text for text in further if text.startswith("karatage ")]
        arguments = [p for p in command.params if p.param_type_name == "argument"]
        usage = " ".join(_argument(p) for p in arguments)
        out += (
            f"## karatage {name}\n\n{about}\n\n```text\nkaratage {name} {usage}{' ' if usage else ''}[OPTIONS]\n```\n\n"
        )
        if example:
            out += "For example:\n\n" + "".join(f"```text\n{text}\n```\n\n" for text in example)
        out += "".join(f"{text}\n\n" for text in further if text not in example)
        if arguments:
            out += _table(
                ("argument", "what it is"), [(_code(_name(p)), getattr(p, "help", "") or "") for p in arguments]
            )
        options = [p for p in command.params if p.param_type_name == "option"]
        out += _table(("option", "what it does"), [_option(p) for p in options]) if options else ""
    return out


def _group(name: str, group: Any) -> str:
    """Show what a group of commands does by itself, and its commands."""
    rows = [(f"`karatage {name} {inner}`", _first(own.help)) for inner, own in group.commands.items()]
    out = f"## karatage {name}\n\n{_first(group.help)}\n\n"
    if group.invoke_without_command:
        out += f"```text\nkaratage {name} [OPTIONS]\n```\n\n" + _table(
            ("option", "what it does"), [_option(p) for p in group.params]
        )
    return out + _table(("command", "what it does"), rows)


def _first(text: str | None) -> str:
    return inspect.cleandoc(text or "").split("\n\n")[0]


def every_command(group: Any) -> Iterator[tuple[str, Any]]:
    """Yield each command with its name, a group before its commands, which are called `group command`."""
    for name, command in group.commands.items():
        yield name, command
        yield from ((f"{name} {inner}", own) for inner, own in getattr(command, "commands", {}).items())


def _name(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())


def _argument(parameter: Any) -> str:
    return _name(parameter) if parameter.required else f"[{_name(parameter)}]"


def _option(parameter: Any) -> tuple[str, str]:
    value = "" if parameter.is_flag else " …"
    names = ", ".join(_code(name + value) for name in [*parameter.opts, *parameter.secondary_opts])
    default = parameter.default
    unsaid = parameter.is_flag or default in (None, ..., "", (), []) or callable(default)
    shown = "" if unsaid else f" Default: `{default}`."
    return names, f"{parameter.help or ''}{shown}"


def python() -> str:
    """Let mkdocstrings describe every public name."""
    out = "# Python\n\n" + MADE + f"{inspect.cleandoc(karatage.__doc__ or '')}\n\n"
    out += "Everything here is importable from `karatage`, `karatage.recall` or `karatage.taggers`, and for "
    out += "[explanations](#explanations) and [training and experiments](#training-and-experiments) from the modules "
    out += "that are named there. Other names are not public.\n\n"
    for name in sorted(karatage.__all__, key=lambda name: (not name.islower(), name.startswith("_"), name)):
        if name == "__version__":
            out += f"### `{name}`\n\nThe version, as a text such as `{karatage.__version__}`.\n\n"
            continue
        home = getattr(karatage, name)
        out += f"::: {home.__module__}.{home.__qualname__}\n\n"
    for package in (karatage.recall, karatage.taggers):
        out += f"## {package.__name__}\n\n{inspect.cleandoc(package.__doc__ or '')}\n\n"
        for name in sorted(package.__all__, key=lambda name: (not name.islower(), name)):
            home = getattr(package, name)
            if inspect.isclass(home) or inspect.isfunction(home):  # the others are short names of types
                out += f"::: {home.__module__}.{home.__qualname__}\n\n"
    for title, homes in (("Explanations", EXPLAINING), ("Training and experiments", TRAINING)):
        out += f"## {title}\n\n"
        for place, names in homes.items():
            module = import_module(place)
            out += f"From `{place}`: {inspect.cleandoc(module.__doc__ or '').splitlines()[0]}\n\n"
            for name in names:
                home = getattr(module, name)
                out += f"::: {home.__module__}.{home.__qualname__}\n\n"
    return (
        out
        + "## Errors\n\n::: karatage.errors\n    options:\n      show_root_heading: false\n"
        + "      filters: ['!^_', '!^unknown$', '!^KaratageError$']\n"
    )


def _code(text: str) -> str:
    return f"`{text}`"


def _table(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [columns, tuple("---" for _ in columns), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n" for row in lines) + "\n"
