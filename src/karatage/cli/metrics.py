"""`karatage metrics`."""

from __future__ import annotations

from karatage.cli import options as o


def run(json: o.Json = False) -> None:
    """List the metrics and explain their syntax."""
    from karatage.metrics import AVERAGES, SCENARIOS, CountMeasure, measures

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
