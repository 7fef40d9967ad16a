"""Scoring: a fold over batches of paired units."""

from __future__ import annotations

import atexit
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

from karat.claims import Batch, Claims, Decoder, Tagged
from karat.claims.detection import detect, detect_like_seqeval
from karat.corpus import Corpus, open_corpus
from karat.errors import InputError, UsageError
from karat.formats import ReadOptions, Source, sniff
from karat.keeping import Keep, Merged
from karat.matching import Alignment, Pair, Pairing, Sides, TaggedPair
from karat.metrics import COUNTS, KINDS, Tally, tally, tally_tags
from karat.profiles import DETECT, Profile, get_profile
from karat.result import Result
from karat.stats import Resampling

Progress = Callable[[int], None]


def score(
    gold: Any,
    pred: Any = None,
    *,
    like: str | Path | Profile = "exact",
    format: str | None = None,  # noqa: A002  users say format
    pred_format: str | None = None,
    columns: str | Sequence[str | int] = (),
    unit: str = "sentence",
    progress: Progress | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    interval: str = "auto",
    cluster_by: str | None = None,
    stratify_by: str | None = None,
    **options: Any,
) -> Result:
    """Score predictions against gold.

    Args:
        gold: a path, a folder, a pattern, one list of tags or of spans (label, start, end) per unit,
            a mapping from unit ids to such lists, claims, or a data frame with unit, label, start, end and value.
        pred: the predictions, in any of these. Left out, the last two columns of the gold file are gold and
            predictions, as conlleval reads them.
        like: the profile: a built-in one's name or the path of a TOML file.
        format: the files' format; sniffed if left out.
        pred_format: the predictions' format, where it is another one.
        columns: which columns of a column file hold tags, by number from 1 (negative from the end) or header name.
        unit: `sentence` or `document`, where a format knows both.
        progress: called with the number of units done so far.
        resamples: how many resamples of the units to make for the intervals; 0 leaves the intervals out.
        level: how sure an interval is to hold the true value, such as 0.95.
        seed: where the random numbers start: the same seed gives the same intervals.
        interval: how intervals are made: `auto`, `wilson`, `percentile`, `bca`, `t`,
            `clopper-pearson` or `jeffreys`.
        cluster_by: an attribute of units, such as `document`: units that share it are drawn together.
        stratify_by: an attribute of units, such as `category`: every resample has as many units of each value.
        options: changes to the profile: `scheme`, `separator`, `suffix`, `match`, `threshold`, `duplicates`, `missing`,
            `extra`, `truncated`, `check_text`, `group_by`, `labels`, `metrics`.

    Returns:
        The result: prints as a table, shows as one in a notebook, and holds every number.
    """
    resampling = Resampling(resamples, level, seed, interval, cluster_by, stratify_by)
    profile = get_profile(like).with_options(**options)
    run = open_run(gold, pred, profile, format=format, pred_format=pred_format, columns=columns, unit=unit)
    keep = Merged(resampling) if resamples else None
    total, warnings, digests = run.fingerprinted_tally(progress, keep)
    if keep is not None:
        total = replace(total, rows=keep.claims.rows(), tokens=keep.tokens.rows())
    result = Result(run.profile, total, tuple(warnings), digests, run, resampling if resamples else None)
    if stratify_by is not None and resamples:
        result.warnings += tuple(result.sampler.warnings())
    return result


def open_run(
    gold: Any,
    pred: Any,
    profile: Profile,
    *,
    format: str | None = None,  # noqa: A002  users say format
    pred_format: str | None = None,
    columns: str | Sequence[str | int] = (),
    unit: str = "sentence",
) -> Run:
    """Open both sides, without reading them yet."""
    if unit not in ("sentence", "document"):
        raise UsageError(f"a unit is a sentence or a document, not {unit!r}")
    if isinstance(columns, str):
        columns = (columns,)
    reading = ReadOptions(tuple(str(c) for c in columns), unit, profile.scheme == "EMPTY")  # type: ignore[arg-type]
    return Run(*_sides(gold, pred, format, pred_format, reading), profile)


