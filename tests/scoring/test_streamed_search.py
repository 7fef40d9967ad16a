"""A run that is scored while it is read has the same result as one that is read as a whole, to the last byte."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard
from tests.engines import use_here
from tests.parts import parts

import karatage
from karatage.errors import InputError, KaratageError
from karatage.formats import ReadOptions, Source, SourcePart, get_format
from karatage.formats.search import query_batches
from karatage.metrics import measures
from karatage.profiles import get_profile
from karatage.scoring.search import run_parts, search, streamed_run
from karatage.scoring.search.streamed_run import StreamedRun

EVERY = ["nDCG@5", "nDCG(gain=exp)", "nDCG(judged_only=True)", "AP", "AP(rel=2)", "RR", "P@3", "R@1000", "Success@1"]
EVERY += ["Rprec", "Bpref", "infAP", "RBP", "RBPres", "ERR", "SetP", "SetR", "SetF", "SetRelP", "SetAP", "RelP@5"]
EVERY += ["IPrec@0.2", "IAP", "nDCGrel", "RnDCG", "G", "binG", "Judged@10", "P(judged_only=True)@5", "recall", "f1"]
OPTIONS: dict[str, dict[str, Any]] = {
    "intervals": {},
    "no intervals": {"resamples": 0},
    "resampled": {"interval": "percentile", "resamples": 50},
    "trec_eval": {"like": "trec-eval"},
    "every measure": {"metrics": EVERY, "resamples": 0},
    "depth": {"depth": 3},
    "missing ignored": {"missing": "ignore"},
    "missing refused": {"missing": "error"},
    "extra refused": {"extra": "error"},
    "expected ties": {"ties": "expected", "metrics": ["nDCG@5", "AP"]},
    "a grade that ERR does not have": {"metrics": ["ERR(max=1)"]},
    "no measure of rankings": {"metrics": ["accuracy"]},
}
NEVER = 1 << 60


class Ways:
    """Scores files as a whole, or while they are read, in blocks and parts of any size.

    Attributes:
        here: the engine.
        streamed: how many runs were scored while they were read.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch, self.here, self.streamed = patch, use_here(patch), 0

        def counted(*given: Any) -> StreamedRun | None:
            found = streamed_run.streamed_run(*given)
            self.streamed += found is not None
            return found

        patch.setattr(search, "streamed_run", counted)

    def whole(self, gold: Path, run: Path, **options: Any) -> str:
        """Return what a user sees where both files are read as a whole."""
        self._patch.setattr(streamed_run, "_LEAST", NEVER)
        return outcome(gold, run, jobs=1, **options)

    def streaming(self, gold: Path, run: Path, *, block: int = 1 << 22, jobs: int = 1, **options: Any) -> str:
        """Return what a user sees where the run is scored while it is read."""
        self._patch.setattr(streamed_run, "_LEAST", 0)
        self._patch.setattr(streamed_run, "_PAYS", 0)
        self._patch.setattr(run_parts, "_LEAST", block)
        self._patch.setattr(query_batches, "_BLOCK", block)
        return outcome(gold, run, jobs=jobs, **options)


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> Ways:
    return Ways(monkeypatch)


def outcome(gold: Path, run: Path, **options: Any) -> str:
    """Return all that a user sees: the result as JSON, with the values of each query, or the message."""
    try:
        result = karatage.score(gold, run, **options).compute()
        return json.dumps([result.to_dict(), result.by_unit.to_dicts()])
    except KaratageError as error:
        return f"{type(error).__name__}: {error}"


def corpus(rng: random.Random, queries: int = 12) -> tuple[list[str], list[str]]:
    """Make judgements and results, query by query; some queries are only on one side, and scores are often tied."""
    qrels, run = [], []
    grades = rng.choice([[0, 1], [-1, 0, 0, 1, 2, 3], [1]])
    ids = rng.sample(range(1000), queries)
    for query in ids:
        documents = [f"d{k}{'ü' * (k % 3)}" for k in rng.sample(range(60), 40)]
        found, judged = rng.sample(documents, rng.choice([1, 5, 30])), rng.sample(documents, rng.choice([1, 4, 20]))
        scores = [rng.choice([rng.random(), rng.randrange(5), 1e-9 * rng.random()]) for _ in found]
        if rng.random() < 0.7:
            scores.sort(reverse=True)
        if query % 7:
            run.append("".join(f"{query} Q0 {d} 1 {s} x\n" for d, s in zip(found, scores, strict=True)))
        if query % 5:
            qrels.append("".join(f"{query} 0 {d} {rng.choice(grades)}\n" for d in judged))
    return qrels, run


def written(folder: Path, qrels: Iterable[str] | bytes, run: Iterable[str] | bytes) -> tuple[Path, Path]:
    paths = folder / "gold.qrels", folder / "pred.run"
    for path, text in zip(paths, (qrels, run), strict=True):
        path.write_bytes(text if isinstance(text, bytes) else "".join(text).encode())
    return paths


