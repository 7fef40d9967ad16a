"""Other tools in environments of their own, as their requirements would hold back packages of ours."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import venv
from pathlib import Path
from typing import Any, cast

import pytest

from tests.browser import absent

FOLDER = "KARATAGE_PEERS"
"""Names a folder for the virtual environments, which may have them already; by default it is in pytest's cache."""


def installed(config: pytest.Config, package: str, version: str) -> Path:
    """Return the Python that has a package, installed by pip with the user's settings unless that was done before."""
    named = os.environ.get(FOLDER)
    cache: pytest.Cache | None = getattr(config, "cache", None)
    if named is None and cache is None:
        absent(f"a folder for {package} (pytest's cache, or one named by {FOLDER})")
    folder = (Path(named) if named else cast("pytest.Cache", cache).mkdir("peers")) / f"{package}-{version}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    python, done = folder / "bin" / "python", folder / "installed"
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:  # tests may run in several processes
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            venv.create(folder, with_pip=True)
            pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            made = subprocess.run([*pip, f"{package}=={version}"], capture_output=True, text=True, check=False)
            if made.returncode:
                absent(f"{package} {version}, which pip could not install ({made.stderr.strip()[-300:]}),")
            done.touch()
    return python


def told_by(python: Path, script: str, folder: Path, **environment: str) -> Any:
    """Run a script and return the JSON in its last line."""
    place = folder / "peer_script.py"
    place.write_text(script, "utf-8")
    done = subprocess.run(
        [str(python), str(place)],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | environment,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.strip().splitlines()[-1])
