"""Memory that was freed but is still held: the C library keeps it in pieces, which add up over hours of work."""

from __future__ import annotations

import ctypes
import os

SETTLED = 8
"""After how many parts of some work a process returns free memory: large ones take much longer than that does."""


def return_free_memory() -> None:
    """Return free memory to the system, where the C library can: in glibc, but not on macOS or Windows."""
    if os.name == "posix" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)) is not None:
        trim(0)
