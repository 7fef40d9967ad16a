from karatage.metrics.cells import Cell as Cell, Layout as Layout
from karatage.metrics.evaluation import (
    CREDIT as CREDIT,
    NO_SCHEMA as NO_SCHEMA,
    Schema as Schema,
    Undefined as Undefined,
    claims_behind as claims_behind,
    compute as compute,
    evaluate as evaluate,
    exported as exported,
    unit_values as unit_values,
)
from karatage.metrics.means import (
    Sum as Sum,
    mean_columns as mean_columns,
    mean_rows as mean_rows,
    sums as sums,
    values_in as values_in,
)
from karatage.metrics.metric import AVERAGES as AVERAGES, MEASURES as MEASURES, SCENARIOS as SCENARIOS, Metric as Metric
from karatage.metrics.prices import price_ndcg as price_ndcg
from karatage.metrics.ranked import ranked_values as ranked_values
from karatage.metrics.ranked_measures import MEASURES_OF_LISTS as MEASURES_OF_LISTS, Measure as Measure
from karatage.metrics.rows import Merger as Merger, Rows as Rows, sort_rows as sort_rows
from karatage.metrics.score_value import LabelScores as LabelScores, Score as Score
from karatage.metrics.tallies import (
    COUNTS as COUNTS,
    KINDS as KINDS,
    NEGATIVES as NEGATIVES,
    TOKENS as TOKENS,
    Tally as Tally,
    attribute as attribute,
    tally as tally,
    tally_tags as tally_tags,
    total as total,
)
