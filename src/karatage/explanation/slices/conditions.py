"""Conditions as users write them, such as `length > 3 and category == 'A'`, over columns.

Python's own parser reads them, but nothing is ever run: only names, constants, comparisons, and, or, not are taken.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.errors import UsageError, unknown

_LONGEST = 2000
"""Characters of an expression: nobody writes longer ones, and those who do would reach the parser's limits."""

_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}

_TAKEN = "names, numbers, texts in quotes, < <= == != >= >, in (…), and, or, not"


@dataclass(frozen=True, eq=False)
class CodedTexts:
    """A column of texts: each distinct one once.

    Attributes:
        codes: which of the names each entry has; -1 where it is unknown.
        names: the distinct texts.
    """

    codes: Ints
    names: tuple[str, ...]

    def where(self, holds: Callable[[str], bool]) -> Bools:
        """Tell of which entries something holds; of none that is unknown."""
        return np.array([*map(holds, self.names), False], bool)[self.codes]


@dataclass(frozen=True)
class Expression:
    """A condition.

    Attributes:
        text: how it was written.
        names: the names in it.
    """

    text: str
    names: tuple[str, ...]
    tree: ast.expr

    @classmethod
    def parse(cls, text: str) -> Expression:
        """Read a condition; anything but one is an error that says what is wrong."""
        if len(text) > _LONGEST:
            raise UsageError(f"expressions are limited to {_LONGEST:,} characters, this one has {len(text):,}")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # on odd backslashes in texts, which is no matter here
                tree = ast.parse(text.strip(), mode="eval").body
        except SyntaxError as error:
            raise UsageError(
                f"cannot read the expression {text[:80]!r}: {error.msg}{_meant(text)}. Use {_TAKEN}"
            ) from None
        except (ValueError, RecursionError, MemoryError):
            raise UsageError(f"cannot read the expression {text[:80]!r}. Use {_TAKEN}") from None
        names = (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
        return cls(text, tuple(dict.fromkeys(names)), tree)

    def check(self, known: Iterable[str]) -> None:
        """Refuse a name that is not known."""
        for name in self.names:
            if name not in known:
                raise unknown(f"name in the expression {self.text[:80]!r}:", name, known)

    def evaluate(self, column: Callable[[str], Any]) -> Bools:
        """Tell where the condition holds.

        Args:
            column: gives the column of a name: words, or numbers that are NaN where unknown; all of the same length.
        """
        return _Evaluation(self.text, column).condition(self.tree)


def _meant(text: str) -> str:
    return ", write == to compare" if re.search(r"[^=<>!]=[^=]", text) else ""


class _Evaluation:
    """One walk through a condition."""

    def __init__(self, text: str, column: Callable[[str], Any]) -> None:
        self._text, self._column = text, column

    def _wrong(self, what: str) -> UsageError:
        return UsageError(f"in the expression {self._text[:80]!r}, {what}")

    def condition(self, node: ast.expr) -> Bools:
        """Return where a part of the expression holds."""
        if isinstance(node, ast.BoolOp):
            join = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
            out: Bools = join.reduce([self.condition(part) for part in node.values])
            return out
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ~self.condition(node.operand)
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            pairs = zip(sides[:-1], node.ops, sides[1:], strict=True)
            both: Bools = np.logical_and.reduce([self._compare(a, op, b) for a, op, b in pairs])
            return both
        if isinstance(node, ast.Name | ast.Constant):
            shown = ast.unparse(node)
            raise self._wrong(f"{shown} is not a condition: compare it, e.g. {shown} == 1")
        raise self._refused(node)

    def _refused(self, node: ast.expr) -> UsageError:
        return self._wrong(f"{ast.unparse(node)[:60]!r} is not supported. Use {_TAKEN}")

    def _compare(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Bools:
        if isinstance(op, ast.In | ast.NotIn):
            inside = self._within(left, right)
            return ~inside & self._known(left, right) if isinstance(op, ast.NotIn) else inside
        if type(op) not in _COMPARED:
            raise self._wrong("`is` is not supported: use ==")
        if not any(isinstance(side, ast.Name) for side in (left, right)):
            for side in (left, right):
                self._value(side)
            raise self._wrong(f"{ast.unparse(left)} and {ast.unparse(right)} are both constants")
        return self._ordered(_COMPARED[type(op)], left, right)

    def _ordered(self, compare: Callable[[Any, Any], Any], left: ast.expr, right: ast.expr) -> Bools:
        one, other = self._value(left), self._value(right)
        if _is_text(one) != _is_text(other):
            raise self._clash(left, right, one)
        if not _is_text(one):
            with np.errstate(invalid="ignore"):
                found: Bools = np.asarray(compare(one, other)) & ~np.isnan(one) & ~np.isnan(other)
            return found
        if isinstance(one, CodedTexts) and isinstance(other, CodedTexts):
            # Both are coded on one list in alphabetical order, so that the codes compare as the texts do.
            names = sorted({*one.names, *other.names})
            rank = {name: k for k, name in enumerate(names)}
            mine, theirs = (np.array([*(rank[n] for n in side.names), -1])[side.codes] for side in (one, other))
            return np.asarray(compare(mine, theirs)) & (mine >= 0) & (theirs >= 0)
        if isinstance(one, CodedTexts):
            return one.where(lambda name: compare(name, other))
        assert isinstance(other, CodedTexts)  # noqa: S101  one side is a name
        return other.where(lambda name: compare(one, name))

    def _clash(self, left: ast.expr, right: ast.expr, one: Any) -> UsageError:
        text, number = (left, right) if _is_text(one) else (right, left)
        shown = [ast.unparse(side) for side in (text, number)]
        if isinstance(text, ast.Name):
            hint = f": write {shown[1]!r} in quotes" if isinstance(number, ast.Constant) else ""
        else:
            hint = ": write it without quotes" if isinstance(text, ast.Constant) else ""
        return self._wrong(f"{shown[0]} is text, but {shown[1]} is a number{hint}")

    def _within(self, left: ast.expr, right: ast.expr) -> Bools:
        if isinstance(right, ast.Tuple | ast.List | ast.Set) and isinstance(left, ast.Name):
            equal = [self._ordered(operator.eq, left, item) for item in right.elts if self._constant(item)]
            column = self._value(left)
            none = np.zeros(len(column.codes if isinstance(column, CodedTexts) else column), bool)
            out: Bools = np.logical_or.reduce([none, *equal])
            return out
        if isinstance(right, ast.Name) and isinstance(left, ast.Constant) and isinstance(left.value, str):
            column, part = self._value(right), left.value
            if isinstance(column, CodedTexts):
                return column.where(lambda name: part in name)
            raise self._clash(left, right, left.value)
        raise self._wrong("`in` needs a name and a list of constants, e.g. label in ('PER', 'ORG'), or 'part' in text")

    def _known(self, left: ast.expr, right: ast.expr) -> Bools:
        column = self._value(left if isinstance(left, ast.Name) else right)
        return column.codes >= 0 if isinstance(column, CodedTexts) else ~np.isnan(column)

    def _constant(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            raise self._wrong(f"lists can contain constants only: did you forget the quotes around {node.id!r}?")
        self._value(node)
        return True

    def _value(self, node: ast.expr) -> Any:
        """Return a column, a number or a text."""
        if isinstance(node, ast.Name):
            return self._column(node.id)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            number = self._value(node.operand)
            if isinstance(number, float):
                return -number if isinstance(node.op, ast.USub) else number
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
            try:
                return float(node.value)
            except OverflowError:
                raise self._wrong("a number is too large") from None
        raise self._refused(node)


def _is_text(value: Any) -> bool:
    return isinstance(value, CodedTexts | str)
