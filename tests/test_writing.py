"""Everything is written by one module: whole or not at all, and never in place of what must not be replaced."""

from __future__ import annotations

import ast
import gzip
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import karatage
from karatage import _folders, _locking, _temporaries
from karatage._folders import made_folder, new_folder
from karatage._locking import locked
from karatage._temporaries import scratch_folder, temporary_file, uninterrupted
from karatage._writing import check_file, create_file, write_files, writing, writing_all
from karatage.errors import InputError, UsageError
from tests.command import refused, run

SOURCE = Path(karatage.__file__).parent
MODULES = {"_temporaries.py", "_writing.py", "_folders.py", "_locking.py"}
WRITES = {
    "demo/make.py": "writes the bundled files when Karatage itself is developed",
    "engine/local_processes.py": "writes the parts of its work into the pipe to a worker",
    "engine/ray_messages.py": "writes messages into the pipe to the process that talks to Ray, and back",
    "engine/worker.py": "writes what is done into the pipe to the process that started it",
    "formats/tables/parquet.py": "writes parts into a scratch folder",
    "matching/piece_store.py": "writes pieces into a file of its scratch folder, which the one place opened",
    "training/network/transformer_labeller.py": "a library writes into the new folder of a model",
}
"""What else writes, and why."""

# Whatever creates, changes or removes something on disk, by the name of the function.
ALWAYS = {
    "write_text", "write_bytes", "touch", "mkdir", "makedirs", "rmdir", "removedirs", "unlink", "rmtree",
    "symlink_to", "hardlink_to", "chmod", "chown", "mkstemp", "mkdtemp", "mkfifo", "NamedTemporaryFile",
    "TemporaryDirectory", "copyfile", "copy2", "copytree", "move", "flock", "lockf", "truncate", "savez",
    "savez_compressed", "savetxt", "save_file", "save_pretrained", "save_model", "tofile", "to_disk", "to_csv",
    "to_parquet", "sink_parquet", "sink_csv", "sink_ndjson", "sink_ipc", "extractall",
}  # fmt: skip
OS = {"open", "replace", "rename", "renames", "remove", "link", "symlink"}
"""Functions of `os` and methods of paths that are also methods of texts or of frames."""
FRAMES = {"write_csv", "write_parquet", "write_ndjson", "write_ipc", "write_excel", "write_json"}
STREAMS = {"out", "stream", "buffer"}
"""What a stream is called that a frame is written to."""


