"""Position bias and attractiveness, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from karatage.clicks.attractiveness import attractiveness, limits
from karatage.clicks.click_table import ClickTable
from karatage.clicks.position_bias import linked_ranks, position_based, rank_rates
from karatage.stats import wilson


def table(cells: list[tuple[int, int, int, int]], sessions: int = 0) -> ClickTable:
    """Make rows of pair, rank, impressions and clicks; each row has its own session, or there are so many in turn."""
    pair, rank, clicked = [], [], []
    for own, at, shown, clicks in cells:
        pair += [own] * shown
        rank += [at] * shown
        clicked += [1.0] * clicks + [0.0] * (shown - clicks)
    session = np.arange(len(pair)) % (sessions or len(pair))
    return ClickTable(np.array(pair), np.array(rank), session, np.array(clicked))


TWO = [(0, 1, 20, 12), (0, 2, 20, 6), (1, 1, 20, 8), (1, 2, 40, 8)]
"""Both pairs are clicked half as often at rank 2: 6/20 to 12/20, and 8/40 to 8/20."""


def test_propensities_are_ratios_of_click_rates_of_the_same_pairs() -> None:
    bias = position_based(table(TWO), np.array([1, 2]))
    assert bias.ranks.tolist() == [1, 2]
    assert bias.propensity == pytest.approx([1, 0.5], abs=1e-9)


def test_click_rates_by_rank_mistake_better_documents_for_position() -> None:
    # 20 of 40 at rank 1 and 14 of 60 at rank 2: 0.2333/0.5 = 0.4667, for the worse pair is shown more often at rank 2.
    assert rank_rates(table(TWO)).propensity == pytest.approx([1, 14 / 60 / 0.5])


def test_attractiveness_is_clicks_over_expected_clicks() -> None:
    # Expected clicks are 20 + 20/2 = 30 and 20 + 40/2 = 40; there are 18 and 16.
    made = table(TWO)
    found = attractiveness(made, position_based(made, np.array([1, 2])), 0.95)
    assert found.value == pytest.approx([0.6, 0.4])
    assert found.impressions.tolist() == [40, 60]
    assert found.clicks.tolist() == [18, 16]
    assert found.sessions.tolist() == [40, 60]
    assert (found.low < found.value).all()
    assert (found.value < found.high).all()


def test_the_interval_is_wilsons_where_propensities_are_one_and_known() -> None:
    clicks, shown = np.array([8.0, 0.0, 10.0]), np.array([10.0, 10.0, 10.0])
    low, high = limits(clicks, shown, shown, np.ones(3), np.zeros(3), 0.95)
    expected = wilson(clicks, shown)
    assert low == pytest.approx(expected[0])
    assert high == pytest.approx(expected[1])
    assert (low[0], high[0]) == (pytest.approx(0.490, abs=5e-4), pytest.approx(0.943, abs=5e-4))


def test_uncertain_propensities_and_dependent_sessions_widen_the_interval() -> None:
    one = np.ones(1)
    plain, unsure, alike, hopeless = (
        limits(8 * one, 10 * one, 10 * one, design * one, spread * one, 0.95)
        for design, spread in ((1, 0), (1, 0.04), (3, 0), (1, 1))
    )
    for wider in (unsure, alike, hopeless):
        assert wider[0] < plain[0]
        assert wider[1] >= plain[1]
    assert hopeless[1] == 1


def test_repeated_impressions_in_a_session_are_worth_less() -> None:
    """Twenty sessions that see a pair five times, and always click or never."""
    sessions = np.repeat(np.arange(20), 5)
    clicked = np.repeat((np.arange(20) < 8).astype(float), 5)
    alike = ClickTable(np.zeros(100, int), np.ones(100, int), sessions, clicked)
    found = attractiveness(alike, rank_rates(alike), 0.95)
    assert found.correlation == pytest.approx(1)
    # So 100 impressions are worth 20: Wilson's interval of 8 of 20, but for the same estimate.
    low, high = wilson(8, 20)
    assert (found.low[0], found.high[0]) == (pytest.approx(float(low)), pytest.approx(float(high)))


def test_ranks_are_linked_by_clicks_in_both_directions() -> None:
    cells = [*TWO, (2, 3, 20, 10), (2, 4, 20, 10), (3, 5, 50, 20)]
    # 3 and 4 are linked to each other, with fewer clicks; 5 is shown alone.
    assert linked_ranks(table(cells)).tolist() == [1, 2]
    # A pair at 2 and 3 whose clicks are all at 2 leads from 2 to 3, and not back.
    assert linked_ranks(table([*cells, (4, 2, 20, 10), (4, 3, 20, 0)])).tolist() == [1, 2]
    assert linked_ranks(table([*cells, (4, 2, 20, 10), (4, 3, 20, 10)])).tolist() == [1, 2, 3, 4]


def test_a_rank_with_few_clicks_is_not_estimated() -> None:
    assert linked_ranks(table([*TWO, (0, 3, 20, 9)])).tolist() == [1, 2]
    assert linked_ranks(table([*TWO, (0, 3, 20, 10)])).tolist() == [1, 2, 3]


def test_documents_that_never_move_link_nothing() -> None:
    assert len(linked_ranks(table([(0, 1, 50, 30), (1, 2, 50, 20), (2, 3, 50, 15)]))) < 2


def test_the_covariance_of_independent_rows_is_that_of_a_ratio() -> None:
    # For one pair, log θ has the variance of the log of a ratio of two rates, (1-p)/c at each rank:
    # 0.4/60 + 0.7/30 = 0.0300. The correction for the fitted rate moves it by less than 5 %.
    made = table([(0, 1, 100, 60), (0, 2, 100, 30)])
    bias = position_based(made, np.array([1, 2]))
    assert bias.covariance[1, 1] == pytest.approx(0.4 / 60 + 0.7 / 30, rel=0.05)
    assert not bias.covariance[0].any()
    low, high = bias.ends(1.96)
    assert low[1] < 0.5 < high[1]
