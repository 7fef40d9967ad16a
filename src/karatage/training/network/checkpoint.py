"""Where a training stands, in one file of tensors: written whole or not at all, read without running code."""

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
    """Write tensors under their names, with plain facts beside them."""
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
            return {name: stream.get_tensor(name) for name in stream.keys()}, facts  # noqa: SIM118  it is no mapping
    except (SafetensorError, KeyError, ValueError, OSError) as error:
        raise InputError(
            f"is damaged or not a file of tensors that Karatage wrote ({error})", source=str(path), hint="Train again"
        ) from None