@pytest.mark.parametrize("name", list(OPTIONS))
@pytest.mark.parametrize("seed", parts(6, 2))
def test_blocks_and_parts_of_any_size_give_the_same_result(tmp_path: Path, ways: Ways, name: str, seed: int) -> None:
    """Warnings, intervals, errors and the values of each query included; in whichever order gold has its queries."""
    rng = random.Random(f"{name} {seed}")
    qrels, run = corpus(rng)
    for _ in range(2):
        files = written(tmp_path, qrels, run)
        known = ways.whole(*files, **OPTIONS[name])
        assert ways.streamed == 0
        for block in (150, rng.randint(100, 3000)):
            assert ways.streaming(*files, block=block, **OPTIONS[name]) == known
            assert ways.streaming(*files, block=block, jobs=3, **OPTIONS[name]) == known
        if name in ("intervals", "depth", "every measure"):
            assert ways.streamed == 4
            assert ways.here.parts > 1
        ways.streamed = 0
        rng.shuffle(qrels)


def test_every_measure_is_scored_in_parts() -> None:
    """The list above has each measure that ranks."""
    profile = get_profile("trec")
    found = {type(profile.metric(name).measure) for name in EVERY}
    assert {own for own in measures() if own.ranks and own.__module__.startswith("karatage.metrics")} <= found


def _document(line: str) -> str:
    return line.split()[2]


