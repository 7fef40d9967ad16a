"""Draw a random sample of the candidates in a corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from karatage.engine import Running
from karatage.errors import InputError, UsageError, unknown
from karatage.recall.drawing.annotation_tasks import CANDIDATE
from karatage.recall.drawing.candidate_file import CandidateFileFrame
from karatage.recall.drawing.candidate_patterns import Pattern, WordList
from karatage.recall.drawing.corpus_blocks import TextColumns
from karatage.recall.drawing.corpus_reader import CorpusReader
from karatage.recall.drawing.distributed_search import search_on
from karatage.recall.drawing.draw_folder import read_draw
from karatage.recall.drawing.draw_record import Draw, DrawnItem, DrawnStratum, slugs
from karatage.recall.drawing.sampling_frame import NONE, PatternFrame, SamplingFrame, frame_hash
from karatage.recall.drawing.stratum_sample import StratumSample, add_block

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
    jobs: int | None = None,
    engine: str = "local",
    progress: Callable[[int], None] | None = None,
) -> Draw:
    """Find every candidate in a corpus, and draw a simple random sample of each stratum.

    Args:
        corpus: Files, folders, glob patterns, or `-`: plain text (one text per line), JSON Lines, Parquet, or any
            format with texts or tokens. They are read in the order of their paths.
        lists: Word lists and regular expressions that define candidates.
        candidates: A file whose entities are the candidates, instead of a corpus and lists.
        by: Stratify by an attribute of the texts, or by `word` for each word of the lists; for `candidates`, by `label`
            (default), `value` or an attribute.
        size: Sample size of each stratum. Smaller strata are drawn completely.
        sizes: Sample sizes of individual strata.
        after: An earlier draw from the same corpus, or its folder: draw the next candidates in its random order.
        seed: Random seed. Default: that of the earlier draw, or 0.
        label: Label of the entities. Default: that of the earlier draw, or `entity`.
        text: Key or column of the text.
        id: Key or column of the id.
        assist: Attribute with the predictions of an existing tagger, from 0 to 1; for `candidates` also `value`.
        format: text, jsonl, parquet, or any format that Karatage reads. Default: detected automatically.
        jobs: Number of threads, or of cores of a cluster. The draw does not depend on it. Default: up to 8, or all of a
            cluster.
        engine: Where the corpus is searched: `local`, or a Ray cluster, as for `karatage.score`.
        progress: Called with the number of texts read so far.
    """
    running = Running(jobs=jobs, engine=engine)
    earlier = after if isinstance(after, Draw) or after is None else read_draw(after)
    seed = seed if seed is not None else earlier.seed if earlier else 0
    label = label if label is not None else earlier.label if earlier else "entity"
    sizes = dict(sizes or {})
    if seed < 0:
        raise UsageError(f"the seed must not be negative, got {seed}")
    if not label.strip() or label == CANDIDATE:
        raise UsageError(f"the label cannot be {label!r}. Choose another one, e.g. LOC")
    if min(size, *sizes.values(), 0) < 0:
        raise UsageError("sample sizes must not be negative")
    frame: SamplingFrame
    if candidates is not None:
        if corpus or lists:
            raise UsageError("--candidates cannot be combined with a corpus, --words or --pattern")
        frame = CandidateFileFrame(candidates, by=by, assist=assist, format=format)
    else:
        if not corpus:
            raise UsageError("missing corpus. Pass its files, or use --candidates FILE")
        if not lists:
            raise UsageError("define candidates with --words FILE, --pattern REGEX or --candidates FILE")
        attributes = dict.fromkeys(name for name in (None if by == "word" else by, assist) if name is not None)
        order = () if earlier is None else earlier.corpus
        reader = CorpusReader(corpus, TextColumns(text, id, tuple(attributes)), format, order)
        frame = PatternFrame(reader, lists, by=by, assist=assist, threads=jobs)
    if frame.names and not frame.by:
        _check_names(sizes, frame.names)
    before = {} if earlier is None else {one.name: one.drawn for one in earlier.strata}
    if earlier is not None:
        _check_continues(earlier, frame, seed, label)
    samples = _samples(frame, _SampleSizes(seed, size, sizes, before), running, progress)
    _check_found(frame, samples)
    _check_names(sizes, samples)
    frame_id = frame_hash(frame, {name: sample.occurrences for name, sample in samples.items()})
    if earlier is not None and frame_id != earlier.frame:
        hint = "Pass the same files, in the same format"
        raise InputError("the corpus is not the one that the earlier draw was made from", hint=hint)
    strata, items = _ranked(samples, assist is not None)
    if earlier is not None:
        _check_same_items(earlier, items)
    return Draw(
        strata=strata,
        items=items,
        seed=seed,
        label=label,
        frame=frame_id,
        corpus=frame.corpus,
        candidates=frame.definition,
        after=before if earlier else None,
    )


def _check_names(sizes: Mapping[str, int], names: Iterable[str]) -> None:
    for name in sizes:
        if name not in names:
            raise unknown("stratum", name, names)


def _check_continues(earlier: Draw, frame: SamplingFrame, seed: int, label: str) -> None:
    if earlier.label != label:
        raise UsageError(f"the earlier draw has the label {earlier.label!r}, not {label!r}")
    if earlier.seed != seed:
        raise UsageError(f"the earlier draw has the seed {earlier.seed}, not {seed}. Use the same seed to continue it")
    keys = {**earlier.candidates, **frame.definition}
    differing = [key for key in keys if earlier.candidates.get(key) != frame.definition.get(key)]
    if differing:
        raise UsageError(
            f"the earlier draw has different candidates ({', '.join(differing)} differ). Pass the same words, patterns "
            "and options, in the same order"
        )


def _check_same_items(earlier: Draw, items: Sequence[DrawnItem]) -> None:
    """Check that the earlier items are the first of this draw, so that labels do not end up on other texts."""
    found = {one.item: (one.unit, one.start, one.end, one.text) for one in items}
    for one in earlier.items:
        if found.get(one.item) != (one.unit, one.start, one.end, one.text):
            hint = "The earlier draw was changed after it was made. Draw it again"
            raise InputError(f"item {one.item} of the earlier draw is a different one in this corpus", hint=hint)


@dataclass(frozen=True)
class _SampleSizes:
    """How many candidates of each stratum are drawn.

    Attributes:
        seed: the random seed.
        size: the size of the sample of a stratum.
        sizes: those of some strata.
        before: how many were drawn of each stratum before.
    """

    seed: int
    size: int
    sizes: Mapping[str, int]
    before: Mapping[str, int]

    def sample(self, name: str) -> StratumSample:
        """Return the sample of a stratum, without a candidate."""
        return StratumSample(self.seed, name, self.before.get(name, 0) + self.sizes.get(name, self.size))


class _StrataSamples:
    """The sample of each stratum; one that is not known yet is added when it is asked for."""

    def __init__(self, frame: SamplingFrame, sizes: _SampleSizes) -> None:
        self._frame, self._sizes = frame, sizes
        self._samples = {name: sizes.sample(name) for name in frame.names}

    def of(self, name: str) -> StratumSample:
        """Return the sample of a stratum."""
        if name not in self._samples:
            if len(self._samples) == MOST_STRATA:
                raise UsageError(
                    f"{self._frame.by!r} has more than {MOST_STRATA:,} values. Choose another attribute for --by"
                )
            self._samples[name] = self._sizes.sample(name)
        return self._samples[name]

    def ordered(self) -> dict[str, StratumSample]:
        """Return all samples, those that were listed first."""
        names = self._frame.names
        order = [*names, *sorted(name for name in self._samples if name not in names)]
        return {name: self._samples[name] for name in order}


def _samples(
    frame: SamplingFrame, sizes: _SampleSizes, running: Running, progress: Callable[[int], None] | None
) -> dict[str, StratumSample]:
    """Read the corpus; return the sample of each stratum, in order."""
    samples = _StrataSamples(frame, sizes)
    if running.engine != "local" and isinstance(frame, PatternFrame):
        engine = running.chosen
        if engine is not None and search_on(engine, frame, samples.of, progress):
            return samples.ordered()
        samples = _StrataSamples(frame, sizes)
    elif running.engine != "local":
        running.pass_over("candidates of a file are read on this machine")
    read = 0
    for found in frame.candidates():
        add_block(found, samples.of)
        read += len(found.block.texts)
        if progress is not None:
            progress(read)
    return samples.ordered()


def _check_found(frame: SamplingFrame, samples: Mapping[str, StratumSample]) -> None:
    where = ", ".join(frame.corpus[:3]) + (", …" if len(frame.corpus) > 3 else "")
    if not any(sample.occurrences for sample in samples.values()):
        hint = "Check the words and patterns, and that --text names the text"
        raise InputError("no candidates found", source=where, hint=hint)
    if frame.by is not None and all(name == NONE or name.endswith(f"/{NONE}") for name in samples):
        raise InputError(f"no candidate has the attribute {frame.by!r}", source=where, hint="Check --by")


def _ranked(
    samples: Mapping[str, StratumSample], assisted: bool
) -> tuple[tuple[DrawnStratum, ...], tuple[DrawnItem, ...]]:
    """Turn samples into strata and items."""
    strata, items = [], []
    for slug, (name, sample) in zip(slugs(list(samples)), samples.items(), strict=True):
        drawn = sample.drawn()
        mean = sample.assist if assisted and sample.occurrences else None
        stratum = DrawnStratum(name, sample.occurrences, len(drawn), mean)
        strata.append(stratum)
        items += [
            DrawnItem(
                item=f"{slug}-{rank}",
                stratum=name,
                rank=rank,
                probability=stratum.probability or 0.0,
                unit=one.unit,
                start=one.start,
                end=one.end,
                text=one.text,
                assist=one.assist,
            )
            for rank, one in enumerate(drawn, 1)
        ]
    return tuple(strata), tuple(items)
