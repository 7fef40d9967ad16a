"""The source files that a user's function depends on: its module, and what that imports from the same place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path


def local_sources(file: Path, module: str) -> list[Path]:
    """Return the file of a module, and the files that it imports from the folder that its name starts in.

    Installed packages are not followed, nor imports by other means than `import`.

    Args:
        file: The file of the module.
        module: Its full name, e.g. `taggers.names`.
    """
    package, path = file.name == "__init__.py", file.absolute()
    above = list(path.parents)
    root = above[min(module.count(".") + package, len(above) - 1)]
    found: dict[Path, None] = {}
    to_do = [(path, module if package else module.rpartition(".")[0]), *_files(root, module)]
    while to_do:
        path, inside = to_do.pop()
        if path not in found:
            found[path] = None
            to_do += [own for name in _imported(path, inside) for own in _files(root, name)]
    return list(found)


def _imported(path: Path, package: str) -> Iterator[str]:
    """Yield the full names of modules that a file may import, in the given package."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*filter(None, parents), *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}".removeprefix(".") for alias in node.names)


def _files(root: Path, name: str) -> Iterator[tuple[Path, str]]:
    """Yield the files of a module and of the packages that contain it, with the package that each is in."""
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        package, own = root.joinpath(*parts[:count], "__init__.py"), root.joinpath(*parts[:count]).with_suffix(".py")
        if package.is_file():
            yield package, ".".join(parts[:count])
        elif own.is_file():
            yield own, ".".join(parts[: count - 1])
