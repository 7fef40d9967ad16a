"""Input that was made to break things: pipes, devices, odd blanks, odd names, profiles that lead nowhere."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import karatage
from karatage.errors import FormatError, InputError, KaratageError, UsageError
from karatage.formats.columns import conll

TEXT = "Anna\tB-PER\nlacht\tO\n\nWien\tB-LOC\n\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.conll"
    path.write_text(TEXT)
    return path


def feed(pipe: Path, data: bytes) -> threading.Thread:
    writer = threading.Thread(target=lambda: pipe.write_bytes(data))
    writer.start()
    return writer


def test_a_pipe_loses_nothing(tmp_path: Path) -> None:
    """What was looked at to tell the format is read again, and nothing is read behind one's back."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    data = "".join(f"Wort{k}\tB-PER\nlacht\tO\n\n" for k in range(20_000)).encode()
    writer = feed(pipe, data)
    assert len(karatage.read(pipe).units) == 20_000
    writer.join()
    plain = tmp_path / "plain.conll"
    plain.write_bytes(data)
    writer = feed(pipe, data)
    result = karatage.score(plain, pipe)
    writer.join()
    assert result["f1"].value == 1.0
    assert result.digests[1] is None


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path, file: Path) -> None:
    pipe = tmp_path / "out"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    karatage.convert(file, pipe, to="conll")
    reader.join()
    assert pipe.is_fifo()
    assert got == [TEXT.encode()]


@pytest.mark.parametrize("place", ["", ".", "folder"])
def test_a_folder_is_no_file_to_write(file: Path, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    (file.parent / "folder").mkdir()
    for allow_loss in (True, False):
        with pytest.raises(KaratageError, match="(got|is) a folder"):
            karatage.convert(file, place, to="doccano", allow_loss=allow_loss)


def test_the_order_of_layers_changes_nothing(tmp_path: Path) -> None:
    def score(order: str) -> dict[str, object]:
        out = []
        for name, rows in (
            ("g", ["B-A B-B O", "B-A I-B O", "I-A B-B O"]),
            ("p", ["B-B O B-B", "B-A O I-B", "B-A B-C I-B"]),
        ):
            path = tmp_path / f"{name}{order}.conll"
            cells = [row.split() for row in rows]
            lines = ["\t".join([str(k), "w", *(row[int(c)] for c in order)]) for k, row in enumerate(cells, 1)]
            path.write_text("\n".join(lines) + "\n\n")
            out.append(path)
        result = karatage.score(*out, columns=[3, 4, 5], like="semeval2013").to_dict()
        return {key: value for key, value in result.items() if key != "provenance"}

    assert score("012") == score("210") == score("102")


@pytest.mark.parametrize("lacking", [1, 55])
def test_ids_on_some_sentences_only(tmp_path: Path, lacking: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conll, "BATCH_BYTES", 300)
    path = tmp_path / "ids.conll"
    rows = [("" if k == lacking else f"# sent_id = s{k}\n") + f"w{k}\tO\n\n" for k in range(60)]
    path.write_text("".join(rows))
    line = sum(row.count("\n") for row in rows[:lacking]) + 1
    with pytest.raises(FormatError, match=f"ids.conll:{line}: the sentence has no id"):
        karatage.read(path)


def test_blanks_that_nobody_sees(tmp_path: Path, file: Path) -> None:
    blank = tmp_path / "blank.conll"
    blank.write_text(TEXT.replace("B-PER\n", "B-PER \n"))
    assert karatage.score(blank, file)["f1"].value == 1.0
    narrow = tmp_path / "narrow.conll"
    narrow.write_text("Anna\u00a0x B-PER\nlacht O\n")
    tokens = karatage.read(narrow).units.tokens
    assert tokens is not None
    assert [list(t) for t in tokens] == [["Anna\u00a0x", "lacht"]]


@pytest.mark.parametrize("blank", ["\n", "  \n", "\t\n", " \t \n"])
def test_any_blank_line_ends_a_sentence_and_a_block(
    tmp_path: Path, blank: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conll, "BATCH_BYTES", 64)
    path = tmp_path / "f.conll"
    path.write_text(("Anna B-PER\nlacht O\n" + blank) * 50)
    batches = list(karatage.scan(path))
    assert sum(len(batch.units) for batch in batches) == 50
    assert len(batches) > 10


def test_one_long_sentence_over_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conll, "BATCH_BYTES", 64)
    path = tmp_path / "f.conll"
    for end in ("\n", "\r\n"):
        path.write_bytes((f"Anna B-PER{end}" * 500).encode())
        claims = karatage.read(path)
        assert (len(claims), len(claims.units)) == (500, 1)


def test_comments_before_the_data(tmp_path: Path) -> None:
    path = tmp_path / "f.conll"
    path.write_text("# a note\n" * 700 + TEXT)
    assert len(karatage.read(path)) == 2
    path.write_text("x" * 100_000 + "\tB-PER\nlacht\tO\n\n")
    assert len(karatage.read(path)) == 1


