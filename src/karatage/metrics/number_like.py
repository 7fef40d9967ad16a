"""What lets a score stand where a number is expected: comparison, rounding and arithmetic."""

from __future__ import annotations

import re
from numbers import Real
from typing import Any, overload

import numpy as np

from karatage.errors import UsageError

_ORDERINGS = (np.less, np.less_equal, np.greater, np.greater_equal)
_WIDTH = re.compile(r"(.?[<>^])?=?[-+ ]?#?0?(\d*)")
"""What of a format belongs to any text: fill, alignment and width."""


class NumberLike:
    """Something with a value that behaves like it; arithmetic gives plain floats, without an interval.

    Where the value is missing, `float` and arithmetic give NaN, and `<` and `bool` are errors: neither answer would be
    true.
    """

    __slots__ = ()
    value: float | None
    undefined: str | None

    def __float__(self) -> float:
        return float("nan") if self.value is None else self.value

    def __bool__(self) -> bool:
        return bool(self._defined())

    def __format__(self, spec: str) -> str:
        if self.value is not None:
            return format(self.value, spec)
        found = _WIDTH.match(spec)
        align, width = found.groups() if found else (None, "")
        return format("undefined", f"{align or '>'}{width}")

    @overload
    def __round__(self) -> int: ...
    @overload
    def __round__(self, digits: int) -> float: ...
    def __round__(self, digits: int | None = None) -> float:
        return round(self._defined()) if digits is None else round(float(self), digits)

    def __lt__(self, other: object) -> bool:
        return self._defined() < _defined(other) if _is_number(other) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self._defined() <= _defined(other) if _is_number(other) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return self._defined() > _defined(other) if _is_number(other) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return self._defined() >= _defined(other) if _is_number(other) else NotImplemented

    def __add__(self, other: Any) -> float:
        return float(self) + float(other) if _is_number(other) else NotImplemented

    def __radd__(self, other: Any) -> float:
        return float(other) + float(self) if _is_number(other) else NotImplemented

    def __sub__(self, other: Any) -> float:
        return float(self) - float(other) if _is_number(other) else NotImplemented

    def __rsub__(self, other: Any) -> float:
        return float(other) - float(self) if _is_number(other) else NotImplemented

    def __mul__(self, other: Any) -> float:
        return float(self) * float(other) if _is_number(other) else NotImplemented

    def __rmul__(self, other: Any) -> float:
        return float(other) * float(self) if _is_number(other) else NotImplemented

    def __truediv__(self, other: Any) -> float:
        return float(self) / float(other) if _is_number(other) else NotImplemented

    def __rtruediv__(self, other: Any) -> float:
        return float(other) / float(self) if _is_number(other) else NotImplemented

    def __pow__(self, other: Any) -> float:
        return float(self) ** float(other) if _is_number(other) else NotImplemented

    def __rpow__(self, other: Any) -> float:
        return float(other) ** float(self) if _is_number(other) else NotImplemented

    def __pos__(self) -> float:
        return float(self)

    def __neg__(self) -> float:
        return -float(self)

    def __abs__(self) -> float:
        return abs(float(self))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(float(self), dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        plain = _defined if ufunc in _ORDERINGS else float
        numbers = (plain(one) if isinstance(one, NumberLike) else one for one in inputs)
        return getattr(ufunc, method)(*numbers, **options)

    def _defined(self) -> float:
        if self.value is None:
            reason = f" ({self.undefined})" if self.undefined else ""
            raise UsageError(
                f"an undefined score{reason} cannot be compared or rounded. Check `score.value is None` first"
            )
        return self.value


def _is_number(other: object) -> bool:
    return isinstance(other, Real | NumberLike)


def _defined(other: Any) -> float:
    return other._defined() if isinstance(other, NumberLike) else float(other)
