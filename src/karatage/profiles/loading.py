"""Reading profiles: installed ones by name, the user's own from a TOML file.

A package adds profiles with an entry point in the group `karatage.profiles` that names a package: every TOML file in it
is a profile.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from math import isfinite
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from karatage._plugins import Registry
from karatage.claims import Flavour, Style
from karatage.errors import UsageError, unknown
from karatage.matching import LabelRules, UnitPolicy, ValueForm, get_rule
from karatage.metrics import SCENARIOS, Metric, Schema, Undefined, measures
from karatage.profiles.profile import GROUND, TIES, Profile, checked, one_of, unit_policy, with_scheme

_PACKAGES: Registry[ModuleType] = Registry(
    "package of profiles", "karatage.profiles", {"karatage": "karatage.profiles"}
)


@cache
def _files(*, plugins: bool) -> dict[str, Traversable]:
    """Return the profiles of our own package and, where asked for, of those that entry points name."""
    found: dict[str, Traversable] = {}
    for package in _PACKAGES.names(plugins=plugins):
        for item in files(_PACKAGES[package]).iterdir():
            if item.name.endswith(".toml"):
                found.setdefault(item.name.removesuffix(".toml"), item)
    return found


def profile_names() -> list[str]:
    """Return the names of the profiles that are installed: ours, and those of plugins."""
    return sorted(_files(plugins=True))


def get_profile(name: str | Path | Profile, *, above: tuple[Path, ...] = ()) -> Profile:
    """Return an installed profile by its name, or read the user's own from a TOML file.

    Args:
        name: the name, the path of a file that ends in `.toml`, or a profile, which is returned as it is.
        above: the files whose base this is.
    """
    if isinstance(name, Profile):
        return name
    text = str(name)
    path = Path(text)
    if path.suffix != ".toml":
        return _installed(text)
    if path in above:
        raise UsageError("base refers back to this profile")
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{text}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{text}: not a TOML file: {error}") from None
    try:
        return from_dict(path.stem, data, above=(*above, path))
    except UsageError as error:
        raise UsageError(f"{text}: {error}") from None


RENAMED = {"partial": "overlap", "type": "label-only"}
"""Profiles that once had the name, but not the meaning, of one of SemEval-2013's scenarios."""


@cache
def _installed(name: str) -> Profile:
    file = _files(plugins=False).get(name) or _files(plugins=True).get(name)
    if file is None and name in RENAMED:
        now = get_profile(RENAMED[name])
        raise UsageError(
            f"the profile {name!r} is now called {now.name!r}: {now.about[0].lower()}{now.about[1:]} "
            f"For the scenario {name} of SemEval-2013, use --like semeval2013 -m {name}_f1"
        )
    if file is None:
        raise unknown("profile", name, profile_names())
    return from_dict(name, tomllib.loads(file.read_text("utf-8")))


def _types(record: type) -> dict[str, type]:
    """Return the fields of a record with their types in TOML, which has no None: a choice among names is a string."""
    hints = get_type_hints(record)
    return {k: str if get_origin(hint) is Literal else next(iter(get_args(hint)), hint) for k, hint in hints.items()}


_KEYS = {
    "base": str, "about": str, "like": str, "decode": dict, "match": dict, "units": dict, "groups": dict,
    "labels": list, "schema": list, "metrics": list, "headline": str, "by_label": list, "scenarios": list,
    "undefined": float, "names": dict, "quirks": list, "search": dict,
}  # fmt: skip
_TABLES: dict[str, dict[str, type]] = {
    "decode": {"reader": str, "scheme": str, "separator": str, "suffix": bool, "merge": bool},
    "match": {
        "rule": str,
        "threshold": float,
        "kinds": bool,
        "duplicates": str,
        "ground": str,
        "normalize": list,
    },
    "units": _types(UnitPolicy),
    "groups": {"by": str, "names": list},
    "search": {"ties": str} | _types(LabelRules),
}


