"""spaCy pipelines: the entities of their documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karatage.errors import UsageError
from karatage.taggers.protocol import Span, fingerprint, import_optional, one_line
from karatage.taggers.span_tagger import SpanTagger

if TYPE_CHECKING:
    from karatage.taggers.tagger_registry import OpenOptions


def open_spacy(name: str, options: OpenOptions) -> SpanTagger:
    """Open a pipeline by the name of its package or by its folder."""
    spacy = import_optional("spacy", "spacy")
    try:
        pipeline = spacy.load(name)
    except (OSError, ValueError, ImportError) as error:
        raise UsageError(
            f"spaCy cannot load the pipeline {name!r} ({one_line(error)}). Name an installed package, or a folder "
            "written by nlp.to_disk()"
        ) from None

    def find(texts: Sequence[str]) -> Iterator[list[Span]]:
        for doc in pipeline.pipe(texts):
            yield [(entity.start_char, entity.end_char, entity.label_) for entity in doc.ents]

    version = _version(pipeline, Path(name))
    return SpanTagger.make(f"spacy:{name}", find, labels=_labels(pipeline), version=version, options=options)


def _labels(pipeline: Any) -> frozenset[str] | None:
    """Return the labels of the components that set entities; None if one does not list its labels."""
    setting = [name for name in pipeline.pipe_names if "doc.ents" in pipeline.get_pipe_meta(name).assigns]
    known = [getattr(pipeline.get_pipe(name), "labels", ()) for name in setting]
    return frozenset(label for own in known for label in own) if known and all(known) else None


def _version(pipeline: Any, folder: Path) -> str:
    if folder.is_dir():
        return fingerprint(path for path in folder.rglob("*") if path.is_file())
    return "{lang}_{name} {version}".format_map(pipeline.meta)
