"""Opening logs: one file, or a folder, a pattern or a list of them, with the scores of one or several systems."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from karatage.errors import FormatError, InputError, KaratageError, UsageError
from karatage.formats import FileStart, ReadOptions, Source, guard
from karatage.inputs import Input, as_input
from karatage.samples.log_formats import LOG_FORMATS, LogFormat, log_format_names, sniff_log
from karatage.samples.sample_scores import SampleScores
from karatage.samples.score_rows import ScoreRows
from karatage.samples.score_tables import is_score_table, take_rows

_SUMMARIES = re.compile(r"results_.*\.json")
"""What lm-evaluation-harness writes beside its samples."""

_ENDINGS = (".eval", ".json", ".jsonl", ".csv", ".tsv")
"""The extensions of logs that are found without naming their format."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreLog:
    """The scores that a log has.

    Attributes:
        name: what messages call it.
        systems: the scores of each system; the name is empty where the log names none.
        sources: its files.
    """

    name: str
    systems: Mapping[str, SampleScores]
    sources: tuple[Source, ...] = field(default=(), repr=False)

    def only(self, system: str | None = None) -> SampleScores:
        """Return the scores of one system; without its name, of the only one."""
        if system is not None and system not in self.systems:
            known = ", ".join(self.systems)
            raise UsageError(f"{self.name}: no system {system!r} (its systems are {known})")
        if system is None and len(self.systems) > 1:
            names = ", ".join(list(self.systems)[:5])
            raise UsageError(
                f"{self.name} has {len(self.systems)} systems ({names}): compare them with `karatage compare "
                f"{self.name}`, or choose one with --system"
            )
        return next(iter(self.systems.values())) if system is None else self.systems[system]

    def chosen(self, system: str | None) -> ScoreLog:
        """Return the same with one system only, if one is named."""
        if system is None:
            return self
        return ScoreLog(name=self.name, systems={system: self.only(system)}, sources=self.sources)

    def as_input(self) -> Input:
        """Return an input that stands for the log where provenance is recorded."""
        return Input(name=self.name, read=_nothing, content="samples", sources=self.sources).remembered()


def _nothing(own: Input, options: ReadOptions) -> Iterator[Any]:
    del own, options
    return iter(())


def is_log(given: Any, format: str | None = None) -> bool:  # noqa: A002  users say format
    """Whether something has scores already, so that there is no gold: a log, a table of scores, or one of these."""
    if isinstance(given, ScoreLog):
        return True
    if format is not None:
        return format in log_format_names()
    if hasattr(given, "collect_schema"):
        return is_score_table(given.collect_schema().names())
    if hasattr(given, "columns") and not isinstance(given, Input):
        return is_score_table(given.columns)
    if not isinstance(given, str | Path) or str(given) == "-":
        return False
    try:
        sources = _sources(as_input(given))
        return bool(sources) and not sources[0].once and _may_be_log(sources[0]) and _format_of(sources[0]) is not None
    except (KaratageError, OSError):
        return False  # what is wrong with it is said where it is read


def open_log(given: Any, *, format: str | None = None, scale: float | None = None) -> ScoreLog:  # noqa: A002
    """Read a log.

    Args:
        given: a path, a folder, a pattern, a list of paths, a data frame with an id and a score per row, or a log that
            was opened before.
        format: the format of the files; detected automatically by default.
        scale: the largest possible score, where that is not 1.
    """
    if isinstance(given, ScoreLog):
        return given
    if scale is not None and not 0 < scale < float("inf"):
        raise UsageError(f"the scale must be a number above 0, e.g. 100, not {scale}")
    if hasattr(given, "collect"):
        given = given.collect()
    if hasattr(given, "columns") and not isinstance(given, Input):
        rows = ScoreRows("the data frame")
        dicts = given.to_dicts() if hasattr(given, "to_dicts") else given.to_dict("records")
        take_rows(((None, row) for row in dicts), rows, rows.name)
        return ScoreLog(name=rows.name, systems=rows.systems(scale))
    if not isinstance(given, str | Path | list | tuple):
        raise UsageError(f"cannot read scores from {type(given).__name__}: give the path of a log, or a data frame")
    own = as_input(given)
    sources = _sources(own)
    if not sources:
        raise InputError("the folder has no logs", source=own.name)
    rows = ScoreRows(own.name)
    for source in sources:
        with guard(source):
            found = LOG_FORMATS[format] if format is not None else _format_of(source)
            if found is None:
                raise FormatError(
                    "this is not a log with scores",
                    source=source.name,
                    hint=f"Set its format with --format: {', '.join(log_format_names())}",
                )
            found.read(source, rows)
    return ScoreLog(name=own.name, systems=rows.systems(scale), sources=sources)


def _sources(own: Input) -> tuple[Source, ...]:
    several = len(own.sources) > 1
    return tuple(one for one in own.sources if not (several and _SUMMARIES.fullmatch(one.file_name)))


def _may_be_log(source: Source) -> bool:
    """Whether a file has the extension of a log: others are not opened to see, which takes a while for remote ones."""
    return source.suffixes.endswith(_ENDINGS)


def _format_of(source: Source) -> LogFormat | None:
    with guard(source):
        return None if source.is_folder else sniff_log(FileStart(source))
