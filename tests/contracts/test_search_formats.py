"""What every format of judgements and results keeps to: recognised, read, written, paired, and refused alike."""

from __future__ import annotations

import importlib.util
import itertools
import json
import random
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.contracts.test_references import mutated
from tests.mutated_files import feed, files
from tests.parts import parts

import karatage
from karatage.claims import Relevance, Units
from karatage.errors import FormatError, InputError, KaratageError, UsageError
from karatage.formats import FileStart, Lost, ReadOptions, Source, WriteOptions, format_names, get_format, sniff

Rows = list[tuple[str, str, float]]

NAMES = [name for name in format_names() if get_format(name).search]
WRITTEN = [name for name in NAMES if get_format(name).write]
KINDS = [(name, what) for name in WRITTEN for what in ("grades", "scores") if what in get_format(name).holds]
GRADED, SCORED = ([name for name, what in KINDS if what == kind] for kind in ("grades", "scores"))
NEW = [name for name in NAMES if not name.startswith("trec") and name != "sigir19"]

GRADES: Rows = [("1", "d1", 2), ("1", "d2", 0), ("1", "d3", 1), ("2", "d1", 1), ("2", "d4", 0), ("3", "d5", 3)]
SCORES: Rows = [("1", "d3", 9.5), ("1", "d1", 8.25), ("1", "d9", 8), ("2", "d4", 3), ("2", "d1", 1), ("3", "d5", 0.5)]
WORDS = ["d", "ä ß", "語", "a,b", 'x"y', "#5", "-1", "0", "NA", "null", "a;b", "'q", "a/b", "{}", "1e5", "a\\b", ";"]


def relevance(rows: Rows, what: Any, texts: dict[str, str] | None = None) -> Relevance:
    number: dict[str, int] = {}
    unit = [number.setdefault(query, len(number)) for query, _, _ in rows]
    own = None if texts is None else [texts.get(query, "") for query in number]
    units = Units(len(number), list(number), texts=own, source="made")
    documents = pl.Series([document for _, document, _ in rows], dtype=pl.String)
    return Relevance(units, np.array(unit, np.int64), documents, np.array([v for *_, v in rows], np.float64), what)


def place_of(name: str, folder: Path, stem: str = "data") -> Path:
    form = get_format(name)
    return folder / (stem if form.folder else f"{stem}{form.suffixes[0]}")


def write(name: str, found: Relevance, place: Path) -> Lost:
    lost, form = Lost(), get_format(name)
    assert form.write is not None
    form.write([found], str(place), WriteOptions(), lost)
    return Lost({what: count for what, count in lost.items() if count})


def read(name: str, place: Path, **options: Any) -> Relevance:
    found: Relevance
    (found,) = get_format(name).read(Source(place), ReadOptions(**options))
    return found


def rows_of(found: Relevance) -> Rows:
    ids = found.units.ids or ()
    triples = zip(found.unit.tolist(), found.document, found.value.tolist(), strict=True)
    return sorted((ids[unit], document, value) for unit, document, value in triples)


@pytest.mark.parametrize("name", NAMES)
def test_the_example_is_recognised_by_its_own_format_only(name: str, tmp_path: Path) -> None:
    """A file has one format, among those of search and of entities."""
    form = get_format(name)
    place = tmp_path / f"data{form.suffixes[0]}"
    place.write_text(form.example, "utf-8", newline="")
    start = FileStart(Source(place))
    found = [other for other in format_names() if get_format(other).sniff(start)]
    # A table with tabs and few columns also looks like a matrix or like tagged tokens; their precedence is lower, as
    # the names of its columns leave no doubt.
    assert [other for other in found if get_format(other).precedence >= form.precedence] == [name]
    assert sniff(Source(place)) is form
    assert form.about.endswith(".")


@pytest.mark.parametrize("name", [name for name in format_names() if get_format(name).example])
def test_no_example_of_entities_is_taken_for_search(name: str, tmp_path: Path) -> None:
    form = get_format(name)
    place = tmp_path / f"data{form.suffixes[0]}"
    place.write_text(form.example, "utf-8", newline="")
    start = FileStart(Source(place))
    if not form.search:
        assert [other for other in NEW if get_format(other).sniff(start)] == []


