"""Files of tensors: weights and checkpoints, written completely or not at all, read without running code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karatage.errors import InputError
from karatage.formats import writing

if TYPE_CHECKING:
    from torch import Tensor


def write_tensors(path: Path, tensors: Mapping[str, Tensor], facts: Mapping[str, Any] | None = None) -> None:
    """Write named tensors, with plain facts as metadata."""
    from safetensors.torch import save

    flat = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with writing(path) as out:
        out.write(save(flat, {"karatage": json.dumps(facts or {})}))


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read what `write_tensors` wrote."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "pt") as stream:
            metadata = stream.metadata() or {}
            facts = json.loads(metadata.get("karatage") or metadata["karat"])  # the old name of the package
            return {name: stream.get_tensor(name) for name in stream.keys()}, facts  # noqa: SIM118  not a mapping
    except (SafetensorError, KeyError, ValueError, OSError) as error:
        raise InputError(
            f"is damaged, or was not written by Karatage ({error})", source=str(path), hint="Train the model again"
        ) from None
