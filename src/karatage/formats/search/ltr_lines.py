"""Judgements for learning to rank, as SVM-rank, LETOR and RankLib read them: `3 qid:1 1:0.5 2:0 # document`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from karatage._writing import writing
from karatage.claims import Relevance
from karatage.errors import FormatError
from karatage.formats.format import FileStart, Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source, to_bytes
from karatage.formats.search.search_rows import SearchRows, by_query, lose_empty, lose_texts, lose_unjudged, only
from karatage.formats.search.trec_ids import field_ids

_LINE = re.compile(r"(\S+)[ \t]+qid:(\S+)([^#]*)#?(.*)")
_TEXT = re.compile(r"#[ \t]*qid:(\S+?):[ \t]*(.*)")
_LETOR = re.compile(r"(?:^|\s)docid[ \t]*=[ \t]*(\S+)")
_QUEPID = re.compile(r"[ \t]*(\S[^;]*);[ \t]+\".*\"[ \t]*")
_NUMBER = re.compile(r"[1-9][0-9]{0,17}")
FEATURES = "features"
SEVERAL_WORDS = "comments with several words, of which the first is taken as the document"
RENUMBERED = "query ids, replaced by numbers (a comment has the ids)"


def read(source: Source, options: ReadOptions) -> Iterator[Relevance]:
    """Yield all judgements of a file."""
    rows = SearchRows(source.name, "grades")
    texts: dict[str, str] = {}
    for number, line in source.lines():
        bare = line.strip(" \t")
        if not bare or bare.startswith("#"):
            if text := _TEXT.fullmatch(bare):
                texts[text[1]] = text[2].strip()
            continue
        found = _LINE.fullmatch(bare)
        if found is None:
            raise FormatError(
                "expected a grade, qid:QUERY and features", source=source.name, line=number, hint=f"As in {_AS}"
            )
        grade, query, features, comment = found.groups()
        options.notes[FEATURES] += bool(options.others and features.strip())
        document, sure = _document(comment, source.name, number, query)
        options.notes[SEVERAL_WORDS] += not sure
        rows.add(query, document, grade, number, texts.get(query, ""))
    if not len(rows):
        raise FormatError("the file contains no judgements", source=source.name)
    yield rows.relevance(options)


_AS = "3 qid:1 1:0.5 # doc17"


def _document(comment: str, name: str, line: int, query: str) -> tuple[str, bool]:
    """Return the document that a comment names, and whether that is sure.

    It comes after `docid =` or before a quoted query, or else it is the first word, which other words make doubtful.
    """
    named = _LETOR.search(comment) or _QUEPID.fullmatch(comment)
    words = comment.split()
    if named is None and not words:
        raise FormatError(
            "the line does not name its document", source=name, line=line, unit=query, hint=f"Put it behind #: {_AS}"
        )
    return (named[1], True) if named else (words[0], len(words) == 1)


def write(batches: Iterable[Relevance], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write a line per document, without features. Ids of queries must be numbers: others become a comment."""
    found = lose_unjudged(only(batches, "grades", "ltr"), lost)
    lose_empty(found, lost)
    ids = list(found.units.ids or ())
    numbered = not all(map(_NUMBER.fullmatch, ids))
    if numbered:
        lost[RENUMBERED] += len(ids)
        lose_texts(found, lost)
    names = field_ids(found.document, "document", found, lost)
    for name in names:
        if _LETOR.match(name):
            raise FormatError(f"the document {name!r:.40} would be read as {name[6:]!r:.40}", source=found.units.source)
    written = dict(zip(found.document.unique(maintain_order=True), names.unique(maintain_order=True), strict=True))
    with writing(path) as out:
        for number, own in enumerate(by_query(found), 1):
            query = str(number) if numbered else own.query
            text = own.query if numbered else own.text
            lost["blanks in texts of queries"] += text is not None and text != _one_line(text)
            lines = [f"# qid:{query}: {_one_line(text)}\n"] if text is not None else []
            lines += [f"{grade} qid:{query} # {written[one]}\n" for one, grade in own.grades().items()]
            out.write(to_bytes("".join(lines), path))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _sniff(start: FileStart) -> bool:
    lines = [line for line in start.lines[:50] if line.strip() and not line.lstrip().startswith("#")]
    return bool(lines) and all(_LINE.fullmatch(line.strip(" \t")) for line in lines)


LTR = Format(
    name="ltr",
    about="Judgements for learning to rank (SVM-rank, LETOR, RankLib): grade, qid, features, and the document after #.",
    suffixes=(".ltr", ".svm", ".letor"),
    holds=frozenset({"grades", "text"}),
    sniff=_sniff,
    read=read,
    write=write,
    example="# qid:1: golf shoes\n3 qid:1 1:0.5 2:0 # d1\n0 qid:1 1:0.1 2:1 # d2\n1 qid:2 1:0.9 2:0 # d1\n",
    profile="trec",
    search=True,
    precedence=25,
    unit="query",
)
