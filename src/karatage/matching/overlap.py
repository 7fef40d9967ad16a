"""Overlaps between two sets of spans, and the best one-to-one choice among them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from karatage._arrays import Floats, Ints
from karatage._limits import limits, raised
from karatage.claims import Claims
from karatage.errors import InputError


class Edges(NamedTuple):
    """Pairs of claims that overlap: the gold claim, the predicted claim, and the overlap over the union."""

    gold: Ints
    pred: Ints
    iou: Floats


def overlaps(gold: Claims, gold_rows: Ints, pred: Claims, pred_rows: Ints) -> Edges:
    """Find all overlapping pairs among the given claims.

    Two spans overlap if one starts within the other, so sorting by start and two binary searches find every pair,
    nested spans included, in time proportional to their number. A value that is not in its text overlaps nothing.
    """
    pred_rows = pred_rows[pred.start[pred_rows] >= 0]
    reach = np.zeros(len(gold.units) + 1, np.int64)
    np.maximum.at(reach, gold.unit[gold_rows] + 1, gold.end[gold_rows])
    np.maximum.at(reach, pred.unit[pred_rows] + 1, pred.end[pred_rows])
    base = np.cumsum(reach)
    g, g_low, g_high = _sorted_spans(gold, gold_rows, base)
    p, p_low, p_high = _sorted_spans(pred, pred_rows, base)
    # golds that start within a prediction, then predictions that start strictly within a gold
    within = np.searchsorted(g_low, p_low, "left"), np.searchsorted(g_low, p_high, "left")
    strictly = np.searchsorted(p_low, g_low, "right"), np.searchsorted(p_low, g_high, "left")
    _check_count(gold, (pred.unit[p], *within), (gold.unit[g], *strictly))
    p1, g1 = _ranges(*within)
    g2, p2 = _ranges(*strictly)
    gi, pi = np.concatenate([g1, g2]), np.concatenate([p1, p2])
    shared = np.minimum(g_high[gi], p_high[pi]) - np.maximum(g_low[gi], p_low[pi])
    union = np.maximum(g_high[gi], p_high[pi]) - np.minimum(g_low[gi], p_low[pi])
    edges = Edges(g[gi], p[pi], shared / union)
    return _with_fragments(gold, pred, edges) if gold.shape is not None or pred.shape is not None else edges


def _sorted_spans(claims: Claims, rows: Ints, base: Ints) -> tuple[Ints, Ints, Ints]:
    low = base[claims.unit[rows]] + claims.start[rows]
    order = np.argsort(low, kind="stable")
    rows = rows[order]
    return rows, low[order], base[claims.unit[rows]] + claims.end[rows]


def _ranges(low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """Expand ranges: return the owner and the member of each."""
    counts = np.maximum(high - low, 0)
    owner = np.repeat(np.arange(len(low)), counts)
    first = np.cumsum(counts) - counts
    return owner, np.arange(len(owner)) - np.repeat(first, counts) + np.repeat(low, counts)


def _check_count(gold: Claims, *sides: tuple[Ints, Ints, Ints]) -> None:
    """Refuse more overlapping pairs than fit into memory, before they are made."""
    counts = np.zeros(len(gold.units), np.int64)
    for units, low, high in sides:
        np.add.at(counts, units, np.maximum(high - low, 0))
    most = limits().pairs
    if counts.sum() > most:
        unit = int(counts.argmax())
        raise InputError(
            f"more than {most:,} pairs of overlapping spans to choose from, {int(counts[unit]):,} of them here",
            source=gold.units.source,
            line=gold.units.line(unit),
            unit=gold.units.name(unit),
            hint=raised("pairs"),
        )


def _with_fragments(gold: Claims, pred: Claims, edges: Edges) -> Edges:
    """Correct the overlap of discontinuous spans, which the hull overstates."""
    iou = edges.iou.copy()
    for k, (g, p) in enumerate(zip(edges.gold.tolist(), edges.pred.tolist(), strict=True)):
        ours, theirs = fragments(gold, g), fragments(pred, p)
        if len(ours) > 1 or len(theirs) > 1:
            shared = sum(max(0, min(b, d) - max(a, c)) for a, b in ours for c, d in theirs)
            total = sum(b - a for a, b in ours) + sum(b - a for a, b in theirs)
            iou[k] = shared / (total - shared)
    keep = iou > 0
    return Edges(edges.gold[keep], edges.pred[keep], iou[keep])


def fragments(claims: Claims, row: int) -> tuple[tuple[int, int], ...]:
    """Return the parts of a span, one or several."""
    if claims.shape is not None and claims.shape[row] >= 0:
        return claims.shapes[claims.shape[row]]
    return ((int(claims.start[row]), int(claims.end[row])),)


def assign(gold: Ints, pred: Ints, weight: Floats) -> Ints:
    """Choose edges so that no claim occurs twice and the sum of the weights is largest.

    Almost all conflicts are a single edge or a star, one claim against several, and are solved for all of them at
    once; what is left is solved one connected group of claims at a time. Edges must come sorted by
    gold and prediction in a way that does not depend on the order of the input: ties go to the first.

    Returns:
        The indices of the chosen edges.
    """
    if len(gold) == 0:
        return np.zeros(0, np.int64)
    _, g = np.unique(gold, return_inverse=True)
    _, p = np.unique(pred, return_inverse=True)
    g_degree, p_degree = np.bincount(g), np.bincount(p)
    # An edge belongs to a star around its gold if all predictions of that gold have no other; and the other way round.
    g_star = np.bincount(g, weights=p_degree[p] == 1) == g_degree
    p_star = np.bincount(p, weights=g_degree[g] == 1) == p_degree
    around_gold = g_star[g]
    around_pred = p_star[p] & ~around_gold
    chosen = [
        _best_per_hub(np.flatnonzero(around_gold), g, weight),
        _best_per_hub(np.flatnonzero(around_pred), p, weight),
    ]
    rest = np.flatnonzero(~(around_gold | around_pred))
    if len(rest):
        chosen.append(rest[_solve(g[rest], p[rest], weight[rest])])
    return np.concatenate(chosen)


def _best_per_hub(edges: Ints, hub: Ints, weight: Floats) -> Ints:
    order = edges[np.lexsort((edges, -weight[edges], hub[edges]))]
    first = np.ones(len(order), bool)
    first[1:] = hub[order[1:]] != hub[order[:-1]]
    return order[first]


def _solve(g: Ints, p: Ints, weight: Floats) -> Ints:
    """Solve what is no star, one connected group of claims at a time."""
    chosen: list[int] = []
    for edges in _components(g.tolist(), p.tolist()) if len(g) <= _MANY else _many_components(g, p):
        chosen += _search(edges, g, p, weight) if len(edges) <= _SMALL else _hungarian(edges, g, p, weight)
    return np.array(chosen, np.int64)


_SMALL = 10
"""Up to so many edges, trying all choices is quicker than loading SciPy."""


_MANY = 1000
"""With more edges, SciPy finds the groups quicker than a loop."""


def _many_components(g: Ints, p: Ints) -> list[list[int]]:
    """Do the same as `_components`."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    first = int(g.max()) + 1
    size = first + int(p.max()) + 1
    graph = coo_array((np.ones(len(g), np.int8), (g, first + p)), shape=(size, size))
    group = connected_components(graph, directed=False)[1][g]
    order = np.argsort(group, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(group[order])) + 1)
    return [part.tolist() for part in sorted(parts, key=lambda part: part[0])]


