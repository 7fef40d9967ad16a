"""Real corpora with planted errors, for `benchmarks.gold_check`: what the review list finds, and what cleanlab finds.

Of the gold entities of each corpus, 5 % are spoiled, in four equal parts: another label, drawn as often as it occurs;
a boundary moved by one token; an entity dropped; a word with a capital marked that is no entity. No sentence has two.

Two kinds of systems answer. *Cross-validated*: CRFs that each learned from the other thirds of the spoiled corpus, as
somebody does who has nothing but this corpus. *Strong*: a CRF that learned the right annotation of these very sentences
in 18 iterations; it stands for a system that is much better than what a small corpus can teach.

cleanlab gets the probability of each tag at each token from the same model, ours gets the entities that the model
predicts, with its confidence in each or without. cleanlab ranks tokens; so that it does not report an entity once per
token, the tokens of a gold entity count as one entry, and so do those of a predicted entity where gold has none.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import karatage
from benchmarks.gold_check import (
    KINDS,
    Entry,
    Figures,
    Planted,
    Span,
    World,
    baseline,
    entries,
    figures,
    mean_of,
    shifted,
    write,
)
from karatage.claims import Claims
from karatage.explanation.gold_check import check_gold
from karatage.scoring import Outcomes
from karatage.training import TrainedTagger

CORPORA = {
    "WNUT-17": (("wnut17/train.conll", "wnut17/dev.conll"), None),
    "UNER English EWT": (("uner-ewt/en_ewt-ud-dev.iob2",), None),
    "German LER": (("german-ler/ler-sample.conll",), 1000),
    "EstNER": (("estner/EstNER_new_dev.json",), None),
}
"""The files of each corpus, and how many of its sentences are used."""

SHARE = 0.05
SETTINGS: tuple[dict[str, Any], ...] = (
    {"iterations": 50},
    {"iterations": 50, "window": 1, "prefixes": 3, "suffixes": 3, "pairs": False, "shape_pairs": False},
)
"""Of the two cross-validated CRFs."""


@dataclass(frozen=True)
class Answer:
    """What a system says: its claims with confidences, and the probability of each tag at each token."""

    claims: Claims
    tags: list[str]
    chances: list[np.ndarray]

    @property
    def spans(self) -> list[list[Span]]:
        """The claims of each sentence."""
        out: list[list[Span]] = [[] for _ in self.chances]
        for unit, label, low, high, *_ in self.claims.rows():
            out[unit].append((label, low, high))
        return out


def load(folder: Path, name: str) -> World | None:
    """Read a corpus; None where it is not there."""
    files, most = CORPORA[name]
    world = World()
    for file in files:
        if not (folder / file).exists():
            return None
        claims = karatage.read(str(folder / file))
        base = len(world.tokens)
        world.tokens += [list(own) for own in claims.units.tokens or ()]
        world.spans += [[] for _ in range(len(claims.units))]
        for unit, label, low, high, *_ in claims.rows():
            world.spans[base + unit].append((label, low, high))
    return World(world.tokens[:most], [sorted(own, key=lambda one: one[1]) for own in world.spans[:most]])


def spoil(world: World, seed: int) -> tuple[list[list[Span]], list[Planted]]:
    """Spoil a share of the gold entities; return the new gold and what was done."""
    rng = np.random.default_rng(seed)
    gold = [list(own) for own in world.spans]
    every = [(unit, span) for unit, own in enumerate(gold) for span in own]
    labels, counts = np.unique([span[0] for _, span in every], return_counts=True)
    words = [(unit, None) for unit, own in enumerate(world.tokens) for _ in range(sum(map(_capital, own)))]
    planted: list[Planted] = []
    used: set[int] = set()
    for at in range(round(SHARE * len(every))):
        kind = KINDS[at % 4]
        pool: list[Any] = words if kind == "added" else every
        done = None
        while done is None:
            unit, span = pool[int(rng.integers(len(pool)))]
            done = None if unit in used else _spoiled(world.tokens[unit], gold[unit], span, kind, labels, counts, rng)
        used.add(unit)
        gold[unit], low, high = done
        planted.append((unit, kind, low, high, span))
    return gold, planted


def _capital(token: str) -> bool:
    return len(token) > 1 and token[0].isupper()


def _spoiled(
    tokens: list[str],
    own: list[Span],
    span: Span | None,
    kind: str,
    labels: np.ndarray,
    counts: np.ndarray,
    rng: np.random.Generator,
) -> tuple[list[Span], int, int] | None:
    """Return the new gold of a sentence and from where to where it differs; None where it is not possible."""
    rest = [one for one in own if one != span]
    shares = np.where(labels == (span[0] if span else ""), 0, counts) / 1.0
    label = str(rng.choice(labels, p=shares / shares.sum()))
    if span is None:
        taken = {at for _, low, high in own for at in range(low, high)}
        free = [at for at, token in enumerate(tokens) if _capital(token) and at not in taken]
        if not free:
            return None
        low = int(rng.choice(free))
        new = (label, low, low + 1)
    elif kind == "dropped":
        return rest, span[1], span[2]
    elif kind == "label":
        new = (label, *span[1:])
    elif len(tokens) == 1:
        return None
    else:
        new = shifted(span, len(tokens), rng)
        if any(low < new[2] and new[1] < high for _, low, high in rest):
            return None
    places = [one[1:] for one in (span, new) if one is not None]
    return sorted([*rest, new], key=lambda one: one[1]), min(a for a, _ in places), max(b for _, b in places)


def _claims(tokens: list[list[str]], spans: list[list[Span]]) -> Claims:
    with tempfile.TemporaryDirectory() as folder:
        return karatage.read(write(Path(folder) / "gold.conll", tokens, spans))


def _answered(tagger: TrainedTagger, claims: Claims) -> Answer:
    found = tagger.tag_units(claims.units, scores=True)
    tokens = claims.units.tokens or []
    chances = tagger.labeller.marginals(tokens, None)
    ends = np.cumsum([len(own) for own in tokens])
    return Answer(found, list(tagger.labeller.tags.tags), np.split(chances, ends[:-1]))


def cross_validated(
    world: World, gold: list[list[Span]], seed: int, settings: dict[str, Any], folds: int = 3
) -> Answer:
    """Tag each fold with a CRF that learned from the others, spoiled gold and all."""
    claims = _claims(world.tokens, gold)
    fold = np.random.default_rng(seed).integers(folds, size=len(gold))
    tags = ["O", *(f"{kind}-{label}" for label in sorted(claims.labels) for kind in "BI")]
    chances: list[np.ndarray] = [np.zeros(0)] * len(gold)
    parts, order = [], []
    for number in range(folds):
        tagger, _ = TrainedTagger.fit(claims.take(np.flatnonzero(fold != number)), "crf", settings)
        held = np.flatnonzero(fold == number)
        own = _answered(tagger, claims.take(held))
        columns = [tags.index(tag) for tag in own.tags]
        for unit, part in zip(held.tolist(), own.chances, strict=True):
            chances[unit] = np.zeros((len(part), len(tags)))
            chances[unit][:, columns] = part
        parts.append(own.claims)
        order.append(held)
    back = np.argsort(np.concatenate(order), kind="stable")
    return Answer(replace(Claims.concatenate(parts).take(back), units=claims.units), tags, chances)


def strong(world: World) -> Answer:
    """Tag with a CRF that learned the right annotation of these very sentences."""
    claims = _claims(world.tokens, world.spans)
    tagger, _ = TrainedTagger.fit(claims, "crf", {"iterations": 18, "c2": 0.3})
    return _answered(tagger, claims)


def ours(world: World, gold: list[list[Span]], answers: list[Answer], *, sure: bool, **options: Any) -> list[Entry]:
    """Return our list, with the systems' confidences or without."""
    truth = _claims(world.tokens, gold)
    found: dict[str, Outcomes] = {}
    for number, answer in enumerate(answers):
        claims = answer.claims if sure else replace(answer.claims, score=None)
        found[f"system {number}"] = karatage.score(truth, claims, resamples=0).outcomes()
    return entries(check_gold(found, **options))


