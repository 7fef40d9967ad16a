"""The generator of challenge-like data: the challenge's formats, the same bytes for a seed, and hard to memorise."""

from __future__ import annotations

import csv
import gzip
import io
import random
from collections import Counter, defaultdict
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import karatage
from karatage import _writing
from karatage.challenges.ebay_2025.aspects import ASPECTS
from karatage.challenges.ebay_2025.generator.annotation import tagged
from karatage.challenges.ebay_2025.generator.challenge_files import FILES, LISTINGS, QUIZ, QUIZ_GOLD, TRAIN, generate
from karatage.challenges.ebay_2025.generator.title_generator import ListingTitle, titles
from karatage.claims import Claims, Tagged, Tags
from karatage.cli import demo_data
from karatage.errors import InputError, KaratageError, UsageError
from karatage.formats import Source, sniff


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six thousand records, of which 5,000 are tagged."""
    place = tmp_path_factory.mktemp("data")
    generate(place, records=6000, seed=3)
    return place


def rows(path: Path) -> list[list[str]]:
    text = gzip.decompress(path.read_bytes()).decode()
    return list(csv.reader(io.StringIO(text, newline=""), delimiter="\t", strict=True))


def test_the_files_are_those_of_the_challenge(folder: Path) -> None:
    """Gzip, carriage returns, headers; the first records tagged, the next ones asked, their answers apart."""
    for name in FILES:
        data = gzip.decompress((folder / name).read_bytes())
        assert data.count(b"\r\n") == data.count(b"\n")
    listings = rows(folder / LISTINGS)
    assert listings[0] == ["Record Number", "Category", "Title"]
    assert [row[0] for row in listings[1:]] == [str(n) for n in range(1, 6001)]
    assert rows(folder / QUIZ)[1:] == listings[5001:]
    for name, first, last in ((TRAIN, 1, 5000), (QUIZ_GOLD, 5001, 6000)):
        found = rows(folder / name)
        assert found[0] == ["Record Number", "Category", "Title", "Token", "Tag"]
        tokens: dict[str, list[str]] = defaultdict(list)
        for number, category, title, token, _ in found[1:]:
            assert listings[int(number)] == [number, category, title]
            tokens[number].append(token)
        assert list(tokens) == [str(n) for n in range(first, last + 1)]
        assert all(tokens[n] == listings[int(n)][2].split() for n in tokens)
    kinds = [sniff(Source(folder / name)).name for name in FILES]
    assert kinds == ["ebay-listings", "ebay-tagged", "ebay-listings", "ebay-tagged"]


def test_every_aspect_of_each_category_and_no_other(folder: Path) -> None:
    """An empty tag goes on, O too, and it never stands first."""
    found: dict[str, Counter[str]] = {"1": Counter(), "2": Counter()}
    before = ""
    continued = Counter[bool]()
    for number, category, _, _, tag in rows(folder / TRAIN)[1:]:
        assert tag or number == before
        before = number
        found[category][tag] += 1
        continued[tag == ""] += 1
    assert continued[True] > 5000
    for category, aspects in ASPECTS.items():
        assert found[category].keys() - {"O", ""} == aspects
        assert min(found[category][aspect] for aspect in aspects) > 10


def test_titles_are_like_those_of_sellers(folder: Path) -> None:
    """At most 80 characters, about 11 tokens, 5 to 7 entities; shouting, quotes, tabs, neighbours of one aspect."""
    train = karatage.read(folder / TRAIN)
    texts = list(train.units.texts or ())
    assert max(map(len, texts)) <= 80
    tokens = [text.split() for text in texts]
    assert 10 < sum(map(len, tokens)) / 5000 < 12
    assert 5 < len(train) / 5000 < 7
    assert 0.1 < sum(text.isupper() for text in texts) / 5000 < 0.3
    assert any("\t" in text for text in texts)
    assert any("  " in text for text in texts)
    assert sum('"' in text for text in texts) > 10
    assert len(set(texts)) > 4900
    model = train.labels.index("Kompatibles_Fahrzeug_Modell")
    beside = (train.unit[1:] == train.unit[:-1]) & (train.start[1:] == train.end[:-1])
    both = (train.label[1:] == model) & (train.label[:-1] == model)
    assert (beside & both).sum() > 500
    known = {"Hersteller", "Kompatible_Fahrzeug_Marke"}
    bmw = Counter(label for _, label, _, _, _, value in train.with_values().rows() if value == "BMW")
    assert known <= bmw.keys()
    assert min(bmw[label] for label in known) > 20


def test_memorising_is_not_enough(folder: Path) -> None:
    """The commonest tag of each word, and O for a word never seen, finds no part number."""
    train, quiz = karatage.read(folder / TRAIN), karatage.read(folder / QUIZ_GOLD)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for tokens, tags in zip(train.units.tokens or (), train.tags[0].lists(), strict=True):
        for token, tag in zip(tokens, tags, strict=True):
            counts[token][tag] += 1
    best = {token: tags.most_common(1)[0][0] for token, tags in counts.items()}
    guessed = [[best.get(token, "O") for token in tokens] for tokens in quiz.units.tokens or ()]
    pred: Claims = Tagged(quiz.units, (Tags.from_lists(guessed),)).decode()
    result = karatage.score(quiz, pred, like="ebay-2025", resamples=0)
    assert 0.5 < (result["final_f0.2"].value or 0) < 0.8
    assert (result.by_label["Herstellernummer"]["recall"].value or 0) < 0.1
    assert karatage.score(quiz, quiz, like="ebay-2025", resamples=0)["final_f0.2"].value == 1.0


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    """A record does not depend on how many follow, and noise changes tags but no title."""
    generate(tmp_path / "a", records=300, seed=5)
    generate(tmp_path / "b", records=300, seed=5)
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    generate(tmp_path / "c", records=500, seed=5, tagged_records=100, noise=0.5)
    assert rows(tmp_path / "c" / LISTINGS)[:301] == rows(tmp_path / "a" / LISTINGS)
    assert len(rows(tmp_path / "c" / QUIZ)) == 401
    generate(tmp_path / "d", records=300, seed=6)
    assert rows(tmp_path / "d" / LISTINGS) != rows(tmp_path / "a" / LISTINGS)


def test_annotators_err_at_the_rate_that_is_set() -> None:
    """Without noise the tags are the truth; with it about that share of entities is another, and tags stay sound."""
    made = list(islice(titles(9), 3000))

    def never() -> float:
        return 0.999

    truth = [tagged(title, 0.0, never) for title in made]
    for title, pairs in zip(made, truth, strict=True):
        assert [token for token, _ in pairs] == title.text.split()
        assert [tag for _, tag in pairs if tag] == [aspect or "O" for _, aspect in title.parts]
    dice = random.Random(1).random
    noisy = [tagged(title, 0.03, dice) for title in made]
    entities = sum(tag not in ("", "O") for pairs in truth for _, tag in pairs)
    changed = sum(len(spans(a) - spans(b)) for a, b in zip(truth, noisy, strict=True))
    assert 0.02 < changed / entities < 0.05
    for title, pairs in zip(made, noisy, strict=True):
        assert pairs[0][1]
        assert {tag for _, tag in pairs} <= ASPECTS[title.category] | {"", "O"}


def spans(pairs: list[tuple[str, str]]) -> set[tuple[int, int, str]]:
    starts = [at for at, (_, tag) in enumerate(pairs) if tag] + [len(pairs)]
    return {(low, high, pairs[low][1]) for low, high in pairwise(starts) if pairs[low][1] != "O"}


@pytest.mark.parametrize(
    ("draws", "expected"),
    [
        ([0.9, 0.9, 0.9], "Produktart Besonderheiten . Farbe"),  # no mistake
        ([0.0, 0.1], "O Besonderheiten . Farbe"),  # not seen
        ([0.0, 0.5, 0.0], "Im_Lieferumfang_Enthalten Besonderheiten . Farbe"),  # another aspect
        ([0.0, 0.8], "Produktart . Besonderheiten Farbe"),  # one token too many, from the next entity
        ([0.9, 0.0, 0.8, 0.2], "Produktart Besonderheiten O Farbe"),  # one token too few
        ([0.9, 0.0, 0.8, 0.7], "Produktart Besonderheiten Besonderheiten Farbe"),  # two entities for one
        ([0.9, 0.9, 0.0, 0.8], "Produktart Besonderheiten . O"),  # nothing behind it to take
    ],
)
def test_single_mistakes(draws: list[float], expected: str) -> None:
    """A draw below the rate is a mistake in that entity, and the next ones decide of which kind."""
    title = ListingTitle("1", (("a", "Produktart"), ("b c", "Besonderheiten"), ("d", "Farbe")), "a b c d")
    rest = iter([*draws, *[0.9] * 9])
    assert [tag or "." for _, tag in tagged(title, 0.03, lambda: next(rest))] == expected.split()


def test_what_cannot_be_made(tmp_path: Path) -> None:
    for options, message in (
        ({"records": 0}, "at least 1"),
        ({"records": 5, "tagged_records": 6}, "between 0 and --records .5."),
        ({"records": 5, "noise": 1.5}, "between 0 and 1"),
    ):
        with pytest.raises(UsageError, match=message):
            generate(tmp_path / "x", **options)
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="is a file, not a folder"):
        generate(tmp_path / "file", records=5)


def test_the_command(tmp_path: Path) -> None:
    """It says what was written and what to do next, and writes over nothing unless told to."""
    app = typer.Typer()
    app.command("demo-data")(demo_data.run)

    def run(*arguments: str) -> Any:
        return CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "d")])

    done = run("ebay", "--records", "40", "--tagged", "30")
    assert done.exit_code == 0
    assert f"{tmp_path / 'd' / QUIZ}: 10 records" in done.stdout
    assert "which only the organisers of a challenge have" in done.stdout
    assert f"karatage score {tmp_path / 'd' / QUIZ_GOLD} submission.tsv --like ebay-2025" in done.stdout
    before = (tmp_path / "d" / LISTINGS).read_bytes()
    again = run("ebay", "--records", "41")
    assert isinstance(again.exception, KaratageError)
    assert "exist already" in str(again.exception)
    assert (tmp_path / "d" / LISTINGS).read_bytes() == before
    assert run("ebay", "--records", "41", "--force", "--json").exit_code == 0
    assert (tmp_path / "d" / LISTINGS).read_bytes() != before
    assert "'ebya' is not" in run("ebya").output


def test_a_run_that_is_killed_while_it_replaces_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some files are old and some are new: the next run, whatever its settings, knows them all as generated."""
    publish = _writing._Replacing.publish
    generate(tmp_path, records=40)
    for records, count in ((50, 1), (60, 3), (70, 5)):
        left = [None] * count

        def killed(output: Any, left: list[None] = left) -> None:
            if not left:
                raise KeyboardInterrupt
            left.pop()
            publish(output)

        with monkeypatch.context() as patched:
            patched.setattr(_writing._Replacing, "publish", killed)
            with pytest.raises(KeyboardInterrupt):
                generate(tmp_path, records=records, force=True)
    (tmp_path / TRAIN).write_bytes(b"mine")
    with pytest.raises(UsageError, match="train.tsv.gz was not written by this command"):
        generate(tmp_path, records=50, force=True)
    (tmp_path / TRAIN).unlink()
    generate(tmp_path, records=50, force=True)
    generate(tmp_path / "whole", records=50)
    for name in (*FILES, ".generated.json"):
        assert (tmp_path / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
