"""The settings that differ between experiments."""

from __future__ import annotations

from dataclasses import dataclass

from karatage.experiments.experiment import Experiment


@dataclass(frozen=True)
class SettingChange:
    """A setting that differs: its value in each experiment, None if one does not have it."""

    name: str
    values: tuple[object, ...]


def changed_settings(*experiments: Experiment) -> tuple[SettingChange, ...]:
    """Return the settings that differ: the model, its configuration, data, split, profile and version."""
    settings = [_settings(experiment) for experiment in experiments]
    missing: tuple[object, object] = (None, None)
    out = []
    for name in dict.fromkeys(name for own in settings for name in own):
        found = [own.get(name, missing) for own in settings]
        if any(identity != found[0][0] for identity, _ in found):
            out.append(SettingChange(name, tuple(shown for _, shown in found)))
    return tuple(out)


def _settings(experiment: Experiment) -> dict[str, tuple[object, object]]:
    """Return for each setting what identifies its value, and how it is shown."""
    out: dict[str, tuple[object, object]] = {}
    plain = {"model": experiment.model, **experiment.config, "split": experiment.split}
    plain |= {"profile": profile_with_options(experiment), "karatage": experiment.code.version}
    for name, value in plain.items():
        if value != "":
            # True equals 1 in Python, but not for a reader.
            out[name] = ((type(value) is bool, value), value)
    for one in experiment.data:
        if one.role != "predictions":  # which always differ
            shown = f"{one.path} ({one.sha256[:8]})" if one.sha256 else one.path
            out[f"{one.role} data"] = (one.sha256 or one.path, shown)
    return out


def profile_with_options(experiment: Experiment) -> str:
    """Return the profile that scored an experiment, with the options that differ from it."""
    options = experiment.scores.get("options") or {}
    changed = ", ".join(f"{name}={value}" for name, value in options.items())
    return str(experiment.scores.get("profile", "")) + (f" with {changed}" if changed else "")
