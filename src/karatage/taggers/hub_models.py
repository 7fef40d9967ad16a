"""Models of the Hugging Face Hub by their names: looked up in the local cache, never downloaded."""

from __future__ import annotations

import re
from pathlib import Path

from karatage.errors import UsageError
from karatage.taggers.protocol import import_optional

_HUB_NAME = re.compile(r"([\w][\w.\-]*/[\w][\w.\-]*)(?:@([\w][\w.\-/]*))?")

_WEIGHTS = ("*.safetensors", "*.bin")


def model_folder(name: str) -> Path:
    """Return the folder of a model: an existing folder, or that of OWNER/MODEL[@REVISION] in the local cache."""
    if Path(name).is_dir():
        return Path(name)
    found = _HUB_NAME.fullmatch(name)
    if found is None:
        raise UsageError(f"{name}: no such folder. hf: takes a folder, or OWNER/MODEL of the Hugging Face Hub")
    hub = import_optional("huggingface_hub", "hf")
    try:
        folder = Path(hub.snapshot_download(found[1], revision=found[2], local_files_only=True))
    except (OSError, ValueError):  # not in the cache, or not a valid name
        where = "neither a folder nor a model in the local cache of the Hugging Face Hub"
        raise UsageError(f"{name}: {where}. To download it, run: {download_command(name)}") from None
    if not any(path for pattern in _WEIGHTS for path in folder.glob(pattern)):
        where = "its weights are not in the local cache of the Hugging Face Hub"
        raise UsageError(f"{name}: {where}. To download them, run: {download_command(name)}")
    return folder


def download_command(name: str) -> str:
    """Return the command that downloads a model of the Hub into the local cache."""
    model, _, revision = name.partition("@")
    return f"hf download {model}{f' --revision {revision}' if revision else ''}"
