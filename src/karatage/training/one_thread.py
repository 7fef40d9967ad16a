"""One thread for PyTorch, where work is shared between processes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_thread() -> Iterator[None]:
    """Let PyTorch, if it is imported, compute with one thread.

    The last digits of a sum depend on how many threads add it up, and no result may depend on how many processes share
    the work. Processes with one thread each also get more done than one process with many threads.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
