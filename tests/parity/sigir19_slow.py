"""The rules of the SIGIR eCom'19 script once more, slowly: plain loops, no code shared with Karatage.

It was written from the rules alone and is there to be compared with `==`: every float expression and every order of
addition is the script's. Where a pair has been given both '1' and '-1' in the ground truth, its label is the last one,
while the document stays in its query's list of relevant documents. What a shown document gains goes by its label.
"""

from __future__ import annotations

import gzip
import math
from dataclasses import dataclass, field
from pathlib import Path

BINS = 5
CUT = 10

Pair = tuple[str, str]  # a query and a document


@dataclass(frozen=True)
class Gold:
    """What the ground truth says, everything in the order in which the file first said it."""

    labels: dict[Pair, str] = field(default_factory=dict)  # the last label of each judged pair
    relevant: dict[str, list[str]] = field(default_factory=dict)  # by judged query: a document for every '1' given


@dataclass
class Counts:
    """How many judged pairs came out which way."""

    tp: int = 0
    fp: int = 0
    fn: int = 0
    tn: int = 0

    def add(self, label: str, prediction: str) -> None:
        """Count one pair; a prediction that is neither '1' nor '-1' is wrong."""
        if label == "1":
            if prediction == "1":
                self.tp += 1
            else:
                self.fn += 1
        elif prediction == "-1":
            self.tn += 1
        else:
            self.fp += 1

    def scores(self) -> dict[str, float]:
        """Derive the six ratios, in the script's order."""
        tp, fp, fn, tn = self.tp, self.fp, self.fn, self.tn
        precision = 1.0 if fp == 0 else tp / (tp + fp)
        recall = 1.0 if fn == 0 else tp / (tp + fn)
        if (tp == 0 and fp == 0 and fn == 0) or (precision == 0 and recall == 0):
            f1 = 0.0
        else:
            f1 = 2 * (precision * recall) / (precision + recall)
        fpr = 1.0 if tn == 0 else fp / (fp + tn)
        total = tp + fp + fn + tn
        accuracy = 1.0 if total == 0 else (tp + tn) / total
        return {"precision": precision, "recall": recall, "f1": f1, "tpr": recall, "fpr": fpr, "accuracy": accuracy}


def slow_scores(gold: Path, predictions: Path, documents: Path | None = None) -> dict[str, float]:
    """Score a prediction matrix against a ground truth: the fourteen values, in the script's order."""
    truth = read_gold(gold)
    predicted = read_predictions(predictions, truth)
    prices = None if documents is None else read_prices(documents, truth)

    overall = Counts()
    for pair, label in truth.labels.items():
        overall.add(label, predicted[pair])
    out = overall.scores()

    sums = {f"ave_{name}": 0.0 for name in out} | {"l2h_ndcg10": 0.0, "h2l_ndcg10": 0.0}
    for query, relevant in truth.relevant.items():
        counts = Counts()
        for pair, label in truth.labels.items():
            if pair[0] == query:
                counts.add(label, predicted[pair])
        for name, value in counts.scores().items():
            sums[f"ave_{name}"] += value
        if prices is not None:
            shown = [pair[1] for pair, prediction in predicted.items() if pair[0] == query and prediction != "-1"]
            right = {document for (asked, document), label in truth.labels.items() if asked == query and label == "1"}
            sums["l2h_ndcg10"] += price_ndcg(relevant, shown, right, prices, high_to_low=False)
            sums["h2l_ndcg10"] += price_ndcg(relevant, shown, right, prices, high_to_low=True)
    for name, value in sums.items():
        out[name] = value / len(truth.relevant)
    return out


def price_ndcg(
    relevant: list[str], shown: list[str], right: set[str], prices: dict[str, float], *, high_to_low: bool
) -> float:
    """Compare the shown documents of a query, sorted by price, with its relevant ones, sorted by price."""
    if not relevant:
        return 1.0
    lowest = min(prices[document] for document in relevant)
    highest = max(prices[document] for document in relevant)
    if highest == lowest:
        highest = highest + 1
    base = 1 / math.exp(1) if high_to_low else math.exp(1)
    width0 = ((highest - lowest) * (1 - base)) / (1 - base**BINS)

    def dcg(documents: list[str], gaining: set[str]) -> float:
        total = 0.0
        by_price = sorted(documents, key=lambda document: prices[document], reverse=high_to_low)
        for i, document in enumerate(by_price[:CUT]):
            if document in gaining:
                place = math.floor(math.log(1 - (prices[document] - lowest) * (1 - base) / width0, base))
                gain = place + 1 if high_to_low else BINS + 1 - place
                total += gain / math.log(i + 2, 2)
        return total

    return dcg(shown, right) / dcg(relevant, set(relevant))


def read_gold(path: Path) -> Gold:
    """Read the ground truth; a label other than '1', '-1' and '0' is an error."""
    gold = Gold()
    for query, document, label in matrix_cells(path):
        if label == "0":
            continue
        if label not in ("1", "-1"):
            raise ValueError(f"{path}: the label of document {document!r} for query {query!r} is {label!r}")
        gold.labels[query, document] = label  # a repeated pair keeps its first place and takes its last label
        gold.relevant.setdefault(query, [])
        if label == "1":
            gold.relevant[query].append(document)
    if not gold.labels:
        raise ValueError(f"{path}: no pair is judged")
    return gold


def read_predictions(path: Path, gold: Gold) -> dict[Pair, str]:
    """Read the predictions of the judged pairs in file order, then add the wrong answer for each that is missing."""
    predicted: dict[Pair, str] = {}
    for query, document, prediction in matrix_cells(path):
        if (query, document) in gold.labels and (query, document) not in predicted:
            predicted[query, document] = prediction
    for pair, label in gold.labels.items():
        if pair not in predicted:
            predicted[pair] = "-1" if label == "1" else "1"
    return predicted


def read_prices(path: Path, gold: Gold) -> dict[str, float]:
    """Read the last price of each judged document; only a document that is nowhere relevant may lack one."""
    header, *rows = read_rows(path)
    judged = {document for _, document in gold.labels}
    prices: dict[str, float] = {}
    for row in rows:
        document = row[header.index("doc_id")]
        if document in judged:
            prices[document] = float(row[header.index("price")])
    for query, relevant in gold.relevant.items():
        for document in relevant:
            if document not in prices:
                raise ValueError(f"{path}: no price for document {document!r}, which is relevant for query {query!r}")
    for document in judged:
        prices.setdefault(document, 0.0)
    return prices


def matrix_cells(path: Path) -> list[tuple[str, str, str]]:
    """List query, document and label of each cell, row by row and left to right; a short row just ends early."""
    header, *rows = read_rows(path)
    cells = []
    for row in rows:
        if len(row) > len(header):
            raise ValueError(f"{path}: the row of document {row[0]!r} is longer than the header")
        for column in range(1, len(row)):
            cells.append((header[column], row[0], row[column]))  # noqa: PERF401 - plain loops are the point here
    return cells


def read_rows(path: Path) -> list[list[str]]:
    """Split a plain or gzip file, told apart by its first two bytes, into lines and these at tabs."""
    with path.open("rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    with gzip.open(path, "rt", encoding="utf-8") if zipped else path.open(encoding="utf-8") as lines:
        rows = [line.removesuffix("\n").split("\t") for line in lines]
    if not rows:
        raise ValueError(f"{path}: the file is empty")
    return rows