@pytest.mark.parametrize(
    "header",
    [
        "unit,label,start,end,value",
        "unit,label,start,end,value,score,query,doc_id,rank",
        "unit\tlabel\tvalue\tquery\tdocument\trating",
    ],
)
def test_tables_of_entities_stay_tables_of_entities(header: str, tmp_path: Path) -> None:
    """Attributes may be called as the columns of judgements are."""
    place = tmp_path / "spans.csv"
    mark = "\t" if "\t" in header else ","
    row = {"unit": "u1", "label": "LOC", "start": "0", "end": "3", "value": "Rom", "score": "0.5"}
    place.write_text(f"{header}\n{mark.join(row.get(name, '1') for name in header.split(mark))}\n", "utf-8")
    assert sniff(Source(place)).name == "csv"


@pytest.mark.parametrize("compression", ["", ".gz", ".zst"])
@pytest.mark.parametrize(("name", "what"), KINDS)
def test_what_is_written_comes_back(name: str, what: str, compression: str, tmp_path: Path) -> None:
    if get_format(name).folder and compression:
        pytest.skip("a folder is not compressed")
    rows = GRADES if what == "grades" else SCORES
    place = Path(f"{place_of(name, tmp_path)}{compression}")
    lost = write(name, relevance(rows, what), place)
    assert lost == ({"corpus.jsonl, which is not written": 1} if name == "beir" else {})
    found = read(name, place)
    assert rows_of(found) == sorted(rows)
    assert found.what == what
    assert sniff(Source(place)) is get_format(name)


LINES = {"trec-qrels", "trec-run", "ltr"}
"""Formats of lines, whose ids have no blanks."""


@pytest.mark.parametrize(("name", "what"), KINDS)
def test_odd_ids_survive_or_are_refused_or_counted(name: str, what: str, tmp_path: Path) -> None:
    """Quotes, commas, blanks and other scripts in ids."""
    rng = random.Random(name)
    for turn in range(20):
        queries = [f"{rng.choice(WORDS)}{k}" for k in range(4)]
        rows = [
            (query, f"{k}{rng.choice(WORDS)}", float(rng.randrange(3)) if what == "grades" else rng.random())
            for query in queries
            for k in range(rng.randrange(1, 5))
        ]
        place = place_of(name, tmp_path, f"odd{turn}")
        try:
            lost = write(name, relevance(rows, what), place)
        except FormatError:
            assert name in {*LINES, "beir"}
            assert not place.exists()
            continue
        back = read(name, place)
        if not any("ids" in kind for kind in lost):
            assert rows_of(back) == sorted(rows)
        else:
            assert name in {*LINES, "beir"}
            assert len(back) == len(rows)


@pytest.mark.parametrize(("name", "what"), KINDS)
def test_texts_of_queries_survive_or_are_counted(name: str, what: str, tmp_path: Path) -> None:
    texts = {"1": "golf shoes", "2": 'polo, "red"', "3": "kart"}
    place = place_of(name, tmp_path)
    lost = write(name, relevance(GRADES if what == "grades" else SCORES, what, texts), place)
    back = read(name, place).units
    if "text" in get_format(name).holds:
        assert "texts of queries" not in lost
        assert dict(zip(back.ids or (), back.texts or (), strict=True)) == texts
    else:
        assert lost["texts of queries"] == 3
        assert back.texts is None


@pytest.mark.parametrize(("source", "target"), list(itertools.product(WRITTEN, WRITTEN)))
def test_from_each_to_each(source: str, target: str, tmp_path: Path) -> None:
    """Every pair of query and document survives; judgements never become results, nor the other way round."""
    what = "grades" if "grades" in get_format(source).holds else "scores"
    rows = GRADES if what == "grades" else SCORES
    start, place = place_of(source, tmp_path, "from"), place_of(target, tmp_path, "to")
    write(source, relevance(rows, what), start)
    if what not in get_format(target).holds:
        with pytest.raises(KaratageError, match="cannot store"):
            karatage.convert(start, place, to=target)
        assert not place.exists()
        return
    lost = karatage.convert(start, place, to=target)
    assert rows_of(read(target, place)) == sorted(rows)
    assert set(lost) <= {"corpus.jsonl, which is not written"}
    if not lost:
        karatage.convert(start, place, to=target, allow_loss=False)


