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
from karatage.scoring.clusters import strata_and_clusters as strata_and_clusters
from karatage.scoring.doubtful_intervals import doubts as doubts
from karatage.scoring.extraction_result import ExtractionResult as ExtractionResult
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
    errors_frame as errors_frame,
    unit_names as unit_names,
    wanted_kind as wanted_kind,
)
from karatage.scoring.outcomes.error_kinds import DETAILS as DETAILS
from karatage.scoring.outcomes.outcomes import Outcomes as Outcomes
from karatage.scoring.result import Result as Result
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
    ScoringKeywords as ScoringKeywords,
    ScoringOptions as ScoringOptions,
    ScoringReading as ScoringReading,
)
from karatage.scoring.search.search_result import SearchResult as SearchResult
from karatage.scoring.search.wrong_documents import SEARCH_KINDS as SEARCH_KINDS
from karatage.scoring.task import Progress as Progress, Task as Task, adding_up as adding_up
from karatage.scoring.unit_counts import OrderedCounts as OrderedCounts, UnitRows as UnitRows
