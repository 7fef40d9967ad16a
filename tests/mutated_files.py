"""Mutated files for every reader: what goes wrong, and how memory grows. Run `python -m tests.mutated_files 20000`.

Some damaged Parquet files make Polars panic. Where RUST_BACKTRACE is set, the first panic of a process loads the names
of all its functions, to print them: 45 MB, once. That is no growth, so it is switched off here.
"""

from __future__ import annotations

import ctypes
import gc
import gzip
import json
import os
import random
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path

import zstandard

import karatage
from karatage.errors import KaratageError
from karatage.formats import format_names, get_format
from tests.contracts.test_references import mutated
from tests.formats.test_fuzz import NAMES, seeds


def files(name: str, rng: random.Random, folder: Path) -> Iterator[bytes]:
    """Yield mutated files without end; one in eight is compressed, before or after it is mutated."""
    folder.mkdir()
    good = seeds(get_format(name), folder)
    while True:
        data = rng.choice(good)
        press = rng.choice([gzip.compress, zstandard.compress]) if rng.random() < 0.25 else None
        if press is not None and rng.random() < 0.5:
            yield from mutated(press(data), rng)
        else:
            yield from (one if press is None else press(one) for one in mutated(data, rng))


def memory() -> int:
    """Return the resident memory of this process in bytes, without what is free and only kept for later."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc's
    if trim is not None:
        trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def feed(path: Path, name: str | None) -> str | None:
    """Read a file as a command does; return the traceback if anything but an error of Karatage comes out."""
    try:
        if name is not None and get_format(name).search:
            karatage.score(path, path, format=name, resamples=0)
        else:
            karatage.read(path, format=name)
    except KaratageError:
        return None
    except Exception:
        return traceback.format_exc()
    return None


def main(count: int) -> dict[str, object]:
    """Read as many files as asked for, over all readers in turn, every third one by its detected format.

    The memory is taken after each fifth of the files: after the first, everything is imported and every cache is warm.
    """
    rng = random.Random(count)
    broken: list[str] = []
    taken: list[int] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        streams = {name: files(name, rng, folder / name) for name in NAMES}
        for number in range(count):
            name = NAMES[number % len(NAMES)]
            path = folder / f"mutated{get_format(name).suffixes[0]}"
            path.write_bytes(next(streams[name]))
            found = feed(path, None if number % 3 == 0 else name)
            if found is not None:
                broken.append(f"{name}: {found}")
            if (number + 1) % (count // 5) == 0:
                taken.append(memory())
    return {"files": count, "formats": len(format_names()), "broken": broken, "memory": taken}


if __name__ == "__main__":
    os.environ["RUST_BACKTRACE"] = "0"
    sys.stdout.write(json.dumps(main(int(sys.argv[1]))) + "\n")
