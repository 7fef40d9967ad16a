"""Objects of a store: `s3://bucket/gold.conll`, `gs://…`, `az://…`, `https://…`, and whatever else fsspec opens."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from karatage._urls import WEB, shown
from karatage.errors import InputError, KaratageError, UsageError, missing_package
from karatage.formats.io import BOM, HEAD, Source
from karatage.formats.unpacking import unpacked_head

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

_HERE = ("file", "local")
_EXTRAS = {
    "s3": "s3",
    "s3a": "s3",
    "gs": "gs",
    "gcs": "gs",
    "az": "az",
    "abfs": "az",
    "abfss": "az",
    "http": "http",
    "https": "http",
}
_BLOCK = 8 << 20
"""How many bytes are asked for at a time: fewer requests than by default, and little memory."""


def open_url(url: str) -> list[Source]:
    """Return the objects that a URL names: one, those of a folder at any depth, or those that match a pattern."""
    scheme = urlsplit(url).scheme.lower()
    if scheme in _HERE:
        raise UsageError(f"{shown(url)} is a file of this machine: leave out {scheme}://")
    with _asking(url):
        system, path = _system(url)
        if "*" in path or (scheme not in WEB and any(sign in path for sign in "?[")):
            found, lacking = system.glob(path, detail=True), "no object matches this pattern"
        elif scheme not in WEB and system.isdir(path):
            every, lacking = system.find(path, detail=True), "the folder is empty"
            found = {name: about for name, about in every.items() if _visible(name, path)}
        else:
            return [StoredObject(url, system.info(path))]
        found = {name: about for name, about in found.items() if about["type"] == "file"}
        if not found:
            raise InputError(lacking, source=shown(url))
        return [StoredObject(system.unstrip_protocol(name), found[name]) for name in sorted(found)]


class StoredObject(Source):
    """An object of a store. It is read from its start, without a copy on this machine.

    Args:
        url: where it is.
        about: what its store knows about it.
    """

    remote = True

    def __init__(self, url: str, about: Mapping[str, Any]) -> None:
        self.url, self.name = url, shown(url)
        self.standard_input = self.is_folder = self.once = False
        self._size, self._etag = int(about.get("size") or 0), about.get("ETag") or about.get("etag")

    @property
    def path(self) -> Path:  # type: ignore[override]  # it has none
        """There is none: whatever asks for it works with files of this machine only."""
        raise InputError("this works with files only", source=self.name, hint="Copy the object to this machine first")

    @property
    def file_name(self) -> str:
        """The last part of its name."""
        return PurePosixPath(urlsplit(self.name).path).name

    @property
    def location(self) -> PurePosixPath:
        """Where it is, to sort by and to compare with others."""
        return PurePosixPath("/", self.name)

    @property
    def plain(self) -> bool:
        """Whether its bytes can be used as they are: never, as they are not on this machine."""
        return False

    @property
    def size(self) -> int:
        """Its size in bytes; 0 where its store does not say."""
        return self._size

    @property
    def version(self) -> str | None:
        """What its store calls its content: its ETag, where it has one."""
        return str(self._etag).strip('"') if self._etag else None

    def head(self) -> bytes:
        """Return the first bytes, decompressed, without a byte order mark, and ask for no more than those."""
        with self._opened(HEAD) as stream:
            return unpacked_head(stream.read(HEAD), HEAD).removeprefix(BOM)

    def open_raw(self) -> io.BufferedReader:
        """Open its bytes as they are stored."""
        return self._opened(_BLOCK)

    def _opened(self, block: int) -> io.BufferedReader:
        with _asking(self.url):
            system, path = _system(self.url)
            # A web server that cannot start in the middle of a file can still send all of it.
            whole = urlsplit(self.url).scheme.lower() in WEB
            stream = system.open(path, "rb", block_size=0 if whole else block)
        return io.BufferedReader(_Stored(stream, self.url), 1 << 20)


class _Stored(io.RawIOBase):
    """The bytes of an object; whatever goes wrong with its store is an error that names the object."""

    def __init__(self, stream: Any, url: str) -> None:
        super().__init__()
        self._stream, self._url = stream, url

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with _asking(self._url):
            data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()


def _system(url: str) -> tuple[AbstractFileSystem, str]:
    """Return the store, and the name of the object in it."""
    from fsspec.core import url_to_fs

    return cast("tuple[AbstractFileSystem, str]", url_to_fs(url))


def _visible(name: str, folder: str) -> bool:
    """Whether an object is neither hidden nor in a hidden folder, nor only the mark of a folder."""
    inner = name.removeprefix(folder).lstrip("/")
    return bool(inner) and not inner.endswith("/") and not any(part.startswith(".") for part in inner.split("/"))


@contextmanager
def _asking(url: str) -> Iterator[None]:
    """Turn whatever a store answers, other than data, into an error that names the object and says what to do."""
    scheme = urlsplit(url).scheme.lower()
    try:
        yield
    except KaratageError:
        raise
    except ImportError as error:
        if scheme not in _EXTRAS:
            raise UsageError(f"{shown(url)}: {error}") from None
        raise missing_package(f"a package for {scheme}://", extra=_EXTRAS[scheme], error=error) from None
    except FileNotFoundError as error:
        answer = error.__cause__
        if scheme in WEB and isinstance(answer, Exception) and getattr(answer, "status", None) != 404:
            raise _failed(url, answer) from None
        raise InputError("no such object", source=shown(url), hint="Check the URL") from None
    except PermissionError:
        hint = "Check the URL, and that your credentials may read it"
        raise InputError("access is denied", source=shown(url), hint=hint) from None
    except ValueError as error:
        if "Protocol not known" not in str(error):
            raise _failed(url, error) from None
        hint = "Known are s3://, gs://, az://, https:// and all others that fsspec opens"
        raise UsageError(f"{shown(url)}: unknown kind of URL, {scheme}://. {hint}") from None
    except Exception as error:  # each store has its own kinds of errors
        raise _failed(url, error) from None


def _failed(url: str, error: Exception) -> InputError:
    reason = (str(error).strip() or type(error).__name__).splitlines()[0].replace(url, shown(url))
    return InputError(
        f"the object cannot be read ({reason})",
        source=shown(url),
        hint="Check the URL, your credentials and the network",
    )
