"""The CRF as a labeller, against all sequences of tags under the weights that CRFsuite tells."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pycrfsuite = pytest.importorskip("pycrfsuite")

from karatage.errors import InputError, UsageError  # noqa: E402  the package above is optional
from karatage.training.crf.crf_labeller import CrfLabeller  # noqa: E402
from karatage.training.crf.crf_settings import CrfSettings  # noqa: E402
from karatage.training.crf.features import Features  # noqa: E402
from karatage.training.examples import Examples  # noqa: E402
from karatage.training.fit_context import EpochResult, FitContext  # noqa: E402
from karatage.training.tagset import TagSet  # noqa: E402

if TYPE_CHECKING:
    from numpy.typing import NDArray

TITLES = [
    ("1", "ATE/B-Hersteller Bremsen/B-Art für/O VW/B-Marke Golf/B-Modell"),
    ("1", "Brembo/B-Hersteller Bremsen/B-Art Satz/I-Art Audi/B-Marke"),
    ("1", "Bremsen/B-Art Satz/I-Art rot/B-Farbe für/O VW/B-Marke VW/B-Marke"),
    ("1", "TRW/B-Hersteller Bremsen/B-Art blau/B-Farbe"),
    ("2", "SKF/B-Hersteller Riemen/B-Art Satz/I-Art für/O VW/B-Marke"),
    ("2", "INA/B-Hersteller Riemen/B-Art 5/B-Menge Stück/I-Menge Audi/B-Marke"),
    ("2", "Riemen/B-Art 3/B-Menge Stück/I-Menge für/O Audi/B-Marke A4/B-Modell"),
]


def examples(titles: list[tuple[str, str]]) -> tuple[Examples, TagSet]:
    tokens = [[pair.split("/")[0] for pair in text.split()] for _, text in titles]
    tags = [[pair.split("/")[1] for pair in text.split()] for _, text in titles]
    groups = [group for group, _ in titles]
    by_group: dict[str, set[str]] = {}
    for group, own in zip(groups, tags, strict=True):
        by_group.setdefault(group, set()).update(tag[2:] for tag in own if tag != "O")
    tagset = TagSet(
        tuple(sorted(set().union(*by_group.values()))), {group: frozenset(own) for group, own in by_group.items()}
    )
    codes = np.array([tagset.tags.index(tag) for own in tags for tag in own], np.int64)
    return Examples(tokens, groups, codes, np.array(list(map(len, tokens)), np.int64)), tagset


LEARNED, TAGS = examples(TITLES)
SETTINGS = CrfSettings(c1=0.0, c2=0.1, iterations=40)


def fit(settings: CrfSettings = SETTINGS, **more: Any) -> CrfLabeller:
    made = CrfLabeller.fit(LEARNED, TAGS, settings, **more).labeller
    assert isinstance(made, CrfLabeller)
    return made


@pytest.fixture(scope="module")
def labeller() -> CrfLabeller:
    return fit()


def names(codes: NDArray[np.int64]) -> list[str]:
    return [TAGS.tags[code] for code in codes.tolist()]


def oracle(
    labeller: CrfLabeller, tokens: list[str], group: str | None, path: Path, model: int = 0
) -> tuple[list[str], NDArray[np.float64]]:
    """The best tags and the marginals: all sequences of valid tags of the group under CRFsuite's own dump."""
    path.write_bytes(labeller.models[model].content)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    told = tagger.info()
    known = TAGS.by_group.get(group) if group is not None else None
    allowed = [
        tag for tag in TAGS.tags if tag in told.labels and (tag == "O" or known is None or tag[2:] in known)
    ]  # fmt: skip
    columns = Features(labeller.settings, {}).columns([tokens], None if group is None else [group])
    rows = [
        [name.decode() for column in columns for name in column.rows()[column.keys[at]]] for at in range(len(tokens))
    ]

    def total(sequence: tuple[str, ...]) -> float:
        states = sum(
            told.state_features.get((name, tag), 0.0) for tag, row in zip(sequence, rows, strict=True) for name in row
        )
        return float(states + sum(told.transitions.get(step, 0.0) for step in pairwise(sequence)))

    def valid(sequence: tuple[str, ...]) -> bool:
        return all(tag[0] != "I" or before[2:] == tag[2:] for before, tag in pairwise(("O", *sequence)))

    sequences = [sequence for sequence in product(allowed, repeat=len(tokens)) if valid(sequence)]
    totals = np.array([total(sequence) for sequence in sequences])
    odds = np.exp(totals - totals.max())
    marginals = np.zeros((len(tokens), len(TAGS)))
    for sequence, share in zip(sequences, odds / odds.sum(), strict=True):
        for at, tag in enumerate(sequence):
            marginals[at, TAGS.tags.index(tag)] += share
    return list(sequences[int(totals.argmax())]), marginals


