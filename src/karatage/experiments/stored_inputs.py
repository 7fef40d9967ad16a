"""Gold and predictions as a log keeps them, so that experiments can be compared unit by unit later.

Tags are kept as rows of tokens and tags, claims as a Parquet table, relevance as a Parquet table of documents: files
that `karatage.score` reads, and from which it gives the same numbers as before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from karatage.claims import Batch, Claims, Relevance, TagDecoder, Tagged, Tags, Units
from karatage.errors import InputError, TagError, UsageError
from karatage.formats import ReadOptions, Source, id_member, records, write_lines
from karatage.inputs import open_corpus, write
from karatage.profiles import DETECT, Profile
from karatage.scoring import Run

Side = Batch | Relevance

_TAGS = ".jsonl.gz"
_CLAIMS = ".parquet"
_GRADES, _SCORES = ".qrels.parquet", ".run.parquet"
_LAYER = "ner_tags"
_MEANT = frozenset(
    {"unit", "label", "start", "end", "value", "pieces", "space", "text", "tokens", "id", "row", "tags", "label_names"}
)
"""Names that mean something to the formats: an attribute that is called so gets a prefix in the file."""
_PREFIX = "attribute:"


def sides_of(run: Run) -> tuple[Side, Side] | None:
    """Read what a scoring read; None for what cannot be kept: standard input, and matrices of labels."""
    if run.gold.corpus.once or run.pred.corpus.once:
        return None
    found = [joined(list(side.batches())) for side in (run.gold, run.pred)]
    one, other = found
    return None if one is None or other is None else (one, other)


def joined(batches: list[Any]) -> Side | None:
    """Put batches behind each other; None for what cannot be kept."""
    if all(isinstance(batch, Tagged) for batch in batches):
        return Tagged.concatenate(batches)
    if all(isinstance(batch, Claims) for batch in batches):
        return Claims.concatenate(batches)
    return batches[0] if len(batches) == 1 and isinstance(batches[0], Relevance) else None


def matched(gold: Side, pred: Side) -> tuple[Side, Side]:
    """Name the units so that they pair by name as they paired before.

    Units pair by order where one side has no ids. A file of claims must name its units, so the predictions then get
    the ids of gold, or lose their own.
    """
    if isinstance(gold, Relevance) or isinstance(pred, Relevance):
        return gold, pred
    ours, theirs = gold.units.ids, pred.units.ids
    ids: Sequence[str] | None = theirs
    if ours is None:
        ids = None
    elif theirs is None:
        ids = [*ours[: len(pred.units)], *_others(ours, len(pred.units) - len(ours))]
    gold = replace(gold, units=replace(gold.units, first=0))
    return gold, replace(pred, units=replace(pred.units, ids=ids, first=0))


def _others(taken: Iterable[str], count: int) -> list[str]:
    known, out, number = set(taken), list[str](), 0
    while len(out) < count:
        number += 1
        if (name := f"extra {number}") not in known:
            out.append(name)
    return out


def fingerprint(side: Side) -> str:
    """Return the SHA-256 of the content: units with their texts and attributes, and what is said of them."""
    out = hashlib.sha256()
    for line in _content(side):
        out.update(json.dumps(line, sort_keys=True).encode() + b"\n")
    return out.hexdigest()


def _content(side: Side) -> Iterator[Any]:
    if isinstance(side, Relevance):
        queries = [str(side.units.name(unit)) for unit in side.unit.tolist()]
        yield ["relevance", side.units.ids]
        yield from sorted(zip(queries, side.document.to_list(), side.value.tolist(), strict=True))
        return
    units = side.units
    yield "tags" if isinstance(side, Tagged) else side.space
    said = _tags_by_unit(side) if isinstance(side, Tagged) else _claims_by_unit(side)
    for unit, own in enumerate(said):
        facts = {name: column[unit] for name, column in units.attributes.items()}
        text = None if units.texts is None else units.texts[unit]
        tokens = None if units.tokens is None else list(units.tokens[unit])
        yield [str(units.name(unit)), text, tokens, facts, own]


def _tags_by_unit(tagged: Tagged) -> list[Any]:
    return list(zip(*(layer.lists() for layer in tagged.layers), strict=True))


def _claims_by_unit(claims: Claims) -> list[Any]:
    out: list[list[Any]] = [[] for _ in range(len(claims.units))]
    for unit, *row in claims.rows():
        out[unit].append(row)
    return [sorted(rows, key=repr) for rows in out]


def without_texts(side: Batch) -> Batch:
    """Leave out texts, tokens and attributes, which are gold's; places, labels and values stay."""
    return replace(side, units=replace(side.units, texts=None, tokens=None, attributes={}))


def with_texts(pred: Batch, gold: Batch) -> Batch:
    """Put back what `without_texts` left out."""
    ours, theirs = gold.units, pred.units
    by_id = ours.ids is not None and theirs.ids is not None
    at = {ours.name(k) if by_id else k: k for k in range(len(ours))}
    places = [at.get(theirs.name(k) if by_id else k) for k in range(len(theirs))]

    def column(values: Sequence[Any], nothing: Any) -> list[Any]:
        return [nothing if place is None else values[place] for place in places]

    units = replace(
        theirs,
        texts=None if ours.texts is None else column(ours.texts, ""),
        tokens=None if ours.tokens is None else column(ours.tokens, ()),
        attributes={name: column(values, "") for name, values in ours.attributes.items()},
    )
    return replace(pred, units=units)


