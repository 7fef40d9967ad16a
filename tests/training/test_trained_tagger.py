"""Trained taggers: from claims to a model and from texts to claims, through a folder and back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.training.corpora import TINY, TINY_CRF, Title, claims_of, decoded, spans_of, titles

torch = pytest.importorskip("torch")


from karatage.claims import Claims, TokenColumn, Units  # noqa: E402  PyTorch is optional
from karatage.errors import InputError, UsageError  # noqa: E402
from karatage.taggers import open_tagger, tag_batches  # noqa: E402
from karatage.training.fit_context import EpochResult  # noqa: E402
from karatage.training.trained_tagger import TrainedTagger  # noqa: E402

MADE = titles(24)
NEW = titles(12, seed=9)
TOKENS, GROUPS = [list(title.tokens) for title in NEW], [title.category for title in NEW]


def trained(
    model: str = "bilstm", made: list[Title] = MADE, *, categories: bool = True, **settings: Any
) -> TrainedTagger:
    base = TINY if model == "bilstm" else TINY_CRF
    return TrainedTagger.fit(claims_of(made, categories=categories), model, {**base, **settings})[0]


@pytest.fixture(scope="module")
def tagger() -> TrainedTagger:
    """One that has learned its titles."""
    return trained("bilstm-crf", epochs=12, average=0.0)


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    path = tmp_path / "words.vec"
    rows = [f"{word} {at} {-at} 0.5" for at, word in enumerate(("SKF", "BMW", "elsewhere"))]
    path.write_text("\n".join(["3 3", *rows, ""]))
    return path


WORD_FEATURES: dict[str, tuple[str, dict[str, Any]]] = {
    "plain": ("bilstm", {}),
    "weighted": ("bilstm", {"class_weights": "balanced", "focal": 2.0, "layers": 2, "lowercase": True, "min_count": 2}),
    "root": ("bilstm", {"class_weights": "sqrt", "category_dim": 0}),
    "characters": ("bilstm", {"chars": "cnn", "char_dim": 3, "char_hidden": 4}),
    "cnn": ("bilstm-crf", {"chars": "cnn"}),
    "lstm": ("bilstm-crf", {"chars": "lstm", "char_hidden": 5, "affixes": 0}),
    "affixes": ("bilstm-crf", {"chars": "none", "affixes": 3, "restrict": False}),
    "tuned vectors": ("bilstm-crf", {"vectors": "FILE"}),
    "fixed vectors": ("bilstm", {"vectors": "FILE", "tune_vectors": False}),
}


@pytest.mark.parametrize("kind", WORD_FEATURES)
def test_what_is_saved_and_loaded_labels_alike(kind: str, folder: Path, vectors: Path) -> None:
    """Also where the file of vectors is gone; and nothing is said on the way."""
    model, settings = WORD_FEATURES[kind]
    if "vectors" in settings:
        settings = {**settings, "vectors": str(vectors)}
    made = trained(model, epochs=4, **settings)
    made.save(folder)
    vectors.unlink()
    before = torch.get_rng_state()
    again = TrainedTagger.load(folder)
    assert torch.equal(torch.get_rng_state(), before)
    for groups in (GROUPS, None, ["never seen"] * len(TOKENS)):
        assert made.labeller.label(TOKENS, groups).tolist() == again.labeller.label(TOKENS, groups).tolist()
        assert np.array_equal(made.labeller.marginals(TOKENS, groups), again.labeller.marginals(TOKENS, groups))
    own, theirs = made.labeller.network.state_dict(), again.labeller.network.state_dict()  # type: ignore[attr-defined]
    assert own.keys() == theirs.keys()
    assert all(torch.equal(own[name], theirs[name]) for name in own)
    assert again.card == made.card
    assert again.labeller.settings == made.labeller.settings.__class__(
        **{**vars(made.labeller.settings), "device": "auto"}
    )


def test_a_tagger_says_what_it_is(tagger: TrainedTagger, folder: Path) -> None:
    assert tagger.name == "bilstm-crf"
    assert tagger.labels == {"maker", "kind", "colour", "number", "make"}
    assert tagger.version == ""
    assert tagger.card.by_group == {"1": ("colour", "kind", "make", "maker"), "2": ("kind", "make", "maker", "number")}
    tagger.save(folder)
    opened = open_tagger(str(folder))
    assert isinstance(opened, TrainedTagger)
    assert opened.name == str(folder)
    assert opened.version.startswith("sha256:")
    assert open_tagger(f"karatage:{folder}").name == str(folder)
    with pytest.raises(UsageError, match="has its own words and labels"):
        open_tagger(str(folder), words="estnltk")


def test_the_same_model_is_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    """Trained twice, saved twice: every file is the same."""
    digests = []
    for place in (folder, tmp_path / "other"):
        trained().save(place)
        digests.append({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in place.iterdir()})
    assert digests[0] == digests[1]
    assert set(digests[0]) == {"model.toml", "weights.safetensors", "lexicon.json"}


def test_the_history_is_kept(folder: Path) -> None:
    from dataclasses import replace

    history = (EpochResult(1, 0.5, 0.1, {"f1": 0.25}), EpochResult(2, 0.25, 0.1, {"f1": 0.5}))
    replace(trained(), history=history).save(folder)
    assert TrainedTagger.load(folder).history == history


def test_tokens_and_texts(tagger: TrainedTagger) -> None:
    """Of tokens the claims are in tokens, of texts in characters, and they are the same entities."""
    attributes = {"category": GROUPS}
    in_tokens = tagger.tag(TOKENS, attributes)
    in_columns = tagger.tag(TokenColumn.of(TOKENS), attributes)
    in_chars = tagger.tag([" ".join(own) for own in TOKENS], attributes)
    assert (in_tokens.space, in_chars.space) == ("token", "char")
    codes = tagger.labeller.label(TOKENS, GROUPS)
    sizes = [len(own) for own in TOKENS]
    expected = decoded(codes.tolist(), sizes, tagger.labeller.tags.labels)
    assert len(expected) > len(TOKENS)
    assert spans_of(in_tokens) == spans_of(in_columns) == expected
    assert in_chars.units.texts is not None
    shown = [(unit, in_chars.units.texts[unit][start:end], label) for unit, start, end, label in spans_of(in_chars)]
    assert shown == [(unit, " ".join(TOKENS[unit][start:end]), label) for unit, start, end, label in expected]


def test_blanks_are_kept_where_texts_have_them(tagger: TrainedTagger) -> None:
    """Two blanks within an entity, some around: the places are those of the text."""
    from dataclasses import replace

    text = "  SKF\tZahnriemen  VKMA   1003 "
    for words in ("words", "spaces"):
        one = replace(tagger, card=replace(tagger.card, words=words))
        found = one.tag([text, "", "   "], {"category": ["2"] * 3})
        assert [(text[a:b], label) for _, a, b, label in spans_of(found)] == [
            ("SKF", "maker"),
            ("Zahnriemen", "kind"),
            ("VKMA   1003", "number"),
        ]


def test_words_and_marks_or_blanks() -> None:
    """A model that learned `(SKF)` as one token finds it as one, another as three."""
    from dataclasses import replace

    tagger = trained(epochs=1)
    seen: list[Any] = []

    class Watching:
        tags = tagger.labeller.tags

        def label(self, tokens: Any, groups: Any) -> Any:  # noqa: ARG002
            seen.append([list(own) for own in tokens])
            return np.zeros(sum(map(len, tokens)), np.int64)

    for words in ("words", "spaces"):
        replace(tagger, labeller=Watching(), card=replace(tagger.card, words=words)).tag(["(SKF) 1.9-TDI"])
    assert seen == [[["(", "SKF", ")", "1", ".", "9", "-", "TDI"]], [["(SKF)", "1.9-TDI"]]]


def test_nothing_to_tag(tagger: TrainedTagger) -> None:
    assert len(tagger.tag([])) == 0
    empty = tagger.tag([[], []], {"category": ["1", "2"]})
    assert (len(empty), len(empty.units)) == (0, 2)
    assert len(tagger.tag(["", "  "])) == 0
    assert len(tagger.with_threshold(0.5).tag([[], []])) == 0
    with pytest.raises(InputError, match="has neither tokens nor texts to tag"):
        tagger.tag_units(Units(2))


def test_many_units_are_labelled_in_chunks(tagger: TrainedTagger, monkeypatch: pytest.MonkeyPatch) -> None:
    attributes = {"category": GROUPS}
    for one in (tagger, tagger.with_threshold(0.6)):
        whole = spans_of(one.tag(TOKENS, attributes))
        with monkeypatch.context() as patch:
            patch.setattr("karatage.training.trained_tagger._CHUNK", 5)
            assert spans_of(one.tag(TOKENS, attributes)) == whole


def test_a_threshold_drops_exactly_what_is_less_sure(tagger: TrainedTagger) -> None:
    units = Units(len(TOKENS), tokens=TOKENS, attributes={"category": GROUPS})
    claims, sure = tagger.scored(units)
    every = spans_of(claims)
    assert len(sure) == len(every)
    middle = float(np.median(sure))
    assert 0 < sure.min() < middle < sure.max() <= 1
    for least in (0.0, float(sure.min()), middle, float(sure.max()), 1.1):
        kept = spans_of(tagger.with_threshold(least).tag(TOKENS, {"category": GROUPS}))
        assert kept == [span for span, chance in zip(every, sure.tolist(), strict=True) if chance >= least]
    assert spans_of(tagger.with_threshold(middle).scored(units)[0]) == every  # all, whatever the threshold


def test_claims_say_how_sure_the_model_is(tagger: TrainedTagger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where that is asked for, or known because of a threshold; else the model is not asked for its probabilities."""
    units = Units(len(TOKENS), tokens=TOKENS, attributes={"category": GROUPS})
    claims, sure = tagger.scored(units)
    asked = tagger.tag_units(units, scores=True)
    assert asked.score is not None
    assert (spans_of(asked), asked.score.tolist()) == (spans_of(claims), sure.tolist())
    texts = replace(units, tokens=None, texts=[" ".join(tokens) for tokens in TOKENS])
    in_texts = tagger.tag_units(texts, scores=True)
    assert in_texts.score is not None
    assert in_texts.score.tolist() == sure.tolist()
    middle = float(np.median(sure))
    some = tagger.with_threshold(middle).tag_units(units)
    assert some.score is not None
    assert some.score.tolist() == [chance for chance in sure.tolist() if chance >= middle]
    batches = [claims.slice(0, 3), claims.slice(3, len(units))]
    found = list(tag_batches(tagger, batches, scores=True))
    assert [len(part.score) for part in found if part.score is not None] == [len(part) for part in batches]
    monkeypatch.setattr(tagger.labeller, "marginals", None)
    assert tagger.tag_units(units).score is None
    assert all(part.score is None for part in tag_batches(tagger, batches))


