"""The CRF as a labeller: trained, saved, loaded."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import first_indices, ranges
from karatage._writing import create_file
from karatage.errors import InputError, UsageError
from karatage.training.crf.crf_decoder import CrfDecoder
from karatage.training.crf.crf_jobs import CrfJob, run_jobs
from karatage.training.crf.crf_settings import CrfSettings
from karatage.training.crf.crfsuite_model import CrfsuiteModel
from karatage.training.crf.features import Features, distinct
from karatage.training.crf.gazetteers import gazetteers_of, read_gazetteers
from karatage.training.examples import Examples, sizes_of
from karatage.training.fit_context import EpochResult, FitContext, FitResult
from karatage.training.model_folder import RESTORE
from karatage.training.tagset import TagSet

GROUPS_FILE = "crf.json"

_TOKENS = 1 << 17
"""How many tokens are labelled at once: their features and scores must fit into memory."""


class _DecodingBatch(NamedTuple):
    """Units that are decoded together: the indices of their tokens, and the tag scores there."""

    rows: NDArray[np.int64]
    decoder: CrfDecoder
    scores: NDArray[np.float64]
    sizes: NDArray[np.int64]


@dataclass(eq=False)
class CrfLabeller:
    """A CRF for all units, or one per group.

    With one model per group, a unit of an unseen group gets the model of the largest group. A unit never gets a label
    that its group does not have in the training data.

    Attributes:
        groups: the group of each model, largest first; empty if one model is for all.
    """

    tags: TagSet
    settings: CrfSettings
    models: tuple[CrfsuiteModel, ...] = field(repr=False)
    groups: tuple[str, ...] = ()
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)

    @classmethod
    def fit(
        cls,
        examples: Examples,
        tags: TagSet,
        settings: CrfSettings,
        context: FitContext | None = None,
        *,
        gazetteers: Mapping[str, Iterable[str]] | None = None,
        workers: int | None = None,
    ) -> FitResult:
        """Train a CRF. There are no checkpoints: an interrupted training starts over.

        Args:
            examples: what to learn from.
            tags: their tags.
            settings: the settings.
            context: its progress is called after each iteration, as after an epoch.
            gazetteers: entries by the name of their gazetteer. Default: read from the files in the settings.
            workers: how many models are trained in parallel, with one model per group. Default: one per core.
        """
        lists = read_gazetteers(settings.gazetteers) if gazetteers is None else gazetteers
        entries = {name: made.entries for name, made in gazetteers_of(lists, match_case=True).items()}
        _check_labels(tags)
        examples = examples.take(np.flatnonzero(examples.sizes))
        if not len(examples):
            raise InputError("the training data has no tokens")
        parts = _by_group(examples) if settings.per_group else {}
        jobs = [CrfJob(part, tags.tags, settings, entries) for part in list(parts.values()) or [examples]]
        log = _IterationLog(context or FitContext(), len(jobs) * settings.iterations, [0.0] * len(jobs))
        contents = run_jobs(jobs, workers or _cores(), log.add)
        models = tuple(CrfsuiteModel.read(content, "the model") for content in contents)
        return FitResult(cls(tags, settings, models, tuple(parts), entries), tuple(log.history))

    def label(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> NDArray[np.int64]:
        """Return the best valid tags: the codes of all tokens, unit after unit."""
        sizes = sizes_of(tokens)
        out = np.zeros(int(sizes.sum()), np.int64)
        for part in self._batches(tokens, sizes, groups):
            out[part.rows] = part.decoder.trellis.best(part.scores, part.sizes)
        return out

    def marginals(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> NDArray[np.float32]:
        """Return the probability of each tag at each token, among all valid tags of the unit."""
        sizes = sizes_of(tokens)
        out = np.zeros((int(sizes.sum()), len(self.tags)), np.float32)
        for part in self._batches(tokens, sizes, groups):
            trellis = part.decoder.trellis
            out[part.rows[:, None], trellis.codes] = trellis.marginals(part.scores, part.sizes)
        return out

    def _batches(
        self, tokens: Sequence[Sequence[str]], sizes: NDArray[np.int64], groups: Sequence[str] | None
    ) -> Iterator[_DecodingBatch]:
        """Split the units that have tokens by decoder, and into batches that fit into memory."""
        starts = first_indices(sizes)
        for decoder, units in self._decoders(sizes, groups):
            total = np.cumsum(sizes[units])
            for own in np.split(units, np.searchsorted(total, np.arange(_TOKENS, int(total[-1]), _TOKENS))):
                if not len(own):
                    continue
                chosen, long = own.tolist(), sizes[own]
                columns = self.features.columns(
                    [tokens[i] for i in chosen], None if groups is None else [groups[i] for i in chosen]
                )
                yield _DecodingBatch(ranges(starts[own], long), decoder, decoder.scores(columns), long)

    def _decoders(
        self, sizes: NDArray[np.int64], groups: Sequence[str] | None
    ) -> Iterator[tuple[CrfDecoder, NDArray[np.int64]]]:
        """Yield each decoder with the units that it decodes."""
        names: Sequence[str | None] = [None]
        chosen = np.zeros(len(sizes), np.int64)
        if groups is not None:
            names, chosen = distinct(groups)
        elif len(self.groups) > 1:
            raise UsageError("this model has one CRF per category, but the input has no categories")
        decoders = [self._decoder(name) for name in names]
        for decoder in dict.fromkeys(decoders):
            own = np.array([one is decoder for one in decoders], bool)[chosen] & (sizes > 0)
            if own.any():
                yield decoder, np.flatnonzero(own)

    def _decoder(self, group: str | None) -> CrfDecoder:
        """Return the decoder for a group; None if units have no groups."""
        model = self.groups.index(group) if group in self.groups else 0
        permitted = self.tags.permitted(group)
        key = (model, permitted.tobytes())
        if key not in self._cache:
            self._cache[key] = CrfDecoder.of(self.models[model], self.tags, permitted)
        return self._cache[key]

    @cached_property
    def _cache(self) -> dict[tuple[int, bytes], CrfDecoder]:
        """The decoders so far, by model and permitted tags."""
        return {}

    @cached_property
    def features(self) -> Features:
        """Makes the features of tokens."""
        return Features(self.settings, gazetteers_of(self.lists, match_case=self.settings.match_case))

    def save(self, folder: Path) -> None:
        """Write the models as CRFsuite wrote them, and groups and gazetteers into `crf.json`."""
        for name, model in zip(_files(len(self.models)), self.models, strict=True):
            create_file(folder / name, model.content)
        card = {
            "groups": list(self.groups),
            "gazetteers": {name: list(entries) for name, entries in self.lists.items()},
        }
        create_file(folder / GROUPS_FILE, json.dumps(card, indent=1))

    @classmethod
    def load(cls, folder: Path, tags: TagSet, settings: CrfSettings) -> Self:
        """Read what `save` wrote; a damaged file is an `InputError` that names it."""
        groups, lists = _read_groups(folder / GROUPS_FILE)
        models = []
        for name in _files(max(len(groups), 1)):
            path = folder / name
            try:
                models.append(CrfsuiteModel.read(path.read_bytes(), str(path)))
            except OSError as error:
                raise InputError(f"cannot be read ({error.strerror})", source=str(path), hint=RESTORE) from None
            for tag in models[-1].labels:
                if tag not in tags.tags:
                    raise InputError(
                        f"has the tag {tag!r}, which the model does not have", source=str(path), hint=RESTORE
                    )
        return cls(tags, settings, tuple(models), groups, lists)


def _files(count: int) -> list[str]:
    """Return the names of the model files."""
    return ["crf.crfsuite"] if count == 1 else [f"crf-{number}.crfsuite" for number in range(1, count + 1)]


def _read_groups(path: Path) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Read the groups of the models and the entries of the gazetteers."""
    try:
        card: Any = json.loads(path.read_bytes())
        groups, lists = tuple(card["groups"]), {name: tuple(own) for name, own in card["gazetteers"].items()}
        if not all(isinstance(text, str) for own in (groups, *lists.values()) for text in own):
            raise TypeError("expected strings")
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", source=str(path), hint=RESTORE) from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise InputError(f"is damaged ({error})", source=str(path), hint=RESTORE) from None
    return groups, lists


