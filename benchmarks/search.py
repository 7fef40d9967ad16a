"""Speed and memory of scoring search beside the peers: `python -m benchmarks.search`, and a part of `make bench`."""

from __future__ import annotations

import math
import sys
import tempfile
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import c_trec_eval
from benchmarks.timing import best, cpu_time, karatage_command

Row = tuple[str, str, str, str]
MEASURES = ("ndcg_cut_10", "map", "recip_rank", "P_10", "recall_1000")
IR_MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@1000")
RANX = ["ndcg@10", "map", "mrr", "precision@10", "recall@1000"]


def write_trec(folder: Path, queries: int, results: int = 1000) -> tuple[Path, Path]:
    """Write qrels with 100 judgements a query, and a run in which 60 of them are found."""
    rng = np.random.default_rng(queries)
    qrels, run = folder / f"{queries}.qrels", folder / f"{queries}.run"
    with qrels.open("w") as judged, run.open("w") as found:
        for query in range(1, queries + 1):
            documents = [f"clueweb-{n:08d}-{n % 1000:03d}" for n in rng.choice(50_000_000, results + 40, replace=False)]
            scores = np.sort(rng.normal(10, 3, results))[::-1]
            lines = zip(documents[:results], scores.tolist(), strict=True)
            found.write("".join(f"{query} Q0 {d} {k} {s:.6f} bm25\n" for k, (d, s) in enumerate(lines, 1)))
            some = [*(documents[k] for k in rng.choice(results, 60, replace=False)), *documents[results:]]
            grades = rng.choice([0, 0, 0, 1, 1, 2, 3], 100).tolist()
            judged.write("".join(f"{query} 0 {d} {g}\n" for d, g in zip(some, grades, strict=True)))
    return qrels, run


def trec(folder: Path, queries: int) -> list[Row]:
    """A run of 1,000 results a query, against pytrec_eval in memory, and ir_measures and ranx with reading."""
    import ir_measures
    import pytrec_eval

    import karatage

    qrels, run = write_trec(folder, queries)
    megabytes = run.stat().st_size / 1e6
    what = f"{queries:,} queries × 1,000 results, {megabytes:.0f} MB, five measures"
    with qrels.open() as judged, run.open() as found:
        memory = pytrec_eval.parse_qrel(judged), pytrec_eval.parse_run(found)
    evaluator = pytrec_eval.RelevanceEvaluator(memory[0], set(MEASURES))
    wanted = evaluator.evaluate(memory[1])
    result = karatage.score(qrels, run, metrics=list(MEASURES), resamples=0)
    for name in MEASURES:
        means = sum(row[name] for row in wanted.values()) / len(wanted)
        if abs(float(result[name]) - means) > 1e-9:
            raise AssertionError(f"{name} differs from pytrec_eval's")
    ours = best(lambda: karatage.score(qrels, run, metrics=list(MEASURES), resamples=0))
    sure = best(lambda: karatage.score(qrels, run, metrics=list(MEASURES)).compute())
    loaded = best(lambda: karatage.score(*memory, metrics=list(MEASURES), resamples=0))
    peer = best(lambda: evaluator.evaluate(memory[1]))
    names = [ir_measures.parse_measure(name) for name in IR_MEASURES]

    def both() -> object:
        return ir_measures.calc_aggregate(
            names, ir_measures.read_trec_qrels(str(qrels)), ir_measures.read_trec_run(str(run))
        )

    out = [
        row(f"{what}: karatage.score of files / pytrec_eval in memory", ours, peer, "at least 1×"),
        row("the same with intervals / pytrec_eval in memory", sure, peer, ""),
        row("karatage.score of dictionaries in memory / pytrec_eval in memory", loaded, peer, "at least 1×"),
        row("karatage.score of files / ir_measures, reading included", ours, best(both, 3), "at least 4×"),
    ]
    if find_spec("ranx") is None:
        return [*out, ("karatage.score of files / ranx, reading included", "ranx is not installed", "", "at least 4×")]
    from ranx import Qrels, Run, evaluate

    def with_ranx() -> object:
        return evaluate(Qrels.from_file(str(qrels), kind="trec"), Run.from_file(str(run), kind="trec"), RANX)

    with_ranx()  # compiles
    out.append(row("karatage.score of files / ranx, reading included", ours, best(with_ranx, 3), "at least 4×"))
    return out


