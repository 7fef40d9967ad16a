"""CRFsuite's model file: read as CRFsuite reads it, and refused where it is damaged."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

pycrfsuite = pytest.importorskip("pycrfsuite")

from karatage.errors import InputError  # noqa: E402  the package above is optional
from karatage.training.crf.crfsuite_model import CrfsuiteModel  # noqa: E402


def train(path: Path, units: list[tuple[list[list[str]], list[str]]], **settings: float) -> bytes:
    trainer = pycrfsuite.Trainer(verbose=False, params=settings)
    for features, tags in units:
        trainer.append(features, tags)
    trainer.train(str(path))
    return path.read_bytes()


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    units = [
        ([["w=a", "+1:w=ü:b"], ["w=ü:b", "-1:w=a"]], ["B-x", "I-x"]),
        ([["w=c"], ["w=a", "+:odd"]], ["O", "B-x"]),
        ([["w=c", "-"], ["w=+1:c"]], ["O", "O"]),
    ]
    return train(tmp_path_factory.mktemp("crf") / "m", units, c2=0.1)


def test_the_weights_are_those_that_crfsuite_tells(content: bytes, tmp_path: Path) -> None:
    """CRFsuite's own dump is the oracle; it prints six digits."""
    (tmp_path / "m").write_bytes(content)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "m"))
    told = tagger.info()
    weights = CrfsuiteModel.read(content, "m")
    assert {label: int(number) for label, number in told.labels.items()} == {
        label: number for number, label in enumerate(weights.labels)
    }
    joined = {prefix + name: n for prefix, own in weights.attributes.items() for name, n in own.items()}
    assert joined == {name: int(number) for name, number in told.attributes.items()}
    states = weights.states.toarray()
    assert len(told.state_features) == weights.states.nnz == 8
    for (attribute, label), weight in told.state_features.items():
        assert states[joined[attribute], weights.labels.index(label)] == pytest.approx(weight, abs=1e-6)
    for (before, label), weight in told.transitions.items():
        found = weights.steps[weights.labels.index(before), weights.labels.index(label)]
        assert found == pytest.approx(weight, abs=1e-6)


def test_names_are_parted_where_a_neighbour_is_named(content: bytes) -> None:
    parts = CrfsuiteModel.read(content, "m").attributes
    assert set(parts) == {"", "+1:", "-1:", "+:"}
    assert set(parts["+1:"]) == {"w=ü:b"}
    assert {"w=+1:c", "w=a", "-"} <= set(parts[""])


def test_a_model_without_attributes(tmp_path: Path) -> None:
    """Nothing is left where the penalty is large."""
    weights = CrfsuiteModel.read(train(tmp_path / "m", [([["a"], ["b"]], ["O", "B-x"])], c1=1e6), "m")
    assert weights.labels == ("O", "B-x")
    assert weights.attributes == {"": {}}
    assert weights.states.shape == (0, 2)
    assert not weights.steps.any()


def test_a_file_that_was_cut_is_refused(content: bytes) -> None:
    for size in [*range(120), *range(120, len(content), 97), len(content) - 1]:
        with pytest.raises(InputError, match="crf.crfsuite: is damaged or not a CRFsuite model") as error:
            CrfsuiteModel.read(content[:size], "crf.crfsuite")
        assert error.value.source == "crf.crfsuite"


def test_a_file_with_more_behind_it_is_refused(content: bytes) -> None:
    with pytest.raises(InputError, match=f"{len(content) + 1:,} bytes instead of {len(content):,}"):
        CrfsuiteModel.read(content + b"\0", "m")


def test_garbage_is_refused() -> None:
    rng = random.Random(0)
    for garbage in [b"", b"\0" * 4096, b"lCRF" * 1000, rng.randbytes(5000), b"PK\3\4" + rng.randbytes(500)]:
        with pytest.raises(InputError, match="is damaged or not a CRFsuite model"):
            CrfsuiteModel.read(garbage, "m")


def test_changed_bytes_never_crash(content: bytes) -> None:
    """Whatever bytes are changed, the file is read or refused; the places that numbers point to are what matters."""
    rng = random.Random(1)
    refused = 0
    for _ in range(3000):
        changed = bytearray(content)
        for _ in range(rng.choice([1, 1, 2, 8])):
            changed[rng.randrange(8, len(content))] = rng.choice([0, 1, 127, 255, rng.randrange(256)])
        try:
            weights = CrfsuiteModel.read(bytes(changed), "m")
        except InputError:
            refused += 1
        else:
            assert weights.states.shape[1] == len(weights.labels)
    assert refused > 100


@pytest.mark.parametrize("number", [0, 1, 2**31, 2**32 - 1])
def test_numbers_in_the_header_that_are_wrong(content: bytes, number: int) -> None:
    """Counts and offsets: of labels, attributes, weights, and the two tables of names."""
    for field in range(5, 10):
        changed = bytearray(content)
        struct.pack_into("<I", changed, 4 * field, number)
        if bytes(changed) != content:
            with pytest.raises(InputError):
                CrfsuiteModel.read(bytes(changed), "m")


def test_a_weight_that_is_no_number(content: bytes) -> None:
    at = struct.unpack_from("<I", content, 28)[0] + 12 + 12
    changed = bytearray(content)
    struct.pack_into("<d", changed, at, float("nan"))
    with pytest.raises(InputError, match="invalid weight"):
        CrfsuiteModel.read(bytes(changed), "m")
