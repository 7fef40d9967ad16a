from karatage.training.ensembles import ensemble as ensemble
from karatage.training.events import Epoch as Epoch
from karatage.training.file_tagging import tag_file as tag_file
from karatage.training.folds import train_folds as train_folds
from karatage.training.models import MODELS as MODELS, get_model as get_model
from karatage.training.settings import assigned as assigned, read_settings as read_settings
from karatage.training.sweeps import Grid as Grid, Sweep as Sweep, run_sweep as run_sweep
from karatage.training.train_tagger import Outcome as Outcome, train as train, train_into as train_into
from karatage.training.trained_tagger import TrainedTagger as TrainedTagger, open_trained as open_trained
from karatage.training.training_data import Plan as Plan
