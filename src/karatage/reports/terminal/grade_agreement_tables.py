"""The agreement of two sets of judgements as tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from karatage._printing import visible
from karatage.reports.terminal.result_tables import percent, show, show_interval
from karatage.reports.terminal.text_tables import FittingTable, Sheet, warning_line
from karatage.scoring import counted

if TYPE_CHECKING:
    from karatage.description import GradeAgreement
    from karatage.metrics import Score

_ROWS = 10


def grade_agreement_parts(found: GradeAgreement) -> Iterator[RenderableType]:
    """Yield scores, the grades of both, the agreement on each grade, and the largest disagreements."""
    size = f"{counted(found.judgements, 'judgement')} in common, in {counted(found.queries, 'query')}"
    yield Text.assemble(("karatage", "bold"), f" · agreement · {size}")
    yield Text(f"first: {visible(found.first)} · second: {visible(found.second)}")
    scores, grades = _scores(found), _by_grade(found)
    yield FittingTable(scores.columns, scores.rows, ("meaning",), prose=("meaning",))
    for sheet in (_confusion(found), grades):
        yield Group(Text(sheet.title, "bold"), FittingTable(sheet.columns, sheet.rows))
    rows = [
        (row["query"], row["document"], str(row["first"]), str(row["second"]))
        for row in found.disagreements(_ROWS).iter_rows(named=True)
    ]
    if rows:
        table = FittingTable(("query", "document", "first", "second"), rows, (), ("document",))
        every = found.disagreements().height
        title = f"largest disagreements, {len(rows):,} of {every:,}" if every > len(rows) else "largest disagreements"
        yield Group(Text(title, "bold"), table)
    yield from (Text(line, "dim") for line in _notes(found))
    yield from map(warning_line, found.warnings)


def _scores(found: GradeAgreement) -> Sheet:
    from karatage.description import SCORES

    rows = [
        (name.replace("_", " "), _value(name, own), _ends(name, own), SCORES[name])
        for name, own in found.scores.items()
    ]
    return Sheet("", ("score", "value", f"{percent(found.level)} interval", "meaning"), rows)


def _value(name: str, score: Score) -> str:
    return f"{score.value:+.4f}" if name == "bias" and score.value is not None else show(score)


def _ends(name: str, score: Score) -> str:
    """Return an interval; of a number that may be negative, with signs."""
    if score.low is None or score.high is None:
        return f"({score.undefined or score.withheld})" if score.undefined or score.withheld else ""
    if name in ("bias", "kappa", "relevance_kappa", "weighted_kappa"):
        return f"{score.low:+.4f} to {score.high:+.4f}"
    return show_interval(score)


def _confusion(found: GradeAgreement) -> Sheet:
    grades = [own.grade for own in found.by_grade]
    rows = [(str(one), *(f"{row[other]:,}" for other in grades)) for one, row in found.confusion.items()]
    return Sheet("grades: first down, second across", ("first", *(str(grade) for grade in grades)), rows)


def _by_grade(found: GradeAgreement) -> Sheet:
    rows = [
        (
            str(own.grade),
            f"{own.first:,}",
            f"{own.second:,}",
            f"{own.both:,}",
            show(own.kept),
            _ends("kept", own.kept),
            "" if own.specific is None else f"{own.specific:.4f}",
        )
        for own in found.by_grade
    ]
    interval = f"{percent(found.level)} interval"
    return Sheet("agreement by grade", ("grade", "first", "second", "both", "kept", interval, "specific"), rows)


def _notes(found: GradeAgreement) -> Iterator[str]:
    yield "Kept: share of the first judge's documents with this grade to which the second gave it, too"
    yield "Specific: twice the documents of both, divided by those of the first plus those of the second"
    if found.rel != (1, 1):
        yield f"Relevant: grade {found.rel[0]:,} or more in the first, {found.rel[1]:,} or more in the second"
    yield f"Intervals: {percent(found.level)}, over queries"
    for side, documents, queries in (
        ("first", found.only_first, found.queries_only_first),
        ("second", found.only_second, found.queries_only_second),
    ):
        if documents:
            without = f", {counted(queries, 'query')} without any in common" if queries else ""
            yield f"Only in the {side}, left out: {counted(documents, 'judgement')}{without}"
