"""Generates the reference pages from the code, so that they are always up to date.

MkDocs calls `on_files`; the tests call `pages`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, fields
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import typer.main

import karatage
from karatage._options import declared, described
from karatage.claims import SCHEMES, Claims, Units, encode
from karatage.claims.schemes import _ALIASES
from karatage.cli import application
from karatage.engine import Running
from karatage.explanation.slices import QUERY_SLICINGS, SLICINGS
from karatage.explanation.slices.facts import CLAIM_NAMES, UNIT_NAMES
from karatage.formats import format_names, get_format
from karatage.inputs import ShardReading
from karatage.matching import rule_names
from karatage.metrics import AVERAGES, SCENARIOS, CountMeasure, QueryMeasure, grammar, measures
from karatage.profiles import Profile, get_profile, profile_names
from karatage.reports import references
from karatage.scoring import RECORDS
from karatage.training import MODELS, read_settings
from karatage.training.settings import preset_names

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

CONTENTS = {
    "tokens": "token spans",
    "chars": "character spans",
    "values": "values without a span",
    "text": "text",
    "words": "tokens next to character spans",
    "nested": "overlapping spans",
    "discontinuous": "discontinuous spans",
    "ids": "ids",
    "attributes": "attributes, e.g. document or category",
    "confidence": "confidence of predictions",
    "grades": "relevance grades, for search",
    "scores": "document scores, for search",
    "labels": "document labels, for search",
}
"""What a format can store."""

ROOMS = {
    "Explanations": "karatage.explanation",
    "Descriptions": "karatage.description",
    "Recall benchmarks": "karatage.recall",
    "Clicks": "karatage.clicks",
    "Taggers": "karatage.taggers",
    "Training": "karatage.training",
    "Experiment log": "karatage.experiments",
    "eBay 2025 challenge": "karatage.challenges.ebay_2025",
    "SIGIR eCom'19 challenge": "karatage.challenges.sigir_ecom19",
}
"""Public rooms besides the top-level package. Their classes are public, and the functions that the guide mentions."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages to those in the docs folder."""
    from mkdocs.structure.files import File  # the tests generate pages without MkDocs

    for path, text in pages().items():
        files.append(File.generated(config, path, content=text))
    return files


def pages() -> dict[str, str]:
    """Return the text of each generated page by its path."""
    generated = {
        "metrics": ("Metrics", metrics()),
        "profiles": ("Profiles", profiles()),
        "formats": ("Formats", formats()),
        "matching": ("Matching rules", matching()),
        "slices": ("Slices", slices()),
        "schemes": ("Tagging schemes", schemes()),
        "settings": ("Model settings", settings()),
        "commands": ("Commands", commands()),
        "python": ("Python", python()),
        "literature": ("Literature", literature()),
    }
    return {f"reference/{name}.md": f"# {title}\n\n{text}" for name, (title, text) in generated.items()}


def literature() -> str:
    """List the works that the methods come from, with their keys in BibTeX."""
    lines = []
    for key, work in sorted(references().items(), key=lambda pair: (pair[1]["author"][0].lower(), pair[1]["year"])):
        venue = work.get("journal") or work.get("booktitle") or work.get("publisher") or work.get("school")
        number = f" {work['volume']}" if "volume" in work else ""
        pages = f", pages {work['pages'].replace('--', '–')}" if "pages" in work else ""
        where = f" *{venue}*{number}{pages}." if venue else f" {work['howpublished']}."
        link = f" [doi:{work['doi']}](https://doi.org/{work['doi']})" if "doi" in work else ""
        lines.append(f"- {'; '.join(work['author'])} ({work['year']}): {work['title']}.{where}{link} `{key}`\n")
    return (
        "The works that Karatage's scores, intervals and tests come from. `--cite` prints those that a result used, as "
        "BibTeX under these keys; see [Methods](../guide/methods.md).\n\n" + "".join(lines)
    )


