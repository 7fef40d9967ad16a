"""Hugging Face: what its pipelines for tokens put out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import isnan, nan
from statistics import fmean
from typing import Any, NamedTuple

from karatage.claims import Batch, Claims, Style, read_tag
from karatage.errors import TagError
from karatage.formats.batching import Row, UnitRecord, claims_batches, known_scores
from karatage.formats.format import FileStart, Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source
from karatage.formats.json.json_members import JsonObject
from karatage.formats.json.json_records import id_member, records, write_lines
from karatage.formats.json.pipeline_words import fits
from karatage.formats.losses import supported_records


def read_pipeline(source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield the entities that a pipeline found in each text; those with B- and I- are put together first.

    The words beside the offsets are compared with the text, or kept for a text that is known elsewhere.
    """
    for claims in claims_batches(source, "char", _outputs(source, options)):
        yield replace(claims, word=claims.value, words=claims.values, value=None, values=())


def _outputs(source: Source, options: ReadOptions) -> Iterator[UnitRecord]:
    misplaced = ""
    for line, value in records(source, whole=_is_one_output):
        if isinstance(value, list):
            fields = JsonObject({"entities": value}, source.name, line)
        else:
            fields = JsonObject(value, source.name, line)
            if "entities" not in fields.members:
                fields.fail("entities is missing", "Use an empty array for a text without entities")
        unit, text = fields.id(), fields.optional_text("text")
        if options.others:
            fields.count_others(("id", "text", "entities"), options.notes)
        items = list(fields.objects("entities"))
        for item, word, there in _misplaced(items, text):
            misplaced = (
                misplaced or f"{_MISPLACED} (e.g. {item.path} in line {line}: {word!r}, but the text has {there!r})"
            )
            options.notes[misplaced] += 1
        found = list(_merged(items, text))
        scores = known_scores([span.sure() for span in found])
        yield UnitRecord(line, [span.row(text) for span in found], unit, text, scores=scores)


_MISPLACED = "words that differ from the text at their offsets"


def _misplaced(items: list[JsonObject], text: str | None) -> Iterator[tuple[JsonObject, str, str]]:
    """Find the words that are not in the text where their offsets are."""
    if text is None:
        return
    for item in items:
        start, end, word = (item.members.get(key) for key in ("start", "end", "word"))
        if isinstance(word, str) and isinstance(start, int) and isinstance(end, int):
            there = text[start:end]
            if not fits(word, there):
                yield item, word, there


def _is_one_output(first: Any) -> bool:
    """Tell whether an array holds the entities of one text, not the outputs for many."""
    return first is None or (isinstance(first, dict) and "entities" not in first)


class _Span(NamedTuple):
    label: str
    start: int
    end: int
    scores: tuple[float, ...]
    word: str | None = None
    open: bool = False
    index: Any = None

    def row(self, text: str | None) -> Row:
        """Return the row of a claim; the word is in the place of the value, where no text is known."""
        return self.label, self.start, self.end, None, self.word if text is None else None

    def sure(self) -> float:
        if len(self.scores) == 1:
            return self.scores[0]
        known = [score for score in self.scores if not isnan(score)]
        return fmean(known) if known else nan


def _merged(items: Iterable[JsonObject], text: str | None) -> Iterator[_Span]:
    """Join adjacent parts of one entity; what the pipeline has grouped stays as it is.

    The score is the mean over the parts, as in the pipeline's own grouping.
    """
    last: _Span | None = None
    for item in items:
        span, continues = _span(item)
        if span is None:
            continue
        if last is not None and continues and _continues(last, span, text):
            word = None if last.word is None or span.word is None else f"{last.word} {span.word}"
            last = span._replace(start=last.start, scores=last.scores + span.scores, word=word)
            continue
        if last is not None:
            yield last
        last = span
    if last is not None:
        yield last


def _span(item: JsonObject) -> tuple[_Span | None, bool]:
    """Return a part of an entity, and whether its tag may continue the previous part."""
    grouped = "entity_group" in item
    tag = item.label("entity_group" if grouped else "entity")
    if tag == "O":
        return None, False
    if item.members.get("start") is None or item.members.get("end") is None:
        item.fail(f"{item.path} has no offsets", "Use a fast tokenizer: slow ones return no offsets")
    start, end = item.offset("start"), item.offset("end")
    word = item.members.get("word")
    word = word if isinstance(word, str) else None
    if grouped:
        return _Span(tag, start, end, (item.score(),), word), False
    try:
        letter, label = read_tag(tag, Style())
    except TagError:
        letter, label = "I", tag  # models without prefixes: adjacent parts with the same label belong together
    index = item.members.get("index")
    span = _Span(label, start, end, (item.score(),), word, open=letter in "BI", index=index)
    return span, letter in "IEL"


def _continues(last: _Span, span: _Span, text: str | None) -> bool:
    if not last.open or last.label != span.label or span.start < last.end:
        return False
    if isinstance(last.index, int) and isinstance(span.index, int):
        return span.index == last.index + 1
    return span.start - last.end <= 1 if text is None else not text[last.end : span.start].strip()


def write_pipeline(batches: Iterable[Claims], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write one object per text, with its id and its entities."""
    found = supported_records(batches, "char", HF_PIPELINE, lost)
    write_lines(path, (_output(record) for record in found))


def _output(record: UnitRecord) -> dict[str, Any]:
    text = record.text or ""
    return {
        **id_member(record.id),
        "text": text,
        "entities": [
            {"entity_group": label, **score, "word": text[start:end], "start": start, "end": end}
            for label, start, end, score in record.scored_rows()
        ],
    }


def _sniff_pipeline(start: FileStart) -> bool:
    return any(map(_looks_put_out, start.objects))


def _looks_put_out(record: dict[str, Any]) -> bool:
    if any(isinstance(record.get(key), str) for key in ("entity", "entity_group")) and "word" in record:
        return True
    entities = record.get("entities")
    return isinstance(entities, list) and any(
        isinstance(x, dict) and not {"type", "label", "entity_type"} & x.keys() and _looks_put_out({"word": 0, **x})
        for x in entities
    )


HF_PIPELINE = Format(
    name="hf-pipeline",
    about="Output of a Hugging Face token-classification pipeline: entities with offsets, one list or object per text.",
    suffixes=(".jsonl", ".json"),
    holds=frozenset({"chars", "text", "nested", "ids", "confidence"}),
    sniff=_sniff_pipeline,
    read=read_pipeline,
    write=write_pipeline,
    example='{"id": 1, "text": "Tallinn on Eesti pealinn", "entities": [{"entity_group": "LOC", '
    '"score": 0.99, "word": "Tallinn", "start": 0, "end": 7}]}\n',
)
