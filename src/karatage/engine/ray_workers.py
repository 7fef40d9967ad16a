"""What workers of a Ray cluster do. Ray sends these functions as they are: a worker may lack Karatage."""

from __future__ import annotations

from typing import Any

Answer = tuple[str, list[int], float]
"""Why a worker cannot do any part, or nothing; the units of each part; and how many seconds they took."""


def do_parts(
    work: tuple[bytes, bytes | None], parts: list[tuple[bytes, Any]], folder: str, version: str
) -> tuple[Answer, list[bytes]]:
    """Do adjacent parts, and add them up where that is wanted."""
    import pickle
    import time

    began = time.monotonic()
    problem = unfit(version, folder, [file for _, files in parts for file in files])
    if problem:
        return (problem, [], 0), []
    function = pickle.loads(work[0])  # noqa: S301  # from the process that wants the work, as the parts
    done = [function(pickle.loads(content)) for content, _ in parts]  # noqa: S301
    units = [getattr(one, "units", 0) for one in done]
    if work[1] is not None:
        add = pickle.loads(work[1])  # noqa: S301
        while len(done) > 1:
            done[:2] = [add(done[0], done[1])]
    contents = [pickle.dumps(one, pickle.HIGHEST_PROTOCOL) for one in done]
    return ("", units, time.monotonic() - began), contents


def add_parts(work: tuple[bytes, bytes | None], *found: list[bytes]) -> list[bytes]:
    """Add up what adjacent parts gathered."""
    import pickle

    add = pickle.loads(work[1] or b"")  # noqa: S301  # from the process that wants the work
    whole = pickle.loads(found[0][0])  # noqa: S301  # from other workers
    for other in found[1:]:
        whole = add(whole, pickle.loads(other[0]))  # noqa: S301
    return [pickle.dumps(whole, pickle.HIGHEST_PROTOCOL)]


def unfit(version: str, folder: str, files: list[tuple[str, int, int]]) -> str:
    """Say why this worker cannot do any part: it lacks Karatage or a file; nothing if it can."""
    import os
    import platform
    from contextlib import suppress

    here = f"the Ray worker on {platform.node()}"
    try:
        from karatage._version import __version__ as own
    except ImportError as error:
        return f"{here} cannot import Karatage ({error}). Install karatage {version} on all machines"
    if own != version:
        return f"{here} has karatage {own}, but this is {version}. Install the same version on all machines"
    with suppress(OSError):  # absolute paths do not need it, and a file that is not found is told below
        os.chdir(folder)
    hint = "Workers need all files at the same path: put them on storage that all machines share"
    for path, size, _ in files:
        try:
            found = os.stat(path).st_size  # noqa: PTH116  the paths are strings
        except OSError as error:
            return f"{path}: {here} cannot see this file ({error.strerror}). {hint}"
        if found != size:
            return f"{path} has {size:,} bytes here, but {found:,} for {here}. {hint}"
    return ""
