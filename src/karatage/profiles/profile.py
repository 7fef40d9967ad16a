"""Profiles: named bundles of decisions, kept as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from karatage.claims import Flavour, Style, TagDecoder, scheme
from karatage.errors import UsageError, unknown
from karatage.matching import Ground, LabelRules, Rule, UnitPolicy, ValueForm, get_rule
from karatage.metrics import FBeta, Metric, Schema, Undefined
from karatage.profiles.profile_options import ProfileOptions

DETECT = "detect"
Record = TypeVar("Record", LabelRules, UnitPolicy)


@dataclass(frozen=True)
class Profile:
    """Every decision that a score depends on.

    Attributes:
        name: how users call it.
        about: one sentence on what it is.
        like: the tool or challenge whose numbers it reproduces; empty for Karatage's own.
        reader: whose reading of tags: `karatage`, `conlleval` or `seqeval-strict`.
        scheme: the scheme to enforce; empty reads any leniently; `detect` takes the only one that fits gold (in
            seqeval-strict the one that seqeval takes).
        style: the separator and the side of the prefix in tags.
        merge: whether adjacent entities of one label are one entity, as where a tag is a bare label.
        rule: what earns credit.
        kinds: whether the kinds of error are counted.
        ground: which occurrences of predicted values without offsets become spans: `none`, the `first`, or `all`.
        form: the form in which values are compared and found in the text.
        duplicates: whether a gold claim that occurs twice is an error or counts once.
        units: what happens where gold and predictions have different units.
        group_by: a unit attribute to count apart by; empty for none.
        schema: declared labels and groups.
        labels: the only labels to score; empty for all.
        metrics: the metrics to report, by the names that they are reported under.
        chosen: whether the call named the metrics.
        named: whether the call named the profile.
        headline: the metric to look at first.
        by_label: the metrics to report for each label.
        scenarios: the scenarios of SemEval-2013 to report with all their counts.
        undefined: the number to export where a value is undefined, or one for each measure; None exports none.
        search: whether it scores the relevance of documents to queries, and not claims about texts.
        ties: the order of results with the same score: `trec_eval`'s, or `expected` over all orders.
        depth: how many results of each query are scored; 0 for all.
        label_rules: what to do about labels of documents, and prices, that are not as they should be.
        quirks: where the tool differs from Karatage's own rules, for the documentation.
        options: the decisions that the call changed, by name.
        logged: the metrics that a log of scores has, which are all that there are; empty where scores are computed.
    """

    name: str
    about: str = ""
    like: str = ""
    reader: Flavour = "karatage"
    scheme: str = ""
    style: Style = field(default_factory=Style)
    merge: bool = False
    rule: Rule = field(default_factory=get_rule)
    kinds: bool = False
    ground: Ground = "none"
    form: ValueForm = field(default_factory=ValueForm)
    duplicates: Literal["error", "dedupe"] = "error"
    units: UnitPolicy = field(default_factory=UnitPolicy)
    group_by: str = ""
    schema: Schema = field(default_factory=Schema)
    labels: tuple[str, ...] = ()
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    chosen: bool = False
    named: bool = False
    headline: str = "f1"
    by_label: Mapping[str, Metric] = field(default_factory=dict)
    scenarios: tuple[str, ...] = ()
    undefined: Undefined = None
    search: bool = False
    ties: Literal["trec_eval", "expected"] = "trec_eval"
    depth: int = 0
    label_rules: LabelRules = field(default_factory=LabelRules)
    quirks: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    logged: Mapping[str, Metric] = field(default_factory=dict)

    def decoder(self) -> TagDecoder:
        """Make the decoder of tags; the scheme must be known by now."""
        return TagDecoder(scheme(self.scheme) if self.scheme else None, self.style, self.reader)

    def with_options(self, options: ProfileOptions) -> Profile:
        """Return the profile with some decisions changed; None leaves a decision as it is."""
        given = options.changes()
        for name in given:
            if self.logged and name not in ("metrics", "missing", "check_text"):
                raise UsageError(f"a log has scores already, so the option {name!r} does not apply")
            if (
                not self.logged
                and name not in ("metrics", "missing", "extra", "duplicates")
                and (name in ("ties", "depth")) != self.search
            ):
                kind = "search, which" if self.search else "extraction, which"
                raise UsageError(f"the profile {self.name} is for {kind} has no option {name!r}")
        wanted = given.pop("metrics", None)
        shown = {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}
        changes: dict[str, Any] = {name: given[name] for name in ("group_by", "labels") if name in given}
        if options.scheme is not None:
            changes |= with_scheme(self, options.scheme)
        style = {name: given[name] for name in ("separator", "suffix") if name in given}
        policy = {name: given[name] for name in ("missing", "extra", "truncated", "check_text") if name in given}
        if options.match is not None or options.threshold is not None:
            changes["rule"] = get_rule(options.match or self.rule.name, options.threshold)
        for name, allowed in (("ties", TIES), ("duplicates", DUPLICATES), ("ground", GROUND)):
            if name in given:
                changes[name] = one_of(name, given[name], allowed)
        if "normalize" in given:
            changes["form"] = ValueForm.of(given["normalize"])  # type: ignore[arg-type]
        if options.depth is not None:
            if options.depth < 1:
                raise UsageError(f"the depth is {options.depth}, but must be at least 1")
            changes["depth"] = options.depth
        changed = replace(
            self,
            named=self.named or options.like is not None,
            options={**self.options, **shown},
            style=replace(self.style, **style),  # type: ignore[arg-type]
            units=unit_policy(replace(self.units, **policy), self.search or bool(self.logged)),  # type: ignore[arg-type]
            **changes,
        )
        changed.check_ground()
        if wanted is None:
            return changed
        chosen = {text: changed.metric(text) for text in options.metric_names()}
        if not chosen:
            raise UsageError("name at least one metric")
        return replace(changed, metrics=chosen, headline=next(iter(chosen)), chosen=True)

    def check_ground(self) -> None:
        """Refuse to make spans of values that are not compared as spans."""
        if self.ground != "none" and self.rule.of_values:
            raise UsageError(
                f"the profile {self.full_name} compares values wherever they are: --ground works with profiles that "
                "compare spans, e.g. --like exact"
            )

    @property
    def exports(self) -> str:
        """What becomes of an undefined value, in words."""
        if self.undefined is None:
            return "stay undefined"
        if not isinstance(self.undefined, Mapping):
            return f"reported as {self.undefined:g}"
        return "reported as " + ", ".join(f"{number:g} for {name}" for name, number in self.undefined.items())

    @property
    def full_name(self) -> str:
        """The name, and what the call changed."""
        changes = ", ".join(f"{name}={_shown(value)}" for name, value in self.options.items())
        return self.name + (f" with {changes}" if changes else "")

    @property
    def label_headline(self) -> Metric:
        """The metric by label that is most like the headline."""
        headline = self.metrics[self.headline]
        like = (headline.measure, headline.scenario)
        found = [m for m in self.by_label.values() if (m.measure, m.scenario) == like]
        return found[0] if found else list(self.by_label.values())[-1]

    @property
    def claims_headline(self) -> Metric:
        """The headline; where that counts tokens, of which errors of claims do not tell, the metric shown by label."""
        headline = self.metrics[self.headline]
        return replace(self.claims_label_headline, label=None) if headline.measure.counts_tokens else headline

    @property
    def claims_label_headline(self) -> Metric:
        """The metric by label that is most like the headline and counts claims."""
        found = [m for m in (*self.by_label.values(), self.label_headline) if not m.measure.counts_tokens]
        return found[-1] if found else Metric(FBeta())

    def check_search(self, text: str, metric: Metric) -> None:
        """Refuse a metric that search does not have."""
        groups = metric.groups or metric.group is not None
        if groups or metric.measure.by_token or not metric.reads_sums or metric.label is not None or metric.scenario:
            raise UsageError(f"the metric {text!r} is for extraction, but the profile {self.name} is for search")

    def metric(self, text: str) -> Metric:
        """Find a metric by the name that this profile gives it, or by its own text."""
        if text in self.metrics:
            return self.metrics[text]
        if self.logged:
            if text not in self.logged:
                raise unknown("metric of the log", text, self.logged)
            return self.logged[text]
        metric = Metric.parse(text)
        if metric.measure.search_only and not self.search:
            raise UsageError(f"the metric {text!r} is for search. Use a search profile, e.g. --like trec")
        if self.search:
            self.check_search(text, metric)
        if metric.scenario and not self.kinds:
            raise UsageError(f"the metric {text!r} needs the kinds of error. Use --like semeval2013")
        if metric.average.over == "schema" and not self.schema.labels:
            raise UsageError(f"the metric {text!r} needs a profile with a schema of labels (schema = [...])")
        if (metric.groups or metric.group is not None) and not self.group_by:
            raise UsageError(f"the metric {text!r} needs groups. Name an attribute with --group-by")
        return metric


def _shown(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def with_scheme(profile: Profile, name: str) -> dict[str, Any]:
    """Return what changes where a scheme is enforced."""
    if name and name != DETECT:
        name = scheme(name).name
    if profile.reader == "conlleval" and name:
        raise UsageError(
            f"the profile {profile.name} does not distinguish schemes. "
            "Use --scheme with --like exact or --like seqeval-strict"
        )
    return {"scheme": name}


def one_of(what: str, value: Any, allowed: tuple[str, ...]) -> Any:
    """Return a value that is allowed; any other is an error."""
    if value not in allowed:
        raise unknown(f"value of {what}", str(value), allowed)
    return value


TIES = ("trec_eval", "expected")
DUPLICATES = ("error", "dedupe")
GROUND = get_args(Ground)


def checked(record: Record, table: str = "") -> Record:
    """Return a record whose choices are allowed by their types; any other is an error."""
    for name, allowed in _choices(type(record)).items():  # type: ignore[arg-type]  # a class is hashable
        one_of(table + name, getattr(record, name), allowed)
    return record


@cache
def _choices(record: type) -> dict[str, tuple[str, ...]]:
    return {name: get_args(hint) for name, hint in get_type_hints(record).items() if get_origin(hint) is Literal}


def unit_policy(policy: UnitPolicy, search: bool) -> UnitPolicy:
    """Return a policy whose values are allowed: only search can ignore missing queries, or lacks empty ones in gold."""
    if not search:
        one_of("missing", policy.missing, ("error", "empty"))
    else:
        one_of("extra", policy.extra, ("error", "ignore"))
    return checked(policy)
