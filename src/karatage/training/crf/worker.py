"""One training in a process of its own: `python -m karatage.training.crf.worker JOB MODEL`.

It reads the job from one file, tells of each iteration on its output, and writes the model into the other file.
"""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

from karatage.training.crf.jobs import Job


def main(job: str, model: str) -> None:
    """Train what a job asks for."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this ends it

    def heard(iteration: int, loss: float) -> None:
        sys.stdout.write(f"{iteration} {loss!r}\n")
        sys.stdout.flush()

    Job.from_dict(json.loads(Path(job).read_bytes())).run(Path(model), heard)


if __name__ == "__main__":
    main(*sys.argv[1:])
