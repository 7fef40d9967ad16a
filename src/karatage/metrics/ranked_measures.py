"""What is measured of a ranked list: names, parameters and aliases; the arithmetic is in `karatage.metrics.ranked`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Value = float | int | str


@dataclass(frozen=True)
class Parameter:
    """A parameter of a measure.

    Attributes:
        default: its value where it is not named.
        read: reads its text; None is an error.
        what: what it may be, for messages.
        named: whether a metric's text always names it.
    """

    default: Value
    read: Callable[[str], Value | None]
    what: str
    named: bool = False


@dataclass(frozen=True)
class Measure:
    """A measure of a ranked list.

    Attributes:
        name: what it is called.
        about: one sentence on what it is.
        formula: how it is computed, in one line.
        cite: where it was defined.
        example: its value for `EXAMPLE`, as one works it out by hand.
        cutoff: whether its text names a rank to cut at.
        parameters: what else may be said of it.
        aliases: other names, in lower case; `@` stands for a cutoff.
        labels: whether it needs labels and prices instead of a ranked list.
    """

    name: str
    about: str
    formula: str
    cite: str
    example: str
    cutoff: Literal["needed", "optional", "none"] = "none"
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    labels: bool = False


HIGHEST = 1000
"""The highest grade that 2 to its power can be taken of."""


def _whole(most: int) -> Callable[[str], int | None]:
    return lambda text: int(text) if re.fullmatch(r"[0-9]{1,9}", text) and 0 < int(text) <= most else None


def _decimal(below: float) -> Callable[[str], float | None]:
    number = re.compile(r"[0-9]{0,15}\.?[0-9]{0,15}")
    return lambda text: float(text) if number.fullmatch(text) and text.strip(".") and 0 < float(text) < below else None


def _choice(**names: Value) -> Callable[[str], Value | None]:
    return lambda text: names.get(text.replace("-", "_").lower())


_REL = Parameter(1, _whole(999_999_999), "a whole number from 1: the least grade that counts as relevant")
_JUDGED = Parameter(
    False,
    _choice(true=True, false=False),
    "True, which leaves results out that were not judged, or False",
)
_GAIN = Parameter(
    "linear",
    _choice(linear="linear", exp="exp", exponential="exp", log2="linear", exp_log2="exp"),
    "linear (the grade itself, as in trec_eval) or exp (2^grade - 1)",
    named=True,
)

EXAMPLE = (
    {"q": {"a": 2, "b": 0, "d": 1, "e": 0, "f": -1, "g": 1, "h": 0}},
    {"q": {"a": 9.0, "b": 8.0, "c": 7.0, "d": 6.0, "e": 5.0, "f": 4.0}},
)
"""Judgements and results to try measures on: the results have the grades 2, 0, none, 1, 0 and -1, which is none either;
a document of grade 1 and one of grade 0 were not retrieved."""

MEASURES_OF_LISTS = {
    measure.name: measure
    for measure in (
        Measure(
            "nDCG",
            "gains of the results, discounted by the logarithm of their rank, as a share of what the best order gets",
            "Σ gain(i)/log2(i + 1) over ranks i up to k, divided by the same sum over the ideal list",
            "Järvelin and Kekäläinen 2002; with exp: Burges et al. 2005",
            "nDCG@4 = (2 + 1/log2(5)) / (2 + 1/log2(3) + 1/log2(4))",
            "optional",
            {"gain": _GAIN, "judged_only": _JUDGED},
            ("ndcg", "ndcg@", "ndcg_cut_@"),
        ),
        Measure(
            "AP",
            "the mean of the precision at each relevant document, 0 for those that were not found",
            "1/R Σ P@i over the ranks i of relevant documents up to k, R relevant documents",
            "Harman 1992",
            "AP = (1/1 + 2/4) / 3",
            "optional",
            {"rel": _REL, "judged_only": _JUDGED},
            ("ap", "ap@", "map", "map@", "map_cut_@"),
        ),
        Measure(
            "RR",
            "one over the rank of the first relevant document, 0 where none is found",
            "1/i, i the rank of the first relevant document up to k",
            "Kantor and Voorhees 2000",
            "RR = 1/1",
            "optional",
            {"rel": _REL, "judged_only": _JUDGED},
            ("rr", "rr@", "mrr", "mrr@", "recip_rank"),
        ),
        Measure(
            "P",
            "the share of the first k results that are relevant",
            "relevant among the first k / k",
            "van Rijsbergen 1979",
            "P@4 = 2/4",
            "needed",
            {"rel": _REL, "judged_only": _JUDGED},
            ("p@", "p_@", "precision@"),
        ),
        Measure(
            "R",
            "the share of the relevant documents that are among the first k results",
            "relevant among the first k / R",
            "van Rijsbergen 1979",
            "R@4 = 2/3",
            "needed",
            {"rel": _REL, "judged_only": _JUDGED},
            ("r@", "recall@", "recall_@"),
        ),
        Measure(
            "Success",
            "1 where a relevant document is among the first k results, else 0",
            "1 if any of the first k is relevant",
            "Craswell and Hawking 2004",
            "Success@1 = 1",
            "needed",
            {"rel": _REL, "judged_only": _JUDGED},
            ("success@", "success_@", "hit_rate@"),
        ),
        Measure(
            "Rprec",
            "precision at the rank R, where R documents are relevant",
            "relevant among the first R / R",
            "Buckley and Voorhees 2005",
            "Rprec = 1/3",
            "none",
            {"rel": _REL, "judged_only": _JUDGED},
            ("rprec", "r-precision", "r_precision", "rprecision"),
        ),
        Measure(
            "Bpref",
            "how seldom documents that were judged not relevant stand above relevant ones",
            "1/R Σ (1 - min(n, R)/min(N, R)) over found relevant documents, n of the N judged not relevant above",
            "Buckley and Voorhees 2004",
            "Bpref = (1 + (1 - 1/3)) / 3",
            "none",
            {"rel": _REL},
            ("bpref",),
        ),
        Measure(
            "infAP",
            "average precision, estimated where only a sample of the pool was judged",
            "1/R Σ (1/i + (i-1)/i · pooled/(i-1) · (r + ε)/(r + n + 2ε)) over ranks i of relevant documents, of the "
            "results above: pooled in the pool, r judged relevant, n judged not",
            "Yilmaz and Aslam 2006",
            "infAP = (1 + 1/4 + 3/4 * 2/3 * (1 + 0.00001)/(2 + 0.00002)) / 3",
            "none",
            {"rel": _REL},
            ("infap",),
        ),
        Measure(
            "RBP",
            "what a reader sees who goes on to the next result with the probability p",
            "(1 - p) Σ p^(i-1) over ranks i of relevant documents up to k",
            "Moffat and Zobel 2008",
            "RBP(p=0.5) = 0.5 * (1 + 0.5**3)",
            "optional",
            {"p": Parameter(0.8, _decimal(1), "a number between 0 and 1"), "rel": _REL},
            ("rbp", "rbp@"),
        ),
        Measure(
            "ERR",
            "one over the rank at which a reader is satisfied, who stops at a document with a chance that grows with "
            "its grade",
            "Σ 1/i · s(i) Π (1 - s(j)) over ranks j < i up to k, s = (2^grade - 1)/2^max",
            "Chapelle et al. 2009",
            "ERR = 3/16 + 1/4 * 1/16 * 13/16",
            "optional",
            {"max": Parameter(4, _whole(HIGHEST), f"a whole number from 1 to {HIGHEST:,}: the highest grade there is")},
            ("err", "err@"),
        ),
        Measure(
            "SetP",
            "the share of all results that are relevant",
            "relevant found / retrieved",
            "van Rijsbergen 1979",
            "SetP = 2/6",
            "none",
            {"rel": _REL, "judged_only": _JUDGED},
            ("setp", "set_p"),
        ),
        Measure(
            "SetR",
            "the share of the relevant documents that are among the results",
            "relevant found / R",
            "van Rijsbergen 1979",
            "SetR = 2/3",
            "none",
            {"rel": _REL},
            ("setr", "set_recall"),
        ),
        Measure(
            "SetF",
            "the harmonic mean of SetP and SetR, as trec_eval weights it",
            "(1 + β)PR / (βP + R)",
            "van Rijsbergen 1979",
            "SetF = 2 * 1/3 * 2/3 / (1/3 + 2/3)",
            "none",
            {"beta": Parameter(1.0, _decimal(1_000_001), "a number above 0"), "rel": _REL, "judged_only": _JUDGED},
            ("setf", "set_f"),
        ),
        Measure(
            "Judged",
            "the share of the first k results that were judged",
            "judged among the first k / the smaller of k and the number of results; a grade below 0 is no judgement",
            "MacAvaney et al. 2022",
            "Judged@3 = 2/3",
            "needed",
            {},
            ("judged@",),
        ),
        Measure(
            "PriceNDCG",
            "nDCG of the shown documents sorted by price, the gain falling with the bin of the price",
            "see `karatage.metrics.prices`",
            "SIGIR eCom 2019",
            "",
            "needed",
            {
                "order": Parameter(
                    "rising",
                    _choice(rising="rising", falling="falling", l2h="rising", h2l="falling"),
                    "rising (low to high) or falling (high to low)",
                    named=True,
                )
            },
            ("pricendcg@",),
            labels=True,
        ),
    )
}