def repeatable(side: Any) -> Any:
    """Keep what an iterator yields, so that it can be read again."""
    return list(side) if isinstance(side, Iterator) else side


def check_repeatable(sides: Mapping[str, Any], gold_format: str | None, why: str) -> None:
    """Refuse standard input where a side is read several times."""
    for name, side in sides.items():
        if open_corpus(side, format=gold_format, name=name).once:
            raise UsageError(f"{name} cannot come from standard input: {why}. Give a file")


@dataclass(frozen=True)
class Side:
    """A corpus and how to read it."""

    corpus: Corpus
    options: ReadOptions

    def batches(self) -> Iterator[Any]:
        """Start reading."""
        return self.corpus.read(self.options)


def _sides(
    gold: Any, pred: Any, gold_format: str | None, pred_format: str | None, reading: ReadOptions
) -> tuple[Side, Side]:
    ours = open_corpus(gold, format=gold_format, name="gold")
    if pred is None:
        if ours.kind != "file":
            raise UsageError("give predictions too; only a column file can hold gold and predictions in one")
        last_two = reading.columns or ("-2", "-1")
        if len(last_two) != 2:
            raise UsageError("name two columns, gold and predictions, or give a file of predictions")
        if not ours.once and sniff(ours.sources[0]).name != "conll":
            raise UsageError(f"{gold} holds gold only: give predictions too")
        place = _kept_input(ours.sources[0]) if ours.once else gold
        one, other = (open_corpus(place, format="conll", name="gold") for _ in last_two)
        # Gold is not the first column: that holds the tokens.
        return _side(one, reading, columns=(last_two[0],), least=3), _side(other, reading, columns=(last_two[1],))
    theirs = open_corpus(pred, format=pred_format or gold_format, name="predictions")
    if ours.once and str(gold) == str(pred):
        raise UsageError(f"gold and predictions cannot both come from {ours.sources[0].name}")
    # Lists of spans count what the other side counts; a list that holds nothing is of the other side's kind.
    for one, other in ((ours, theirs), (theirs, ours)):
        if one.kind == "unknown":
            one.kind = "spans" if other.kind == "spans" else "tags"
    for one, other in ((ours, theirs), (theirs, ours)):
        if one.kind == "spans" and other.kind == "tags":
            one.kind = "token spans"
    return _side(ours, reading), _side(theirs, reading)


def _side(corpus: Corpus, reading: ReadOptions, **changes: Any) -> Side:
    return Side(corpus, replace(reading, notes=Counter(), **changes))


def _kept_input(source: Source) -> str:
    """Keep a stream in a file, which can be read twice; it goes when the program ends."""
    from tempfile import NamedTemporaryFile

    kept = NamedTemporaryFile(prefix="karat-", suffix=".conll", delete=False)  # noqa: SIM115  it outlives this call
    atexit.register(Path(kept.name).unlink, missing_ok=True)
    with kept, source.open() as stream:
        shutil.copyfileobj(stream, kept)
    return kept.name