def test_how_sure_it_is_comes_from_its_marginals(tagger: TrainedTagger) -> None:
    """For each claim the least of the probabilities of its tags, looked up one by one."""
    units = Units(len(TOKENS), tokens=TOKENS, attributes={"category": GROUPS})
    claims, sure = tagger.scored(units)
    chances = tagger.labeller.marginals(TOKENS, GROUPS)
    np.testing.assert_allclose(chances.sum(1), 1, atol=1e-4)
    starts = np.cumsum([0, *map(len, TOKENS)])
    for (unit, start, end, label), found in zip(spans_of(claims), sure.tolist(), strict=True):
        first = 1 + 2 * tagger.labeller.tags.labels.index(label)
        rows = chances[starts[unit] + start : starts[unit] + end]
        expected = min([max(rows[0, first], rows[0, first + 1]), *(float(row[first + 1]) for row in rows[1:])])
        assert found == pytest.approx(float(expected), abs=1e-6)


def test_a_category_never_gets_the_labels_of_another() -> None:
    """A model that hardly learned anything would give any label anywhere."""
    tagger = trained("bilstm-crf", epochs=1, learning_rate=0.5, seed=3)
    dice = np.random.default_rng(0)
    words = sorted({word for own in TOKENS for word in own})
    noise = [dice.choice(words, 6).tolist() for _ in range(200)]
    found: dict[str, set[str]] = {}
    for group in ("1", "2", "?"):
        found[group] = {label for *_, label in spans_of(tagger.tag(noise, {"category": [group] * 200}))}
    assert found["1"]
    assert found["1"] <= {"colour", "kind", "make", "maker"}
    assert found["2"] <= {"kind", "make", "maker", "number"}


