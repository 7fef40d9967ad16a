"""The trainable models by name. What a model needs is imported when it is used."""

from __future__ import annotations

from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

from karatage.errors import unknown
from karatage.taggers import import_optional
from karatage.training.labeller import TrainableLabeller


@dataclass(frozen=True, kw_only=True)
class ModelType:
    """A kind of trainable model; paths are `module:class` inside this room, and `package` is what it needs."""

    name: str
    about: str
    package: str
    labeller_path: str
    settings_path: str

    @property
    def settings(self) -> type[Any]:
        """The class of its settings: a frozen dataclass."""
        found: type[Any] = resolve_name(f"karatage.training.{self.settings_path}")
        return found

    @property
    def labeller(self) -> type[TrainableLabeller]:
        """The class that trains it and loads it."""
        import_optional(self.package, "train")
        found: type[TrainableLabeller] = resolve_name(f"karatage.training.{self.labeller_path}")
        return found


_ENSEMBLE = ModelType(
    name="ensemble",
    about="Several models combined.",
    package="numpy",
    labeller_path="ensembles:EnsembleLabeller",
    settings_path="ensembles:EnsembleSettings",
)

MODELS = {
    model.name: model
    for model in (
        ModelType(
            name="crf",
            about="A linear-chain CRF over features of words and their neighbours.",
            package="pycrfsuite",
            labeller_path="crf.crf_labeller:CrfLabeller",
            settings_path="crf.crf_settings:CrfSettings",
        ),
        ModelType(
            name="bilstm",
            about="A bidirectional LSTM over words.",
            package="torch",
            labeller_path="network.lstm_labeller:LstmLabeller",
            settings_path="network.network_settings:BilstmSettings",
        ),
        ModelType(
            name="bilstm-crf",
            about="A bidirectional LSTM over words, characters and affixes, with a CRF layer.",
            package="torch",
            labeller_path="network.lstm_labeller:LstmLabeller",
            settings_path="network.network_settings:BilstmCrfSettings",
        ),
        ModelType(
            name="transformer",
            about="A fine-tuned Hugging Face encoder.",
            package="torch",
            labeller_path="network.transformer_labeller:TransformerLabeller",
            settings_path="network.network_settings:TransformerSettings",
        ),
        ModelType(
            name="transformer-crf",
            about="A fine-tuned Hugging Face encoder with a CRF layer.",
            package="torch",
            labeller_path="network.transformer_labeller:TransformerLabeller",
            settings_path="network.network_settings:TransformerCrfSettings",
        ),
    )
}


def get_model(name: str) -> ModelType:
    """Return a model by its name."""
    if name == _ENSEMBLE.name:
        return _ENSEMBLE
    if name not in MODELS:
        raise unknown("model", name, MODELS)
    return MODELS[name]
