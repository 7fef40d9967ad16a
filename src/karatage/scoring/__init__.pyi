from karatage.scoring.annotating import (
    AnnotatedScores as AnnotatedScores,
    agreement as agreement,
    annotator_effect as annotator_effect,
    annotator_warnings as annotator_warnings,
    check_annotated as check_annotated,
    check_files as check_files,
    in_common_order as in_common_order,
    resolve_annotators as resolve_annotators,
)
from karatage.scoring.bad_shards import on_readable as on_readable
from karatage.scoring.clusters import (
    ClusterSearch as ClusterSearch,
    strata_and_clusters as strata_and_clusters,
    strata_of as strata_of,
)
from karatage.scoring.doubtful_intervals import doubts as doubts
from karatage.scoring.extraction_result import ExtractionResult as ExtractionResult
from karatage.scoring.folding import folded as folded
from karatage.scoring.joint_counts import JointCounts as JointCounts, ListedRows as ListedRows, RunRows as RunRows
from karatage.scoring.judged_counts import JudgedUnits as JudgedUnits
from karatage.scoring.judging import (
    Judge as Judge,
    JudgedTask as JudgedTask,
    check_resampling as check_resampling,
    judge_effect as judge_effect,
    judge_warnings as judge_warnings,
)
from karatage.scoring.levels import Level as Level, Levels as Levels
from karatage.scoring.nouns import Nouns as Nouns, counted as counted, plural as plural
from karatage.scoring.outcomes.claim_texts import Texts as Texts
from karatage.scoring.outcomes.error_frames import (
    AROUND as AROUND,
    KIND_NAMES as KIND_NAMES,
    confusion_of as confusion_of,
    count_details as count_details,
    count_kinds as count_kinds,
    errors_frame as errors_frame,
    unit_names as unit_names,
    wanted_kind as wanted_kind,
)
from karatage.scoring.outcomes.error_kinds import DETAILS as DETAILS
from karatage.scoring.outcomes.outcome_batches import read_outcomes as read_outcomes
from karatage.scoring.outcomes.outcomes import Outcomes as Outcomes
from karatage.scoring.ray_datasets import score_dataset as score_dataset
from karatage.scoring.result import Result as Result
from karatage.scoring.samples.aligned_samples import AlignedSamples as AlignedSamples, logged_profile as logged_profile
from karatage.scoring.samples.measured import Measured as Measured, check_no_log as check_no_log, log_of as log_of
from karatage.scoring.samples.measured_result import MeasuredResult as MeasuredResult
from karatage.scoring.scoring import (
    annotator_pairs as annotator_pairs,
    open_judged as open_judged,
    open_task as open_task,
    resolve_inputs as resolve_inputs,
    resolve_judge as resolve_judge,
    resolve_predictions as resolve_predictions,
    score as score,
    usual_profile as usual_profile,
)
from karatage.scoring.scoring_options import (
    RECORDS as RECORDS,
    ScoreKeywords as ScoreKeywords,
    ScoringKeywords as ScoringKeywords,
    ScoringOptions as ScoringOptions,
    ScoringReading as ScoringReading,
)
from karatage.scoring.search.moved_documents import MOVES as MOVES
from karatage.scoring.search.query_table import read_queries as read_queries
from karatage.scoring.search.result_pool import judged_apart as judged_apart
from karatage.scoring.search.search import Search as Search
from karatage.scoring.search.search_result import SearchResult as SearchResult
from karatage.scoring.search.wrong_documents import SEARCH_KINDS as SEARCH_KINDS
from karatage.scoring.shard_errors import suggesting as suggesting
from karatage.scoring.skipped_shards import SkippedShard as SkippedShard, skipped_warnings as skipped_warnings
from karatage.scoring.task import (
    Progress as Progress,
    Task as Task,
    adding_up as adding_up,
    blamed as blamed,
    check_same_units as check_same_units,
    digests_of as digests_of,
)
from karatage.scoring.unit_counts import OrderedCounts as OrderedCounts, UnitRows as UnitRows
