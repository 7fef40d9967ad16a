"""What exports of labels tell about a benchmark: how many there really are, and where annotators differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from karatage.errors import KaratageError, UsageError
from karatage.recall.benchmark import Benchmark, Stratum
from karatage.recall.drawing.draw_folder import SETTINGS
from karatage.recall.labels.agreement import agreements, conflicts
from karatage.recall.labels.answer_rules import Rules
from karatage.recall.labels.answers import Answer, Export, read_answers, read_kept
from karatage.recall.labels.labelling import read_rules
from karatage.recall.linting.findings import NOTE, WARNING, Finding

EXPORTS = "labelled"
"""The folder beside a description that exports lie in."""

Labels = Mapping[str, list[list[Answer]]]
"""The answers of each stratum, file by file; under an empty name those of no single stratum."""


def labels_of(benchmark: Benchmark, folder: Path, exports: Mapping[str, Sequence[str]] | None) -> Labels:
    """Read the labels of each stratum, file by file; what is no export is passed over."""
    known = {stratum.name: stratum for stratum in benchmark.strata}
    for name in exports or ():
        if name not in known:
            raise UsageError(f"there is no stratum {name!r}; there are {', '.join(known)}")
    out: dict[str, list[list[Answer]]] = {}
    kept = read_kept(folder)
    labels = {label for one in benchmark.positives for label in one.labels}
    rules = Rules(tuple(sorted(labels))) if labels else None
    for stratum in benchmark.strata:
        own = [one for one in kept if one.stratum == stratum.name]
        files = list((exports or {}).get(stratum.name, ()))
        if exports is None and not own:
            files = [str(path) for path in _beside(stratum, folder)]
        groups = [own] if own else []
        for file in files:
            try:
                groups.append(read_answers(Export(file, stratum.name), rules, Counter()))
            except KaratageError:
                if exports is not None:
                    raise
        out[stratum.name] = groups
    if exports is None and not kept:
        out[""] = _others(benchmark, folder)
    return out


def _others(benchmark: Benchmark, folder: Path) -> list[list[Answer]]:
    """Read the exports that belong to no single stratum, such as one of doubly labelled items."""
    taken = {path for stratum in benchmark.strata for path in _beside(stratum, folder)}
    out = []
    for path in sorted((folder / EXPORTS).glob("*.json")):
        if path not in taken:
            try:
                out.append(read_answers(Export(str(path)), None, Counter()))
            except KaratageError:
                continue  # something else lies there
    return out


def _beside(stratum: Stratum, folder: Path) -> list[Path]:
    stem = Path(stratum.file).stem or stratum.name
    here = folder / EXPORTS
    return sorted(path for path in here.glob("*.json") if stem in path.name) if here.is_dir() else []


def answered(benchmark: Benchmark, answers: Labels, folder: Path) -> Iterator[Finding]:
    """Look for conflicts and repeated items in the labels."""
    rules = read_rules(folder) if (folder / SETTINGS).exists() else None
    for name, groups in answers.items():
        said = [one for group in groups for one in group]
        own = conflicts(said) if rules is None else conflicts(said, rules.labels, rules.meaning)
        if own:
            choices, spans = sum(one.choices for one in own), sum(one.spans for one in own)
            what = f"items on which annotators differ: {len(own):,}; {choices:,} in choices, {spans:,} in spans"
            effect = f"up to {choices:,} positives more or fewer, of {_size(benchmark, name):,}"
            yield Finding("conflicts", WARNING, what, effect, name or None)
        yield from _once(benchmark, name, said)
        for group in groups:
            repeats = Counter((one.text, one.candidate) for one in {one.item: one for one in group}.values())
            twice = sum(count - 1 for (_, candidate), count in repeats.items() if candidate is not None)
            if twice:
                what = f"labelled items with the same text and place as another: {twice:,}"
                effect = "drawn twice, or the corpus repeats itself: only in the latter case they count"
                yield Finding("repeated-items", NOTE, what, effect, name)


def _once(benchmark: Benchmark, name: str, said: Sequence[Answer]) -> Iterator[Finding]:
    """Say how many items rest on one annotator, where others show that annotators err."""
    for found in agreements(said):
        once = len({one.item for one in said if one.stratum == found.stratum}) - found.items
        if not once or not found.choices[1]:
            continue
        share = found.choices[1] / found.choices[0]
        what = f"items that one annotator answered: {once:,}; of {found.choices[0]:,} with several, {100 * share:.1f} %"
        effect = f"if one of two is wrong there, about {once * share / 2:,.0f} of the {once:,} are, beside"
        effect += f" {_size(benchmark, name):,} positives; no interval knows of that"
        yield Finding("answered-once", NOTE, f"{what} differ in their choices", effect, name or None)


def _size(benchmark: Benchmark, name: str) -> int:
    return sum(len(one.positives) for one in benchmark.strata if name in ("", one.name))
