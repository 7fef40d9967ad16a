"""`python -m karatage.compat.conlleval` prints what the Perl script prints, byte for byte, and what its port does."""

from __future__ import annotations

import io
import os
import random
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import conlleval
import pytest
from tests.parts import parts

import karatage
from karatage.compat.conlleval.chunk_counts import count
from karatage.compat.conlleval.conlleval_command import main
from karatage.compat.conlleval.tagged_lines import LineFormat, read_lines

CASES = 500
PARTS = 10
TYPES = ["PER", "LOC", "ORG-X", "0", "", "Ä", "a-very-long-name-of-a-type"]


@pytest.fixture(scope="session")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Find the Perl script: where KARATAGE_CONLLEVAL says, or in the source distribution of seqeval."""
    if shutil.which("perl") is None:
        pytest.skip("there is no Perl")
    if given := os.environ.get("KARATAGE_CONLLEVAL"):
        return Path(given)
    folder = tmp_path_factory.mktemp("conlleval")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--no-binary",
        ":all:",
        "--dest",
        str(folder),
    ]
    done = subprocess.run([*pip, "seqeval==1.2.2"], capture_output=True, check=False)
    found = list(folder.glob("seqeval-*.tar.gz"))
    if done.returncode or not found:
        pytest.skip("the Perl script could not be downloaded; set KARATAGE_CONLLEVAL to its path")
    place = folder / "conlleval.pl"
    with tarfile.open(found[0]) as archive:
        content = archive.extractfile(next(name for name in archive.getnames() if name.endswith("/conlleval.pl")))
        assert content is not None
        place.write_bytes(content.read())
    return place


def ours(arguments: list[str], text: bytes) -> tuple[int, bytes]:
    out = io.BytesIO()
    return main(arguments, io.BytesIO(text), out), out.getvalue()


def random_text(rng: random.Random, blank: str = " ") -> bytes:
    """Write sentences whose tags have all prefixes that the script knows and some that it does not."""
    letters = rng.choice(["BI", "I", "IE", "BIE", "BIES", "BI[].", "BIEQ"])
    tags = ["O", "O", "O", *(f"{letter}-{kind}" for letter in letters for kind in rng.sample(TYPES, 3))]
    tags += rng.choice([[], [], ["B", "I", "E-"], ["O-PER", "-PER", "B-I-PER"]])
    lines = []
    for _ in range(rng.randrange(1, 6)):
        for _ in range(rng.randrange(1, 12)):
            gold = rng.choice(tags)
            lines.append(
                blank.join(("w", rng.choice(("x", "")), gold, gold if rng.random() < 0.7 else rng.choice(tags)))
            )
        lines.append(rng.choice(("", "", blank.join(("-X-", "-X-", "O", "O")), blank)))
    if rng.random() < 0.05:
        lines.insert(rng.randrange(len(lines)), rng.choice(("w", blank.join("wxO"))))
    end = "\r\n" if rng.random() < 0.1 else "\n"
    return (end.join(lines) + rng.choice(("", end))).encode()


@pytest.mark.parametrize("part", parts(PARTS, 1))
def test_the_output_is_that_of_the_perl_script(part: int, script: Path) -> None:
    """500 random corpora with random options: every byte, and whether it fails."""
    rng = random.Random(part)
    scored = 0
    for _ in range(CASES // PARTS):
        delimiter = rng.choice([" ", " ", " ", "\t", r"\t", ","])
        text = random_text(rng, {r"\t": "\t"}.get(delimiter, delimiter))
        options = ["-d", delimiter] if delimiter != " " else []
        options += [name for name in ("-l", "-r") if rng.random() < 0.3] + rng.choice([[], ["-o", "B-PER"]])
        done = subprocess.run(["perl", str(script), *options], input=text, capture_output=True, check=False)
        code, found = ours(options, text)
        assert found == done.stdout, (options, text)
        assert (code == 0) == (done.returncode == 0), (options, text)
        scored += code == 0
    assert scored > 0.5 * CASES / PARTS


def test_the_output_is_that_of_the_port() -> None:
    """Where the port keeps to the script: for B and I, and types that both sides have."""
    rng = random.Random(7)
    tags = ["O", "O", *(f"{letter}-{kind}" for letter in "BI" for kind in ("PER", "LOC", "ORG-X"))]
    compared = 0
    for _ in range(200):
        rows = [[f"w {g} {rng.choice([g, g, rng.choice(tags)])}" for g in rng.choices(tags, k=8)] for _ in range(3)]
        lines = [line for row in rows for line in [*row, ""]]
        theirs = conlleval.evaluate(lines)
        if all(own["stats"]["pred"] for own in theirs["slots"]["chunks"].values()):  # without any, it takes 100 %
            assert ours([], "\n".join(lines).encode()) == (0, conlleval.report(theirs).encode())
            compared += 1
    assert compared > 100


def test_the_profile_counts_the_same_chunks() -> None:
    """For B, I and O, however they follow each other."""
    rng = random.Random(8)
    for letters in ("BI", "I"):
        tags = ["O", "O", *(f"{letter}-{kind}" for letter in letters for kind in ("PER", "LOC"))]
        for _ in range(100):
            gold = [rng.choices(tags, k=rng.randrange(1, 9)) for _ in range(3)]
            pred = [[tag if rng.random() < 0.7 else rng.choice(tags) for tag in row] for row in gold]
            lines = []
            for sides in zip(gold, pred, strict=True):
                lines += [f"w {g} {p}" for g, p in zip(*sides, strict=True)] + [""]
            counted = count(read_lines(lines, LineFormat()))
            found = karatage.score(gold, pred, like="conlleval", resamples=0).counts
            chunks = [own.total() for own in (counted.gold, counted.predicted, counted.correct)]
            assert [found[name] for name in ("gold", "predicted", "correct")] == chunks
            assert (found["tokens"], found["tokens_correct"]) == (counted.tokens, counted.right)


def test_wrong_calls_and_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert ours(["-x"], b"") == (255, b"")
    assert ours(["-d"], b"") == (255, b"")
    assert ours(["file.txt"], b"") == (255, b"")
    assert ours(["-d", "("], b"w O O\n") == (255, b"")
    assert ours(["-d", "x*"], b"w O O\n") == (255, b"")
    assert ours([], b"w O O\nw O\n") == (1, b"")
    assert ours([], b"w\n") == (255, b"")
    assert "unexpected number of features: 2 (3)" in capsys.readouterr().err
    assert ours([], b"") == (0, b"processed 0 tokens with 0 phrases; found: 0 phrases; correct: 0.\n")


def test_the_module_runs() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "karatage.compat.conlleval"], input=b"w B-PER B-PER\n", capture_output=True, check=True
    )
    assert done.stdout.splitlines()[0] == b"processed 1 tokens with 1 phrases; found: 1 phrases; correct: 1."
