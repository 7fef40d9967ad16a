"""Nothing that a user can name is undocumented."""

from __future__ import annotations

import dataclasses
import importlib.util
import inspect
import re
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import typer.main

import karatage
from karatage._options import declared
from karatage.challenges.ebay_2025.submission.submission_report import KINDS
from karatage.claims import SCHEMES
from karatage.cli import application
from karatage.engine import Running
from karatage.formats import format_names, get_format
from karatage.inputs import ShardReading
from karatage.matching import rule_names
from karatage.metrics import AVERAGES, SCENARIOS, measures
from karatage.profiles import get_profile, profile_names
from karatage.profiles.loading import _KEYS
from karatage.scoring.scoring_options import RECORDS, ScoreKeywords
from karatage.stats import LEVEL, Resampling
from karatage.training import MODELS
from karatage.training.settings import preset_names

ROOT = Path(__file__).parents[2]
GROUP: Any = typer.main.get_command(application())
COMMANDS = {
    f"{name} {inner}" if inner else name: own
    for name, command in GROUP.commands.items()
    for inner, own in getattr(command, "commands", {"": command}).items()
}
PARAMETERS = [(name, p) for name, command in COMMANDS.items() for p in command.params]
SETTINGS = [(model.name, one) for model in MODELS.values() for one in dataclasses.fields(model.settings)]
BINARY = {"parquet", "docbin"}


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    spec = importlib.util.spec_from_file_location("karatage_docs_hooks", ROOT / "docs" / "hooks.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, str] = module.pages()
    return found


def _has_text(text: str | None, least: int = 3) -> bool:
    return len((text or "").split()) >= least


@pytest.mark.parametrize("name", list(COMMANDS))
def test_a_command_is_documented(name: str, pages: dict[str, str]) -> None:
    assert _has_text(COMMANDS[name].help)
    assert f"## karatage {name}\n" in pages["reference/commands.md"]


@pytest.mark.parametrize(("command", "parameter"), PARAMETERS, ids=[f"{c} {p.name}" for c, p in PARAMETERS])
def test_an_option_is_documented(command: str, parameter: Any, pages: dict[str, str]) -> None:
    assert _has_text(parameter.help, 2), f"karatage {command}: {parameter.name} has no help"
    section = pages["reference/commands.md"].split(f"## karatage {command}\n")[1].split("\n## ")[0]
    assert parameter.help in section
    names = [*parameter.opts, *parameter.secondary_opts] if parameter.param_type_name == "option" else []
    assert all(name in section for name in names)


@pytest.mark.parametrize("name", [name for name, own in GROUP.commands.items() if hasattr(own, "commands")])
def test_a_group_of_commands_is_documented(name: str, pages: dict[str, str]) -> None:
    group = GROUP.commands[name]
    section = pages["reference/commands.md"].split(f"## karatage {name}\n")[1].split("\n## ")[0]
    assert _has_text(group.help)
    for own in group.params if group.invoke_without_command else ():
        assert own.opts[0] in section
        assert own.help in section
    assert all(f"`karatage {name} {inner}`" in section for inner in group.commands)


@pytest.mark.parametrize(("model", "setting"), SETTINGS, ids=[f"{m} {s.name}" for m, s in SETTINGS])
def test_a_setting_is_documented(model: str, setting: dataclasses.Field[Any], pages: dict[str, str]) -> None:
    section = pages["reference/settings.md"].split(f"\n## {model}\n")[1].split("\n## ")[0]
    row = next(line for line in section.splitlines() if line.startswith(f"| `{setting.name}` |"))
    assert _has_text(setting.metadata["help"], 2)
    assert setting.metadata["help"] in row
    assert all(f"`{value}`" in row for value in setting.metadata.get("of", ()))


@pytest.mark.parametrize("name", [*MODELS, *preset_names()])
def test_a_model_and_a_preset_are_documented(name: str) -> None:
    assert f"`{name}`" in (ROOT / "docs" / "guide" / "models.md").read_text("utf-8")


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_finding_in_submissions_is_documented(kind: str) -> None:
    assert f"| `{kind}` |" in (ROOT / "docs" / "guide" / "submissions.md").read_text("utf-8")


@pytest.mark.parametrize("name", format_names())
def test_a_format_is_documented(name: str, pages: dict[str, str]) -> None:
    found = get_format(name)
    section = pages["reference/formats.md"].split(f"\n## {name}\n")[1].split("\n## ")[0]
    assert _has_text(found.about)
    assert found.about in section
    assert found.holds
    assert found.example.rstrip() in section
    assert found.example or name in BINARY, f"{name} has no example"


@pytest.mark.parametrize("name", profile_names())
def test_a_profile_is_documented(name: str, pages: dict[str, str]) -> None:
    profile = get_profile(name)
    section = pages["reference/profiles.md"].split(f"\n## {name}\n")[1].split("\n## ")[0]
    assert _has_text(profile.about)
    for text in (profile.about, *profile.metrics, *profile.quirks):
        assert text in section
    assert profile.quirks or not profile.like, f"{name} reproduces {profile.like} but names no quirk"
    assert f"`{name}`" in (ROOT / "docs" / "guide" / "profiles.md").read_text("utf-8")
    assert f"`{name}`" in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.parametrize("key", sorted(_KEYS))
def test_a_key_of_profiles_is_documented(key: str) -> None:
    assert f"`{key}`" in (ROOT / "docs" / "guide" / "profiles.md").read_text("utf-8")


OPTIONS = [one.name for one in declared(*RECORDS)]


def test_keywords_are_those_of_the_records() -> None:
    """Type checkers read the keywords, everything else the records: both say the same."""
    hints = get_type_hints(ScoreKeywords, include_extras=True)
    for one in declared(*RECORDS, Running, ShardReading):
        if one.name != "resamples":  # which functions name themselves, as their defaults differ
            assert one.name in hints, f"add {one.name} to the Keywords class beside its record"
            assert get_args(hints.pop(one.name)) == (one.type, one.option)
    assert not hints


@pytest.mark.parametrize("function", [karatage.score, karatage.compare, karatage.gate, karatage.plan, karatage.explain])
def test_functions_show_the_options(function: Any) -> None:
    assert set(OPTIONS) <= set(inspect.signature(function).parameters)


def test_a_confidence_level_has_one_default() -> None:
    """Only the record of resampling names it; commands and functions take it from there."""
    source = Path(karatage.__file__).parent
    named = [
        path.name for path in source.rglob("*.py") if re.search(r"[Ll]evel(: [\w.]+)? = 0\.\d", path.read_text("utf-8"))
    ]
    assert named == []
    assert Resampling().level == LEVEL == 0.95


@pytest.mark.parametrize("option", [*OPTIONS, *(one.name for one in declared(Running))])
def test_an_option_of_score_is_documented(option: str) -> None:
    assert f"    {option}: " in (inspect.getdoc(karatage.score) or "")


@pytest.mark.parametrize("about", [*(own.about for own in measures()), *AVERAGES.values(), *SCENARIOS.values()])
def test_a_part_of_metrics_is_documented(about: str, pages: dict[str, str]) -> None:
    assert _has_text(about)
    assert about[1:] in pages["reference/metrics.md"]  # which starts sentences with capitals


@pytest.mark.parametrize("name", list(SCHEMES))
def test_a_scheme_is_documented(name: str, pages: dict[str, str]) -> None:
    assert _has_text(SCHEMES[name].about)
    assert SCHEMES[name].about in pages["reference/schemes.md"]
    assert name in (ROOT / "docs" / "guide" / "tags.md").read_text("utf-8")


@pytest.mark.parametrize("name", list(rule_names()))
def test_a_matching_rule_is_documented(name: str, pages: dict[str, str]) -> None:
    assert _has_text(rule_names()[name])
    assert f"| `{name}` | {rule_names()[name]} |" in pages["reference/matching.md"]
    assert f"`{name}`" in (ROOT / "docs" / "guide" / "matching.md").read_text("utf-8")


@pytest.mark.parametrize("name", vars(karatage)["__all__"])
def test_a_public_name_is_documented(name: str, pages: dict[str, str]) -> None:
    page = pages["reference/python.md"]
    if name == "__version__":
        assert name in page
        return
    thing = getattr(karatage, name)
    assert f"::: {thing.__module__}.{thing.__qualname__}\n" in page
    assert _has_text(inspect.getdoc(thing))
    members = vars(thing).items() if inspect.isclass(thing) else ()
    public = [(key, value) for key, value in members if not key.startswith("_")]
    undescribed = [
        key
        for key, value in public
        if (inspect.isfunction(value) or isinstance(value, property | classmethod | staticmethod))
        and not inspect.getdoc(getattr(thing, key) if not isinstance(value, property) else value)
    ]
    assert undescribed == []
    if inspect.isfunction(thing):
        described = inspect.getdoc(thing)
        missing = [p for p in inspect.signature(thing).parameters if not re.search(rf"\b{p}\b", described)]
        assert missing == [] or name == "read", f"{name}: {missing}"


def test_every_error_is_described() -> None:
    from karatage import errors

    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if kind.__module__ == errors.__name__]
    page = (ROOT / "docs" / "guide" / "errors.md").read_text("utf-8")
    for kind in kinds:
        assert _has_text(inspect.getdoc(kind))
        assert kind.__name__ in page