def tables(folder: Path, queries: int) -> list[Row]:
    """The CPU time of a run as a table, against the same run as TREC's lines."""
    import polars as pl

    import karatage

    qrels, run = write_trec(folder, queries)
    fields = ["query", "Q0", "docid", "rank", "score", "tag"]
    frame = pl.read_csv(run, separator=" ", has_header=False, new_columns=fields, infer_schema=False)
    ranked, quoted = folder / f"{queries}.csv", folder / f"{queries}-quoted.csv"
    frame.select("query", "docid", "rank", "score").write_csv(ranked)
    text = pl.format("words, and number {}", pl.col("query"))
    frame.select(pl.col("query").alias("qid"), text.alias("query"), "docid", "score").write_csv(quoted)

    def seconds(path: Path) -> float:
        return cpu_time(lambda: karatage.score(qrels, path, metrics=list(MEASURES), resamples=0))

    plain = seconds(run)
    return [
        (
            f"{queries:,} queries × 1,000 results as {what} / as TREC's lines, CPU time",
            f"{own * 1000:,.0f} ms against {plain * 1000:,.0f} ms",
            f"{own / plain:.2f}× the time",
            wanted,
        )
        for what, own, wanted in (
            ("CSV", seconds(ranked), "at most 1.5×"),
            ("CSV with the text of the query, quoted, in every row", seconds(quoted), ""),
        )
    ]


def growth(folder: Path, sizes: tuple[int, ...]) -> list[Row]:
    """Time and memory of the command as the run grows."""
    out: list[Row] = []
    for queries in sizes:
        qrels, run = write_trec(folder, queries)
        size = run.stat().st_size
        runs = [karatage_command("score", qrels, run, "--resamples", "0", "--json") for _ in range(2)]
        seconds, most = min(s for s, _ in runs), max(m for _, m in runs)
        out.append(
            (
                f"{queries:,} queries × 1,000 results, {size / 1e6:,.0f} MB, as a command",
                f"{seconds:.2f} s, {most / 1024:,.0f} MiB",
                f"{most * 1024 / size:.1f}× the file",
                "memory that hardly grows, time in proportion",
            )
        )
        qrels.unlink()
        run.unlink()
    return out


class Matrices(NamedTuple):
    """A ground truth, predictions and documents."""

    gold: Path
    pred: Path
    documents: Path


def write_matrices(folder: Path, queries: int, documents: int, judged: float) -> Matrices:
    """Write matrices in which a share of the pairs is judged."""
    rng = np.random.default_rng(0)
    truth = rng.choice([0, 1, -1], (documents, queries), p=[1 - judged, judged * 0.4, judged * 0.6])
    guess = np.where(rng.random(truth.shape) < 0.8, np.where(truth == 0, -1, truth), 1)
    places = Matrices(folder / f"gold{judged}.tsv", folder / f"pred{judged}.tsv", folder / "documents.tsv")
    for place, labels in ((places.gold, truth), (places.pred, guess)):
        with place.open("w") as out:
            out.write("doc/query\t" + "\t".join(str(q) for q in range(queries)) + "\n")
            for number, labels_of in enumerate(labels.tolist()):
                out.write(f"{100_000 + number}\t" + "\t".join(map(str, labels_of)) + "\n")
    with places.documents.open("w") as out:
        out.write("doc_id\tprice\ttitle\n")
        for number, price in enumerate(rng.lognormal(3, 1, documents).tolist()):
            out.write(f"{100_000 + number}\t{price:.2f}\tItem {number} with a title of some words\n")
    return places


