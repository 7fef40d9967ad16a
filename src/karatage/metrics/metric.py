"""A metric is a value: its text parses to it, it prints as its text, and it says which way is better.

The grammar, in one line::

    [scenario_][groups_][micro_|macro_|weighted_|units_](precision|recall|f<β>|accuracy|fpr)[[label]][{group}][(over=…)]

The labels of a macro average are those of `gold`, the `union` of both sides (the default) or a declared `schema`.
Measures of ranked lists have a grammar of their own, that of ir_measures::

    name[(parameter=value, …)][@cutoff]

Examples: `f1`, `f0.2`, `recall[PER]`, `macro_f1(over=gold)`, `partial_recall`, `weighted_f1{1}`, `groups_weighted_f1`,
`units_f1`, `nDCG@10`, `P(rel=2)@5`, `recip_rank`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from karatage.errors import UsageError
from karatage.metrics.measure_texts import measure_text, near, parse_measure
from karatage.metrics.ranked_measures import MEASURES_OF_LISTS, Value

Average = Literal["micro", "macro", "weighted", "units"]
Over = Literal["gold", "union", "schema"]

SCENARIOS: dict[str, str] = {
    "": "credit as the matching rule gives it",
    "strict": "the same place and the same label (SemEval-2013)",
    "exact": "the same place, whatever the label (SemEval-2013)",
    "partial": "the same place counts whole and an overlap half, whatever the label (SemEval-2013)",
    "type": "an overlap and the same label (SemEval-2013)",
}

MEASURES: dict[str, str] = {
    "precision": "the share of predicted claims that are right: correct / predicted",
    "recall": "the share of gold claims that were found: correct / gold",
    "f": "the weighted harmonic mean of precision and recall: (1 + β²)PR / (β²P + R); β above 1 favours recall",
    "accuracy": "the share of tokens whose tag equals gold's; for labelled documents, of judged pairs that are right",
    "fpr": "the share of judged pairs that are not relevant and taken as relevant: false positives / negatives",
}

AVERAGES: dict[str, str] = {
    "micro": "over all claims at once (the default)",
    "macro": "the mean over labels, each counting the same",
    "weighted": "the mean over labels, weighted by their gold claims",
    "groups": "the mean over groups of units, each counting the same",
    "units": "the mean over units, such as queries, each counting the same",
}

_TEXT = re.compile(
    r"(?:(?P<scenario>strict|exact|partial|type)_)?"
    r"(?P<groups>groups_)?"
    r"(?:(?P<average>micro|macro|weighted|units)_)?"
    r"(?P<measure>precision|recall|accuracy|fpr|f(?P<beta>\d+(?:\.\d+)?))"
    r"(?:\[(?P<label>.+)\])?"
    r"(?:\{(?P<group>.*)\})?"
    r"(?:\(over=(?P<over>gold|union|schema)\))?"
)


_LARGEST = 1_000_000


@dataclass(frozen=True)
class Metric:
    """One way to make one number of a tally.

    Attributes:
        measure: precision, recall, f, accuracy, fpr, or a measure of ranked lists, such as nDCG.
        beta: how many times more recall weighs than precision, for f.
        average: over all claims, over labels, or over units.
        over: which labels a macro average runs over.
        scenario: one of SemEval-2013's ways to give credit; empty for the matching rule's.
        label: one label only.
        group: one group of units only.
        groups: whether to average over the groups of units.
        cutoff: the rank up to which a list counts.
        parameters: what else was said of a measure of ranked lists, where it is not the default.
    """

    measure: str = "f"
    beta: float = 1.0
    average: Average = "micro"
    over: Over = "union"
    scenario: str = ""
    label: str | None = None
    group: str | None = None
    groups: bool = False
    cutoff: int | None = None
    parameters: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        if self.ranked:
            return measure_text(self.measure, self.cutoff, self.parameters)
        name = f"f{self.beta:.15g}" if self.measure == "f" else self.measure
        return (
            (f"{self.scenario}_" if self.scenario else "")
            + ("groups_" if self.groups else "")
            + ("" if self.average == "micro" else f"{self.average}_")
            + name
            + (f"[{self.label}]" if self.label is not None else "")
            + (f"{{{self.group}}}" if self.group is not None else "")
            + (f"(over={self.over})" if self.average == "macro" and self.over != "union" else "")
        )

    @classmethod
    def parse(cls, text: str) -> Metric:
        """Read a metric's text."""
        found = _TEXT.fullmatch(text.strip())
        if found is None:
            measured = parse_measure(text.strip())
            if measured is not None:
                return cls(measured[0], average="units", cutoff=measured[1], parameters=measured[2])
            if _TEXT.fullmatch(text.strip().lower()):
                raise UsageError(f"unknown metric {text!r}. Did you mean {text.strip().lower()!r}?")
            raise UsageError(
                f"unknown metric {text[:80]!r}.{near(text)} Metrics look like f1, f0.2, recall[PER], macro_precision "
                "or nDCG@10; `karatage metrics` explains them"
            )
        beta = found["beta"]
        average: Average = found["average"] or "micro"  # type: ignore[assignment]  # the pattern allows no other
        if beta is not None and not 0 < float(beta) <= _LARGEST:
            raise UsageError(f"the β of {text[:40]!r} must lie above 0 and at most at {_LARGEST:,}")
        if found["over"] and average != "macro":
            raise UsageError(f"{text!r}: only a macro average has a choice of labels to run over")
        if found["label"] and (average != "micro" or found["groups"]):
            raise UsageError(f"{text!r}: one label cannot be averaged over labels, groups or units")
        if average == "units" and any(found[k] is not None for k in ("scenario", "groups", "group")):
            raise UsageError(f"{text!r}: a mean over units has no scenarios and no groups")
        if found["groups"] and found["group"] is not None:
            raise UsageError(f"{text!r}: an average over groups cannot be of one group")
        if found["measure"] in ("accuracy", "fpr") and (
            any(found[k] is not None for k in ("scenario", "groups", "label", "group", "over"))
            or found["average"] not in (None, "units")
        ):
            raise UsageError(
                f"{text!r}: {found['measure']} has no averages but that over units, no labels, groups or scenarios"
            )
        return cls(
            measure="f" if beta is not None else found["measure"],
            beta=float(beta) if beta is not None else 1.0,
            average=average,
            over=found["over"] or "union",  # type: ignore[arg-type]
            scenario=found["scenario"] or "",
            label=found["label"],
            group=found["group"],
            groups=bool(found["groups"]),
        )

    @property
    def higher_is_better(self) -> bool:
        """The direction: all but the false positive rate go up with quality."""
        return self.measure != "fpr"

    @property
    def per_unit(self) -> bool:
        """Whether it is a mean over units of values that belong to a unit each."""
        return self.average == "units"

    @property
    def ranked(self) -> bool:
        """Whether it is a measure of ranked lists, or of lists sorted by price."""
        return self.measure in MEASURES_OF_LISTS

    def parameter(self, name: str) -> Any:
        """Return a parameter of a measure of ranked lists."""
        return dict(self.parameters).get(name, MEASURES_OF_LISTS[self.measure].parameters[name].default)