class Run:
    """One scoring, which can be repeated to look at the errors."""

    def __init__(self, gold: Side, pred: Side, profile: Profile) -> None:
        self.gold, self.pred = gold, pred
        if profile.scheme == DETECT:
            profile = replace(profile, scheme=_detect(gold, profile))
        self.profile = profile

    def pairs(self, *, kinds: bool) -> Iterator[tuple[Sides, Alignment]]:
        """Yield the aligned batches, reading the input again."""
        if self.gold.corpus.once or self.pred.corpus.once:
            raise UsageError("standard input cannot be read again to look at the errors: score a file")
        for pair in self._pairing():
            if isinstance(pair, Pair):  # as all are that do not keep tags
                yield self._align(pair, kinds)[1]

    def _pairing(self, *, keep_tags: bool = False) -> Pairing:
        batches = (self.gold.batches(), self.pred.batches())
        return Pairing(*batches, self.profile.decoder(), self.profile.units, keep_tags=keep_tags)

    def _align(self, pair: Pair, kinds: bool) -> tuple[tuple[int, int], tuple[Sides, Alignment]]:
        """Align a pair; return how many claims were left out of each side, and the alignment."""
        gold, pred = pair
        excluded = (0, 0)
        if self.profile.labels:
            wanted = set(self.profile.labels)
            (gold, g), (pred, p) = _only(gold, wanted), _only(pred, wanted)
            excluded = (g, p)
        return excluded, self.profile.rule.align(gold, pred, kinds=kinds, duplicates=self.profile.duplicates)

    def fingerprinted_tally(
        self, progress: Progress | None = None, keep: Keep | None = None
    ) -> tuple[Tally, list[str], tuple[str | None, str | None]]:
        """Count everything while other threads take the fingerprints of the files."""
        stop = Event()
        with ThreadPoolExecutor(2) as workers:  # starts no thread unless there is a file to read
            files = [side.corpus for side in (self.gold, self.pred)]
            digests = [workers.submit(corpus.digest, stop) if corpus.sources else None for corpus in files]
            try:
                total, warnings = self.tally(progress, keep)
            except BaseException:
                stop.set()  # nobody waits for the fingerprint of a file that cannot be scored
                raise
            gold, pred = (None if digest is None else digest.result() for digest in digests)
        return total, warnings, (gold, pred)

    def tally(self, progress: Progress | None = None, keep: Keep | None = None) -> tuple[Tally, list[str]]:
        """Count everything, batch by batch.

        Args:
            progress: called with the number of units done so far.
            keep: gets the counts of each unit, where they are wanted.
        """
        profile = self.profile
        columns = COUNTS + (KINDS if profile.kinds else ())
        total = Tally(columns, (), np.zeros((0, len(columns)), np.int64))
        for side in (self.gold, self.pred):
            side.options.notes.clear()
        # Exact matches of tags need no claims, only places in the stream.
        plain = profile.rule.name == "exact" and not (profile.kinds or profile.labels or profile.group_by)
        pairing = self._pairing(keep_tags=plain)
        excluded = np.zeros(2, np.int64)
        invalid = np.zeros(2, np.int64)
        ungrounded = 0
        decoder = profile.decoder()
        for pair in pairing:
            rows = keep is not None
            if isinstance(pair, TaggedPair):
                counted = tally_tags(*pair, decoder, rows=rows)
            else:
                left_out, (sides, alignment) = self._align(pair, profile.kinds)
                group_by = profile.group_by or None
                counted = tally(sides, alignment, kinds=profile.kinds, group_by=group_by, rows=rows)
                if profile.labels:  # the tags speak of all labels
                    del counted.facts["tokens"], counted.facts["tokens_correct"]
                    counted = replace(counted, tokens=None)
                excluded += left_out
                if profile.rule.name == "value":
                    ungrounded += _count_ungrounded(sides, alignment)
            if keep is not None:
                keep.add(pair.gold.units, counted)
            total = total + replace(counted, rows=None, tokens=None)
            if profile.scheme:
                invalid += [_count_invalid(decoder, side) for side in pair]
            if progress is not None:
                progress(total.facts["units"])
        total.check()
        self._check_groups(total)
        return total, self._warnings(total, pairing, excluded.tolist(), invalid.tolist(), ungrounded)

    def _check_groups(self, total: Tally) -> None:
        declared = self.profile.schema.groups
        strange = [group for group in total.groups if declared and group not in declared]
        if strange:
            raise InputError(
                f"{self.profile.group_by} {strange[0]!r} is not one of {', '.join(declared)}",
                source=self.gold.corpus.name,
                hint=f"The profile {self.profile.name} knows no other",
            )

    def _warnings(
        self, total: Tally, pairing: Pairing, excluded: list[int], invalid: list[int], ungrounded: int
    ) -> list[str]:
        out = []
        gold, predicted = total.column("gold"), total.column("predicted")
        labels = {label for k, (_, label) in enumerate(total.cells) if gold[k]}
        strange = sorted({label for k, (_, label) in enumerate(total.cells) if predicted[k]} - labels)
        if strange:
            count = sum(int(predicted[k]) for k, (_, label) in enumerate(total.cells) if label in strange)
            out.append(
                f"predictions whose label has no gold support ({_some(strange)}), "
                f"which weighted averages do not see: {count:,}"
            )
        for name, count in zip(("gold", "predictions"), invalid, strict=True):
            if count:
                out.append(f"transitions in {name} that the scheme {self.profile.scheme} forbids: {count:,}")
        for name, count in zip(("gold claims", "predictions"), excluded, strict=True):
            if count:
                out.append(f"{name} left out because their label is not to be scored: {count:,}")
        seen = {label for _, label in total.cells}
        unseen = [label for label in self.profile.labels if label not in seen]
        if unseen:
            out.append(f"labels to score that occur on neither side: {_some(unseen)}")
        if "scheme" in self.profile.options and "tokens" not in total.facts and not self.profile.labels:
            out.append("the scheme has no effect: gold or predictions are not tags")
        for name, side in (("gold", self.gold), ("predictions", self.pred)):
            out += [f"{name}: {what}: {count:,}" for what, count in side.options.notes.items()]
        if pairing.missing:
            out.append(f"gold units without predictions, counted as empty: {pairing.missing:,}")
        if pairing.extra:
            out.append(f"predicted units that gold lacks, left out: {pairing.extra:,}")
        if pairing.truncated:
            out.append(
                f"units with fewer predicted than gold tokens, the tail counted as missed: {pairing.truncated:,}"
            )
        if ungrounded:
            out.append(f"wrong predicted values that do not occur in their unit's text (ungrounded): {ungrounded:,}")
        return out


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _only(claims: Claims, labels: set[str]) -> tuple[Claims, int]:
    keep = np.array([label in labels for label in claims.labels], bool)[claims.label]
    return (claims, 0) if keep.all() else (replace(claims.keep(keep), tags=claims.tags), int((~keep).sum()))