def test_without_categories() -> None:
    tagger = trained("bilstm-crf", categories=False)
    assert (tagger.card.group_by, tagger.card.by_group) == ("", {})
    assert spans_of(tagger.tag(TOKENS)) == spans_of(tagger.tag(TOKENS, {"category": GROUPS}))


def test_an_unseen_category_can_be_tagged(tagger: TrainedTagger) -> None:
    found = tagger.tag(TOKENS, {"category": ["9"] * len(TOKENS)})
    assert len(found.units) == len(TOKENS)
    assert len(found) > 0
    assert spans_of(found) == spans_of(tagger.tag(TOKENS))  # as without any category


@pytest.mark.parametrize("model", ["bilstm", "bilstm-crf"])
def test_a_title_of_ten_thousand_tokens(model: str) -> None:
    """To learn from, where it is cut into parts, and to tag, where it is not."""
    long = Title("1", ("für", "BMW") * 5000, tuple((at, at + 1, "make") for at in range(1, 10_000, 2)))
    tagger = trained(model, [*MADE, long], epochs=1)
    found = tagger.tag([list(long.tokens), ["für", "BMW"]], {"category": ["1", "1"]})
    codes = tagger.labeller.label([list(long.tokens)], ["1"])
    assert len(codes) == 10_000
    assert max(end for _, _, end, _ in spans_of(found)) >= 9_999
    assert len(set(codes[4000:6000].tolist())) <= 3  # in the middle the ends are far away


