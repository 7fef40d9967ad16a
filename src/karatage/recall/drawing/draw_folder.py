"""The folder of a draw: written atomically, checked when it is read, never overwritten by accident."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from karatage._folders import check_place, contents, make_folder, new_folder
from karatage._writing import create_file
from karatage.errors import InputError, UsageError
from karatage.formats import JsonObject, Source, guard
from karatage.recall.csv_tables import read_table
from karatage.recall.drawing.annotation_tasks import labelling_configuration, tasks_json, tasks_table
from karatage.recall.drawing.draw_record import (
    COLUMNS,
    ITEMS,
    KIND,
    OLD_KIND,
    VERSION,
    Draw,
    DrawnItem,
    DrawnStratum,
    slugs,
)

MANIFEST = "manifest.json"
LABELS = "labels.jsonl"
"""The imported labels."""
SETTINGS = "labelling.json"
"""How labels are interpreted."""
_OWN = (MANIFEST, ITEMS, "labelling.xml", "tasks.csv", "tasks")
_AGAIN = "Draw again from the same corpus with the same seed to get the same items"


def check_folder(folder: str | Path, *, force: bool = False) -> None:
    """Raise an error if a draw must not be written to a folder, before any work is done."""
    path = Path(folder)
    if not path.name or path.name in (".", ".."):
        raise UsageError(f"{str(folder)!r} cannot be the folder of a draw. Choose a new folder")
    check_place(path)
    inside = contents(path)
    if inside and not force:
        raise InputError("the folder is not empty", source=str(path), hint="Choose another folder, or use --force")
    others = [name for name in inside if name not in _OWN]
    if not others and (path / "tasks").is_dir():
        others = [f"tasks/{one.name}" for one in (path / "tasks").iterdir() if one.suffix != ".json" or one.is_dir()]
        others += [f"tasks/{name}" for name in _foreign_tasks(path)]
    if not others and _filled_in(path / "tasks.csv"):
        others = ["a filled-in tasks.csv"]
    if others:
        hint = "Move it, or choose another folder: --force only replaces a draw"
        raise InputError(f"the folder also contains {others[0]}", source=str(path), hint=hint)


def _foreign_tasks(folder: Path) -> list[str]:
    """Return the task files that do not belong to a stratum of the manifest."""
    try:
        names = [one["name"] for one in json.loads((folder / MANIFEST).read_text("utf-8"))["strata"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    own = {f"{slug}.json" for slug in slugs(names)}
    return [one.name for one in (folder / "tasks").iterdir() if one.name not in own]


def _filled_in(table: Path) -> bool:
    """Return whether the table of tasks has answers."""
    if not table.is_file():
        return False
    text = table.read_text("utf-8-sig", errors="replace")
    try:
        return any(row.get("answer") or row.get("entity") for row in csv.DictReader(io.StringIO(text, newline="")))
    except csv.Error:
        return True


def write_draw(draw: Draw, folder: str | Path, *, force: bool = False, labels: str | Path | None = None) -> None:
    """Write a draw to a folder, atomically.

    Args:
        force: Replace a draw that is already there.
        labels: Folder of the draw that this one continues; its imported labels are copied.
    """
    with new_folder(Path(folder), partial(check_folder, force=force)) as part:
        _write_files(draw, part)
        for name in (LABELS, SETTINGS):
            if labels is not None and (Path(labels) / name).exists():
                create_file(part / name, (Path(labels) / name).read_bytes())


def _write_files(draw: Draw, folder: Path) -> None:
    make_folder(folder / "tasks")
    create_file(folder / ITEMS, draw.items_csv())
    create_file(folder / "labelling.xml", labelling_configuration(draw.label))
    new = draw.new
    create_file(folder / "tasks.csv", tasks_table(new))
    for slug, stratum in zip(slugs([one.name for one in draw.strata]), draw.strata, strict=True):
        own = [one for one in new if one.stratum == stratum.name]
        if own:
            create_file(folder / "tasks" / f"{slug}.json", tasks_json(own))
    create_file(folder / MANIFEST, draw.to_json() + "\n")


def find_draw(folder: Path) -> Draw | None:
    """Read the draw in a folder, if there is one."""
    return read_draw(folder) if (folder / MANIFEST).exists() else None


def read_draw(folder: str | Path) -> Draw:
    """Read the folder of a draw. If it was changed after the draw, the error says how."""
    source = Source(Path(folder) / MANIFEST)
    with guard(source), source.open() as stream:
        try:
            value = json.loads(stream.read())
        except (ValueError, RecursionError):
            raise InputError("invalid JSON", source=source.name, hint=_AGAIN) from None
    manifest = JsonObject(value, source.name, None)
    if manifest.members.get("kind") not in (KIND, OLD_KIND):
        manifest.fail("is not the manifest of a draw", "Pass a folder that `karatage recall draw` wrote")
    if manifest.members.get("version") != VERSION:
        manifest.fail(f"unknown version {manifest.members.get('version')!r:.20} of the manifest", "Update Karatage")
    items = Source(Path(folder) / ITEMS)
    strata = tuple(_stratum(one) for one in manifest.objects("strata"))
    before = manifest.object("after") if "after" in manifest else None
    draw = Draw(
        strata=strata,
        items=tuple(_items(items, manifest.text("items"))),
        seed=int(_number(manifest, "seed")),
        label=manifest.text("label"),
        frame=manifest.text("frame"),
        corpus=tuple(manifest.texts("corpus")),
        candidates=dict(manifest.object("candidates").members),
        after=None if before is None else {name: int(_number(before, name)) for name in before.members},
    )
    _check_items(draw, manifest, items.name)
    return draw


def _number(fields: JsonObject, key: str) -> float:
    value = fields.members.get(key)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < 2**63:
        fields.fail(f"{fields.name(key)} must be a number that is not negative", _AGAIN)
    return value


def _stratum(fields: JsonObject) -> DrawnStratum:
    assist = _number(fields, "assist") if "assist" in fields else None
    occurrences, drawn = (int(_number(fields, key)) for key in ("occurrences", "drawn"))
    made = DrawnStratum(fields.text("name"), occurrences, drawn, assist)
    if fields.members.get("probability") != made.probability or made.drawn > made.occurrences:
        fields.fail(
            f"contradictory counts for stratum {made.name!r}: {made.drawn} of {made.occurrences} drawn with "
            f"probability {fields.members.get('probability')}",
            f"The manifest was changed after the draw. {_AGAIN}",
        )
    return made


def _items(source: Source, expected: str) -> Iterator[DrawnItem]:
    with guard(source), source.open() as stream:
        digest = hashlib.sha256(stream.read())
    if f"sha256:{digest.hexdigest()}" != expected:
        raise InputError(f"{ITEMS} was changed after the draw", source=source.name, hint=_AGAIN)
    header, rows = read_table(source)
    if tuple(header) not in (COLUMNS, COLUMNS[:-1]):
        problem = f"the columns must be {', '.join(COLUMNS[:-1])}"
        raise InputError(problem, source=source.name, line=1, hint=_AGAIN)
    for line, row in rows:
        try:
            yield DrawnItem(
                item=row["item"],
                stratum=row["stratum"],
                rank=int(row["rank"]),
                probability=float(row["probability"]),
                unit=row["unit"],
                start=int(row["start"]),
                end=int(row["end"]),
                text=row["text"],
                assist=float(row["assist"]) if "assist" in row else None,
            )
        except ValueError as error:
            raise InputError(f"invalid item ({error})", source=source.name, line=line, hint=_AGAIN) from None


def _check_items(draw: Draw, manifest: JsonObject, source: str) -> None:
    """Check that the items are those that the manifest describes."""
    by_stratum: dict[str, list[DrawnItem]] = {one.name: [] for one in draw.strata}
    if len(by_stratum) < len(draw.strata):
        manifest.fail("duplicate stratum", _AGAIN)
    for item in draw.items:
        if item.stratum not in by_stratum:
            manifest.fail(f"{ITEMS} has the stratum {item.stratum!r:.40}, but the manifest does not", _AGAIN)
        by_stratum[item.stratum].append(item)
    for slug, stratum in zip(slugs(list(by_stratum)), draw.strata, strict=True):
        own = by_stratum[stratum.name]
        if [item.rank for item in own] != list(range(1, stratum.drawn + 1)):
            problem = f"the ranks of {stratum.name!r} must be 1 to {stratum.drawn}, each once"
            raise InputError(problem, source=source, hint=_AGAIN)
        for item in own:
            problem = _item_problem(item, stratum, f"{slug}-{item.rank}")
            if problem:
                raise InputError(problem, source=source, hint=_AGAIN)


def _item_problem(item: DrawnItem, stratum: DrawnStratum, name: str) -> str:
    if item.item != name:
        return f"the item {item.item!r:.60} should be {name}"
    if item.probability != stratum.probability:
        return f"the probability of {item.item} is {item.probability}, but {stratum.probability} in the manifest"
    if not 0 <= item.start < item.end <= len(item.text):
        return f"the candidate of {item.item} is outside its text"
    if (item.assist is None) != (stratum.assist is None):
        return f"{item.item} and its stratum must both have predictions of an existing tagger, or neither"
    return ""