def from_dict(name: str, data: Mapping[str, Any], *, above: tuple[Path, ...] = ()) -> Profile:
    """Make a profile of its data; a key that nobody knows, or of the wrong type, is an error."""
    _check(data, _KEYS, "")
    for table, keys in _TABLES.items():
        _check(data.get(table, {}), keys, f"{table}.")
    base = (
        get_profile(data["base"], above=above)
        if "base" in data
        else Profile(name, metrics=_metrics(["precision", "recall", "f1"], {}))
    )
    decode, match = data.get("decode", {}), data.get("match", {})
    groups, search = data.get("groups", {}), data.get("search", {})
    searches = base.search or "search" in data
    reader = decode.get("reader", base.reader)
    if reader == "karat":  # as profiles said before Karatage had its name
        reader = "karatage"
    if reader not in get_args(Flavour):
        raise unknown("tag reader", reader, get_args(Flavour))
    names = {k: str(v) for k, v in data.get("names", {}).items()}
    rules = {key: own for key, own in search.items() if key != "ties"}
    kinds = match.get("kinds", base.kinds) or bool(data.get("scenarios"))
    profile = replace(
        base,
        name=name,
        about=data.get("about", base.about),
        like=data.get("like", base.like),
        reader=reader,
        style=Style(decode.get("separator", base.style.separator), decode.get("suffix", base.style.suffix)),
        merge=decode.get("merge", base.merge),
        rule=get_rule(match.get("rule", base.rule.name), match.get("threshold", base.rule.threshold)),
        kinds=kinds,
        duplicates=one_of("match.duplicates", match.get("duplicates", base.duplicates), ("error", "dedupe")),
        ground=one_of("match.ground", match.get("ground", base.ground), GROUND),
        form=ValueForm.of(match["normalize"]) if "normalize" in match else base.form,
        units=unit_policy(replace(base.units, **data.get("units", {})), searches),
        group_by=groups.get("by", base.group_by),
        schema=Schema(tuple(data.get("schema", base.schema.labels)), tuple(groups.get("names", base.schema.groups))),
        labels=tuple(data.get("labels", base.labels)),
        metrics=_metrics(data["metrics"], names) if "metrics" in data else base.metrics,
        by_label=_metrics(data["by_label"], {})
        if "by_label" in data
        else base.by_label or _metrics(["precision", "recall", "f1"], {}),
        scenarios=tuple(_scenario(s) for s in data.get("scenarios", base.scenarios)),
        undefined=_undefined(data["undefined"]) if "undefined" in data else base.undefined,
        search=searches,
        ties=one_of("search.ties", search.get("ties", base.ties), TIES),
        label_rules=checked(replace(base.label_rules, **rules), "search."),
        quirks=tuple(data.get("quirks", base.quirks)),
    )
    profile = replace(profile, **with_scheme(profile, decode.get("scheme", base.scheme)))
    profile.check_ground()
    headline = data.get(
        "headline", base.headline if base.headline in profile.metrics else next(iter(profile.metrics), "")
    )
    if headline not in profile.metrics:
        raise UsageError(f"the headline {headline!r} is not one of the metrics {', '.join(profile.metrics)}")
    for metric in (*profile.metrics.values(), *profile.by_label.values()):
        if metric.scenario and not kinds:
            raise UsageError(f"the metric {metric} needs match.kinds = true")
        if (metric.groups or metric.group is not None) and not profile.group_by:
            raise UsageError(f"the metric {metric} needs groups.by")
        if metric.average.over == "schema" and not profile.schema.labels:
            raise UsageError(f"the metric {metric} needs schema")
        if metric.measure.search_only and not searches:
            raise UsageError(f"the metric {metric} is for search and needs the table `search`")
    if searches:
        for text, metric in profile.metrics.items():
            profile.check_search(text, metric)
    return replace(profile, headline=headline)


def _undefined(value: Any) -> Undefined:
    """Read the number for undefined values, or one for each measure."""
    if not isinstance(value, dict):
        if not 0 <= value <= 1:
            raise UsageError(f"the profile key undefined must be between 0 and 1, not {value:g}")
        return float(value)
    known = [measure.name for measure in measures()]
    for name, number in value.items():
        if name not in known:
            raise unknown("measure", name, known)
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= 1:
            raise UsageError(f"the profile key undefined.{name} must be a number between 0 and 1, not {number!r}")
    return {name: float(number) for name, number in value.items()}


def _metrics(texts: list[Any], names: Mapping[str, str]) -> dict[str, Metric]:
    return {str(text): Metric.parse(names.get(str(text), str(text))) for text in texts}


def _scenario(name: str) -> str:
    if name not in SCENARIOS or not name:
        raise unknown("scenario", name, [s for s in SCENARIOS if s])
    return name


def _check(data: Mapping[str, Any], keys: Mapping[str, type], prefix: str) -> None:
    for key, value in data.items():
        home = next((table for table, inner in _TABLES.items() if not prefix and key in inner), None)
        if key not in keys and home:
            raise UsageError(f"unknown profile key {key!r}. It belongs in the table {home}: {home} = {{ {key} = … }}")
        if key not in keys:
            raise unknown("profile key", f"{prefix}{key}", [f"{prefix}{k}" for k in keys])
        kind = dict if key == "undefined" and isinstance(value, dict) else keys[key]
        if not isinstance(value, (int, float) if kind is float else kind) or (
            isinstance(value, bool) and kind is not bool
        ):
            raise UsageError(f"the profile key {prefix}{key} must be {_WORDS[kind]}, not {value!r}")
        if isinstance(value, list) and not all(isinstance(item, str) for item in value):
            raise UsageError(f"the profile key {prefix}{key} must be a list of strings, not {value!r}")
        if isinstance(value, float) and not isfinite(value):
            raise UsageError(f"the profile key {prefix}{key} must be a finite number, not {value!r}")


_WORDS = {str: "a string", dict: "a table", list: "a list", float: "a number", bool: "true or false"}
