"""Which queries got better or worse from one search engine to another, and which documents moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import polars as pl

from karatage.errors import UsageError, unknown
from karatage.metrics import Metric
from karatage.profiles import Profile
from karatage.scoring import Search, Task
from karatage.stats import holm, sign_test

Change = Literal["worse", "same", "better", "undefined"]

DEPTH = 10
"""How many of the first results are looked at for documents that moved, where the metric has no cutoff."""

_SAME = 1e-9
"""A smaller difference is rounding: sums of the same gains in another order."""


@dataclass(frozen=True, kw_only=True)
class ChangedQueries:
    """How many queries got better and worse in one metric.

    Attributes:
        metric: the metric.
        worse, same, better: how many queries have a worse value, the same and a better one.
        undefined: how many queries have no value in either system, or in one of them; they are not counted above.
        p: the exact two-sided p-value of the sign test that as many get better as worse.
        corrected: the same with Holm's correction over the systems that are compared with the first.
    """

    metric: str
    worse: int
    same: int
    better: int
    undefined: int
    p: float
    corrected: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {name: value for name, value in asdict(self).items() if name != "metric"}


@dataclass(frozen=True, eq=False, kw_only=True)
class QueryChanges:
    """What changed from an old search engine to a new one, query by query.

    Attributes:
        old, new: the names of the two systems.
        metric: the metric that queries are sorted by, if no other is named: the headline, or the first one that is
            computed per query.
        counts: how many queries got better and worse, in each metric that is computed per query.
        depth: how many of the first results of either system were looked at for documents that moved.
        limit: how many queries tables and JSON list.
    """

    old: str
    new: str
    metric: str
    counts: dict[str, ChangedQueries]
    depth: int
    limit: int
    _values: dict[str, pl.DataFrame] = field(repr=False)
    _moved: pl.DataFrame = field(repr=False)

    def queries(self, metric: str | None = None, *, change: Change | None = None) -> pl.DataFrame:
        """List the queries, worst first.

        Args:
            metric: one of the metrics in `counts`. Default: `metric`.
            change: only queries that are worse, same, better or undefined.

        Returns:
            A Polars frame: the query (`unit`), its text (`query`) where it is known, its value by the old and by the
            new system, the difference (new minus old) and the `change`. Undefined values are null and come last.
        """
        name = self.metric if metric is None else metric
        if name not in self._values:
            raise unknown("metric per query of this comparison", name, self._values)
        found = self._values[name]
        return found if change is None else found.filter(pl.col("change") == change)

    def documents(self, query: str | None = None) -> pl.DataFrame:
        """List the documents that moved, of all queries or of one.

        These are the documents among the first `depth` results of either system, of queries whose value differs in any
        of the metrics.

        Returns:
            A Polars frame: the query (`unit`), the document, the `change` (up, down, new or gone), its `grade` (null if
            it is not judged), and its rank from 1 by the old and by the new system (null where it is not retrieved).
        """
        return self._moved if query is None else self._moved.filter(pl.col("unit") == query)

    @property
    def changed(self) -> pl.DataFrame:
        """The queries whose value differs, worst first."""
        return self.queries().filter(pl.col("change").is_in(["worse", "better"]))

    def listed(self, limit: int | None = None) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
        """Return the first of the changed queries, each with the documents that moved."""
        rows = self.changed.head(self.limit if limit is None else limit).to_dicts()
        own = self._moved.filter(pl.col("unit").is_in([row["unit"] for row in rows]))
        moved = {str(unit): part.drop("unit").to_dicts() for (unit,), part in own.group_by("unit", maintain_order=True)}
        return [(row, moved.get(row["unit"], [])) for row in rows]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, in the shape that `--json` prints."""
        return {
            "old": self.old,
            "new": self.new,
            "metric": self.metric,
            "counts": {
                name: {k: v for k, v in asdict(own).items() if k != "metric"} for name, own in self.counts.items()
            },
            "depth": self.depth,
            "total": self.changed.height,
            "queries": [row | {"documents": moved} for row, moved in self.listed()],
        }


def changed_queries(
    systems: Mapping[str, Task], profile: Profile, limit: int, texts: Mapping[str, str | None] | None
) -> dict[str, QueryChanges]:
    """Compare each system with the first, query by query.

    Args:
        systems: how each was scored.
        profile: has the metrics.
        limit: how many queries to list.
        texts: the texts of the queries by their ids; None where texts are not known.
    """
    metrics = per_query(profile)
    (old, first), *others = ((name, task) for name, task in systems.items() if isinstance(task, Search))
    metric = profile.headline if profile.headline in metrics else next(iter(metrics))
    cutoff = getattr(metrics[metric].measure, "cutoff", None)
    depth = cutoff if isinstance(cutoff, int) else DEPTH
    before = first.by_unit(metrics)
    found = {}
    for new, task in others:
        after = task.by_unit(metrics)
        values = {name: _values(before, after, name, own, texts) for name, own in metrics.items()}
        differing = {
            unit for own in values.values() for unit in own.filter(pl.col("change").is_in(["worse", "better"]))["unit"]
        }
        found[new] = QueryChanges(
            old=old,
            new=new,
            metric=metric,
            counts={name: _counts(name, own) for name, own in values.items()},
            depth=depth,
            limit=limit,
            _values=values,
            _moved=first.moved_documents(task, differing, depth),
        )
    return _corrected(found, list(metrics))


def per_query(profile: Profile) -> dict[str, Metric]:
    """Return the metrics that each query has a value of; refuse a profile without any."""
    found = {name: metric for name, metric in profile.metrics.items() if metric.per_unit}
    if not found:
        raise UsageError("--diff needs a metric that is computed per query, e.g. -m nDCG@10")
    return found


def _values(
    before: pl.DataFrame, after: pl.DataFrame, name: str, metric: Metric, texts: Mapping[str, str | None] | None
) -> pl.DataFrame:
    """Return the values of each query by both systems, worst first; ids break ties, whatever the order of gold."""
    own = before.select("unit", old=name).join(
        after.select("unit", new=name), on="unit", how="left", maintain_order="left"
    )
    own = own.with_columns(difference=pl.col("new") - pl.col("old"))
    gain = pl.col("difference") * (1 if metric.higher_is_better else -1)
    change = (
        pl.when(gain.is_null())
        .then(pl.lit("undefined"))
        .when(gain < -_SAME)
        .then(pl.lit("worse"))
        .when(gain > _SAME)
        .then(pl.lit("better"))
        .otherwise(pl.lit("same"))
    )
    own = own.with_columns(change=change).sort(gain, "unit", nulls_last=True)
    if texts is None:
        return own
    query = pl.Series("query", [texts.get(unit) for unit in own["unit"]], dtype=pl.String)
    return own.insert_column(1, query)


def _counts(name: str, values: pl.DataFrame) -> ChangedQueries:
    counts: dict[str, int] = dict(values["change"].value_counts().iter_rows())
    worse, same, better, undefined = (counts.get(change, 0) for change in ("worse", "same", "better", "undefined"))
    p = sign_test(better, worse)
    return ChangedQueries(metric=name, worse=worse, same=same, better=better, undefined=undefined, p=p, corrected=p)


def _corrected(found: dict[str, QueryChanges], metrics: Sequence[str]) -> dict[str, QueryChanges]:
    """Correct the p-values of each metric over all systems that were compared with the first."""
    p = {name: holm([own.counts[name].p for own in found.values()]) for name in metrics}
    return {
        new: replace(own, counts={name: replace(own.counts[name], corrected=float(p[name][k])) for name in metrics})
        for k, (new, own) in enumerate(found.items())
    }
