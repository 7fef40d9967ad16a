"""An import hook: modules of Karatage are rewritten as they are loaded; no file changes."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "karatage"
Rewrite = Callable[[Path, ast.Module], ast.Module]


class Loader(SourceFileLoader):
    """Loads one module from its rewritten syntax tree, with some names set beforehand."""

    def __init__(self, name: str, path: str, rewrite: Rewrite, names: dict[str, Any]) -> None:
        super().__init__(name, path)
        self.rewrite = rewrite
        self.names = names

    def get_code(self, fullname: str) -> CodeType:
        """Compile the rewritten tree; cached bytecode is neither read nor written."""
        path = Path(self.get_filename(fullname))
        tree = self.rewrite(path, ast.parse(path.read_bytes()))
        return compile(ast.fix_missing_locations(tree), str(path), "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module."""
        vars(module).update(self.names)
        super().exec_module(module)


class Rewriting(MetaPathFinder):
    """Loads the modules that are chosen by their files through a rewrite."""

    def __init__(self, chosen: Callable[[Path], bool], rewrite: Rewrite, **names: Any) -> None:
        self.chosen, self.rewrite, self.names = chosen, rewrite, names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Answer for modules of Karatage alone."""
        spec = PathFinder.find_spec(fullname, path, target) if fullname.startswith("karatage.") else None
        if spec is None or spec.origin is None or not self.chosen(Path(spec.origin)):
            return None
        spec.loader = Loader(fullname, spec.origin, self.rewrite, self.names)
        return spec

    def install(self) -> None:
        """Put the hook before all others."""
        sys.meta_path.insert(0, self)