def mutations() -> dict[str, Callable[[str], bytes]]:
    """Ways to write the same lines, all of which can be read, or which are wrong."""

    def lines(change: Callable[[int, str], str]) -> Callable[[str], bytes]:
        return lambda text: "".join(change(k, own) for k, own in enumerate(text.splitlines(keepends=True))).encode()

    return {
        "comments": lines(lambda k, own: f"# {k} a\n{own}" if k % 9 == 4 else own),
        "many blanks": lines(lambda k, own: "  " + own.replace(" ", " \t ") if k % 9 == 4 else own),
        "tabs": lambda text: text.replace(" ", "\t").encode(),
        "half tabs": lambda text: text[: len(text) // 2].replace(" ", "\t").encode() + text[len(text) // 2 :].encode(),
        "line ends": lambda text: text.replace("\n", "\r\n").encode(),
        "blank lines": lines(lambda k, own: f"{own}\n \n" if k % 9 == 4 else own),
        "no last line end": lambda text: text.removesuffix("\n").encode(),
        "byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
        "gzip": lambda text: gzip.compress(text.encode()),
        "zstd": lambda text: zstandard.compress(text.encode()),
        "a hash in ids": lambda text: text.replace(" d", " d#").encode(),
        "nothing but a comment": lambda _: b"# nothing\n",
        "nothing but blanks": lambda _: b" \n \n",
        "a field too few": lines(lambda k, own: own.rpartition(" ")[0] + "\n" if k == 50 else own),
        "a field too many": lines(lambda k, own: own[:-1] + " more\n" if k == 50 else own),
        "not a number": lines(lambda k, own: own[:-4] + "x x\n" if k == 50 else own),
        "infinite": lines(lambda k, own: f"{own.split()[0]} Q0 z 1 inf x\n" if k == 50 else own),
        "a grade with a point": lines(lambda k, own: own[:-1] + ".0\n" if k == 50 and "Q0" not in own else own),
        "not UTF-8": lambda text: text.encode().replace("ü".encode(), b"\xfc", 1),
        "NUL": lambda text: text.replace("d", "\0", 1).encode(),
        "a document twice": lines(lambda k, own: own + own if k == 50 else own),
        "a document twice, and not a number": lines(
            lambda k, own: own + own if k == 20 else own.replace(" ", " x ") if k == 60 else own
        ),
        "a query in two places": lambda text: (text[text.index("\n") + 1 :] + text[: text.index("\n") + 1]).encode(),
        "all queries mixed": lambda text: "".join(sorted(text.splitlines(keepends=True), key=_document)).encode(),
        "other ids": lambda text: text.replace(" d", " D").encode(),
        "other queries": lines(lambda _, own: "x" + own),
        "ids of other queries": lines(lambda k, own: own if k else f"x{own}"),
        "the other kind of file": lines(lambda k, own: f"q 0 d{k} 1\n" if "Q0" in own else f"q Q0 d{k} 1 1 x\n"),
    }  # fmt: skip


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("name", list(mutations()))
def test_odd_and_wrong_files_give_the_same_result_or_message(tmp_path: Path, ways: Ways, name: str, side: int) -> None:
    rng = random.Random(f"{name} {side}")
    for options in ({}, {"format": "trec-qrels", "pred_format": "trec-run"}):
        texts = ["".join(own) for own in corpus(rng, 14)]
        contents = [text.encode() for text in texts]
        contents[side] = mutations()[name](texts[side])
        files = written(tmp_path, *contents)
        known = ways.whole(*files, **options)
        for block in (60, 2000):
            assert ways.streaming(*files, block=block, **options) == known
            assert ways.streaming(*files, block=block, jobs=3, **options) == known


@pytest.mark.parametrize("name", ["gzip", "zstd", "byte order mark", "comments", "line ends", "a grade with a point"])
def test_files_that_can_be_read_query_by_query_are(tmp_path: Path, ways: Ways, name: str) -> None:
    texts = ["".join(own) for own in corpus(random.Random(name), 20)]
    files = written(tmp_path, *(mutations()[name](text) for text in texts))
    ways.streaming(*files, block=100)
    assert ways.streamed == 1


def test_a_run_of_several_files_is_scored_while_it_is_read(tmp_path: Path, ways: Ways) -> None:
    """Also where gold has several; a query that is in two files is as if it were in one."""
    qrels, run = corpus(random.Random(1), 20)
    for folder, texts, suffix in (("gold", qrels, "qrels"), ("pred", run, "run")):
        (tmp_path / folder).mkdir()
        for k in range(3):
            (tmp_path / folder / f"{k}.{suffix}").write_text("".join(texts[k::3]), "utf-8")
    known = ways.whole(tmp_path / "gold", tmp_path / "pred")
    assert ways.streaming(tmp_path / "gold", tmp_path / "pred", block=100) == known
    assert ways.streamed == 1
    first, *others = max(run, key=len).splitlines(keepends=True)
    (tmp_path / "pred" / "0.run").write_text(first, "utf-8")
    (tmp_path / "pred" / "1.run").write_text(run[1], "utf-8")
    (tmp_path / "pred" / "2.run").write_text("".join(others), "utf-8")
    known = ways.whole(tmp_path / "gold", tmp_path / "pred")
    assert ways.streaming(tmp_path / "gold", tmp_path / "pred", block=100) == known
    assert ways.streamed == 1


def test_metrics_that_are_asked_for_later_read_the_files_again(tmp_path: Path, ways: Ways) -> None:
    files = written(tmp_path, *corpus(random.Random(2)))
    ways.whole(*files)
    known = karatage.score(*files)
    values = known["P@7"], known["SetF"]
    ways.streaming(*files)
    result = karatage.score(*files)
    assert (result["P@7"], result["SetF"]) == values
    assert result.by_unit.equals(known.by_unit)
    assert result.documents().equals(known.documents())
    gold = files[0].read_text("utf-8")
    files[0].write_text("new 0 d1 1\n" + gold, "utf-8")
    with pytest.raises(InputError, match=r"the file has changed since it was scored"):
        result["P@8"]


def test_progress_counts_queries(tmp_path: Path, ways: Ways) -> None:
    files = written(tmp_path, ["a 0 d 1\n", "b 0 d 1\n", "c 0 d 1\n"], ["a Q0 d 1 1 x\n", "b Q0 d 1 1 x\n"])
    ways.streaming(*files, block=1)
    seen: list[int] = []
    karatage.score(*files, progress=seen.append, jobs=1, resamples=0)
    assert seen == [1, 2, 3]


def test_no_more_than_a_few_queries_are_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each batch has whole queries, and no more of them than a block has."""
    monkeypatch.setattr(query_batches, "_BLOCK", 50)
    path = tmp_path / "a.run"
    path.write_text("".join(f"q{q} Q0 d{d} 1 {d}.5 x\n" for q in range(20) for d in range(5)), "utf-8")
    batches = list(get_format("trec-run").read(Source(path), ReadOptions(by_query=True)))
    assert [list(batch.units.ids) for batch in batches] == [[f"q{q}"] for q in range(20)]
    assert all(batch.document.to_list() == [f"d{d}" for d in range(5)] for batch in batches)


def test_parts_read_the_judgements_that_they_need_first(tmp_path: Path) -> None:
    """The second part starts with the first query that only it has, in gold as well, unless gold hides it."""
    from karatage.inputs import as_input

    def bounds(qrels: str) -> Iterator[list[tuple[int, int]]]:
        files = written(tmp_path, [qrels], ["a Q0 d 1 1 x\n" * 4, "b Q0 d 1 1 x\n" * 4])
        gold, run = (as_input(path, format=None, name="x") for path in files)
        for part in run_parts.run_parts(gold, run, 1):
            sources = part.inputs[0].sources
            yield [(own.start, own.end) for own in sources if isinstance(own, SourcePart)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_parts, "_LEAST", 40)
        assert list(bounds("a 0 d 1\nb 0 d 1\n")) == [[(0, 16)], [(8, 16), (0, 8)]]
        assert list(bounds("b 0 d 1\na 0 d 1\n")) == [[(8, 16), (0, 8)], [(0, 16)]]
        assert list(bounds("a 0 d 1\n b 0 c 1\nb 0 d 1\n")) == [[(0, 25)], [(0, 25)]]
        assert list(bounds("a 0 d 1\n# b\nb 0 d 1\n")) == [[(0, 20)], [(0, 20)]]
