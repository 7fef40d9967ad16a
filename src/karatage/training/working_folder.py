"""The folder of a training until its model is complete: checkpoints, from which the next run resumes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from karatage._folders import behind_link, contents, made_folder, make_folder
from karatage._locking import locked
from karatage._temporaries import remove
from karatage.errors import UsageError


def work_folder(out: Path) -> Path:
    """Return the folder for checkpoints until a model is complete."""
    place = behind_link(out)
    return place.with_name(f".{place.name}.training")


@contextmanager
def working_folder(out: Path, *, fresh: bool) -> Iterator[Path]:
    """Yield the folder for checkpoints, which no other training uses.

    It is removed when all goes well, and otherwise kept for the next run, if there is anything in it.
    """
    work = work_folder(out)
    busy = UsageError(f"another training is writing to {out}. Wait until it is done, or use another folder")
    with made_folder(work.parent), locked(work.with_name(work.name.removeprefix(".")), patience=0, busy=busy):
        if fresh:
            remove(work)
        make_folder(work)
        try:
            yield work
        except BaseException:
            if not contents(work):
                remove(work)
            raise
        remove(work)
