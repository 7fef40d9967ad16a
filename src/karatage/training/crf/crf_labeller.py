"""The CRF as a labeller: trained on examples, saved in a folder, read from it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from karatage.errors import InputError, UsageError
from karatage.training.crf.crf_settings import CrfSettings
from karatage.training.crf.emissions import Decoder
from karatage.training.crf.features import Features, distinct
from karatage.training.crf.gazetteers import gazetteers_of, read_gazetteers
from karatage.training.crf.jobs import Job, run_jobs
from karatage.training.crf.weights import Weights
from karatage.training.events import Epoch, Fitting
from karatage.training.examples import Examples, sizes_of
from karatage.training.models import Fitted
from karatage.training.tagset import TagSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

CARD = "crf.json"

_TOKENS = 1 << 17
"""Tokens that are labelled at once: their features and scores must fit into memory."""

_AGAIN = "Copy the model again, or train it again"


class _Part(NamedTuple):
    """Units that are decoded together.

    Attributes:
        rows: which tokens theirs are.
        decoder: what decodes them.
        scores: the scores of its tags at these tokens.
        sizes: how many tokens each unit has.
    """

    rows: NDArray[np.int64]
    decoder: Decoder
    scores: NDArray[np.float64]
    sizes: NDArray[np.int64]


@dataclass(eq=False)
class CrfLabeller:
    """A CRF for all units, or one for each of their groups.

    With a model per group, a unit whose group training never saw gets the model of the largest group. A label that a
    group never had in training is given to none of its units, whichever model they get.

    Attributes:
        tags: the tags that it gives.
        settings: its settings.
        models: the weights of each model.
        groups: the group of each model, the one with the most units first; none where one model is for all.
        lists: the entries of the gazetteers.
    """

    tags: TagSet
    settings: CrfSettings
    models: tuple[Weights, ...] = field(repr=False)
    groups: tuple[str, ...] = ()
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)

    @classmethod
    def fit(
        cls,
        examples: Examples,
        tags: TagSet,
        settings: CrfSettings,
        fitting: Fitting | None = None,
        *,
        gazetteers: Mapping[str, Iterable[str]] | None = None,
        workers: int | None = None,
    ) -> Fitted:
        """Train it.

        Args:
            examples: what to learn from.
            tags: their tags.
            settings: the settings.
            fitting: who is told of each iteration, as of an epoch. There is no best one among them, and a training
                begins anew where it was interrupted.
            gazetteers: entries by the name of their list; left out, they are read from the files in the settings.
            workers: how many models are trained at a time, where there is one per group; left out, one per core.
        """
        lists = read_gazetteers(settings.gazetteers) if gazetteers is None else gazetteers
        entries = {name: made.entries for name, made in gazetteers_of(lists, match_case=True).items()}
        _check_labels(tags)
        examples = examples.take(np.flatnonzero(examples.sizes))
        if not len(examples):
            raise InputError("there are no tokens to learn from")
        parts = _by_group(examples) if settings.per_group else {}
        jobs = [Job(part, tags.tags, settings, entries) for part in list(parts.values()) or [examples]]
        told = _Told(fitting or Fitting(), len(jobs) * settings.iterations, [0.0] * len(jobs))
        contents = run_jobs(jobs, workers or _cores(), told.hear)
        models = tuple(Weights.read(content, "the model") for content in contents)
        return Fitted(cls(tags, settings, models, tuple(parts), entries), tuple(told.history))

    def label(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> NDArray[np.int64]:
        """Return the best valid tags: the codes of all tokens, those of a unit behind those of the one before it."""
        sizes = sizes_of(tokens)
        out = np.zeros(int(sizes.sum()), np.int64)
        for part in self._parts(tokens, sizes, groups):
            out[part.rows] = part.decoder.chain.best(part.scores, part.sizes)
        return out

    def marginals(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> NDArray[np.float32]:
        """Return the probability of each tag at each token, among all valid tags of the unit."""
        sizes = sizes_of(tokens)
        out = np.zeros((int(sizes.sum()), len(self.tags)), np.float32)
        for part in self._parts(tokens, sizes, groups):
            chain = part.decoder.chain
            out[part.rows[:, None], chain.codes] = chain.marginals(part.scores, part.sizes)
        return out

    def _parts(
        self, tokens: Sequence[Sequence[str]], sizes: NDArray[np.int64], groups: Sequence[str] | None
    ) -> Iterator[_Part]:
        """Part the units that have tokens by what decodes them, and into pieces that fit into memory."""
        starts = np.cumsum(sizes) - sizes
        for decoder, units in self._decoders(sizes, groups):
            total = np.cumsum(sizes[units])
            for own in np.split(units, np.searchsorted(total, np.arange(_TOKENS, int(total[-1]), _TOKENS))):
                if not len(own):
                    continue
                chosen, long = own.tolist(), sizes[own]
                columns = self.features.columns(
                    [tokens[i] for i in chosen], None if groups is None else [groups[i] for i in chosen]
                )
                rows = np.repeat(starts[own] - (np.cumsum(long) - long), long) + np.arange(int(long.sum()))
                yield _Part(rows, decoder, decoder.scores(columns), long)

    def _decoders(
        self, sizes: NDArray[np.int64], groups: Sequence[str] | None
    ) -> Iterator[tuple[Decoder, NDArray[np.int64]]]:
        """Yield what decodes units, with the units that it decodes."""
        names: Sequence[str | None] = [None]
        chosen = np.zeros(len(sizes), np.int64)
        if groups is not None:
            names, chosen = distinct(groups)
        elif len(self.groups) > 1:
            raise UsageError("the model has a CRF for each group of units: say which group each unit is of")
        decoders = [self._decoder(name) for name in names]
        for decoder in dict.fromkeys(decoders):
            own = np.array([one is decoder for one in decoders], bool)[chosen] & (sizes > 0)
            if own.any():
                yield decoder, np.flatnonzero(own)

    def _decoder(self, group: str | None) -> Decoder:
        """Return what decodes the units of a group; None where units have no groups."""
        model = self.groups.index(group) if group in self.groups else 0
        permitted = self.tags.permitted(group)
        key = (model, permitted.tobytes())
        if key not in self._made:
            self._made[key] = Decoder.of(self.models[model], self.tags, permitted)
        return self._made[key]

    @cached_property
    def _made(self) -> dict[tuple[int, bytes], Decoder]:
        """The decoders that were needed so far, by model and permitted tags."""
        return {}

    @cached_property
    def features(self) -> Features:
        """What it sees of tokens."""
        return Features(self.settings, gazetteers_of(self.lists, match_case=self.settings.match_case))

    def save(self, folder: Path) -> None:
        """Write the models as CRFsuite wrote them, and what else there is into `crf.json`."""
        for name, model in zip(_files(len(self.models)), self.models, strict=True):
            (folder / name).write_bytes(model.content)
        card = {
            "groups": list(self.groups),
            "gazetteers": {name: list(entries) for name, entries in self.lists.items()},
        }
        (folder / CARD).write_text(json.dumps(card, indent=1), "utf-8")

    @classmethod
    def load(cls, folder: Path, tags: TagSet, settings: CrfSettings) -> Self:
        """Read what `save` wrote; damage is an `InputError` that names the file."""
        groups, lists = _read_card(folder / CARD)
        models = []
        for name in _files(max(len(groups), 1)):
            path = folder / name
            try:
                models.append(Weights.read(path.read_bytes(), str(path)))
            except OSError as error:
                raise InputError(f"cannot be read ({error.strerror})", source=str(path), hint=_AGAIN) from None
            for tag in models[-1].labels:
                if tag not in tags.tags:
                    raise InputError(
                        f"gives the tag {tag!r}, which is none of the model's", source=str(path), hint=_AGAIN
                    )
        return cls(tags, settings, tuple(models), groups, lists)


def _files(count: int) -> list[str]:
    """Return the names of the files of so many models."""
    return ["crf.crfsuite"] if count == 1 else [f"crf-{number}.crfsuite" for number in range(1, count + 1)]


def _read_card(path: Path) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Read the groups of the models and the entries of the gazetteers."""
    try:
        card: Any = json.loads(path.read_bytes())
        groups, lists = tuple(card["groups"]), {name: tuple(own) for name, own in card["gazetteers"].items()}
        if not all(isinstance(text, str) for own in (groups, *lists.values()) for text in own):
            raise TypeError("something is no text")
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", source=str(path), hint=_AGAIN) from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise InputError(f"is damaged ({error})", source=str(path), hint=_AGAIN) from None
    return groups, lists


