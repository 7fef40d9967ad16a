from karatage.engine.engine import Engine as Engine, WorkLost as WorkLost
from karatage.engine.local_processes import LocalProcesses as LocalProcesses
from karatage.engine.running import Jobs as Jobs, Running as Running, RunningKeywords as RunningKeywords
