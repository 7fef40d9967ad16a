"""A result as plain data: a dictionary for JSON, a frame, the scenarios of SemEval-2013."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from karatage._version import __version__
from karatage.metrics import CREDIT, Score

if TYPE_CHECKING:
    import polars as pl

    from karatage.scoring.result import Result


def as_dict(result: Result) -> dict[str, Any]:
    """Return everything as plain data, in the shape that `--json` prints."""
    out: dict[str, Any] = {
        "profile": result.profile.name,
        "options": dict(result.profile.options),
        "headline": result.profile.headline,
        "metrics": {name: score.to_dict() | _over(result, name) for name, score in result.metrics.items()},
        "by_label": {label: scores.to_dict() for label, scores in result.by_label.items()},
        "counts": result.counts,
    }
    out |= result.more_data()
    if result.resampling is not None:
        out["intervals"] = result.resampling.to_dict() | {"resolvable": result.detectable}
    out["warnings"] = list(result.warnings)
    out["provenance"] = {"karatage": __version__, "gold": result.digests[0], "pred": result.digests[1]}
    if result.resampling is not None:
        out["provenance"]["seed"] = result.resampling.seed
    return out


def _over(result: Result, name: str) -> dict[str, Any]:
    """Say what an average runs over: which labels, or how many units."""
    metric = result.profile.metrics[name]
    if metric in result.tally.values:
        return {"units": result.tally.values[metric].units}
    return {"over": metric.average.over} if metric.average.over else {}


def scenario(result: Result, name: str) -> dict[str, float | None]:
    """Return the counts and scores of a scenario of SemEval-2013."""
    column = {c: int(result.tally.column(c).sum()) for c in result.tally.columns}
    kinds = [column[f"gold_{k}"] for k in ("correct", "type", "boundary", "both")]
    credit = CREDIT[name]
    out: dict[str, float | None] = {
        "correct": sum(n for n, c in zip(kinds, credit, strict=True) if c == 1),
        "incorrect": sum(n for n, c in zip(kinds, credit, strict=True) if c == 0),
        "partial": sum(n for n, c in zip(kinds, credit, strict=True) if c == 0.5),
        "missed": column["missed"],
        "spurious": column["spurious"],
        "possible": column["gold"],
        "actual": column["predicted"],
    }
    for measure in ("precision", "recall", "f1"):
        out[measure] = result[f"{name}_{measure}"].value
    return out


def as_frame(result: Result, everything: Mapping[str, Score], *, intervals: bool) -> pl.DataFrame:
    """Return the scores of each label as a frame; the last row is over everything."""
    import polars as pl

    def cells(scores: Mapping[str, Score]) -> dict[str, float | None]:
        out: dict[str, float | None] = {}
        for name, score in scores.items():
            out[name] = score.value
            out |= {f"{name}_low": score.low, f"{name}_high": score.high} if intervals else {}
        return out

    counts = ("gold", "predicted", "correct")
    rows = [{"label": label, **cells(scores), **scores.counts} for label, scores in result.by_label.items()]
    last = cells(everything)
    rows.append({"label": None, **last, **{name: result.counts[name] for name in counts}})
    kinds = dict.fromkeys(last, pl.Float64) | dict.fromkeys(counts, pl.Int64)
    return pl.DataFrame(rows, schema={"label": pl.String, **kinds})