def cleanlab_lists(gold: list[list[Span]], answer: Answer) -> Iterator[tuple[str, list[Entry]]]:
    """Yield cleanlab's lists: all tokens by their quality, with tags and with types, and the issues that it finds."""
    from cleanlab.token_classification.filter import find_label_issues
    from cleanlab.token_classification.rank import get_label_quality_scores

    tags = answer.tags
    types = ["O", *dict.fromkeys(tag[2:] for tag in tags[1:])]
    merge = np.array([[tag[2:] == kind or tag == kind for kind in types] for tag in tags], float)
    group, labels = [], []
    for own, said, part in zip(gold, answer.spans, answer.chances, strict=True):
        tag, place = np.zeros(len(part), int), np.arange(len(part))
        for label, low, high in own:
            tag[low], tag[low + 1 : high] = tags.index(f"B-{label}"), tags.index(f"I-{label}")
            place[low:high] = low
        for _, low, high in said:
            if not tag[low:high].any():
                place[low:high] = low
        group.append(place)
        labels.append(tag)
    as_types = [merge[tag].argmax(1) for tag in labels]
    both = (("tags", labels, answer.chances), ("types", as_types, [part @ merge for part in answer.chances]))
    for name, given, chances in both:
        _, scores = get_label_quality_scores([own.tolist() for own in given], chances)
        ranked = sorted((score, unit, at) for unit, own in enumerate(scores) for at, score in enumerate(own))
        yield f"cleanlab, quality of {name}", list(_once(((unit, at) for _, unit, at in ranked), group))
    issues = find_label_issues([own.tolist() for own in as_types], both[1][2])
    yield "cleanlab, issues found", list(_once(issues, group))