def _detect(gold: Side, profile: Profile) -> str:
    """Tell the scheme from gold: the only one that is valid, or the one that seqeval would take."""
    if gold.corpus.once:
        raise UsageError("the scheme cannot be detected on standard input: name it with --scheme")
    layers = (layer for batch in gold.batches() if isinstance(batch, Tagged) for layer in batch.layers)
    first = next(layers, None)
    if first is None:
        return "IOB2"  # spans need no scheme
    if profile.reader != "seqeval-strict":
        return detect(chain([first], layers), profile.style).name
    letters: set[str] = set()
    for layer in chain([first], layers):
        side = -1 if profile.style.suffix else 0
        letters |= {layer.vocabulary[code][side] for code in np.unique(layer.codes).tolist() if layer.vocabulary[code]}
    found = detect_like_seqeval(letters)
    if found is None:
        known = ", ".join(sorted(letters))
        raise UsageError(f"the scheme cannot be told from the prefixes {known}: name it with --scheme")
    return found.name


def _count_invalid(decoder: Decoder, batch: Batch) -> int:
    return sum(len(decoder.invalid(layer)) for layer in batch.tags)


def _count_ungrounded(sides: Sides, alignment: Alignment) -> int:
    """Count wrong predicted values that do not occur in the text, where the text is known."""
    pred, texts = sides.pred, sides.gold.units.texts or sides.pred.units.texts
    if texts is None or pred.value is None:
        return 0
    wrong = np.ones(len(pred), bool)
    wrong[alignment.pred] = False
    rows = np.flatnonzero(wrong)
    places = zip(pred.unit[rows].tolist(), pred.value[rows].tolist(), strict=True)
    return sum(pred.values[value] not in texts[unit] for unit, value in places if value >= 0)
