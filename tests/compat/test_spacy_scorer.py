"""The scorer for spaCy, beside spaCy's own."""

from __future__ import annotations

from typing import Any

import pytest

from karatage.compat.spacy_scorer import entity_scorer

spacy = pytest.importorskip("spacy")
TEXT = "Ann met Bob in Rome"


def example(gold: list[tuple[int, int, str]] | None, pred: list[tuple[int, int, str]]) -> Any:
    from spacy.training import Example

    made = Example.from_dict(spacy.blank("en")(TEXT), {} if gold is None else {"entities": gold})
    made.predicted.ents = [span for one in pred if (span := made.predicted.char_span(*one))]
    return made


EXAMPLES = [
    ([(0, 3, "PER"), (8, 11, "PER"), (15, 19, "LOC")], [(0, 3, "PER"), (8, 11, "LOC")]),
    ([(0, 3, "PER")], [(0, 7, "PER")]),
    ([], [(15, 19, "ORG")]),
    (None, [(0, 3, "PER")]),  # without annotations: neither right nor wrong
]


def test_it_agrees_with_the_scorer_of_spacy() -> None:
    from spacy.scorer import get_ner_prf

    wanted = get_ner_prf([example(*one) for one in EXAMPLES])
    assert entity_scorer()([example(*one) for one in EXAMPLES]) == wanted
    assert wanted["ents_r"] == 0.25


def test_options_and_metrics() -> None:
    """By overlap, (0, 3) is found by (0, 7) as well: 2 of 4 entities of gold."""
    found = entity_scorer(match="overlap", metrics=["recall", "f2"])([example(*one) for one in EXAMPLES])
    assert found["ents_r"] == 0.5
    assert set(found) == {"ents_r", "f2", "ents_per_type"}


def test_it_scores_a_pipeline_without_entities() -> None:
    spacy.registry.scorers("test_spacy_scorer", func=entity_scorer)
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler", config={"scorer": {"@scorers": "test_spacy_scorer"}})
    ruler.add_patterns([{"label": "PER", "pattern": "Eve"}])
    assert nlp.evaluate([example(EXAMPLES[0][0], [])])["ents_f"] == 0.0
    assert nlp.evaluate([])["ents_f"] == 0.0
