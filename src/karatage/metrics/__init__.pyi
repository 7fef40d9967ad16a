from karatage.metrics.averages import AVERAGES as AVERAGES, UNITS as UNITS, Schema as Schema
from karatage.metrics.joint_rows import beside as beside, part_of as part_of
from karatage.metrics.logged_scores import LoggedScore as LoggedScore, logged_metric as logged_metric
from karatage.metrics.means import mean_rows as mean_rows, sums as sums, values_in as values_in
from karatage.metrics.measure import (
    COUNTS as COUNTS,
    NEGATIVES as NEGATIVES,
    TOKENS as TOKENS,
    CountMeasure as CountMeasure,
    Measure as Measure,
    QueryEvidence as QueryEvidence,
    measures as measures,
)
from karatage.metrics.metric import NO_SCHEMA as NO_SCHEMA, STEP as STEP, Metric as Metric, Undefined as Undefined
from karatage.metrics.metric_names import common_metrics as common_metrics
from karatage.metrics.named_counts import (
    CREDIT as CREDIT,
    SCENARIOS as SCENARIOS,
    Cell as Cell,
    Counts as Counts,
    Layout as Layout,
    Values as Values,
)
from karatage.metrics.precision_recall import FBeta as FBeta, Precision as Precision, Recall as Recall
from karatage.metrics.query_measure import (
    Parameter as Parameter,
    QueryMeasure as QueryMeasure,
    RankedMeasure as RankedMeasure,
    RelevanceMeasure as RelevanceMeasure,
    choice as choice,
    parameter as parameter,
)
from karatage.metrics.result_lists import (
    ResultLists as ResultLists,
    among_judged as among_judged,
    first_results as first_results,
)
from karatage.metrics.rows import Merger as Merger, Rows as Rows, owners as owners, sort_rows as sort_rows
from karatage.metrics.score_value import (
    AnnotatorEffect as AnnotatorEffect,
    JudgeEffect as JudgeEffect,
    LabelScores as LabelScores,
    Score as Score,
    evaluate as evaluate,
)
from karatage.metrics.tallies import (
    KINDS as KINDS,
    Tally as Tally,
    attribute as attribute,
    tally as tally,
    tally_tags as tally_tags,
    total as total,
)
from karatage.metrics.tangents import Tangent as Tangent, tangent as tangent, tangents_by_label as tangents_by_label
from karatage.metrics.token_level import on_tokens as on_tokens
from karatage.metrics.token_types import count_types as count_types, tally_types as tally_types
