"""What to do about an error in one of many files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from karatage.errors import InputError, UnitError
from karatage.inputs import Input, are_shards, without_partner

_SKIP = "To leave it out, together with its partner, use --skip-bad (in Python skip_bad=True)"


@contextmanager
def suggesting(gold: Input, preds: Sequence[Input]) -> Iterator[None]:
    """Add to an error what to do about it, if gold and predictions are in shards."""
    try:
        yield
    except UnitError as error:
        text = next(filter(None, (without_partner(gold, pred) for pred in preds)), "")
        if text:
            raise _hinted(error, text) from None
        raise
    except InputError as error:
        every = [gold, *preds]
        shards = are_shards(every) and not gold.looks_like_relevance
        if shards and any(source.name == error.source for own in every for source in own.sources):
            raise _hinted(error, _SKIP) from None
        raise


def _hinted(error: InputError, hint: str) -> InputError:
    """Return the same error with a further hint."""
    text = f"{error.hint}. {hint}" if error.hint else hint
    where = {"source": error.source, "unit": error.unit, "noun": error.noun}
    return type(error)(error.message, line=error.line, hint=text, **where)  # type: ignore[arg-type]
