"""`karatage metrics`."""

from __future__ import annotations

import difflib
from typing import Annotated

import typer

from karatage.cli import options as o
from karatage.errors import unknown


def run(
    name: Annotated[
        str | None, typer.Argument(metavar="[METRIC]", help="A metric to explain, e.g. ERR. [default: list all]")
    ] = None,
    json: o.Json = False,
) -> None:
    """List the metrics and explain their syntax, or explain one of them.

    karatage metrics nDCG@10
    """
    from karatage.metrics import AVERAGES, SCENARIOS, CountMeasure, measures

    if name is not None:
        _one(name, json=json)
        return

    of_counts = [measure for measure in measures() if issubclass(measure, CountMeasure)]
    of_queries = [measure for measure in measures() if measure not in of_counts]
    scenarios = {name: about for name, about in SCENARIOS.items() if name}
    if json:
        texts = {
            "measures": {measure.name: measure.about for measure in of_counts},
            "averages": AVERAGES,
            "scenarios": scenarios,
            "ranked": {measure.name: measure.about for measure in of_queries},
        }
        o.print_json(texts)
        return
    from karatage.reports import print_table

    print_table(("measure", "definition"), [(measure.written(), measure.about) for measure in of_counts])
    print_table(("average", "e.g. macro_f1"), [(f"{k}_", v) for k, v in AVERAGES.items()])
    print_table(("scenario", "e.g. partial_f1, with --like semeval2013"), [(f"{k}_", v) for k, v in scenarios.items()])
    print_table(
        ("suffix", "e.g. recall[PER]"),
        [
            ("[label]", "one label"),
            ("{group}", "one group only, with --group-by"),
            ("(over=gold)", "macro average over the labels in gold; or over=union (the default), over=schema"),
        ],
    )
    print_table(
        ("ranking", "for search, e.g. nDCG@10 or P(rel=2)@5; trec_eval names such as ndcg_cut_10 also work"),
        [(measure.written(), measure.about) for measure in of_queries],
    )


def _one(name: str, *, json: bool) -> None:
    """Explain one metric, by the name of its measure or as it is written in a call."""
    from karatage.metrics import Metric, QueryMeasure, measures

    # The bare name first: P and R need a cutoff in a call.
    named = {own.name.lower(): own for own in measures()}
    bare = name.strip()
    if bare.isalpha() and bare.lower() not in named and difflib.get_close_matches(bare.lower(), named, n=1):
        raise unknown("metric", bare, [own.name for own in measures()])
    measure = named.get(bare.lower()) or type(Metric.parse(name).measure)
    facts = {"metric": measure.written(), "definition": measure.about, "formula": measure.formula}
    if issubclass(measure, QueryMeasure):
        facts |= {key: f"{own.what}. Default: {own.default}" for key, own in measure.parameters().items()}
        facts |= {"other names": ", ".join(measure.aliases)}
    facts |= {"better": "higher" if measure.higher_is_better else "lower", "citation": measure.cite}
    known = {key: text for key, text in facts.items() if text}
    if json:
        o.print_json(known)
        return
    from karatage.reports import print_table

    print_table((measure.name, ""), list(known.items()))
