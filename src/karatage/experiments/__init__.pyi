from karatage.experiments.differences import (
    Change as Change,
    Contrast as Contrast,
    changes as changes,
    contrast as contrast,
)
from karatage.experiments.experiment_records import (
    GROUP_METRICS as GROUP_METRICS,
    Draft as Draft,
    Epoch as Epoch,
    Record as Record,
    draft_of as draft_of,
    jsonable as jsonable,
    score_of as score_of,
)
from karatage.experiments.log import FOLDER as FOLDER, ExperimentLog as ExperimentLog, shown_names as shown_names
from karatage.experiments.logged_scores import log_score as log_score
from karatage.experiments.mlflow import export as export
from karatage.experiments.sweep_log import log_sweep as log_sweep
from karatage.experiments.training_log import log_training as log_training
