"""Registries: things known by name and loaded on first use. Other packages add theirs by entry points.

A package that brings, say, a format declares it in its `pyproject.toml`::

    [project.entry-points."karatage.formats"]
    pipes = "pipes_plugin:PIPES"
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

from karatage.errors import UsageError, unknown

T = TypeVar("T")


class Registry(Generic[T]):
    """Things of one kind by name.

    Args:
        kind: what messages call one of them, e.g. "format".
        group: the group of entry points, e.g. "karatage.formats".
        built_in: where our own are: `module:attribute` by name. A plugin cannot replace one of them.
    """

    def __init__(self, kind: str, group: str, built_in: Mapping[str, str]) -> None:
        self._kind, self._group = kind, group
        self._built_in = {name: EntryPoint(name, where, group) for name, where in built_in.items()}
        self._loaded: dict[str, T] = {}

    @cached_property
    def _known(self) -> dict[str, EntryPoint]:
        added = {point.name: point for point in entry_points(group=self._group)}
        return self._built_in | {name: added[name] for name in sorted(added.keys() - self._built_in.keys())}

    def names(self, *, plugins: bool = True) -> list[str]:
        """Return all names: our own in their order, then those of plugins, which take a while to look for."""
        return list(self._known if plugins else self._built_in)

    def __getitem__(self, name: str) -> T:
        """Return a thing by its name; a wrong name is answered with what was probably meant."""
        if name not in self._loaded:
            point = self._built_in.get(name) or self._known.get(name)
            if point is None:
                raise unknown(self._kind, name, self.names())
            try:
                self._loaded[name] = point.load()
            except (ImportError, AttributeError) as error:
                raise UsageError(f"the {self._kind} {name!r} ({point.value}) cannot be loaded: {error}") from error
        return self._loaded[name]
