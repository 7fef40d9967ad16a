"""Does the review list find planted errors? `python -m benchmarks.gold_check` prints a table.

The corpus is made up: sentences from templates with names of four types, whose frequencies follow Zipf's law. One
mention in seven is of a name that occurs nowhere else; some names are truly of two types, told apart only by
what stands around them; some are ordinary words too; places are parts of the names of organisations.

Two systems answer the true annotation. Each mention has a difficulty that both share (rare, ambiguous and long names
are harder), and their luck is correlated, so that they miss much together; what they take a name for, and how they
cut it, is drawn once for both with a chance of one half. One name in twenty they both always get wrong in the
same way, and both take some ordinary words for names.

Then 2 % of the gold claims are spoiled: a quarter each gets another label, another boundary, is dropped, or is added on
words that are no name. The systems were not fitted to the spoiled gold. In the second variant they were: two CRFs,
each trained on the other folds of the spoiled corpus, with other folds for each.

Made-up names are easier than real ones. `--corpora FOLDER` plants errors in real corpora too, and compares the list
with that of cleanlab where it is installed: see `benchmarks.real_corpora`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import NormalDist

import numpy as np

import karatage
from karatage.explanation.gold_check import Suspects, check_gold
from karatage.scoring import Outcomes

TYPES = ("PER", "LOC", "ORG", "PROD")
KINDS = ("label", "boundary", "dropped", "added")
Span = tuple[str, int, int]

TEMPLATES = """{PER} said w w in {LOC} .
{PER} of {ORG} w w {PER} w .
w w in {LOC} w w w .
the w of {LOC} w {ORG} w w .
{ORG} will w its {PROD} in {LOC} w .
w w bought w {PROD} from {ORG} .
" w w w , " said {PER} .
{ORG} , w w {LOC} , w w .
w {PER} and {PER} w w {LOC} w .
a w {PROD} w w w than {PROD} w .
shares of {ORG} w w after {ORG} w .
w {LOC} beat {LOC} w w .
{PER} ( {ORG} ) w w w .
w w near {LOC} , {LOC} , w w .
{PER} w w for {ORG} w .
the w {PROD} by {ORG} w w .
in {LOC} , {PER} w w w c w .
w c w w {LOC} w w .
w w c {ORG} w w w .
c w w w w {PER} w w .
w w w c w w w .
at {ORG} , w w w {PROD} w .
w from {LOC} to {LOC} w w .
w met {PER} in {LOC} w .
{LOC} w w w c .
{PER} w {PROD} w .""".splitlines()
"""Sentences: w is any word, c a word that may be a name too, but is none here."""


@dataclass
class World:
    """A corpus: its tokens, its true claims, and how hard each claim is."""

    tokens: list[list[str]] = field(default_factory=list)
    spans: list[list[Span]] = field(default_factory=list)
    hard: list[list[float]] = field(default_factory=list)
    other: dict[str, str] = field(default_factory=dict)
    common: set[str] = field(default_factory=set)


def _word(rng: np.random.Generator, syllables: int) -> str:
    return "".join(rng.choice(list("bdgklmnprstv")) + rng.choice(list("aeiou")) for _ in range(syllables))


def _zipf(rng: np.random.Generator, things: Sequence[str], power: float) -> Callable[[], str]:
    weights = np.arange(1, len(things) + 1) ** -power
    drawn = iter(rng.choice(len(things), 200_000, p=weights / weights.sum()).tolist())
    return lambda: things[next(drawn)]


def _name(rng: np.random.Generator, label: str, place: Callable[[], str], own: str) -> str:
    """Make a name of a type from a word of its own."""
    roll = rng.random()
    if label == "PER":
        return own if roll < 0.3 else f"{_word(rng, 2).title()} {own}"
    if label == "LOC":
        return own if roll < 0.75 else f"{own} County" if roll < 0.9 else f"New {own}"
    if label == "ORG":
        if roll < 0.6:
            return own if roll < 0.3 else f"{own} Ltd"
        return f"University of {place()}" if roll < 0.8 else f"{place()} {own} Bank"
    return f"{own} {rng.integers(2, 900)}" if roll < 0.6 else own


def make(count: int, seed: int) -> World:
    """Make a corpus of so many sentences."""
    rng = np.random.default_rng(seed)
    fresh = {_word(rng, 3).title() for _ in range(4 * 700)}
    pool = iter(sorted(fresh))
    places = [next(pool) for _ in range(300)]
    place = _zipf(rng, places, 1.0)
    names = {label: [_name(rng, label, place, next(pool)) for _ in range(450)] for label in TYPES}
    names["LOC"][:0] = places[:200]
    for label in TYPES:
        rng.shuffle(names[label])
    ordinary = [_word(rng, int(rng.integers(1, 4))) for _ in range(2500)]
    capital = [_word(rng, 2).title() for _ in range(40)]
    world = World()
    for at in range(60):
        # The same form among the names of two types, at places of about the same frequency.
        one, two = rng.choice(len(TYPES), 2, replace=False)
        form = names[TYPES[one]][3 * at]
        names[TYPES[two]][3 * at] = form
        world.other[form] = "both"
    for at, form in enumerate(capital):
        # Words that a name may be, too: mostly they are none.
        names[TYPES[at % 4]][7 * at + 5] = form
        world.common.add(form)
    draw = {label: _zipf(rng, names[label], 0.9) for label in TYPES}
    word, cap = _zipf(rng, ordinary, 1.0), _zipf(rng, capital, 0.5)
    for _ in range(count):
        tokens: list[str] = []
        spans: list[Span] = []
        for part in str(rng.choice(TEMPLATES)).split():
            if part in ("w", "c"):
                tokens.append(word() if part == "w" else cap())
                continue
            if not part.startswith("{"):
                tokens.append(part)
                continue
            label = part[1:-1]
            if rng.random() < 0.1:
                # Contexts are not pure: an organisation may speak, and a team is named like its town.
                label = {"PER": "ORG", "LOC": "ORG", "ORG": "PER", "PROD": "ORG"}[label]
            new = rng.random() < 1 / 7
            form = _name(rng, label, place, _word(rng, 3).title()) if new else draw[label]()
            pieces = form.split()
            spans.append((label, len(tokens), len(tokens) + len(pieces)))
            tokens += pieces
        world.tokens.append(tokens)
        world.spans.append(spans)
    _difficulty(world)
    return world


def _difficulty(world: World) -> None:
    """Rare, ambiguous and long names are harder; so are words that are names, too."""
    forms = [[" ".join(own[a:b]) for _, a, b in spans] for own, spans in zip(world.tokens, world.spans, strict=True)]
    names, counts = np.unique([form for own in forms for form in own], return_counts=True)
    often = dict(zip(names.tolist(), counts.tolist(), strict=True))
    for own in forms:
        world.hard.append(
            [
                0.04
                + 0.22 / often[form] ** 0.5
                + 0.12 * (form in world.other)
                + 0.25 * (form in world.common)
                + 0.04 * form.count(" ")
                for form in own
            ]
        )


def answer(world: World, seed: int, systems: int = 2) -> list[list[list[Span]]]:
    """Let systems answer the true annotation, with errors that they partly share."""
    rng = np.random.default_rng(seed)
    normal = NormalDist()
    out: list[list[list[Span]]] = [[] for _ in range(systems)]
    stubborn: dict[str, bool] = {}
    lapses = {form: rng.random() * 0.5 for form in sorted(world.common)}
    for tokens, spans, hard in zip(world.tokens, world.spans, world.hard, strict=True):
        answers: list[list[Span]] = [[] for _ in range(systems)]
        for span, chance in zip(spans, hard, strict=True):
            form = " ".join(tokens[span[1] : span[2]])
            always = stubborn.setdefault(form, rng.random() < 0.05)
            shared, common = rng.standard_normal(), _wrong(span, len(tokens), rng)
            for own in answers:
                luck = normal.cdf(0.6**0.5 * shared + 0.4**0.5 * rng.standard_normal())
                if not always and luck > chance:
                    own.append(span)
                elif always:
                    own.append((TYPES[(TYPES.index(span[0]) + len(form)) % 4], *span[1:]))
                else:
                    own += common if rng.random() < 0.5 else _wrong(span, len(tokens), rng)
        taken = {at for _, low, high in spans for at in range(low, high)}
        for at, token in enumerate(tokens):
            if at in taken:
                continue
            chance = lapses.get(token, 0.003)
            shared, label = rng.standard_normal(), str(rng.choice(TYPES))
            for own in answers:
                luck = normal.cdf(0.6**0.5 * shared + 0.4**0.5 * rng.standard_normal())
                if luck < chance:
                    own.append((label, at, at + 1))
        for system, own in zip(out, answers, strict=True):
            system.append(_flat(own))
    return out


def _wrong(span: Span, size: int, rng: np.random.Generator) -> list[Span]:
    label, low, high = span
    roll = rng.random()
    if roll < 0.35:
        return []
    if roll < 0.7:
        return [(str(rng.choice([one for one in TYPES if one != label])), low, high)]
    return [shifted(span, size, rng)]


def shifted(span: Span, size: int, rng: np.random.Generator) -> Span:
    label, low, high = span
    ways = [(low - 1, high), (low, high + 1)] + [(low + 1, high), (low, high - 1)] * (high - low > 1)
    ways = [(a, b) for a, b in ways if a >= 0 and b <= size]
    return (label, *ways[int(rng.integers(len(ways)))])


def _flat(spans: list[Span]) -> list[Span]:
    """Keep the first of what overlaps."""
    out: list[Span] = []
    for span in sorted(spans, key=lambda one: (one[1], one[2])):
        if not out or span[1] >= out[-1][2]:
            out.append(span)
    return out


Planted = tuple[int, str, int, int, Span | None]
"""A planted error: its unit, its kind, from where to where it reaches, and what would be right there."""


def spoil(world: World, seed: int, share: float = 0.02) -> tuple[list[list[Span]], list[Planted]]:
    """Spoil a share of the gold claims, in equal parts of each kind; return the new gold and what was done."""
    rng = np.random.default_rng(seed)
    gold = [list(spans) for spans in world.spans]
    total = sum(map(len, gold))
    planted: list[Planted] = []
    used: set[int] = set()
    for at in range(round(share * total)):
        kind = KINDS[at % 4]
        while True:
            unit = int(rng.integers(len(gold)))
            if unit in used:
                continue
            done = _spoiled(gold[unit], len(world.tokens[unit]), kind, rng)
            if done is not None:
                break
        used.add(unit)
        gold[unit], low, high, right = done
        planted.append((unit, kind, low, high, right))
    return gold, planted


def _spoiled(
    spans: list[Span], size: int, kind: str, rng: np.random.Generator
) -> tuple[list[Span], int, int, Span | None] | None:
    if kind == "added":
        low = int(rng.integers(size))
        high = min(size, low + int(rng.integers(1, 3)))
        if any(a < high and low < b for _, a, b in spans):
            return None
        return sorted([*spans, (str(rng.choice(TYPES)), low, high)], key=lambda one: one[1]), low, high, None
    if not spans:
        return None
    at = int(rng.integers(len(spans)))
    span, rest = spans[at], spans[:at] + spans[at + 1 :]
    if kind == "dropped":
        return rest, span[1], span[2], span
    if kind == "label":
        new = (str(rng.choice([one for one in TYPES if one != span[0]])), *span[1:])
    else:
        new = shifted(span, size, rng)
        if any(a < new[2] and new[1] < b for _, a, b in rest):
            return None
    return sorted([*rest, new], key=lambda one: one[1]), min(span[1], new[1]), max(span[2], new[2]), span


def write(place: Path, tokens: list[list[str]], spans: list[list[Span]]) -> str:
    """Write a column file."""
    lines = []
    for own, marked in zip(tokens, spans, strict=True):
        tags = ["O"] * len(own)
        for label, low, high in marked:
            tags[low:high] = [f"B-{label}", *[f"I-{label}"] * (high - low - 1)]
        lines += [f"{token}\t{tag}\n" for token, tag in zip(own, tags, strict=True)] + ["\n"]
    place.write_text("".join(lines), "utf-8")
    return str(place)


def outcomes(world: World, gold: list[list[Span]], systems: list[list[list[Span]]]) -> dict[str, Outcomes]:
    """Score systems on a gold."""
    with tempfile.TemporaryDirectory() as folder:
        truth = write(Path(folder) / "gold.conll", world.tokens, gold)
        out = {}
        for at, spans in enumerate(systems):
            own = write(Path(folder) / f"{at}.conll", world.tokens, spans)
            out[f"system {at + 1}"] = karatage.score(truth, own, resamples=0).outcomes()
    return out


Entry = tuple[int, int, int, Span | None]
"""A place of a review list: its unit, from where to where, and what is proposed."""


def entries(suspects: Suspects) -> list[Entry]:
    """Return the places of a list in its order."""
    out: list[Entry] = []
    for row in suspects.frame.iter_rows(named=True):
        ends = [(row[f"{side}_start"], row[f"{side}_end"]) for side in ("gold", "proposed") if row[f"{side}_label"]]
        new = (row["proposed_label"], row["proposed_start"], row["proposed_end"]) if row["proposed_label"] else None
        out.append((int(row["unit"]) - 1, min(a for a, _ in ends), max(b for _, b in ends), new))
    return out


def baseline(gold: list[list[Span]], systems: list[list[list[Span]]], seed: int) -> list[Entry]:
    """List all that systems say against gold, by how many say so, else in random order."""
    rng = np.random.default_rng(seed)
    found: list[tuple[int, float, Entry]] = []
    for unit, own in enumerate(gold):
        votes: dict[Span, int] = {}
        for system in systems:
            for span in system[unit]:
                votes[span] = votes.get(span, 0) + 1
        for span, count in votes.items():
            if span not in own:
                near = [(a, b) for _, a, b in own if a < span[2] and span[1] < b]
                low, high = min([span[1], *(a for a, _ in near)]), max([span[2], *(b for _, b in near)])
                found.append((count, rng.random(), (unit, low, high, span)))
        for _, low, high in own:
            if not any(a < high and low < b for _, a, b in votes):
                found.append((len(systems), rng.random(), (unit, low, high, None)))
    return [entry for _, _, entry in sorted(found, key=lambda one: (-one[0], one[1]))]


def hits(listed: list[Entry], planted: list[Planted]) -> tuple[np.ndarray, np.ndarray]:
    """Return which planted error each entry is the first to find, else -1, and whether it proposes the truth."""
    by_unit = {unit: at for at, (unit, *_) in enumerate(planted)}
    out, right = np.full(len(listed), -1), np.zeros(len(listed), bool)
    seen: set[int] = set()
    for at, (unit, low, high, new) in enumerate(listed):
        error = by_unit.get(unit, -1)
        if error < 0 or error in seen or not (low < planted[error][3] and planted[error][2] < high):
            continue
        seen.add(error)
        out[at], right[at] = error, new == planted[error][4]
    return out, right


@dataclass(frozen=True)
class Figures:
    """How good a list is: precision at half of k, k and twice k, average precision of entries and of the sentences that
    they are in, recall by kind at k."""

    half: float
    full: float
    twice: float
    recall_twice: float
    average: float
    units: float
    proposal: float
    by_kind: dict[str, tuple[float, float]]


def figures(listed: list[Entry], planted: list[Planted]) -> Figures:
    """Measure a list against what was planted; k is how many errors there are."""
    found, right = hits(listed, planted)
    hit, k = found >= 0, len(planted)
    places = np.flatnonzero(hit)
    kind = np.array([KINDS.index(one[1]) for one in planted])
    top = [kind[found[:n][hit[:n]]] for n in (k, 2 * k)]
    shares = [[float((one == at).sum() / (kind == at).sum()) for one in top] for at in range(4)]
    return Figures(
        hit[: k // 2].sum() / (k // 2),
        hit[:k].sum() / k,
        hit[: 2 * k].sum() / (2 * k),
        hit[: 2 * k].sum() / k,
        _average(places, k),
        _average(
            np.flatnonzero(np.isin(list(dict.fromkeys(one[0] for one in listed)), [one[0] for one in planted])), k
        ),
        float(right[:k].sum() / max(hit[:k].sum(), 1)),
        {name: (one, two) for name, (one, two) in zip(KINDS, shares, strict=True)},
    )


def _average(places: np.ndarray, k: int) -> float:
    """Return the average precision of hits at these places of a list, of k that there are."""
    return float(((np.arange(len(places)) + 1) / (places + 1)).sum() / k)


HEAD = (
    "| systems | list | P at k/2 | P = R at k | P at 2k | R at 2k | average precision | right proposal "
    "| R at k: label | boundary | dropped | added |"
)


def line(systems: str, name: str, own: Figures) -> str:
    main = (own.half, own.full, own.twice, own.recall_twice, own.average, own.proposal)
    cells = [f"{value:.2f}" for value in (*main, *(first for first, _ in own.by_kind.values()))]
    return f"| {systems} | {name} | {' | '.join(cells)} |"


def rows(
    what: str, world: World, gold: list[list[Span]], planted: list[Planted], systems: list[list[list[Span]]]
) -> list[str]:
    """Measure the list with gold alone, systems alone and both, beside the baselines."""
    found = outcomes(world, gold, systems)
    out = []
    for name, evidence in (("gold alone", ["gold"]), ("systems alone", ["systems"]), ("both", ["gold", "systems"])):
        out.append(line(what, name, figures(entries(check_gold(found, evidence=evidence)), planted)))
    many = [figures(baseline(gold, systems, seed), planted) for seed in range(5)]
    out.append(line(what, "baseline: most systems against gold", mean_of(many)))
    claims = [(unit, low, high, None) for unit, own in enumerate(gold) for _, low, high in own]
    shuffled = [[claims[at] for at in np.random.default_rng(seed).permutation(len(claims))] for seed in range(5)]
    out.append(
        line(what, "baseline: gold claims in random order", mean_of([figures(one, planted) for one in shuffled]))
    )
    return out


def mean_of(many: list[Figures]) -> Figures:
    names = ("half", "full", "twice", "recall_twice", "average", "units", "proposal")
    kinds = {name: tuple(np.mean([one.by_kind[name] for one in many], axis=0)) for name in KINDS}
    means = {name: float(np.mean([getattr(one, name) for one in many])) for name in names}
    return Figures(**means, by_kind=kinds)


def trained(world: World, gold: list[list[Span]], seed: int, folds: int = 3) -> list[list[Span]]:
    """Tag each fold with a CRF that was trained on the others, spoiled gold and all."""
    from karatage.training import TrainedTagger

    with tempfile.TemporaryDirectory() as folder:
        claims = karatage.read(write(Path(folder) / "gold.conll", world.tokens, gold))
    fold = np.random.default_rng(seed).integers(folds, size=len(gold))
    out: list[list[Span]] = [[] for _ in gold]
    for number in range(folds):
        tagger, _ = TrainedTagger.fit(claims.take(np.flatnonzero(fold != number)), "crf", {"iterations": 40})
        held = np.flatnonzero(fold == number)
        found = tagger.tag_units(claims.take(held).units)
        for unit, label, low, high, _, _ in found.rows():
            out[held[unit]].append((label, low, high))
    return out


def f1(world: World, spans: list[list[Span]]) -> float:
    """Score a system on the truth."""
    with tempfile.TemporaryDirectory() as folder:
        truth = write(Path(folder) / "gold.conll", world.tokens, world.spans)
        found = karatage.score(truth, write(Path(folder) / "pred.conll", world.tokens, spans), resamples=0)["f1"].value
    return float("nan") if found is None else found


def part(
    what: str, sentences: int, seed: int, systems: Callable[[World, list[list[Span]]], list[list[list[Span]]]]
) -> list[str]:
    """Make and spoil a corpus, let systems answer, and measure the lists."""
    world = make(sentences, seed)
    gold, planted = spoil(world, seed + 1)
    answers = systems(world, gold)
    quality = " and ".join(f"{f1(world, own):.2f}" for own in answers)
    size = f"{sentences:,} sentences, {sum(map(len, gold)):,} gold claims, k = {len(planted)} spoiled"
    print(f"{what}: {size}; F1 of the systems on the truth {quality}")
    return rows(what, world, gold, planted, answers)


REAL_HEAD = (
    "| corpus | systems | list | P = R at k | R at 2k | average precision | by sentence "
    "| R at k: label | boundary | dropped | added |"
)


def real_lines(folder: Path, repeats: int) -> list[str]:
    """Measure the lists on real corpora."""
    from importlib.util import find_spec

    from benchmarks.real_corpora import CORPORA, corpus_rows

    cleanlab = find_spec("cleanlab") is not None
    if not cleanlab:
        print("cleanlab is not installed: its lists are left out")
    out = []
    for name in CORPORA:
        for systems, what, own in corpus_rows(folder, name, repeats, cleanlab=cleanlab):
            main = (own.full, own.recall_twice, own.average, own.units, *(first for first, _ in own.by_kind.values()))
            out.append(f"| {name} | {systems} | {what} | {' | '.join(f'{value:.2f}' for value in main)} |")
    return out


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.gold_check")
    parser.add_argument("--sentences", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--corpora", type=Path, help="folder with real corpora")
    parser.add_argument("--repeats", type=int, default=2, help="plantings in each real corpus")
    given = parser.parse_args()
    start = time.perf_counter()
    lines = part("simulated", given.sentences, given.seed, lambda world, _: answer(world, given.seed + 2))
    lines += part(
        "CRF", given.sentences // 3, given.seed + 3, lambda world, gold: [trained(world, gold, at) for at in (1, 2)]
    )
    print("\n".join([HEAD, "|---" * 12 + "|", *lines]), flush=True)
    if given.corpora is not None:
        print("\n".join([REAL_HEAD, "|---" * 11 + "|", *real_lines(given.corpora, given.repeats)]))
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
