"""JSON values one after another out of files of any size, and back.

A file may hold one value per line, one big array, one object, or an object with the array in it: readers need
not know which. Only the value at hand is in memory.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, NoReturn

from karatage._limits import limits
from karatage._writing import writing
from karatage.errors import FormatError
from karatage.formats.io import Source, to_bytes, too_large

_CHUNK = 1 << 18
_BLANKS = " \t\r\n"
_LONGEST_WORD = 16
"""More than the longest piece of JSON, strings and numbers aside, that the end of a buffer can cut in two."""


def records(
    source: Source,
    *,
    inside: str | None = None,
    beside: dict[str, Any] | None = None,
    whole: Callable[[Any], bool] = lambda _: False,
) -> Iterator[tuple[int, Any]]:
    """Yield the values of a JSON or JSONL file with the lines where they start.

    Args:
        source: the file.
        inside: the member of a top-level object that holds the records, where it has one of that name.
        beside: gets the members of that object that stand before the records.
        whole: tells by its first element whether an array is one record; else its elements are records.
    """
    with source.open() as stream:
        scanner = _Scanner(stream, source.name)
        while opener := scanner.peek():
            line = scanner.line
            if opener == "[":
                yield from _array(scanner, whole)
            elif opener == "{" and inside is not None:
                yield from _object(scanner, inside, {} if beside is None else beside)
            else:
                yield line, scanner.value()


def _array(scanner: _Scanner, whole: Callable[[Any], bool]) -> Iterator[tuple[int, Any]]:
    start = scanner.line
    scanner.expect("[")
    collected: list[Any] | None = None
    if scanner.peek() == "]":
        scanner.expect("]")
        if whole(None):
            yield start, []
        return
    first = True
    while first or scanner.peek() != "]":
        if not first:
            scanner.expect(",")
        line = scanner.line if scanner.peek() else start
        value = scanner.value()
        if first and whole(value):
            collected = []
        if collected is None:
            yield line, value
        else:
            collected.append(value)
        first = False
    scanner.expect("]")
    if collected is not None:
        yield start, collected


def _object(scanner: _Scanner, inside: str, beside: dict[str, Any]) -> Iterator[tuple[int, Any]]:
    line = scanner.line
    members: dict[str, Any] = {}
    found = False
    scanner.expect("{")
    while scanner.peek() != "}":
        if members or found:
            scanner.expect(",")
        scanner.peek()
        key = scanner.value()
        if not isinstance(key, str):
            scanner.fail("expected a key in double quotes")
        if key in members or (found and key == inside):
            scanner.fail(f"duplicate key {key!r}")
        scanner.expect(":")
        if key == inside and scanner.peek() == "[":
            found = True
            beside.update(members)
            yield from _array(scanner, lambda _: False)
        else:
            scanner.peek()
            members[key] = scanner.value()
    scanner.expect("}")
    if not found:
        yield line, members


class _Scanner:
    """Reads JSON from a stream, chunk by chunk, and knows the line at which it stands."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self.line = 1
        self._stream, self._name = stream, name
        self._bytes = codecs.getincrementaldecoder("utf-8")()
        self._json = json.JSONDecoder(object_pairs_hook=_members, parse_constant=_no_constant)
        self._buffer, self._at, self._ended = "", 0, False
        self._per_line = True

    def peek(self) -> str:
        """Go to the next character that is not blank and return it; at the end, return nothing."""
        while True:
            buffer, at = self._buffer, self._at
            while at < len(buffer) and buffer[at] in _BLANKS:
                at += 1
            self._advance(at)
            if at < len(buffer):
                return buffer[at]
            if not self._fill():
                return ""

    def expect(self, mark: str) -> None:
        """Step over a mark."""
        found = self.peek()
        if found != mark:
            self.fail(f"expected {mark!r}, found {found!r}" if found else f"the file ends where {mark!r} is expected")
        self._at += 1

    def value(self) -> Any:
        """Read the value that starts here."""
        while True:
            try:
                found, end = self._json.raw_decode(self._buffer, self._at)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated") or error.pos >= len(self._buffer) - _LONGEST_WORD
                if cut and self._fill():
                    continue
                self._fail_at(error)
            except RecursionError:
                self.fail("the JSON is nested too deeply")
            except ValueError as error:
                self.fail(str(error))
            if end == len(self._buffer) and not isinstance(found, dict | list | str) and self._fill():
                continue  # a number may go on behind the end of the buffer
            if "\\u" in self._buffer[self._at : end]:
                self._check_surrogates(found)
            start = self.line
            self._advance(end)
            self._per_line = self._per_line and self.line == start
            return found

    def fail(self, problem: str) -> NoReturn:
        """Refuse what stands here."""
        raise FormatError(problem, source=self._name, line=self.line, hint=_HINT)

    def _fail_at(self, error: json.JSONDecodeError) -> NoReturn:
        start = self.line
        line = start + self._buffer.count("\n", self._at, error.pos)
        if not self._buffer[error.pos :].strip() and self._ended:
            raise FormatError(
                f"the file ends within the record that starts in line {start}",
                source=self._name,
                line=line,
                hint="The file is truncated: copy it again",
            )
        # Where each record so far had a line of its own, one that seems to run on is a line cut short.
        at = start if self._per_line else line
        raise FormatError(f"invalid JSON: {error.msg}", source=self._name, line=at, hint=_HINT)

    def _check_surrogates(self, found: Any) -> None:
        try:
            json.dumps(found, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            self.fail("contains an unpaired surrogate, which is not a character")

    def _advance(self, to: int) -> None:
        self.line += self._buffer.count("\n", self._at, to)
        self._at = to

    def _fill(self) -> bool:
        if self._ended:
            return False
        rest = self._buffer[self._at :]
        if len(rest) > limits().record:
            raise too_large("record", self._name, self.line)
        data = self._stream.read(max(_CHUNK, len(rest)))  # doubles, so that long records cost linear time
        self._ended = not data
        try:
            text = self._bytes.decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            line = self.line + rest.count("\n") + error.object[: error.start].count(b"\n")
            raise FormatError(
                f"byte {error.object[error.start : error.start + 1].hex()} is not UTF-8",
                source=self._name,
                line=line,
                hint="Convert the file to UTF-8, e.g. with iconv",
            ) from None
        self._buffer, self._at = rest + text, 0
        return True


_HINT = "Expected JSON: one record per line, or one array of records"


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in members if names.count(name) > 1)
        raise ValueError(f"duplicate key {twice!r} in an object")
    return members


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def parse_json(text: str) -> Any:
    """Parse one JSON value as strictly as files are read; anything wrong is a ValueError with a short reason."""
    try:
        found = json.loads(text, object_pairs_hook=_members, parse_constant=_no_constant)
        json.dumps(found, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise ValueError(error.msg) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("contains an unpaired surrogate") from None
    return found


def write_lines(path: str, values: Iterable[Any]) -> None:
    """Write one JSON value per line."""
    with writing(path) as out:
        for value in values:
            out.write(to_json(value, path) + b"\n")


def write_array(path: str, values: Iterable[Any], *, inside: str | None = None) -> None:
    """Write a JSON array with one value per line; with `inside`, as the only member of an object."""
    with writing(path) as out:
        out.write(b"[" if inside is None else b'{"%s": [' % inside.encode())
        between = b"\n"
        for value in values:
            out.write(between + to_json(value, path))
            between = b",\n"
        out.write(b"\n]\n" if inside is None else b"\n]}\n")


def id_member(unit: str | None) -> dict[str, str | int]:
    """Return the member that holds a unit's id: a number where it is written like one; none for no id."""
    if unit is None:
        return {}
    return {"id": int(unit) if unit.isdecimal() and len(unit) < 16 and str(int(unit)) == unit else unit}


def to_json(value: Any, path: str) -> bytes:
    """Encode one value on one line, in UTF-8."""
    return to_bytes(json.dumps(value, ensure_ascii=False, allow_nan=False), path)
