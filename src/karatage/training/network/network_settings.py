"""The settings of the neural models."""

from __future__ import annotations

from dataclasses import dataclass

from karatage.errors import UsageError
from karatage.training.settings import option


@dataclass(frozen=True)
class TrainingSettings:
    """How a network is trained."""

    epochs: int = option(50, "Epochs at most.", least=1)
    batch: int = option(32, "Units per batch.", least=1, most=100000)
    optimizer: str = option("adam", "The optimizer.", of=("adam", "adamw", "sgd"))
    learning_rate: float = option(1e-3, "The learning rate at the start.", least=0)
    weight_decay: float = option(0.0, "Weight decay.", least=0)
    clip: float = option(0.0, "Gradients are scaled down to this norm; 0 leaves them.", least=0)
    schedule: str = option(
        "none",
        "How the learning rate changes: not at all, by `schedule_factor` when the metric stops rising, or linearly to "
        "0 after a tenth of all steps to warm up.",
        of=("none", "plateau", "linear"),
    )
    schedule_factor: float = option(0.5, "What a plateau multiplies the learning rate by.", least=0, most=1)
    schedule_patience: int = option(3, "Epochs without a better metric that are a plateau.", least=0)
    patience: int = option(0, "Stop after so many epochs without a better metric; 0 never stops early.", least=0)
    average: float = option(
        0.0,
        "Tag with a running average of the weights that keeps this share at each step; 0 with the last weights.",
        least=0,
        most=0.99999,
    )
    metric: str = option("", "The metric that chooses the best epoch; empty for the headline of the profile.")
    seed: int = option(0, "Where the random numbers start.", least=0)
    precision: str = option(
        "auto",
        "Numbers in the network: `float32`, `bfloat16` where that is safe, or `auto`: bfloat16 for transformers on a "
        "GPU, else float32.",
        of=("auto", "float32", "bfloat16"),
    )
    device: str = option("auto", "Where it runs: `cpu`, `cuda`, or `auto` for a GPU where there is one.")


@dataclass(frozen=True)
class BilstmSettings(TrainingSettings):
    """The network of EXP-001: word and category embeddings, a bidirectional LSTM, a linear layer."""

    word_dim: int = option(128, "Size of the word embeddings.", least=1, most=8192)
    category_dim: int = option(10, "Size of the category embedding, which stands at every token.", least=0, most=8192)
    hidden: int = option(256, "Size of the LSTM's output, both directions together.", least=2, most=16384)
    layers: int = option(1, "Layers of the LSTM.", least=1, most=32)
    dropout: float = option(0.0, "Dropout before, between and behind the LSTM's layers.", least=0, most=0.95)
    word_dropout: float = option(0.0, "Share of words that training takes for unknown ones.", least=0, most=0.95)
    min_count: int = option(1, "Words that occur less often in the training data are unknown.", least=1)
    lowercase: bool = option(False, "Whether words are looked up in lower case.")
    chars: str = option("none", "What reads the characters of a word.", of=("none", "cnn", "lstm"))
    char_dim: int = option(32, "Size of the character embeddings.", least=1, most=4096)
    char_hidden: int = option(64, "Size of what is made of a word's characters.", least=2, most=4096)
    affixes: int = option(
        0, "Size of the embeddings of a word's prefixes, suffixes and shape; 0 for none.", least=0, most=4096
    )
    vectors: str = option("", "File of pre-trained word vectors as text: a word and its numbers in each line.")
    vectors_limit: int = option(200_000, "Vectors to read at most.", least=1)
    tune_vectors: bool = option(True, "Whether training changes the pre-trained vectors.")
    class_weights: str = option(
        "none",
        "Weight of a tag in the loss: the same for all, or by its rarity.",
        of=("none", "sqrt", "balanced"),
    )
    focal: float = option(0.0, "The exponent of the focal loss; 0 is cross-entropy.", least=0)

    def __post_init__(self) -> None:
        if self.hidden % 2:
            raise UsageError(f"hidden must be even, half of it for each direction, not {self.hidden}")


@dataclass(frozen=True)
class BilstmCrfSettings(BilstmSettings):
    """A bidirectional LSTM under a linear-chain CRF, with characters and affixes."""

    epochs: int = option(60, "Epochs at most.", least=1)
    word_dim: int = option(64, "Size of the word embeddings.", least=1, most=8192)
    learning_rate: float = option(1.5e-3, "The learning rate at the start.", least=0)
    clip: float = option(1.0, "Gradients are scaled down to this norm; 0 leaves them.", least=0)
    dropout: float = option(0.5, "Dropout before, between and behind the LSTM's layers.", least=0, most=0.95)
    word_dropout: float = option(0.1, "Share of words that training takes for unknown ones.", least=0, most=0.95)
    patience: int = option(12, "Stop after so many epochs without a better metric; 0 never stops early.", least=0)
    average: float = option(
        0.998,
        "Tag with a running average of the weights that keeps this share at each step; 0 with the last weights.",
        least=0,
        most=0.99999,
    )
    chars: str = option("cnn", "What reads the characters of a word.", of=("none", "cnn", "lstm"))
    affixes: int = option(
        32, "Size of the embeddings of a word's prefixes, suffixes and shape; 0 for none.", least=0, most=4096
    )
    restrict: bool = option(True, "Whether a category has only the labels that it was seen with in training.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.class_weights != "none" or self.focal:
            raise UsageError("class_weights and focal are for models without a CRF layer: take the model bilstm")


@dataclass(frozen=True)
class TransformerSettings(TrainingSettings):
    """A local Hugging Face encoder, fine-tuned: a word's tag is read off its first piece."""

    encoder: str = option("", "Folder of the encoder, as Hugging Face saves it.")
    epochs: int = option(15, "Epochs at most.", least=1)
    batch: int = option(16, "Units per batch.", least=1, most=100000)
    optimizer: str = option("adamw", "The optimizer.", of=("adam", "adamw", "sgd"))
    learning_rate: float = option(5e-5, "The learning rate of the encoder at its highest.", least=0)
    head_rate: float = option(1e-3, "The learning rate of what is put on top of the encoder.", least=0)
    weight_decay: float = option(0.01, "Weight decay.", least=0)
    clip: float = option(1.0, "Gradients are scaled down to this norm; 0 leaves them.", least=0)
    schedule: str = option(
        "linear",
        "How the learning rate changes: not at all, by `schedule_factor` when the metric stops rising, or linearly to "
        "0 after a tenth of all steps to warm up.",
        of=("none", "plateau", "linear"),
    )
    patience: int = option(5, "Stop after so many epochs without a better metric; 0 never stops early.", least=0)
    dropout: float = option(0.1, "Dropout on what the encoder gives.", least=0, most=0.95)
    category_dim: int = option(10, "Size of the category embedding, which stands at every token.", least=0, most=8192)
    class_weights: str = option(
        "none",
        "Weight of a tag in the loss: the same for all, or by its rarity.",
        of=("none", "sqrt", "balanced"),
    )
    focal: float = option(0.0, "The exponent of the focal loss; 0 is cross-entropy.", least=0)

    def __post_init__(self) -> None:
        if not self.encoder:
            raise UsageError("encoder must name the folder of a Hugging Face encoder: --set encoder=FOLDER")


@dataclass(frozen=True)
class TransformerCrfSettings(TransformerSettings):
    """A fine-tuned encoder under a linear-chain CRF."""

    restrict: bool = option(True, "Whether a category has only the labels that it was seen with in training.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.class_weights != "none" or self.focal:
            raise UsageError("class_weights and focal are for models without a CRF layer: take the model transformer")
