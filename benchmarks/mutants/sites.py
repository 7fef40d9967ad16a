"""Where a mutant can be: comparisons, arithmetic, and/or, not. Each site has exactly one mutant."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mutants.rewriting import PACKAGE

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Div,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
"""What becomes of an operator. An order swaps only its boundary, which is harder to see than its opposite."""
BUILTIN_TYPES = {"bool", "bytes", "dict", "float", "int", "list", "object", "set", "str", "tuple", "type"}


@dataclass(frozen=True)
class Site:
    """One operator, which has one mutant."""

    file: str
    index: int  # its number among the sites of the file
    line: int
    statement: int  # the first line of the innermost statement around it
    in_function: bool
    key: str  # what stays the same when lines move: scope, text, and how often that occurred before
    before: str
    after: str

    @property
    def room(self) -> str:
        """The room that it is in."""
        return self.file.split("/")[0]

    def mutated(self, _path: Path, tree: ast.Module) -> ast.Module:
        """Change the operator in the tree of its module."""
        list(_operators(tree))[self.index].replace()
        return tree

    def __str__(self) -> str:
        return f"{self.file}:{self.line}  {self.before}  →  {self.after}"


@dataclass
class _Operator:
    """An operator within a tree."""

    node: ast.Compare | ast.BinOp | ast.BoolOp | ast.AugAssign | ast.UnaryOp
    position: int
    parent: ast.AST
    statement: ast.stmt
    scope: str
    in_function: bool

    def mutant(self) -> ast.AST:
        """Return what takes the place of the node."""
        if isinstance(self.node, ast.UnaryOp):
            return self.node.operand
        node = deepcopy(self.node)
        if isinstance(node, ast.Compare):
            node.ops[self.position] = SWAPS[type(node.ops[self.position])]()  # type: ignore[call-overload]
        else:
            node.op = SWAPS[type(node.op)]()  # type: ignore[assignment]
        return node

    def replace(self) -> None:
        """Put the mutant into the tree."""
        for name, value in ast.iter_fields(self.parent):
            if value is self.node:
                setattr(self.parent, name, self.mutant())
            elif isinstance(value, list) and self.node in value:
                value[value.index(self.node)] = self.mutant()

    @property
    def line(self) -> int:
        """The line that the operator ends in."""
        return self.node.comparators[self.position].lineno if isinstance(self.node, ast.Compare) else self.node.lineno


def _text(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())


def sites(room: str) -> list[Site]:
    """Return all sites of a room."""
    return [site for path in sorted((PACKAGE / room).rglob("*.py")) for site in file_sites(path)]


def file_sites(path: Path) -> Iterator[Site]:
    """Yield the sites of a module, from top to bottom."""
    file = str(path.relative_to(PACKAGE))
    seen: Counter[str] = Counter()
    for index, operator in enumerate(_operators(ast.parse(path.read_bytes()))):
        before, after = _text(operator.node), _text(operator.mutant())
        key = f"{file} {operator.scope} {before} → {after}"
        seen[key] += 1
        statement = operator.statement.lineno
        key = f"{key} {seen[key]}"
        yield Site(file, index, operator.line, statement, operator.in_function, key, before, after)


def _operators(tree: ast.Module) -> Iterator[_Operator]:
    yield from _below(tree, tree.body[0], "", in_function=False)


def _below(node: ast.AST, statement: ast.stmt, scope: str, *, in_function: bool) -> Iterator[_Operator]:
    for child in _children(node):
        around = child if isinstance(child, ast.stmt) else statement
        inner, inside = scope, in_function
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{scope}.{child.name}"
            inside = in_function or not isinstance(child, ast.ClassDef)
        if isinstance(child, ast.Compare):
            for position in range(len(child.ops)):
                yield _Operator(child, position, node, around, scope, in_function)
        elif isinstance(child, ast.BoolOp | ast.AugAssign) or (
            isinstance(child, ast.BinOp) and type(child.op) in SWAPS
        ):
            if not _is_type(child):
                yield _Operator(child, 0, node, around, scope, in_function)
        elif isinstance(child, ast.UnaryOp) and isinstance(child.op, ast.Not):
            yield _Operator(child, 0, node, around, scope, in_function)
        yield from _below(child, around, inner, in_function=inside)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that run: no annotations, nothing for type checkers alone, no `__all__`."""
    if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
        return
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
        return
    hidden = {"annotation", "returns", "type_params"}
    for name, value in ast.iter_fields(node):
        if name not in hidden:
            yield from (part for part in (value if isinstance(value, list) else [value]) if isinstance(part, ast.AST))


def _is_type(node: ast.AST) -> bool:
    """Whether it is a union of types, such as `str | None`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _is_type(node.left) or _is_type(node.right)
    if isinstance(node, ast.Subscript):
        return _is_type(node.value)
    if isinstance(node, ast.Constant):
        return node.value is None
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name in BUILTIN_TYPES or (name[:1].isupper() and not name.isupper())
