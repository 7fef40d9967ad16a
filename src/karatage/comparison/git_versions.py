"""A file as it is in another revision of its git repository."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from karatage._temporaries import scratch_folder
from karatage._writing import create_file
from karatage.errors import InputError, UsageError


@contextmanager
def file_at(revision: str, path: str) -> Iterator[Path]:
    """Yield a copy of a file as it is in a revision, which lasts as long as the block.

    The copy has the name of the file, because its extension tells the format.

    Args:
        revision: A branch, tag or commit, e.g. `origin/main`.
        path: The file, in a folder of the repository.
    """
    if revision.startswith("-") or ":" in revision or not revision:
        raise UsageError(f"{revision!r} is not a git revision: name a branch, tag or commit, e.g. origin/main")
    file = Path(path)
    if not file.exists():
        raise InputError("no such file or folder", source=path, hint="Check the path")
    if not file.is_file():
        hint = "Name one file, or pass the earlier predictions as --baseline"
        raise InputError("not a file: its earlier version cannot be read from git", source=path, hint=hint)
    if file.is_symlink():
        hint = "Pass the earlier predictions as --baseline"
        raise InputError("a link: git has no content for it", source=path, hint=hint)
    folder = str(file.parent)
    _git(folder, revision, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    # With filters, a file that Git LFS stores is the file itself and not a pointer to it.
    content = _git(folder, f"{revision}:{path}", "cat-file", "--filters", f"{revision}:./{file.name}")
    with scratch_folder() as place:
        copy = place / file.name
        create_file(copy, content)
        yield copy


def _git(folder: str, named: str, *words: str) -> bytes:
    """Run git in a folder and return what it prints."""
    # A repository may name a program that watches its files, which git would run.
    command = ["git", "-C", folder, "-c", "core.fsmonitor=false", *words]
    try:
        done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603  no shell, and the words are checked
    except OSError as error:
        raise InputError(f"cannot run git ({error.strerror})", source=named, hint="Install git") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0].removeprefix("fatal: ")
        hint = "Fetch the base branch, and merge the predictions there first, or pass them as --baseline"
        raise InputError(f"git cannot read this revision{f' ({said})' if said else ''}", source=named, hint=hint)
    return done.stdout
