"""The settings of the neural models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from karatage.errors import UsageError
from karatage.training.settings import option, redefine
from karatage.training.training_choices import TagScheme

Optimizer = Literal["adam", "adamw", "sgd"]
Schedule = Literal["none", "plateau", "linear"]
Precision = Literal["auto", "float32", "bfloat16"]
CharacterReader = Literal["none", "cnn", "lstm"]
ClassWeights = Literal["none", "sqrt", "balanced"]


@dataclass(frozen=True)
class TrainingSettings:
    """How a network is trained."""

    epochs: int = option(50, "Maximum number of epochs.", least=1)
    batch: int = option(32, "Batch size.", least=1, most=100000)
    optimizer: Optimizer = option("adam", "Optimizer to train with.")
    learning_rate: float = option(1e-3, "Initial learning rate; for `linear`, the highest one.", least=0)
    weight_decay: float = option(0.0, "Weight decay.", least=0)
    clip: float = option(0.0, "Maximum gradient norm; 0 does not clip.", least=0)
    schedule: Schedule = option(
        "none",
        "Learning rate schedule: constant, multiplied by `schedule_factor` when the metric stops improving, or linear "
        "decay to 0 after a warm-up of 10 % of all steps.",
    )
    schedule_factor: float = option(0.5, "Factor of the `plateau` schedule.", least=0, most=1)
    schedule_patience: int = option(3, "Epochs without improvement before `plateau` lowers the rate.", least=0)
    patience: int = option(0, "Stop after this many epochs without improvement; 0 never stops early.", least=0)
    average: float = option(
        0.0, "Decay of an exponential moving average of the weights; 0 uses the last weights.", least=0, most=0.99999
    )
    scheme: TagScheme = option(
        "IOB2", "Tags of a label: `IOB2` has B and I, `IO` has one tag, which merges adjacent entities with that label."
    )
    metric: str = option("", "Metric that selects the best epoch. Default: the profile's headline metric.")
    seed: int = option(0, "Random seed.", least=0)
    precision: Precision = option(
        "auto", "Floating-point precision; `auto` is bfloat16 for transformers on a GPU, else float32."
    )
    device: str = option("auto", "Device: `cpu`, `cuda`, or `auto` for a GPU if there is one.")


@dataclass(frozen=True)
class BilstmSettings(TrainingSettings):
    """The network of exp-001: word and category embeddings, a bidirectional LSTM, a linear layer."""

    word_dim: int = option(128, "Size of the word embeddings.", least=1, most=8192)
    category_dim: int = option(10, "Size of the category embedding, which is added to every token.", least=0, most=8192)
    hidden: int = option(256, "Size of the LSTM's output, both directions together.", least=2, most=16384)
    layers: int = option(1, "Number of LSTM layers.", least=1, most=32)
    dropout: float = option(0.0, "Dropout before, between and after the LSTM layers.", least=0, most=0.95)
    word_dropout: float = option(0.0, "Share of words replaced by the unknown word in training.", least=0, most=0.95)
    min_count: int = option(1, "Words that occur less often in the training data are unknown.", least=1)
    lowercase: bool = option(False, "Lowercase words.")
    chars: CharacterReader = option("none", "Network over the characters of a word.")
    char_dim: int = option(32, "Size of the character embeddings.", least=1, most=4096)
    char_hidden: int = option(64, "Size of the character network's output.", least=2, most=4096)
    affixes: int = option(
        0, "Size of the embeddings of a word's prefixes, suffixes and shape; 0 for none.", least=0, most=4096
    )
    vectors: str = option("", "Text file with pre-trained word vectors: a word and its numbers per line.")
    vectors_limit: int = option(200_000, "Maximum number of vectors to read.", least=1)
    tune_vectors: bool = option(True, "Fine-tune the pre-trained vectors.")
    class_weights: ClassWeights = option("none", "Weights of tags in the loss: equal, or by inverse frequency.")
    focal: float = option(0.0, "Gamma of the focal loss; 0 is cross-entropy.", least=0)

    def __post_init__(self) -> None:
        if self.hidden % 2:
            raise UsageError(f"hidden must be even (half for each direction), not {self.hidden}")


@dataclass(frozen=True)
class BilstmCrfSettings(BilstmSettings):
    """A bidirectional LSTM with a linear-chain CRF layer, with characters and affixes."""

    epochs: int = redefine(BilstmSettings, "epochs", 60)
    word_dim: int = redefine(BilstmSettings, "word_dim", 64)
    learning_rate: float = redefine(BilstmSettings, "learning_rate", 1.5e-3)
    clip: float = redefine(BilstmSettings, "clip", 1.0)
    dropout: float = redefine(BilstmSettings, "dropout", 0.5)
    word_dropout: float = redefine(BilstmSettings, "word_dropout", 0.1)
    patience: int = redefine(BilstmSettings, "patience", 12)
    average: float = redefine(BilstmSettings, "average", 0.998)
    chars: CharacterReader = redefine(BilstmSettings, "chars", "cnn")
    affixes: int = redefine(BilstmSettings, "affixes", 32)
    restrict: bool = option(True, "Give a category only the labels that it has in the training data.")

    def __post_init__(self) -> None:
        super().__post_init__()
        _refuse_weighted_loss(self.class_weights, self.focal, "bilstm")


@dataclass(frozen=True)
class TransformerSettings(TrainingSettings):
    """A local Hugging Face encoder, fine-tuned: a word has the tag of its first subword."""

    encoder: str = option("", "Folder of the Hugging Face encoder.")
    epochs: int = redefine(TrainingSettings, "epochs", 15)
    batch: int = redefine(TrainingSettings, "batch", 16)
    optimizer: Optimizer = redefine(TrainingSettings, "optimizer", "adamw")
    learning_rate: float = option(5e-5, "Highest learning rate of the encoder.", least=0)
    head_rate: float = option(1e-3, "Learning rate of the layers on top of the encoder.", least=0)
    weight_decay: float = redefine(TrainingSettings, "weight_decay", 0.01)
    clip: float = redefine(TrainingSettings, "clip", 1.0)
    schedule: Schedule = redefine(TrainingSettings, "schedule", "linear")
    patience: int = redefine(TrainingSettings, "patience", 5)
    dropout: float = option(0.1, "Dropout on the encoder's output.", least=0, most=0.95)
    category_dim: int = redefine(BilstmSettings, "category_dim", 10)
    class_weights: ClassWeights = redefine(BilstmSettings, "class_weights", "none")
    focal: float = redefine(BilstmSettings, "focal", 0.0)

    def __post_init__(self) -> None:
        if not self.encoder:
            raise UsageError("set encoder to the folder of a Hugging Face encoder: --set encoder=FOLDER")


@dataclass(frozen=True)
class TransformerCrfSettings(TransformerSettings):
    """A fine-tuned encoder with a linear-chain CRF layer."""

    restrict: bool = redefine(BilstmCrfSettings, "restrict", True)

    def __post_init__(self) -> None:
        super().__post_init__()
        _refuse_weighted_loss(self.class_weights, self.focal, "transformer")


def _refuse_weighted_loss(class_weights: ClassWeights, focal: float, model: str) -> None:
    if class_weights != "none" or focal:
        raise UsageError(f"class_weights and focal do not work with a CRF layer. Use the model {model}")