def writes(source: str) -> Iterator[str]:
    """Yield whatever in a module writes to disk by itself."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        name = called.rpartition(".")[2]
        first = ast.unparse(node.args[0]) if node.args else ""
        if first == "os.devnull":
            continue
        found = (
            name in ALWAYS
            or (called.startswith(("os.", "shutil.")) and name in OS)
            or (called in ("np.save", "numpy.save", "torch.save", "pickle.dump"))
            or (name in ("replace", "rename") and _one_path(node))
            or (isinstance(node.func, ast.Attribute) and name in FRAMES and _target(node) not in STREAMS)
            or (name == "open" and _mode(node) - set("rbt"))
        )
        if found:
            yield f"line {node.lineno}: {called}({first})"


def _target(call: ast.Call) -> str:
    """Return what a frame is written to: without any, the text is returned, which is as good as a stream."""
    given = [*call.args[:1], *(word.value for word in call.keywords if word.arg in ("file", None))]
    return ast.unparse(given[0]) if given else "out"


def _one_path(call: ast.Call) -> bool:
    """Return whether a call may rename a file: texts take two arguments, records and frames names or mappings."""
    if not isinstance(call.func, ast.Attribute) or len(call.args) != 1 or call.keywords:
        return False
    return not isinstance(call.args[0], ast.Dict | ast.DictComp | ast.Call | ast.Lambda | ast.Starred)


def _mode(call: ast.Call) -> set[str]:
    """Return the letters of the mode in which a file is opened."""
    given = [*call.args, *(word.value for word in call.keywords if word.arg == "mode")]
    modes = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    short = [set(mode) for mode in modes if 0 < len(mode) < 4 and set(mode) <= set("rwxabt+")]
    return set().union(*short)


def test_only_one_place_writes() -> None:
    """The others call it; each exception has its reason, and none is left that has become needless."""
    found = {
        str(path.relative_to(SOURCE)): told
        for path in sorted(SOURCE.rglob("*.py"))
        if path.name not in MODULES and (told := list(writes(path.read_text("utf-8"))))
    }
    assert {path: told for path, told in found.items() if path not in WRITES} == {}
    assert set(WRITES) == set(found)


@pytest.mark.parametrize(
    "code",
    [
        "open(p, 'w')",
        "path.open('ab')",
        "open(p, mode='r+b')",
        "Path(p).write_text(x)",
        "os.replace(a, b)",
        "part.rename(target)",
        "temporary.replace(path)",
        "shutil.rmtree(f)",
        "frame.write_csv(path)",
        "frame.write_csv(file=path)",
        "lazy.sink_parquet(path)",
        "fcntl.flock(f, 2)",
        "torch.save(x, p)",
        "np.savez(p, x)",
        "tempfile.mkdtemp()",
        "NamedTemporaryFile()",
        "folder.mkdir()",
        "file.unlink()",
    ],
)
def test_what_writes_is_found(code: str) -> None:
    assert list(writes(code))


@pytest.mark.parametrize(
    "code",
    [
        "path.open('rb')",
        "open(p)",
        "text.replace('a', 'b')",
        "frame.rename({'a': 'b'})",
        "frame.write_csv(out)",
        "frame.write_csv(separator=';')",
    ],
)
def test_what_does_not_write_is_not_found(code: str) -> None:
    assert not list(writes(code))


# Files


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write(path: Path | str, content: bytes = b"new") -> None:
    with writing(path) as out:
        out.write(content)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444 | 0o200, 0o755])
def test_a_replaced_file_keeps_its_mode(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(mode)
    write(path)
    assert (stat.S_IMODE(path.stat().st_mode), path.read_bytes()) == (mode, b"new")


def test_a_new_file_has_the_mode_of_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write(tmp_path / "a")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640  # 0o666 without 0o027


def test_a_private_file_is_private_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o600)
    with writing(path):
        modes = {stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()}
    assert modes == {0o600}


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "there" / "file")
    (tmp_path / "dangling").symlink_to(tmp_path / "there" / "new")
    write(tmp_path / "link")
    write(tmp_path / "dangling")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "dangling").is_symlink()
    assert [(tmp_path / "there" / name).read_bytes() for name in ("file", "new")] == [b"new", b"new"]
    assert names(tmp_path / "there") == ["file", "new"]


def test_planted_links_are_not_followed(tmp_path: Path) -> None:
    """Whoever can write to the folder cannot guess the name, and a link in its place is an error."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    for process in range(os.getpid() - 5, os.getpid() + 5):
        (tmp_path / f".a.{process}.part").symlink_to(victim)
    write(tmp_path / "a")
    assert victim.read_text() == "precious"
    seen = set()
    for _ in range(3):
        with temporary_file(tmp_path / "b") as (path, descriptor):
            seen.add(path.name)
            os.close(descriptor)
    assert len(seen) == 3


def test_a_temporary_name_that_is_taken_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    monkeypatch.setattr("karatage._temporaries.secrets.token_hex", lambda _: "0" * 16)
    (tmp_path / ".a.0000000000000000.part").symlink_to(victim)
    with pytest.raises(InputError, match="a: File exists"):
        write(tmp_path / "a")
    assert victim.read_text() == "precious"


def test_a_pipe_and_a_device_are_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.gz"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write(pipe)
    reader.join(10)
    assert gzip.decompress(got[0]) == b"new"
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    write("/dev/null")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    assert names(tmp_path) == ["pipe.gz"]


def test_what_stands_for_an_open_stream_is_added_to(tmp_path: Path) -> None:
    """A shell that appends to a file keeps what is in it."""
    (tmp_path / "out").write_text("before\n")
    script = "from karatage._writing import write_files; from pathlib import Path; import sys\n"
    for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        with (tmp_path / "out").open("ab") as out:
            code = f"{script}write_files({{Path({name!r}): b'new\\n'}})"
            subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert (tmp_path / "out").read_text() == "before\nnew\nnew\nnew\n"


