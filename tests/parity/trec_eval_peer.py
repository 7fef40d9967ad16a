"""trec_eval 9.0.8 itself: its own compiled code, which the wheel of pytrec_eval carries, behind its command line.

`pytrec_eval_ext` is built from all of trec_eval's sources but the file with `main`. This module does what `main` does:
read both files, calculate, add up and print, each by trec_eval's own functions, in the same order and with the same
structures. A job runs in a process of its own, as trec_eval keeps its state in static variables and may crash.

Run as a script, it is trec_eval: `python -m tests.parity.trec_eval_peer [options] qrels run`.
"""

from __future__ import annotations

import getopt
import importlib.util
import os
import sys
from collections.abc import Sequence
from ctypes import (
    CDLL,
    CFUNCTYPE,
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_double,
    c_int,
    c_long,
    c_void_p,
    cast,
)

Pointer = c_void_p


class MeasureArgument(Structure):
    _fields_ = [("measure", c_char_p), ("parameters", c_char_p)]


class Parameters(Structure):
    """EPI: what the command line sets."""

    _fields_ = [
        ("query_flag", c_long), ("summary_flag", c_long), ("debug_level", c_long), ("debug_query", c_char_p),
        ("relation_flag", c_long), ("average_complete_flag", c_long), ("judged_docs_only_flag", c_long),
        ("num_docs_in_coll", c_long), ("relevance_level", c_long), ("max_num_docs_per_topic", c_long),
        ("rel_info_format", c_char_p), ("results_format", c_char_p), ("zscore_flag", c_long),
        ("meas_arg", POINTER(MeasureArgument)),
    ]  # fmt: skip


class Value(Structure):
    _fields_ = [("name", c_char_p), ("value", c_double)]


class Evaluation(Structure):
    """TREC_EVAL: the values of a query, or of all."""

    _fields_ = [
        ("qid", c_char_p), ("num_queries", c_long), ("values", POINTER(Value)), ("num_values", c_long),
        ("max_num_values", c_long),
    ]  # fmt: skip


class Results(Structure):
    _fields_ = [("qid", c_char_p), ("run_id", c_char_p), ("format", c_char_p), ("info", Pointer)]


class Judgements(Structure):
    _fields_ = [("qid", c_char_p), ("format", c_char_p), ("info", Pointer)]


class AllResults(Structure):
    _fields_ = [("number", c_long), ("room", c_long), ("items", POINTER(Results))]


class AllJudgements(Structure):
    _fields_ = [("number", c_long), ("room", c_long), ("items", POINTER(Judgements))]


Initialise = CFUNCTYPE(c_int, Pointer, Pointer, Pointer)
Calculate = CFUNCTYPE(c_int, Pointer, Pointer, Pointer, Pointer, Pointer)
Average = CFUNCTYPE(c_int, Pointer, Pointer, Pointer, Pointer)


class TrecMeasure(Structure):
    _fields_ = [
        ("name", c_char_p), ("explanation", c_char_p), ("initialise", Initialise), ("calculate", Calculate),
        ("add", Average), ("average", Average), ("print_query", Initialise), ("print_all", Initialise),
        ("parameters", Pointer), ("eval_index", c_long),
    ]  # fmt: skip


class Nickname(Structure):
    _fields_ = [("name", c_char_p), ("names", POINTER(c_char_p))]