def test_an_entity_of_a_thousand_tokens() -> None:
    """Its parts begin with B; under a CRF the loss stays above 0, as that of a probability must, but for rounding."""
    from karatage.training.fit_context import FitContext

    losses: list[float] = []

    class Told:
        def resumed(self, epoch: int, best: float) -> None: ...
        def step(self, epoch: int, epochs: int, step: int, steps: int) -> None: ...
        def epoch(self, found: EpochResult, epochs: int) -> None:  # noqa: ARG002
            losses.append(found.loss)

    long = Title("1", ("x",) * 1000, ((0, 1000, "make"),))
    settings = {**TINY_CRF, "epochs": 15, "learning_rate": 0.3, "dropout": 0.0}
    TrainedTagger.fit(claims_of([long, *MADE[:3]]), "bilstm-crf", settings, context=FitContext(progress=Told()))
    assert len(losses) == 15
    assert min(losses) > -0.1


def test_titles_without_tokens_and_one_title_only() -> None:
    empty = Title("1", (), ())
    for model in ("bilstm", "bilstm-crf"):
        tagger = trained(model, [empty, *MADE[:5], empty])
        assert len(tagger.tag([[], ["SKF"], []], {"category": ["1"] * 3}).units) == 3
        assert trained(model, [MADE[0]]).labels == {label for _, _, label in MADE[0].spans}


def test_odd_tokens(folder: Path) -> None:
    """Tokens that are empty, blank, very long, or hold half of a surrogate pair; categories with any character."""
    odd = ["", " ", "\n", "x" * 100_000, "\ud800", "🚗", "a\x00b", "\u0301"]
    made = [Title('c"\\\n.=[ä]', tuple(odd), ((0, 2, 'l"\\\n.=[ä]'), (3, 8, "O"))), *MADE[:4]]
    tagger = trained("bilstm-crf", made)
    found = spans_of(tagger.tag([odd], {"category": ['c"\\\n.=[ä]']}))
    tagger.save(folder)
    again = TrainedTagger.load(folder)
    assert again.card == tagger.card
    assert spans_of(again.tag([odd], {"category": ['c"\\\n.=[ä]']})) == found


def test_nothing_to_learn_from() -> None:
    for made in ([Title("1", ("SKF", "für"), ())], []):
        with pytest.raises(InputError, match="has no entities to learn from"):
            trained("bilstm", made)
    values = Claims.build(Units(1), "value", [(0, "a", -1, -1, None, "x")])
    with pytest.raises(InputError, match="values without positions"):
        TrainedTagger.fit(values, "bilstm", TINY)


def test_settings_that_are_wrong() -> None:
    with pytest.raises(UsageError, match="settings of bilstm: unknown setting 'hiden'. Did you mean 'hidden'?"):
        trained("bilstm", hiden=8)


@pytest.mark.parametrize("model", ["bilstm", "bilstm-crf"])
def test_a_title_is_tagged_alike_in_any_company(model: str) -> None:
    """Alone, with long neighbours, in another order: the same probabilities."""
    tagger = trained(model, epochs=4)
    label: Callable[..., Any] = tagger.labeller.marginals
    whole = np.split(label(TOKENS, GROUPS), np.cumsum([len(own) for own in TOKENS])[:-1])
    for unit in range(len(TOKENS)):
        np.testing.assert_allclose(label([TOKENS[unit]], [GROUPS[unit]]), whole[unit], atol=2e-6)
    beside = label([["x"] * 300, *TOKENS[::-1]], ["1", *GROUPS[::-1]])
    np.testing.assert_allclose(beside[300:], np.concatenate(whole[::-1]), atol=2e-6)
