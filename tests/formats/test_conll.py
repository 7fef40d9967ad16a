"""CoNLL columns in all their variants, and every way in which such a file can be broken."""

from __future__ import annotations

import gzip
import io
import sys
from collections import Counter
from pathlib import Path

import pytest
import zstandard

import karatage
from karatage.claims import Claims
from karatage.errors import FormatError, InputError, KaratageError, TagError
from karatage.formats import Source, sniff


def read(tmp_path: Path, text: str | bytes, name: str = "f.conll", **options: object) -> Claims:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return karatage.read(path, **options)


def rows(claims: Claims) -> list[tuple[int, str, int, int]]:
    return [(unit, label, start, end) for unit, label, start, end, _, _ in claims.rows()]


TWO = [(0, "PER", 0, 2), (1, "LOC", 1, 2)]


@pytest.mark.parametrize(
    "text",
    [
        "Ana B-PER\nLee I-PER\n\nin O\nRom B-LOC\n",
        "Ana\tB-PER\nLee\tI-PER\n\nin\tO\nRom\tB-LOC\n\n",
        "Ana B-PER\r\nLee I-PER\r\n\r\nin O\r\nRom B-LOC\r\n",
        "\ufeffAna B-PER\nLee I-PER\n\n\n\nin O\nRom B-LOC\n\n\n",
        "  Ana   B-PER  \nLee\tI-PER\n \t \nin  O\nRom B-LOC",
        "Ana NNP B-NP B-PER\nLee NNP I-NP I-PER\n\nin IN B-PP O\nRom NNP B-NP B-LOC\n",
        "-DOCSTART- -X- -X- O\n\nAna NNP B-NP B-PER\nLee NNP I-NP I-PER\n\nin IN B-PP O\nRom NNP B-NP B-LOC\n",
        "# sent_id = 1\n# text = Ana Lee\n1\tAna\tB-PER\t-\tx\n2\tLee\tI-PER\t-\tx\n\n"
        "# sent_id = 2\n1\tin\tO\t-\t-\n2\tRom\tB-LOC\t-\tx\n",
        "TOKEN\tNE-COARSE-LIT\tMISC\nAna\tB-PER\t_\nLee\tI-PER\t_\n\nin\tO\t_\nRom\tB-LOC\t_\n",
    ],
)
def test_variants(tmp_path: Path, text: str) -> None:
    """Two sentences, however they are written."""
    claims = read(tmp_path, text)
    assert rows(claims) == TWO
    assert claims.units.tokens is not None
    assert [list(t) for t in claims.units.tokens] == [["Ana", "Lee"], ["in", "Rom"]]


def test_ids_texts_and_documents(tmp_path: Path) -> None:
    text = (
        "# newdoc id = d1\n# sent_id = a\n# text = Ana\n1\tAna\tB-PER\t-\n\n"
        "# sent_id = b\n# text = O\n1\tO\tO\t-\n\n# newdoc id = d2\n# sent_id = c\n# text = x\n1\tx\tO\t-\n\n"
    )
    units = read(tmp_path, text).units
    assert list(units.ids) == ["a", "b", "c"]
    assert list(units.texts) == ["Ana", "O", "x"]
    assert units.attributes["document"] == ["d1", "d1", "d2"]
    assert units.lines is not None
    assert units.lines.tolist() == [4, 8, 13]


def test_nested_columns_of_germeval(tmp_path: Path) -> None:
    text = "#\thttp://example.org\n1\tUni\tB-ORG\tO\n2\tBonn\tI-ORG\tB-LOC\n\n"
    assert rows(read(tmp_path, text)) == [(0, "ORG", 0, 2), (0, "LOC", 1, 2)]


def test_columns_by_number_and_name(tmp_path: Path) -> None:
    text = "TOKEN NE-COARSE-LIT NE-FINE-LIT\nRom B-LOC B-LOC.town\n\n"
    assert rows(read(tmp_path, text)) == [(0, "LOC", 0, 1)]
    assert rows(read(tmp_path, text, columns=["NE-FINE-LIT"])) == [(0, "LOC.town", 0, 1)]
    assert rows(read(tmp_path, text, columns=[-1])) == [(0, "LOC.town", 0, 1)]
    assert rows(read(tmp_path, text, columns=[2, 3])) == [(0, "LOC", 0, 1), (0, "LOC.town", 0, 1)]
    for wrong in ("0", "9", "-4", "NOPE"):
        with pytest.raises(FormatError, match="no column"):
            read(tmp_path, text, columns=[wrong])


def test_hash_tokens_are_no_comments(tmp_path: Path) -> None:
    assert rows(read(tmp_path, "#rom\tB-LOC\n#\tO\n# x\tO\n\n")) == [(0, "LOC", 0, 1)]
    claims = read(tmp_path, "# O\n#rom B-LOC\n\n")
    assert claims.units.tokens is not None
    assert list(claims.units.tokens[0]) == ["#", "#rom"]


