"""Memory that was freed but is still held: the C library keeps it in pieces, which add up over hours of work."""

from __future__ import annotations

import ctypes
import os
from itertools import count

_EVERY = 64
"""After how many batches free memory is returned: that takes time, too, and so does taking it again."""

_batches = count(1)


def settle() -> None:
    """Return free memory to the system now and then; to be called after each batch that was read.

    The C library can do that in glibc, but not on macOS or Windows.
    """
    if next(_batches) % _EVERY or os.name != "posix":
        return
    if (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)) is not None:
        trim(0)
