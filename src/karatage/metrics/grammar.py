"""The text of metrics: one parser, and one printer that inverts it.

Measures of counts, in one line::

    [scenario_][groups_][micro_|macro_|weighted_|units_]([token_]precision|[token_]recall|[token_]f<β>|accuracy|fpr)[[label]][{group}][(over=…)]

The labels of a macro average are those of `gold`, the `union` of both sides (the default) or a declared `schema`.
Measures of ranked lists are written as ir_measures does::

    name[(parameter=value, …)][@cutoff]

and are read as trec_eval writes them, too (`ndcg_cut_10`, `recip_rank`).

Examples: `f1`, `f0.2`, `recall[PER]`, `macro_f1(over=gold)`, `partial_recall`, `weighted_f1{1}`, `groups_weighted_f1`,
`units_f1`, `macro_token_f1`, `nDCG@10`, `P(rel=2)@5`, `recip_rank`.
"""

from __future__ import annotations

import difflib
import re
from functools import cache

from karatage.errors import UnknownNameError, UsageError, unknown
from karatage.metrics.averages import MICRO, UNITS, WEIGHTED, Average, Macro
from karatage.metrics.measure import MEASURES, CountMeasure
from karatage.metrics.metric import Metric
from karatage.metrics.query_measure import QueryMeasure

MOST = 1_000_000_000
_OF_COUNTS = re.compile(
    r"(?:(?P<scenario>strict|exact|partial|type)_)?"
    r"(?P<groups>groups_)?"
    r"(?:(?P<average>micro|macro|weighted|units)_)?"
    r"(?P<measure>[a-z][a-z_]*?)(?P<number>\d+(?:\.\d+)?)?"
    r"(?:\[(?P<label>.+)\])?"
    r"(?:\{(?P<group>.*)\})?"
    r"(?:\(over=(?P<over>gold|union|schema)\))?"
)
_OF_QUERIES = re.compile(
    r"(?P<name>(?:11pt_)?[A-Za-z][A-Za-z_-]*?)(?:\((?P<inside>[^()]*)\))?"
    r"(?P<cut>[@_.](?P<k>[0-9]{1,12}(?:\.[0-9]{1,9})?|\.[0-9]{1,9}))?"
)
_RANX = {"ndcg_burges": ("ndcg", {"gain": "exp"})}


class _Known:
    """The measures that a text may name.

    Args:
        plugins: whether those of other packages are among them.
    """

    def __init__(self, plugins: bool) -> None:
        found = [MEASURES[name] for name in MEASURES.names(plugins=plugins)]
        self.of_counts = {own.name: own for own in found if issubclass(own, CountMeasure)}
        of_queries = [own for own in found if issubclass(own, QueryMeasure)]
        self.of_queries = {own.name.lower(): own for own in of_queries}
        self.aliases = {alias: own for own in of_queries for alias in own.aliases}


_known = cache(_Known)


def text_of(metric: Metric) -> str:
    """Return the text that parses to a metric."""
    average = metric.average
    if not isinstance(metric.measure, CountMeasure):
        return str(metric.measure)
    return (
        (f"{metric.scenario}_" if metric.scenario else "")
        + ("groups_" if metric.groups else "")
        + ("" if average == MICRO else f"{average.name}_")
        + str(metric.measure)
        + (f"[{metric.label}]" if metric.label is not None else "")
        + (f"{{{metric.group}}}" if metric.group is not None else "")
        + (f"(over={average.over})" if isinstance(average, Macro) and average.over != "union" else "")
    )


def parse(text: str) -> Metric:
    """Read a metric's text."""
    bare = str(text).strip()
    for plugins in (False, True):  # looking for plugins takes a while
        known = _known(plugins)
        found = _of_counts(bare, known) or _of_queries(bare, known)
        if found is not None:
            return found
    if _of_counts(bare.lower(), _known(True)):
        raise UnknownNameError(f"unknown metric {text!r}. Did you mean {bare.lower()!r}?")
    raise UnknownNameError(
        f"unknown metric {bare[:80]!r}.{_near(bare, _known(True))} Examples: f1, f0.2, recall[PER], "
        "macro_precision, nDCG@10. `karatage metrics` lists all"
    )


