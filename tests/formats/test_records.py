"""JSON values out of files of any shape and size."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karatage.errors import FormatError
from karatage.formats import Source
from karatage.formats.json import json_records
from karatage.formats.json.json_records import records as stream
from karatage.formats.json.json_sample import sample


@pytest.fixture
def every(tmp_path: Path) -> Any:
    def read(text: str | bytes, **options: Any) -> list[tuple[int, Any]]:
        path = tmp_path / "records.json"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return list(stream(Source(path), **options))

    return read


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}\n{"a": 2}\n', [(1, {"a": 1}), (2, {"a": 2})]),
        ('\n\n{"a": 1}\r\n\r\n{"a": 2}', [(3, {"a": 1}), (5, {"a": 2})]),
        ('[\n{"a": 1},\n{"a": 2}\n]\n', [(2, {"a": 1}), (3, {"a": 2})]),
        ('{\n"a":\n1}', [(1, {"a": 1})]),
        ("[]", []),
        ("", []),
        ("[[1], [2]]", [(1, [1]), (1, [2])]),
        ('"a"\n"b"', [(1, "a"), (2, "b")]),
    ],
)
def test_shapes(every: Any, text: str, found: list[Any]) -> None:
    """Lines, arrays and single objects give the same records, with the lines where they start."""
    assert every(text) == found


def test_an_array_inside_of_an_object(every: Any) -> None:
    """The records may lie in a member; what stands before it is kept."""
    beside: dict[str, Any] = {}
    text = '{"names": ["x"],\n"rows": [{"a": 1},\n{"a": 2}], "more": 3}'
    assert every(text, inside="rows", beside=beside) == [(2, {"a": 1}), (3, {"a": 2})]
    assert beside == {"names": ["x"]}
    assert every('{"a": 1}\n{"a": 2}', inside="rows") == [(1, {"a": 1}), (2, {"a": 2})]


def test_an_array_may_be_one_record(every: Any) -> None:
    """The first element decides; an empty array is a record without elements."""
    assert every("[1, 2]\n[]\n[3]", whole=lambda first: not isinstance(first, list)) == [
        (1, [1, 2]),
        (2, []),
        (3, [3]),
    ]
    assert every("[[1], [2]]", whole=lambda first: not isinstance(first, list)) == [(1, [1]), (1, [2])]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
def test_chunks_may_end_anywhere(every: Any, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Numbers, escapes, letters of several bytes and line ends may be cut in two."""
    monkeypatch.setattr(json_records, "_CHUNK", size)
    values = [{"text": 'Größe 😀 \\ " \n', "n": 12345, "x": [1.5e3, True, None]}, 123456, "ü", [], {}] * 3
    lines = [value for value in values if not isinstance(value, list)]
    assert [value for _, value in every("\n".join(json.dumps(v, ensure_ascii=False) for v in lines))] == lines
    array = json.dumps(values, indent=1)
    assert [value for _, value in every(array)] == values
    inside = json.dumps({"k": 12, "rows": values, "z": "é"})
    assert [value for _, value in every(inside, inside="rows")] == values


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('{"a": 1}\n{"a": 2\n{"a": 3}\n', 2, "invalid JSON"),
        ('[{"a": 1},\n{"a" 2}]', 2, "invalid JSON"),
        ('[{"a": 1},\n{"a": 2}', 2, "the file ends where"),
        ('{"a": 1}\n{"a": ', 2, "ends within the record that starts in line 2"),
        ('{"a": 1}\n{"a": NaN}', 2, "NaN is not a JSON value"),
        ('{"a": 1, "a": 2}', 1, "duplicate key 'a'"),
        ('{"a": "\\ud800"}', 1, "surrogate"),
        (b'{"a": 1}\n{"a": "\xff"}', 2, "byte ff is not UTF-8"),
        ("[" * 200_000, 1, "nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", 1, "digits"),
        ("[1, 2] x", 1, "invalid JSON"),
        ("{'a': 1}", 1, "invalid JSON"),
    ],
)
def test_errors_name_the_line(every: Any, text: str | bytes, line: int, message: str) -> None:
    """What is not JSON is refused with its line."""
    with pytest.raises(FormatError, match=message) as caught:
        every(text)
    assert caught.value.line == line
    assert str(caught.value.source).endswith("records.json")


def test_sample_of_a_text_that_is_cut() -> None:
    """Sniffing sees the members before the cut."""
    assert sample('[{"a": 1}, {"b": 2}, {"c"') == [{"a": 1}, {"b": 2}]
    assert sample('{"documents": [{"sentences": [{"words": [') == [{"documents": [{"sentences": [{"words": []}]}]}]
    assert sample('{"id": 1, "text": "ab') == [{"id": 1, "text": None}]
    assert sample("{ O\n} O\n") == []
    assert sample("") == []
