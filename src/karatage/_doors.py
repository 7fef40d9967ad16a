"""The doors of rooms: what a package offers to others stands in its stub, and is imported when first used.

The stub (`__init__.pyi`) is what type checkers and editors read, so there is one list of names, and
`import karatage` stays quick: nothing heavy is loaded before it is needed.
"""

from __future__ import annotations

import ast
import pkgutil
import sys
from collections.abc import Callable
from importlib import import_module


def open_door(room: str) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` of a package, made from its stub."""
    stub = ast.parse(pkgutil.get_data(room, "__init__.pyi") or b"")
    homes = {
        name.asname or name.name: (str(node.module), name.name)
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        module, own = homes[name]
        found = getattr(import_module(module), own)
        setattr(sys.modules[room], name, found)
        return found

    return sorted(homes), load, lambda: sorted({*vars(sys.modules[room]), *homes})
