"""The files of a challenge like eBay's, written record by record."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from karatage._folders import check_place, made_folder
from karatage._locking import locked
from karatage._writing import write_files, writing_all
from karatage.challenges.ebay_2025.generator.annotation import tagged
from karatage.challenges.ebay_2025.generator.title_generator import ListingTitle, titles
from karatage.challenges.ebay_2025.generator.written_files import (
    WRITTEN,
    Fingerprinted,
    foreign_files,
    read_written,
    written_bytes,
)
from karatage.challenges.ebay_2025.listings import HEADER as LISTINGS_HEADER
from karatage.challenges.ebay_2025.tagged_titles import HEADER as TAGGED_HEADER
from karatage.errors import UsageError

LISTINGS, TRAIN, QUIZ, QUIZ_GOLD = "listings.tsv.gz", "train.tsv.gz", "quiz.tsv.gz", "quiz-gold.tsv.gz"
FILES = (LISTINGS, TRAIN, QUIZ, QUIZ_GOLD)
TAGGED, ASKED = 5_000, 25_000
"""How many records the challenge has tags for, and how many its quiz asks for."""

_STEP = 1000
"""How many records are written at once."""


@dataclass(frozen=True)
class Written:
    """What was written.

    Attributes:
        folder: where.
        records: how many records each file has.
        entities: how many entities the tagged ones have.
    """

    folder: Path
    records: dict[str, int]
    entities: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, in the shape that `--json` prints."""
        return {"folder": str(self.folder), "records": dict(self.records), "entities": dict(self.entities)}

    def __str__(self) -> str:
        place = self.folder
        files = [
            (LISTINGS, "record number, category and title"),
            (TRAIN, "tagged, one row per token; an empty tag continues the previous entity"),
            (QUIZ, "titles to tag and submit"),
            (QUIZ_GOLD, "the answers to the quiz, which only the organisers of a challenge have"),
        ]
        lines = [f"{place / name}: {self.records[name]:,} records; {about}" for name, about in files]
        entities = (
            f"{self.entities[TRAIN]:,} entities to train on. All titles, numbers and annotation errors are generated."
        )
        return "\n".join([*lines, entities, "", "Try next:", *(f"  {command}" for command in self._next())])

    def _next(self) -> tuple[str, ...]:
        place = self.folder
        if not self.records[QUIZ]:
            return (f"karatage train {place / TRAIN} --config exp-001 --out model",)
        return (
            f"karatage train {place / TRAIN} --config exp-001 --out model",
            f"karatage tag model {place / QUIZ} --out submission.tsv",
            f"karatage submit --check submission.tsv --listings {place / QUIZ}",
            f"karatage score {place / QUIZ_GOLD} submission.tsv --like ebay-2025",
        )


def generate(
    folder: str | Path,
    *,
    records: int,
    seed: int = 0,
    tagged_records: int | None = None,
    noise: float = 0.03,
    force: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Written:
    """Write listings, tagged titles to train on, a quiz and its answers; the same bytes for the same arguments.

    Args:
        folder: where to; it is made if it is not there.
        records: how many listings there are.
        seed: where the random numbers start. A record does not depend on how many follow it.
        tagged_records: how many of the first are tagged; 5,000, or all if there are fewer, if left out.
        noise: how often an annotator errs in an entity.
        force: whether to write over files that are there.
        progress: told how many records are done.
    """
    count = min(TAGGED, records) if tagged_records is None else tagged_records
    place = Path(folder)
    _check(place, records, count, noise, force)
    found = Written(place, dict.fromkeys(FILES, 0), dict.fromkeys((TRAIN, QUIZ_GOLD), 0))
    dice = random.Random(f"noise of {seed}").random  # noqa: S311  apart from the titles', which noise must not change
    made, annotate = titles(seed), partial(tagged, noise=noise, dice=dice)
    with made_folder(place), locked(place):
        # The list of generated files gets its name first, with old and new fingerprints: a run that is killed before
        # all files have theirs leaves some old and some new ones.
        with writing_all([place / name for name in (WRITTEN, *FILES)]) as (written, *streams):
            out = {name: Fingerprinted(stream) for name, stream in zip(FILES, streams, strict=True)}
            for name in FILES:
                out[name].write(_row(LISTINGS_HEADER if name in (LISTINGS, QUIZ) else TAGGED_HEADER))
            for start in range(0, records, _STEP):
                batch = list(enumerate(islice(made, min(_STEP, records - start)), start + 1))
                train = [pair for pair in batch if pair[0] <= count]
                quiz = [pair for pair in batch if count < pair[0] <= count + ASKED]
                _listed(batch, LISTINGS, out, found)
                _listed(quiz, QUIZ, out, found)
                _tagged(train, TRAIN, out, found, annotate)
                _tagged(quiz, QUIZ_GOLD, out, found, annotate)
                if progress is not None:
                    progress(start + len(batch))
            digests = {name: one.digest for name, one in out.items()}
            written.write(written_bytes(digests, read_written(place)))
        write_files({place / WRITTEN: written_bytes(digests)})
    return found


def _check(folder: Path, records: int, tagged_records: int, noise: float, force: bool) -> None:
    if records < 1:
        raise UsageError(f"--records must be at least 1, got {records}")
    if not 0 <= tagged_records <= records:
        raise UsageError(f"--tagged must be between 0 and --records ({records:,}), got {tagged_records:,}")
    if not 0 <= noise <= 1:
        raise UsageError(f"--noise must be between 0 and 1, got {noise:g}")
    check_place(folder)
    there = [name for name in FILES if (folder / name).exists()]
    if there and not force:
        raise UsageError(
            f"{folder}: {', '.join(there)} exist already. Choose another folder, or overwrite them with --force"
        )
    if foreign := foreign_files(folder, there):
        problem = f"{folder / foreign[0]} was not written by this command, or has changed since"
        raise UsageError(f"{problem}. Move it, or choose another folder: --force only replaces generated files")


def _listed(batch: list[tuple[int, ListingTitle]], name: str, out: dict[str, Fingerprinted], found: Written) -> None:
    out[name].write("".join(f"{_start(number, title)}\r\n" for number, title in batch).encode())
    found.records[name] += len(batch)


def _tagged(
    batch: list[tuple[int, ListingTitle]],
    name: str,
    out: dict[str, Fingerprinted],
    found: Written,
    annotate: Callable[[ListingTitle], list[tuple[str, str]]],
) -> None:
    for number, title in batch:
        rows = annotate(title)
        found.entities[name] += sum(tag not in ("", "O") for _, tag in rows)
        start = _start(number, title)
        out[name].write("".join(f"{start}\t{_field(token)}\t{tag}\r\n" for token, tag in rows).encode())
    found.records[name] += len(batch)


def _start(number: int, title: ListingTitle) -> str:
    """Return a record as listings have it, and as the rows of its tokens start."""
    return f"{number}\t{title.category}\t{_field(title.text)}"


def _field(text: str) -> str:
    """Quote a field where it must be."""
    if '"' in text or "\t" in text:
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text


def _row(fields: Iterable[str]) -> bytes:
    return ("\t".join(fields) + "\r\n").encode()
