"""Several answers of one annotator to one item: the latest counts, and what cannot be ordered is an error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from karatage.errors import InputError
from karatage.recall.labels.answers import Answer

_SAME = "answers that repeat another one of the same annotator, counted once"
_EARLIER = "answers replaced by a later one of the same annotator"
_OLDER = "answers older than those imported before, skipped"
_WITHDRAWN = "earlier answers withdrawn: their annotators skipped the tasks later"


def latest_answers(answers: Iterable[Answer], notes: Counter[str], source: str) -> list[Answer]:
    """Return one answer of each annotator to each item: the latest of different ones.

    Label Studio keeps one annotation when it is updated, but an annotator can create several for the same task.

    Args:
        answers: Answers from files that are read together.
        notes: Receives how many answers were left out.
        source: The files, for the error about different answers whose order is unknown.
    """
    groups: dict[object, list[Answer]] = {}
    for one in answers:
        groups.setdefault(one.key, []).append(one)
    return [own[0] if len(own) == 1 else _latest(own, notes, source) for own in groups.values()]


def merged(old: Iterable[Answer], new: Iterable[Answer], notes: Counter[str]) -> list[Answer]:
    """Merge answers with those imported before, which they replace unless these are known to be later."""
    out = {one.key: one for one in old}
    for one in new:
        before = out.get(one.key)
        if before is not None and before.said != one.said:
            older = one.time is not None and before.time is not None and one.time < before.time
            notes[_OLDER if older else _EARLIER] += 1
            if older:
                continue
        out[one.key] = one
    return list(out.values())


def without_skipped(
    old: Sequence[Answer], new: Iterable[Answer], skipped: Iterable[Answer], notes: Counter[str]
) -> list[Answer]:
    """Return the answers imported before, without those whose annotator has skipped the task since."""
    answered = {one.key for one in new}
    gone = {(one.key, one.text): one.time for one in skipped if one.key not in answered}

    def stays(one: Answer) -> bool:
        since = gone.get((one.key, one.text), one.time)
        return (one.key, one.text) not in gone or (since is not None and one.time is not None and since < one.time)

    kept = [one for one in old if stays(one)]
    notes[_WITHDRAWN] += len(old) - len(kept)
    return kept


def _latest(own: list[Answer], notes: Counter[str], source: str) -> Answer:
    distinct = {one.said: one for one in own}
    notes[_SAME] += len(own) - len(distinct)
    last = max(own, key=lambda one: one.time or "")
    ties = {one.said for one in own if one.time == last.time}
    if len(distinct) > 1 and (len(ties) > 1 or any(one.time is None for one in own)):
        raise _contradiction(list(distinct.values()), source)
    notes[_EARLIER] += len(distinct) - 1
    return last


def _contradiction(different: Sequence[Answer], source: str) -> InputError:
    one, answers = different[0], " and ".join(map(_shown, different))
    problem = f"annotator {one.annotator!r} has different answers to item {one.item!r}: {answers[:200]}"
    return InputError(problem, source=source, hint="Delete one, or name the annotator of each file with --annotator")


def _shown(answer: Answer) -> str:
    marks = ", ".join(f"{one.label} {one.start}–{one.end}" for one in answer.spans[:3])
    return f"{answer.choice or 'no choice'}{f' ({marks})' if marks else ''}"
