from karatage.engine.engine import Engine as Engine, PartsDone as PartsDone, WorkLost as WorkLost
from karatage.engine.head_start import start_early as start_early
from karatage.engine.local_processes import LocalProcesses as LocalProcesses
from karatage.engine.ray_cluster import RayCluster as RayCluster
from karatage.engine.resuming import Resumed as Resumed
from karatage.engine.running import (
    ENGINES as ENGINES,
    LARGE as LARGE,
    EngineName as EngineName,
    Jobs as Jobs,
    Resume as Resume,
    Running as Running,
    RunningKeywords as RunningKeywords,
    usable_cores as usable_cores,
)
