from karatage.experiments.experiment import (
    EpochEntry as EpochEntry,
    Experiment as Experiment,
    NewExperiment as NewExperiment,
    ScoredInputs as ScoredInputs,
    StoredInputs as StoredInputs,
)
from karatage.experiments.experiment_comparison import (
    ExperimentComparison as ExperimentComparison,
    compare_experiments as compare_experiments,
)
from karatage.experiments.experiment_explanation import explain_experiments as explain_experiments
from karatage.experiments.experiment_scores import (
    GROUP_METRICS as GROUP_METRICS,
    result_scores as result_scores,
    score_from as score_from,
)
from karatage.experiments.ledger import Ledger as Ledger
from karatage.experiments.log import FOLDER as FOLDER, ExperimentLog as ExperimentLog, display_names as display_names
from karatage.experiments.looks import (
    Look as Look,
    UsedTestSet as UsedTestSet,
    log_comparison as log_comparison,
    logged_gate as logged_gate,
    used_test_sets as used_test_sets,
)
from karatage.experiments.plain_data import to_json_values as to_json_values
from karatage.experiments.score_log import log_score as log_score
from karatage.experiments.setting_changes import SettingChange as SettingChange, changed_settings as changed_settings
from karatage.experiments.training_log import log_sweep as log_sweep, log_training as log_training
