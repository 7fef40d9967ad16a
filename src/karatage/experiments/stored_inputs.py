"""The files of gold and predictions in a log, with which experiments can be compared unit by unit later.

Tags become rows of tokens and tags, claims a Parquet table, relevance a Parquet table of documents: files that
`karatage.score` reads, and which give the same numbers again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from karatage.claims import Batch, Claims, Relevance, TagDecoder, Tagged, Units
from karatage.errors import InputError, TagError, UsageError
from karatage.formats import ReadOptions, Source, id_member, records, write_lines, writing
from karatage.inputs import as_input, write
from karatage.profiles import DETECT, Profile
from karatage.scoring import Task

Annotations = Batch | Relevance

_TAGS = ".jsonl.gz"
_CLAIMS = ".parquet"
_GRADES, _SCORES = ".qrels.parquet", ".run.parquet"
_LAYER = "ner_tags"
_RESERVED = frozenset(
    {"unit", "label", "start", "end", "value", "pieces", "space", "text", "tokens", "id", "row", "tags", "label_names"}
)
"""Names that the formats use: an attribute with such a name gets a prefix in the file."""
_PREFIX = "attribute:"


def read_inputs(task: Task) -> tuple[Annotations, Annotations] | None:
    """Read gold and predictions of a task; None if they cannot be stored: standard input and label matrices."""
    if task.gold.once or task.pred.once:
        return None
    gold, pred = (concatenate(list(one.batches())) for one in (task.gold, task.pred))
    return None if gold is None or pred is None else (gold, pred)


def concatenate(batches: list[Any]) -> Annotations | None:
    """Join batches; None if they cannot be stored."""
    if all(isinstance(batch, Tagged) for batch in batches):
        return Tagged.concatenate(batches)
    if all(isinstance(batch, Claims) for batch in batches):
        return Claims.concatenate(batches)
    return batches[0] if len(batches) == 1 and isinstance(batches[0], Relevance) else None


def pair_by_id(gold: Annotations, pred: Annotations) -> tuple[Annotations, Annotations]:
    """Give the units ids that pair them as they were paired when scored.

    Units pair by order if gold or predictions have no ids. A file of claims must name its units, so the predictions
    then get the ids of gold, or lose their own.
    """
    if isinstance(gold, Relevance) or isinstance(pred, Relevance):
        return gold, pred
    ours, theirs = gold.units.ids, pred.units.ids
    ids: Sequence[str] | None = theirs
    if ours is None:
        ids = None
    elif theirs is None:
        ids = [*ours[: len(pred.units)], *_unused_ids(ours, len(pred.units) - len(ours))]
    gold = replace(gold, units=replace(gold.units, first=0))
    return gold, replace(pred, units=replace(pred.units, ids=ids, first=0))


def _unused_ids(taken: Iterable[str], count: int) -> list[str]:
    known, out, number = set(taken), list[str](), 0
    while len(out) < count:
        number += 1
        if (name := f"extra {number}") not in known:
            out.append(name)
    return out


def fingerprint(annotations: Annotations) -> str:
    """Return the SHA-256 of the content: units with their texts and attributes, and their annotations."""
    out = hashlib.sha256()
    for line in _content(annotations):
        out.update(json.dumps(line, sort_keys=True).encode() + b"\n")
    return out.hexdigest()


def _content(annotations: Annotations) -> Iterator[Any]:
    if isinstance(annotations, Relevance):
        queries = [str(annotations.units.name(unit)) for unit in annotations.unit.tolist()]
        yield ["relevance", annotations.units.ids]
        yield from sorted(zip(queries, annotations.document.to_list(), annotations.value.tolist(), strict=True))
        return
    units = annotations.units
    yield "tags" if isinstance(annotations, Tagged) else annotations.space
    by_unit = _tags_by_unit(annotations) if isinstance(annotations, Tagged) else _claims_by_unit(annotations)
    for unit, own in enumerate(by_unit):
        attributes = {name: column[unit] for name, column in units.attributes.items()}
        text = None if units.texts is None else units.texts[unit]
        tokens = None if units.tokens is None else list(units.tokens[unit])
        yield [str(units.name(unit)), text, tokens, attributes, own]


def _tags_by_unit(tagged: Tagged) -> list[Any]:
    return list(zip(*(layer.lists() for layer in tagged.layers), strict=True))


def _claims_by_unit(claims: Claims) -> list[Any]:
    out: list[list[Any]] = [[] for _ in range(len(claims.units))]
    for unit, *row in claims.rows():
        out[unit].append(row)
    return [sorted(rows, key=repr) for rows in out]


def without_texts(annotations: Batch) -> Batch:
    """Drop texts, tokens and attributes, which belong to gold; offsets, labels and values stay."""
    return replace(annotations, units=replace(annotations.units, texts=None, tokens=None, attributes={}))


def with_texts(pred: Batch, gold: Batch) -> Batch:
    """Restore what `without_texts` dropped."""
    ours, theirs = gold.units, pred.units
    by_id = ours.ids is not None and theirs.ids is not None
    known = {ours.name(k) if by_id else k: k for k in range(len(ours))}
    rows = [known.get(theirs.name(k) if by_id else k) for k in range(len(theirs))]

    def column(values: Sequence[Any], otherwise: Any) -> list[Any]:
        return [otherwise if row is None else values[row] for row in rows]

    units = replace(
        theirs,
        texts=None if ours.texts is None else column(ours.texts, ""),
        tokens=None if ours.tokens is None else column(ours.tokens, ()),
        attributes={name: column(values, "") for name, values in ours.attributes.items()},
    )
    return replace(pred, units=units)


def as_read(annotations: Annotations, profile: Profile) -> Annotations:
    """Return annotations as a reader would yield them: tags if they agree with the claims, or claims without tags.

    A file of tokens and tags cannot store an empty tag, as the scheme EMPTY has: its claims are stored instead.
    """
    if isinstance(annotations, Relevance) or not annotations.tags:
        return annotations
    empty = any(layer.vocabulary[c] == "" for layer in annotations.tags for c in np.unique(layer.codes) if c)
    decoder = replace(profile, scheme="").decoder() if profile.scheme == DETECT else profile.decoder()
    if isinstance(annotations, Tagged):
        return replace(annotations.decode(decoder), tags=()) if empty else annotations
    if empty or not _agree(annotations, decoder):
        return replace(annotations, tags=())
    return Tagged(annotations.units, annotations.tags)


def _agree(claims: Claims, decoder: TagDecoder) -> bool:
    """Whether the tags of claims decode to these claims."""
    try:
        again = Tagged(claims.units, claims.tags).decode(decoder)
    except TagError:
        return False
    return sorted(map(repr, again.rows())) == sorted(map(repr, claims.rows()))


def store(annotations: Annotations, stem: Path, role: Literal["gold", "predictions"]) -> Path:
    """Write annotations, as `as_read` returns them, to a file and return its path; the stem has no extension."""
    if isinstance(annotations, Relevance):
        return _store_relevance(annotations, Path(f"{stem}{_GRADES if role == 'gold' else _SCORES}"), role)
    if not len(annotations.units):
        raise UsageError("nothing to log: the data is empty")
    annotations = replace(annotations, units=_renamed(annotations.units, _escape))
    if isinstance(annotations, Tagged):
        return _store_tags(annotations, Path(f"{stem}{_TAGS}"))
    path = Path(f"{stem}{_CLAIMS}")
    lost = write(annotations, path, format="parquet")
    if lost:
        raise InputError(f"the log cannot store {', '.join(lost)}", source=str(path))
    return path


def _store_tags(tagged: Tagged, path: Path) -> Path:
    units = tagged.units
    names = [_LAYER, *(f"{_LAYER}_{number}" for number in range(2, len(tagged.layers) + 1))]

    def lines() -> Iterator[dict[str, Any]]:
        for unit, tags in enumerate(_tags_by_unit(tagged)):
            yield {
                **{name: column[unit] for name, column in units.attributes.items()},
                **id_member(None if units.ids is None else units.ids[unit]),
                **({} if units.texts is None else {"text": units.texts[unit]}),
                # Unknown tokens are stored as blanks.
                "tokens": [""] * len(tags[0]) if units.tokens is None else list(units.tokens[unit]),
                **dict(zip(names, tags, strict=True)),
            }

    write_lines(str(path), lines())
    return path


def _store_relevance(annotations: Relevance, path: Path, role: str) -> Path:
    import polars as pl

    ids = annotations.units.ids or []
    value = pl.Series(annotations.value)
    columns = {"query_id": pl.Series([ids[unit] for unit in annotations.unit.tolist()], dtype=pl.String)}
    columns["doc_id"] = annotations.document
    columns |= {"relevance": value.cast(pl.Int64)} if role == "gold" else {"score": value}
    with writing(path) as out:
        pl.DataFrame(columns).write_parquet(out)
    return path


def load(path: Path) -> Batch | str:
    """Read stored annotations as an input of `karatage.score`: relevance stays a file."""
    if path.name.endswith((_GRADES, _SCORES)):
        return str(path)
    if path.name.endswith(_TAGS):
        source = Source(path)
        first: Mapping[str, Any] = next((one for _, one in records(source)), {})
        layers = tuple(name for name in first if name == _LAYER or name.startswith(f"{_LAYER}_"))
        rows = replace(as_input(path, format="hf-rows"), options=ReadOptions(columns=layers))
        tagged = Tagged.concatenate(list(rows.batches()))
        return replace(tagged, units=_renamed(_without_blanks(tagged.units), _unescape))
    claims = Claims.concatenate(list(as_input(path, format="parquet").batches()))
    return replace(claims, units=_renamed(claims.units, _unescape))


def _without_blanks(units: Units) -> Units:
    unknown = units.tokens is not None and not any(any(tokens) for tokens in units.tokens)
    return replace(units, tokens=None) if unknown else units


def _renamed(units: Units, rename: Callable[[str], str]) -> Units:
    return replace(units, attributes={rename(name): column for name, column in units.attributes.items()})


def _escape(name: str) -> str:
    return f"{_PREFIX}{name}" if name in _RESERVED or name.startswith((_PREFIX, "__", _LAYER)) else name


def _unescape(name: str) -> str:
    return name.removeprefix(_PREFIX)
