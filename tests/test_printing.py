"""Everything is printed by one module, which makes visible what would steer a terminal or mislead a reader."""

from __future__ import annotations

import ast
import io
import json
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

import karatage
from karatage._printing import console, json_text, say, tell, visible, visible_lines
from karatage._writing import writing

SOURCE = Path(karatage.__file__).parent
PRINTS = {
    "_printing.py": "this is the module",
    "_writing.py": "data written to - is the content of a file",
    "compat/conlleval/__main__.py": "prints what the script prints, byte for byte",
    "compat/sigir19/__init__.py": "prints what the script prints, byte for byte",
    "compat/sigir19/__main__.py": "prints what the script prints, byte for byte",
    "compat/trec_eval/trec_command.py": "prints what trec_eval prints, byte for byte",
    "training/crf/crf_worker.py": "reports numbers to the process that started it, through a pipe",
}
# Characters that stand before digits in Arabic, Syriac and Kaithi and are seen: letters to a reader, Cf to Unicode.
SEEN = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
STREAMS = {"stdout", "stderr", "__stdout__", "__stderr__"}
WRITES = {"write", "writelines", "buffer"}


def printing(source: str) -> Iterator[str]:
    """Yield whatever in a module prints by itself."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in WRITES and getattr(node.value, "attr", "") in STREAMS:
            yield f"line {node.lineno}: {ast.unparse(node)}"
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        name = called.rpartition(".")[2]
        given = {keyword.arg for keyword in node.keywords}
        if called in ("print", "rich.print", "os.write") or name in ("echo", "secho", "print_exc", "Console"):
            yield f"line {node.lineno}: {called}()"
        if name in ("Progress", "Status", "Live") and "console" not in given:
            yield f"line {node.lineno}: {called}() without a console"


def test_only_one_module_prints() -> None:
    """The others call it; each exception has its reason, and none is left that has become needless."""
    found = {
        str(path.relative_to(SOURCE)): told
        for path in sorted(SOURCE.rglob("*.py"))
        if (told := list(printing(path.read_text("utf-8"))))
    }
    assert {path: told for path, told in found.items() if path not in PRINTS} == {}
    assert set(PRINTS) == set(found)


@pytest.mark.parametrize(
    "code",
    [
        "print(1)",
        "typer.echo(x)",
        "sys.stdout.write(x)",
        "import sys as s; s.stderr.buffer",
        "Console()",
        "rich.console.Console(stderr=True)",
        "with Progress() as p: pass",
        "traceback.print_exc()",
    ],
)
def test_what_prints_is_seen(code: str) -> None:
    assert list(printing(code))


def test_every_character_that_cannot_be_seen_is_made_visible() -> None:
    """Controls, format characters, line and paragraph separators and half surrogate pairs, by Unicode's own list."""
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in SEEN:
            shown = visible(character)
            assert shown.isprintable(), hex(code)
            assert shown != character


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b]0;title\x07", "␛[31mred␛]0;title␇"),
        ("a\rb\x9b2J", "a␍b⟨U+009B⟩2J"),
        ("\u202egpj.exe", "⟨U+202E⟩gpj.exe"),
        ("two\nlines", "two␊lines"),
    ],
)
def test_messages_are_visible(text: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    tell(text)
    assert capsys.readouterr().err == f"karatage: {shown}\n"
    say(text)
    assert capsys.readouterr().out == shown.replace("␊", "\n") + "\n"
    assert visible_lines(text) == shown.replace("␊", "\n")


@pytest.mark.parametrize("text", ["\x1b\x7f\x9b\u202e\u2028", "\ud83d", "\U000e0041", "plain", "👩\u200d🚀", "a\nb"])
def test_json_has_its_exact_content_and_nothing_hidden(text: str) -> None:
    told = json_text({text: [text]})
    assert json.loads(told) == {text: [text]}
    assert visible_lines(told) == told


def test_warnings_and_tracebacks_of_python_are_visible() -> None:
    """As a library's warning that quotes a file name, or a mistake of ours that shows the data it failed on."""
    program = "import karatage._printing, warnings; karatage._printing.say_diagnostics()"
    program += "; warnings.warn('\\x1b\\u202e', stacklevel=1)"
    done = subprocess.run(
        [sys.executable, "-c", f"{program}; raise ValueError('\\x9b')"], capture_output=True, check=False
    )
    told = done.stderr.decode()
    assert "UserWarning: ␛⟨U+202E⟩\n" in told
    assert told.endswith("ValueError: ⟨U+009B⟩\n")
    assert visible_lines(told) == told


def test_data_is_visible_in_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is piped is the content of a file, byte by byte."""
    for terminal, told in ((True, "a\t␛[31m\n⟨U+202E⟩b"), (False, "a\t\x1b[31m\n\u202eb")):
        out = io.TextIOWrapper(io.BytesIO(), "utf-8")
        monkeypatch.setattr(out, "isatty", lambda terminal=terminal: terminal, raising=False)
        monkeypatch.setattr(sys, "stdout", out)
        with writing("-") as stream:
            stream.write("a\t\x1b[31m\n\u202eb".encode())
        out.flush()
        assert out.buffer.getvalue().decode() == told


@pytest.mark.parametrize("terminal", [True, False])
def test_whatever_a_console_renders_is_visible(terminal: bool) -> None:
    """Also where a table or a bar was made of raw text, markup included; colours of our own remain."""
    hostile = "\x1b]8;;http://x\x1b\\[red]:smile: \u202e"
    out = io.StringIO()
    table = Table("a", title=hostile)
    table.add_row(hostile)
    shown = console(file=out, force_terminal=terminal, color_system="standard" if terminal else None, width=100)
    shown.print(table, Text("ours", "red"), hostile)
    told = out.getvalue()
    assert told.count("␛]8;;http://x␛\\[red]:smile") == 3
    assert "\x1b]" not in told
    assert ("\x1b[31mours" in told) == terminal
