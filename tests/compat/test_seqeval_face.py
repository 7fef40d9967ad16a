"""The compat face has seqeval's modules, names, signatures, tables and reporters, without scikit-learn."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
import types
import typing
import warnings
from enum import Enum
from typing import Any

import pytest
import seqeval.scheme as their_scheme

import karatage.compat.seqeval.metrics as metrics
import karatage.compat.seqeval.scheme as our_scheme
from karatage.compat.seqeval.reporters import DictReporter, Reporter, StringReporter

MODULES = ("", ".metrics", ".metrics.sequence_labeling", ".metrics.v1", ".scheme", ".reporters")
TOOLS = {"absolute_import", "division", "print_function", "annotations", "defaultdict", "chain"}
CLASSES = ("Entity", "Prefix", "Tag", "Token", "Tokens", "Entities")
SCHEMES = ("IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU")


def public(module: Any) -> dict[str, Any]:
    """Return a module's own public names: no modules, nothing of the standard library's."""
    return {
        name: getattr(module, name)
        for name in dir(module)
        if not name.startswith("_")
        and name not in TOOLS | set(typing.__all__)
        and not isinstance(getattr(module, name), types.ModuleType)
    }


def pair(name: str) -> tuple[Any, Any]:
    return importlib.import_module(f"seqeval{name}"), importlib.import_module(f"karatage.compat.seqeval{name}")


@pytest.mark.parametrize("name", MODULES)
def test_public_names(name: str) -> None:
    """Every public name of seqeval's module exists, and a star import brings those and no others."""
    theirs, ours = pair(name)
    names = set(public(theirs))
    assert [n for n in names if not hasattr(ours, n)] == []
    assert set(getattr(ours, "__all__", ())) == names - {"UndefinedMetricWarning"}


@pytest.mark.parametrize("name", MODULES)
def test_signatures(name: str) -> None:
    """Parameters have the same names, kinds, order and defaults."""
    theirs, ours = pair(name)
    for attribute, value in public(theirs).items():
        if inspect.isroutine(value) or (inspect.isclass(value) and not issubclass(value, Enum | Warning)):
            assert shape(getattr(ours, attribute)) == shape(value), attribute
            for method, body in inspect.getmembers(value, inspect.isfunction):
                if not method.startswith("_"):
                    assert shape(getattr(getattr(ours, attribute), method)) == shape(body), method


def shape(function: Any) -> list[tuple[str, Any, Any]]:
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize("name", SCHEMES)
def test_scheme_tables(name: str) -> None:
    """The patterns and allowed prefixes of each scheme print as seqeval's do."""
    theirs, ours = getattr(their_scheme, name), getattr(our_scheme, name)
    assert str(ours.allowed_prefix) == str(theirs.allowed_prefix)
    for table in ("start_patterns", "inside_patterns", "end_patterns"):
        assert set(map(str, getattr(ours, table))) == set(map(str, getattr(theirs, table)))
    assert {k: v.value for k, v in our_scheme.Prefixes.items()} == {
        k: v.value for k, v in their_scheme.Prefixes.items()
    }


def test_single_tokens_and_entities() -> None:
    """A token and an entity answer and print as seqeval's do."""
    for scheme in (their_scheme, our_scheme):
        token, before = scheme.IOB2("I-PER"), scheme.IOB2("B-PER")
        assert (repr(token), token.tag, token.is_valid()) == ("I-PER", "PER", True)
        assert (token.is_start(before), token.is_inside(before), token.is_end(before)) == (False, True, False)
        entity = scheme.Entity(sent_id=0, start=1, end=3, tag="PER")
        assert repr(entity) == "(0, PER, 1, 3)"
        assert entity == scheme.Entity(0, 1, 3, "PER")
        assert len({entity, scheme.Entity(0, 1, 3, "PER")}) == 1
        found = scheme.Tokens(["B-PER", "I-PER", "O", "B-LOC"], scheme.IOB2, sent_id=4)
        assert [x.to_tuple() for x in found.entities] == [(4, "PER", 0, 2), (4, "LOC", 3, 4)]
        entities = scheme.Entities([["B-A"], ["B-A", "B-B"]], scheme.IOB2)
        assert entities.unique_tags == {"A", "B"}
        assert {x.to_tuple() for x in entities.filter("A")} == {(0, "A", 0, 1), (1, "A", 0, 1)}


def test_reporters() -> None:
    """The reporters keep rows in the attributes, and print them in the format, of seqeval's."""
    theirs, ours = pair(".reporters")
    texts = []
    for module in (theirs, ours):
        text, table = module.StringReporter(width=12, digits=3), module.DictReporter()
        for reporter in (text, table):
            reporter.write("PER", 0.5, 1.0, 2 / 3, 7)
            reporter.write_blank()
        texts.append((text.report(), text.buffer, text.row_fmt, text.width, text.digits, table.report_dict))
        assert (module.StringReporter().width, module.StringReporter().digits) == (10, 4)
    assert texts[0] == texts[1]
    assert issubclass(StringReporter, Reporter)
    assert issubclass(DictReporter, Reporter)
    with pytest.raises(TypeError):
        Reporter()  # type: ignore[abstract]


def test_entities_given_beforehand() -> None:
    """The v1 function takes entities that were read already, and ignores options that it does not know."""
    y_true, y_pred = [["B-A", "O"]], [["B-A", "B-A"]]
    results = []
    for name in ("seqeval", "karatage.compat.seqeval"):
        v1, scheme = importlib.import_module(f"{name}.metrics.v1"), importlib.import_module(f"{name}.scheme")
        known = scheme.Entities(y_true, scheme.IOB2)
        for given in (
            {"entities_true": known},
            {"entities_true": known, "entities_pred": known},
            {"what": 1},
        ):
            scores = v1.precision_recall_fscore_support(y_true, y_pred, scheme=scheme.IOB2, average="micro", **given)
            results.append(scores)
    assert results[:3] == results[3:]


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


SCORE = """
import sys, warnings
from karatage.compat.seqeval.metrics import f1_score, classification_report
import karatage.compat.seqeval.scheme, karatage.compat.seqeval.reporters, karatage.compat.seqeval.metrics.v1
f1_score([["B-A"]], [["B-A"]])
"""


def test_scikit_learn_is_not_loaded_without_need() -> None:
    """Importing all modules and scoring without a warning leaves scikit-learn alone."""
    assert run(SCORE + "print('sklearn' in sys.modules)") == "False"


def test_the_category_without_scikit_learn() -> None:
    """Where scikit-learn is missing, the warning is a UserWarning of the same name."""
    code = SCORE + (
        "sys.modules['sklearn'] = None\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    f1_score([['O']], [['O']])\n"
        "print(*[(w.category.__name__, w.category.__base__.__name__) for w in caught])"
    )
    assert run(code) == "('UndefinedMetricWarning', 'UserWarning')"


def test_the_category_with_scikit_learn() -> None:
    """Where it is installed, a filter on scikit-learn's own class catches the warning."""
    exceptions = importlib.import_module("sklearn.exceptions")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", exceptions.UndefinedMetricWarning)
        assert metrics.f1_score([["O"]], [["O"]]) == 0.0
    v1 = importlib.import_module("karatage.compat.seqeval.metrics.v1")
    assert v1.UndefinedMetricWarning is exceptions.UndefinedMetricWarning
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = v1.nothing