@pytest.mark.parametrize("name", WRITTEN)
def test_entities_and_search_do_not_mix(name: str, tmp_path: Path) -> None:
    (tmp_path / "gold.conll").write_text("Rom B-LOC\n\n")
    with pytest.raises(UsageError, match="for search"):
        karatage.convert(tmp_path / "gold.conll", tmp_path / "out", to=name)
    what = "grades" if "grades" in get_format(name).holds else "scores"
    place = place_of(name, tmp_path)
    write(name, relevance(GRADES if what == "grades" else SCORES, what), place)
    with pytest.raises(UsageError, match="cannot store"):
        karatage.convert(place, tmp_path / "out.jsonl", to="doccano")
    with pytest.raises(UsageError, match="search results or judgements"):
        karatage.read(place)


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    """The same judgements and results in every format."""
    folder = tmp_path_factory.mktemp("sides")
    made: dict[tuple[str, str], Path] = {}
    for name, what in KINDS:
        made[name, what] = place_of(name, folder, f"{name}-{what}")
        write(name, relevance(GRADES if what == "grades" else SCORES, what), made[name, what])
    return made


PAIRS = list(itertools.product(GRADED, SCORED))


@pytest.mark.parametrize(("gold", "pred"), PAIRS)
def test_every_pair_of_formats_gives_the_same_scores(gold: str, pred: str, sides: dict[tuple[str, str], Path]) -> None:
    """Query 1: d3 (grade 1), d1 (2), d9: AP 1. Query 2: d4 (0), d1 (1): AP 1/2. Query 3: AP 1. The mean is 5/6."""
    found = karatage.score(sides[gold, "grades"], sides[pred, "scores"], metrics=["AP", "Judged@10"], resamples=0)
    assert found["AP"].value == pytest.approx(5 / 6, abs=1e-12)
    assert found["Judged@10"].value == pytest.approx((2 / 3 + 1 + 1) / 3, abs=1e-12)
    assert found.counts == {"units": 3, "gold": 4, "predicted": 6, "correct": 4}


@pytest.mark.parametrize(("name", "what"), KINDS)
def test_sides_that_are_swapped_are_refused(name: str, what: str, sides: dict[tuple[str, str], Path]) -> None:
    if what == "grades":
        with pytest.raises(InputError, match="judgements, not results"):
            karatage.score(sides["trec-qrels", "grades"], sides[name, what], resamples=0)
    else:
        with pytest.raises(InputError, match="scores, not grades"):
            karatage.score(sides[name, what], sides["trec-run", "scores"], resamples=0)


@pytest.mark.parametrize("name", GRADED)
def test_other_documents_and_other_queries_are_seen(
    name: str, sides: dict[tuple[str, str], Path], tmp_path: Path
) -> None:
    """A document or a query of another name never counts as the same, and the order of rows never matters."""
    run = sides["trec-run", "scores"]
    other = place_of(name, tmp_path, "other")
    write(name, relevance([("1", "D1", 2), *GRADES[1:]], "grades"), other)
    # Of query 1, only d3 is found among d3 and D1: AP 1/2, so the mean is 2/3.
    assert karatage.score(other, run, metrics=["AP"], resamples=0)["AP"].value == pytest.approx(2 / 3)
    strange = place_of(name, tmp_path, "strange")
    write(name, relevance([(f"9{query}", document, grade) for query, document, grade in GRADES], "grades"), strange)
    with pytest.raises(InputError, match="no query of the run has judgements"):
        karatage.score(strange, run, resamples=0)
    turned = place_of(name, tmp_path, "turned")
    write(name, relevance(GRADES[::-1], "grades"), turned)
    assert karatage.score(turned, run, metrics=["AP"], resamples=0)["AP"].value == pytest.approx(5 / 6)


