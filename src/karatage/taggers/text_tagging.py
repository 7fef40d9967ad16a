"""Running slow taggers over texts: in batches, with isolated failures and a journal to resume from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from karatage.claims import Claims
from karatage.errors import InputError, UsageError
from karatage.taggers.journal import Journal, key
from karatage.taggers.protocol import Span, TextTagger, one_line


@dataclass(frozen=True)
class TaggedTexts:
    """What a tagger found in texts.

    Attributes:
        spans: the spans of each text, in order; None if the tagger failed.
        failures: error messages of one line, by the index of the text.
        resumed: how many texts were answered by the journal.
        written: when the journal was last written before this run; None if it was not used.
    """

    spans: tuple[tuple[Span, ...] | None, ...]
    failures: Mapping[int, str]
    resumed: int
    written: datetime | None = None


def tag_texts(
    tagger: TextTagger,
    texts: Sequence[str],
    *,
    journal: Path | None = None,
    fresh: bool = False,
    progress: Callable[[int], None] | None = None,
    batch: int = 32,
) -> TaggedTexts:
    """Tag texts, each distinct text once.

    If a batch fails, its texts are tried one by one, so that only the text that the tagger cannot handle is lost. A
    `UsageError`, running out of memory and an interrupt end the run. With a journal, results are written after each
    batch, and a later run with the same tagger resumes from there; failures are tried again. A journal belongs to a
    tagger's name and `version`. The version of a function is a hash of its module and of those that it imports from the
    same folder, so start a fresh journal if something else changes that the function uses.

    Args:
        tagger: the tagger.
        texts: the texts.
        journal: the file to resume from and write to.
        fresh: throw the journal's answers away.
        progress: called after each batch with the number of texts done so far, including failures.
        batch: how many distinct texts the tagger gets at once.
    """
    if batch < 1:
        raise UsageError(f"batch must be at least 1, not {batch}")
    times = Counter(texts)
    distinct = list(times)
    done = 0
    found: dict[str, tuple[Span, ...]] = {}
    failed: dict[str, str] = {}
    resumed: set[str] = set()
    with _open_journal(journal, tagger, fresh=fresh) as notes:
        # Batches are the same whether or not some texts are known: a model's answers can depend on the batch.
        for at in range(0, len(distinct), batch):
            part = distinct[at : at + batch]
            known = {text: spans for text in part if (spans := _recorded(notes, text)) is not None}
            new, wrong = _tag_batch(tagger, [text for text in part if text not in known])
            if notes and new:
                notes.add(new)
            resumed |= known.keys()
            found |= known | new
            failed |= wrong
            done += sum(times[text] for text in part)
            if progress is not None:
                progress(done)
    return TaggedTexts(
        tuple(found.get(text) for text in texts),
        {i: failed[text] for i, text in enumerate(texts) if text in failed},
        sum(times[text] for text in resumed),
        notes.written if notes and resumed else None,
    )


def _recorded(journal: Journal | None, text: str) -> tuple[Span, ...] | None:
    """Return the journal's spans of a text; spans outside the text belong to another text."""
    spans = journal.known.get(key(text)) if journal is not None else None
    if spans is None or not all(0 <= start < end <= len(text) for start, end, _ in spans):
        return None
    return spans


def _open_journal(path: Path | None, tagger: TextTagger, *, fresh: bool) -> AbstractContextManager[Journal | None]:
    if path is None:
        return nullcontext()
    return closing(Journal.open(path, tagger.name, getattr(tagger, "version", ""), fresh=fresh))


def _tag_batch(tagger: TextTagger, texts: list[str]) -> tuple[dict[str, tuple[Span, ...]], dict[str, str]]:
    """Tag a batch, or its texts one by one if that fails; return the spans and the errors."""
    if not texts:
        return {}, {}
    try:
        return dict(zip(texts, _spans(tagger, texts), strict=True)), {}
    except (UsageError, MemoryError):
        raise
    except (Exception, SystemExit) as error:  # a tagger can be anyone's code
        if len(texts) == 1:
            return {}, {texts[0]: _message(error)}
    found: dict[str, tuple[Span, ...]] = {}
    failed: dict[str, str] = {}
    for text in texts:
        new, wrong = _tag_batch(tagger, [text])
        found |= new
        failed |= wrong
    return found, failed


def _spans(tagger: TextTagger, texts: list[str]) -> list[tuple[Span, ...]]:
    """Tag texts and check that the answer is valid."""
    claims = tagger.tag(texts)
    if not isinstance(claims, Claims):
        raise InputError(f"the tagger returned {type(claims).__name__}, not Claims")
    if claims.space != "char":
        raise InputError(f"the tagger returned spans in {claims.space}s, not in characters")
    if len(claims.units) != len(texts):
        raise InputError(f"the tagger returned {len(claims.units)} units for {len(texts)} texts")
    out: list[list[Span]] = [[] for _ in texts]
    for unit, label, start, end, parts, _ in claims.rows():
        if not 0 <= start < end <= len(texts[unit]):
            raise InputError(f"the span {label} {start}–{end} is empty or outside the {len(texts[unit])} characters")
        if parts:
            raise InputError(f"the span {label} {start}–{end} is discontinuous, which is not supported here")
        out[unit].append((start, end, label))
    return [tuple(own) for own in out]


def _message(error: BaseException) -> str:
    """Return an error's message in one line, without the number of the text in its batch."""
    if isinstance(error, InputError):
        return f"{error.message}. {error.hint}" if error.hint else error.message
    return f"{type(error).__name__}: {one_line(error)}"