def test_tokens_with_blanks_in_tab_files(tmp_path: Path) -> None:
    tokens = read(tmp_path, "New York\tB-LOC\n!\tO\n\n").units.tokens
    assert tokens is not None
    assert list(tokens[0]) == ["New York", "!"]


def test_empty_tags_continue(tmp_path: Path) -> None:
    text = "SKF\tHersteller\nVKMA\tNummer\n06103\t\nund\tO\nso\t\n\n"
    claims = read(tmp_path, text, scheme="EMPTY")
    assert rows(claims) == [(0, "Hersteller", 0, 1), (0, "Nummer", 1, 3)]
    with pytest.raises(TagError, match=r"f.conll:3: empty tag\. .*--scheme EMPTY"):
        read(tmp_path, text)
    with pytest.raises(TagError, match="no entity to continue"):
        read(tmp_path, "SKF\t\nx\tO\n\n", scheme="EMPTY")


def test_conlleval_input(tmp_path: Path) -> None:
    """One file whose last two columns are gold and predicted."""
    path = tmp_path / "both.txt"
    path.write_text("Ana N B-PER B-PER\nLee N I-PER O\n\nRom N B-LOC B-LOC\n\n")
    result = karatage.score(path, like="conlleval")
    assert result.counts == {
        "units": 2, "gold": 2, "predicted": 2, "correct": 1, "tokens": 3, "tokens_correct": 2,
    }  # fmt: skip
    swapped = karatage.score(path, like="conlleval", columns=[-1, -2])
    assert swapped.counts["correct"] == 1


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_compressed(tmp_path: Path, pack: object, monkeypatch: pytest.MonkeyPatch) -> None:
    data = pack(b"Ana B-PER\nLee I-PER\n\nin O\nRom B-LOC\n")
    assert rows(read(tmp_path, data, name="any.name")) == TWO
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert rows(karatage.read("-")) == TWO
    with pytest.raises(FormatError, match="truncated|damaged"):
        read(tmp_path, data[:-9], name="cut")


