"""spaCy's binary corpora: `.spacy` files, read and written by spaCy itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from karatage._writing import writing
from karatage.claims import Batch, Claims
from karatage.errors import FormatError, missing_package
from karatage.formats.batching import UnitRecord, claims_batches
from karatage.formats.format import FileStart, Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source
from karatage.formats.json.json_members import JsonObject
from karatage.formats.json.spacy_json import ENTITIES, documents, parse
from karatage.formats.unpacking import check_zlib

SUFFIX = ".spacy"


def read(source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield the documents with their spans. The file is one compressed block: all of it is in memory, but packed."""
    return claims_batches(source, "char", _records(source, options))


def _records(source: Source, options: ReadOptions) -> Iterator[UnitRecord]:
    for doc in _docs(source):
        yield parse(JsonObject(doc.to_json(), source.name, None), options)


def _docs(source: Source) -> Iterator[Any]:
    """Unpack one document after the other."""
    spacy = _spacy()
    with source.open() as stream:
        data = stream.read()
    check_zlib(data, source.name)
    try:
        packed = spacy.tokens.DocBin().from_bytes(data)
        del data
        yield from packed.get_docs(spacy.vocab.Vocab())
    except Exception as error:  # what zlib, msgpack and spaCy raise on damaged bytes has no common root
        raise FormatError(
            f"not a spaCy DocBin file ({type(error).__name__}: {str(error)[:80]})",
            source=source.name,
            hint="Save it with DocBin.to_disk()",
        ) from None


def write(batches: Iterable[Claims], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write documents that `spacy train` can read, with the units' own tokens where they fit the text."""
    spacy = _spacy()
    vocab = spacy.vocab.Vocab()
    corpus = spacy.tokens.DocBin()
    for document in documents(batches, DOCBIN, lost):
        corpus.add(_doc(spacy, vocab, document))
    with writing(path) as out:
        out.write(corpus.to_bytes())


def _doc(spacy: Any, vocab: Any, document: dict[str, Any]) -> Any:
    """Build a document. `Doc.from_json()` would refuse spans that start or end at a blank."""
    text = document["text"]
    offsets = [(token["start"], token["end"]) for token in document["tokens"]]
    following = [*(start for start, _ in offsets[1:]), len(text)][: len(offsets)]
    words = [text[start:end] for start, end in offsets]
    spaces = [end < start for (_, end), start in zip(offsets, following, strict=True)]
    doc = spacy.tokens.Doc(vocab, words=words, spaces=spaces)
    doc.ents = [doc.char_span(one["start"], one["end"], one["label"]) for one in document[ENTITIES]]
    for group, spans in document.get("spans", {}).items():
        doc.spans[group] = [doc.char_span(one["start"], one["end"], one["label"]) for one in spans]
    return doc


def _spacy() -> Any:
    try:
        import spacy
        import spacy.tokens
        import spacy.vocab
    except ImportError as error:
        raise missing_package("spacy", extra="spacy", error=error) from None
    return spacy


def _sniff(start: FileStart) -> bool:
    return start.suffixes.endswith(SUFFIX) and not start.folder


DOCBIN = Format(
    name="docbin",
    about="spaCy's binary corpora (DocBin); requires spaCy.",
    suffixes=(SUFFIX,),
    holds=frozenset({"chars", "text", "words", "nested"}),
    sniff=_sniff,
    read=read,
    write=write,
    binary=True,
)
