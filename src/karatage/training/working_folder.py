"""The folder of a training until its model is complete: checkpoints, from which the next run resumes.

The model itself is complete there first, then it is logged, then it gets its place. Whenever a run is killed, the next
one knows what is left to do.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from karatage._folders import behind_link, contents, made_folder, make_folder, replace_folder
from karatage._locking import locked
from karatage._temporaries import remove
from karatage._writing import write_files
from karatage.errors import UsageError
from karatage.taggers import MODEL_CARD, fingerprint
from karatage.training.model_folder import check_free, check_model_place
from karatage.training.trained_tagger import TrainedTagger

MODEL = "model"
"""The model, when it is complete."""

_COMPLETE = "complete"
"""The file with the fingerprint of the complete model, which is still there when the model has got its place."""

_PATIENCE = 3.0
"""Seconds to wait for another training: a worker ends about half a second after the command that was killed."""


def work_folder(out: Path) -> Path:
    """Return the folder for checkpoints until a model is complete."""
    place = behind_link(out)
    return place.with_name(f".{place.name}.training")


@contextmanager
def working_folder(out: Path, *, replace: bool, fresh: bool) -> Iterator[Path]:
    """Yield the folder for checkpoints, which no other training uses.

    It is removed when all goes well, and otherwise kept for the next run, if there is anything in it.

    Args:
        out: the folder of the model.
        replace: whether an existing model may be replaced.
        fresh: whether to discard an interrupted training.
    """
    check_model_place(out)
    work = work_folder(out)
    with _alone(out):
        if (work / _COMPLETE).exists() and not has_model(work):
            _discard(work)
        check_free(out, replace=replace)
        if fresh:
            remove(work / _COMPLETE)
            remove(work)
        try:
            make_folder(work)
            yield work
        except BaseException:
            if not contents(work):
                remove(work)
            raise
        _discard(work)


def clear_work(out: Path) -> None:
    """Remove what a killed training left behind, if anything, after its model had got its place."""
    work = work_folder(out)
    if any(work.parent.glob(f"{glob.escape(work.name)}*")):  # the folder or its lock
        with _alone(out):
            _discard(work)


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    work = work_folder(out)
    busy = UsageError(f"another training is writing to {out}. Wait until it is done, or use another folder")
    with made_folder(work.parent), locked(work.with_name(work.name.removeprefix(".")), patience=_PATIENCE, busy=busy):
        yield


def has_model(work: Path) -> bool:
    """Tell whether a working folder has the complete model: not if it has got its place, maybe in exchange."""
    try:
        return (work / _COMPLETE).read_text("utf-8") == fingerprint([work / MODEL / MODEL_CARD])
    except OSError:
        return False


def store_model(tagger: TrainedTagger, work: Path) -> None:
    """Write the complete model into the working folder."""
    remove(work / _COMPLETE)
    tagger.save(work / MODEL, replace=True)
    write_files({work / _COMPLETE: fingerprint([work / MODEL / MODEL_CARD]).encode()}, durable=True)


def publish_model(work: Path, out: Path, *, replace: bool) -> None:
    """Give the complete model its place."""
    check_free(out, replace=replace)
    replace_folder(work / MODEL, behind_link(out))


def _discard(work: Path) -> None:
    """Remove a working folder; what says that its model is complete goes last."""
    for name in contents(work):
        if name != _COMPLETE:
            remove(work / name)
    remove(work)