@pytest.mark.parametrize(
    "tokens", [["rot"], ["ATE", "Satz", "5"], ["Stück", "VW", "5", "für"], ["für", "X", "Satz", "Satz"]]
)
@pytest.mark.parametrize("group", [None, "1", "2", "3"])
def test_labels_and_marginals_are_those_of_all_sequences(
    labeller: CrfLabeller, tokens: list[str], group: str | None, tmp_path: Path
) -> None:
    """CRFsuite prints weights with six digits, so the probabilities agree to about as many."""
    groups = None if group is None else [group]
    best, marginals = oracle(labeller, tokens, group, tmp_path / "m")
    assert names(labeller.label([tokens], groups)) == best
    found = labeller.marginals([tokens], groups)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, marginals, atol=1e-5)
    np.testing.assert_allclose(found.sum(1), 1.0, atol=1e-6)


def test_what_was_learned_is_known(labeller: CrfLabeller) -> None:
    assert labeller.label(LEARNED.tokens, LEARNED.groups).tolist() == LEARNED.codes.tolist()


def test_a_label_that_a_group_never_had_is_not_given(labeller: CrfLabeller) -> None:
    """`rot` is a colour in category 1, and category 2 has no colours."""
    assert names(labeller.label([["Bremsen", "rot"]] * 2, ["1", "2"]))[1] == "B-Farbe"
    tokens = [["Bremsen", "rot", "5", "Stück"]] * 2
    marginals = labeller.marginals(tokens, ["1", "2"])
    for group, rows in (("1", marginals[:4]), ("2", marginals[4:])):
        barred = [at for at, tag in enumerate(TAGS.tags) if tag != "O" and tag[2:] not in TAGS.by_group[group]]
        assert len(barred) == 2
        assert not rows[:, barred].any()
        assert rows.sum(1) == pytest.approx(np.ones(4), abs=1e-6)


def test_units_without_tokens(labeller: CrfLabeller) -> None:
    tokens = [[], ["ATE"], [], ["für", "VW"], []]
    groups = ["1", "1", "2", "2", "1"]
    alone = [*labeller.label([["ATE"]], ["1"]), *labeller.label([["für", "VW"]], ["2"])]
    assert labeller.label(tokens, groups).tolist() == alone
    assert labeller.marginals(tokens, groups).shape == (3, len(TAGS))
    empty: tuple[list[list[str]], ...] = ([], [[], []])
    for nothing in empty:
        assert labeller.label(nothing, None).shape == (0,)
        assert labeller.marginals(nothing, None).shape == (0, len(TAGS))


def test_a_title_of_ten_thousand_tokens(labeller: CrfLabeller) -> None:
    """Away from its ends, the same words have the same tags each time."""
    words = ["Bremsen", "Satz", "für", "VW"]
    found = labeller.label([words * 2500], ["1"]).reshape(2500, 4)
    assert names(found[1000]) == ["B-Art", "I-Art", "O", "B-Marke"]
    assert (found[10:-10] == found[1000]).all()
    marginals = labeller.marginals([words * 2500], ["1"])
    np.testing.assert_allclose(marginals.sum(1), 1.0, atol=1e-5)