def as_read(side: Side, profile: Profile) -> Side:
    """Return a side as a reader would yield it: tags, where they say the same as the claims, or claims without tags.

    An empty tag, as the scheme EMPTY has, is one that a file of tokens and tags cannot hold: its claims are kept.
    """
    if isinstance(side, Relevance) or not side.tags:
        return side
    empty = any(
        "" in {layer.vocabulary[code] for code in np.unique(layer.codes).tolist() if code} for layer in side.tags
    )
    decoder = replace(profile, scheme="").decoder() if profile.scheme == DETECT else profile.decoder()
    if isinstance(side, Tagged):
        return replace(side.decode(decoder), tags=()) if empty else side
    return replace(side, tags=()) if empty or not _says(side, decoder) else Tagged(side.units, side.tags)


def _distinct(layer: Tags) -> set[str]:
    return {layer.vocabulary[code] for code in np.unique(layer.codes).tolist() if code}


def _says(claims: Claims, decoder: TagDecoder) -> bool:
    """Whether the tags of claims say what the claims say."""
    try:
        again = Tagged(claims.units, claims.tags).decode(decoder)
    except TagError:
        return False
    return sorted(map(repr, again.rows())) == sorted(map(repr, claims.rows()))


def keep(side: Side, place: Path, role: str) -> Path:
    """Write a side to a file and return its path.

    Args:
        side: what to keep, as `as_read` gives it.
        place: the path, without an ending.
        role: gold or predictions.
    """
    if isinstance(side, Relevance):
        return _keep_relevance(side, Path(f"{place}{_GRADES if role == 'gold' else _SCORES}"), role)
    if not len(side.units):
        raise UsageError("there are no units to keep")
    side = replace(side, units=_renamed(side.units, _written))
    if isinstance(side, Tagged):
        return _keep_tags(side, Path(f"{place}{_TAGS}"))
    path = Path(f"{place}{_CLAIMS}")
    lost = write(side, path, format="parquet")
    if lost:
        raise InputError(f"cannot be kept whole: {', '.join(lost)}", source=str(path))
    return path


def _keep_tags(tagged: Tagged, path: Path) -> Path:
    units = tagged.units
    names = [_LAYER, *(f"{_LAYER}_{number}" for number in range(2, len(tagged.layers) + 1))]

    def lines() -> Iterator[dict[str, Any]]:
        for unit, tags in enumerate(_tags_by_unit(tagged)):
            yield {
                **{name: column[unit] for name, column in units.attributes.items()},
                **id_member(None if units.ids is None else units.ids[unit]),
                **({} if units.texts is None else {"text": units.texts[unit]}),
                # Where the tokens are not known, blanks stand for them.
                "tokens": [""] * len(tags[0]) if units.tokens is None else list(units.tokens[unit]),
                **dict(zip(names, tags, strict=True)),
            }

    write_lines(str(path), lines())
    return path


def _keep_relevance(side: Relevance, path: Path, role: str) -> Path:
    import polars as pl

    ids = side.units.ids or []
    value = pl.Series(side.value)
    columns = {"query_id": pl.Series([ids[unit] for unit in side.unit.tolist()], dtype=pl.String)}
    columns["doc_id"] = side.document
    columns |= {"relevance": value.cast(pl.Int64)} if role == "gold" else {"score": value}
    pl.DataFrame(columns).write_parquet(path)
    return path


def load(path: Path) -> Batch | str:
    """Read a side that was kept, as something that `karatage.score` takes: relevance stays a file."""
    if path.name.endswith((_GRADES, _SCORES)):
        return str(path)
    if path.name.endswith(_TAGS):
        source = Source(path)
        first: Mapping[str, Any] = next((one for _, one in records(source)), {})
        layers = tuple(name for name in first if name == _LAYER or name.startswith(f"{_LAYER}_"))
        options = ReadOptions(columns=layers)
        tagged = Tagged.concatenate(list(open_corpus(path, format="hf-rows").read(options)))
        return replace(tagged, units=_renamed(_without_blanks(tagged.units), _read))
    claims = Claims.concatenate(list(open_corpus(path, format="parquet").read(ReadOptions())))
    return replace(claims, units=_renamed(claims.units, _read))


def _without_blanks(units: Units) -> Units:
    unknown = units.tokens is not None and not any(any(tokens) for tokens in units.tokens)
    return replace(units, tokens=None) if unknown else units


def _renamed(units: Units, rename: Any) -> Units:
    return replace(units, attributes={rename(name): column for name, column in units.attributes.items()})


def _written(name: str) -> str:
    return f"{_PREFIX}{name}" if name in _MEANT or name.startswith((_PREFIX, "__", _LAYER)) else name


def _read(name: str) -> str:
    return name.removeprefix(_PREFIX)
