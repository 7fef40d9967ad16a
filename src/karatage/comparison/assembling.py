"""A comparison from the counts of all systems: its tables, its warnings, and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from karatage.comparison.comparison import Comparison, Contest
from karatage.comparison.difference_origin import origin_of
from karatage.comparison.earlier_test import with_earlier_test
from karatage.comparison.pairwise import PairwiseTests
from karatage.comparison.significance_tests import TestName
from karatage.comparison.system_counts import SystemCounts, arranged
from karatage.metrics import Metric
from karatage.profiles import Profile
from karatage.stats import Resampling


def compare_systems(
    sets: Mapping[str, SystemCounts],
    profile: Profile,
    resampling: Resampling,
    test: TestName,
    *,
    margins: Mapping[Metric, float] | None = None,
    by_label: bool = True,
) -> Comparison:
    """Compare the systems on all test sets together, and on each where there are several."""
    clusters = [one.resampling.cluster_by for one in sets.values() if one.resampling.cluster_by is not None]
    resampling = replace(resampling, cluster_by=clusters[0] if clusters else None)
    tests = PairwiseTests(arranged(sets), resampling, test, margins)
    first = tests.sets[0]
    profile = replace(first.profile, metrics=profile.metrics, headline=profile.headline)
    headline = profile.metrics[profile.headline]
    contests = tests.contests(profile.metrics)
    if test == "t" and not tests.several and first.judge_units is None and not first.annotators:
        contests = {
            name: with_earlier_test(contest, profile.metrics[name], tests.sets, tests.runs, resampling)
            for name, contest in contests.items()
        }
    labels: dict[str, Contest] = {}
    apart: dict[str, Comparison] = {}
    most: list[dict[str, Any]] = []
    if len(sets) == 1:
        own = {label: replace(profile.label_headline, label=label) for label in first.labels}
        labels = PairwiseTests(tests.sets, resampling, test).contests(own, together=True) if by_label else {}
        most = first.most_different(headline)
    else:
        apart = {
            name: compare_systems({name: one}, profile, resampling, test, margins=margins, by_label=by_label)
            for name, one in sets.items()
        }
    count = sum(len(contest.differences) for contest in (labels or {"": contests[profile.headline]}).values())
    warnings = tests.warnings()
    if len(sets) == 1:
        warnings += first.doubts(dict.fromkeys([headline, *profile.metrics.values()]))
    if test != "t" and not tests.several and count > (resampling.resamples + 1) * (1 - resampling.level):
        warnings.append(
            f"{resampling.resamples:,} resamples are too few for a table of {count:,} tests: none of them can be "
            "significant. Use more --resamples"
        )
    word = partial(first.nouns.worded, cluster_by=resampling.cluster_by)
    gold = {name: one.gold_digest for name, one in sets.items()}
    systems = {name: one.digests for name, one in sets.items()}
    return Comparison(
        profile=profile,
        nouns=first.nouns,
        resampling=resampling,
        test=test,
        contests={name: contest.worded(word) for name, contest in contests.items()},
        by_label={name: contest.worded(word) for name, contest in labels.items()},
        units={name: one.units for name, one in sets.items()},
        drawn=sum(one.sampler.size for one in sets.values()),
        design_effects=first.design_effects(profile.metrics[profile.headline]) if len(sets) == 1 else {},
        sets=apart,
        warnings=tuple(warnings),
        provenance={"gold": gold.get("", gold), "systems": systems.get("", systems), **_judge_digests(sets)},
        most=most,
        origin=origin_of(contests[profile.headline], first, headline) if len(sets) == 1 else None,
        annotators=first.annotators,
        agreement=first.agreement,
        judged_shares=first.judged_shares if len(sets) == 1 else {},
        too_few=tests.too_few,
        judged={name: one.judge_units for name, one in sets.items() if one.judge_units is not None},
    )


def _judge_digests(sets: Mapping[str, SystemCounts]) -> dict[str, Any]:
    digests = {name: one.judge_digest for name, one in sets.items() if one.judge_units is not None}
    return {"judge": digests.get("", digests)} if digests else {}
