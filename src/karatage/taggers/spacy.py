"""spaCy pipelines: the entities of their documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from karatage.errors import UsageError
from karatage.taggers.protocol import Span, fingerprint, needed, one_line
from karatage.taggers.span_tagger import SpanTagger
from karatage.taggers.word_segmentation import Words


def open_spacy(place: str, words: str | Words | None, label_map: Mapping[str, str]) -> SpanTagger:
    """Open a pipeline by the name of its package or by its folder."""
    spacy = needed("spacy", "spacy")
    try:
        pipeline = spacy.load(place)
    except (OSError, ValueError, ImportError) as error:
        raise UsageError(
            f"spaCy has no pipeline {place!r} ({one_line(error)}). Name an installed package or a folder that "
            "nlp.to_disk() wrote"
        ) from None

    def find(texts: Sequence[str]) -> Iterator[list[Span]]:
        for doc in pipeline.pipe(texts):
            yield [(entity.start_char, entity.end_char, entity.label_) for entity in doc.ents]

    return SpanTagger.make(
        f"spacy:{place}",
        find,
        labels=_labels(pipeline),
        version=_version(pipeline, Path(place)),
        words=words,
        label_map=label_map,
    )


def _labels(pipeline: Any) -> frozenset[str] | None:
    """Return the labels of the components that set entities; None if one does not tell."""
    setting = [name for name in pipeline.pipe_names if "doc.ents" in pipeline.get_pipe_meta(name).assigns]
    known = [getattr(pipeline.get_pipe(name), "labels", ()) for name in setting]
    return frozenset(label for own in known for label in own) if known and all(known) else None


def _version(pipeline: Any, folder: Path) -> str:
    if folder.is_dir():
        return fingerprint(path for path in folder.rglob("*") if path.is_file())
    return "{lang}_{name} {version}".format_map(pipeline.meta)
