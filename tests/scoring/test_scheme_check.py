"""Gold and predictions in different tagging schemes: every entity is read alike, and what changes is said."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import karatage
from karatage.profiles import get_profile

# Two persons side by side, a place, and an organisation of three tokens; IO joins the persons.
SCHEMES = {
    "IOB2": ["B-PER I-PER B-PER O B-LOC", "O B-ORG I-ORG I-ORG O"],
    "IOB1": ["I-PER I-PER B-PER O I-LOC", "O I-ORG I-ORG I-ORG O"],
    "IOBES": ["B-PER E-PER S-PER O S-LOC", "O B-ORG I-ORG E-ORG O"],
    "BILOU": ["B-PER L-PER U-PER O U-LOC", "O B-ORG I-ORG L-ORG O"],
    "IOE2": ["I-PER E-PER E-PER O E-LOC", "O I-ORG I-ORG E-ORG O"],
    "IO": ["I-PER I-PER I-PER O I-LOC", "O I-ORG I-ORG I-ORG O"],
}


def tags(scheme: str) -> list[list[str]]:
    return [line.split() for line in SCHEMES[scheme]]


def scored(gold: str, pred: str, **options: Any) -> tuple[dict[str, int], tuple[str, ...]]:
    result = karatage.score(tags(gold), tags(pred), resamples=0, **options)
    return result.counts, result.warnings


def retagged(example: str, count: str) -> str:
    return (
        f"correct entities with other tags in the predictions (e.g. {example}), as in another tagging scheme; accuracy "
        f"counts these tags as wrong: {count}"
    )


@pytest.mark.parametrize(("gold", "pred"), [*product([name for name in SCHEMES if name != "IO"], repeat=2)])
@pytest.mark.parametrize("like", ["exact", "overlap", "semeval2013"])
def test_entities_are_read_alike_in_all_schemes(gold: str, pred: str, like: str) -> None:
    """All entities are correct; where accuracy is reported, a warning says why it is not 1."""
    counts, warnings = scored(gold, pred, like=like)
    assert counts["correct"] == counts["gold"] == counts["predicted"] == 4
    reports = "accuracy" in get_profile(like).metrics
    assert len(warnings) == (gold != pred and reports)


def test_accuracy_compares_whole_tags() -> None:
    """IOBES has other tags at the end of the first entity and of the last, and at the two of one token."""
    counts, warnings = scored("IOB2", "IOBES")
    assert counts["tokens_correct"] == 6
    assert warnings == (retagged("sentence 1: I-PER in gold, E-PER in the predictions", "4 of 4"),)
    assert scored("IOB2", "IOBES", metrics=["f1"])[1] == ()
    # IOB1 has B only where IOB2 has it, too: in the second person.
    example = "sentence 1: B-PER in gold, I-PER in the predictions"
    assert scored("IOB2", "IOB1")[1] == (retagged(example, "3 of 4"),)


def test_i_tags_cannot_separate_adjacent_entities() -> None:
    """The two persons are one in IO, so that the place and the organisation are all that is correct."""
    counts, warnings = scored("IOB2", "IO", metrics=["f1"])
    assert (counts["gold"], counts["predicted"], counts["correct"]) == (4, 3, 2)
    lost = "adjacent entities of one type in {}, which {} cannot separate with I- tags only: 1"
    assert warnings == (lost.format("gold", "the predictions"),)
    assert scored("IO", "IOBES", metrics=["f1"])[1] == (lost.format("the predictions", "gold"),)
    assert scored("IOB2", "IO", like="tokens")[1] == ()  # tokens have types only


@pytest.mark.parametrize("like", ["conlleval", "seqeval"])
def test_tools_that_do_not_know_bilou(like: str) -> None:
    """U-PER after L-PER is no start to these tools: the persons are one. Gold in the same scheme hides that."""
    counts, warnings = scored("IOB2", "BILOU", like=like, metrics=["f1"])
    assert (counts["predicted"], counts["correct"]) == (3, 2)
    joined = (
        "entities in {} that are joined with the one before, because the profile {} does not know the prefixes "
        "L and U: 1"
    )
    assert warnings == (joined.format("the predictions", like),)
    assert scored("BILOU", "BILOU", like=like, metrics=["f1"])[1] == (
        joined.format("gold", like),
        joined.format("the predictions", like),
    )


def test_a_few_entities_with_other_tags_are_errors_of_a_model() -> None:
    """A model for IOB2 that starts one of four entities with I."""
    gold = tags("IOB2")
    pred = [gold[0], ["O", "I-ORG", "I-ORG", "I-ORG", "O"]]
    result = karatage.score(gold, pred, resamples=0)
    assert result.counts["correct"] == 4
    assert result.warnings == ()


def test_entities_with_nothing_correct_say_nothing_of_schemes() -> None:
    result = karatage.score([["B-PER", "I-PER"]], [["I-PER", "O"]], resamples=0)
    assert result.warnings == ()


@pytest.mark.parametrize("name", ["wnut17/dev.conll", "german-ler/ler-sample.conll", "uner-ewt/en_ewt-ud-dev.iob2"])
def test_real_corpora_and_errors_of_models_are_not_warned_of(name: str, real_data: Path, tmp_path: Path) -> None:
    """Every fifth tag is lost, so that entities are cut and start with I."""
    path = real_data / name
    lines = path.read_text("utf-8").split("\n")
    for at in range(0, len(lines), 5):
        if lines[at] and not lines[at].startswith("#"):
            lines[at] = re.sub(r"(?<=\s)[BI]-[A-Za-z-]+", "O", lines[at])
    noisy = tmp_path / path.name
    noisy.write_text("\n".join(lines), "utf-8")
    for pred in (path, noisy):
        result = karatage.score(path, pred, resamples=0)
        assert result.counts["correct"] > 0
        assert not [text for text in result.warnings if "tags" in text]


@pytest.mark.parametrize("rule", ["boundary", "overlap-any"])
def test_another_label_is_not_another_scheme(rule: str) -> None:
    """These rules give credit to an entity with another label; its tags differ because of the label."""
    result = karatage.score([["B-PER", "O"]], [["B-ORG", "O"]], match=rule, metrics=["f1", "accuracy"], resamples=0)
    assert result["f1"].value == 1
    assert result.warnings == (
        "predictions whose label does not occur in gold (ORG), which weighted averages ignore: 1",
        "gold and predictions have no label in common: PER in gold, ORG in the predictions",
    )


def test_the_example_is_the_first_entity_with_other_tags_wherever_a_batch_ends(tmp_path: Path) -> None:
    """Most entities have other tags only from the second sentence on: the example is of the first that has any."""
    gold, pred = tmp_path / "gold.conll", tmp_path / "pred.conll"
    gold.write_text("a B-X\nb I-X\n\n" * 3)
    pred.write_text("a B-X\nb I-X\n\n" + "a B-X\nb E-X\n\n" * 2)
    example = "sentence 2: I-X in gold, E-X in the predictions"
    assert karatage.score(gold, pred, resamples=0).warnings == (retagged(example, "2 of 3"),)
