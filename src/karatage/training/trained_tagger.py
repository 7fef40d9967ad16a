"""Trained taggers: from texts or tokens to claims, loaded from a folder or saved into one."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import first_indices
from karatage._folders import new_folder
from karatage._writing import create_file
from karatage.claims import Claims, Units
from karatage.errors import InputError, UsageError
from karatage.formats import find_words
from karatage.taggers import MODEL_CARD, OpenOptions, fingerprint
from karatage.training.examples import examples_of, in_tokens, sizes_of, tagset_of, tokenization_of
from karatage.training.fit_context import EpochResult, FitContext, FitResult
from karatage.training.labeller import Labeller
from karatage.training.model_folder import ModelCard, check_free, read_card, read_json, write_card
from karatage.training.models import get_model
from karatage.training.settings import settings_from, to_mapping
from karatage.training.tagset import TagSet
from karatage.training.token_confidence import confidences

_NOT_SPACE = re.compile(r"\S+")

HISTORY = "history.json"

_CHUNK = 50_000
"""How many units a model gets at once."""


@dataclass(frozen=True, repr=False)
class TrainedTagger:
    """A trained model with everything that it needs to tag.

    Attributes:
        folder: the folder that it was loaded from; empty if none.
    """

    labeller: Labeller = field(repr=False)
    card: ModelCard
    folder: str = ""
    history: tuple[EpochResult, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        scores = ", ".join(
            f"{name} {found['value']:.4f}" for name, found in list(self.card.scores.items())[:1] if found
        )
        return f"<TrainedTagger {self.card.model}, {len(self.card.labels)} labels{', ' * bool(scores)}{scores}>"

    @property
    def name(self) -> str:
        """Its name in reports."""
        return self.folder or self.card.model

    @property
    def labels(self) -> frozenset[str]:
        """The labels that it can give."""
        return frozenset(self.card.labels)

    @property
    def at_once(self) -> int:
        """How many batches it tags best at the same time, in several threads."""
        return getattr(self.labeller, "at_once", 1)

    @cached_property
    def version(self) -> str:
        """A hash of the model card, which has the hashes of all files; empty if the model was never saved."""
        card = Path(self.folder) / MODEL_CARD
        return fingerprint([card]) if self.folder and card.exists() else ""

    @classmethod
    def fit(
        cls,
        claims: Claims,
        model: str,
        settings: Mapping[str, Any] | None = None,
        *,
        group_by: str = "category",
        tokenization: str = "",
        context: FitContext | None = None,
    ) -> tuple[TrainedTagger, FitResult]:
        """Train a model.

        Args:
            claims: what to learn from: claims with the tokens or texts of their units.
            model: the model's name, e.g. `bilstm-crf`.
            settings: its settings. Default: its defaults.
            group_by: the attribute of units that is their category, if they have it.
            tokenization: how to split texts into tokens: `spaces`, or `words` for words and punctuation. Default: like
                the tokens of the claims.
            context: validation data, checkpoints and progress; the validation data must have the same tags.

        Returns:
            The tagger, and the result of the training.
        """
        chosen = get_model(model)
        given = settings_from(chosen.settings, settings or {}, f"settings of {model}")
        learned = in_tokens(claims, Counter())
        tags = tagset_of(learned, group_by, getattr(given, "scheme", "IOB2"))
        if not tags.labels:
            raise InputError("has no entities to learn from", source=claims.units.source)
        fit = chosen.labeller.fit(examples_of(learned, tags, group_by), tags, given, context or FitContext())
        card = ModelCard(
            model=model,
            settings=to_mapping(given),
            labels=tags.labels,
            by_group={group: tuple(sorted(known)) for group, known in tags.by_group.items()},
            group_by=group_by if group_by in claims.units.attributes else "",
            words=tokenization or tokenization_of(learned),
        )
        return cls(fit.labeller, card), fit

    def tag(
        self, texts: Sequence[str] | Sequence[Sequence[str]], attributes: Mapping[str, Sequence[str]] | None = None
    ) -> Claims:
        """Find the entities of texts, in characters, or of lists of tokens, in tokens.

        Args:
            texts: the texts, or the tokens of each unit.
            attributes: columns with facts about the units, e.g. their category.
        """
        units = {"attributes": dict(attributes or {})}
        if len(texts) and isinstance(texts[0], str):
            return self.tag_units(Units(len(texts), texts=texts, **units))  # type: ignore[arg-type]  # the first is one
        return self.tag_units(Units(len(texts), tokens=texts, **units))  # type: ignore[arg-type]

    def tag_units(self, units: Units, *, scores: bool = False) -> Claims:
        """Find the entities of units: in tokens if they have tokens, else in characters of their texts.

        Args:
            units: the units.
            scores: whether claims must carry confidence scores, which may need a second pass. With a threshold they
                always do.
        """
        if units.tokens is not None:
            return self._tag(units, units.tokens, scores=scores)
        if units.texts is None:
            raise InputError("has neither tokens nor texts to tag", source=units.source)
        cut = find_words if self.card.words == "words" else _split_at_spaces
        offsets = [cut(text) for text in units.texts]
        tokens = [[text[a:b] for a, b in own] for text, own in zip(units.texts, offsets, strict=True)]
        found = self._tag(units, tokens, scores=scores)
        first = first_indices(sizes_of(tokens))[found.unit]
        flat = np.array(list(chain.from_iterable(offsets)), np.int64).reshape(-1, 2)
        low, high = flat[first + found.start, 0], flat[first + found.end - 1, 1]
        return replace(found, units=units, space="char", start=low, end=high)

    def scored(self, units: Units) -> tuple[Claims, NDArray[np.float64]]:
        """Return all claims of units that have tokens, and the confidence of each, whatever the threshold."""
        found = self.with_threshold(0.0)._tag(units, units.tokens or [], scores=True)
        return found, np.zeros(0) if found.score is None else found.score

    def _tag(self, units: Units, tokens: Sequence[Sequence[str]], *, scores: bool) -> Claims:
        """Tag units and drop claims below the threshold."""
        least = self.card.threshold
        scores = scores or least > 0
        groups = units.attributes.get(self.card.group_by) if self.card.group_by else None
        tags, sizes = self.labeller.tags, sizes_of(tokens)
        codes = [np.zeros(0, np.int64)]
        confidence = [np.zeros(0)]
        for at in range(0, max(len(sizes), 1), _CHUNK):
            here = slice(at, at + _CHUNK)
            part, own = tokens[here], None if groups is None else groups[here]
            codes.append(self.labeller.label(part, own))
            if scores:
                found = tags.claims(codes[-1], units.slice(at, min(at + _CHUNK, len(sizes))), sizes[here])
                confidence.append(confidences(found, self.labeller.marginals(part, own), tags, sizes[here]))
        out = tags.claims(np.concatenate(codes), units, sizes)
        if not scores:
            return out
        out = replace(out, score=np.concatenate(confidence))
        return out.keep(np.concatenate(confidence) >= least) if least else out

    def with_threshold(self, threshold: float) -> TrainedTagger:
        """Return the same tagger with another threshold on the confidence."""
        return replace(self, card=replace(self.card, threshold=threshold))

    def save(self, folder: str | Path, *, replace: bool = False) -> None:
        """Write the tagger into a folder, completely or not at all."""
        with new_folder(Path(folder), partial(check_free, replace=replace), durable=True) as new:
            self.write(new)

    def write(self, folder: Path) -> None:
        """Write the tagger's files into a folder that exists."""
        self.labeller.save(folder)
        if self.history:
            text = json.dumps([epoch.to_dict() for epoch in self.history], indent=1)
            create_file(folder / HISTORY, text)
        write_card(folder, self.card)

    @classmethod
    def load(cls, folder: str | Path, *, device: str = "auto") -> TrainedTagger:
        """Load a tagger from its folder; no code from it is run. The device is `auto`, `cpu`, `cuda` or `cuda:N`."""
        path = Path(folder)
        card = read_card(path)
        model = get_model(card.model)
        settings = settings_from(model.settings, card.settings, str(path / MODEL_CARD))
        if hasattr(settings, "device"):
            settings = replace(settings, device=device)
        try:
            scheme = getattr(settings, "scheme", "IOB2")
            tags = TagSet.from_dict({"labels": list(card.labels), "by_group": card.by_group, "scheme": scheme})
        except (ValueError, TypeError) as error:
            raise InputError(f"is damaged ({error})", source=str(path / MODEL_CARD)) from None
        return cls(model.labeller.load(path, tags, settings), card, str(folder), _read_history(path / HISTORY))


def open_trained(folder: str, options: OpenOptions) -> TrainedTagger:
    """Open a model that Karatage trained, for `karatage.taggers.open_tagger`."""
    if options.words not in (None, "own") or options.label_map:
        raise UsageError("a model that Karatage trained has its own words and labels: omit --words and --map")
    return TrainedTagger.load(folder, device=options.device)


def _read_history(path: Path) -> tuple[EpochResult, ...]:
    if not path.exists():
        return ()
    return read_json(path, lambda found: tuple(EpochResult.from_dict(one) for one in found))


def _split_at_spaces(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _NOT_SPACE.finditer(text)]
