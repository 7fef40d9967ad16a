"""Reading and writing the texts of measures of ranked lists.

A text reads as ir_measures writes it (`nDCG@10`, `P(rel=2)@5`), and as trec_eval does (`ndcg_cut_10`, `recip_rank`).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

from karatage.errors import UsageError, unknown
from karatage.metrics.ranked_measures import MEASURES_OF_LISTS, Measure, Value

_TEXT = re.compile(r"(?P<name>[A-Za-z][A-Za-z_-]*?)(?:\((?P<inside>[^()]*)\))?(?P<cut>[@_.](?P<k>[0-9]{1,12}))?")
_ALIASES = {alias: measure for measure in MEASURES_OF_LISTS.values() for alias in measure.aliases}
_NAMES = {name.lower(): measure for name, measure in MEASURES_OF_LISTS.items()}
_RANX = {"ndcg_burges": ("nDCG", {"gain": "exp"})}

MOST = 1_000_000_000


def parse_measure(text: str) -> tuple[str, int | None, tuple[tuple[str, Value], ...]] | None:
    """Read the text of a measure: its name, its cutoff and what differs from the defaults; None if it is none."""
    found = _TEXT.fullmatch(text)
    if found is None:
        return None
    name, cut = found["name"].lower(), found["cut"]
    cut = cut.replace(".", "_") if cut else cut  # trec_eval itself writes ndcg_cut.10
    extra: dict[str, str] = {}
    if name in _RANX and (not cut or cut.startswith("@")):
        name, extra = _RANX[name][0].lower(), dict(_RANX[name][1])
    # `ndcg_cut_10` cuts with an underscore, `nDCG@10` with an at sign.
    joined = name + ("" if cut is None else f"{cut[0]}@" if cut[0] == "_" else "@")
    bare = _NAMES.get(name)
    measure = _ALIASES.get(joined) or (bare if cut is None else None)
    if measure is None and bare is not None and cut is not None and cut[0] == "@":
        measure = bare
    if measure is None:
        return None
    if cut is None and measure.cutoff == "needed":
        raise UsageError(f"{text!r} needs a rank to cut at, as in {measure.name}@10")
    if cut is not None and measure.cutoff == "none":
        raise UsageError(f"{text!r}: {measure.name} has no rank to cut at")
    cutoff = int(found["k"]) if cut else None
    if cutoff is not None and not 0 < cutoff <= MOST:
        raise UsageError(f"{text!r}: the rank to cut at is at least 1 and at most {MOST:,}")
    return measure.name, cutoff, _parameters(measure, found["inside"], extra, text)


def near(text: str) -> str:
    """Return what was probably meant by a text that is no metric, as a sentence for a message."""
    if re.search(r"[,\s](?![^(]*\))", text.strip()):
        return " Name each metric, and each rank to cut at, by itself."
    name, rest = re.fullmatch(r"([A-Za-z_]*)(.*)", text.strip(), re.DOTALL).groups()  # type: ignore[union-attr]
    bare = name.lower().rstrip("_")
    known = {alias.rstrip("@").rstrip("_"): measure for alias, measure in _ALIASES.items()} | _NAMES
    found = difflib.get_close_matches(bare, known, n=1, cutoff=0.7)
    if not found or bare in known:
        return ""
    measure = known[found[0]]
    cut = re.search(r"[0-9]{1,9}$", rest or name)
    at = f"@{cut[0]}" if cut and measure.cutoff != "none" else "@10" if measure.cutoff == "needed" else ""
    return f" Did you mean {measure.name + at!r}?"


def _parameters(
    measure: Measure, inside: str | None, extra: Mapping[str, str], text: str
) -> tuple[tuple[str, Value], ...]:
    given = dict(extra)
    for part in (inside or "").split(","):
        if not part.strip():
            continue
        name, sign, value = (piece.strip() for piece in part.partition("="))
        name = {"dcg": "gain", "max_rel": "max"}.get(name, name)
        if not sign or name not in measure.parameters:
            raise unknown(f"parameter of {measure.name}", name, [*measure.parameters] or ["none"])
        if name in given and not (name in extra and given[name] == extra[name]):
            raise UsageError(f"{text!r} names {name} twice")
        given[name] = value.strip("'\"")
    out = []
    for name, value in given.items():
        parameter = measure.parameters[name]
        read = parameter.read(value)
        if read is None:
            raise UsageError(f"{text!r}: {name} is {parameter.what}, not {value!r}")
        if read != parameter.default:
            out.append((name, read))
    return tuple(sorted(out))


def measure_text(name: str, cutoff: int | None, parameters: tuple[tuple[str, Value], ...]) -> str:
    """Return the text that reads as this measure."""
    measure, given = MEASURES_OF_LISTS[name], dict(parameters)
    shown = [
        f"{key}={given.get(key, parameter.default)}"
        for key, parameter in measure.parameters.items()
        if parameter.named or key in given
    ]
    inside = f"({', '.join(shown)})" if shown else ""
    return name + inside + (f"@{cutoff}" if cutoff is not None else "")