def test_a_write_protected_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: not (Path(path).name == "a" and mode == os.W_OK))
    with pytest.raises(InputError, match="a: the file is write-protected"):
        write(tmp_path / "a")
    with pytest.raises(InputError, match="a: the file is write-protected"):
        check_file(tmp_path / "a")
    assert (tmp_path / "a").read_text() == "old"


@pytest.mark.parametrize("name", ["a", "a.gz", "a.zst"])
def test_a_full_disk_leaves_the_old_file_and_names_it(name: str, tmp_path: Path) -> None:
    """A file may have 10,000 bytes here; 100,000 random ones fit into no compression of that size."""
    (tmp_path / name).write_text("old")
    script = (
        "import os, resource, signal, sys\nfrom karatage._writing import writing\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nresource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
        "try:\n    with writing(sys.argv[1]) as out:\n        out.write(os.urandom(100_000))\n"
        "except Exception as error:\n    print(type(error).__name__, error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path / name], capture_output=True, text=True, check=True
    ).stdout
    assert done == f"InputError {tmp_path / name}: File too large. Free some space, or choose another path\n"
    assert (names(tmp_path), (tmp_path / name).read_text()) == ([name], "old")


def test_several_files_appear_together_or_not_at_all(tmp_path: Path) -> None:
    write_files({tmp_path / "a": b"1", tmp_path / "b": b"1"})
    with pytest.raises(ZeroDivisionError), writing_all([tmp_path / "a", tmp_path / "c"]) as (first, _):
        first.write(b"2" * (1 // 0))
    assert [(tmp_path / name).read_bytes() for name in names(tmp_path)] == [b"1", b"1"]
    assert names(tmp_path) == ["a", "b"]


def test_a_long_name_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("ä" * 120)  # 240 bytes of 255
    write(path)
    assert path.read_bytes() == b"new"


def test_leftovers_of_a_killed_run_are_removed_by_the_next_one(tmp_path: Path) -> None:
    script = (
        "import sys, time\nfrom pathlib import Path\nfrom karatage._folders import new_folder\n"
        "from karatage._writing import writing\nplace = Path(sys.argv[1])\n"
        "with writing(place / 'a'), new_folder(place / 'f'):\n    print('x', flush=True)\n    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, tmp_path], stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.readline()
        write(tmp_path / "a")  # while the other one lives, its files are not touched
        assert len(names(tmp_path)) == 3
        running.kill()
    write(tmp_path / "a")
    with new_folder(tmp_path / "f"):
        pass
    assert names(tmp_path) == ["a", "f"]


@pytest.mark.skipif(sys.platform == "win32", reason="folders are not locked on Windows")
@pytest.mark.parametrize("moment", ["_open_folder", "_held"])
def test_a_folder_that_another_run_clears_away_before_it_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """The other run looks for leftovers just then, twice; the third folder stays, and nothing else."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    original = getattr(_temporaries, moment)
    cleared: list[str] = []

    def late(given: Any) -> Any:
        if len(cleared) < 2:
            cleared.extend(names(tmp_path))
            (own,) = tmp_path.iterdir()
            own.rmdir()
        return original(given)

    monkeypatch.setattr(_temporaries, moment, late)
    with scratch_folder() as folder:
        assert names(tmp_path) == [folder.name]
        (folder / "part").write_text("x")
    assert len(set(cleared)) == 2
    assert folder.name not in cleared
    assert names(tmp_path) == []
    assert not [path for path in _temporaries._pending if path.parent == tmp_path]


def test_scratch_folders_are_private_and_cleared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karatage._temporaries.gettempdir", lambda: str(tmp_path))
    leftover = tmp_path / f".karatage-{os.getuid()}.0123456789abcdef.part"
    leftover.mkdir()
    with scratch_folder() as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        create_file(folder / "x", b"")
        assert not leftover.exists()
    assert names(tmp_path) == []


# Folders


def test_a_replaced_folder_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(0o700)
    (tmp_path / "real" / "old").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with new_folder(tmp_path / "link", lambda _: None) as part:
        create_file(part / "new", "new")
    assert (tmp_path / "link").is_symlink()
    assert names(tmp_path / "real") == ["new"]
    assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == 0o700
    assert names(tmp_path) == ["link", "real"]


@pytest.mark.parametrize("atomic", [True, False])
def test_a_folder_is_replaced_as_a_whole(atomic: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the file system cannot exchange two folders."""
    if not atomic:
        monkeypatch.setattr(_folders, "_exchange", lambda *_: False)
    for number in range(2):
        with new_folder(tmp_path / "f", lambda _: None) as part:
            create_file(part / str(number), "")
        assert (names(tmp_path), names(tmp_path / "f")) == (["f"], [str(number)])
    with pytest.raises(InputError, match="f: the folder exists and is not empty. Choose a new folder"):
        new_folder(tmp_path / "f").__enter__()


def test_a_folder_that_was_being_replaced_in_steps_comes_back(tmp_path: Path) -> None:
    """A run that is killed between two renames leaves the old folder under its other name."""
    (tmp_path / ".f.replaced").mkdir()
    (tmp_path / ".f.replaced" / "old").write_text("old")
    with pytest.raises(ZeroDivisionError), new_folder(tmp_path / "f", lambda _: None):
        raise ZeroDivisionError
    assert (names(tmp_path), names(tmp_path / "f")) == (["f"], ["old"])


def test_what_came_in_while_we_worked_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not empty"), new_folder(tmp_path / "f"):
        create_file(tmp_path / "f" / "thesis.txt", "two years of work")
    assert names(tmp_path / "f") == ["thesis.txt"]
    assert names(tmp_path) == ["f"]


def test_folders_above_are_removed_if_nothing_was_written(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), made_folder(tmp_path / "a" / "b"):
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError), made_folder(tmp_path / "a" / "b", tmp_path / "a" / "c" / "d"):
        raise ZeroDivisionError
    assert names(tmp_path) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file is a file, not a folder"):
        new_folder(tmp_path / "file" / "f").__enter__()


# Locks


def test_a_lock_keeps_others_out_and_is_gone_afterwards(tmp_path: Path) -> None:
    order: list[str] = []

    def second() -> None:
        with locked(tmp_path):
            order.append("second")

    with locked(tmp_path), locked(tmp_path):  # a function that holds it may call another that needs it
        other = threading.Thread(target=second)
        other.start()
        time.sleep(0.1)
        order.append("first")
    other.join(10)
    assert (order, names(tmp_path)) == (["first", "second"], [])


def test_waiting_ends_with_an_error_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_locking, "_QUIET", 0.0)
    caught: list[str] = []

    def second() -> None:
        try:
            with locked(tmp_path / "board.csv", patience=0.1):
                pass
        except InputError as error:
            caught.append(str(error).removeprefix(f"{tmp_path}/"))

    with locked(tmp_path / "board.csv"):
        other = threading.Thread(target=second)
        other.start()
        other.join(10)
    problem = "board.csv: another run has been changing it for 0 seconds"
    assert caught == [f"{problem}. Wait until it is done, then run the command again"]
    assert capsys.readouterr().err == f"karatage: waiting for another run that is changing {tmp_path / 'board.csv'}\n"


def test_a_lock_that_a_killed_run_left_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / ".karatage.lock").write_text("")
    with locked(tmp_path, patience=0, busy=UsageError("busy")):
        pass
    assert names(tmp_path) == []


