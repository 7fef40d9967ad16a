"""The mutants of `python -m benchmarks.mutants`: one operator each, and none where nothing runs."""

import ast
from textwrap import dedent

from benchmarks.mutants.__main__ import wilson
from benchmarks.mutants.rewriting import PACKAGE
from benchmarks.mutants.sites import _operators, file_sites

from karatage.stats.proportions import wilson as ours

CODE = dedent('''
    """A docstring with 1 + 1."""
    from typing import TYPE_CHECKING
    __all__ = ["a"] + ["b"]
    if TYPE_CHECKING:
        two = 1 + 1
    Both = int | None

    def f(x: int | None, y: "int | str" = 0) -> int | str:
        if isinstance(x, int | str) and not 0 < x <= 3:
            x += 1
        return x * 2
''')


def test_each_operator_has_one_mutant_and_types_have_none() -> None:
    found = [(ast.unparse(one.node), ast.unparse(one.mutant())) for one in _operators(ast.parse(CODE))]
    assert found == [
        ("isinstance(x, int | str) and (not 0 < x <= 3)", "isinstance(x, int | str) or not 0 < x <= 3"),
        ("not 0 < x <= 3", "0 < x <= 3"),
        ("0 < x <= 3", "0 <= x <= 3"),
        ("0 < x <= 3", "0 < x < 3"),
        ("x += 1", "x -= 1"),
        ("x * 2", "x / 2"),
    ]


def test_a_mutant_differs_from_the_code_in_its_operator_alone() -> None:
    path = PACKAGE / "claims" / "adjacent.py"
    plain = ast.unparse(ast.parse(path.read_bytes())).splitlines()
    every = list(file_sites(path))
    assert len({site.key for site in every}) == len(every) > 5
    for site in every:
        mutated = ast.unparse(site.mutated(path, ast.parse(path.read_bytes()))).splitlines()
        assert sum(one != other for one, other in zip(plain, mutated, strict=True)) == 1


def test_the_interval_of_a_share_is_wilsons() -> None:
    for k, n in ((0, 10), (7, 10), (10, 10)):
        assert [round(end, 6) for end in wilson(k, n)] == [round(float(end), 6) for end in ours(k, n)]