def plain_scores(places: Matrices) -> dict[str, float]:
    """Score as a plain script does, pair by pair: the yardstick for how fast this machine is."""
    truth: dict[tuple[str, str], str] = {}
    queries: dict[str, list[str]] = {}
    with places.gold.open() as lines:
        header = next(lines).rstrip("\n").split("\t")
        for line in lines:
            document, *labels = line.rstrip("\n").split("\t")
            for query, label in zip(header[1:], labels, strict=True):
                if label != "0":
                    truth[query, document] = label
                    queries.setdefault(query, [])
                    if label == "1":
                        queries[query].append(document)
    prices: dict[str, float] = {}
    with places.documents.open() as lines:
        header = next(lines).rstrip("\n").split("\t")
        for line in lines:
            fields = dict(zip(header, line.rstrip("\n").split("\t"), strict=True))
            prices[fields["doc_id"]] = float(fields["price"])
    overall = {"tp": 0, "fp": 0, "fn": 0, "tn": 0}
    counts = {query: dict(overall) for query in queries}
    shown: dict[str, list[str]] = {query: [] for query in queries}
    with places.pred.open() as lines:
        header = next(lines).rstrip("\n").split("\t")
        for line in lines:
            document, *labels = line.rstrip("\n").split("\t")
            for query, label in zip(header[1:], labels, strict=True):
                right = truth.get((query, document))
                if right is None:
                    continue
                kind = ("tp" if right == "1" else "tn") if right == label else ("fn" if right == "1" else "fp")
                overall[kind] += 1
                counts[query][kind] += 1
                if label != "-1":
                    shown[query].append(document)
    out = {"recall": overall["tp"] / (overall["tp"] + overall["fn"]), "accuracy": 0.0, "l2h_ndcg10": 0.0}
    for query, relevant in queries.items():
        own = counts[query]
        out["accuracy"] += (own["tp"] + own["tn"]) / sum(own.values()) / len(queries)
        for falling in (False, True):
            value = _price_ndcg(relevant, shown[query], query, truth, prices, falling)
            if not falling:
                out["l2h_ndcg10"] += value / len(queries)
    return out


def _price_ndcg(
    relevant: list[str],
    shown: list[str],
    query: str,
    truth: dict[tuple[str, str], str],
    prices: dict[str, float],
    falling: bool,
) -> float:
    ideal = sorted(relevant, key=prices.__getitem__, reverse=falling)
    ends = sorted((prices[ideal[0]], prices[ideal[-1]]))
    base = math.exp(-1 if falling else 1)
    width = (ends[1] - ends[0]) * (1 - base) / (1 - base**5)

    def total(documents: list[str]) -> float:
        out = 0.0
        for place, document in enumerate(documents[:10]):
            if truth[query, document] == "1":
                number = math.floor(math.log(1 - (prices[document] - ends[0]) * (1 - base) / width, base))
                out += (number + 1 if falling else 6 - number) / math.log(place + 2, 2)
        return out

    return total(sorted(shown, key=prices.__getitem__, reverse=falling)) / total(ideal)


def matrices(folder: Path, documents: int) -> list[Row]:
    """150 queries with prices, against a plain script, with a tenth and with all of the pairs judged."""
    import karatage

    out = []
    for judged in (0.1, 1.0):
        places = write_matrices(folder, 150, documents, judged)

        def score(places: Matrices = places) -> karatage.Result:
            return karatage.score(places.gold, places.pred, documents=places.documents, resamples=0)

        plain, found = plain_scores(places), score()
        for name, ours in (("recall", "recall"), ("accuracy", "ave_accuracy"), ("l2h_ndcg10", "l2h_ndcg10")):
            if abs(plain[name] - float(found[ours])) > 1e-9:
                raise AssertionError(f"{ours} differs from the plain script's")
        name = f"150 queries × {documents:,} documents with prices, {judged:.0%} judged / a plain Python script"
        out.append(row(name, best(score), best(partial(plain_scores, places), 2), "at least 15×"))
    return out


def row(name: str, ours: float, theirs: float, wanted: str) -> Row:
    return (name, f"{ours * 1000:,.0f} ms against {theirs * 1000:,.0f} ms", f"{theirs / ours:.1f}×", wanted)


def rows(scale: int = 1) -> list[Row]:
    """Measure everything."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        out = matrices(place, 20_000 // scale) + trec(place, 1000 // scale)
        out += tables(place, 1000 // scale)
        return out + growth(place, tuple(n // scale for n in (100, 1000, 10_000))) + c_trec_eval.rows(scale)


if __name__ == "__main__":
    for line in rows(10 if "--quick" in sys.argv else 1):
        print("| " + " | ".join(line) + " |", flush=True)
