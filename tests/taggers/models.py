"""Tiny Hugging Face models, built here: which class a piece gets is set by hand, or by chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

torch.set_num_threads(1)  # the models are tiny, and tests run side by side

LABELS = ("O", "B-LOC", "I-LOC", "B-PER", "I-PER")
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PIECES = {
    "tar": "B-LOC",
    "##tu": "O",
    "val": "O",
    "##ga": "B-LOC",
    "new": "B-LOC",
    "york": "I-LOC",
    "mari": "B-PER",
    "##e": "I-PER",
    "meri": "I-PER",
    "oli": "O",
    ".": "O",
}
"""The class of each piece, whatever stands around it; an unknown piece is O."""


def save_bert(
    folder: Path, *, labels: Sequence[str] = LABELS, limit: int = 64, layers: int = 0, seed: int | None = None
) -> str:
    """Write a BERT whose vocabulary is PIECES; with a seed its weights are random, else as PIECES says."""
    vocabulary = [*SPECIAL, *PIECES]
    core = Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(vocabulary)}, unk_token=SPECIAL[1]))
    core.normalizer = normalizers.BertNormalizer(lowercase=True)
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    core.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    core.enable_truncation(3)  # many a model was saved with what its training was set to
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=core, model_max_length=limit, **special)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=len(vocabulary),
        num_hidden_layers=layers,
        num_attention_heads=1,
        intermediate_size=8,
        max_position_embeddings=limit,
        initializer_range=1.0,
        **named(labels),
    )
    torch.manual_seed(seed or 0)
    model = transformers.BertForTokenClassification(config)
    if seed is None:
        classes = [LABELS.index(PIECES.get(piece, "O")) for piece in vocabulary]
        set_by_hand(model, model.bert.embeddings, classes)
    return save(folder, model, tokenizer)


def save_roberta(folder: Path, pieces: Mapping[str, str], *, trim: bool) -> str:
    """Write a RoBERTa with pieces of bytes; where blanks are not trimmed, they are part of a piece's place."""
    symbols = sorted({char for piece in pieces for char in piece} | set(pre_tokenizers.ByteLevel.alphabet()))
    vocabulary = ["<s>", "<pad>", "</s>", "<unk>", *symbols]
    merges = []
    for piece in pieces:
        for end in range(2, len(piece) + 1):
            if piece[:end] not in vocabulary:
                vocabulary.append(piece[:end])
                merges.append((piece[: end - 1], piece[end - 1]))
    core = Tokenizer(models.BPE({piece: i for i, piece in enumerate(vocabulary)}, merges))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=trim)
    special = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=core, **special)
    config = transformers.RobertaConfig(
        vocab_size=len(vocabulary),
        hidden_size=len(vocabulary),
        num_hidden_layers=0,
        num_attention_heads=1,
        intermediate_size=8,
        max_position_embeddings=18,
        pad_token_id=1,
        **named(LABELS),
    )
    model = transformers.RobertaForTokenClassification(config)
    set_by_hand(model, model.roberta.embeddings, [LABELS.index(pieces.get(piece, "O")) for piece in vocabulary])
    return save(folder, model, tokenizer)


def named(labels: Sequence[str]) -> dict[str, Any]:
    return {"id2label": dict(enumerate(labels)), "label2id": {label: i for i, label in enumerate(labels)}}


def set_by_hand(model: Any, embeddings: Any, classes: Sequence[int]) -> None:
    """A piece is a unit vector, and the classifier gives it its class: nothing else is in the model."""
    with torch.no_grad():
        for weights in model.parameters():
            weights.zero_()
        embeddings.word_embeddings.weight.copy_(torch.eye(len(classes)))
        embeddings.LayerNorm.weight.fill_(1)
        for piece, number in enumerate(classes):
            model.classifier.weight[number, piece] = 1


def save(folder: Path, model: Any, tokenizer: Any) -> str:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)
