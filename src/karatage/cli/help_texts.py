"""How `--help` looks: what values are called, arguments as they are declared, and sentences that are not cut."""

from __future__ import annotations

import copy
import inspect
import re
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

from typer.core import TyperCommand, TyperGroup
from typer.models import OptionInfo

_UNCUT = 1000
"""No first sentence of a command is as long."""

_TEXTS = {
    **dict.fromkeys(("cluster_by", "stratify_by", "group_by", "split_by", "category"), "ATTRIBUTE"),
    **dict.fromkeys(("format", "pred_format", "to"), "FORMAT"),
    **dict.fromkeys(("query_list", "documents", "listings", "baseline"), "FILE"),
    **dict.fromkeys(("test", "validation"), "DATA"),
    **dict.fromkeys(("scheme", "to_scheme"), "SCHEME"),
    **dict.fromkeys(("name", "system", "annotator", "application", "experiment"), "NAME"),
    **dict.fromkeys(("label", "labels"), "LABEL"),
    **dict.fromkeys(("bins", "growth"), "NUMBERS"),
    **dict.fromkeys(("click", "impression"), "ACTIONS"),
    **dict.fromkeys(("positive", "negative"), "CHOICE"),
    "like": "PROFILE",
    "match": "RULE",
    "metric": "METRIC",
    "kind": "KIND",
    "tagger": "TAGGER",
    "words": "WORDS",
    "columns": "COLUMNS",
    "grades": "GRADES",
    "cuts": "GRADES",
    "normalize": "WHAT",
    "engine": "ENGINE",
    "device": "DEVICE",
    "resume": "FOLDER",
    "config": "CONFIG",
}
"""What the text is that an option takes; for others, TEXT."""


def with_value_name(parameter: inspect.Parameter) -> inspect.Parameter:
    """Name the value of an option in its help, if nothing does: `--jobs NUMBER`; closed sets name themselves."""
    (option,) = getattr(parameter.annotation, "__metadata__", (None,))
    if not isinstance(option, OptionInfo) or option.metavar:
        return parameter
    kind = parameter.annotation.__origin__
    if NoneType in get_args(kind):
        (kind,) = (one for one in get_args(kind) if one is not NoneType)
    kind = get_args(kind)[0] if get_origin(kind) is list else kind
    named = {str: _TEXTS.get(parameter.name, "TEXT"), int: "NUMBER", float: "NUMBER", Path: "PATH"}.get(kind)
    if named is None:
        return parameter
    option = copy.copy(option)
    option.metavar = named
    return parameter.replace(annotation=Annotated[parameter.annotation.__origin__, option])


class Command(TyperCommand):
    """A command whose usage and help name its arguments as they are declared."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ARG002  as Typer calls it
        """Return what follows the name of the command: its arguments, those in brackets that may be left out."""
        arguments = [one for one in self.params if one.param_type_name == "argument"]
        return ["[OPTIONS]", *(_argument_name(one) for one in arguments)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options as lists."""
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            records = []
            for one in self.get_params(ctx):
                record = one.get_help_record(ctx) if one.param_type_name == kind else None
                if record is not None:
                    records.append((_argument_name(one), record[1]) if kind == "argument" else record)
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class Commands(TyperGroup):
    """A group that lists each of its commands with a whole sentence."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands as a list."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, one.get_short_help_str(_UNCUT)) for name, one in commands if one is not None and not one.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _argument_name(argument: Any) -> str:
    """Return the name of an argument as it is declared, in brackets if it may be left out."""
    name = argument.metavar or argument.name.upper()
    return name if argument.required or re.match(r"\[[^=]*\]$", name) else f"[{name}]"