def test_folder_and_glob(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.conll").write_text("Ana B-PER\nLee I-PER\n\n")
    (folder / "deep" / "b.conll").write_text("in O\nRom B-LOC\n\n")
    (folder / ".hidden").write_text("rubbish")
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints" / "a.conll").write_text("Ana B-PER\n\n")
    assert rows(karatage.read(folder)) == TWO
    assert rows(karatage.read(str(folder / "**" / "*.conll"))) == TWO
    with pytest.raises(InputError, match="no file matches"):
        karatage.read(str(folder / "*.none"))
    with pytest.raises(InputError, match="no such file"):
        karatage.read(folder / "none.conll")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="the folder is empty"):
        karatage.read(tmp_path / "empty")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b"\n \n\n", "the file is empty"),
        (b"Ana B-PER\nLee\n\n", r"bad.conll:2: expected 2 columns, as in the lines before, found 1\."),
        (b"Ana B-PER\nLee B I-PER\n\n", "bad.conll:2: expected 2 columns, as in the lines before, found 3"),
        (b"Ana B-PER\nM\xfcller I-PER\n\n", "bad.conll:2: byte fc at position 1 of the line is not UTF-8"),
        (b"Ana B-PER\nL\0e I-PER\n\n", "NUL byte|binary"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "binary"),
        ("Ana B-PER\n".encode("utf-16"), "UTF-16"),
        (b"one\ntwo\n", "at least two columns"),
        (b"# only = comment\n", "no data in the first part"),
    ],
)
def test_broken_files(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(KaratageError, match=message):
        read(tmp_path, data, name="bad.conll")


def test_a_bad_tag_is_named_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(TagError, match=r"f.conll:4, sentence 2: invalid tag 'PER' \(index 1\)"):
        read(tmp_path, "Ana B-PER\nLee I-PER\n\nin O\nRom PER\n")
    for scheme in (None, "IOB2"):
        with pytest.raises(TagError, match=r"f.conll:4, sentence 2: invalid tag 'PER'"):
            karatage.score(tmp_path / "f.conll", tmp_path / "f.conll", scheme=scheme)


def test_round_trip(tmp_path: Path) -> None:
    for scheme in ("IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU"):
        claims = read(tmp_path, "# sent_id = x\na B-P\nb B-P\nc I-P\nd O\ne B-Q\n\n# sent_id = y\nf O\n\n")
        out = tmp_path / "out.conll.gz"
        assert karatage.write(claims, out, scheme=scheme, separator="/", suffix=True) == {}
        again = karatage.read(out, scheme=scheme, separator="/", suffix=True)
        assert rows(again) == rows(claims)
        assert list(again.units.ids) == ["x", "y"]
    lost = karatage.write(claims, tmp_path / "io.conll", scheme="IO")
    assert lost == {"boundaries between adjacent spans of one label": 1}


def test_real_files(real_data: Path) -> None:
    """The counts that grep finds: lines with B- in WNUT and UNER; EstNER's own columns elsewhere."""
    dev = real_data / "wnut17" / "dev.conll"
    lines = dev.read_text("utf-8").splitlines()
    claims = karatage.read(dev)
    assert len(claims) == sum("\tB-" in line for line in lines)
    assert len(claims.units) == sum(not line.strip() for line in lines)
    uner = real_data / "uner-ewt" / "en_ewt-ud-dev.iob2"
    lines = uner.read_text("utf-8").splitlines()
    claims = karatage.read(uner)
    assert len(claims) == sum("\tB-" in line for line in lines)
    assert len(claims.units) == sum(line.startswith("# sent_id") for line in lines)
    ler = karatage.read(real_data / "german-ler" / "ler-sample.conll")
    text = (real_data / "german-ler" / "ler-sample.conll").read_text("utf-8")
    assert len(ler) == text.count(" B-")


def test_sniffing(tmp_path: Path) -> None:
    path = tmp_path / "unnamed"
    path.write_text("Ana B-PER\n\n")
    assert sniff(Source(path)).name == "conll"
    path.write_text("Once upon a time there was a file.\nIt had no tags.\n")
    with pytest.raises(FormatError, match="cannot detect the format.*--format"):
        sniff(Source(path))


def test_a_line_of_separators_ends_a_sentence(tmp_path: Path) -> None:
    """WNUT-17's training file has a lone tab between its sentences."""
    path = tmp_path / "tabs.conll"
    path.write_text("evening\tO\n.\tO\n\t\nGreen\tB-person\n\t\n")
    claims = karatage.read(path)
    assert len(claims.units) == 2
    assert [row[:4] for row in claims.rows()] == [(1, "person", 0, 1)]


def test_hashtags_are_tokens_and_comments_are_not(tmp_path: Path) -> None:
    """A line as wide as the others is a token, unless it reads like `# text = …` before the first token."""
    notes: Counter[str] = Counter()
    text = "# text = a\n#NLProc B-X\n#a=b O\n# O\n#text O\n\n# sent = 1 2\nw B-Y\n# a = O\n\n"
    claims = read(tmp_path, text, notes=notes)
    assert [list(tokens) for tokens in claims.units.tokens or ()] == [["#NLProc", "#a=b", "#", "#text"], ["w"]]
    # Only `# a = O` might have been a token with something missing: it stands within a sentence.
    assert notes == {"lines that start with # skipped as comments": 1}


@pytest.mark.parametrize(
    ("text", "tokens", "skipped"),
    [
        ("# b O\nw x O\n\n", ["#", "w"], 0),  # three columns: a token
        ("# text = O\nw x y O\n\n", ["w"], 1),  # four columns, but it reads like a comment
        ("w x y O\n# text = O\n\n", ["w", "#"], 0),  # not before the first token
        ("w O\n#tag\n\n", ["w"], 1),  # a tag may be missing
        ("#\thttp://x\nw\tO\tO\n\n", ["w"], 0),
        ("# text = a\tb\nw\tO\n\n", ["w"], 1),
    ],
)
def test_what_a_line_that_starts_with_a_hash_is(tmp_path: Path, text: str, tokens: list[str], skipped: int) -> None:
    notes: Counter[str] = Counter()
    claims = read(tmp_path, text, notes=notes)
    assert [list(own) for own in claims.units.tokens or ()] == [tokens]
    assert sum(notes.values()) == skipped


@pytest.mark.parametrize("text", ["a B-X\rb O\r\rc O\r", "a\tB-X\rb\tO\r", "a B-X\nb O\rc O\n"])
def test_carriage_returns_do_not_end_lines(tmp_path: Path, text: str) -> None:
    """Read as blanks, they would make one long line of all: one sentence with one token."""
    with pytest.raises(FormatError, match=r"carriage return \(CR\) that is not part of a line end"):
        read(tmp_path, text)
    assert rows(read(tmp_path, "a B-X\r\r\nb O\r\n\r\n")) == [(0, "X", 0, 1)]


def test_many_carriage_returns(tmp_path: Path) -> None:
    """A run of them costs linear time, and may be cut between two reads; a quarter of a million took over a minute."""
    many = b"\r" * (3 << 20)
    assert rows(read(tmp_path, b"a B-X" + many + b"\nb O" + many)) == [(0, "X", 0, 1)]
    with pytest.raises(FormatError, match=r"f.conll:2: the line contains a carriage return"):
        read(tmp_path, b"a B-X\n" + many + b"x")


def test_only_a_key_starts_a_document(tmp_path: Path) -> None:
    """A text may mention document_id; HIPE puts a name before the key."""
    text = (
        "# newdoc id = one\n# text = a\na B-X\n\n# text = the document_id = 5 newdoc\nb O\n\n"
        "# hipe2022:document_id = two\n# text = c\nc O\n"
    )
    assert read(tmp_path, text).units.attributes["document"] == ["one", "one", "two"]
