"""Reading the folder of a draw, and checking that nobody changed it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from karatage.errors import InputError
from karatage.formats import JsonObject, Source, check_width, guard, read_rows
from karatage.recall.drawing.draw_folder import ITEMS, MANIFEST, slugs
from karatage.recall.drawing.drawn import ASSIST, COLUMNS, KIND, VERSION, Draw, Item, Stratum

_AGAIN = "Draw again from the same corpus with the same seed: the items will be the same"


def draw_in(folder: Path) -> Draw | None:
    """Return the draw of a folder; None if it holds none."""
    return read_draw(folder) if (folder / MANIFEST).exists() else None


def read_draw(folder: str | Path) -> Draw:
    """Read the folder of a draw; one that was changed after the draw is an error that says how."""
    source = Source(Path(folder) / MANIFEST)
    with guard(source), source.open() as stream:
        try:
            value = json.loads(stream.read())
        except (ValueError, RecursionError):
            raise InputError("is not JSON", source=source.name, hint=_AGAIN) from None
    fields = JsonObject(value, source.name, None)
    if fields.members.get("kind") != KIND:
        fields.fail("is not the manifest of a draw", "Name the folder that `karatage recall draw` wrote")
    if fields.members.get("version") != VERSION:
        fields.fail(f"has the version {fields.members.get('version')!r:.20}, which is unknown here", "Update Karatage")
    strata = tuple(_stratum(one) for one in fields.objects("strata"))
    before = fields.object("after") if "after" in fields else None
    draw = Draw(
        strata,
        tuple(_items(Source(Path(folder) / ITEMS), fields.text("items"))),
        int(_number(fields, "seed")),
        fields.text("label"),
        fields.text("frame"),
        tuple(fields.texts("corpus")),
        dict(fields.object("candidates").members),
        None if before is None else {name: int(_number(before, name)) for name in before.members},
    )
    _check(draw, fields, str(Path(folder) / ITEMS))
    return draw


def _number(fields: JsonObject, key: str) -> float:
    value = fields.members.get(key)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < 2**63:
        fields.fail(f"{fields.name(key)} must be a number from 0", _AGAIN)
    return value


def _stratum(fields: JsonObject) -> Stratum:
    assist = _number(fields, "assist") if "assist" in fields else None
    occurrences, drawn = (int(_number(fields, key)) for key in ("occurrences", "drawn"))
    made = Stratum(fields.text("name"), occurrences, drawn, assist)
    if fields.members.get("probability") != made.probability or made.drawn > made.occurrences:
        fields.fail(
            f"the counts of the stratum {made.name!r} contradict each other: {made.drawn} drawn of {made.occurrences} "
            f"with probability {fields.members.get('probability')}",
            f"The manifest was changed after the draw. {_AGAIN}",
        )
    return made


def _items(source: Source, expected: str) -> Iterator[Item]:
    digest = hashlib.sha256()
    with guard(source), source.open() as stream:
        while data := stream.read(1 << 20):
            digest.update(data)
    if f"sha256:{digest.hexdigest()}" != expected:
        raise InputError(f"{ITEMS} was changed after the draw", source=source.name, hint=_AGAIN)
    rows = read_rows(source, ",")
    _, header = next(rows, (1, []))
    if header not in (list(COLUMNS), [*COLUMNS, ASSIST]):
        raise InputError(f"has other columns than {', '.join(COLUMNS)}", source=source.name, line=1, hint=_AGAIN)
    for line, row in rows:
        check_width(row, len(header), source, line)
        item, stratum, rank, chance, unit, start, end, text, *assist = row
        try:
            numbers = int(rank), float(chance)
            yield Item(item, stratum, *numbers, unit, int(start), int(end), text, float(assist[0]) if assist else None)
        except ValueError as error:
            raise InputError(f"holds no item ({error})", source=source.name, line=line, hint=_AGAIN) from None


def _check(draw: Draw, manifest: JsonObject, items: str) -> None:
    """Check that the items are those that the manifest speaks of."""
    by_stratum: dict[str, list[Item]] = {one.name: [] for one in draw.strata}
    if len(by_stratum) < len(draw.strata):
        manifest.fail("a stratum is there twice", _AGAIN)
    for item in draw.items:
        if item.stratum not in by_stratum:
            manifest.fail(f"there is no stratum {item.stratum!r:.40}, which {ITEMS} has", _AGAIN)
        by_stratum[item.stratum].append(item)
    for slug, stratum in zip(slugs(list(by_stratum)), draw.strata, strict=True):
        own = by_stratum[stratum.name]
        if [item.rank for item in own] != list(range(1, stratum.drawn + 1)):
            problem = f"the ranks of {stratum.name!r} are not 1 to {stratum.drawn}, each of them once"
            raise InputError(problem, source=items, hint=_AGAIN)
        for item in own:
            wrong = None
            if item.item != f"{slug}-{item.rank}":
                wrong = f"the item {item.item!r:.60} should be {slug}-{item.rank}"
            elif item.probability != stratum.probability:
                wrong = f"the probability of {item.item} is {item.probability}, in the manifest {stratum.probability}"
            elif not 0 <= item.start < item.end <= len(item.text):
                wrong = f"the candidate of {item.item} does not lie in its text"
            elif (item.assist is None) != (stratum.assist is None):
                wrong = f"{item.item} and its stratum disagree on whether a tagger was asked"
            if wrong:
                raise InputError(wrong, source=items, hint=_AGAIN)
