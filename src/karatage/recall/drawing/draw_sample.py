"""Drawing a sample of candidates from a corpus, and reading one back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from karatage.errors import InputError, UsageError, unknown
from karatage.recall.drawing.candidate_patterns import Pattern, WordList
from karatage.recall.drawing.claimed import ClaimedFrame
from karatage.recall.drawing.draw_folder import MANIFEST, check_folder, slugs
from karatage.recall.drawing.drawn import Draw, Item, Stratum
from karatage.recall.drawing.frame import NONE, Frame, SearchedFrame, frame_hash
from karatage.recall.drawing.read_draw_folder import read_draw
from karatage.recall.drawing.sample import Sample, take_in
from karatage.recall.drawing.tasks import CANDIDATE

__all__ = ["MANIFEST", "Draw", "Item", "Stratum", "check_folder", "draw", "read_draw"]

MOST_STRATA = 10_000


def draw(
    corpus: Sequence[str | Path] = (),
    *,
    lists: Sequence[WordList | Pattern] = (),
    candidates: str | Path | None = None,
    by: str | None = None,
    size: int = 1000,
    sizes: Mapping[str, int] | None = None,
    after: Draw | str | Path | None = None,
    seed: int | None = None,
    label: str | None = None,
    text: str = "text",
    id: str = "id",  # noqa: A002  users say id
    assist: str | None = None,
    format: str | None = None,  # noqa: A002  users say format
    progress: Callable[[int], None] | None = None,
) -> Draw:
    """Find every candidate of a corpus, and draw some of each stratum at random, without replacement.

    Args:
        corpus: files, folders, patterns, or `-`: plain text by line, JSON lines, Parquet, or any format with texts or
            tokens.
        lists: word lists and regular expressions that say what a candidate is.
        candidates: a file whose claims are the candidates, in place of a corpus and lists.
        by: what makes strata: an attribute of the units, or `word` for each word of the lists; for `candidates`,
            `label` (the default), `value` or an attribute.
        size: how many to draw of each stratum; all, where there are not as many.
        sizes: how many to draw of the strata named here.
        after: an earlier draw from the same frame, or its folder: the next candidates in its random order are drawn
            in addition.
        seed: where the random numbers start; that of the earlier draw, or 0.
        label: what the entities are called; as in the earlier draw, or `entity`.
        text: the member or column with the text.
        id: the member or column with the id.
        assist: an attribute with what an existing tagger says of a candidate, from 0 to 1; for `candidates`
            also `value`.
        format: text, jsonl, parquet or any format that Karatage reads; sniffed if left out.
        progress: told how many units were read.
    """
    earlier = after if isinstance(after, Draw) or after is None else read_draw(after)
    seed = seed if seed is not None else earlier.seed if earlier else 0
    label = label if label is not None else earlier.label if earlier else "entity"
    sizes = dict(sizes or {})
    _check(seed, label, [size, *sizes.values()])
    frame = _frame(corpus, lists, candidates, {"by": by, "assist": assist, "format": format}, {"text": text, "id": id})
    if frame.names and not frame.by:
        _check_names(sizes, frame.names)
    before = {} if earlier is None else {one.name: one.drawn for one in earlier.strata}
    if earlier is not None:
        _check_fits(earlier, frame, seed, label)
    samples = _samples(frame, seed, lambda name: before.get(name, 0) + sizes.get(name, size), progress)
    _check_found(frame, samples)
    _check_names(sizes, samples)
    made = frame_hash(frame, {name: sample.occurrences for name, sample in samples.items()})
    if earlier is not None and made != earlier.frame:
        raise InputError(
            "the manifest of the earlier draw does not fit the frame: the corpus is not the one it was drawn from",
            hint="Name the same files, in the same format and order",
        )
    strata, items = _ranked(samples, assist is not None)
    if earlier is not None:
        _check_same(earlier, items)
    return Draw(strata, items, seed, label, made, frame.corpus, frame.definition, before if earlier else None)


def _check(seed: int, label: str, sizes: Iterable[int]) -> None:
    if seed < 0:
        raise UsageError(f"the seed is {seed}: give a whole number from 0")
    if not label.strip() or label == CANDIDATE:
        raise UsageError(f"the label {label!r} cannot be used: name the entities otherwise, such as LOC")
    if any(size < 0 for size in sizes):
        raise UsageError("a size must not be negative")


def _check_names(sizes: Mapping[str, int], names: Iterable[str]) -> None:
    for name in sizes:
        if name not in names:
            raise unknown("stratum", name, names)


def _check_fits(earlier: Draw, frame: Frame, seed: int, label: str) -> None:
    if earlier.label != label:
        raise UsageError(f"the earlier draw has the label {earlier.label!r}, not {label!r}: labels would not fit")
    if earlier.seed != seed:
        raise UsageError(f"the earlier draw has the seed {earlier.seed}, not {seed}: only that one continues it")
    if dict(earlier.candidates) != frame.definition:
        names = [key for key in {**earlier.candidates, **frame.definition} if _differs(key, earlier, frame)]
        raise UsageError(
            "the manifest of the earlier draw does not fit the frame: it has other candidates "
            f"({', '.join(names)}). Give the same words, patterns and options, in the same order"
        )


def _check_same(earlier: Draw, items: Sequence[Item]) -> None:
    """Refuse to continue a draw whose items are not the first of this one: labels would go to other texts."""
    found = {one.item: (one.unit, one.start, one.end, one.text) for one in items}
    for one in earlier.items:
        if found.get(one.item) != (one.unit, one.start, one.end, one.text):
            raise InputError(
                f"the earlier draw does not fit the frame: its item {one.item} is another one here",
                hint="Its manifest or its items were changed after the draw. Draw the pilot again",
            )


def _differs(key: str, earlier: Draw, frame: Frame) -> bool:
    return bool(earlier.candidates.get(key) != frame.definition.get(key))


def _frame(
    corpus: Sequence[str | Path],
    lists: Sequence[WordList | Pattern],
    candidates: str | Path | None,
    options: dict[str, Any],
    members: dict[str, str],
) -> Frame:
    if candidates is not None:
        if corpus or lists:
            raise UsageError(
                "--candidates goes without a corpus, --words and --pattern: the candidates are in the file"
            )
        return ClaimedFrame(candidates, **options)
    if not corpus:
        raise UsageError("name the corpus, or give --candidates FILE")
    if not lists:
        raise UsageError("say what a candidate is: --words FILE, --pattern REGEX or --candidates FILE")
    return SearchedFrame(corpus, lists, **members, **options)


def _samples(
    frame: Frame, seed: int, wanted: Callable[[str], int], progress: Callable[[int], None] | None
) -> dict[str, Sample]:
    """Read the corpus once; return the strata with their samples, in order."""
    samples = {name: Sample(seed, name, wanted(name)) for name in frame.names}

    def sample_of(name: str) -> Sample:
        if name not in samples:
            if len(samples) == MOST_STRATA:
                raise UsageError(f"{frame.by!r} makes more than {MOST_STRATA:,} strata: choose what has fewer values")
            samples[name] = Sample(seed, name, wanted(name))
        return samples[name]

    read = 0
    for found in frame.found():
        take_in(found, sample_of)
        read += len(found.block.texts)
        if progress is not None:
            progress(read)
    order = [*frame.names, *sorted(name for name in samples if name not in frame.names)]
    return {name: samples[name] for name in order}


def _check_found(frame: Frame, samples: Mapping[str, Sample]) -> None:
    where = ", ".join(frame.corpus[:3]) + (", …" if len(frame.corpus) > 3 else "")
    if not any(sample.occurrences for sample in samples.values()):
        hint = "Check the words and patterns, and whether the texts are where they should be"
        raise InputError("there is no candidate in the corpus", source=where, hint=hint)
    if frame.by is not None and all(name == NONE or name.endswith(f"/{NONE}") for name in samples):
        raise InputError(f"no unit with a candidate has the attribute {frame.by!r}", source=where, hint="Check --by")


def _ranked(samples: Mapping[str, Sample], assisted: bool) -> tuple[tuple[Stratum, ...], tuple[Item, ...]]:
    """Turn samples into strata and items."""
    strata, items = [], []
    for slug, (name, sample) in zip(slugs(list(samples)), samples.items(), strict=True):
        drawn = sample.drawn()
        mean = sample.assist if assisted and sample.occurrences else None
        stratum = Stratum(name, sample.occurrences, len(drawn), mean)
        strata.append(stratum)
        for rank, one in enumerate(drawn, 1):
            chance = stratum.probability or 0.0
            place = (one.unit, one.start, one.end, one.text)
            items.append(Item(f"{slug}-{rank}", name, rank, chance, *place, one.assist))
    return tuple(strata), tuple(items)
