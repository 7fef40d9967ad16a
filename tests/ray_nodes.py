"""Ray clusters of several node processes on this machine, started and stopped by tests."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

PATIENCE = 120.0


def need_ray() -> None:
    """Skip a test where Ray is not installed; never where everything must be."""
    if find_spec("ray") is None:
        assert os.environ.get("KARATAGE_CI") != "1", "Ray is not installed"
        pytest.skip("Ray is not installed: pip install '.[ray]'")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Nodes:
    """A head and other nodes, each with processes of their own. Nobody without their token can use them."""

    def __init__(self, *cpus: int, path: Path, gpus: int = 0) -> None:
        # Sockets need short paths, which those of pytest are not.
        self._folder = TemporaryDirectory(prefix="kg-", dir="/tmp" if Path("/tmp").is_dir() else None)  # noqa: S108
        self.environment = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        self._path, self._nodes = path, list[subprocess.Popen[bytes]]()
        self.client_port = free_port()
        try:
            head = ("--head", "--port=0", f"--ray-client-server-port={self.client_port}", "--include-dashboard=false")
            self.start(cpus[0], *head)
            self._wait()
            self.address = (Path(self._folder.name) / "ray_current_cluster").read_text().strip()
            for own in cpus[1:]:
                self.start(own, f"--address={self.address}", f"--num-gpus={gpus}")
            self._wait()
        except BaseException:
            self.stop()
            raise

    def start(self, cpus: int, *options: str) -> None:
        command = [Path(sys.executable).with_name("ray"), "start", "--block", f"--num-cpus={cpus}", *options]
        command += ["--node-ip-address=127.0.0.1"]
        command += [f"--temp-dir={self._folder.name}", "--object-store-memory=100000000", "--disable-usage-stats"]
        environment = {**os.environ, **self.environment, "PYTHONPATH": str(self._path), "RAY_USAGE_STATS_ENABLED": "0"}
        with (Path(self._folder.name) / f"node-{len(self._nodes)}.log").open("wb") as log:
            pipes = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
            node = subprocess.Popen(command, env=environment, start_new_session=True, **pipes)  # type: ignore[call-overload]
        self._nodes.append(node)

    def _wait(self) -> None:
        """Wait until all nodes have started."""
        end = time.monotonic() + PATIENCE
        for number, node in enumerate(self._nodes):
            log = Path(self._folder.name) / f"node-{number}.log"
            while "Ray runtime started" not in log.read_text():
                assert time.monotonic() < end, "a node does not start"
                assert node.poll() is None, log.read_text()
                time.sleep(0.1)

    def kill(self, number: int) -> None:
        """Kill a node with everything that it runs, at once."""
        with suppress(ProcessLookupError):
            os.killpg(self._nodes[number].pid, signal.SIGKILL)
        self._nodes[number].wait()

    def stop(self) -> None:
        for number in reversed(range(len(self._nodes))):
            self.kill(number)
        self._folder.cleanup()
