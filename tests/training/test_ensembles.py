"""Several models as one: means and votes by hand, members with other labels, folders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.training.corpora import TINY, TINY_CRF, Title, claims_of, spans_of, titles

from karatage.errors import InputError, UsageError
from karatage.training.ensembles import EnsembleLabeller, EnsembleSettings, ensemble
from karatage.training.model_folder import ModelCard, read_card
from karatage.training.tagset import TagSet
from karatage.training.trained_tagger import TrainedTagger
from karatage.training.viterbi import best_path

Chances = Sequence[Mapping[str, float]]


class Fake:
    """A model that says what it was told to, whatever the tokens."""

    settings = None

    def __init__(self, labels: str, tags: str = "", chances: Chances = ()) -> None:
        self.tags = TagSet(tuple(labels))
        self.told, self.chances = tags.split(), chances

    def label(self, tokens: Any, groups: Any) -> Any:  # noqa: ARG002
        return np.array([self.tags.tags.index(tag) for tag in self.told], np.int64)

    def marginals(self, tokens: Any, groups: Any) -> Any:  # noqa: ARG002
        return np.array([[own.get(tag, 0.0) for tag in self.tags.tags] for own in self.chances], np.float32)


def tagger(fake: Fake, by_group: Mapping[str, str] | None = None, **card: Any) -> TrainedTagger:
    groups = {group: tuple(labels) for group, labels in (by_group or {}).items()}
    return TrainedTagger(fake, ModelCard("bilstm", {}, fake.tags.labels, groups, **card))


TOKENS = [list("xyz"), [], list("uv")]


def test_votes_by_hand() -> None:
    """Two of three see a at 0–2, b at 3–4 and b at 4–5, which stay two; c, and a at 0–1, have one vote each."""
    members = [
        tagger(Fake("ab", "B-a I-a O B-b O")),
        tagger(Fake("ab", "B-a I-a O O B-b")),
        tagger(Fake("bc", "B-c O B-c B-b B-b")),
    ]
    found = ensemble(members, by="vote")
    assert found.labeller.tags.tags == ("O", "B-a", "I-a", "B-b", "I-b", "B-c", "I-c")
    # The units have three, no and two tokens.
    assert found.labeller.label(TOKENS, None).tolist() == [1, 2, 0, 3, 3]
    assert spans_of(found.tag(TOKENS)) == [(0, 0, 2, "a"), (2, 0, 1, "b"), (2, 1, 2, "b")]


def test_half_of_the_votes_is_not_enough() -> None:
    members = [tagger(Fake("a", "B-a O B-a O O")), tagger(Fake("a", "B-a O O O O"))]
    assert ensemble(members, by="vote").labeller.label(TOKENS, None).tolist() == [1, 0, 0, 0, 0]


def test_nobody_votes() -> None:
    members = [tagger(Fake("a", "O O O O O")), tagger(Fake("a", "O O O O O"))]
    assert ensemble(members, by="vote").labeller.label(TOKENS, None).tolist() == [0] * 5
    silent = ensemble([tagger(Fake("a")), tagger(Fake("a"))], by="vote")
    assert silent.labeller.label([], None).tolist() == silent.labeller.label([[], []], None).tolist() == []


def test_other_borders_are_another_vote() -> None:
    """Three see something of a, but no two see the same."""
    members = [tagger(Fake("a", f"{tags} O O")) for tags in ("B-a I-a I-a", "B-a I-a O", "B-a O O")]
    assert ensemble(members, by="vote").labeller.label(TOKENS, None).tolist() == [0] * 5


def test_means_by_hand() -> None:
    """A label that a member lacks has no probability there."""
    first = Fake("a", chances=[{"O": 0.2, "B-a": 0.8}, {"O": 0.3, "I-a": 0.7}])
    second = Fake("b", chances=[{"O": 0.1, "B-b": 0.9}, {"O": 1.0}])
    found = ensemble([tagger(first), tagger(second)]).labeller
    mean = [[0.15, 0.4, 0.0, 0.45, 0.0], [0.65, 0.0, 0.35, 0.0, 0.0]]
    np.testing.assert_allclose(found.marginals([list("xy")], None), mean, atol=1e-6)
    # B-b O has .45 · .65, B-a I-a has .4 · .35.
    assert found.label([list("xy")], None).tolist() == [3, 0]


def test_the_tags_of_a_mean_are_valid() -> None:
    """By itself the second token is I-a, .5 to .4, but nothing of a goes before it."""
    only = Fake("ab", chances=[{"B-b": 0.9, "O": 0.1}, {"I-a": 0.5, "B-a": 0.4, "O": 0.1}])
    found = ensemble([tagger(only), tagger(only)]).labeller
    assert found.label([list("xy")], None).tolist() == [3, 1]


def test_a_category_has_the_labels_of_all_members() -> None:
    """In category 1 there is a by the first and b by the second; in 2 there is only b; 3 was never seen."""
    told = [{"B-a": 0.5, "B-b": 0.4, "O": 0.1}]
    members = [tagger(Fake("ab", chances=told), {"1": "a"}), tagger(Fake("ab", chances=told), {"1": "b", "2": "b"})]
    found = ensemble(members)
    assert found.card.by_group == {"1": ("a", "b"), "2": ("b",)}
    labels = {group: found.labeller.label([["x"]], [group]).tolist() for group in "123"}
    assert labels == {"1": [1], "2": [3], "3": [1]}


def test_members_that_do_not_go_together() -> None:
    with pytest.raises(UsageError, match="needs at least two models"):
        ensemble([tagger(Fake("a"))])
    with pytest.raises(UsageError, match="must have the same words, not 'spaces' and 'words'"):
        ensemble([tagger(Fake("a"), words="spaces"), tagger(Fake("a"))])
    with pytest.raises(UsageError, match="must have the same group_by, not '' and 'category'"):
        ensemble([tagger(Fake("a"), group_by="category"), tagger(Fake("a"))])
    with pytest.raises(UsageError, match="unknown combination 'votes'. Did you mean 'vote'?"):
        ensemble([tagger(Fake("a")), tagger(Fake("a"))], by="votes")


def test_the_data_of_the_members_is_named_once() -> None:
    one, two = ({"role": "train", "path": path} for path in ("x", "y"))
    found = ensemble([tagger(Fake("a"), data=(one,)), tagger(Fake("a"), data=(one, two))])
    assert found.card.data == (one, two)


def test_the_threshold_is_the_mean_of_theirs() -> None:
    told = [{"B-a": 0.45, "O": 0.55}, {"B-a": 0.6, "O": 0.4}, {"B-a": 0.9, "O": 0.1}]
    one = Fake("a", chances=told)
    found = ensemble([tagger(one, threshold=0.5), tagger(one, threshold=0.9)])
    assert found.card.threshold == pytest.approx(0.7)
    assert spans_of(found.tag([list("xyz")])) == [(0, 2, 3, "a")]


@pytest.fixture(scope="module")
def members() -> list[TrainedTagger]:
    """A softmax and a CRF; the first never saw a number, the second never a colour."""
    pytest.importorskip("torch")
    made = titles(30)
    first = [title for title in made if "number" not in str(title.spans)]
    second = [title for title in made if "colour" not in str(title.spans)]
    return [
        TrainedTagger.fit(claims_of(first), "bilstm", {**TINY, "epochs": 6})[0],
        TrainedTagger.fit(claims_of(second), "bilstm-crf", {**TINY_CRF, "epochs": 6, "average": 0.0})[0],
    ]


NEW: list[Title] = titles(10, seed=4)
WORDS, GROUPS = [list(title.tokens) for title in NEW], [title.category for title in NEW]


def test_one_model_twice_is_that_model(members: list[TrainedTagger]) -> None:
    """With the best valid tags under its own probabilities."""
    for one in members:
        twice = ensemble([one, one]).labeller
        chances = one.labeller.marginals(WORDS, GROUPS)
        np.testing.assert_allclose(twice.marginals(WORDS, GROUPS), chances, atol=1e-6)
        sizes = np.array([len(own) for own in WORDS])
        expected = best_path(np.log(np.maximum(chances, 1e-30)), sizes, one.labeller.tags, GROUPS)
        assert twice.label(WORDS, GROUPS).tolist() == expected.tolist()
        voted = ensemble([one, one], by="vote")
        assert spans_of(voted.tag(WORDS, {"category": GROUPS})) == spans_of(one.tag(WORDS, {"category": GROUPS}))


@pytest.mark.parametrize("by", ["mean", "vote"])
def test_an_ensemble_in_a_folder(members: list[TrainedTagger], by: str, folder: Path) -> None:
    made = ensemble(members, by=by).with_threshold(0.3)
    made.save(folder)
    again = TrainedTagger.load(folder)
    assert again.card == made.card
    assert again.labels == {"maker", "kind", "colour", "number", "make"}
    attributes = {"category": GROUPS}
    assert spans_of(again.tag(WORDS, attributes)) == spans_of(made.tag(WORDS, attributes))
    np.testing.assert_array_equal(again.labeller.marginals(WORDS, GROUPS), made.labeller.marginals(WORDS, GROUPS))
    assert sorted(path.name for path in folder.iterdir()) == ["member-1", "member-2", "model.toml"]
    assert read_card(folder / "member-1") == members[0].card


def test_the_device_is_that_of_the_members(members: list[TrainedTagger], folder: Path) -> None:
    ensemble([ensemble(members), members[0]]).save(folder)
    with pytest.raises(UsageError, match="device must be auto, cpu or cuda, not 'tpu'"):
        TrainedTagger.load(folder, device="tpu")
    TrainedTagger.load(folder, device="cpu")


def test_an_ensemble_of_ensembles(members: list[TrainedTagger], folder: Path) -> None:
    inner = ensemble(members)
    ensemble([inner, members[0]]).save(folder)
    found = TrainedTagger.load(folder).labeller.marginals(WORDS, GROUPS)
    every = [ensemble([one, one]) for one in members]
    first = ensemble([every[0], every[1]])  # all labels, in their common order
    one = first.labeller.marginals(WORDS, GROUPS)
    alone = np.zeros_like(one)
    tags = first.labeller.tags.tags
    own = members[0].labeller.marginals(WORDS, GROUPS)
    for at, tag in enumerate(members[0].labeller.tags.tags):
        alone[:, tags.index(tag)] = own[:, at]
    np.testing.assert_allclose(found, (one + alone) / 2, atol=1e-6)


def test_a_member_with_labels_that_the_ensemble_lacks(members: list[TrainedTagger], folder: Path) -> None:
    from karatage.training.model_folder import write_card

    ensemble(members).save(folder)
    card = read_card(folder)
    write_card(folder, ModelCard("ensemble", card.settings, ("maker",), {}))
    with pytest.raises(InputError, match="member-1: has labels that the ensemble does not have"):
        TrainedTagger.load(folder)


def test_members_with_one_tag_per_label() -> None:
    """They make an ensemble with one tag per label, but not together with others."""
    one = Fake("a")
    one.tags = TagSet(("a",), {}, "IO")
    one.told = ["I-a", "I-a", "O", "I-a", "O"]
    found = ensemble([tagger(one), tagger(one)], by="vote")
    assert found.labeller.tags.tags == ("O", "I-a")
    assert spans_of(found.tag(TOKENS)) == [(0, 0, 2, "a"), (2, 0, 1, "a")]
    with pytest.raises(UsageError, match="the same tagging scheme, not IO and IOB2"):
        ensemble([tagger(one), tagger(Fake("a"))])


def test_its_settings() -> None:
    made = EnsembleLabeller([], TagSet(()), EnsembleSettings())
    assert (made.settings.by, made.settings.members) == ("mean", 2)
