"""Plain Python functions as taggers: text in, spans out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from operator import attrgetter, index
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from karatage.errors import ClaimError, UsageError
from karatage.taggers.local_code import local_sources
from karatage.taggers.protocol import Span, fingerprint, one_line
from karatage.taggers.span_tagger import SpanTagger

if TYPE_CHECKING:
    from karatage.taggers.tagger_registry import OpenOptions

_LABEL_KEYS = ("label", "type", "entity_group", "entity")
_EXPECTED = "Expected (label, start, end), or a mapping with start, end and label, type, entity_group or entity"


def open_function(name: str, options: OpenOptions) -> SpanTagger:
    """Open MODULE:FUNCTION. The module may be in the current folder, and import others from there."""
    module, _, function = name.partition(":")
    find = _finder(_import(module, function), name)
    # Other code may give other answers, so the version is a hash of the module and of what it imports beside it.
    file = getattr(sys.modules.get(module), "__file__", None)
    version = fingerprint(local_sources(Path(file), module)) if file is not None and Path(file).is_file() else ""
    return SpanTagger.make(name, find, labels=None, version=version, options=options)


def _import(module: str, function: str) -> Callable[[str], Iterable[Any]]:
    try:
        found = attrgetter(function)(_from_current_folder(module))
    except (Exception, SystemExit) as error:  # whatever the user's module raises while it is imported
        raise UsageError(
            f"cannot import the tagger {module}:{function} ({type(error).__name__}: {one_line(error)}). Taggers are "
            "estnltk, hf:FOLDER, hf:OWNER/MODEL, spacy:NAME, or MODULE:FUNCTION with a module that Python can "
            "import from here"
        ) from None
    if not callable(found):
        raise UsageError(f"{module}:{function} must be a function, not {type(found).__name__}")
    return found  # type: ignore[no-any-return]


def _from_current_folder(module: str) -> ModuleType:
    """Import a module, from the current folder if it is there.

    The user names this module, and no other one: whatever is installed comes before a `numpy.py` in the same folder.
    """
    here, (package, *_) = str(Path.cwd()), module.split(".")
    if here not in sys.path:
        sys.path.append(here)
    spec = None if package in sys.modules else PathFinder.find_spec(package, [here])
    if spec is not None and spec.origin and spec.loader is not None:
        sys.modules[package] = module_from_spec(spec)
        try:
            spec.loader.exec_module(sys.modules[package])
        except BaseException:
            del sys.modules[package]
            raise
    return import_module(module)


def _finder(function: Callable[[str], Iterable[Any]], name: str) -> Callable[[Sequence[str]], Iterator[list[Span]]]:
    def find(texts: Sequence[str]) -> Iterator[list[Span]]:
        for number, text in enumerate(texts, 1):
            found = function(text)
            if not isinstance(found, Iterable) or isinstance(found, str | Mapping):
                raise ClaimError(
                    f"{name} returned {found!r:.60}", unit=number, noun="text", hint="Expected a list of spans"
                )
            yield [_span(one, name, number) for one in found]

    return find


def _span(found: Any, name: str, number: int) -> Span:
    try:
        if isinstance(found, Mapping):
            start, end = found["start"], found["end"]
            label = next(found[key] for key in _LABEL_KEYS if key in found)
        else:
            one, two, three = found
            label, start, end = (one, two, three) if isinstance(one, str) else (three, one, two)
        if not isinstance(label, str):
            raise TypeError
        return index(start), index(end), label
    except (TypeError, ValueError, KeyError, StopIteration):
        raise ClaimError(f"{name} returned the span {found!r:.60}", unit=number, noun="text", hint=_EXPECTED) from None
