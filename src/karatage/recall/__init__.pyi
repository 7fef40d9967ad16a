from karatage.recall.benchmark import Benchmark as Benchmark, Positive as Positive, Stratum as Stratum
from karatage.recall.benchmark_files import (
    benchmark_folder as benchmark_folder,
    read_benchmark as read_benchmark,
    write_benchmark as write_benchmark,
)
from karatage.recall.board_results import BoardResult as BoardResult, read_result as read_result
from karatage.recall.count_defects import usable_counts as usable_counts
from karatage.recall.drawing.candidate_patterns import (
    Pattern as Pattern,
    WordList as WordList,
    read_pattern as read_pattern,
    read_words as read_words,
)
from karatage.recall.drawing.draw_folder import (
    check_folder as check_folder,
    read_draw as read_draw,
    write_draw as write_draw,
)
from karatage.recall.drawing.draw_record import Draw as Draw
from karatage.recall.drawing.draw_sample import draw as draw
from karatage.recall.estimate_options import (
    EstimateOptions as EstimateOptions,
    FailedTexts as FailedTexts,
    RecallMethod as RecallMethod,
    UnresolvedItems as UnresolvedItems,
)
from karatage.recall.estimate_tagger import STORED as STORED, estimate as estimate, with_dropped as with_dropped
from karatage.recall.label_plan import LabelPlan as LabelPlan, plan_labels as plan_labels
from karatage.recall.labels.agreement import (
    Agreement as Agreement,
    Conflict as Conflict,
    agreements as agreements,
    conflicts as conflicts,
    write_conflicts as write_conflicts,
)
from karatage.recall.labels.answer_exports import (
    Export as Export,
    no_answers as no_answers,
    read_answers as read_answers,
)
from karatage.recall.labels.answers import read_labels as read_labels
from karatage.recall.labels.label_import import (
    LabelledBenchmark as LabelledBenchmark,
    adjudicate as adjudicate,
    import_labels as import_labels,
)
from karatage.recall.leaderboard import (
    Board as Board,
    BoardEntry as BoardEntry,
    read_board as read_board,
    update_board as update_board,
)
from karatage.recall.linting.benchmark_checks import LintFinding as LintFinding
from karatage.recall.linting.linter import lint as lint
from karatage.recall.pooling import PooledRecall as PooledRecall, check_pool as check_pool, pool as pool
from karatage.recall.precision import (
    PrecisionSample as PrecisionSample,
    PrecisionStratum as PrecisionStratum,
    read_precision as read_precision,
)
from karatage.recall.recall_estimate import (
    RecallEstimate as RecallEstimate,
    estimate_results as estimate_results,
    stratum_counts as stratum_counts,
)
from karatage.recall.repairing.repair_benchmark import (
    RepairedBenchmark as RepairedBenchmark,
    check_new as check_new,
    repair as repair,
)
from karatage.recall.repairing.row_repairs import RowRepair as RowRepair
from karatage.recall.repairing.stratum_repairs import DroppedStratum as DroppedStratum, StratumRepair as StratumRepair
from karatage.recall.second_labels import (
    SUPPOSED as SUPPOSED,
    CheckedCounts as CheckedCounts,
    CorrectedLabels as CorrectedLabels,
    LabelCheck as LabelCheck,
    SecondLabels as SecondLabels,
    WrongLabels as WrongLabels,
    read_second_labels as read_second_labels,
)
from karatage.recall.stratum_guess import (
    RECALL as RECALL,
    TRUST as TRUST,
    StratumGuess as StratumGuess,
    guesses_from_pilot as guesses_from_pilot,
)
from karatage.recall.tokenisation_cost import TokenisationTax as TokenisationTax, tokenisation_tax as tokenisation_tax
