"""Where a column file can be cut, and what its parts are: the same sentences, with the same numbers."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from karatage.errors import FormatError
from karatage.formats import ReadOptions, Source, SourcePart, get_format
from karatage.formats.columns import sentence_cuts
from karatage.formats.columns.sentence_cuts import SentenceCuts

READ = get_format("conll").read


def sentences(source: Source) -> list[tuple[object, list[str], list[str]]]:
    """Return the number, the tokens and the tags of each sentence."""
    out: list[tuple[object, list[str], list[str]]] = []
    for batch in READ(source, ReadOptions()):
        units, tags = batch.units, batch.layers[0].lists()
        out += [(units.name(k), list(units.tokens[k]), tags[k]) for k in range(len(units))]
    return out


def made(rng: random.Random, count: int) -> bytes:
    """Make sentences with one blank line or several between them, before them and after them, or none at the end."""
    text = "\n" * rng.randint(0, 3)
    for _ in range(count):
        words = [f"{'w' * rng.randint(1, 9)}{n} {rng.choice(['O', 'B-X', 'I-X'])}" for n in range(rng.randint(1, 5))]
        text += "\n".join(words) + "\n" * rng.choice([2, 2, 2, 3, 5])
    return (text if rng.random() < 0.5 else text.rstrip("\n") + "\n" * rng.randint(0, 1)).encode()


@pytest.mark.parametrize("seed", range(20))
def test_every_cut_gives_the_same_sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Wherever chunks end: after each byte of a blank line, too."""
    rng = random.Random(seed)
    monkeypatch.setattr(sentence_cuts, "_CHUNK", rng.randint(1, 40))
    path = tmp_path / "a.conll"
    path.write_bytes(made(rng, rng.randint(1, 12)))
    whole = Source(path)
    known, size = sentences(whole), path.stat().st_size
    assert SentenceCuts(whole).rest() == len(known)
    for count in range(1, len(known)):
        cuts = SentenceCuts(whole)
        assert cuts.skip(count)
        assert cuts.rest() == len(known) - count
        first, rest = SourcePart(whole, 0, cuts.place, 0), SourcePart(whole, cuts.place, size, count)
        assert sentences(first) == known[:count]
        assert sentences(rest) == known[count:]
    assert not SentenceCuts(whole).skip(len(known) + 1)
    for length in range(1, size, 7):
        cuts = SentenceCuts(whole)
        count = cuts.ahead(length)
        assert sentences(SourcePart(whole, 0, cuts.place, 0)) == known[:count]
        if count and length <= cuts.place:
            again = SentenceCuts(whole)
            assert again.skip(count)
            assert again.place == cuts.place


@pytest.mark.parametrize(("text", "count"), [(b"", 0), (b"\n", 0), (b"\n\n\n", 0), (b"a O", 1), (b"\n\na O\n\n\n", 1)])
def test_files_of_almost_nothing(tmp_path: Path, text: bytes, count: int) -> None:
    path = tmp_path / "a.conll"
    path.write_bytes(text)
    cuts = SentenceCuts(Source(path))
    assert cuts.rest() == count
    assert not cuts.skip(count + 1)


def test_a_part_has_the_columns_of_its_file(tmp_path: Path) -> None:
    """The first sentence has a running number; the second part alone would look like tokens and three layers."""
    path = tmp_path / "a.conll"
    path.write_text("1\tx\tnoun\tB-X\n2\ty\tverb\tO\n\n5\tO\tO\tB-X\n\n")
    whole = Source(path)
    cuts = SentenceCuts(whole)
    assert cuts.skip(1)
    rest = SourcePart(whole, cuts.place, path.stat().st_size, 1)
    assert sentences(rest) == sentences(whole)[1:] == [(2, ["O"], ["B-X"])]


def test_a_header_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("TOKEN\tNE-COARSE\tX\na\tB-X\t_\n\nTOKEN\tNE-COARSE\tX\n\n")
    whole = Source(path)
    cuts = SentenceCuts(whole)
    assert cuts.skip(1)
    known = sentences(whole)
    assert sentences(SourcePart(whole, 0, cuts.place, 0)) == known[:1]
    assert sentences(SourcePart(whole, cuts.place, path.stat().st_size, 1)) == known[1:]


@pytest.mark.parametrize("line", ["# sent_id = s1", "-DOCSTART- O", "# newdoc"])
def test_a_part_of_a_file_with_ids_or_documents_is_refused(tmp_path: Path, line: str) -> None:
    """An id may occur again in another part, and the document of a sentence may start there."""
    path = tmp_path / "a.conll"
    path.write_text(f"{line}\na O\n\n")
    with pytest.raises(FormatError, match="read as a whole"):
        sentences(SourcePart(Source(path), 0, path.stat().st_size, 0))