@pytest.mark.parametrize(
    ("units", "lost"),
    [
        ([("ok", "A\nB")], {"labels with tabs, line breaks or surrounding spaces": 1}),
        ([("ok", "A ")], {"labels with tabs, line breaks or surrounding spaces": 1}),
        ([("-DOCSTART-", "A")], {"tokens with tabs or line breaks, which were replaced": 1}),
        ([("a\tb", "A")], {"tokens with tabs or line breaks, which were replaced": 1}),
    ],
)
def test_what_columns_cannot_hold_is_counted_and_the_file_stays_readable(
    tmp_path: Path, units: list[tuple[str, str]], lost: dict[str, int]
) -> None:
    from karatage.claims import Claims, Units

    rows = [(k, label, 0, 1, None, None) for k, (_, label) in enumerate(units)]
    claims = Claims.build(Units(len(units), tokens=[[token] for token, _ in units]), "token", rows)
    assert karatage.write(claims, tmp_path / "out.conll") == lost
    assert len(karatage.read(tmp_path / "out.conll").units) == len(units)


def test_attributes_named_like_columns_of_a_table(tmp_path: Path) -> None:
    from karatage.claims import Claims, Units

    units = Units(1, ids=["1"], texts=["Rom"], attributes={"value": ["x"], "source": ["y"]})
    claims = Claims.build(units, "char", [(0, "LOC", 0, 3, None, None)])
    for name in ("t.csv", "t.parquet"):
        assert karatage.write(claims, tmp_path / name) == {"attributes": 1}
        again = karatage.read(tmp_path / name)
        assert again.units.attributes == {"source": ["y"]}
        assert len(again) == 1


def test_a_folder_of_different_spaces(tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "a.conll").write_text(TEXT)
    (folder / "b.jsonl").write_text('{"text": "Rom", "label": [[0, 3, "LOC"]]}\n')
    with pytest.raises(FormatError, match="offsets count characters here, but tokens in the files before"):
        karatage.convert(folder, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_a_system_that_predicts_no_value() -> None:
    assert karatage.score([[("A", "x")]], [[]], like="values")["recall"].value == 0.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('base = "own.toml"', "refers back to this profile"),
        ("labels = [1]", "list of strings"),
        ("undefined = inf", "finite"),
        ('decode = { separator = "" }', "at least one character"),
        ("x = " + "[" * 3000, "not a TOML file"),
    ],
)
def test_profiles_that_lead_nowhere(tmp_path: Path, text: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.toml").write_text(text)
    with pytest.raises(UsageError, match=message):
        karatage.score([["O"]], [["O"]], like="own.toml")


def test_numbers_without_end() -> None:
    with pytest.raises(UsageError, match="at most"):
        karatage.score([["O"]], [["O"]], metrics=["f" + "9" * 300])
    with pytest.raises(InputError, match="is outside the text"):
        karatage.score([[("A", 0, 1 << 63)]], [[]])


def test_many_labels_take_time_in_proportion() -> None:
    """3,000 labels: a table of labels by labels would have nine million cells for each count."""
    rows = [[f"B-L{k}"] for k in range(3000)]
    result = karatage.score(rows, rows, resamples=0)
    assert len(result.by_label) == 3000
    assert result["macro_f1"].value == 1.0


def command(*arguments: object, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "karatage", *map(str, arguments)], capture_output=True, check=False, **options
    )


def test_the_operating_system_says_no(file: Path) -> None:
    """A name that is too long, a full disk, a closed standard input: one line, exit code 2."""
    for done in (
        command("score", "x" * 300, file),
        command("score", "-", file, stdin=subprocess.DEVNULL),
        *(
            subprocess.run(
                f"env {how} {sys.executable} -m karatage score {file} {file} > /dev/full",
                shell=True,
                capture_output=True,
                check=False,
            )
            for how in ("-u PYTHONUNBUFFERED", "PYTHONUNBUFFERED=1")
        ),
        subprocess.run(
            f"{sys.executable} -m karatage score - {file} <&-", shell=True, capture_output=True, check=False
        ),
    ):
        assert done.returncode == 2, done.stderr
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_a_reader_that_goes_away_is_no_error(file: Path) -> None:
    """`karatage … | true` says nothing, whether or not the output is buffered."""
    for how in ("-u PYTHONUNBUFFERED", "PYTHONUNBUFFERED=1"):
        shell = f"(sleep 0.1; env {how} {sys.executable} -m karatage score {file} {file}) | true"
        done = subprocess.run(shell, shell=True, capture_output=True, check=False)
        assert done.stderr == b""


def test_nothing_is_printed_when_a_conversion_fails(tmp_path: Path) -> None:
    path = tmp_path / "half.jsonl"
    path.write_text('{"text": "a", "spans": [], "answer": "accept"}\n' * 3000 + "{broken\n")
    done = command("convert", path, "-", "--to", "prodigy")
    assert (done.returncode, done.stdout) == (2, b"")


def test_a_file_that_cannot_be_scored_is_not_read_to_its_end(tmp_path: Path, file: Path) -> None:
    sparse = tmp_path / "sparse.conll"
    with sparse.open("wb") as out:
        out.truncate(1 << 36)
    with pytest.raises(FormatError, match="binary"):
        karatage.score(file, sparse)
