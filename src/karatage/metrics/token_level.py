"""Measures of tokens by type: precision, recall and F of the types that tokens have, whatever entities they form.

A token counts for each type that gold or a prediction gives it. `O` is not a type, and the prefixes of tags do not
matter: `B-PER` and `I-PER` are both PER. A token is correct if gold and prediction give it the same type.

With gold `B-PER I-PER O B-LOC` and predictions `B-PER O O B-PER`, gold has two tokens of PER and one of LOC, the
predictions have two of PER, and one is correct: precision is 1/2, recall 1/3 and F1 0.4. No entity is correct.
"""

from __future__ import annotations

from karatage.metrics.measure import Measure
from karatage.metrics.precision_recall import FBeta, Precision, Recall


def on_tokens(measure: Measure) -> Measure:
    """Return the measure of tokens that is to them what precision, recall or F is to entities."""
    if isinstance(measure, FBeta):
        return TokenFBeta(measure.beta)
    return TokenPrecision() if isinstance(measure, Precision) else TokenRecall()


class TokenPrecision(Precision):
    """Tokens with the correct type of all tokens that were given a type."""

    name = "token_precision"
    about = "share of tokens in predictions whose type is correct, prefixes ignored"
    formula = "correct tokens / predicted tokens"
    by_token = True
    binomial = False  # the tokens of an entity are right or wrong together


class TokenRecall(Recall):
    """Tokens with the correct type of all tokens that have one in gold."""

    name = "token_recall"
    about = "share of tokens in gold entities whose type was predicted, prefixes ignored"
    formula = "correct tokens / gold tokens"
    by_token = True
    binomial = False


class TokenFBeta(FBeta):
    """The weighted harmonic mean of token-level precision and recall."""

    name = "token_f"
    about = "weighted harmonic mean of token_precision and token_recall"
    by_token = True

    def __str__(self) -> str:
        return f"token_{super().__str__()}"

    @classmethod
    def written(cls) -> str:
        """Return how its text looks."""
        return "token_f1, token_f0.2 …"
