"""EstNER's JSON: documents of sentences of words, with three layers of tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from typing import Any

import numpy as np

from karatage.claims import Batch, Claims, encode, layers_of
from karatage.formats.batching import UnitRecord, check_tags, records_of, tagged_batches
from karatage.formats.format import FileStart, Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source
from karatage.formats.json.json_members import JsonObject
from karatage.formats.json.json_records import records, write_array
from karatage.formats.losses import check_space, drop_unsupported

_LAYERS = ("ner_1", "ner_2", "ner_3")


def read(source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield sentences, or documents, in which a span may cross the end of a sentence."""
    found = _sentences(source, options)
    units = _documents(found) if options.unit == "document" else chain.from_iterable(found)
    return tagged_batches(source, units)


def _sentences(source: Source, options: ReadOptions) -> Iterator[list[UnitRecord]]:
    """Yield the sentences of each document."""
    for number, (line, value) in enumerate(records(source, inside="documents"), 1):
        document = JsonObject(value, source.name, line)
        if not isinstance(value.get("sentences"), list):
            document.fail('a document needs an array "sentences"', 'Expected {"documents": [{"sentences": […]}]}')
        if options.others:
            document.count_others(("sentences",), options.notes, " of documents")
        yield [_sentence(sentence, source, str(number), options) for sentence in document.objects("sentences")]


def _sentence(sentence: JsonObject, source: Source, document: str, options: ReadOptions) -> UnitRecord:
    if not isinstance(sentence.members.get("words"), list):
        sentence.fail(f'{sentence.path} needs an array "words"')
    tokens: list[str] = []
    layers: tuple[list[str], ...] = tuple([] for _ in _LAYERS)
    if options.others:
        sentence.count_others(("words",), options.notes, " of sentences")
    for word in sentence.objects("words"):
        if options.others:
            word.count_others(("word", *_LAYERS), options.notes, " of words")
        tokens.append(word.text("word"))
        for layer, name in zip(layers, _LAYERS, strict=True):
            layer.append(word.text(name) if name == _LAYERS[0] or name in word.members else "O")
    record = UnitRecord(sentence.line, tokens=tokens, layers=layers, attributes={"document": document})
    for layer in layers:
        check_tags(layer, record, source)
    return record


def _documents(found: Iterable[list[UnitRecord]]) -> Iterator[UnitRecord]:
    for number, sentences in enumerate(found, 1):
        yield UnitRecord(
            sentences[0].line if sentences else 1,
            tokens=[token for sentence in sentences for token in sentence.tokens or ()],
            layers=tuple([tag for sentence in sentences for tag in sentence.layers[k]] for k in range(len(_LAYERS))),
            attributes={"document": str(number)},
        )


def write(batches: Iterable[Claims], path: str, options: WriteOptions, lost: Lost) -> None:
    """Write one sentence per unit; neighbours with the same attribute `document` share a document."""
    found = drop_unsupported(batches, ESTNER.holds, lost, attributes=("document",), layers=len(_LAYERS))
    sentences = (sentence for claims in found for sentence in _tagged(claims, options))
    grouped = groupby(sentences, key=lambda sentence: sentence[0])
    write_array(path, ({"sentences": [words for _, words in group]} for _, group in grouped), inside="documents")


def _tagged(claims: Claims, options: WriteOptions) -> Iterator[tuple[str, dict[str, Any]]]:
    check_space(claims, "token", "estner")
    sizes = np.array([len(tokens) for tokens in claims.units.tokens or ()], np.int64)
    level = layers_of(claims)
    layers = [
        encode(claims.keep(np.flatnonzero(level == k)), sizes, options.scheme, options.style).lists()
        for k in range(len(_LAYERS))
    ]
    for record, *tags in zip(records_of(claims), *layers, strict=True):
        rows = zip(record.tokens or (), *tags, strict=True)
        words = [{"word": word, **dict(zip(_LAYERS, row, strict=True))} for word, *row in rows]
        yield record.attributes.get("document", ""), {"words": words}


def _sniff(start: FileStart) -> bool:
    if not start.objects or f'"{_LAYERS[0]}"' not in start.text:
        return False
    return "documents" in start.objects[0] or "sentences" in start.objects[0]


ESTNER = Format(
    name="estner",
    about="EstNER JSON: documents, sentences and words, with three layers of tags for nested entities.",
    suffixes=(".json",),
    holds=frozenset({"tokens", "nested", "attributes"}),
    sniff=_sniff,
    read=read,
    write=write,
    example="""{"documents": [{"sentences": [{"words": [
  {"word": "Tallinna", "ner_1": "B-ORG", "ner_2": "B-GPE", "ner_3": "O"},
  {"word": "Ülikool", "ner_1": "I-ORG", "ner_2": "O", "ner_3": "O"},
  {"word": "avati", "ner_1": "O", "ner_2": "O", "ner_3": "O"}]}]}]}
""",
    unit="sentence",
)