def _check_labels(tags: TagSet) -> None:
    """Refuse labels that CRFsuite's file cannot store: its names are UTF-8 and end at a zero byte."""
    for label in tags.labels:
        if "\0" in label or any("\ud800" <= one <= "\udfff" for one in label):
            raise InputError(f"the label {label!r} has a character that CRFsuite cannot store", hint="Rename the label")


def _by_group(examples: Examples) -> dict[str, Examples]:
    """Split examples by group, largest first."""
    if examples.groups is None:
        return {}
    names, chosen = distinct(examples.groups)
    order = sorted(range(len(names)), key=lambda i: (-int((chosen == i).sum()), names[i]))
    return {names[i]: examples.take(np.flatnonzero(chosen == i)) for i in order}


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass
class _IterationLog:
    """Records iterations; with several trainings, iterations are counted together and losses are summed.

    Attributes:
        total: the maximum number of iterations of all trainings.
        losses: the last loss of each training.
    """

    context: FitContext
    total: int
    losses: list[float]
    history: list[EpochResult] = field(default_factory=list)
    since: float = field(default_factory=time.perf_counter)

    def add(self, number: int, _: int, loss: float) -> None:
        """Record an iteration of a training."""
        self.losses[number] = loss
        now = time.perf_counter()
        self.history.append(EpochResult(len(self.history) + 1, sum(self.losses), now - self.since))
        self.since = now
        if self.context.progress is not None:
            self.context.progress.epoch(self.history[-1], self.total)
