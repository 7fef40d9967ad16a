"""Running slow taggers: in batches, one text's failure its own, and with a journal to go on from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from pathlib import Path

from karatage.claims import Claims
from karatage.errors import InputError, UsageError
from karatage.taggers.journal import Journal, key
from karatage.taggers.protocol import Span, TextTagger, one_line


@dataclass(frozen=True)
class Tagging:
    """What a tagger found in texts.

    Attributes:
        spans: the spans of each text, in order; None where the tagger failed.
        failures: what was raised, in one line, by the index of the text.
        resumed: how many texts were taken from the journal.
    """

    spans: tuple[tuple[Span, ...] | None, ...]
    failures: Mapping[int, str]
    resumed: int


def run(
    tagger: TextTagger,
    texts: Sequence[str],
    *,
    journal: Path | None = None,
    progress: Callable[[int], None] | None = None,
    batch: int = 32,
) -> Tagging:
    """Tag texts, each distinct one once.

    If a batch fails, its texts are tried one by one, so that only the text that the tagger cannot take is lost; a
    `UsageError`, running out of memory and an interrupt end the run. With a journal, what was found is written down
    after each batch, and a later run of the same tagger takes it from there; failures are tried again. The journal
    knows the tagger by its name, and by its `version` where it has one: of a function, that is the hash of its module's
    file, so delete the journal when something changes that the function uses.

    Args:
        tagger: the tagger.
        texts: the texts.
        journal: the file to go on from and to write to.
        progress: told after each batch how many of the texts are done so far, failures included.
        batch: how many distinct texts the tagger gets at once.
    """
    if batch < 1:
        raise UsageError(f"a batch must hold at least 1 text, not {batch}")
    times = Counter(texts)
    distinct = list(times)
    done = 0
    found: dict[str, tuple[Span, ...]] = {}
    failed: dict[str, str] = {}
    resumed: set[str] = set()
    with _noting(journal, tagger) as notes:
        # The batches are the same whether or not some texts are known: what a model gives can hang on its batch.
        for at in range(0, len(distinct), batch):
            part = distinct[at : at + batch]
            known = {text: spans for text in part if (spans := _noted(notes, text)) is not None}
            new, wrong = _tagged(tagger, [text for text in part if text not in known])
            if notes and new:
                notes.add(new)
            resumed |= known.keys()
            found |= known | new
            failed |= wrong
            done += sum(times[text] for text in part)
            if progress is not None:
                progress(done)
    return Tagging(
        tuple(found.get(text) for text in texts),
        {i: failed[text] for i, text in enumerate(texts) if text in failed},
        sum(times[text] for text in resumed),
    )


def _noted(journal: Journal | None, text: str) -> tuple[Span, ...] | None:
    """Return what the journal has of a text; spans that do not lie in it are not those of this text."""
    spans = journal.known.get(key(text)) if journal is not None else None
    if spans is None or not all(0 <= start < end <= len(text) for start, end, _ in spans):
        return None
    return spans


def _noting(path: Path | None, tagger: TextTagger) -> AbstractContextManager[Journal | None]:
    return nullcontext() if path is None else closing(Journal(path, tagger.name, getattr(tagger, "version", "")))


def _tagged(tagger: TextTagger, texts: list[str]) -> tuple[dict[str, tuple[Span, ...]], dict[str, str]]:
    """Tag a batch, or its texts one by one if that fails; return what was found and what was raised."""
    if not texts:
        return {}, {}
    try:
        return dict(zip(texts, _spans(tagger, texts), strict=True)), {}
    except (UsageError, MemoryError):
        raise
    except (Exception, SystemExit) as error:  # a tagger is anyone's code
        if len(texts) == 1:
            return {}, {texts[0]: _said(error)}
    found: dict[str, tuple[Span, ...]] = {}
    failed: dict[str, str] = {}
    for text in texts:
        new, wrong = _tagged(tagger, [text])
        found |= new
        failed |= wrong
    return found, failed


def _spans(tagger: TextTagger, texts: list[str]) -> list[tuple[Span, ...]]:
    """Tag texts and look whether the answer can be true."""
    claims = tagger.tag(texts)
    if not isinstance(claims, Claims):
        raise InputError(f"the tagger gave {type(claims).__name__}, not claims")
    if claims.space != "char":
        raise InputError(f"the tagger gave claims in the space of {claims.space}s, not of characters")
    if len(claims.units) != len(texts):
        raise InputError(f"the tagger gave {len(claims.units)} units for {len(texts)} texts")
    out: list[list[Span]] = [[] for _ in texts]
    for unit, label, start, end, pieces, _ in claims.rows():
        if not 0 <= start < end <= len(texts[unit]):
            raise InputError(f"the span {label} {start}–{end} is empty or outside of the {len(texts[unit])} characters")
        if pieces:
            raise InputError(f"the span {label} {start}–{end} is in several pieces, which a run does not keep")
        out[unit].append((start, end, label))
    return [tuple(own) for own in out]


def _said(error: BaseException) -> str:
    """Return what an error says in one line; an error in the data knows more than its number in the batch."""
    if isinstance(error, InputError):
        return f"{error.message}. {error.hint}" if error.hint else error.message
    return f"{type(error).__name__}: {one_line(error)}"
