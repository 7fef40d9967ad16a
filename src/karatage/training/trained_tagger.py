"""A trained tagger: from texts or tokens to claims, from a folder and into one."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karatage.claims import Claims, Units
from karatage.errors import InputError, UsageError
from karatage.formats import find_words
from karatage.taggers import MODEL_CARD, OpenOptions, fingerprint
from karatage.training.events import Epoch, Fitting
from karatage.training.examples import examples_of, in_tokens, sizes_of, tagset_of, words_of
from karatage.training.labeller import Labeller
from karatage.training.model_folder import Card, new_folder, read_card, read_json, write_card
from karatage.training.models import Fitted, get_model
from karatage.training.settings import as_mapping, settings_from
from karatage.training.tagset import TagSet
from karatage.training.token_confidence import confidences

if TYPE_CHECKING:
    from numpy.typing import NDArray

_RUN = re.compile(r"\S+")

HISTORY = "history.json"

_CHUNK = 50_000
"""How many units a model gets at once."""


@dataclass(frozen=True, repr=False)
class TrainedTagger:
    """A model of tags with all that it needs to tag.

    Attributes:
        labeller: gives each token its tag.
        card: what is known of it; it is what the model folder says.
        place: the folder that it was read from; empty where there is none.
        history: what was found after each epoch of its training.
    """

    labeller: Labeller = field(repr=False)
    card: Card
    place: str = ""
    history: tuple[Epoch, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        scores = ", ".join(
            f"{name} {found['value']:.4f}" for name, found in list(self.card.scores.items())[:1] if found
        )
        return f"<TrainedTagger {self.card.model}, {len(self.card.labels)} labels{', ' * bool(scores)}{scores}>"

    @property
    def name(self) -> str:
        """What reports call it."""
        return self.place or self.card.model

    @property
    def labels(self) -> frozenset[str]:
        """The labels that it can give."""
        return frozenset(self.card.labels)

    @cached_property
    def version(self) -> str:
        """A hash of the model's card, which has the hashes of its files; empty where it was never saved."""
        card = Path(self.place) / MODEL_CARD
        return fingerprint([card]) if self.place and card.exists() else ""

    @classmethod
    def fit(
        cls,
        claims: Claims,
        model: str,
        settings: Mapping[str, Any] | None = None,
        *,
        group_by: str = "category",
        words: str = "",
        fitting: Fitting | None = None,
    ) -> tuple[TrainedTagger, Fitted]:
        """Train a model.

        Args:
            claims: what to learn from: claims with the tokens or the texts of their units.
            model: the model's name, such as `bilstm-crf`.
            settings: its settings; left out, its defaults.
            group_by: the attribute of units that is their category, where they have it.
            words: how texts will be cut into tokens: `spaces` or `words`, words and marks; left out, as the tokens of
                the claims were.
            fitting: what goes on around the training; its validation data must have been made with the same tags.

        Returns:
            The tagger, and how the training went.
        """
        chosen = get_model(model)
        given = settings_from(chosen.settings, settings or {}, f"the settings of {model}")
        learned = in_tokens(claims, Counter())
        tags = tagset_of(learned, group_by)
        if not tags.labels:
            raise InputError("holds no claims to learn from", source=claims.units.source or None)
        fitted = chosen.labeller.fit(examples_of(learned, tags, group_by), tags, given, fitting or Fitting())
        card = Card(
            model,
            as_mapping(given),
            tags.labels,
            {group: tuple(sorted(known)) for group, known in tags.by_group.items()},
            group_by if group_by in claims.units.attributes else "",
            words or words_of(learned),
        )
        return cls(fitted.labeller, card), fitted

    def tag(
        self, texts: Sequence[str] | Sequence[Sequence[str]], attributes: Mapping[str, Sequence[str]] | None = None
    ) -> Claims:
        """Find the entities of texts, in characters, or of lists of tokens, in tokens.

        Args:
            texts: the texts, or the tokens of each unit.
            attributes: columns of further facts on the units, such as their category.
        """
        units = {"attributes": dict(attributes or {})}
        if len(texts) and isinstance(texts[0], str):
            return self.tag_units(Units(len(texts), texts=texts, **units))  # type: ignore[arg-type]  # the first is one
        return self.tag_units(Units(len(texts), tokens=texts, **units))  # type: ignore[arg-type]

    def tag_units(self, units: Units, *, scores: bool = False) -> Claims:
        """Find the entities of units: in tokens where they have them, else in the characters of their texts.

        Args:
            units: the units.
            scores: whether the claims must say how sure the model is of them. It may need a second look for that; a
                model with a threshold looks in any case, and always says it.
        """
        if units.tokens is not None:
            return self._tagged(units, units.tokens, scores=scores)
        if units.texts is None:
            raise InputError("holds neither tokens nor texts to tag", source=units.source or None)
        cut = find_words if self.card.words == "words" else _runs
        places = [cut(text) for text in units.texts]
        tokens = [[text[a:b] for a, b in own] for text, own in zip(units.texts, places, strict=True)]
        found = self._tagged(units, tokens, scores=scores)
        sizes = sizes_of(tokens)
        first = (np.cumsum(sizes) - sizes)[found.unit]
        borders = np.array(list(chain.from_iterable(places)), np.int64).reshape(-1, 2)
        low, high = borders[first + found.start, 0], borders[first + found.end - 1, 1]
        return replace(found, units=units, space="char", start=low, end=high)

    def scored(self, units: Units) -> tuple[Claims, NDArray[np.float64]]:
        """Return all claims of units that have tokens, and how sure the model is of each."""
        found = self.with_threshold(0.0)._tagged(units, units.tokens or [], scores=True)
        return found, np.zeros(0) if found.score is None else found.score

    def _tagged(self, units: Units, tokens: Sequence[Sequence[str]], *, scores: bool) -> Claims:
        """Tag units; drop what the model is too unsure of."""
        least = self.card.threshold
        scores = scores or least > 0
        groups = units.attributes.get(self.card.group_by) if self.card.group_by else None
        tags, sizes = self.labeller.tags, sizes_of(tokens)
        codes = [np.zeros(0, np.int64)]
        sure = [np.zeros(0)]
        for at in range(0, max(len(sizes), 1), _CHUNK):
            here = slice(at, at + _CHUNK)
            part, own = tokens[here], None if groups is None else groups[here]
            codes.append(self.labeller.label(part, own))
            if scores:
                found = tags.claims(codes[-1], units.slice(at, min(at + _CHUNK, len(sizes))), sizes[here])
                sure.append(confidences(found, self.labeller.marginals(part, own), tags, sizes[here]))
        out = tags.claims(np.concatenate(codes), units, sizes)
        if not scores:
            return out
        confidence = np.concatenate(sure)
        out = replace(out, score=confidence)
        return out.keep(confidence >= least) if least else out

    def with_threshold(self, threshold: float) -> TrainedTagger:
        """Return the same tagger, which drops claims that it is less sure of."""
        return replace(self, card=replace(self.card, threshold=threshold))

    def save(self, folder: str | Path, *, replace: bool = False) -> None:
        """Write the tagger into a folder, whole or not at all."""
        with new_folder(Path(folder), replace=replace) as new:
            self.write(new)

    def write(self, folder: Path) -> None:
        """Write the files of the tagger into a folder that exists."""
        self.labeller.save(folder)
        if self.history:
            text = json.dumps([epoch.to_dict() for epoch in self.history], indent=1)
            (folder / HISTORY).write_text(text, "utf-8")
        write_card(folder, self.card)

    @classmethod
    def load(cls, folder: str | Path, *, device: str = "auto") -> TrainedTagger:
        """Read a tagger from its folder; no code in it is run.

        Args:
            folder: the folder.
            device: where a neural model runs: `auto`, `cpu` or `cuda`.
        """
        place = Path(folder)
        card = read_card(place)
        model = get_model(card.model)
        settings = settings_from(model.settings, card.settings, str(place / MODEL_CARD))
        if hasattr(settings, "device"):
            settings = replace(settings, device=device)
        try:
            tags = TagSet.from_dict({"labels": list(card.labels), "by_group": card.by_group})
        except (ValueError, TypeError) as error:
            raise InputError(f"is damaged ({error})", source=str(place / MODEL_CARD)) from None
        return cls(model.labeller.load(place, tags, settings), card, str(folder), _history(place / HISTORY))


def open_trained(folder: str, options: OpenOptions) -> TrainedTagger:
    """Open a model that Karatage trained, as `karatage.taggers.open_tagger` does."""
    if options.words not in (None, "own") or options.label_map:
        raise UsageError("a model that Karatage trained has its own words and labels: omit --words and --map")
    return TrainedTagger.load(folder, device=options.device)


def _history(path: Path) -> tuple[Epoch, ...]:
    if not path.exists():
        return ()
    return read_json(path, lambda found: tuple(Epoch.from_dict(one) for one in found))


def _runs(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _RUN.finditer(text)]
