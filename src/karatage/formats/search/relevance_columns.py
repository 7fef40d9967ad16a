"""Which column of a table has the queries, the documents, the grades, the scores or the ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Literal, NamedTuple

from karatage.errors import FormatError, UsageError

What = Literal["grades", "scores"]

NAMES: dict[str, tuple[tuple[str, ...], ...]] = {
    "query": (("query_id", "q_id", "qid"), ("query", "topic", "query_text")),
    "document": (("doc_id", "docno", "docid", "document_id"), ("document", "doc")),
    "grade": (("relevance", "rel", "grade", "rating", "judgement", "judgment"),),
    "score": (("score",),),
    "rank": (("rank", "position", "doc_position"),),
}
"""What the columns of a table may be called: ids first, for beside them a column `query` has texts."""

TEXTS = frozenset({"query", "query_text", "text"})
"""What a column of texts beside a column of ids may be called."""

_PLURAL = {"query": "queries", "document": "documents", "grade": "grades", "score": "scores", "rank": "ranks"}


def bare(column: str) -> str:
    """Return the name of a column without what people write differently: `Doc ID`, `doc-id` and `docId` are alike."""
    return column.strip().lower().replace("_", "").replace("-", "").replace(" ", "")


_BARE = {part: tuple(tuple(map(bare, names)) for names in tiers) for part, tiers in NAMES.items()}
_BARE_TEXTS = frozenset(map(bare, TEXTS))


def columns_of(header: Sequence[str], part: str) -> list[str]:
    """Return the columns that may hold a part, wherever they stand: those of ids, or else all others."""
    for names in _BARE[part]:
        found = [column for column in header if bare(column) in names]
        if found:
            return sorted(found, key=lambda column: (names.index(bare(column)), column))
    return []


def is_relevance(header: Sequence[str], what: What | None = None) -> bool:
    """Whether columns are those of judgements or of results; a table of entities may have such attributes as well."""
    if {"unit", "label"} <= {*map(bare, header)}:
        return False
    parts = {"grades": ("grade",), "scores": ("score", "rank"), None: ("grade", "score", "rank")}[what]
    values = any(columns_of(header, part) for part in parts)
    return bool(values and columns_of(header, "query") and columns_of(header, "document"))


class RelevanceColumns(NamedTuple):
    """The columns of a table.

    Attributes:
        query: the column of the queries.
        document: the column of the documents.
        value: the column of grades or scores, or of ranks where there are no scores or the user named only ranks.
        what: whether they are grades or scores.
        ranked: whether `value` has ranks.
        rank: the column of ranks beside scores.
        text: the column of the texts of the queries, beside their ids.
        alike: further columns that must agree with one of the others, each with that one and its part.
    """

    query: str
    document: str
    value: str
    what: What
    ranked: bool = False
    rank: str | None = None
    text: str | None = None
    alike: tuple[tuple[str, str, str], ...] = ()


def choose_columns(
    header: Sequence[str],
    name: str,
    what: What | None = None,
    *,
    named: Mapping[str, str] | None = None,
    notes: Counter[str] | None = None,
    decide: bool = False,
) -> RelevanceColumns:
    """Choose the columns of a table; what cannot be decided is an error that names the columns.

    Args:
        header: the names of all columns.
        name: what a message calls the table.
        what: whether to read grades or scores, where a table has both.
        named: the columns that the user named, by their parts.
        notes: counts columns that the user named but the table does not have.
        decide: whether a table with grades and scores has grades, where `what` does not say.
    """
    if len(set(header)) < len(header):
        twice = next(column for column in header if header.count(column) > 1)
        raise FormatError(f"two columns are called {twice!r}", source=name, line=1, hint="Rename one of them")
    given = _named(header, name, what, named or {}, notes)
    query, document = (_one(header, part, name, given) for part in ("query", "document"))
    what = _what(header, name, what, given, decide=decide)
    part = "grade" if what == "grades" else "score"
    ranked = what == "scores" and "score" not in given and ("rank" in given or not columns_of(header, "score"))
    value = _one(header, "rank" if ranked else part, name, given)
    ranks = [] if what == "grades" or ranked else [given["rank"]] if "rank" in given else columns_of(header, "rank")
    chosen = {"query": query, "document": document, "rank" if ranked else part: value}
    alike = [
        (other, own, one)
        for one, own in chosen.items()
        if one not in given
        for other in columns_of(header, one)
        if other != own
    ]
    taken = {*chosen.values(), *(other for other, _, _ in alike)}
    texts = [column for column in header if bare(column) in _BARE_TEXTS and column not in taken]
    rank = next((column for column in ranks if column != value), None)
    return RelevanceColumns(query, document, value, what, ranked, rank, _text(texts), tuple(alike))


def _text(columns: Sequence[str]) -> str | None:
    """Return the column of texts: `query_text` before `query`."""
    return max(columns, key=lambda column: len(bare(column)), default=None)


def _named(
    header: Sequence[str], name: str, what: What | None, named: Mapping[str, str], notes: Counter[str] | None
) -> dict[str, str]:
    """Return the named columns that a table has; gold and results may have different ones for queries and documents."""
    found: dict[str, str] = {}
    for part, column in named.items():
        own = _matching(header, column)
        if own is not None:
            found[part] = own
        elif what is None or _ROLES.get(part) == what:
            raise UsageError(f"--columns: {missing_column(part, column)} in {name}. {_listed(header)}")
        elif part not in _ROLES and notes is not None and columns_of(header, part):
            notes[f"{missing_column(part, column)}, taken by their usual names. {_listed(header)}"] += 1
    return found


def missing_column(part: str, column: str) -> str:
    """Return how messages start that tell of a named column which a table does not have."""
    return f"no column {column!r} for the {_PLURAL[part]}"


def _listed(header: Sequence[str]) -> str:
    return f"The columns are {', '.join(header)}"


def _matching(header: Sequence[str], column: str) -> str | None:
    """Return the column with a name, without regard to case if only one is alike."""
    if column in header:
        return column
    alike = [own for own in header if own.strip().casefold() == column.casefold()]
    return alike[0] if len(alike) == 1 else None


_ROLES: dict[str, What] = {"grade": "grades", "score": "scores", "rank": "scores"}
"""What a table has where such a column makes sense; queries and documents make sense in all."""


def check_named(columns: Sequence[str], notes: Sequence[Mapping[str, int]]) -> None:
    """Refuse a named column that none of the tables has.

    Args:
        columns: what the user named.
        notes: what was noted about each table.
    """
    if not any("=" in column for column in columns):
        return
    for part, column in named_columns(columns).items():
        start = missing_column(part, column)
        told = [note for own in notes for note, count in own.items() if count and note.startswith(start)]
        if told and len(told) >= len(notes):
            others = "; ".join(note.partition(". ")[2] for note in told)
            raise UsageError(f"--columns: {start} in any file. {others}")


def _what(header: Sequence[str], name: str, what: What | None, given: Mapping[str, str], *, decide: bool) -> What:
    """Tell whether a table has judgements or results."""
    grades = [*filter(None, [given.get("grade")]), *columns_of(header, "grade")]
    scores = [*filter(None, (given.get(part) for part in ("score", "rank")))]
    scores += [*columns_of(header, "score"), *columns_of(header, "rank")]
    if grades and scores and what is None and not decide:
        stated: set[What] = {"grades" if part == "grade" else "scores" for part in given if part in _VALUES}
        if len(stated) != 1:
            part = "rank" if columns_of(header, "rank") == scores[:1] else "score"
            raise FormatError(
                f"the columns {grades[0]!r} and {scores[0]!r} could be judgements or results",
                source=name,
                line=1,
                hint=f"Choose one with --columns grade={grades[0]} or --columns {part}={scores[0]}",
            )
        return stated.pop()
    if what is not None and (grades if what == "grades" else scores):
        return what
    if not grades and not scores:
        known = ", ".join(chain.from_iterable(NAMES[part][0] for part in ("grade", "score", "rank")))
        raise FormatError(
            "no column with grades, scores or ranks",
            source=name,
            line=1,
            hint=f"Name it {known}, or use --columns grade=NAME. The columns are {', '.join(header)}",
        )
    return "grades" if grades else "scores"


_VALUES = ("grade", "score", "rank")


def _one(header: Sequence[str], part: str, name: str, given: Mapping[str, str]) -> str:
    if part in given:
        return given[part]
    found = columns_of(header, part)
    if not found:
        known = " or ".join(chain.from_iterable(NAMES[part]))
        raise FormatError(
            f"no column {known}",
            source=name,
            hint=f"Its columns are {', '.join(header)}. Set one with --columns {part}=NAME",
        )
    return found[0]


def disagreement(name: str, first: str, other: str, part: str) -> FormatError:
    """Return the error for two columns of one part that say different things."""
    return FormatError(
        f"the columns {first!r} and {other!r} differ, and both may hold the {_PLURAL[part]}",
        source=name,
        hint=f"Drop or rename one of them, or choose one with --columns {part}={first}",
    )


def named_columns(columns: Sequence[str]) -> dict[str, str]:
    """Return what `--columns query=NAME,document=NAME` says, by parts."""
    found: dict[str, str] = {}
    for entry in filter(None, (one.strip() for one in ",".join(columns).split(","))):
        part, sign, column = entry.partition("=")
        if not sign or part.strip() not in NAMES or not column.strip():
            raise UsageError(
                f"cannot read --columns {entry!r}: for search, name columns as in query=search_term,grade=label. "
                f"Known: {', '.join(NAMES)}"
            )
        found[part.strip()] = column.strip()
    return found