def _of_counts(text: str, known: _Known) -> Metric | None:
    found = _OF_COUNTS.fullmatch(text)
    if found is None or found["measure"] not in known.of_counts:
        return None
    measure = known.of_counts[found["measure"]].parse(found["number"])
    if measure is None:
        return None
    of_labels = found["average"] in ("macro", "weighted")
    if found["over"] and found["average"] != "macro":
        raise UsageError(f"{text!r}: only macro averages take over=…")
    if found["scenario"] and measure.by_token:
        raise UsageError(f"{text!r}: {measure.name} has no scenarios, which are about the boundaries of entities")
    if found["label"] and (found["average"] not in (None, "micro") or found["groups"]):
        raise UsageError(f"{text!r}: a metric of one label cannot be averaged")
    if found["average"] == "units" and any(found[k] is not None for k in ("scenario", "groups", "group")):
        raise UsageError(f"{text!r}: units_ cannot be combined with scenarios or groups")
    if found["groups"] and found["group"] is not None:
        raise UsageError(f"{text!r}: use either groups_ or one group, not both")
    if not measure.by_label and (
        of_labels or any(found[k] is not None for k in ("scenario", "groups", "label", "group", "over"))
    ):
        raise UsageError(
            f"{text!r}: {measure.name} has no labels, groups or scenarios, and no averages other than units_"
        )
    averages: dict[str | None, Average] = {"weighted": WEIGHTED, "units": UNITS}
    if found["average"] == "macro":
        averages["macro"] = Macro(found["over"] or "union")  # type: ignore[arg-type]  # the pattern allows no other
    return Metric(
        measure,
        averages.get(found["average"], MICRO),
        scenario=found["scenario"] or "",
        label=found["label"],
        group=found["group"],
        groups=bool(found["groups"]),
    )


def _of_queries(text: str, known: _Known) -> Metric | None:
    found = _OF_QUERIES.fullmatch(text)
    if found is None:
        return None
    name, cut = found["name"].lower(), found["cut"]
    cut = cut.replace(".", "_", 1) if cut and cut[0] == "." else cut  # trec_eval itself writes ndcg_cut.10
    implied: dict[str, str] = {}
    if name in _RANX and (not cut or cut.startswith("@")):
        name, implied = _RANX[name]
    # `ndcg_cut_10` cuts with an underscore, `nDCG@10` with an at sign.
    alias = name + ("" if cut is None else f"{cut[0]}@" if cut[0] == "_" else "@")
    measure = known.aliases.get(alias)
    if measure is None and (cut is None or cut[0] == "@"):
        measure = known.of_queries.get(name)
    if measure is None:
        return None
    if cut is None and measure.cutoffs == "needed":
        raise UsageError(f"{text!r} needs a cutoff, as in {measure.name}@10")
    if cut is not None and measure.number and alias in known.aliases:
        implied, cut = {measure.number: found["k"]}, None
    if cut is not None and measure.cutoffs == "none":
        raise UsageError(f"{text!r}: {measure.name} takes no cutoff")
    if cut is not None and "." in found["k"]:
        raise UsageError(f"{text!r}: the cutoff must be a whole number")
    cutoff = int(found["k"]) if cut else None
    if cutoff is not None and not 0 < cutoff <= MOST:
        raise UsageError(f"{text!r}: the cutoff must be at least 1 and at most {MOST:,}")
    return Metric(measure(cutoff=cutoff, **_parameters(measure, found["inside"] or "", implied, text)), UNITS)


def _parameters(
    measure: type[QueryMeasure], inside: str, implied: dict[str, str], text: str
) -> dict[str, float | int | str]:
    given, known = dict(implied), measure.parameters()
    for part in inside.split(","):
        if not part.strip():
            continue
        name, sign, value = (word.strip() for word in part.partition("="))
        name = {"dcg": "gain", "max_rel": "max"}.get(name, name)
        if not sign or name not in known:
            raise unknown(f"parameter of {measure.name}", name, [*known] or ["none"])
        if name in given and given[name] != implied.get(name):
            raise UsageError(f"{text!r} names {name} twice")
        given[name] = value.strip("'\"")
    out = {}
    for name, value in given.items():
        read = known[name].read(value)
        if read is None:
            raise UsageError(f"{text!r}: {name} is {known[name].what}, not {value!r}")
        out[name] = read
    return out


def _near(text: str, known: _Known) -> str:
    """Return what was probably meant by a text that is no metric, as a sentence for a message."""
    if re.search(r"[,\s](?![^(]*\))", text):
        return " List metrics and cutoffs one by one."
    name, rest = re.fullmatch(r"([A-Za-z_]*)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
    bare = name.lower().rstrip("_")
    counted = difflib.get_close_matches(bare, [n for n in known.of_counts if len(n) > 1], n=1, cutoff=0.7)
    if counted and not rest and bare not in known.of_counts:
        return f" Did you mean {counted[0]!r}?"
    names = {alias.rstrip("@").rstrip("_"): measure for alias, measure in known.aliases.items()} | known.of_queries
    found = difflib.get_close_matches(bare, names, n=1, cutoff=0.7)
    if not found or bare in names:
        return ""
    measure = names[found[0]]
    cut = re.search(r"[0-9]{1,9}$", rest or name)
    at = f"@{cut[0]}" if cut and measure.cutoffs != "none" else "@10" if measure.cutoffs == "needed" else ""
    return f" Did you mean {measure.name + at!r}?"
