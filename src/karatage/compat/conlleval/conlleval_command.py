"""The command line and the two reports of conlleval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from karatage._printing import say
from karatage.compat.conlleval.chunk_counts import ChunkCounts, count
from karatage.compat.conlleval.tagged_lines import LineFormat, read_lines
from karatage.errors import InputError, UsageError

DIFFERENT_WIDTHS, DIED = 1, 255


def main(arguments: Sequence[str], source: BinaryIO, target: BinaryIO) -> int:
    """Score what the source holds, print the report, and return the script's exit code."""
    try:
        latex, layout = _parse(arguments)
        # Bytes as characters: the script knows no others, and pads names by them.
        text = source.read().decode("latin-1")
        lines = text.removesuffix("\n").split("\n") if text else []
        counts = count(read_lines(lines, layout))
    except InputError as error:
        return _complain(str(error), DIFFERENT_WIDTHS)
    except UsageError as error:
        return _complain(f"conlleval: {error}", DIED)
    target.write("".join(_latex(counts) if latex else _plain(counts)).encode("latin-1"))
    return 0


def _parse(arguments: Sequence[str]) -> tuple[bool, LineFormat]:
    left, flags, values = list(arguments), set(), {"-d": " ", "-o": "O"}
    while left and left[0].startswith("-"):
        option = left.pop(0)
        if option in values:
            if not left:
                raise UsageError(f"{option} requires a value")
            values[option] = left.pop(0).encode("utf-8", "surrogateescape").decode("latin-1")
        elif option in ("-l", "-r"):
            flags.add(option)
        else:
            raise UsageError(f"unknown argument {option}")
    if left:
        raise UsageError("unexpected command line argument. The file is read from standard input: conlleval < file")
    return "-l" in flags, LineFormat(values["-d"], "-r" in flags, values["-o"])


def _plain(counts: ChunkCounts) -> Iterator[str]:
    gold, predicted, correct = (own.total() for own in (counts.gold, counts.predicted, counts.correct))
    yield f"processed {counts.tokens} tokens with {gold} phrases; found: {predicted} phrases; correct: {correct}.\n"
    if counts.tokens:
        yield f"accuracy: {100 * counts.right / counts.tokens:6.2f}%; {_scores(gold, predicted, correct)}\n"
    for kind in _types(counts):
        own = counts.gold[kind], counts.predicted[kind], counts.correct[kind]
        yield f"{kind:>17}: {_scores(*own)}  {counts.predicted[kind]}\n"


def _latex(counts: ChunkCounts) -> Iterator[str]:
    yield "        & Precision &  Recall  & F$_{\\beta=1} \\\\\\hline"
    for kind in _types(counts):
        yield f"\n{kind:<7} &  {_cells(counts.gold[kind], counts.predicted[kind], counts.correct[kind])} \\\\"
    yield "\\hline\n"
    gold, predicted, correct = (own.total() for own in (counts.gold, counts.predicted, counts.correct))
    yield f"Overall &  {_cells(gold, predicted, correct)} \\\\\\hline\n"


def _types(counts: ChunkCounts) -> Iterator[str]:
    """Yield the types that occur; the empty one twice where both sides have it, as the script does."""
    if counts.gold[""] and counts.predicted[""]:
        yield ""
    yield from sorted({*(+counts.gold), *(+counts.predicted)})


def _percentages(gold: int, predicted: int, correct: int) -> tuple[float, float, float]:
    precision = 100 * correct / predicted if predicted else 0.0
    recall = 100 * correct / gold if gold else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _scores(gold: int, predicted: int, correct: int) -> str:
    precision, recall, f1 = _percentages(gold, predicted, correct)
    return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"


def _cells(gold: int, predicted: int, correct: int) -> str:
    precision, recall, f1 = _percentages(gold, predicted, correct)
    return f"{precision:6.2f}\\% & {recall:6.2f}\\% & {f1:6.2f}"


def _complain(message: str, code: int) -> int:
    say(message, err=True)
    return code
