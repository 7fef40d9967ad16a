from karatage.recall.amundsen import (
    folder_of as folder_of,
    read_benchmark as read_benchmark,
    write_benchmark as write_benchmark,
)
from karatage.recall.benchmark import Benchmark as Benchmark, Positive as Positive, Stratum as Stratum
from karatage.recall.drawing.candidate_patterns import (
    Pattern as Pattern,
    WordList as WordList,
    read_pattern as read_pattern,
    read_words as read_words,
)
from karatage.recall.drawing.draw_folder import check_folder as check_folder
from karatage.recall.drawing.draw_sample import draw as draw
from karatage.recall.drawing.drawn import Draw as Draw
from karatage.recall.drawing.read_draw_folder import read_draw as read_draw
from karatage.recall.estimates import Estimate as Estimate, counts_of as counts_of, estimate_results as estimate_results
from karatage.recall.estimating import estimate as estimate, with_dropped as with_dropped
from karatage.recall.label_plan import (
    RECALL as RECALL,
    Guess as Guess,
    LabelPlan as LabelPlan,
    guesses_from as guesses_from,
    plan_labels as plan_labels,
)
from karatage.recall.labels.agreement import (
    Agreement as Agreement,
    Conflict as Conflict,
    agreements as agreements,
    conflicts as conflicts,
)
from karatage.recall.labels.answers import (
    Export as Export,
    no_answers as no_answers,
    read_answers as read_answers,
    read_kept as read_kept,
)
from karatage.recall.labels.labelling import (
    Labelled as Labelled,
    adjudicate as adjudicate,
    import_labels as import_labels,
)
from karatage.recall.labels.settling import write_conflicts as write_conflicts
from karatage.recall.leaderboard import (
    Board as Board,
    Entry as Entry,
    put as put,
    read_board as read_board,
    read_result as read_result,
    reweighted as reweighted,
)
from karatage.recall.linting.findings import ERROR as ERROR, WARNING as WARNING, Finding as Finding
from karatage.recall.linting.linter import lint as lint
from karatage.recall.precision import Precision as Precision, read_precision as read_precision
from karatage.recall.tax import Tax as Tax, tokenisation_tax as tokenisation_tax
