from karatage.training.ensembles import ensemble as ensemble
from karatage.training.file_tagging import tag_file as tag_file
from karatage.training.fit_context import EpochResult as EpochResult
from karatage.training.folds import train_folds as train_folds
from karatage.training.models import MODELS as MODELS, get_model as get_model
from karatage.training.settings import (
    parse_assignments as parse_assignments,
    preset_name as preset_name,
    preset_names as preset_names,
    read_settings as read_settings,
)
from karatage.training.shard_tagging import tag_files as tag_files
from karatage.training.shards import writes_folder as writes_folder
from karatage.training.sweeps import Grid as Grid, Sweep as Sweep, run_sweep as run_sweep
from karatage.training.train_tagger import TrainingResult as TrainingResult, train as train, train_into as train_into
from karatage.training.trained_tagger import TrainedTagger as TrainedTagger, open_trained as open_trained
from karatage.training.training_choices import Combination as Combination, ModelName as ModelName
from karatage.training.training_data import TrainingPlan as TrainingPlan
