"""Objects of a store are read as files are: a real server of S3's protocol and web servers run on this machine."""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.command import refused, said

import karatage
from karatage.errors import InputError, UsageError
from karatage.inputs import as_input

fsspec = pytest.importorskip("fsspec", reason="the extra s3 is not installed")
pytest.importorskip("s3fs", reason="the extra s3 is not installed")
moto_server = pytest.importorskip("moto.server", reason="moto, which serves S3's protocol, is not installed")

GOLD = "Anna B-PER\nsleeps O\n\nin O\nRome B-LOC\n\nBerta B-PER\n"
PRED = "Anna B-PER\nsleeps O\n\nin O\nRome B-PER\n\nBerta O\n"
RECORDS = '{"id": "1", "text": "Anna sleeps", "label": [[0, 4, "PER"]]}\n'


class Quiet:
    """A handler of web requests that logs nothing."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


class Files(Quiet, SimpleHTTPRequestHandler):
    """Serves files; it cannot start in the middle of one."""


class Broken(Quiet, BaseHTTPRequestHandler):
    """Sends less than it announces, or an error."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        if "denied" in self.path:
            self.send_error(403)
            return
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(GOLD.encode())
        self.close_connection = True


def serving(handler: Any) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    (folder / "gold.conll").write_text(GOLD)
    (folder / "pred.conll").write_text(PRED)
    (folder / "gold.conll.gz").write_bytes(gzip.compress(GOLD.encode()))
    (folder / "records.jsonl").write_text(RECORDS)
    parts = folder / "parts"
    parts.mkdir()
    for number, (gold, pred) in enumerate(zip(GOLD.split("\n\n"), PRED.split("\n\n"), strict=True)):
        for name, text in (("gold", gold), ("pred", pred)):
            (parts / name).mkdir(exist_ok=True)
            (parts / name / f"{number}.conll").write_text(text + "\n")
    karatage.write(karatage.read(str(folder / "records.jsonl")), folder / "records.parquet")
    return folder


@pytest.fixture(scope="module")
def store(files: Path) -> Iterator[str]:
    """A bucket with the files, on a server of S3's protocol."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    with pytest.MonkeyPatch.context() as patch:
        server.start()
        host, port = server.get_host_and_port()
        for name, value in {"ACCESS_KEY_ID": "k", "SECRET_ACCESS_KEY": "s", "DEFAULT_REGION": "us-east-1"}.items():
            patch.setenv(f"AWS_{name}", value)
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        system = fsspec.filesystem("s3", skip_instance_cache=True)
        system.mkdir("corpus")
        system.put(str(files), "corpus/data", recursive=True)
        system.touch("corpus/data/parts/gold/.hidden")
        yield "s3://corpus/data"
        fsspec.filesystem("s3").clear_instance_cache()
        server.stop()


@pytest.fixture(scope="module")
def web(files: Path) -> Iterator[str]:
    yield from serving(partial(Files, directory=str(files)))


@pytest.fixture(scope="module")
def broken() -> Iterator[str]:
    yield from serving(Broken)


def scored(gold: str, pred: str) -> dict[str, Any]:
    """Return a result, but for where it comes from."""
    out = karatage.score(gold, pred).compute().to_dict()
    del out["provenance"]
    return out


@pytest.mark.parametrize("place", ["store", "web"])
@pytest.mark.parametrize("gold", ["gold.conll", "gold.conll.gz"])
def test_an_object_is_scored_as_the_file_is(place: str, gold: str, files: Path, request: pytest.FixtureRequest) -> None:
    at = request.getfixturevalue(place)
    assert scored(f"{at}/{gold}", f"{at}/pred.conll") == scored(str(files / gold), str(files / "pred.conll"))


@pytest.mark.parametrize("ending", ["", "/", "/*.conll", "/[0-9].conll"])
def test_a_folder_and_a_pattern_name_many_objects(ending: str, store: str, files: Path) -> None:
    found = scored(f"{store}/parts/gold{ending}", f"{store}/parts/pred{ending}")
    assert found == scored(str(files / "parts/gold"), str(files / "parts/pred"))
    assert found["counts"]["units"] == 3


def test_tables_and_json_are_read(store: str, files: Path) -> None:
    for name in ("records.jsonl", "records.parquet"):
        assert len(karatage.read(f"{store}/{name}")) == len(karatage.read(str(files / name))) == 1


def test_the_version_in_the_store_stands_for_the_digest(store: str, files: Path) -> None:
    """S3's ETag of an object that was sent in one piece is the MD5 of its content."""
    at = karatage.score(f"{store}/gold.conll", str(files / "pred.conll")).to_dict()["provenance"]
    assert at["gold"] == f"etag:{hashlib.md5(GOLD.encode(), usedforsecurity=False).hexdigest()}"
    assert at["pred"] == f"sha256:{hashlib.sha256(PRED.encode()).hexdigest()}"


def test_a_web_server_without_versions_is_read_for_the_digest(web: str, files: Path) -> None:
    found = karatage.score(f"{web}/gold.conll", str(files / "pred.conll")).to_dict()["provenance"]
    assert found["gold"] == f"sha256:{hashlib.sha256(GOLD.encode()).hexdigest()}"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("{store}/nothing.conll", "data/nothing.conll: no such object. Check the URL"),
        ("{store}/none/*.conll", "none/*.conll: no object matches this pattern"),
        ("s3://elsewhere/gold.conll", "s3://elsewhere/gold.conll: no such object"),
        ("{web}/nothing.conll", "nothing.conll: no such object. Check the URL"),
        ("{broken}/denied.conll", "denied.conll: the object cannot be read (403"),
        ("{broken}/gold.conll", "gold.conll: the object cannot be read ("),
        ("http://user:secret@127.0.0.1:9/gold.conll?key=secret", "http://127.0.0.1:9/gold.conll: the object cannot"),
    ],
)
def test_what_a_store_does_not_give_is_an_error_that_names_it(
    url: str, message: str, store: str, web: str, broken: str
) -> None:
    with pytest.raises(InputError) as caught:
        karatage.read(url.format(store=store, web=web, broken=broken), format="conll")
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("nowhere://bucket/gold.conll", "unknown kind of URL, nowhere://"),
        ("file:///gold.conll", "leave out file://"),
    ],
)
def test_urls_of_no_store_are_refused(url: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        as_input(url)


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(UsageError, match=r"pip install '\.\[gs\]'"):
        as_input("gs://bucket/gold.conll")


def test_urls_are_not_written(store: str, files: Path, tmp_path: Path) -> None:
    message = refused("convert", files / "gold.conll", f"{store}/new.conll", cwd=tmp_path)
    assert "URLs can be read, but not written" in message
    assert not list(tmp_path.iterdir())


def test_the_command_reads_objects(store: str, tmp_path: Path) -> None:
    told = said("score", f"{store}/gold.conll", f"{store}/pred.conll", "--json", cwd=tmp_path)
    # gold: PER, LOC, PER; predicted: PER, PER at LOC. One of two predictions and one of three entities is correct.
    counts = {"units": 3, "gold": 3, "predicted": 2, "correct": 1, "tokens": 5, "tokens_correct": 3}
    assert json.loads(told)["counts"] == counts


def test_what_works_with_files_only_says_so(store: str) -> None:
    with pytest.raises(InputError, match="this works with files only. Copy the object to this machine first"):
        _ = as_input(f"{store}/gold.conll").sources[0].path