DOUBLED = {
    "search-csv": "query,docid,rating\nq,d1,1\nq,d1,2\n",
    "search-jsonl": '{"query": "q", "results": ["d1", "d1"]}\n',
    "elasticsearch": '{"query": "q", "hits": {"hits": [{"_id": "d1", "_score": 2}, {"_id": "d1", "_score": 1}]}}\n',
    "rank-eval": '{"requests": [{"id": "q", "ratings": [{"_id": "d1", "rating": 1}, {"_id": "d1", "rating": 1}]}]}',
    "quepid": '{"queries": [{"query": "q", "ratings": {"d1": 1, "d1": 2}}]}',
    "rre": '{"queries": [{"placeholders": {"$query": "q"}, "relevant_documents": {"1": ["a"], "2": ["a"]}}]}',
    "ltr": "1 qid:1 # d1\n0 qid:1 # d1\n",
    "beir": "query-id\tcorpus-id\tscore\nq\td1\t1\nq\td1\t0\n",
}
WRONG_NUMBERS = {
    "search-csv": ["query,docid,rating\nq,d1,1.5\n", "query,docid,score\nq,d1,nan\n", "query,docid,rank\nq,d1,-1\n"],
    "search-jsonl": [
        '{"query": "q", "doc_id": "d1", "rating": "good"}\n',
        '{"query": "q", "doc_id": "d", "score": null}\n',
    ],
    "elasticsearch": ['{"query": "q", "hits": {"hits": [{"_score": 2}]}}\n', '{"query": "q", "hits": {"hits": [[]]}}'],
    "rank-eval": ['{"requests": [{"id": "q", "ratings": [{"_id": "d1", "rating": 0.5}]}]}'],
    "quepid": ['{"queries": [{"query": "q", "ratings": {"d1": "good"}}]}'],
    "rre": ['{"queries": [{"placeholders": {"$query": "q"}, "relevant_documents": {"d1": {"gain": true}}}]}'],
    "ltr": ["1.5 qid:1 # d1\n", "1 qid:1 1:3\n"],
    "beir": ["query-id\tcorpus-id\tscore\nq\td1\tx\n"],
}


def test_every_new_format_has_its_errors() -> None:
    assert DOUBLED.keys() == WRONG_NUMBERS.keys() == set(NEW)


@pytest.mark.parametrize("name", NEW)
def test_a_document_twice_a_wrong_number_and_nothing_are_refused(name: str, tmp_path: Path) -> None:
    """Each message names the file, and where there are lines, the line."""
    place = tmp_path / f"bad{get_format(name).suffixes[0]}"
    for text in (DOUBLED[name], *WRONG_NUMBERS[name], "", "\n"):
        place.write_text(text, "utf-8")
        with pytest.raises(InputError) as caught:
            list(get_format(name).read(Source(place), ReadOptions()))
        assert str(place) in str(caught.value)
        assert caught.value.line is not None or not text.strip(), caught.value


@pytest.mark.parametrize("count", parts([200, 2000], 1))
def test_mutated_files_are_read_or_refused(count: int, tmp_path: Path) -> None:
    """Over all new readers in turn, every third file by its detected format, and no traceback."""
    rng = random.Random(count)
    streams = {name: files(name, rng, tmp_path / name) for name in NEW}
    for number in range(count):
        name = NEW[number % len(NEW)]
        place = tmp_path / f"mutated{get_format(name).suffixes[0]}"
        place.write_bytes(next(streams[name]))
        assert feed_search(place, None if number % 3 == 0 else name) is None


TABLES = {
    "search-csv": (
        b"query,docid,rating\ngolf,d1,3\ngolf,d2,0\npolo,d1,1\n",
        b'qid,query,doc_id,rank,score\n1,"golf, red",d1,1,9.5\n1,"golf, red",d2,2,8\n2,polo,d1,1,0.5\n',
        b'query;docid;rank\r\n"a";"d1";1\r\n"a";"d2";2\r\n"b ""x""";"d1";1\r\n',
    ),
    "beir": (b"query-id\tcorpus-id\tscore\ngolf\td1\t3\ngolf\td2\t0\npolo\td1\t1\n",),
}