def metrics() -> str:
    """Explain the grammar of metrics and every measure."""
    pattern = inspect.cleandoc(grammar.__doc__ or "").split("::", 1)[1].strip().splitlines()[0].strip()
    parts = {
        "`[label]`": "one label: `recall[PER]`",
        "`{group}`": "one group, if the profile or `--group-by` defines groups: `weighted_f0.2{1}`",
        "`(over=gold)`": "macro average over the labels in gold",
        "`(over=union)`": "macro average over the labels in gold or predictions; the default",
        "`(over=schema)`": "macro average over the labels that the profile declares as `schema`",
    }
    of_counts = {own.written(): own.about for own in measures() if issubclass(own, CountMeasure)}
    of_queries = [own for own in measures() if issubclass(own, QueryMeasure)]
    return (
        "Name a metric with `--metric`, in a profile, or in Python as `result['f0.5']`.\n\n"
        f"```text\n{pattern}\n```\n\n"
        + "## Measures\n\n"
        + _table(("measure", "definition"), _coded(of_counts))
        + "## Averages\n\n"
        + _table(("prefix", "definition"), _coded({f"{name}_": about for name, about in AVERAGES.items()}))
        + "## Scenarios\n\nScenarios need a profile that counts the kinds of error, such as `semeval2013`.\n\n"
        + _table(
            ("prefix", "what earns credit"),
            [(_code(f"{name}_") if name else "none", about) for name, about in SCENARIOS.items()],
        )
        + "## Suffixes\n\n"
        + _table(("suffix", "meaning"), parts.items())
        + "## Ranking metrics\n\nFor search, metrics are written as in ir_measures: `name(parameter=value)@cutoff`. "
        "The names of trec_eval work as well. In the examples, a query has six results with the grades 2, 0, none, 1, "
        "0 and -1 (not judged), and documents with the grades 1 and 0 were not retrieved.\n\n"
        + "".join(map(_ranking_metric, of_queries))
    )


def _ranking_metric(measure: type[QueryMeasure]) -> str:
    written = {"needed": f"`{measure.name}@10`", "optional": f"`{measure.name}`, `{measure.name}@10`"}
    aliases = [alias.replace("@", "10" if "_@" in alias else "@10") for alias in measure.aliases]
    rows = [("syntax", written.get(measure.cutoffs, f"`{measure.name}`"))]
    rows += [("aliases", ", ".join(map(_code, aliases)))] if aliases else []
    rows += [(f"`{name}`", f"{own.what} [default: {own.default}]") for name, own in measure.parameters().items()]
    example = f"Example: `{measure.example}`.\n\n" if measure.example else ""
    about = measure.about[0].upper() + measure.about[1:]
    return (
        f"### {measure.name}\n\n{about}.\n\n```text\n{measure.formula}\n```\n\n{measure.cite}.\n\n{example}"
        + _table(("", ""), rows)
    )


def profiles() -> str:
    """Describe every built-in profile."""
    out = ""
    for name in profile_names():
        profile = get_profile(name)
        out += f"## {name}\n\n{profile.about}\n\n" + _table(("decision", "choice"), _decisions(profile))
        if profile.quirks:
            out += "Differences from Karatage's own rules, or from the tool:\n\n"
            out += "".join(f"- {quirk}\n" for quirk in profile.quirks) + "\n"
    return out


def _decisions(profile: Profile) -> Iterator[tuple[str, str]]:
    yield "reproduces", profile.like or "nothing; Karatage's own rules"
    if profile.search:
        yield "task", "search"
        yield "tied results", "ordered by document id, highest first"
        yield from profile.label_rules.shown()
    else:
        yield "task", "extraction"
        yield "tag decoding", f"as {profile.reader}; scheme: {profile.scheme or 'any, leniently'}"
        if profile.merge:
            yield "adjacent entities", "merged if they have the same label"
        yield (
            "matching",
            _code(profile.rule.name) + (f" at {profile.rule.threshold:g}" if profile.rule.threshold else ""),
        )
    named = ((name, str(own)) for name, own in profile.metrics.items())
    yield "metrics", ", ".join(_code(name) + (f" ({_code(text)})" if name != text else "") for name, text in named)
    yield "headline", _code(profile.headline)
    if not profile.search:
        yield "by label", ", ".join(map(_code, profile.by_label))
    yield "undefined values", profile.exports
    fate = {"error": "error", "empty": "counts as empty", "ignore": "left out and counted"}
    yield "missing predictions", fate[profile.units.missing]
    yield "predictions without gold", fate[profile.units.extra]
    if not profile.search:
        yield "duplicate gold entities", {"error": "error", "dedupe": "counted once"}[profile.duplicates]
    if profile.group_by:
        yield "groups", f"by {_code(profile.group_by)}: {', '.join(profile.schema.groups) or 'all that occur'}"


