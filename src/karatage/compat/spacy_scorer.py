"""A scorer for spaCy: its keys for entities, computed by Karatage."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Unpack

from karatage.scoring import ScoreKeywords, score


def entity_scorer(**options: Unpack[ScoreKeywords]) -> Callable[..., dict[str, Any]]:
    """Return a scorer for the components of a pipeline, for `nlp.evaluate` and `spacy train`.

    It returns `ents_p`, `ents_r`, `ents_f` and `ents_per_type`, as spaCy's own; with `metrics`, others under their
    names. What is undefined is 0, as in spaCy. Examples without entity annotations are left out.

    Args:
        options: Scoring options, such as `match="overlap"`.
    """
    given: dict[str, Any] = {"resamples": 0, "metrics": list(_LETTERS)} | dict(options)

    def scores(examples: Iterable[Any], **_: Any) -> dict[str, Any]:
        annotated = [one for one in examples if one.reference.has_annotation("ENT_IOB")]
        gold, pred = ([_spans(getattr(one, side)) for one in annotated] for side in ("reference", "predicted"))
        result = score(gold, pred, **given)
        out: dict[str, Any] = {
            f"ents_{_LETTERS[name]}" if name in _LETTERS else name: value
            for name, value in result.to_flat(undefined=0.0, labels=False).items()
        }
        out["ents_per_type"] = {
            label: {_LETTERS.get(name, name): one.value or 0.0 for name, one in own.items()}
            for label, own in result.by_label.items()
        }
        return out

    return scores


_LETTERS = {"precision": "p", "recall": "r", "f1": "f"}


def _spans(doc: Any) -> list[tuple[str, int, int]]:
    return [(entity.label_, entity.start_char, entity.end_char) for entity in doc.ents]
