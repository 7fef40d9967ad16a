"""The trainable models by name; what they need is imported when one is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from karatage.errors import unknown
from karatage.taggers import needed
from karatage.training.events import Epoch, Fitting
from karatage.training.examples import Examples
from karatage.training.labeller import Labeller
from karatage.training.tagset import TagSet


@dataclass(frozen=True)
class Fitted:
    """A trained model.

    Attributes:
        labeller: the model.
        history: what was found after each epoch.
        best: the epoch whose weights were kept; 0 where a model has no epochs.
    """

    labeller: Labeller = field(repr=False)
    history: tuple[Epoch, ...] = field(default=(), repr=False)
    best: int = 0


@dataclass(frozen=True)
class Model:
    """A kind of trainable model.

    Attributes:
        name: how users call it.
        about: one sentence.
        package: the package that it needs.
        home: the module where it lies.
        kind: the name of its class there.
    """

    name: str
    about: str
    package: str
    home: str
    kind: str

    def _class(self) -> Any:
        needed(self.package, "train")
        return getattr(import_module(self.home), self.kind)

    @property
    def settings(self) -> type[Any]:
        """The kind of its settings."""
        module, _, kind = _SETTINGS[self.name].rpartition(":")
        found: type[Any] = getattr(import_module(f"karatage.training.{module}"), kind)
        return found

    @property
    def fit(self) -> Callable[[Examples, TagSet, Any, Fitting], Fitted]:
        """What trains it."""
        found: Callable[[Examples, TagSet, Any, Fitting], Fitted] = self._class().fit
        return found

    @property
    def load(self) -> Callable[..., Labeller]:
        """What reads it from a folder."""
        found: Callable[..., Labeller] = self._class().load
        return found


_NETWORK = "karatage.training.network"

MODELS = {
    model.name: model
    for model in (
        Model(
            "crf",
            "A linear-chain CRF over features of words and their neighbours.",
            "pycrfsuite",
            "karatage.training.crf.crf_labeller",
            "CrfLabeller",
        ),
        Model("bilstm", "A bidirectional LSTM over words.", "torch", f"{_NETWORK}.labeller", "LstmLabeller"),
        Model(
            "bilstm-crf",
            "A bidirectional LSTM over words, characters and affixes, under a CRF.",
            "torch",
            f"{_NETWORK}.labeller",
            "LstmCrfLabeller",
        ),
        Model("transformer", "A fine-tuned encoder.", "torch", f"{_NETWORK}.transformer", "TransformerLabeller"),
        Model(
            "transformer-crf",
            "A fine-tuned encoder under a CRF.",
            "torch",
            f"{_NETWORK}.transformer",
            "TransformerCrfLabeller",
        ),
    )
}

_ENSEMBLE = Model(
    "ensemble",
    "Several models as one.",
    "numpy",
    "karatage.training.ensembles",
    "EnsembleLabeller",
)

_SETTINGS = {
    "crf": "crf.crf_settings:CrfSettings",
    "bilstm": "network.network_settings:BilstmSettings",
    "bilstm-crf": "network.network_settings:BilstmCrfSettings",
    "transformer": "network.network_settings:TransformerSettings",
    "transformer-crf": "network.network_settings:TransformerCrfSettings",
    "ensemble": "ensembles:EnsembleSettings",
}


def get_model(name: str) -> Model:
    """Look up a model by its name."""
    if name == _ENSEMBLE.name:
        return _ENSEMBLE
    if name not in MODELS:
        raise unknown("model", name, MODELS)
    return MODELS[name]
