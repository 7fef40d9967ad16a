"""Profiles: named bundles of decisions, kept as data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Any, Literal, get_args

from karat.claims import Decoder, Style, scheme
from karat.claims.decoding import Flavour
from karat.errors import UsageError, unknown
from karat.matching import Rule, UnitPolicy
from karat.metrics import MEASURES, MEASURES_OF_LISTS, SCENARIOS, Metric, Schema, Undefined

DETECT = "detect"


@dataclass(frozen=True)
class Profile:
    """Every decision that a score depends on.

    Attributes:
        name: how users call it.
        about: one sentence on what it is.
        like: the tool or challenge whose numbers it reproduces; empty for Karat's own.
        reader: whose reading of tags: `karat`, `conlleval` or `seqeval-strict`.
        scheme: the scheme to enforce; empty reads any leniently; `detect` takes the only one that fits gold (in
            seqeval-strict the one that seqeval takes).
        style: the separator and the side of the prefix in tags.
        rule: what earns credit.
        kinds: whether the kinds of error are counted.
        duplicates: whether a gold claim that occurs twice is an error or counts once.
        units: what happens where gold and predictions have different units.
        group_by: a unit attribute to count apart by; empty for none.
        schema: declared labels and groups.
        labels: the only labels to score; empty for all.
        metrics: the metrics to report, by the names that they are reported under.
        headline: the metric to look at first.
        by_label: the metrics to report for each label.
        scenarios: the scenarios of SemEval-2013 to report with all their counts.
        undefined: the number to export where a value is undefined, or one for each measure; None exports none.
        search: whether it scores the relevance of documents to queries, and not claims about texts.
        ties: the order of results with the same score: `trec_eval`'s, or `expected` over all orders.
        strict: whether labels that are none, rows of different lengths and pairs that occur twice are errors.
        quirks: where the tool differs from Karat's own rules, for the documentation.
        options: the decisions that the call changed, by name.
    """

    name: str
    about: str = ""
    like: str = ""
    reader: Flavour = "karat"
    scheme: str = ""
    style: Style = field(default_factory=Style)
    rule: Rule = field(default_factory=Rule)
    kinds: bool = False
    duplicates: Literal["error", "dedupe"] = "error"
    units: UnitPolicy = field(default_factory=UnitPolicy)
    group_by: str = ""
    schema: Schema = field(default_factory=Schema)
    labels: tuple[str, ...] = ()
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    headline: str = "f1"
    by_label: Mapping[str, Metric] = field(default_factory=dict)
    scenarios: tuple[str, ...] = ()
    undefined: Undefined = None
    search: bool = False
    ties: Literal["trec_eval", "expected"] = "trec_eval"
    strict: bool = True
    quirks: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def decoder(self) -> Decoder:
        """Make the decoder of tags; the scheme must be known by now."""
        return Decoder(scheme(self.scheme) if self.scheme else None, self.style, self.reader)

    def with_options(self, **options: Any) -> Profile:
        """Return the profile with some decisions changed; None leaves a decision as it is.

        Args:
            options: `scheme`, `separator`, `suffix`, `match`, `threshold`, `duplicates`, `missing`, `extra`,
                `truncated`, `check_text`, `group_by`, `labels`, `metrics`; for search `missing`, `extra`, `ties`,
                `metrics`.
        """
        given = {name: value for name, value in options.items() if value is not None}
        for name in ("labels", "metrics"):
            if isinstance(given.get(name), str):
                given[name] = (given[name],)
        for name in given:
            if name in _OPTIONS and name not in ("metrics", "missing", "extra") and (name == "ties") != self.search:
                kind = "search, which" if self.search else "extraction, which"
                raise UsageError(f"the profile {self.name} is for {kind} has no option {name!r}")
        shown = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in given.items()
            if name != "metrics"
        }
        changes: dict[str, Any] = {"options": dict(self.options) | shown}
        if "scheme" in given:
            changes |= _with_scheme(self, given.pop("scheme"))
        style = {k: given.pop(k) for k in ("separator", "suffix") if k in given}
        if style:
            changes["style"] = replace(self.style, **style)
        if "match" in given or "threshold" in given:
            name = given.pop("match", self.rule.name)
            changes["rule"] = Rule(name, given.pop("threshold", None))
        policy = {k: given.pop(k) for k in ("missing", "extra", "truncated", "check_text") if k in given}
        if policy:
            changes["units"] = _policy(replace(self.units, **policy), self.search)
        if "ties" in given:
            changes["ties"] = _one_of("ties", given.pop("ties"), _TIES)
        if "duplicates" in given:
            changes["duplicates"] = _one_of("duplicates", given.pop("duplicates"), ("error", "dedupe"))
        for name in ("group_by", "labels"):
            if name in given:
                changes[name] = tuple(given.pop(name)) if name == "labels" else given.pop(name)
        wanted = given.pop("metrics", None)
        if given:
            raise unknown("option", next(iter(given)), _OPTIONS)
        changed = replace(self, **changes)
        if wanted is None:
            return changed
        chosen = {str(text): changed.metric(str(text)) for text in wanted}
        if not chosen:
            raise UsageError("name at least one metric")
        return replace(changed, metrics=chosen, headline=next(iter(chosen)))

    @property
    def exports(self) -> str:
        """What becomes of an undefined value, in words."""
        if self.undefined is None:
            return "stays undefined"
        if not isinstance(self.undefined, Mapping):
            return f"is exported as {self.undefined:g}"
        return "is exported as " + ", ".join(f"{number:g} for {name}" for name, number in self.undefined.items())

    @property
    def made_by(self) -> str:
        """The name, and what the call changed."""
        changes = ", ".join(f"{name}={_shown(value)}" for name, value in self.options.items())
        return self.name + (f" with {changes}" if changes else "")

    @property
    def label_headline(self) -> Metric:
        """The metric by label that is most like the headline."""
        headline = self.metrics[self.headline]
        like = (headline.measure, headline.beta, headline.scenario)
        found = [m for m in self.by_label.values() if (m.measure, m.beta, m.scenario) == like]
        return found[0] if found else list(self.by_label.values())[-1]

    def check_search(self, text: str, metric: Metric) -> None:
        """Refuse a metric that search does not have."""
        groups = metric.groups or metric.group is not None
        if groups or metric.average not in ("micro", "units") or metric.label is not None or metric.scenario:
            raise UsageError(
                f"the metric {text!r} is for extraction: the profile {self.name} knows no labels or groups"
            )

    def metric(self, text: str) -> Metric:
        """Find a metric by the name that this profile gives it, or by its own text."""
        if text in self.metrics:
            return self.metrics[text]
        metric = Metric.parse(text)
        if metric.ranked and not self.search:
            raise UsageError(f"the metric {text!r} is for search: choose a profile such as trec with --like")
        if self.search:
            self.check_search(text, metric)
        if metric.scenario and not self.kinds:
            raise UsageError(
                f"the metric {text!r} belongs to the profile semeval2013: choose it with --like semeval2013"
            )
        if metric.over == "schema" and not self.schema.labels:
            raise UsageError(f"the metric {text!r} needs a profile that declares its labels (schema = [...])")
        if (metric.groups or metric.group is not None) and not self.group_by:
            raise UsageError(f"the metric {text!r} needs groups of units: name an attribute with --group-by")
        return metric


_OPTIONS = (
    "scheme", "separator", "suffix", "match", "threshold", "duplicates", "missing", "extra", "truncated",
    "check_text", "group_by", "labels", "metrics", "ties",
)  # fmt: skip


def _shown(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _with_scheme(profile: Profile, name: str) -> dict[str, Any]:
    if name and name != DETECT:
        name = scheme(name).name
    if profile.reader == "conlleval" and name:
        raise UsageError(
            f"the profile {profile.name} reads every scheme the same way; "
            "name a scheme with --like exact, or use --like seqeval-strict"
        )
    return {"scheme": name}


def _one_of(what: str, value: Any, allowed: tuple[str, ...]) -> Any:
    if value not in allowed:
        raise unknown(f"value of {what}", str(value), allowed)
    return value


_TIES = ("trec_eval", "expected")


def _policy(policy: UnitPolicy, search: bool) -> UnitPolicy:
    _one_of("missing", policy.missing, ("error", "empty", "ignore") if search else ("error", "empty"))
    _one_of("extra", policy.extra, ("error", "ignore"))
    _one_of("truncated", policy.truncated, ("error", "missed"))
    return policy


def profile_names() -> list[str]:
    """Return the names of the built-in profiles."""
    return sorted(
        item.name.removesuffix(".toml") for item in files(__package__).iterdir() if item.name.endswith(".toml")
    )


def get_profile(name: str | Path | Profile, *, above: tuple[Path, ...] = ()) -> Profile:
    """Return a built-in profile by its name, or read the user's own from a TOML file.

    Args:
        name: the name, the path of a file that ends in `.toml`, or a profile, which is returned as it is.
        above: the files whose base this is.
    """
    if isinstance(name, Profile):
        return name
    text = str(name)
    if text in profile_names():
        return _built_in(text)
    path = Path(text)
    if path.suffix != ".toml":
        raise unknown("profile", text, profile_names())
    if path in above:
        raise UsageError("its base leads back to itself")
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{text}: {error.strerror}. Is this the profile's file?") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{text}: not a TOML file: {error}") from None
    try:
        return from_dict(path.stem, data, above=(*above, path))
    except UsageError as error:
        raise UsageError(f"{text}: {error}") from None


@cache
def _built_in(name: str) -> Profile:
    return from_dict(name, tomllib.loads((files(__package__) / f"{name}.toml").read_text("utf-8")))


_KEYS = {
    "base": str, "about": str, "like": str, "decode": dict, "match": dict, "units": dict, "groups": dict,
    "labels": list, "schema": list, "metrics": list, "headline": str, "by_label": list, "scenarios": list,
    "undefined": float, "names": dict, "quirks": list, "search": dict,
}  # fmt: skip
_TABLES: dict[str, dict[str, type]] = {
    "decode": {"reader": str, "scheme": str, "separator": str, "suffix": bool},
    "match": {"rule": str, "threshold": float, "kinds": bool, "duplicates": str},
    "units": {"missing": str, "extra": str, "truncated": str, "check_text": bool},
    "groups": {"by": str, "names": list},
    "search": {"ties": str, "strict": bool},
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
    if decode.get("reader", base.reader) not in get_args(Flavour):
        raise unknown("tag reader", decode["reader"], get_args(Flavour))
    names = {k: str(v) for k, v in data.get("names", {}).items()}
    kinds = match.get("kinds", base.kinds) or bool(data.get("scenarios"))
    profile = replace(
        base,
        name=name,
        about=data.get("about", base.about),
        like=data.get("like", base.like),
        reader=decode.get("reader", base.reader),
        style=Style(decode.get("separator", base.style.separator), decode.get("suffix", base.style.suffix)),
        rule=Rule(match.get("rule", base.rule.name), match.get("threshold", base.rule.threshold)),
        kinds=kinds,
        duplicates=_one_of("match.duplicates", match.get("duplicates", base.duplicates), ("error", "dedupe")),
        units=_policy(replace(base.units, **data.get("units", {})), searches),
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
        ties=_one_of("search.ties", search.get("ties", base.ties), _TIES),
        strict=search.get("strict", base.strict),
        quirks=tuple(data.get("quirks", base.quirks)),
    )
    profile = replace(profile, **_with_scheme(profile, decode.get("scheme", base.scheme)))
    headline = data.get(
        "headline", base.headline if base.headline in profile.metrics else next(iter(profile.metrics), "")
    )
    if headline not in profile.metrics:
        raise UsageError(f"the headline {headline!r} is not among the metrics {', '.join(profile.metrics)}")
    for metric in (*profile.metrics.values(), *profile.by_label.values()):
        if metric.scenario and not kinds:
            raise UsageError(f"the metric {metric} needs match.kinds = true")
        if (metric.groups or metric.group is not None) and not profile.group_by:
            raise UsageError(f"the metric {metric} needs groups.by")
        if metric.over == "schema" and not profile.schema.labels:
            raise UsageError(f"the metric {metric} needs schema")
        if metric.ranked and not searches:
            raise UsageError(f"the metric {metric} needs the table search")
    if searches:
        for text, metric in profile.metrics.items():
            profile.check_search(text, metric)
    return replace(profile, headline=headline)


def _undefined(value: Any) -> Undefined:
    """Read the number for undefined values, or one for each measure."""
    if not isinstance(value, dict):
        if not 0 <= value <= 1:
            raise UsageError(f"the profile key undefined must lie between 0 and 1, not at {value:g}")
        return float(value)
    for name, number in value.items():
        if name not in (*MEASURES, *MEASURES_OF_LISTS):
            raise unknown("measure", name, [*MEASURES, *MEASURES_OF_LISTS])
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
            raise UsageError(f"unknown profile key {key!r}. It belongs to the table {home}: {home} = {{ {key} = … }}")
        if key not in keys:
            raise unknown("profile key", f"{prefix}{key}", [f"{prefix}{k}" for k in keys])
        kind = dict if key == "undefined" and isinstance(value, dict) else keys[key]
        if not isinstance(value, (int, float) if kind is float else kind) or (
            isinstance(value, bool) and kind is not bool
        ):
            raise UsageError(f"the profile key {prefix}{key} must be {_WORDS[kind]}, not {value!r}")
        if isinstance(value, list) and not all(isinstance(item, str) for item in value):
            raise UsageError(f"the profile key {prefix}{key} must be a list of texts, not {value!r}")
        if isinstance(value, float) and not isfinite(value):
            raise UsageError(f"the profile key {prefix}{key} must be a finite number, not {value!r}")


_WORDS = {str: "a text", dict: "a table", list: "a list", float: "a number", bool: "true or false"}
