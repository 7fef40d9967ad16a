"""The settings of a model in one line, as logs of experiments write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_OPTIMIZERS = {"adam": "Adam", "adamw": "AdamW", "sgd": "SGD"}


def config_line(model: str, config: Mapping[str, Any]) -> str:
    """Return the model, its sizes and how it was trained; what a model does not have is left out.

    >>> config_line("bilstm", {"word_dim": 128, "layers": 1, "optimizer": "adam", "learning_rate": 1e-3, "epochs": 50})
    'bilstm: word 128, 1 layer; Adam 1e-3, 50 epochs'
    """
    parts = [", ".join(part) for part in (_network(config), _training(config)) if part]
    return ": ".join(filter(None, (model, "; ".join(parts))))


def _network(config: Mapping[str, Any]) -> list[str]:
    sizes = {"word_dim": "word", "category_dim": "category", "hidden": "hidden", "c1": "c1", "c2": "c2"}
    out = [f"{word} {_short(config[name])}" for name, word in sizes.items() if name in config]
    if "layers" in config:
        out.append(f"{config['layers']} {'layer' if config['layers'] == 1 else 'layers'}")
    if "dropout" in config:
        out.append(f"dropout {_short(config['dropout'])}" if config["dropout"] else "no dropout")
    if config.get("scheme") == "IO":
        out.append("one tag per label")
    if config.get("restrict") is False:
        out.append("all labels in every category")
    return out


def _training(config: Mapping[str, Any]) -> list[str]:
    return list(_training_words(config))


def _training_words(config: Mapping[str, Any]) -> Iterator[str]:
    if "optimizer" in config:
        rate = config.get("learning_rate")
        name = _OPTIMIZERS.get(config["optimizer"], str(config["optimizer"]))
        yield name if rate is None else f"{name} {_power(rate)}"
    if config.get("weight_decay"):
        yield f"weight decay {_short(config['weight_decay'])}"
    if config.get("clip"):
        yield f"clip {_short(config['clip'])}"
    if config.get("schedule", "none") != "none":
        yield f"{config['schedule']} schedule"
    if "iterations" in config:
        yield f"{config['iterations']} iterations"
    if "epochs" in config:
        patience = config.get("patience")
        yield f"up to {config['epochs']} epochs, patience {patience}" if patience else f"{config['epochs']} epochs"
    if "batch" in config:
        yield f"batch {config['batch']}"
    if "seed" in config:
        yield f"seed {config['seed']}"


def _short(number: float) -> str:
    return f"{number:g}"


def _power(rate: float) -> str:
    """Return a learning rate as people write it: 1e-3, 5e-4, 0.05."""
    mantissa, _, exponent = f"{rate:.6e}".partition("e")
    small = rate < 0.01 and float(mantissa).is_integer()
    return f"{float(mantissa):g}e{int(exponent)}" if small else f"{rate:g}"