def formats() -> str:
    """Describe every format, with an example."""
    found = [get_format(name) for name in format_names()]
    marks = [
        (f"[{one.name}](#{one.name})", *("✓" if key in one.holds else "" for key in CONTENTS), "✓" if one.write else "")
        for one in found
    ]
    out = "Files that end in `.gz` or `.zst` are decompressed when read and compressed when written.\n\n"
    out += _table(("format", *CONTENTS, "writable"), marks)
    for one in found:
        rows = [
            ("file names", " ".join(map(_code, one.suffixes)) or "any"),
            ("stores", ", ".join(text for key, text in CONTENTS.items() if key in one.holds)),
            ("writable", "yes" if one.write else "no"),
            ("corpus", "a folder" if one.folder else "a file"),
        ]
        out += f"## {one.name}\n\n{one.about}\n\n" + _table(("", ""), rows)
        out += f"```text\n{one.example.rstrip()}\n```\n\n" if one.example else ""
    return out


def matching() -> str:
    """List the matching rules."""
    return (
        "Choose a rule with `--match`, or with `match = { rule = … }` in a profile. "
        "See [Matching](../guide/matching.md) for how entities are paired.\n\n"
    ) + _table(("rule", "what earns credit"), _coded(rule_names()))


def slices() -> str:
    """List the slices, and the names that an expression may use."""
    return (
        "Choose slices with `karatage explain --by`. By default, all that apply are tested. See "
        "[Error analysis](../guide/error-analysis.md#slices).\n\n## Extraction\n\n"
        + _table(("slice", "groups"), _coded(SLICINGS))
        + "## Search\n\n"
        + _table(("slice", "groups"), _coded(QUERY_SLICINGS))
        + "## Expressions\n\nAn expression combines comparisons with `in`, `and`, `or` and `not`. It can use these "
        "names, the attributes of your data, numbers, and strings in quotation marks.\n\n"
        + _table(("name", "meaning"), _coded({**CLAIM_NAMES, **UNIT_NAMES}))
    )


def schemes() -> str:
    """List the tagging schemes, with the same two adjacent entities written in each."""
    rows = []
    for scheme in SCHEMES.values():
        aliases = sorted(alias for alias, name in _ALIASES.items() if name == scheme.name)
        prefixes = " ".join(map(_code, scheme.prefixes)) or "none"
        rows.append((_code(scheme.name), prefixes, scheme.about, ", ".join(map(_code, aliases))))
    pair = Claims.build(Units(1), "token", [(0, "X", 0, 2, None, None), (0, "X", 2, 3, None, None)])
    written = {s.name: encode(pair, np.array([3]), s).lists()[0] for s in SCHEMES.values()}
    return (
        "By default, any scheme is read leniently. `--scheme` enforces one: only well-formed entities count, and a "
        "warning counts invalid transitions.\n\n"
        + _table(("scheme", "prefixes", "definition", "aliases"), rows)
        + "An entity of two tokens followed by an adjacent one of one token, both of type X:\n\n"
        + _table(("scheme", "tags"), _coded({k: " ".join(tag or "(empty)" for tag in v) for k, v in written.items()}))
    )


def settings() -> str:
    """List the settings of every model, and the presets."""
    out = "Set these with `karatage train --set NAME=VALUE`, or in a TOML file with `--config`. See "
    out += "[Models](../guide/models.md). [Presets](#presets) change the settings that they name.\n\n"
    for model in MODELS.values():
        hints = get_type_hints(model.settings)
        rows = [
            (_code(one.name), _default(one), _allowed(hints[one.name], one.metadata), one.metadata["help"])
            for one in fields(model.settings)
        ]
        out += f"## {model.name}\n\n{model.about}\n\n" + _table(("setting", "default", "values", "meaning"), rows)
    out += "## Presets\n\n"
    for name in preset_names():
        chosen = [(_code(key), _value(value)) for key, value in read_settings(name).items()]
        out += f"### {name}\n\n" + _table(("setting", "value"), chosen)
    return out


def _default(one: Field[Any]) -> str:
    return _value(one.default_factory() if one.default_factory is not MISSING else one.default)


def _value(value: Any) -> str:
    if value in ("", (), {}):
        return "none"
    if isinstance(value, tuple):
        return ", ".join(map(_code, value))
    return _code(str(value).lower() if isinstance(value, bool) else str(value))


def _allowed(hint: Any, facts: Mapping[str, Any]) -> str:
    if get_origin(hint) is Literal:
        return ", ".join(map(_code, get_args(hint)))
    kind = {bool: "`true` or `false`", int: "integer", float: "number", str: "string"}.get(hint)
    kind = kind or ("list of strings" if get_origin(hint) is tuple else "table of strings")
    limits = [(word, facts.get(key)) for word, key in (("at least", "least"), ("at most", "most"))]
    return ", ".join([kind, *(f"{word} {value:g}" for word, value in limits if value is not None)])


