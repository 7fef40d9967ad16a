"""The answer in one sentence: what it says in each case."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from tests.reports.answer_claims import FIRST, LATER, Claims

import karatage
from karatage.comparison import check_pull
from karatage.demo import data
from karatage.explanation import ExtractionExplanation
from karatage.recall import estimate
from karatage.reports import AnswerText, LabelName, SystemName
from karatage.reports.log_markdown import answer_markdown
from karatage.reports.terminal.difference_texts import p_equals

Tags = list[list[str]]


def parts(**counts: int) -> Tags:
    """Return sentences of one tag each: `parts(A=2, O=1)` is A, A and nothing."""
    return [["O"] if label == "O" else [f"B-{label}"] for label, count in counts.items() for _ in range(count)]


GOLD = parts(A=30) + parts(B=20)
NEARLY = {"s0": parts(A=30, O=1) + parts(B=19), "s1": parts(O=2, A=28) + parts(B=20)}
A_OR_B = {"s0": parts(A=30, O=20), "s1": parts(O=30, B=20)}

# Differences by hand: 2 · 30 / 80 - 2 · 25 / 75, 2 · 60 / 140 - 2 · 20 / 100, 2 · 49 / 99 - 2 · 48 / 98,
# 2 · 30 / 80 - 2 · 20 / 70. Intervals and p-values are compared with those of the comparison by `Claims`.
CASES: dict[str, tuple[Tags, dict[str, Tags], dict[str, Any], str]] = {
    "labels differ": (
        GOLD,
        {"s0": parts(A=30, O=20), "s1": parts(A=5, O=25) + parts(B=20)},
        {},
        "No significant difference between s0 and s1 in F1 (difference 0.083, −0.143 to 0.309; p = 0.4638); s0 is "
        "significantly better on `A` and worse on `B`.",
    ),
    "a label is worse": (
        parts(A=60) + parts(B=20),
        {"s0": parts(A=60, O=20), "s1": parts(O=60, B=20)},
        {},
        "s0 beats s1 by 0.457 F1 (0.268–0.643), p < 0.0001; most of it from `A`; significantly worse on `B`.",
    ),
    "other confidence level": (
        parts(A=60) + parts(B=20),
        {"s0": parts(A=60, O=20), "s1": parts(O=60, B=20)},
        {"level": 0.9, "by_label": False},
        "s0 beats s1 by 0.457 F1 (90 % interval 0.299–0.613), p < 0.0001.",
    ),
    "no worse": (
        GOLD,
        A_OR_B,
        {"margin": 0.2, "by_label": False},
        "No significant difference between s0 and s1 in F1 (difference 0.179, −0.075 to 0.431; p = 0.1637); s0 is no "
        "worse than s1 by more than 0.2.",
    ),
    "equivalent": (
        GOLD,
        NEARLY,
        {"margin": 0.2},
        "No significant difference between s0 and s1 in F1 (difference 0.010, −0.044 to 0.064; p = 0.6787); they are "
        "equivalent within 0.2.",
    ),
    "not equivalent": (
        GOLD,
        NEARLY,
        {"margin": 0.03},
        "No significant difference between s0 and s1 in F1 (difference 0.010, −0.044 to 0.064; p = 0.6787); "
        "equivalence within 0.03 is not shown.",
    ),
    "equivalent to the first": (
        GOLD,
        {**NEARLY, "s2": parts(O=50)},
        {"margin": 0.2},
        "s0 has the highest F1, 0.990 (0.918–0.999), and is significantly better than s2, but not than s1; s1 is "
        "equivalent to it within 0.2.",
    ),
    "none is equivalent": (
        GOLD,
        {"s0": parts(A=30, B=20), "s1": parts(O=50), "s2": parts(A=10, O=40)},
        {"margin": 0.01},
        "s0 is best with F1 1.000 (0.929–1.000), significantly better than both others; none is shown to be "
        "equivalent to it within 0.01.",
    ),
    "one is undefined": (
        parts(O=3),
        {"s0": parts(O=3), "s1": parts(A=1, O=2)},
        {"metrics": ["precision"]},
        "s1 has precision 0.000 (0.000–0.793); it is undefined for s0 (no gold annotations and no predictions).",
    ),
    "one of three is undefined": (
        parts(O=1, A=3),
        {"s0": parts(O=4), "s1": parts(O=1, A=2) + parts(O=1), "s2": parts(A=1, O=3)},
        {"metrics": ["precision"]},
        "s1 has the highest precision, 1.000 (0.342–1.000), but is not significantly better than s2; precision is "
        "undefined for s0; 4 sentences are too few to show a difference.",
    ),
    "all are undefined": (
        parts(O=2),
        {"s0": parts(O=2), "s1": parts(O=2), "s2": parts(O=2)},
        {},
        "F1 is undefined for all 3 systems (no gold annotations and no predictions).",
    ),
    "the same": (
        parts(A=2, O=1),
        {"s0": parts(A=2, O=1), "s1": parts(A=2, O=1)},
        {},
        "s0 and s1 have the same counts in every sentence: F1 1.000 (0.342–1.000).",
    ),
    "the same in every sentence": (
        parts(A=2, O=1),
        {"s0": parts(A=2, O=1), "s1": parts(A=2, O=1)},
        {"metrics": ["units_f1"]},
        "s0 and s1 have the same units_f1 for every sentence: 1.000 (0.342–1.000) on average.",
    ),
    "one sentence": (
        parts(A=1),
        {"s0": parts(A=1), "s1": parts(O=1)},
        {},
        "No test of s0 against s1 in F1 (difference 1.000): at least two sentences are needed.",
    ),
    "one sentence, three systems": (
        parts(A=1),
        {"s0": parts(A=1), "s1": parts(O=1), "s2": parts(O=1)},
        {},
        "s0 has the highest F1, 1.000; no test against s1 or s2 (at least two sentences are needed).",
    ),
    "the first is best": (
        GOLD,
        {"s0": parts(A=30, B=20), "s1": parts(O=50), "s2": parts(O=50), "s3": parts(O=50), "s4": parts(A=5, O=45)},
        {},
        "s0 is best with F1 1.000 (0.929–1.000), significantly better than all 4 others.",
    ),
    "a tie": (
        GOLD,
        {"s0": parts(A=30, B=20), "s1": parts(A=30, B=20), "s2": parts(O=50)},
        {},
        "s0 and s1 share the highest F1, 1.000, and are significantly better than s2.",
    ),
    "beaten by one of the first only": (  # s0 finds 12 more than s2; s1 finds 30 that s2 misses, and misses 18
        parts(A=50),
        {"s0": parts(A=30, O=20), "s1": parts(O=20, A=30), "s2": parts(A=18, O=32)},
        {},
        "s0 and s1 share the highest F1, 0.750, but are not significantly better than s2.",
    ),
    "some are beaten": (
        GOLD,
        {"s0": parts(A=30, B=20), "s1": parts(A=30, B=19, O=1), "s2": parts(O=50)},
        {},
        "s0 has the highest F1, 1.000 (0.929–1.000), and is significantly better than s2, but not than s1.",
    ),
    "sentence by sentence": (
        GOLD,
        A_OR_B,
        {"metrics": ["units_f1"], "by_label": False},
        "No significant difference between s0 and s1 in units_f1 (difference 0.200, −0.081 to 0.480; p = 0.1601); "
        "s0 is better on 30 sentences and worse on 20.",
    ),
}


ELSEWHERE = {"over_sets", "many_over_sets", "judged_less"}
"""The wordings for several test sets and for search engines, which have tests of their own below."""


def values(gold: Tags, systems: dict[str, Tags], metrics: list[str]) -> dict[str, float | None]:
    found = {name: karatage.score(gold, own, metrics=metrics, resamples=0) for name, own in systems.items()}
    return {name: result[metrics[0]].value for name, result in found.items()}


def read(name: str) -> tuple[str, Claims]:
    gold, systems, options, _ = CASES[name]
    found = karatage.compare(gold, systems, **options)
    better = {  # F1 of a sentence with one tag is 1 or 0
        name: [tags == pred for tags, pred in zip(gold, own, strict=True)] for name, own in systems.items()
    }

    def units(one: str, other: str) -> tuple[int, int]:
        pairs = list(zip(better[one], better[other], strict=True))
        return sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)

    return str(found.answer), Claims(found, values(gold, systems, options.get("metrics", ["f1"])), units)


@pytest.mark.parametrize("name", CASES)
def test_a_comparison_in_one_sentence(name: str) -> None:
    sentence, claims = read(name)
    claims.check()
    assert sentence == CASES[name][-1]


def test_every_wording_has_a_case() -> None:
    seen = []
    for name in CASES:
        _, claims = read(name)
        claims.check()
        seen += claims.seen
    assert {*seen} == {*FIRST, *LATER} - ELSEWHERE


def demo(*names: str, **options: Any) -> karatage.Comparison:
    return karatage.compare(data("gold.conll"), {name: data(f"{name}.conll") for name in names}, **options)


def test_names_are_marked_in_the_parts_of_an_answer() -> None:
    """So a page can link them; the sentence has labels between backticks."""
    found = demo("lexicon", "context").answer
    names = [part for part in found.parts if isinstance(part, SystemName)]
    labels = [part for part in found.parts if isinstance(part, LabelName)]
    assert (names, labels) == (["context", "lexicon"], ["Produktart"])
    assert found.endswith("; significantly worse on `Produktart`.")
    again = copy.deepcopy(found)
    assert (again, again.parts) == (found, found.parts)


def test_what_cannot_be_seen_in_a_name_is_shown() -> None:
    sentence = AnswerText([SystemName("a\nb"), " beats ", SystemName("\x1b[31m"), " on ", LabelName("")])
    assert sentence == "“a␊b” beats “␛[31m” on `(empty)`."


@pytest.mark.parametrize(
    ("gold", "pred", "options", "sentence"),
    [
        # 2 · 3 / (4 + 3) = 0.857, and for B 2 · 1 / 3 = 0.667.
        (parts(A=2, B=2), parts(A=2, B=1, O=1), {"resamples": 0}, "F1 is 0.857 on 4 sentences; lowest for `B`, 0.667."),
        (parts(A=2), parts(A=2), {"resamples": 0}, "F1 is 1.000 on 2 sentences."),
        (parts(A=1), parts(A=1), {}, "F1 is 1.000 on 1 sentence (no interval: at least two sentences are needed)."),
        (parts(O=2), parts(O=2), {}, "F1 is undefined on 2 sentences (no gold annotations and no predictions)."),
        (parts(A=2), parts(O=2), {"metrics": ["recall"], "resamples": 0}, "Recall is 0.000 on 2 sentences."),
        (
            parts(O=2),
            parts(O=2),
            {"like": "seqeval", "resamples": 0},
            "F1 is 0.000 on 2 sentences, by convention: it is undefined (no gold annotations and no predictions).",
        ),
        (
            parts(A=2, B=2),
            parts(A=2, B=1, O=1),
            {"metrics": ["macro_f1"], "resamples": 0},
            "Macro F1 is 0.833 on 4 sentences; lowest for `B`, F1 0.667.",  # (1 + 2 / 3) / 2
        ),
    ],
)
def test_a_result_in_one_sentence(gold: Tags, pred: Tags, options: dict[str, Any], sentence: str) -> None:
    assert karatage.score(gold, pred, **options).answer == sentence


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (0.0312, "p = 0.0312"),
        (0.04996, "p = 0.0500"),
        (0.05, "p = 0.0500"),
        (0.05003, "p = 0.05003"),
        (0.0500004, "p = 0.0500004"),
        (0.000049, "p < 0.0001"),
        (1.0, "p = 1.0000"),
    ],
)
def test_a_p_value_that_is_too_large_does_not_look_as_if_it_were_significant(p: float, shown: str) -> None:
    assert p_equals(p) == shown


def test_small_numbers_do_not_become_0_and_large_ones_not_1() -> None:
    """One of 2,001 sentences is wrong: F1 = 4000 / 4001 = 0.99975."""
    assert karatage.score(parts(A=2001), parts(A=2000, O=1), resamples=0).answer == "F1 is 0.9998 on 2,001 sentences."


def test_a_search_engine_in_one_sentence() -> None:
    """Of two queries, one has its relevant document first, and one has it nowhere."""
    qrels, run = {"q1": {"d1": 1}, "q2": {"d1": 1}}, {"q1": {"d1": 1.0}, "q2": {"d2": 1.0}}
    assert karatage.score(qrels, run, metrics=["RR"], resamples=0).answer == "RR is 0.500 on 2 queries."
    explained = karatage.explain(qrels, {"run": run}, metrics=["RR"], resamples=0)
    assert explained.answer == "RR is 0.500 on 2 queries; it is 0 for 1 query."


def test_queries_without_a_value_are_not_in_the_mean() -> None:
    """RR is undefined for a query without relevant documents, so that the mean is over the other one."""
    qrels, run = {"q1": {"d1": 1}, "q2": {"d1": 0}}, {"q1": {"d1": 1.0}, "q2": {"d1": 1.0}}
    assert karatage.score(qrels, run, metrics=["RR"], resamples=0).answer == "RR is 1.000 on 1 of 2 queries."


def test_queries_that_are_better_and_worse_are_counted() -> None:
    runs = {name: data(f"{name}.run") for name in ("bm25", "expanded")}
    found = karatage.compare(data("search.qrels"), runs, metrics=["nDCG@10"], diff=True)
    counts = found.changes["expanded"].counts["nDCG@10"]
    assert found.answer.endswith(f"; better on {counts.better} queries and worse on {counts.worse}.")
    assert found.origin is not None
    assert found.to_dict()["origin"] == {"one": "expanded", "other": "bm25", "better": 75, "worse": 6}


def test_an_explanation_in_one_sentence() -> None:
    gold = data("gold.conll")
    alone = karatage.explain(gold, data("context.conll"), resamples=0)
    assert isinstance(alone, ExtractionExplanation)
    score, fix = karatage.score(gold, data("context.conll"), resamples=0), alone.first.fixes[0]
    assert alone.answer == f"{score.answer[:-1]}; costliest kind of error: {fix.kind} ({fix.gain:.3f} F1)."
    both = karatage.explain(gold, {name: data(f"{name}.conll") for name in ("lexicon", "context")}, resamples=0)
    assert both.comparison is not None
    assert both.answer == both.comparison.answer


def test_test_sets_in_one_sentence() -> None:
    """With three test sets or more, the sentence also says whether the difference holds for others like them."""
    systems = {"s0": parts(A=28, O=2), "s1": parts(A=10, O=20)}
    for count, names in ((2, "ab"), (3, "abc")):
        gold = karatage.Sets(**dict.fromkeys(names, parts(A=30)))
        own = {name: karatage.Sets(**dict.fromkeys(names, tags)) for name, tags in systems.items()}
        found = karatage.compare(gold, own).answer
        assert found.startswith(f"Averaged over {count} test sets, s0 beats s1 by 0.466 F1 (")
        assert ("; for test sets like these, the difference is significant (p < 0.0001)." in found) == (count == 3)


def test_what_holds_on_these_test_sets_need_not_hold_on_others() -> None:
    """The differences of 0.667, 0.043 and 0 are larger than chance on these sets, but hardly agree with each other."""
    gold = karatage.Sets(**dict.fromkeys("abc", parts(A=60)))
    right = {"s0": (60, 60, 60), "s1": (12, 55, 60)}  # F1 is 2 · 12 / 72 = 0.333, 2 · 55 / 115 = 0.957 and 1
    own = {name: [parts(A=count, O=60 - count) for count in counts] for name, counts in right.items()}
    found = karatage.compare(gold, {name: karatage.Sets(**dict(zip("abc", x, strict=True))) for name, x in own.items()})
    assert found.answer.startswith("Averaged over 3 test sets, s0 beats s1 by 0.237 F1 (")
    assert "; for test sets like these, the difference is not significant (p = 0." in found.answer


def test_many_systems_on_test_sets_in_one_sentence() -> None:
    """Every set alone shows that s0 is better than s2; four sets that agree show that it is so on others, too."""
    systems = {"s0": parts(A=28, O=2), "s1": parts(A=28, O=2), "s2": parts(A=10, O=20)}
    gold = karatage.Sets(**dict.fromkeys("abcd", parts(A=30)))
    own = {name: karatage.Sets(**dict.fromkeys("abcd", tags)) for name, tags in systems.items()}
    found = karatage.compare(gold, own)
    assert found.answer.startswith("Averaged over 4 test sets, s0 and s1 share the highest F1, 0.966, and are signif")
    own["s1"] = karatage.Sets(**dict.fromkeys("abcd", parts(A=27, O=3)))
    found = karatage.compare(gold, own)
    assert found.answer.endswith(
        ", and is significantly better than s2, but not than s1; for test sets like these, it is significantly better "
        "than 1 of the others."
    )


def engines(**judged: int) -> tuple[Any, Any]:
    """Return judgements of 30 queries, and engines that find so many of the ten documents that are judged."""
    qrels = {f"q{k}": {f"d{n}": n % 2 for n in range(10)} for k in range(30)}
    return qrels, {
        name: {query: {f"{'d' if n < known else 'x'}{n}": 10.0 - n for n in range(10)} for query in qrels}
        for name, known in judged.items()
    }


@pytest.mark.parametrize(
    ("judged", "end"),
    [
        ({"A": 10, "B": 3}, "worse on none; the score of B may be too low: fewer of its results are judged."),
        ({"A": 10, "B": 9}, "worse on none."),  # 90 % and 100 % are not far enough apart
        ({"A": 10, "B": 4, "C": 2}, "; the scores of B and C may be too low: fewer of their results are judged."),
    ],
)  # fmt: skip
def test_results_of_one_engine_that_are_judged_less_are_named_beside_the_verdict(
    judged: dict[str, int], end: str
) -> None:
    """Judgements that were made for the results of A alone say little of those of B."""
    qrels, runs = engines(**judged)
    assert karatage.compare(qrels, runs, metrics=["nDCG@10"]).answer.endswith(end)


def test_an_engine_that_wins_although_it_is_judged_less_needs_no_caveat() -> None:
    qrels, runs = engines(A=10, B=4)
    for query in qrels:  # B has the relevant documents first, and unjudged ones behind
        runs["B"][query] = {f"d{n}": 30.0 - n for n in (1, 3, 5, 7, 9)} | {f"x{n}": 10.0 - n for n in range(5)}
    found = karatage.compare(qrels, runs, metrics=["nDCG@10"])
    assert found.answer.startswith("B beats A by")
    assert "too low" not in found.answer
    assert found.judged_shares == {"A": 1.0, "B": 0.5}


@pytest.mark.parametrize(
    ("judged", "end"),
    [
        (0, "; none of the first 10 results is judged, so the score may be too low."),
        (3, "; only 30 % of the first 10 results are judged, so the score may be too low."),
        (5, " on 30 queries."),
    ],
)
def test_a_single_engine_of_which_little_is_judged(judged: int, end: str) -> None:
    qrels, runs = engines(A=judged)
    result = karatage.score(qrels, runs["A"], metrics=["nDCG@10"], resamples=0)
    assert result.answer.endswith(end)
    assert copy.deepcopy(result).answer == result.answer
    residual = karatage.score(qrels, runs["A"], metrics=["RBPres"], resamples=0)  # what unjudged results may add
    assert "judged" not in residual.answer


def test_logs_in_one_sentence(tmp_path: Path) -> None:
    def log(name: str, right: int) -> Path:
        lines = [json.dumps({"id": k, "score": int(k < right)}) for k in range(20)]
        (tmp_path / name).write_text("\n".join(lines), "utf-8")
        return tmp_path / name

    one, two = log("one.jsonl", 19), log("two.jsonl", 5)
    assert karatage.score(one, resamples=0).answer == "Score is 0.950 on 20 samples."
    alone = karatage.explain(one, resamples=0)
    assert alone.answer == "Score is 0.950 on 20 samples; 1 sample is not perfect."
    both = karatage.compare(None, {"one": one, "two": two})
    assert both.answer.startswith("one beats two by 0.700 score (")
    assert both.answer.endswith("; better on 14 samples and worse on none.")


def test_a_recall_estimate_in_one_sentence() -> None:
    """The sentence has the recall with its interval, and the stratum where it is lowest."""
    found = estimate(data("makers"), stored=True)
    strata = {row.name: row.recall for row in found.strata if row.recall.value is not None}
    name = min(strata, key=lambda name: float(strata[name]))
    whole, part = (f"{score:.3f} ({score.low:.3f}–{score.high:.3f})" for score in (found.recall, strata[name]))
    assert found.answer == f"The recall of stored results on makers is {whole}; lowest in stratum `{name}`, {part}."
    assert found.to_dict()["answer"] == found.answer


def test_the_sentence_is_the_second_line_of_every_report() -> None:
    """Below the title, in the terminal and in a notebook, and as the first key of JSON."""
    gold, run = data("gold.conll"), data("bm25.run")
    for found in (
        karatage.score(gold, data("context.conll")),
        demo("lexicon", "context"),
        karatage.explain(gold, data("context.conll")),
        karatage.score(data("search.qrels"), run),
        karatage.explain(data("search.qrels"), run),
        estimate(data("makers"), stored=True),
    ):
        text = " ".join(str(found).split())
        assert text.split(" ", 1)[0] == "karatage"
        assert str(found.answer) in text
        assert text.index(str(found.answer)) < 150
        assert next(iter(found.to_dict().items())) == ("answer", str(found.answer))
        if hasattr(found, "_repr_html_"):
            shown = found._repr_html_()
            first = str(found.answer).split("`")[0].split(" (")[0]
            assert first in shown


def test_a_pull_request_opens_with_the_sentence() -> None:
    """Names are escaped, and labels are code, so that nothing is read as Markdown."""
    found = check_pull(data("gold.conll"), data("context.conll"), baseline=data("lexicon.conll"))
    sentence = "new beats baseline by 0.212 F1 (0.195–0.230), p < 0.0001; significantly worse on `Produktart`."
    assert found.to_markdown().startswith(f"**{sentence}**\n\n## Compared with the baseline\n")
    assert found.to_dict()["answer"] == sentence
    odd = AnswerText([SystemName("a*b"), " beats ", SystemName("<b>"), " on ", LabelName("x`y")])
    assert answer_markdown(odd) == "a\\*b beats \\<b\\> on <code>x\\`y</code>."
