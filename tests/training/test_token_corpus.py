"""Units in batches: each once, in an order that hangs on the seed and the epoch alone; long units in parts."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import pytest
from tests.training.corpora import decoded, valid

torch = pytest.importorskip("torch")

from karatage.training.examples import Examples  # noqa: E402  PyTorch is optional
from karatage.training.network.lexicon import WordTables  # noqa: E402
from karatage.training.network.lstm_labeller import cut  # noqa: E402
from karatage.training.network.token_corpus import TokenCorpus, rounded, tagging_batches, training_batches  # noqa: E402
from karatage.training.tagset import TagSet  # noqa: E402

TAGS = TagSet(("a", "b", "c"))
LENGTHS = np.random.default_rng(1).integers(0, 70, 101)


def plain(batches: Any) -> list[tuple[list[int], int]]:
    return [(rows.tolist(), width) for rows, width in batches]


@pytest.mark.parametrize("size", [1, 7, 32, 500])
def test_an_epoch_has_every_unit_with_tokens_once(size: int) -> None:
    batches = plain(training_batches(LENGTHS, size, 3, 1))
    rows = [row for own, _ in batches for row in own]
    filler = len(LENGTHS)
    assert sorted(row for row in rows if row != filler) == np.flatnonzero(LENGTHS > 0).tolist()
    assert all(len(own) == size for own, _ in batches)
    assert rows.count(filler) < size
    for own, width in batches:
        longest = max(LENGTHS[row] for row in own if row != filler)
        assert width == rounded(int(longest)) >= longest


def test_the_order_hangs_on_seed_and_epoch_alone() -> None:
    first = plain(training_batches(LENGTHS, 8, 3, 1))
    state = np.random.get_state()[1].tolist()  # type: ignore[index]
    assert plain(training_batches(LENGTHS, 8, 3, 1)) == first
    assert plain(training_batches(LENGTHS, 8, 3, 2)) != first
    assert plain(training_batches(LENGTHS, 8, 4, 1)) != first
    assert np.random.get_state()[1].tolist() == state  # type: ignore[index]


def test_neighbours_in_a_batch_are_of_about_one_length() -> None:
    """So that little of a batch is padding."""
    batches = plain(training_batches(LENGTHS, 8, 0, 1))
    places = sum(8 * width for _, width in batches)
    assert LENGTHS.sum() <= places < 1.3 * LENGTHS.sum()


def test_widths() -> None:
    found = {length: rounded(length) for length in (0, 1, 4, 5, 32, 33, 64, 65, 128, 129, 256, 257, 10_000)}
    assert found == {
        0: 4, 1: 4, 4: 4, 5: 8, 32: 32, 33: 40, 64: 64, 65: 80, 128: 128, 129: 160, 256: 256, 257: 320, 10_000: 10_048,
    }  # fmt: skip


@pytest.mark.parametrize("tokens", [1, 60, 500, 100_000])
def test_tagging_takes_every_unit_with_tokens_once(tokens: int) -> None:
    batches = plain(tagging_batches(LENGTHS, tokens))
    assert sorted(row for own, _ in batches for row in own) == np.flatnonzero(LENGTHS > 0).tolist()
    for own, width in batches:
        assert width == max(LENGTHS[row] for row in own)
        assert len(own) * width <= tokens or len(own) == 1
    if tokens == 100_000:
        assert len(batches) == 1


def test_nothing_to_tag() -> None:
    assert plain(tagging_batches(np.zeros(3, np.int64), 100)) == []
    assert plain(tagging_batches(np.zeros(0, np.int64), 100)) == []
    assert plain(training_batches(np.zeros(3, np.int64), 100, 0, 1)) == []


def test_a_batch_by_hand() -> None:
    """Forms are numbers of distinct words; the lexicon calls them 7, 1 and 9."""
    forms = np.array([0, 1, 0, 2])
    tables = WordTables(np.array([7, 1, 9]), None, None)
    corpus = TokenCorpus.make(
        forms=forms,
        tables=tables,
        groups=np.array([2, 0, 1]),
        sizes=np.array([3, 0, 1]),
        tags=np.array([1, 2, 0, 3]),
        device=torch.device("cpu"),
    )
    assert len(corpus) == 3
    batch = corpus.batch(torch.tensor([2, 0, 1, 3]), 4)  # 3 is the unit that fills batches
    assert batch.words.tolist() == [[9, 0, 0, 0], [7, 1, 7, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    assert batch.forms.tolist() == [[2, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    assert batch.tags.tolist() == [[3, 0, 0, 0], [1, 2, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    assert batch.groups.tolist() == [1, 2, 0, 0]
    assert batch.sizes.tolist() == [1, 3, 0, 0]
    assert batch.inside.int().tolist() == [[1, 0, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]]


def made(codes: list[list[int]], groups: list[str] | None = None) -> Examples:
    tokens = [[f"t{at}" for at in range(len(own))] for own in codes]
    return Examples(
        tokens,
        groups,
        np.array(list(chain.from_iterable(codes)), np.int64),
        np.array([len(own) for own in codes], np.int64),
    )


def test_long_units_are_cut_between_entities() -> None:
    """At most six tokens: the first part ends before the entity that would run over its border."""
    given = made([[0, 0, 0, 0, 1, 2, 2, 0, 1, 2], [], [1, 2]], ["x", "y", "z"])
    found = cut(given, TAGS, 6)
    assert found.tokens == [["t0", "t1", "t2", "t3"], ["t4", "t5", "t6", "t7", "t8", "t9"], [], ["t0", "t1"]]
    assert found.groups == ["x", "x", "y", "z"]
    assert found.sizes.tolist() == [4, 6, 0, 2]
    assert found.codes.tolist() == given.codes.tolist()


def test_what_is_short_stays() -> None:
    given = made([[0, 1], [2]])
    assert cut(given, TAGS, 2) is given
    empty = made([])
    assert cut(empty, TAGS, 2) is empty


def test_an_entity_that_is_too_long_is_cut() -> None:
    """The part that it goes on in begins with B, as no unit of a CRF can begin with I."""
    found = cut(made([[1, 2, 2, 2, 2, 2, 2, 2, 2, 0]]), TAGS, 4)
    assert found.sizes.tolist() == [4, 4, 2]
    assert found.codes.tolist() == [1, 2, 2, 2, 1, 2, 2, 2, 1, 0]


def test_one_tag_per_label_is_cut_between_runs() -> None:
    """A run is an entity; one that is cut has no other tag to begin with."""
    one = TagSet(("a", "b"), {}, "IO")
    assert cut(made([[0, 0, 1, 1, 2, 2, 0]]), one, 5).sizes.tolist() == [4, 3]
    found = cut(made([[1, 1, 1, 1, 1, 0]]), one, 4)
    assert (found.sizes.tolist(), found.codes.tolist()) == ([4, 2], [1, 1, 1, 1, 1, 0])


def test_parts_join_to_the_unit() -> None:
    dice = np.random.default_rng(8)
    for _ in range(60):
        codes = []
        for size in dice.integers(0, 60, 5).tolist():
            own: list[int] = []
            while len(own) < size:
                length = int(dice.integers(1, 9))
                own += _piece(dice, length)
            codes.append(own[:size])
        given = made(codes, [str(k) for k in range(5)])
        before = given.codes.copy()
        found = cut(given, TAGS, 12)
        assert given.codes.tolist() == before.tolist()
        assert found.groups is not None
        for unit, tokens in enumerate(given.tokens):
            parts = [part for part, group in zip(found.tokens, found.groups, strict=True) if group == str(unit)]
            assert [token for part in parts for token in part] == tokens
            assert max(map(len, parts), default=0) <= 12
        assert valid(found.codes.tolist(), found.sizes.tolist())
        # No entity has more than six tokens, and a part may end anywhere behind its sixth: none is cut.
        assert found.codes.tolist() == given.codes.tolist()
        labels = ("a", "b")
        assert len(decoded(found.codes.tolist(), found.sizes.tolist(), labels)) == len(
            decoded(given.codes.tolist(), given.sizes.tolist(), labels)
        )


def _piece(dice: Any, length: int) -> list[int]:
    return [[0] * length, [3], [1] + [2] * min(length - 1, 5)][int(dice.integers(3))]
