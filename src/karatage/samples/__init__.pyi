from karatage.samples.log_formats import (
    LOG_FORMATS as LOG_FORMATS,
    LogFormat as LogFormat,
    log_format_names as log_format_names,
)
from karatage.samples.opened_logs import ScoreLog as ScoreLog, is_log as is_log, open_log as open_log
from karatage.samples.sample_scores import SampleScores as SampleScores
