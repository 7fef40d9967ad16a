"""Model folders: whole or not at all, damage is told, and reading one runs nothing."""

from __future__ import annotations

import errno
import hashlib
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.training.corpora import TINY_CRF, claims_of, spans_of, titles

torch = pytest.importorskip("torch")

from karatage._folders import new_folder  # noqa: E402
from karatage.errors import InputError, KaratageError, UsageError  # noqa: E402  PyTorch is optional
from karatage.formats.toml_text import to_toml  # noqa: E402
from karatage.taggers import open_tagger  # noqa: E402
from karatage.training.ensembles import ensemble  # noqa: E402
from karatage.training.fit_context import EpochResult  # noqa: E402
from karatage.training.model_folder import ModelCard, read_card, read_json, write_card  # noqa: E402
from karatage.training.trained_tagger import TrainedTagger  # noqa: E402

MADE = titles(16)
TOKENS = [list(title.tokens) for title in MADE]


@pytest.fixture(scope="module")
def tagger() -> TrainedTagger:
    found = TrainedTagger.fit(claims_of(MADE), "bilstm-crf", TINY_CRF)[0]
    return replace(found, history=(EpochResult(1, 0.5, 0.1),))


@pytest.fixture(scope="module")
def saved(tagger: TrainedTagger, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("saved") / "model"
    tagger.save(place)
    return place


@pytest.fixture
def copied(saved: Path, folder: Path) -> Path:
    shutil.copytree(saved, folder)
    return folder


def refused(place: Path) -> str:
    with pytest.raises(KaratageError) as error:
        TrainedTagger.load(place)
    return str(error.value)


def changed(place: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change what model.toml says."""
    content = tomllib.loads((place / "model.toml").read_text("utf-8"))
    change(content)
    (place / "model.toml").write_text(to_toml(content), "utf-8")


def test_a_card_comes_back_as_it_was(tmp_path: Path) -> None:
    card = ModelCard(
        "bilstm",
        {"epochs": 5, "learning_rate": 1e-05, "metric": "", "lists": ["a", "b"], "restrict": True, "table": {"a": "b"}},
        ("a", 'b"\n'),
        {"1": ("a",), "Größe [x].y": (), "": ("a", 'b"\n')},
        group_by="category",
        words="spaces",
        threshold=0.25,
        data=({"role": "train", "path": "x/ä.tsv", "sha256": "0" * 64, "units": 5},),
        scores={"f1": {"value": 0.5, "low": 0.25}},
        note={"best_epoch": 3, "split": "10% by unit, seed 0"},
    )
    write_card(tmp_path, card)
    assert read_card(tmp_path) == card
    bare = ModelCard("bilstm", {}, (), {})
    write_card(tmp_path, bare)
    assert read_card(tmp_path) == bare


FILES = ("weights.safetensors", "lexicon.json", "history.json")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-10],
        lambda _: b"",
        lambda data: data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 1]) + data[len(data) // 2 + 1 :],
        lambda data: data + b"x",
    ],
    ids=["truncated", "empty", "flipped", "longer"],
)
def test_a_file_that_is_not_the_one_that_was_saved(copied: Path, name: str, damage: Callable[[bytes], bytes]) -> None:
    path = copied / name
    path.write_bytes(damage(path.read_bytes()))
    assert refused(copied) == (
        f"{path}: is damaged or was changed after the model was saved. Copy the model again, or train it again"
    )


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_missing(copied: Path, name: str) -> None:
    (copied / name).unlink()
    assert refused(copied).startswith(f"{copied / name}: is missing. Copy the model again")


def resealed(place: Path) -> None:
    """Write hashes of the files as they are now, so that only their content can be wrong."""
    changed(place, lambda content: content.update(files={}))
    write_card(place, read_card(place))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe\x00", b"7", b"[1, 2", b"[" * 100_000, b'{"words": 5}', b"null", b"[[[]]]"]
)
def test_damage_with_the_right_hashes(copied: Path, name: str, data: bytes) -> None:
    (copied / name).write_bytes(data)
    resealed(copied)
    assert refused(copied).startswith(f"{copied / name}: is damaged")


def test_a_pickle_is_not_opened(copied: Path, tmp_path: Path) -> None:
    """Reading a model runs no code, whatever is in its folder."""

    class Bomb:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "exploded"),)

    for data in (pickle.dumps(Bomb()), _zipped(Bomb(), tmp_path)):
        for name in FILES:
            path = copied / name
            sound = path.read_bytes()
            path.write_bytes(data)
            resealed(copied)
            assert refused(copied).startswith(f"{path}: is damaged")
            path.write_bytes(sound)
    assert not (tmp_path / "exploded").exists()
    pickle.loads(pickle.dumps(Bomb()))  # noqa: S301  it would have
    assert (tmp_path / "exploded").exists()


def _zipped(thing: Any, tmp_path: Path) -> bytes:
    torch.save({"x": thing}, tmp_path / "w.pt")
    return (tmp_path / "w.pt").read_bytes()


@pytest.mark.parametrize(
    "data",
    [b"", b"garbage", b"\xff\xfe", b"format = 1", b"x = " + b"[" * 5000, b"format = 1\nmodel = 5\nsettings = 3\n"],
)
def test_a_card_that_is_garbage(copied: Path, data: bytes) -> None:
    (copied / "model.toml").write_bytes(data)
    message = refused(copied)
    assert message.startswith(f"{copied / 'model.toml'}: ")
    assert "rain" in message  # train it again


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(format=2), "has model format 2, but Karatage"),
        (lambda c: c.pop("format"), "has model format None, but Karatage"),
        (lambda c: c.update(model="bilstn"), "unknown model 'bilstn'. Did you mean 'bilstm'?"),
        (lambda c: c["settings"].update(colour=5), "unknown setting 'colour'"),
        (lambda c: c["settings"].update(hidden="8"), "hidden must be a whole number"),
        (lambda c: c["settings"].update(hidden=9), "hidden must be even"),
        (lambda c: c["settings"].update(hidden=10), "does not fit the settings of its model"),
        (lambda c: c["settings"].update(layers=2), "does not fit the settings of its model"),
        (lambda c: c["settings"].update(chars="none"), "does not fit the settings of its model"),
        (lambda c: c["labels"].append("more"), "does not fit the settings of its model"),
        (lambda c: c["labels"].pop(), "is damaged (a group has an unknown label)"),
        (lambda c: c.update(labels=["kind"] * 5), "is damaged (labels must be distinct strings)"),
        (lambda c: c.update(by_group={"1": 5}), "is damaged"),
        (lambda c: c.update(by_group=5), "is damaged"),
        (lambda c: c.update(threshold="high"), "is damaged"),
        (lambda c: c.pop("settings"), "is damaged ('settings')"),
        (lambda c: c.update(files={"../other": "sha256:0"}), "names a file outside its folder: ../other"),
        (lambda c: c.update(files={"a/../../other": "sha256:0"}), "names a file outside its folder: a/../../other"),
        (lambda c: c.update(files={"/etc/passwd": "sha256:0"}), "names a file outside its folder: /etc/passwd"),
        (lambda c: c.update(files={".": "sha256:0"}), "is missing"),
    ],
)
def test_a_card_that_is_wrong(copied: Path, change: Callable[[dict[str, Any]], None], message: str) -> None:
    changed(copied, change)
    assert message in refused(copied)


def test_no_model_there(tmp_path: Path) -> None:
    assert refused(tmp_path / "none") == f"{tmp_path / 'none'}: no such model folder. Train a model with karatage train"
    assert (
        refused(tmp_path) == f"{tmp_path}: not a model folder: it has no model.toml. Train a model with karatage train"
    )


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the disk be full when the lexicon is written, behind the weights."""
    import karatage.training.network.lstm_labeller as module

    def failing(path: Path, *_: Any, **__: Any) -> None:
        assert (path.parent / "weights.safetensors").exists()
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(module, "write_json", failing)
        yield


@pytest.mark.usefixtures("full_disk")
def test_nothing_half_written(tagger: TrainedTagger, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="model: No space left on device. Free some space"):
        tagger.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("full_disk")
def test_the_old_model_stays_where_the_new_one_cannot_be_written(
    tagger: TrainedTagger, copied: Path, saved: Path
) -> None:
    with pytest.raises(InputError, match="model: No space left on device. Free some space"):
        tagger.save(copied, replace=True)
    assert [path.name for path in copied.parent.iterdir()] == [copied.name]
    assert {p.name: p.read_bytes() for p in copied.iterdir()} == {p.name: p.read_bytes() for p in saved.iterdir()}


def test_a_model_is_replaced_only_when_told_to(tagger: TrainedTagger, copied: Path) -> None:
    (copied / "thesis.txt").write_text("two years of work")
    with pytest.raises(
        UsageError, match="already contains a model. Use another folder, or --force to replace the model"
    ):
        tagger.save(copied)
    with pytest.raises(UsageError, match=r"model also contains thesis\.txt, which is not part of the model\. Move it"):
        tagger.save(copied, replace=True)
    assert (copied / "thesis.txt").read_text() == "two years of work"
    (copied / "thesis.txt").unlink()
    tagger.save(copied, replace=True)
    assert spans_of(TrainedTagger.load(copied).tag(TOKENS)) == spans_of(tagger.tag(TOKENS))


def test_what_is_not_a_model_is_never_replaced(tagger: TrainedTagger, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("two years of work")
    with pytest.raises(UsageError, match="contains other files. Use another folder"):
        tagger.save(tmp_path, replace=True)
    with pytest.raises(UsageError, match="is a file, not a folder for a model"):
        tagger.save(tmp_path / "thesis.txt", replace=True)
    assert (tmp_path / "thesis.txt").read_text() == "two years of work"
    (tmp_path / "empty").mkdir()
    tagger.save(tmp_path / "empty")
    assert TrainedTagger.load(tmp_path / "empty").card == tagger.card
    with pytest.raises(UsageError, match="name a folder for the model"):
        tagger.save("/")


def test_folders_above_are_made(tagger: TrainedTagger, tmp_path: Path) -> None:
    tagger.save(tmp_path / "a" / "b" / "model")
    assert TrainedTagger.load(tmp_path / "a" / "b" / "model").labels == tagger.labels


def test_a_new_folder_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def failing(new: Path) -> None:
        (new / "file").write_text("x")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), new_folder(tmp_path / "x") as new:
        failing(new)
    assert list(tmp_path.iterdir()) == []


def test_damage_to_a_member_of_an_ensemble(tagger: TrainedTagger, folder: Path) -> None:
    ensemble([tagger, tagger]).save(folder)
    weights = folder / "member-2" / "weights.safetensors"
    data = weights.read_bytes()
    weights.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert refused(folder).startswith(f"{weights}: is damaged")
    weights.write_bytes(data)
    TrainedTagger.load(folder)
    (folder / "member-2" / "model.toml").unlink()
    assert "has no model.toml" in refused(folder)
    shutil.rmtree(folder / "member-2")
    assert refused(folder).startswith(f"{folder / 'member-2'}{os.sep}")


def test_json_of_a_model(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="x.json: is missing. Train the model again"):
        read_json(tmp_path / "x.json", list)
    (tmp_path / "x.json").write_text('{"a": 1}')
    assert read_json(tmp_path / "x.json", list) == ["a"]
    with pytest.raises(InputError, match="x.json: is damaged"):
        read_json(tmp_path / "x.json", lambda found: found["b"])


def test_a_folder_that_karat_wrote(tagger: TrainedTagger, folder: Path) -> None:
    """The package was called Karat once: its model cards and tensors have that name in them."""
    from safetensors.torch import load_file, save_file

    tagger.save(folder)
    weights = folder / "weights.safetensors"
    save_file(load_file(weights), weights, {"karat": "{}"})
    card = tomllib.loads((folder / "model.toml").read_text("utf-8"))
    card["karat"] = card.pop("karatage")
    card["files"]["weights.safetensors"] = f"sha256:{hashlib.sha256(weights.read_bytes()).hexdigest()}"
    (folder / "model.toml").write_text(to_toml(card), "utf-8")
    texts = [" ".join(title.tokens) for title in titles(5, seed=9)]
    for name in (str(folder), f"karat:{folder}"):
        assert list(open_tagger(name).tag(texts).rows()) == list(tagger.tag(texts).rows())


def test_sigterm_leaves_nothing_behind(tmp_path: Path) -> None:
    """A model that is being written when the process is terminated is removed."""
    script = (
        "import sys, time\nfrom pathlib import Path\nfrom karatage._folders import new_folder\n"
        "with new_folder(Path(sys.argv[1])):\n    print('writing', flush=True)\n    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, tmp_path / "model"], stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.readline()
        assert len(list(tmp_path.iterdir())) == 1
        running.terminate()
        assert running.wait(30) == 128 + signal.SIGTERM
    assert list(tmp_path.iterdir()) == []
