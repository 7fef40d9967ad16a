"""Random small matrices for the SIGIR eCom'19 rules: everything odd that the rules allow, nothing that they forbid."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ODD_LABELS = ("abc", "", "0", "2", " 1", "1 ", "1.0", "é", "+1", "-1.0", "--1", "01", "−1")
CORNERS = ("doc/query", "", "doc_id", "é", " ")
NAMES = (".tsv", ".gz", ".tsv.gz")  # the first two bytes of a file tell what it is, its name does not
FILLERS = ("Item", "", 'a "quoted', "'", "ключ", "10.00", "# no", "a, b", " ")

# Ids are taken as they stand: neighbours differ by a blank, by case, by leading zeros or by Unicode composition, and
# some hold what splits lines, fields or numbers elsewhere.
ODD_IDS: tuple[Callable[[int], str], ...] = (
    lambda k: f" x{k}",
    lambda k: f"x{k} ",
    lambda k: f"X{k}",
    lambda k: f"x{k}",
    lambda k: f"red shoe {k}",
    lambda k: f"0{k}",
    lambda k: f"{k}.0",
    lambda k: f"-{k}",
    lambda k: f"caf\u00e9{k}",
    lambda k: f"cafe\u0301{k}",
    lambda k: f"靴{k}",
    lambda k: f"\U0001f45f{k}",
    lambda k: f'"{k}',
    lambda k: f'"{k}"',
    lambda k: f"#{k}",
    lambda k: f"a,{k}",
    lambda k: f"{k}\u2028",
    lambda k: f"{k}\x85{k}",
    lambda k: f"{k}\x0b\x0c\x1c{k}",
    lambda k: f"{k}\x00",
    lambda k: f"\u00a0{k}",
    lambda k: "" if k == 0 else f"null{k}",
)

Rows = list[list[str]]
Truth = dict[tuple[str, str], str]


@dataclass(frozen=True)
class Case:
    """The files of one evaluation."""

    gold: Path
    predictions: Path
    documents: Path | None


def random_case(generator: random.Random, folder: Path, prices: bool) -> Case:
    """Write a random ground truth, predictions for it and, where `prices` asks for them, documents into a folder."""
    queries = _ids(generator, generator.randint(1, 12), "q")
    documents = _ids(generator, generator.choice([generator.randint(1, 6), generator.randint(1, 40)]), "d")
    gold = _gold_rows(generator, queries, documents)
    return Case(
        gold=_write(generator, folder, "gold", gold),
        predictions=_write(generator, folder, "predictions", _prediction_rows(generator, queries, documents, gold)),
        documents=_write(generator, folder, "documents", _document_rows(generator, gold)) if prices else None,
    )


def _ids(generator: random.Random, count: int, prefix: str) -> list[str]:
    """Make different ids: plain ones, bare numbers (which queries and documents then share), or some odd ones."""
    style = generator.choice(["plain", "number", "odd"])
    plain: Callable[[int], str] = str if style == "number" else lambda k: f"{prefix}{k}"
    found: dict[str, None] = {}
    for k in range(count):
        name = plain(k)
        if style == "odd" and generator.random() < 0.7:
            # Few numbers, so that ids often differ by no more than their odd part.
            name = generator.choice(ODD_IDS)(generator.randrange(4))
        found[plain(k) if name in found else name] = None
    return list(found)


def _gold_rows(generator: random.Random, queries: list[str], documents: list[str]) -> Rows:
    """Draw the ground truth; each query has its own habits, and a repeated pair may contradict itself."""
    columns = _repeat_some(generator, queries)
    weights = {query: _label_weights(generator) for query in queries}
    rows = []
    for document in _repeat_some(generator, documents):
        labels = [generator.choices(["0", "1", "-1"], weights[query])[0] for query in columns]
        rows.append([document, *labels])
    rows = _shorten_some(generator, rows)
    if all(label == "0" for row in rows for label in row[1:]):
        row = generator.choice(rows)
        row[1:] = ["0"] * len(columns)
        row[generator.randint(1, len(columns))] = generator.choice(["1", "-1"])
    return [[generator.choice(CORNERS), *columns], *rows]


def _label_weights(generator: random.Random) -> tuple[int, int, int]:
    """Draw how often a query's documents are not judged, relevant, not relevant."""
    return generator.choice([(1, 0, 0), (1, 0, 1), (0, 0, 1), (1, 1, 0), (0, 1, 0), (0, 4, 1), (1, 1, 1), (8, 1, 1)])


def _prediction_rows(generator: random.Random, queries: list[str], documents: list[str], gold: Rows) -> Rows:
    """Draw predictions of some quality for some of the pairs, and for others that nobody asked about."""
    truth: Truth = {
        (query, row[0]): label
        for row in gold[1:]
        for query, label in zip(gold[0][1:], row[1:], strict=False)
        if label != "0"
    }
    columns = _other_choice(generator, queries, "q")
    right, odd = generator.choice([0.0, 0.5, 0.8, 1.0]), generator.choice([0.0, 0.0, 0.1, 0.5])

    def predict(query: str, document: str) -> str:
        if generator.random() < odd:
            return generator.choice(ODD_LABELS)
        if generator.random() < right:
            return truth.get((query, document), "-1")
        return generator.choice(["1", "-1"])

    rows = []
    for document in _other_choice(generator, documents, "d"):
        rows.append([document, *(predict(query, document) for query in columns)])  # noqa: PERF401 - reads better so
    return [[generator.choice(CORNERS), *columns], *_shorten_some(generator, rows)]


