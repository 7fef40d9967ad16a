"""The frame: what is found in texts, and how corpora are read."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import random
import re
import sys
import unicodedata
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import zstandard
from tests.parts import parts

from karatage.errors import FormatError, InputError, KaratageError, UsageError
from karatage.formats import Source
from karatage.recall.drawing import corpus_blocks as blocks
from karatage.recall.drawing.candidate_matcher import CandidateMatcher
from karatage.recall.drawing.candidate_patterns import Pattern, WordList, read_pattern, read_words
from karatage.recall.drawing.corpus_reader import CorpusReader
from karatage.recall.drawing.sampling_frame import CandidateBlock, PatternFrame

Spans = list[tuple[int, int, int]]


def spans(matcher: CandidateMatcher, texts: list[str]) -> list[Spans]:
    """Return start, end and stratum of all candidates of each text."""
    rows, groups = matcher.hits(pl.Series(texts, dtype=pl.String))
    out: list[Spans] = [[] for _ in texts]
    for row, group in zip(rows.tolist(), groups.tolist(), strict=True):
        out[row].append((-1, -1, group))
    places = matcher.spans(texts)
    assert [len(own) for own in out] == [len(own) for own in places]
    return [[(*p, g) for p, (_, _, g) in zip(*pair, strict=True)] for pair in zip(places, out, strict=True)]


def is_word(character: str) -> bool:
    return character.isalnum() or character in "_\u200c\u200d" or unicodedata.category(character)[0] == "M"


def by_hand(lists: list[WordList], text: str) -> Spans:
    """Look for single words in one text, word by word."""
    out: Spans = []
    start = 0
    for at in range(len(text) + 1):
        if at < len(text) and is_word(text[at]):
            continue
        word = text[start:at].lower()
        for number, one in enumerate(lists):
            tests = [re.escape(entry.lower()).replace(r"\*", ".*") for entry in one.words]
            if word and any(re.fullmatch(test, word, re.DOTALL) for test in tests):
                out.append((start, at, number))
                break
        start = at + 1
    return out


ALPHABET = [
    *"aAbBäÄ",
    "ab",
    "Bä",
    " ",
    " ",
    "-",
    ".",
    "_",
    "1",
    "\u0301",
    "\u200d",
    "😀",
    "\ue000",
    "\ue001",
    "\ue002",
    "\t",
]


@pytest.mark.parametrize("seed", range(8))
def test_words_are_found_as_by_hand(seed: int) -> None:
    """Counts, strata and places of words agree with a search word by word, in hostile texts too."""
    rng = random.Random(seed)
    lists = [WordList(("ab", "bä*")), WordList(("*a", "b", "a*b"))]
    texts = ["".join(rng.choices(ALPHABET, k=rng.randrange(30))) for _ in range(1500)]
    assert spans(CandidateMatcher(lists), texts) == [by_hand(lists, text) for text in texts]


@pytest.mark.parametrize("seed", parts(8, 4))
def test_words_and_phrases_agree_with_the_long_way(seed: int) -> None:
    """Single words that are looked for in the short way are found as with word boundaries, beside phrases too."""
    rng = random.Random(seed)
    texts = ["".join(rng.choices(ALPHABET, k=rng.randrange(30))) for _ in range(1500)]
    words, phrase = WordList(("ab", "bä*", "a-b", "b ab", ".b")), WordList(("*a", "b"))
    edges = r"(?i)(?:\bab\b|\bbä\w*\b|\ba-b\b|\bb\s+ab\b|\.b\b)", r"(?i)(?:\b\w*a\b|\bb\b)"
    long_way = CandidateMatcher([Pattern(edges[0]), Pattern(edges[1])])
    assert spans(CandidateMatcher([words, phrase]), texts) == spans(long_way, texts)


@pytest.mark.parametrize("seed", range(4))
def test_patterns_are_found_as_python_finds_them(seed: int) -> None:
    rng = random.Random(seed)
    texts = ["".join(rng.choices(ALPHABET, k=rng.randrange(30))) for _ in range(1500)]
    first, second = "[äb]a+|😀", "(?:a|B)[^a]"
    both = re.compile(f"(?P<x>{first})|(?P<y>{second})")
    wanted = [[(*m.span(), 0 if m["x"] is not None else 1) for m in both.finditer(text)] for text in texts]
    assert spans(CandidateMatcher([Pattern(first, "x"), Pattern(second, "y")]), texts) == wanted
    single = [[(*m.span(), 0) for m in re.finditer(first, text)] for text in texts]
    assert spans(CandidateMatcher([Pattern(first)]), texts) == single


def test_places_by_hand() -> None:
    texts = ["Peipsi järv ja JÄRVED", "saarjärv", "😀😀 järv", ""]
    assert spans(CandidateMatcher([WordList(("järv",))]), texts) == [[(7, 11, 0)], [], [(3, 7, 0)], []]
    assert spans(CandidateMatcher([WordList(("järv*",))]), texts) == [[(7, 11, 0), (15, 21, 0)], [], [(3, 7, 0)], []]
    assert spans(CandidateMatcher([WordList(("*järv",))]), texts) == [[(7, 11, 0)], [(0, 8, 0)], [(3, 7, 0)], []]


def test_the_list_named_first_wins() -> None:
    texts = ["Suur Munamägi on mägi"]
    phrase, word = WordList(("suur munamägi",)), WordList(("suur", "mägi"))
    assert spans(CandidateMatcher([phrase, word]), texts) == [[(0, 13, 0), (17, 21, 1)]]
    assert spans(CandidateMatcher([word, phrase]), texts) == [[(0, 4, 0), (17, 21, 0)]]


def test_each_word_as_a_stratum() -> None:
    matcher = CandidateMatcher([WordList(("järv*", "saar")), WordList(("org",), "o", named=True)], by_word=True)
    assert matcher.names == ("järv*", "saar", "o/org")
    assert spans(matcher, ["Saar, org, JÄRVE"]) == [[(0, 4, 1), (6, 9, 2), (11, 16, 0)]]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("(?<=a)b", "look-around, including look-ahead and look-behind, is not supported"),
        ("(a", "unclosed group"),
        (r"(a)\1", "backreferences are not supported"),
        ("a{1000000}", "exceeds size limit"),
        ("x*", "matches the empty string"),
        (r"\b|foo", "matches the empty string"),
        (r"(?m)a|$", "matches the empty string"),
        ("", "matches the empty string"),
    ],
)
def test_patterns_that_cannot_be_used(expression: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        CandidateMatcher([Pattern(expression)])


def test_patterns_that_do_not_go_together() -> None:
    with pytest.raises(UsageError, match="invalid together: duplicate capture group name"):
        CandidateMatcher([Pattern("(?P<x>a)"), Pattern("(?P<x>b)")])


def test_too_many_words() -> None:
    with pytest.raises(UsageError, match="more than 3,000 words"):
        CandidateMatcher([WordList(tuple(f"w{k}" for k in range(3001)))])


def test_word_lists(tmp_path: Path) -> None:
    path = tmp_path / "frequent.et.txt"
    path.write_text("# comment\njärv\r\n\n  Suur   Munamägi \njärv\n", "utf-8")
    assert read_words(str(path)) == WordList(("järv", "Suur Munamägi"), "frequent", False)
    assert read_words(f"a b={path}") == WordList(("järv", "Suur Munamägi"), "a b", True)
    odd = tmp_path / "a=b.txt"
    odd.write_text("x\n")
    assert read_words(str(odd)).name == "a=b"
    path.write_text("# nothing\n")
    with pytest.raises(InputError, match="frequent.et.txt: the word list is empty"):
        read_words(str(path))
    path.write_text("a\n*\n")
    with pytest.raises(InputError, match=r"frequent.et.txt:2: '\*' matches every word"):
        read_words(str(path))
    with pytest.raises(UsageError, match="before the ="):
        read_words("=x")


def test_patterns_with_names() -> None:
    assert read_pattern("a|b") == Pattern("a|b")
    assert read_pattern("x/1=a=b") == Pattern("a=b", "x/1", True)
    assert read_pattern("(a)=b") == Pattern("(a)=b")


def found(
    *paths: Path | str, lists: list[WordList | Pattern] | None = None, **options: str
) -> list[tuple[str, str, str]]:
    """Return unit, stratum and text of each candidate."""
    by, assist = options.pop("by", None), options.pop("assist", None)
    wanted = tuple(name for name in (None if by == "word" else by, assist) if name is not None)
    columns = blocks.TextColumns(options.pop("text", "text"), options.pop("id", "id"), wanted)
    reader = CorpusReader([*paths], columns, options.pop("format", None))
    frame = PatternFrame(reader, lists or [Pattern("järv")], by=by, assist=assist)
    return [row for block in frame.candidates() for row in rows_of(block)]


def rows_of(one: CandidateBlock) -> list[tuple[str, str, str]]:
    pairs = zip(one.rows.tolist(), one.strata.tolist(), strict=True)
    return [(one.block.unit(row), one.names[k], one.block.texts[row]) for row, k in pairs]


LINES = "Peipsi järv\r\n\n\nilma\njärv järv 😀"


@pytest.mark.parametrize("block", [1, 5, 16, 1 << 20])
def test_plain_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    """Lines are units; empty ones count, line ends of either kind are no text, the last one may lack its end."""
    monkeypatch.setattr(blocks, "BLOCK", block)
    (tmp_path / "a.txt").write_text(LINES, "utf-8", newline="")
    wanted = [("1", "pattern", "Peipsi järv"), *2 * [("5", "pattern", "järv järv 😀")]]
    assert found(tmp_path / "a.txt") == wanted


def test_compressed_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"\xef\xbb\xbf" + LINES.encode()
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(data))
    (tmp_path / "a.txt.zst").write_bytes(zstandard.compress(data))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert found(tmp_path / "a.txt.gz") == found(tmp_path / "a.txt.zst") == found("-")


def test_several_files(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text("järv", "utf-8")
    (tmp_path / "b.txt").write_text("", "utf-8")
    files = (tmp_path / "x" / "a.txt", tmp_path / "b.txt", tmp_path / "y" / "a.txt")
    assert [unit for unit, _, _ in found(*files)] == ["a.txt:1", "a.txt#2:1"]


JSON = [
    {"id": 7, "text": "järv", "kind": "web"},
    {"id": "b", "text": "üks järv 😀\nkaks järv", "kind": None},
    {"text": "JÄRV järv", "kind": 3},
]


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("blank", ["", "\n"])
def test_json_lines(tmp_path: Path, ascii_only: bool, blank: str) -> None:
    """Ids are taken where there are any; else a unit is its line. A value that is missing has a stratum too."""
    text = blank + "".join(json.dumps(row, ensure_ascii=ascii_only) + "\n" for row in JSON)
    (tmp_path / "a.jsonl").write_text(text, "utf-8")
    last = "3" if not blank else "4"
    wanted = [("7", "web"), ("b", "(none)"), ("b", "(none)"), (last, "3")]
    assert [(unit, stratum) for unit, stratum, _ in found(tmp_path / "a.jsonl", by="kind")] == wanted


@pytest.mark.parametrize(
    ("line", "fast"),
    [
        ('{"text": "a b", "id": "x"}', True),
        ('{"text": "a b", "id": 12}', True),
        ('{"text": "a b", "id": 0}', True),
        ('{"text": "a b"}', True),
        ('{"text": "a b", "id": 1.50}', False),  # has another spelling
        ('{"text": "a b", "id": 007}', False),
        ('{"text": "a b", "id": true}', False),
        ('{"text": "a b", "id": [1]}', False),
        ('{"text": "a b", "id": 1, "id": 2}', False),  # Python takes the second, Polars the first
        ('{"text": 12}', False),
        ('{"id": "x"}', False),
    ],
)
def test_the_fast_way_reads_only_what_the_long_way_reads_alike(tmp_path: Path, line: str, fast: bool) -> None:
    columns = blocks.TextColumns(text="text", id="id", attributes=())
    schema = {"text": pl.String, "id": pl.String}
    plain = '{"text": "c", "id": "y"}'
    found = blocks._parse_fast(f"{plain}\n{line}\n".encode(), schema, columns, 2)
    assert (found is not None) == fast
    if found is not None:
        (tmp_path / "c.jsonl").write_text(f"{plain}\n{line}\n")
        row = blocks._json_row(line.encode(), Source(tmp_path / "c.jsonl"), 2, columns)
        assert list(found.row(1)) == row


def test_other_members_and_named_lists(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"t": "a b", "n": "u", "k": "x"}\n')
    lists: list[WordList | Pattern] = [WordList(("a",), "w", named=True), Pattern("b")]
    rows = found(tmp_path / "a.jsonl", lists=lists, by="k", text="t", id="n")
    assert rows == [("u", "w/x", "a b"), ("u", "x", "a b")]


def test_parquet(tmp_path: Path) -> None:
    pl.DataFrame(JSON, schema={"id": pl.String, "text": pl.String, "kind": pl.String}, strict=False).write_parquet(
        tmp_path / "a.parquet"
    )
    wanted = [("7", "web"), ("b", "(none)"), ("b", "(none)"), ("3", "3")]
    assert [(unit, stratum) for unit, stratum, _ in found(tmp_path / "a.parquet", by="kind")] == wanted
    (tmp_path / "a.parquet.zst").write_bytes(zstandard.compress((tmp_path / "a.parquet").read_bytes()))
    assert len(found(tmp_path / "a.parquet.zst")) == 4


def test_large_parquet_in_slices(tmp_path: Path) -> None:
    pl.DataFrame({"text": [f"järv {k}" for k in range(10_000)]}).write_parquet(tmp_path / "a.parquet")
    assert [text for _, _, text in found(tmp_path / "a.parquet")] == [f"järv {k}" for k in range(10_000)]


def test_the_digest_of_a_parquet_file_is_that_of_its_bytes(tmp_path: Path) -> None:
    """Those that are read: of a compressed file, what it contains."""
    path = tmp_path / "a.parquet"
    pl.DataFrame({"text": ["järv", "ilma"]}).write_parquet(path)
    packed = tmp_path / "b.parquet.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for one in (path, packed):
        reader = CorpusReader([one], blocks.TextColumns("text", "id", ()))
        assert len(list(reader.parse_tasks())) == 1
        assert reader.digest.hexdigest() == hashlib.sha256(path.read_bytes()).hexdigest()


def test_other_formats(tmp_path: Path) -> None:
    """Tokens are joined by blanks; Label Studio's tasks and brat's folders have texts."""
    (tmp_path / "a.conll").write_text("Peipsi B-LOC\njärv I-LOC\n\nilma O\n\n", "utf-8")
    assert found(tmp_path / "a.conll") == [("1", "pattern", "Peipsi järv")]
    task = {"id": 5, "data": {"text": "järv"}, "annotations": []}
    (tmp_path / "a.json").write_text(json.dumps([task]), "utf-8")
    assert found(tmp_path / "a.json") == [("5", "pattern", "järv")]


@pytest.mark.parametrize(
    ("name", "data", "options", "message"),
    [
        ("a.txt", b"ok\nj\xe4rv\n", {}, "a.txt:2: byte e4 at position 1 of the line is not UTF-8"),
        ("a.txt", b"ok\n\0\n", {}, "a.txt:2: the line contains a NUL byte"),
        ("a.txt", b"ok\n", {"by": "kind"}, "a.txt: plain text has no attribute 'kind'"),
        ("a.jsonl", b'{"text": "a"}\n{"text": "a"\n', {}, "a.jsonl:2: invalid JSON"),
        ("a.jsonl", b'{"text": "a"}\n[1]\n', {}, "a.jsonl:2: the record must be an object, got an array"),
        ("a.jsonl", b'{"body": "a"}\n', {}, "a.jsonl:1: missing key 'text'. Keys: body. Use --text"),
        ("a.jsonl", b'{"text": "a"}\n{"text": null}\n', {}, "a.jsonl:2: text must be a string, got null"),
        ("a.jsonl", b'{"text": ["a"]}\n', {}, "a.jsonl:1: text must be a string, got an array"),
        ("a.jsonl", b'{"text": "a\\ud800"}\n', {}, "a.jsonl:1: the text contains NUL or an unpaired surrogate"),
        ("a.jsonl", b'{"text": "a"}\n{"text": "\xff"}\n', {}, "a.jsonl:2: byte ff at position 10"),
        ("a.txt.gz", gzip.compress(b"text\n" * 99, mtime=0)[:-9], {}, "a.txt.gz: the compressed file is truncated"),
        ("a.parquet", b"PAR1 nothing", {}, "a.parquet: invalid Parquet file"),
        ("a.txt", b"ok", {"format": "nonsense"}, "unknown format 'nonsense'"),
        ("a.qrels", b"1 0 d1 1\n", {"format": "trec-qrels"}, "contains search results, not texts"),
    ],
)
def test_what_is_wrong_with_a_corpus(
    tmp_path: Path, name: str, data: bytes, options: dict[str, Any], message: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(KaratageError, match=re.escape(message)):
        found(tmp_path / name, **options)


def test_what_is_wrong_with_a_parquet_file(tmp_path: Path) -> None:
    pl.DataFrame({"body": ["a"], "n": [None]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(FormatError, match="missing column 'text'. Columns: body, n. Use --text to name the one"):
        found(tmp_path / "a.parquet")
    with pytest.raises(FormatError, match="missing column 'kind'. Columns: body, n$"):
        found(tmp_path / "a.parquet", text="body", by="kind")
    with pytest.raises(FormatError, match="text 1: the text is null"):
        found(tmp_path / "a.parquet", text="n")
    with pytest.raises(InputError, match="no such file"):
        found(tmp_path / "b.txt")
