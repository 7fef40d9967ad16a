"""The command line of trec_eval."""

from __future__ import annotations

import getopt
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from karatage._printing import say
from karatage._version import __version__
from karatage.compat.trec_eval.trec_measures import MEASURES, NICKNAMES, Lines
from karatage.compat.trec_eval.trec_run import TrecRun, open_run
from karatage.errors import KaratageError, UsageError

USAGE = """\
usage: python -m karatage.compat.trec_eval [options] QRELS RUN
  -m MEASURE  measure to print, with parameters behind a dot (P.5,10), or a set of
              measures: official (default), set, all_trec; may be repeated
  -q          print each query as well
  -c          average over all queries with judgements; those without results score 0
  -l LEVEL    lowest grade that counts as relevant [default: 1]
  -M DEPTH    score only the first results of each query
  -J          leave out results that were not judged
  -N NUMBER   number of documents in the collection, for utility
  -n          do not print the summary
  -h, -v      print this help or the version\
"""
LONG = {
    "help": "-h", "version": "-v", "query_eval_wanted": "-q", "measure=": "-m", "complete_rel_info_wanted": "-c",
    "level_for_rel=": "-l", "nosummary": "-n", "Debug_level=": "-D", "Judged_docs_only": "-J",
    "Number_docs_in_coll=": "-N", "Max_retrieved_per_topic=": "-M", "Rel_info_format=": "-R", "Results_format=": "-T",
    "Output_old_results_format=": "-o", "Zscore=": "-Z",
}  # fmt: skip
UNSUPPORTED = {"-D": "debugging output", "-Z": "z-scores"}
BAD_CALL, BAD_INPUT, NO_QUERIES = 1, 2, 7


@dataclass
class Call:
    """What a command line asks for."""

    flags: set[str] = field(default_factory=set)
    numbers: dict[str, int] = field(default_factory=dict)
    measures: set[str] = field(default_factory=set)
    parameters: dict[str, str] = field(default_factory=dict)
    files: Sequence[str] = ()

    def add(self, option: str, value: str) -> None:
        """Note an option."""
        if option in UNSUPPORTED and value != "0":
            raise UsageError(f"{option} is not supported: {UNSUPPORTED[option]}")
        if (option, value) not in (("-R", "qrels"), ("-T", "trec_results")) and option in ("-R", "-T"):
            raise UsageError(f"the format {value!r} ({option}) is not supported: preferences stay with trec_eval")
        if option == "-m":
            self._mark(value)
        elif option in ("-l", "-M", "-N"):
            if not value.strip().isdecimal():
                raise UsageError(f"{option} takes a whole number from 0, not {value!r}")
            self.numbers[option] = int(value)
        else:
            self.flags.add(option)

    def _mark(self, value: str) -> None:
        name, dot, parameters = value.partition(".")
        if dot and not parameters:
            raise UsageError(f"missing parameters in {value!r}")
        if dot:
            self.parameters.setdefault(name, parameters)  # the first ones count
        if name not in MEASURES and name not in NICKNAMES:
            hint = ": preferences stay with trec_eval" if "pref" in name or name.endswith("jg") else ""
            raise UsageError(f"unknown measure {name!r}{hint}")
        self.measures.update(NICKNAMES.get(name, [name]))


def main(arguments: Sequence[str]) -> int:
    """Print what trec_eval prints, and return its exit code."""
    try:
        call = _parse(arguments)
    except (UsageError, getopt.GetoptError) as error:
        return _complain(str(error), BAD_CALL)
    if "-h" in call.flags or "-v" in call.flags:
        print(USAGE if "-h" in call.flags else f"karatage {__version__}, like trec_eval 9.0.8")  # noqa: T201
        return 0
    if len(call.files) != 2:
        return _complain(f"expected two files, judgements and results, got {len(call.files)}\n{USAGE}", BAD_CALL)
    try:
        run = open_run(
            *call.files,
            level=call.numbers.get("-l", 1),
            documents=call.numbers.get("-N", 0),
            complete="-c" in call.flags,
            depth=call.numbers.get("-M"),
            judged_only="-J" in call.flags,
        )
        if not len(run.chosen):
            return _complain("no query has both results and judgements", NO_QUERIES)
        for part in _output(run, call):
            sys.stdout.write(part)
    except (KaratageError, OSError) as error:
        return _complain(str(error), BAD_INPUT)
    return 0


def _parse(arguments: Sequence[str]) -> Call:
    given, files = getopt.gnu_getopt(list(arguments), "hvqm:cl:nD:JN:M:R:T:oZ:", list(LONG))
    short = {name.rstrip("="): option for name, option in LONG.items()}
    call = Call(files=files)
    for name, value in given:
        call.add(short[name[2:]] if name.startswith("--") else name, value)
    call.measures = call.measures or set(NICKNAMES["official"])
    return call


def _output(run: TrecRun, call: Call) -> Iterator[str]:
    """Yield the lines of the queries, then those of the summary."""
    lines: list[Lines] = []
    for name, printer in MEASURES.items():
        if name in call.measures:
            try:
                lines += printer(run, name, call.parameters.get(name))
            except UsageError as error:
                raise UsageError(f"measure {name}: {error}") from None
    if "-q" in call.flags:
        columns = [(own.name, own.queries) for own in lines if own.queries is not None]
        for k, query in enumerate(run.names):
            yield "".join(f"{name:<22}\t{query}\t{values[k]}\n" for name, values in columns)
    if "-n" not in call.flags:
        yield "".join(f"{own.name:<22}\tall\t{own.summary}\n" for own in lines if own.summary is not None)


def _complain(message: str, code: int) -> int:
    say(f"karatage: {message}", err=True)
    return code
