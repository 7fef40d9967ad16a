from karatage.scoring.nouns import Nouns as Nouns, nouns_of as nouns_of
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
from karatage.scoring.rereading import Repeatable as Repeatable
from karatage.scoring.result import Result as Result
from karatage.scoring.scoring import (
    check_repeatable as check_repeatable,
    open_run as open_run,
    predictions_format as predictions_format,
    profile_for as profile_for,
    repeatable as repeatable,
    score as score,
)
from karatage.scoring.scoring_options import (
    RECORDS as RECORDS,
    ScoringKeywords as ScoringKeywords,
    ScoringOptions as ScoringOptions,
    ScoringReading as ScoringReading,
)
from karatage.scoring.search.wrong_documents import SEARCH_KINDS as SEARCH_KINDS
from karatage.scoring.task import Progress as Progress, Run as Run
from karatage.scoring.unit_counts import Kept as Kept, strata_and_clusters as strata_and_clusters