class TrecEval:
    """The library, with the tables of its measures."""

    def __init__(self) -> None:
        spec = importlib.util.find_spec("pytrec_eval_ext")
        if spec is None or spec.origin is None:
            raise ImportError("pytrec_eval_ext")
        self.library = CDLL(spec.origin)
        count = c_int.in_dll(self.library, "te_num_trec_measures").value
        table = (POINTER(TrecMeasure) * count).in_dll(self.library, "te_trec_measures")
        self.measures = {own.contents.name.decode(): own.contents for own in table}
        count = c_int.in_dll(self.library, "te_num_trec_measure_nicknames").value
        self.nicknames: dict[str, list[str]] = {}
        for own in (Nickname * count).in_dll(self.library, "te_trec_measure_nicknames"):
            names: list[str] = []
            while own.names[len(names)] is not None:
                names.append(own.names[len(names)].decode())
            self.nicknames[own.name.decode()] = names

    def main(self, arguments: Sequence[str]) -> int:
        """Do what trec_eval does with these arguments, and return its exit code."""
        given, files = getopt.gnu_getopt(list(arguments), "qm:cl:nJN:M:")
        options = Parameters(
            summary_flag=1, relation_flag=1, relevance_level=1, max_num_docs_per_topic=sys.maxsize,
            rel_info_format=b"qrels", results_format=b"trec_results",
        )  # fmt: skip
        marked: list[str] = []
        extra: list[tuple[str, str]] = []
        for name, value in given:
            match name:
                case "-q":
                    options.query_flag += 1
                case "-c":
                    options.average_complete_flag += 1
                case "-J":
                    options.judged_docs_only_flag += 1
                case "-n":
                    options.summary_flag = 0
                case "-l":
                    options.relevance_level = int(value)
                case "-N":
                    options.num_docs_in_coll = int(value)
                case "-M":
                    options.max_num_docs_per_topic = int(value)
                case "-m":
                    measure, dot, parameters = value.partition(".")
                    if dot:
                        extra.append((measure, parameters))
                    marked.append(measure)
        arguments_ = (MeasureArgument * (len(extra) + 1))()
        texts = [c_char_p(text.encode()) for pair in extra for text in pair]  # trec_eval writes into them
        for k in range(len(extra)):
            arguments_[k] = MeasureArgument(texts[2 * k], texts[2 * k + 1])
        options.meas_arg = cast(arguments_, POINTER(MeasureArgument))
        for measure in marked or ["official"]:
            for name in self.nicknames.get(measure, [measure]):
                if name not in self.measures:
                    return 1
                self.measures[name].eval_index = -2
        return self._evaluate(options, *(name.encode() for name in files))

    def _evaluate(self, options: Parameters, qrels: bytes, run: bytes) -> int:
        judgements, results = AllJudgements(), AllResults()
        if self.library.te_get_qrels(byref(options), qrels, byref(judgements)) == -1:
            return 2
        if self.library.te_get_trec_results(byref(options), run, byref(results)) == -1:
            return 2
        total = Evaluation(qid=b"all")
        for measure in self.measures.values():
            if measure.eval_index == -2 and measure.initialise(byref(options), byref(measure), byref(total)) == -1:
                return 2
        used = [measure for measure in self.measures.values() if measure.eval_index >= 0]
        values = (Value * max(total.num_values, 1))()
        for k in range(total.num_values):
            values[k] = Value(total.values[k].name, 0.0)
        own = Evaluation(values=cast(values, POINTER(Value)), num_values=total.num_values)
        place = {judgements.items[k].qid: k for k in range(judgements.number)}
        for i in range(results.number):
            qid = results.items[i].qid
            if qid not in place:
                continue
            for k in range(total.num_values):
                values[k].value = 0.0
            own.qid = qid
            rel, res = byref(judgements.items[place[qid]]), byref(results.items[i])
            for measure in used:
                if measure.calculate(byref(options), rel, res, byref(measure), byref(own)) == -1:
                    return 4
            for measure in used:
                measure.add(byref(options), byref(measure), byref(own), byref(total))
                if options.query_flag:
                    measure.print_query(byref(options), byref(measure), byref(own))
            total.num_queries += 1
        if not total.num_queries:
            return 7
        for measure in used:
            measure.average(byref(options), byref(measure), byref(judgements), byref(total))
            measure.print_all(byref(options), byref(measure), byref(total))
        return 0


def run(jobs: Sequence[tuple[Sequence[str], str]]) -> list[int]:
    """Run jobs, arguments and the file that the output goes to, and return their exit codes; -n for signal n."""
    peer, codes = TrecEval(), []
    for arguments, output in jobs:
        child = os.fork()
        if child == 0:
            code = 99
            try:
                os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
                code = peer.main(arguments)
                CDLL(None).fflush(None)
            finally:
                os._exit(code)
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    return codes


if __name__ == "__main__":
    status = TrecEval().main(sys.argv[1:])
    CDLL(None).fflush(None)
    sys.exit(status)