def _once(tokens: Any, group: list[np.ndarray]) -> Iterator[Entry]:
    seen: set[tuple[int, int]] = set()
    for unit, at in tokens:
        place = group[unit][at]
        if (unit, place) not in seen:
            seen.add((unit, place))
            own = np.flatnonzero(group[unit] == place)
            yield unit, int(own[0]), int(own[-1]) + 1, None


def _f1(world: World, answer: Answer) -> float:
    found = karatage.score(_claims(world.tokens, world.spans), answer.claims, resamples=0)["f1"].value
    return float("nan") if found is None else found


def lists(
    world: World, gold: list[list[Span]], answers: Mapping[str, list[Answer]], *, cleanlab: bool, seed: int
) -> Iterator[tuple[str, str, list[Entry]]]:
    """Yield each list with the name of the systems that it rests on."""
    for systems, own in answers.items():
        first = own[:1]
        if systems.startswith("cross"):
            yield "none", "Karatage, gold alone", ours(world, gold, first, sure=False, evidence=["gold"])
        yield systems, "Karatage, one system", ours(world, gold, first, sure=False)
        yield systems, "Karatage, one system with confidences", ours(world, gold, first, sure=True)
        if len(own) > 1:
            yield systems, "Karatage, two systems", ours(world, gold, own, sure=False)
            yield systems, "Karatage, two systems with confidences", ours(world, gold, own, sure=True)
        yield systems, "disagreements by confidence", by_confidence(gold, own[0])
        yield systems, "disagreements in random order", baseline(gold, [own[0].spans], seed)
        if cleanlab:
            for name, found in cleanlab_lists(gold, own[0]):
                yield systems, name, found


def by_confidence(gold: list[list[Span]], answer: Answer) -> list[Entry]:
    """List what the system says against gold by its confidence, then the gold entities that it does not see."""
    rest = baseline(gold, [answer.spans], 0)
    score = answer.claims.score
    assert score is not None  # noqa: S101  it was asked for
    rows = [(unit, (label, low, high)) for unit, label, low, high, *_ in answer.claims.rows()]
    sure = dict(zip(rows, score.tolist(), strict=True))
    return sorted(rest, key=lambda one: -sure.get((one[0], one[3]), 0.0) if one[3] is not None else 0.0)


def corpus_rows(folder: Path, name: str, repeats: int, *, cleanlab: bool) -> list[tuple[str, str, Figures]]:
    """Measure all lists on a corpus, averaged over several plantings."""
    world = load(folder, name)
    if world is None:
        print(f"{name}: not in {folder}, left out")
        return []
    found: dict[tuple[str, str], list[Figures]] = {}
    quality: list[list[float]] = []
    better = strong(world)
    for seed in range(1, repeats + 1):
        gold, planted = spoil(world, seed)
        crossed = [cross_validated(world, gold, 10 * seed + at, own) for at, own in enumerate(SETTINGS)]
        quality.append([_f1(world, own) for own in (*crossed, better)])
        answers = {"cross-validated": crossed, "strong": [better]}
        for systems, what, listed in lists(world, gold, answers, cleanlab=cleanlab, seed=seed):
            found.setdefault((systems, what), []).append(figures(listed, planted))
    size = f"{len(world.tokens):,} sentences, {sum(map(len, world.spans)):,} entities, k = {len(planted)}"
    means = ", ".join(f"{value:.2f}" for value in np.mean(quality, axis=0))
    print(f"{name}: {size}, {repeats} plantings; F1 of the two cross-validated CRFs and the strong one: {means}")
    return [(systems, what, mean_of(own)) for (systems, what), own in found.items()]
