"""The answer in the terminal: the first thing below the title."""

from __future__ import annotations

from rich.text import Text

from karatage.reports.answer_texts import AnswerText


def answer_line(answer: AnswerText) -> Text:
    """Make the line of an answer; it wraps where the terminal ends."""
    return Text(answer, "bold")
