"""What the shell completes beyond commands, options and closed sets: names that are listed elsewhere, and log ids."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import typer

if TYPE_CHECKING:
    from karatage.experiments import ExperimentLog

T = TypeVar("T")
Completion = Callable[..., list[Any]]


def completed_words() -> list[str] | None:
    """Return the words before the one that a shell wants to complete; None if it does not ask for any.

    Typer answers it. It needs to know only the command that is called, which is loaded sooner than all of them.
    """
    if "_KARATAGE_COMPLETE" not in os.environ:
        return None
    words = os.environ.get("COMP_WORDS", os.environ.get("_TYPER_COMPLETE_ARGS", ""))
    found = re.split(r"\s+", words)
    return found[: int(os.environ["COMP_CWORD"])] if os.environ.get("COMP_CWORD", "").isdecimal() else found[:-1]


def names_from(place: str, *more: str) -> Completion:
    """Return what completes a value from names that are kept elsewhere.

    Args:
        place: a list, a function that returns one or a literal type, as `karatage.room.name`.
        more: further names.
    """

    def complete(incomplete: str) -> list[str]:
        room, _, name = place.rpartition(".")
        found = getattr(import_module(room), name)
        names = found() if callable(found) and not get_args(found) else get_args(found) or found
        # A name with a space would be completed as two words.
        return [one for one in (*names, *more) if one.startswith(incomplete) and " " not in one]

    return complete


def one_of(*names: str) -> Completion:
    """Return what completes a value from these names."""
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


metric = names_from("karatage.metrics.common_metrics")
format_ = names_from("karatage.formats.format_names")
kind = names_from("karatage.scoring.KIND_NAMES", "ungrounded")
preset = names_from("karatage.training.preset_names")
profile = names_from("karatage.profiles.profile_names")
scheme = names_from("karatage.claims.SCHEMES")
words = names_from("karatage.taggers.WordSegmentation")


def tagger(incomplete: str) -> list[str]:
    """Complete the name of a tagger, or the folder of a trained model beside which the command runs."""
    from karatage.taggers import MODEL_CARD, tagger_names

    models = [card.parent.name for card in sorted(Path.cwd().glob(f"*/{MODEL_CARD}"))]
    return [*_plain(models, incomplete), *(name for name in tagger_names() if name.startswith(incomplete))]


def experiment(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Complete the id of an experiment, also the last of several with commas, with what it is as help."""
    before, comma, started = incomplete.rpartition(",")
    ids = {"-".join(name.split("-")[:2]): name for name in _logged(ctx, lambda log: log.names())}
    return [(before + comma + own, name) for own, name in ids.items() if own.startswith(started)]


def log_order(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete what a log can be sorted by: the date, or a metric of its experiments."""
    metrics = [name for one in _logged(ctx, lambda log: log.experiments([])) for name in one.metrics]
    return _plain(["date", *metrics], incomplete)


def _plain(names: Iterable[str], incomplete: str) -> list[str]:
    """Return each name once that begins so, but none with characters that mean something to a shell."""
    return [one for one in dict.fromkeys(names) if one.startswith(incomplete) and re.fullmatch(r"[\w.@-]+", one)]


def _logged(ctx: typer.Context, what: Callable[[ExperimentLog], list[T]]) -> list[T]:
    """Return what is in the log that is named after the command or before it, or in the default one."""
    from karatage.errors import KaratageError
    from karatage.experiments import FOLDER, ExperimentLog

    before = {} if ctx.parent is None else ctx.parent.params
    try:
        return what(ExperimentLog(ctx.params.get("log") or before.get("log") or FOLDER))
    except KaratageError:
        return []