@pytest.mark.parametrize("turn", parts(40, 4))
@pytest.mark.parametrize("name", TABLES)
def test_the_quick_reader_says_what_the_strict_one_says(
    name: str, turn: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On mutated tables: the same rows, texts and notes, or both refuse."""
    from karatage.formats.search import search_csv

    rng, place = random.Random(f"{name} {turn}"), tmp_path / "mutated.csv"
    for seed in TABLES[name]:
        for data in (seed, *mutated(seed, rng), *mutated(seed * 2, rng)):
            place.write_bytes(data)
            quick = _said(name, place)
            with monkeypatch.context() as patched:
                patched.setattr(search_csv, "quick_columns", lambda *_: None)
                assert _said(name, place) == quick, data


def _said(name: str, place: Path) -> Any:
    notes: Counter[str] = Counter()
    try:
        found = read(name, place, notes=notes)
    except KaratageError:
        return None
    return rows_of(found), list(found.units.texts or ()), +notes


def feed_search(place: Path, name: str | None) -> str | None:
    """Score a file with itself, and convert it, as commands do."""
    with suppress(KaratageError):
        karatage.convert(place, place.with_name("converted.csv"), format=name, to="search-csv")
    return feed(place, name) if name is not None else _detected(place)


def _detected(place: Path) -> str | None:
    try:
        karatage.score(place, place, like="trec", resamples=0)
    except KaratageError:
        return None
    return None


@pytest.mark.parametrize("name", ["rank-eval", "quepid", "rre", "elasticsearch", "search-jsonl"])
def test_any_member_may_be_anything(name: str, tmp_path: Path) -> None:
    """A member of another type is refused, or read where it does not matter."""
    from tests.formats.test_fuzz import ODD_VALUES, _changed, _places

    rng, place = random.Random(name), tmp_path / "changed.json"
    value = json.loads(get_format(name).example)
    everywhere = list(_places(value))
    assert ODD_VALUES
    for _ in range(200):
        place.write_text(json.dumps(_changed(value, rng.choice(everywhere), rng)), "utf-8")
        try:
            list(get_format(name).read(Source(place), ReadOptions()))
        except KaratageError:
            continue


def test_ir_datasets_by_name(tmp_path: Path) -> None:
    """A data set that the test registers itself: judgements, and the texts of queries."""
    if importlib.util.find_spec("ir_datasets") is None:
        pytest.skip("ir_datasets is not installed")
    import ir_datasets
    from ir_datasets.datasets.base import Dataset
    from ir_datasets.formats import BaseQrels, BaseQueries, GenericQuery, TrecQrel

    class Judged(BaseQrels):  # type: ignore[misc]  # without types
        def qrels_iter(self) -> Any:
            return (TrecQrel(query, document, int(grade), "0") for query, document, grade in GRADES)

        def qrels_cls(self) -> Any:
            return TrecQrel

    class Asked(BaseQueries):  # type: ignore[misc]  # without types
        def queries_iter(self) -> Any:
            return iter([GenericQuery("1", "golf shoes"), GenericQuery("2", "polo"), GenericQuery("3", "kart")])

        def queries_cls(self) -> Any:
            return GenericQuery

    if "karatage-made" not in ir_datasets.registry:
        ir_datasets.registry.register("karatage-made", Dataset(Judged(), Asked()))
    run = tmp_path / "a.run"
    write("trec-run", relevance(SCORES, "scores"), run)
    found = karatage.score("ir_datasets:karatage-made", run, metrics=["AP"], resamples=0)
    assert found["AP"].value == pytest.approx(5 / 6)
    out = tmp_path / "out.csv"
    assert karatage.convert("ir_datasets:karatage-made", out) == {}
    assert out.read_text().splitlines()[:2] == ["query_id,query,docid,rating", "1,golf shoes,d1,2"]
    with pytest.raises(UsageError, match="does not know the data set 'no-such'"):
        karatage.score("ir_datasets:no-such", run)
    write("trec-qrels", relevance(GRADES, "grades"), tmp_path / "a.qrels")
    with pytest.raises(InputError, match="no results"):
        karatage.score(tmp_path / "a.qrels", "ir_datasets:karatage-made")
