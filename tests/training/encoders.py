"""Tiny encoders of Hugging Face with random weights."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
import transformers
from tests.taggers.models import SPECIAL, save
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

LIMIT = 24
"""How many pieces the encoders take, those that the tokenizer adds included."""


def save_bert(folder: Path, words: Sequence[str]) -> str:
    """Write a BERT that knows the front and the back of some words."""
    pieces = dict.fromkeys(
        [*SPECIAL, "x", *(word[:3] for word in words), *(f"##{word[3:]}" for word in words if word[3:])]
    )
    core = Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(pieces)}, unk_token=SPECIAL[1]))
    core.normalizer = normalizers.BertNormalizer(lowercase=False)
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    core.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=core, model_max_length=LIMIT, **special)
    config = transformers.BertConfig(
        vocab_size=len(pieces),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=LIMIT,
        initializer_range=0.5,
    )
    with torch.random.fork_rng([]):
        torch.manual_seed(1)
        # As many a model was saved: for another task, so that parts of the encoder itself have no weights.
        model = transformers.BertForTokenClassification(config)
    return save(folder, model, tokenizer)


def save_roberta(folder: Path, words: Sequence[str]) -> str:
    """Write a RoBERTa with pieces of bytes; a word with the blank before it is one of its pieces."""
    vocabulary = ["<s>", "<pad>", "</s>", "<unk>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    merges = []
    for piece in (f"Ġ{word}" for word in words):
        for end in range(2, len(piece) + 1):
            if piece[:end] not in vocabulary:
                vocabulary.append(piece[:end])
                merges.append((piece[: end - 1], piece[end - 1]))
    core = Tokenizer(models.BPE({piece: i for i, piece in enumerate(vocabulary)}, merges))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True)
    special = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=core, **special)
    config = transformers.RobertaConfig(
        vocab_size=len(vocabulary),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=LIMIT + 2,  # positions are counted from behind that of the padding
        pad_token_id=1,
        initializer_range=0.5,
    )
    with torch.random.fork_rng([]):
        torch.manual_seed(2)
        model = transformers.RobertaModel(config)
    return save(folder, model, tokenizer)
