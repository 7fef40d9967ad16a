from karatage.stats.assisted_recall import Assisted as Assisted, assisted as assisted
from karatage.stats.convolution import sign_flip_p as sign_flip_p
from karatage.stats.few_positives import recall_limits as recall_limits, totals as totals
from karatage.stats.intervals import (
    around_difference as around_difference,
    deviation as deviation,
    difference_interval as difference_interval,
    effective_wilson as effective_wilson,
    evidence_interval as evidence_interval,
    score_interval as score_interval,
    with_intervals as with_intervals,
)
from karatage.stats.label_errors import (
    CorrectedRecall as CorrectedRecall,
    LabelErrors as LabelErrors,
    corrected_recall as corrected_recall,
)
from karatage.stats.labelled_part import LabelledPart as LabelledPart
from karatage.stats.ladder import Ladder as Ladder
from karatage.stats.paired import (
    RunSpread as RunSpread,
    Swaps as Swaps,
    Values as Values,
    bootstrap_p as bootstrap_p,
    crossed as crossed,
    differing as differing,
    holm as holm,
    random_p as random_p,
    randomisation_p as randomisation_p,
)
from karatage.stats.paired_difference import PairedDifference as PairedDifference
from karatage.stats.pooled_samples import pooled_recall as pooled_recall
from karatage.stats.populations import Population as Population
from karatage.stats.power import (
    POWER as POWER,
    DifferenceError as DifferenceError,
    PilotError as PilotError,
    check_assurance as check_assurance,
    check_power as check_power,
    implied_error as implied_error,
    minimum_detectable_difference as minimum_detectable_difference,
    possible as possible,
)
from karatage.stats.prediction_powered import (
    JudgedSampler as JudgedSampler,
    Powered as Powered,
)
from karatage.stats.proportions import jeffreys as jeffreys, student as student, wilson as wilson
from karatage.stats.ranks import (
    RankInterval as RankInterval,
    named_ranks as named_ranks,
    rank_intervals as rank_intervals,
)
from karatage.stats.rater_agreement import (
    cohen_kappa as cohen_kappa,
    mean_gap as mean_gap,
    share_agreed as share_agreed,
)
from karatage.stats.repeated_looks import expected_best as expected_best, level_of_look as level_of_look
from karatage.stats.resampled_metrics import Influence as Influence, Sampler as Sampler, TwoSystems as TwoSystems
from karatage.stats.resampling_options import (
    ASSURANCE as ASSURANCE,
    AUTO as AUTO,
    DOCUMENT as DOCUMENT,
    LEVEL as LEVEL,
    Level as Level,
    Resamples as Resamples,
    Resampling as Resampling,
    ResamplingKeywords as ResamplingKeywords,
    Seed as Seed,
    check_level as check_level,
)
from karatage.stats.set_ranks import (
    Friedman as Friedman,
    SignedRanks as SignedRanks,
    critical_difference as critical_difference,
    fewest_sets as fewest_sets,
    friedman as friedman,
    ranked as ranked,
    signed_ranks as signed_ranks,
)
from karatage.stats.set_sample import FEWEST_SETS as FEWEST_SETS, SetSample as SetSample, mean_ends as mean_ends
from karatage.stats.share_moves import ByShare as ByShare
from karatage.stats.signs import sign_test as sign_test
from karatage.stats.stratified import (
    ALLOW_FOR_HIDDEN as ALLOW_FOR_HIDDEN,
    DEFAULT as DEFAULT,
    METHODS as METHODS,
    Strata as Strata,
    interval as interval,
    mover as mover,
    posterior as posterior,
    ratio_variance as ratio_variance,
)
from karatage.stats.unit_evidence import (
    FEW_UNITS as FEW_UNITS,
    UNEVEN as UNEVEN,
    Evidence as Evidence,
    design_effect as design_effect,
    evidence as evidence,
    mean_of as mean_of,
    over_sets as over_sets,
)