def _document_rows(generator: random.Random, gold: Rows) -> Rows:
    """Draw prices: one for each relevant document, for others perhaps; a document nobody judged may have any text."""
    names = {row[0]: None for row in gold[1:]}
    relevant = {row[0] for row in gold[1:] if "1" in row[1:]}
    judged = {row[0] for row in gold[1:] if set(row[1:]) & {"1", "-1"}}
    header = ["doc_id", "price", *generator.sample(["title", "category_breadcrumb", "Price", "doc", "", "é"], k=3)]
    header = header[: generator.randint(2, len(header))]
    if generator.random() < 0.5:
        generator.shuffle(header)
    draw = _price_habit(generator)
    lack = generator.choice([0.0, 0.0, 0.3, 1.0])
    listed = [name for name in names if name in relevant or generator.random() >= lack]
    listed += [f"unasked {k}" for k in range(generator.randint(0, 3))]
    listed = _repeat_some(generator, listed)
    if generator.random() < 0.5:
        generator.shuffle(listed)
    rows = []
    for name in listed:
        price = _price_text(generator, draw())
        if name not in judged and generator.random() < 0.3:
            price = generator.choice(["", "n/a", "1,50", "é"])
        row = {"doc_id": name, "price": price}
        rows.append([row.get(column, generator.choice(FILLERS)) for column in header])
    return [header, *rows]


def _price_habit(generator: random.Random) -> Callable[[], float]:
    """Choose how the prices of a case are drawn."""
    same = generator.choice([0.0, 5.0, -3.5, 1e9, 0.01])
    few = [float(generator.randint(-3, 20)) for _ in range(generator.randint(2, 4))]
    extremes = [1e9, 0.01, -1e9, 0.0, 1e-9, 0.1, 0.2, 0.30000000000000004, 0.3, 999999999.99]
    habits: list[Callable[[], float]] = [
        lambda: same,
        lambda: generator.choice(few),
        lambda: generator.choice(extremes),
        lambda: float(generator.randint(1, 8)),
        lambda: round(generator.uniform(0, 100), 2),
        lambda: round(generator.uniform(-50, 50), 2),
        lambda: generator.lognormvariate(3, 2),
        lambda: 1e9 + generator.randint(0, 3) / 100,
    ]
    return generator.choice(habits)


def _price_text(generator: random.Random, price: float) -> str:
    """Write a price in one of the ways that `float` reads back as the same number."""
    if generator.random() < 0.8:
        return repr(price)
    ways = [f" {price!r}", f"{price!r} ", f"{price:.17e}"]
    if not repr(price).startswith("-"):
        ways += [f"+{price!r}", f"00{price!r}"]
    if price == int(price):
        ways += [str(int(price)), f"{int(price):_}", f"{int(price)}."]
    return generator.choice(ways)


def _repeat_some(generator: random.Random, names: list[str]) -> list[str]:
    """In some cases, put a few of the names in a second or third time, anywhere."""
    out = list(names)
    if names and generator.random() < 0.3:
        for _ in range(generator.randint(1, 4)):
            out.insert(generator.randint(0, len(out)), generator.choice(names))
    return out


def _other_choice(generator: random.Random, names: list[str], prefix: str) -> list[str]:
    """Leave some names out, add unknown ones, repeat some, change the order: each in some of the cases."""
    keep = generator.choice([1.0, 1.0, 0.8, 0.4, 0.0 if generator.random() < 0.1 else 1.0])
    out = [name for name in names if generator.random() < keep]
    if generator.random() < 0.3:
        out += [f"unknown {prefix} {k}" for k in range(generator.randint(1, 3))]
    out = _repeat_some(generator, out)
    if generator.random() < 0.5:
        generator.shuffle(out)
    return out


def _shorten_some(generator: random.Random, rows: Rows) -> Rows:
    """In some cases, end a few of the rows early (down to the bare document id) and slip in an empty line."""
    if generator.random() < 0.75:
        return rows
    out = [row[: generator.randint(1, len(row))] if generator.random() < 0.3 else row for row in rows]
    if generator.random() < 0.3:
        out.insert(generator.randint(0, len(out)), [""])
    return out


def _write(generator: random.Random, folder: Path, name: str, rows: Rows) -> Path:
    """Write rows with one kind of line end or all of them, with or without the last one, plain or compressed."""
    kinds = generator.choices([["\n"], ["\r\n"], ["\r"], ["\n", "\r\n", "\r"]], [6, 3, 1, 1])[0]
    lines = ["\t".join(row) for row in rows]
    ends = [generator.choice(kinds) for _ in lines]
    for k in range(len(ends) - 1):
        # An empty line between "\r" and "\n" would be no line at all.
        if ends[k] == "\r" and lines[k + 1] == "" and ends[k + 1] == "\n":
            ends[k] = "\n"
    if len(lines) > 1 and generator.random() < 0.3:  # a header that is an empty line must not become an empty file
        ends[-1] = ""
    data = "".join(line + end for line, end in zip(lines, ends, strict=True)).encode()
    if generator.random() < 0.3:
        data = gzip.compress(data, mtime=0)
    path = folder / (name + generator.choice(NAMES))
    path.write_bytes(data)
    return path