def test_many_units_are_labelled_as_one_alone(labeller: CrfLabeller, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parts in which units are labelled change nothing, and each unit gets its own tags back."""
    rng = np.random.default_rng(0)
    words = sorted({word for own in LEARNED.tokens for word in own})
    tokens = [rng.choice(words, size).tolist() for size in rng.integers(0, 7, 60)]
    groups = rng.choice(["1", "2", "3"], 60).tolist()
    whole = labeller.label(tokens, groups)
    monkeypatch.setattr("karatage.training.crf.crf_labeller._TOKENS", 10)
    assert labeller.label(tokens, groups).tolist() == whole.tolist()
    alone = [
        code for own, group in zip(tokens, groups, strict=True) for code in labeller.label([own], [group]).tolist()
    ]
    assert whole.tolist() == alone


def test_saved_and_read_again(labeller: CrfLabeller, tmp_path: Path) -> None:
    labeller.save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crf.crfsuite", "crf.json"]
    again = CrfLabeller.load(tmp_path, TAGS, SETTINGS)
    tokens, groups = [["ATE", "Satz"], ["x", "VW"], ["5", "Stück"]], ["1", "2", "3"]
    assert again.label(tokens, groups).tolist() == labeller.label(tokens, groups).tolist()
    assert again.marginals(tokens, groups).tobytes() == labeller.marginals(tokens, groups).tobytes()
    (tmp_path / "more").mkdir()
    again.save(tmp_path / "more")
    for name in ("crf.crfsuite", "crf.json"):
        assert (tmp_path / "more" / name).read_bytes() == (tmp_path / name).read_bytes()


def test_crfsuite_itself_reads_what_was_saved(labeller: CrfLabeller, tmp_path: Path) -> None:
    """Its own tagger agrees wherever its best tags are valid ones."""
    labeller.save(tmp_path)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "crf.crfsuite"))
    columns = Features(SETTINGS, {}).columns(LEARNED.tokens, LEARNED.groups)
    rows = [[name for column in columns for name in column.rows()[column.keys[at]]] for at in range(len(LEARNED.codes))]
    starts = np.cumsum(LEARNED.sizes) - LEARNED.sizes
    found = [tag for at, size in zip(starts, LEARNED.sizes, strict=True) for tag in tagger.tag(rows[at : at + size])]
    assert found == names(LEARNED.codes)


@pytest.mark.parametrize("name", ["crf.json", "crf.crfsuite"])
def test_files_that_are_missing_or_damaged(labeller: CrfLabeller, tmp_path: Path, name: str) -> None:
    labeller.save(tmp_path)
    path = tmp_path / name
    content = path.read_bytes()
    for damaged in (b"", content[:-1], content[: len(content) // 2], b"\0" * len(content), b"[]", b'{"groups": 3}'):
        path.write_bytes(damaged)
        with pytest.raises(InputError) as error:
            CrfLabeller.load(tmp_path, TAGS, SETTINGS)
        assert error.value.source == str(path)
    path.unlink()
    with pytest.raises(InputError, match="cannot be read"):
        CrfLabeller.load(tmp_path, TAGS, SETTINGS)


@pytest.mark.parametrize(
    "card",
    [
        {"groups": [1], "gazetteers": {}},
        {"groups": [], "gazetteers": {"a": [1]}},
        {"groups": [], "gazetteers": []},
        {"groups": {}, "gazetteers": {"a": None}},
        {"groups": ["../../x", "y"], "gazetteers": {}},  # a group names no file
    ],
)
def test_a_card_that_is_wrong(labeller: CrfLabeller, tmp_path: Path, card: object) -> None:
    labeller.save(tmp_path)
    (tmp_path / "crf.json").write_text(json.dumps(card))
    with pytest.raises(InputError, match="crf.json: is damaged|crf-1.crfsuite: cannot be read"):
        CrfLabeller.load(tmp_path, TAGS, SETTINGS)


def test_a_model_of_other_tags(labeller: CrfLabeller, tmp_path: Path) -> None:
    labeller.save(tmp_path)
    with pytest.raises(InputError, match="crf.crfsuite: has the tag 'B-Hersteller', which the model does not have"):
        CrfLabeller.load(tmp_path, TagSet(("Art",)), SETTINGS)


def test_two_trainings_are_the_same(labeller: CrfLabeller) -> None:
    assert fit().models[0].content == labeller.models[0].content


def test_a_model_for_each_group(tmp_path: Path) -> None:
    """Each group's model has seen its own units only; the largest group's serves groups that were never seen."""
    made = fit(replace(SETTINGS, per_group=True), workers=1)
    assert made.groups == ("1", "2")
    for group, model in (("1", 0), ("2", 1), ("3", 0)):
        assert any("Riemen" in name for name in made.models[model].attributes[""]) == (group == "2")
        tokens = ["Stück", "VW", "5"]
        best, marginals = oracle(made, tokens, group, tmp_path / "m", model)
        assert names(made.label([tokens], [group])) == best
        np.testing.assert_allclose(made.marginals([tokens], [group]), marginals, atol=1e-5)
    folder = tmp_path / "model"
    folder.mkdir()
    made.save(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["crf-1.crfsuite", "crf-2.crfsuite", "crf.json"]
    again = CrfLabeller.load(folder, TAGS, made.settings)
    assert again.label(LEARNED.tokens, LEARNED.groups).tolist() == LEARNED.codes.tolist()
    with pytest.raises(UsageError, match="the input has no categories"):
        again.label([["a"]], None)


def test_models_trained_side_by_side_are_the_same() -> None:
    """And who listens hears of the iterations of both, counted together."""
    settings = replace(SETTINGS, per_group=True, iterations=5)
    lists = {"makes": ["VW", "Audi"]}
    heard = OnIteration()
    alone, both = (
        fit(settings, context=FitContext(progress=heard), workers=workers, gazetteers=lists) for workers in (1, 2)
    )
    assert [model.content for model in both.models] == [model.content for model in alone.models]
    assert [found.number for found in heard.epochs] == [*range(1, 11), *range(1, 11)]


def test_a_module_in_the_current_folder_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers import NumPy, whatever lies where the command was called."""
    (tmp_path / "numpy.py").write_text("raise SystemExit('planted')\n")
    monkeypatch.chdir(tmp_path)
    assert len(fit(replace(SETTINGS, per_group=True, iterations=1), workers=2).models) == 2


def test_a_model_for_each_group_without_groups() -> None:
    """There is one model then."""
    made = CrfLabeller.fit(replace(LEARNED, groups=None), TAGS, replace(SETTINGS, per_group=True)).labeller
    assert isinstance(made, CrfLabeller)
    assert (made.groups, len(made.models)) == ((), 1)
    assert made.label(LEARNED.tokens, None).tolist() == LEARNED.codes.tolist()


def test_a_process_that_fails_is_heard_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karatage.training.crf.crf_jobs._WORKER", "karatage.no_such_module")
    with pytest.raises(InputError, match="the training of a category failed .*No module named karatage.no_such_module"):
        fit(replace(SETTINGS, per_group=True), workers=2)


@dataclass
class OnIteration:
    """Hears of a training; an error may be raised at an iteration."""

    stop: int = 0
    epochs: list[EpochResult] = field(default_factory=list)
    total: int = 0

    def epoch(self, found: EpochResult, epochs: int) -> None:
        self.epochs.append(found)
        self.total = epochs
        if found.number == self.stop:
            raise KeyboardInterrupt

    def step(self, *_: int) -> None:
        raise AssertionError("a CRF has no steps")

    def resumed(self, _: int, __: float) -> None:
        raise AssertionError("a CRF is not resumed")


def test_progress() -> None:
    """The loss of each iteration is told, and falls."""
    heard = OnIteration()
    fitted = CrfLabeller.fit(LEARNED, TAGS, replace(SETTINGS, iterations=7), FitContext(progress=heard))
    assert [found.number for found in heard.epochs] == [1, 2, 3, 4, 5, 6, 7]
    assert heard.total == 7
    assert heard.epochs[-1].loss < heard.epochs[0].loss
    assert fitted.history == tuple(heard.epochs)
    assert fitted.best_epoch == 0


def test_the_loss_is_that_of_the_weights(tmp_path: Path) -> None:
    """The last one: minus the log-likelihood of the tags, valid or not, and c2 times the squares of the weights."""
    titles = [("1", "a/B-x b/I-x"), ("1", "c/O a/B-x")]
    learned, tags = examples(titles)
    settings = replace(SETTINGS, iterations=30)
    fitted = CrfLabeller.fit(learned, tags, settings)
    assert isinstance(fitted.labeller, CrfLabeller)
    path = tmp_path / "m"
    path.write_bytes(fitted.labeller.models[0].content)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    told = tagger.info()
    columns = Features(settings, {}).columns(learned.tokens, learned.groups)
    rows = [[name.decode() for column in columns for name in column.rows()[column.keys[at]]] for at in range(4)]
    loss = settings.c2 * sum(w * w for w in (*told.state_features.values(), *told.transitions.values()))
    for unit, gold in enumerate([("B-x", "I-x"), ("O", "B-x")]):
        totals = {
            pair: sum(told.state_features.get((name, pair[at]), 0.0) for at in (0, 1) for name in rows[2 * unit + at])
            + told.transitions.get(pair, 0.0)
            for pair in product(told.labels, repeat=2)
        }
        loss += np.log(sum(np.exp(total) for total in totals.values())) - totals[gold]
    assert fitted.history[-1].loss == pytest.approx(loss, abs=1e-4)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interruption_ends_the_training(workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left: no process, no file."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    heard = OnIteration(stop=3)
    with pytest.raises(KeyboardInterrupt):
        fit(
            replace(SETTINGS, per_group=True, iterations=1000, c2=0.001),
            context=FitContext(progress=heard),
            workers=workers,
        )
    assert len(heard.epochs) >= 3
    assert list(tmp_path.iterdir()) == []


PROGRAM = """
import sys
import numpy as np
from karatage.training.crf.crf_labeller import CrfLabeller
from karatage.training.crf.crf_settings import CrfSettings
from karatage.training.examples import Examples
from karatage.training.fit_context import FitContext
from karatage.training.tagset import TagSet

class OnIteration:
    def epoch(self, found, epochs):
        print(found.number, flush=True)

rng = np.random.default_rng(0)
tokens = [[f"w{n}" for n in rng.integers(0, 3000, 20)] for _ in range(400)]
learned = Examples(tokens, ["1", "2"] * 200, rng.integers(0, 2, 8000) * 3, np.full(400, 20))
settings = CrfSettings(per_group=True, iterations=100_000, c2=1e-9)
try:
    CrfLabeller.fit(learned, TagSet(("x", "y")), settings, FitContext(progress=OnIteration()), workers=int(sys.argv[1]))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c(workers: str, tmp_path: Path) -> None:
    """Ctrl-C reaches all processes of the terminal's group; the training ends, and leaves nothing behind."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, workers],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "1\n"
    os.killpg(process.pid, signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert (out.splitlines()[-1], errors, process.returncode) == ("interrupted", "", 0)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_gazetteers_travel_with_the_model(tmp_path: Path) -> None:
    """Words that training never saw are known from a list, also when its file is gone."""
    path = tmp_path / "makes.txt"
    path.write_text("VW\nAudi\nŠkoda\nAlfa Romeo\n", "utf-8")
    settings = replace(SETTINGS, gazetteers={"makes": str(path)}, word=False, lower=False, prefixes=0, suffixes=0)
    made = fit(settings)
    assert made.lists == {"makes": ("VW", "Audi", "Škoda", "Alfa Romeo")}
    assert names(made.label([["für", "škoda"]], ["1"]))[1] == "B-Marke"
    folder = tmp_path / "model"
    folder.mkdir()
    made.save(folder)
    path.unlink()
    again = CrfLabeller.load(folder, TAGS, settings)
    assert names(again.label([["für", "škoda"]], ["1"]))[1] == "B-Marke"
    without = CrfLabeller(TAGS, settings, made.models)
    sure, unsure = (one.marginals([["škoda"]], ["1"])[0, TAGS.tags.index("B-Marke")] for one in (again, without))
    assert sure > 1.5 * unsure


def test_nothing_to_learn_from() -> None:
    nothing = Examples([[], []], ["1", "2"], np.zeros(0, np.int64), np.zeros(2, np.int64))
    with pytest.raises(InputError, match="the training data has no tokens"):
        CrfLabeller.fit(nothing, TAGS, SETTINGS)


@pytest.mark.parametrize("label", ["a\0b", "a\udc80"])
def test_labels_that_crfsuite_cannot_keep(label: str) -> None:
    with pytest.raises(InputError, match="has a character that CRFsuite cannot store. Rename the label"):
        CrfLabeller.fit(LEARNED, TagSet((label,)), SETTINGS)


def test_odd_words_are_learned_too() -> None:
    """A zero byte, half a surrogate pair, white space and nothing at all are words like others."""
    words = ["a\0b", "\udc80", "\u2028", "", "a|b", "+1:w=x"]
    learned = Examples([[word] for word in words], None, np.array([1, 0, 1, 0, 1, 0]), np.ones(6, np.int64))
    made = CrfLabeller.fit(learned, TagSet(("x",)), SETTINGS).labeller
    assert made.label(learned.tokens, None).tolist() == [1, 0, 1, 0, 1, 0]


def test_a_model_that_saw_no_entity() -> None:
    """It gives O, whatever comes."""
    learned = Examples([["a", "b"], ["c"]], None, np.zeros(3, np.int64), np.array([2, 1]))
    made = CrfLabeller.fit(learned, TagSet(()), SETTINGS).labeller
    assert made.label([["a", "x"]], None).tolist() == [0, 0]
    assert made.marginals([["a", "x"]], None).tolist() == [[1.0], [1.0]]


def test_a_model_that_saw_entities_only() -> None:
    """O can be given still, and where a group has no label it is."""
    learned = Examples([["a", "b"], ["c"]], None, np.array([1, 2, 1]), np.array([2, 1]))
    tags = TagSet(("x",), {"1": frozenset(), "2": frozenset("x")})
    made = CrfLabeller.fit(learned, tags, SETTINGS).labeller
    assert made.label([["a", "b"], ["a", "b"]], ["1", "2"]).tolist() == [0, 0, 1, 2]
    assert made.marginals([["a"]], ["1"]).tolist() == [[1.0, 0.0, 0.0]]
    assert 0 < made.marginals([["a"]], ["2"])[0, 0] < 0.5


def test_rare_features_can_be_left_out() -> None:
    made = fit(replace(SETTINGS, min_frequency=3))
    kept = set(made.models[0].attributes[""])
    assert "l=vw" in kept  # four times, a make each time
    assert "l=golf" not in kept  # once


def test_steps_that_never_occur_have_a_weight_if_wanted(labeller: CrfLabeller) -> None:
    """The titles begin with no step from a colour to a maker; its weight is below 0 where it has one."""
    first, then = (labeller.models[0].labels.index(tag) for tag in ("B-Farbe", "B-Hersteller"))
    assert labeller.models[0].steps[first, then] < 0
    observed = fit(replace(SETTINGS, all_transitions=False))
    assert observed.models[0].steps[first, then] == 0