def test_a_signal_while_a_lock_is_taken_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    is_ours = _locking._is_ours

    def interrupted(descriptor: int, path: Path) -> bool:
        signal.raise_signal(signal.SIGINT)
        return is_ours(descriptor, path)

    monkeypatch.setattr(_locking, "_is_ours", interrupted)
    with pytest.raises(KeyboardInterrupt), locked(tmp_path):
        pass
    assert names(tmp_path) == []


def test_a_signal_waits_even_if_another_thread_gets_it() -> None:
    before = signal.getsignal(signal.SIGINT)
    ended = threading.Event()
    threading.Thread(target=ended.wait).start()
    done = []

    def work() -> None:
        with uninterrupted(), uninterrupted():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)  # until Python acts on it
            done.append(True)

    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        ended.set()
    assert done == [True]
    assert signal.getsignal(signal.SIGINT) is before


# Commands


CONLL = "Anna\tB-PER\n\n"


def test_strict_conversion_never_replaces_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "in.conll").write_text(CONLL)
    os.mkfifo(tmp_path / "pipe")
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    done = run("convert", tmp_path / "in.conll", tmp_path / "pipe", "--to", "conll", "--strict")
    reader.join(10)
    assert (done.returncode, got) == (0, [CONLL.encode()])
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert run("convert", tmp_path / "in.conll", "/dev/null", "--to", "conll", "--strict").returncode == 0
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    assert run("convert", tmp_path / "in.conll", "-", "--to", "conll", "--strict").stdout == CONLL