def _check_labels(tags: TagSet) -> None:
    """Refuse labels that CRFsuite's file cannot hold: its names are UTF-8 and end at a zero byte."""
    for label in tags.labels:
        if "\0" in label or any("\ud800" <= one <= "\udfff" for one in label):
            raise InputError(f"the label {label!r} has a character that CRFsuite cannot keep", hint="Rename the label")


def _by_group(examples: Examples) -> dict[str, Examples]:
    """Part examples by their groups, the largest first."""
    if examples.groups is None:
        return {}
    names, chosen = distinct(examples.groups)
    order = sorted(range(len(names)), key=lambda i: (-int((chosen == i).sum()), names[i]))
    return {names[i]: examples.take(np.flatnonzero(chosen == i)) for i in order}


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass
class _Told:
    """Passes on what trainings tell: of several, the iterations are counted together and the losses added up.

    Attributes:
        fitting: who is told.
        total: iterations of all trainings at most.
        losses: the last loss of each training.
        history: what was told.
        since: when the last was told.
    """

    fitting: Fitting
    total: int
    losses: list[float]
    history: list[Epoch] = field(default_factory=list)
    since: float = field(default_factory=time.perf_counter)

    def hear(self, number: int, _: int, loss: float) -> None:
        """Hear of an iteration of a training."""
        self.losses[number] = loss
        now = time.perf_counter()
        self.history.append(Epoch(len(self.history) + 1, sum(self.losses), now - self.since))
        self.since = now
        if self.fitting.progress is not None:
            self.fitting.progress.epoch(self.history[-1], self.total)