def commands() -> str:
    """Describe every command with its arguments and options."""
    group: Any = typer.main.get_command(application())
    out = f"{group.help}\n\n`karatage COMMAND --help` prints the same. See also "
    out += "[Errors and exit codes](../guide/errors.md).\n\n## karatage\n\n" + _options(group)
    for name, command in group.commands.items():
        inner = getattr(command, "commands", None)
        out += _command(name, command) if inner is None else _group(name, command)
        out += "".join(_command(f"{name} {key}", own) for key, own in (inner or {}).items())
    return out


def _command(name: str, command: Any) -> str:
    about, *further = inspect.cleandoc(command.help or "").split("\n\n")
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    usage = [_argument(p) if p.required else f"[{_argument(p)}]" for p in arguments]
    out = f"## karatage {name}\n\n{about}\n\n```text\n{' '.join(['karatage', name, *usage, '[OPTIONS]'])}\n```\n\n"
    examples = "\n".join(text for text in further if text.startswith("karatage "))
    out += f"For example:\n\n```text\n{examples}\n```\n\n" if examples else ""
    out += "".join(f"{text}\n\n" for text in further if not text.startswith("karatage "))
    if arguments:
        out += _table(("argument", "meaning"), [(_code(_argument(p)), p.help or "") for p in arguments])
    return out + _options(command)


def _group(name: str, group: Any) -> str:
    """Describe a group of commands: what it does by itself, and its commands."""
    out = f"## karatage {name}\n\n{_first(group.help)}\n\n"
    if group.invoke_without_command:
        out += f"```text\nkaratage {name} [OPTIONS]\n```\n\n" + _options(group)
    return out + _table(
        ("command", "what it does"),
        [(f"`karatage {name} {inner}`", _first(own.help)) for inner, own in group.commands.items()],
    )


def _first(text: str | None) -> str:
    return inspect.cleandoc(text or "").split("\n\n")[0]


def _argument(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())


def _options(command: Any) -> str:
    """Return the options as `--help` prints them, with their values and defaults."""
    context = command.make_context("karatage", [], resilient_parsing=True)
    records = [p.get_help_record(context) for p in command.params if p.param_type_name == "option"]
    return _table(("option", "meaning"), [(_code(names), about) for names, about in records]) if records else ""


def python() -> str:
    """Let mkdocstrings describe every public name."""
    out = f"{inspect.cleandoc(karatage.__doc__ or '')}\n\n"
    out += "The names in the first section are importable from `karatage`, the others from the module named there. "
    out += "Anything else is not public.\n\n## karatage\n\n"
    out += f"### `__version__`\n\nThe version, a string such as `{karatage.__version__}`.\n\n"
    out += _described(karatage, (name for name in vars(karatage)["__all__"] if name != "__version__"))
    out += "## Scoring options\n\nKeywords of `score`, `compare`, `explain`, `gate` and `plan`.\n\n"
    out += _table(("option", "meaning"), [(_code(one.name), described(one)) for one in declared(*RECORDS)])
    out += "`score` also takes:\n\n"
    out += _table(("option", "meaning"), [(_code(one.name), described(one)) for one in declared(Running, ShardReading)])
    guide = "".join(path.read_text("utf-8") for path in (Path(__file__).parent / "guide").rglob("*.md"))
    for title, path in ROOMS.items():
        room = import_module(path)
        own = (name for name in room.__all__ if getattr(room, name) is not getattr(karatage, name, None))
        public = (name for name in own if not name.islower() or f"{name}(" in guide)
        out += f"## {title}\n\nFrom `{path}`. {_first(room.__doc__)}\n\n" + _described(room, public)
    return (
        out
        + "## Errors\n\n::: karatage.errors\n    options:\n      show_root_heading: false\n"
        + "      filters: ['!^_', '!^unknown$', '!^missing_package$', '!^KaratageError$']\n"
    )


def _described(module: Any, names: Iterable[str]) -> str:
    """Return mkdocstrings' directive for each function and class, functions first."""
    found = [getattr(module, name) for name in sorted(names, key=lambda name: (not name.islower(), name))]
    public = (one for one in found if inspect.isclass(one) or inspect.isfunction(one))
    return "".join(f"::: {one.__module__}.{one.__qualname__}\n\n" for one in public)


def _code(text: str) -> str:
    return f"`{text}`"


def _coded(rows: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(_code(name), about) for name, about in rows.items()]


def _table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [columns, tuple("---" for _ in columns), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n" for row in lines) + "\n"
