"""One training in its own process: `python -m karatage.training.crf.crf_worker JOB MODEL`.

It reads the job from one file, reports each iteration on standard output, and writes the model to the other file.
"""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

from karatage.training.crf.crf_jobs import CrfJob


def main(job: str, model: str) -> None:
    """Run a job."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process ends this one

    def on_iteration(iteration: int, loss: float) -> None:
        sys.stdout.write(f"{iteration} {loss!r}\n")
        sys.stdout.flush()

    CrfJob.from_dict(json.loads(Path(job).read_bytes())).run(Path(model), on_iteration)


if __name__ == "__main__":
    main(*sys.argv[1:])