def test_strict_conversion_counts_what_the_reader_passed_over(tmp_path: Path) -> None:
    """Prodigy's reader leaves out tasks that were rejected: one of two here."""
    source = tmp_path / "in.jsonl"
    task = '{"text": "Anna", "spans": [{"start": 0, "end": 4, "label": "PER"}], "answer": "%s"}\n'
    source.write_text(task % "accept" + task % "reject")
    (tmp_path / "out.jsonl").write_text("old")
    plain = run("convert", source, tmp_path / "plain.jsonl", "--to", "doccano")
    assert "lost: tasks that were rejected or ignored, left out (1)\n" in plain.stderr
    text = refused("convert", source, tmp_path / "out.jsonl", "--to", "doccano", "--strict")
    assert "tasks that were rejected or ignored, left out (1). Nothing was written\n" in text
    assert (tmp_path / "out.jsonl").read_text() == "old"


def test_the_demo_replaces_nothing_of_yours(tmp_path: Path) -> None:
    (tmp_path / "queries.tsv").write_text("my own queries")
    text = refused("demo", tmp_path)
    told = f"{tmp_path / 'queries.tsv'}: is there already, and is not a file of the demo"
    assert text == f"karatage: {told}. Move it, or choose another folder\n"
    assert names(tmp_path) == ["queries.tsv"]
    (tmp_path / "queries.tsv").unlink()
    assert run("demo", tmp_path).returncode == 0
    assert run("demo", tmp_path).returncode == 0  # its own files are no obstacle


def test_generated_data_replaces_only_generated_data(tmp_path: Path) -> None:
    call = ("demo-data", "ebay", "--records", 20, "--out", tmp_path / "shop", "--force")
    assert run(*call).returncode == 0
    assert run(*call, "--seed", 1).returncode == 0
    (tmp_path / "shop" / "train.tsv.gz").write_bytes(b"my own")
    told = f"{tmp_path / 'shop' / 'train.tsv.gz'} was not written by this command, or has changed since"
    assert refused(*call).startswith(f"karatage: {told}. Move it, or choose another folder")
    assert (tmp_path / "shop" / "train.tsv.gz").read_bytes() == b"my own"


# Signals and streams


def start(*words: object, **options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "karatage", *map(str, words)]
    return subprocess.Popen(command, text=True, stderr=subprocess.PIPE, **options)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_command_quietly(number: signal.Signals, tmp_path: Path) -> None:
    """It is waiting for the rest of its input here, and has a temporary file. The tests may run under nohup."""
    heard = partial(signal.signal, number, signal.SIG_DFL)
    words = ("convert", "-", tmp_path / "out.jsonl", "--format", "conll", "--to", "doccano")
    with start(*words, stdin=subprocess.PIPE, preexec_fn=heard) as running:
        assert running.stdin is not None
        running.stdin.write("Anna B-PER\n" * 10)
        running.stdin.flush()
        while running.poll() is None and not names(tmp_path):
            time.sleep(0.02)
        running.send_signal(number)
        assert (running.wait(120), running.stderr.read() if running.stderr else "") == (128 + number, "")
    assert names(tmp_path) == []


@pytest.mark.parametrize("words", [("score", "g", "g"), ("formats",), ("metrics",), ("profiles", "exact"), ("--help",)])
def test_a_closed_standard_output_is_no_traceback(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "g").write_text(CONLL)
    shell = f'cd {tmp_path}; "{sys.executable}" -m karatage {" ".join(words)} >&-; echo $?'
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_data_for_a_closed_standard_output_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "g").write_text(CONLL)
    shell = f'"{sys.executable}" -m karatage convert {tmp_path}/g - --to conll >&-'
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "karatage: standard output: the stream is closed. Name a file instead\n"
