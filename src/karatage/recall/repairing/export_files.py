"""Find label exports, and the stratum that each belongs to."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from pathlib import Path

from karatage.errors import InputError
from karatage.recall.benchmark import Stratum
from karatage.recall.labels.answer_exports import Export

_ENDINGS = (".json", ".jsonl", ".csv")


def find_exports(paths: Iterable[tuple[str | None, str]], strata: Sequence[Stratum]) -> list[Export]:
    """Return the exports among files, folders and glob patterns, each with its stratum.

    A stratum is given, or follows from the name of the file: the benchmark's stratum whose name or recall set the file
    name contains, or else a stratum that the benchmark omits, named after what is special about the file name.
    """
    found = [(stratum, file) for stratum, path in paths for file in _files(path)]
    prefix = _common_start([_stem(file) for _, file in found])
    return [Export(str(file), stratum or _stratum(_stem(file), strata, prefix)) for stratum, file in found]


def _files(path: str) -> list[Path]:
    if Path(path).is_dir():
        out = [file for file in sorted(Path(path).rglob("*")) if file.is_file() and _is_export(file)]
    elif glob.has_magic(path) and not Path(path).exists():
        found = glob.glob(path, recursive=True)  # noqa: PTH207  the pattern may be absolute
        out = [Path(file) for file in sorted(found) if Path(file).is_file()]
    else:
        return [Path(path)]
    if not out:
        raise InputError("no label exports found", source=path, hint=f"Exports end with {', '.join(_ENDINGS)}, or .gz")
    return out


def _is_export(file: Path) -> bool:
    return file.name.lower().removesuffix(".gz").removesuffix(".zst").endswith(_ENDINGS)


def _stem(file: Path) -> str:
    return file.name.split(".", 1)[0]


def _common_start(stems: Sequence[str]) -> str:
    """Return what all names start with, up to the last separator."""
    if len(set(stems)) < 2:
        return ""
    same = takewhile(lambda signs: len(set(signs)) == 1, zip(*stems, strict=False))
    start = "".join(signs[0] for signs in same)
    return start[: max(start.rfind(sign) for sign in "_-") + 1]


def _stratum(stem: str, strata: Sequence[Stratum], prefix: str) -> str:
    words = re.split(r"[_\-]+", stem)
    by_set = [one.name for one in strata if one.file and Path(one.file).stem in stem]
    by_name = [one.name for one in strata if one.name in words or one.name == stem]
    matches = by_set or by_name
    return max(matches, key=len) if matches else stem.removeprefix(prefix) or stem