def _components(g: list[int], p: list[int]) -> list[list[int]]:
    """Group edges that share claims, directly or through others; the groups come in the order of their first edge."""
    parent: dict[tuple[bool, int], tuple[bool, int]] = {}

    def root(node: tuple[bool, int]) -> tuple[bool, int]:
        while parent.setdefault(node, node) != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for a, b in zip(g, p, strict=True):
        parent[root((True, b))] = root((False, a))
    groups: dict[tuple[bool, int], list[int]] = {}
    for edge, a in enumerate(g):
        groups.setdefault(root((False, a)), []).append(edge)
    return list(groups.values())


def _search(edges: list[int], g: Ints, p: Ints, weight: Floats) -> list[int]:
    """Try every choice of edges; of equally good ones the first wins."""

    def best(at: int, used_g: frozenset[int], used_p: frozenset[int]) -> tuple[float, list[int]]:
        if at == len(edges):
            return 0.0, []
        edge = edges[at]
        a, b = int(g[edge]), int(p[edge])
        without = best(at + 1, used_g, used_p)
        if a in used_g or b in used_p:
            return without
        value, rest = best(at + 1, used_g | {a}, used_p | {b})
        taken = value + float(weight[edge]), [edge, *rest]
        return taken if taken[0] >= without[0] else without

    return best(0, frozenset(), frozenset())[1]


def _hungarian(edges: list[int], g: Ints, p: Ints, weight: Floats) -> list[int]:
    from scipy.optimize import linear_sum_assignment

    rows, row = np.unique(g[edges], return_inverse=True)
    columns, column = np.unique(p[edges], return_inverse=True)
    if len(rows) * len(columns) > _CELLS:
        return _sparse_assignment(np.array(edges), row, column, weight[edges])
    table = np.zeros((len(rows), len(columns)))
    table[row, column] = weight[edges]
    number = np.full(table.shape, -1, np.int64)
    number[row, column] = edges
    picked: list[int] = number[linear_sum_assignment(table, maximize=True)].tolist()
    return [edge for edge in picked if edge >= 0]


_CELLS = 1 << 22
"""A table with more cells is mostly empty, or too large."""


def _sparse_assignment(edges: Ints, row: Ints, column: Ints, weight: Floats) -> list[int]:
    """Do the same in memory for the edges only: a claim may stay alone, which is worth next to nothing."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    rows, columns = int(row.max()) + 1, int(column.max()) + 1
    alone = np.arange(rows)
    shape = rows, columns + rows
    places = np.concatenate([row, alone]), np.concatenate([column, columns + alone])
    worth = np.concatenate([weight, np.full(rows, _ALONE)])
    number = coo_array((np.arange(1, len(worth) + 1), places), shape=shape).tocsr()
    chosen = min_weight_full_bipartite_matching(coo_array((worth, places), shape=shape).tocsr(), maximize=True)
    picked = np.asarray(number[chosen]).ravel() - 1
    found: list[int] = edges[picked[picked < len(edges)]].tolist()
    return found


_ALONE = 1e-9
