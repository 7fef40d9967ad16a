"""Whether lists look like team-draft: both teams in each round, and each of them first half of the time.

Clicks are compared as if each team had the same chance of each position. A log in which one team is always first, or in
which positions are counted otherwise than they seem to be, has a winner for that reason alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from karatage.errors import InputError

if TYPE_CHECKING:
    import polars as pl

_CLEARLY = 4.0
"""By how many standard errors, over sessions, a team is first more often than the other where that is no chance."""

_UNFAIR = 0.6
"""The share of impressions in which one team is first from which an experiment is refused."""

_NO_LAST = 20
"""How many clicks at the last position but one, and none at the last, make positions look as if counted from 0."""


class DraftedLists(NamedTuple):
    """How an experiment made its lists.

    Attributes:
        lists: how many impressions have a list of the two teams.
        first: in how many of them the first team is first.
        error: the standard error of this number, by session, if a coin decides.
        unlike: how many lists have a round that is not one document of each team.
        last: the clicks at the last position of a list, and at the one before.
    """

    lists: int
    first: int
    error: float
    unlike: int
    last: tuple[int, int]

    def check(self, systems: tuple[str, str], source: str) -> None:
        """Refuse an experiment in which one team is nearly always first."""
        if self.lists and self._apart and max(self.share, 1 - self.share) > _UNFAIR:
            raise InputError(
                f"not team-draft: {self._said(systems)}",
                source=source,
                hint="A coin must decide in each impression which team is first: the upper positions get more clicks "
                "whatever they show. Check how the lists were made",
            )

    def warnings(self, systems: tuple[str, str]) -> list[str]:
        """Say what does not look like team-draft."""
        out = []
        if self.lists and self._apart:
            out.append(f"{self._said(systems)}: a coin should decide, as the upper positions get more clicks")
        if self.unlike:
            out.append(
                f"lists in which a round of two positions has two documents of one team: {self.unlike:,} of "
                f"{self.lists:,}. Team-draft has one of each; a winner may be due to how the lists were made"
            )
        at_end, before = self.last
        if not at_end and before >= _NO_LAST:
            out.append(
                f"no click is at the last position of its list, but {before:,} are at the one before: if positions "
                "count from 0, all clicks go to the wrong document. Count them from 1"
            )
        return out

    @property
    def share(self) -> float:
        """The share of lists in which the first team is first."""
        return self.first / self.lists

    @property
    def _apart(self) -> bool:
        return abs(self.first - self.lists / 2) > _CLEARLY * self.error

    def _said(self, systems: tuple[str, str]) -> str:
        numbers = self.first, self.lists - self.first
        return f"{systems[0]} is first in {numbers[0]:,} impressions, {systems[1]} in {numbers[1]:,}"


def drafted_lists(raw: pl.DataFrame, clicks: pl.DataFrame, systems: tuple[str, str]) -> DraftedLists:
    """Look at the lists of an experiment.

    Args:
        raw: the log: the `row`, the `teams` of each list and, if known, the `session`.
        clicks: the `row`, position `at`, from 1, and `teams` of each click.
        systems: the names of the teams.
    """
    import polars as pl

    session = pl.col("session") if "session" in raw.columns else pl.lit(None, pl.String)
    known = raw.select("row", "teams", session=pl.coalesce(session.cast(pl.String), pl.format("\0{}", "row")))
    places = known.explode("teams").filter(pl.col("teams").is_in(list(systems)))
    places = places.with_columns(
        ours=pl.col("teams") == systems[0], round=pl.int_range(pl.len()).over("row", order_by="row") // 2
    )
    lists = places.group_by("row", maintain_order=True).agg(pl.col("session", "ours").first())
    by_session = lists.group_by("session").agg(apart=(pl.col("ours").cast(pl.Int64) * 2 - 1).sum())["apart"]
    return DraftedLists(
        lists=lists.height,
        first=int(lists["ours"].sum()),
        error=float(by_session.cast(pl.Float64).pow(2).sum()) ** 0.5 / 2,
        unlike=_unlike(places),
        last=(_at_end(clicks, 0), _at_end(clicks, 1)),
    )


def _unlike(places: pl.DataFrame) -> int:
    """Count lists with a round of one team alone; at the end of a list, the other team may have no documents left."""
    import polars as pl

    rounds = places.group_by("row", "round").agg(own=pl.col("ours").sum(), count=pl.len())
    one_team = (pl.col("count") == 2) & pl.col("own").is_in([0, 2])
    # After its own round, a team goes on alone only if the other one has nothing left.
    rounds = rounds.sort("row", "round").with_columns(
        alone=one_team,
        later_ours=pl.col("own").sum().over("row") - pl.col("own").cum_sum().over("row"),
        later=pl.col("count").sum().over("row") - pl.col("count").cum_sum().over("row"),
    )
    theirs = pl.col("later") > pl.col("later_ours")
    other_later = pl.when(pl.col("own") == 0).then(pl.col("later_ours") > 0).otherwise(theirs)
    broken = rounds.filter(pl.col("alone") & (other_later | (pl.col("round") == 0)))
    return broken["row"].n_unique()


def _at_end(clicks: pl.DataFrame, before: int) -> int:
    """Count clicks at the last position of lists with several documents, or so many before it."""
    import polars as pl

    size = pl.col("teams").list.len()
    return clicks.filter((size > 2) & (pl.col("at") == size - before)).height
