"""The CRF beside sklearn-crfsuite, and how well it learns: `python -m benchmarks.crf [--quick] [--folds]`.

Speed: training with features included, the same features and the same model, byte for byte; and titles tagged per
second. `--folds` trains on German legal decisions in five folds, and on WNUT-17, which takes many minutes.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import best

VariantResult = tuple[str, str, str, str]
DATA = Path(__file__).parents[2] / "shared" / "data"

PLAIN: dict[str, Any] = {
    "prefixes": 4,
    "suffixes": 4,
    "digits": False,
    "marks": False,
    "length": False,
    "window": 1,
    "neighbour_affixes": 0,
    "pairs": False,
    "shape_pairs": False,
    "brackets": False,
    "group": False,
    "c1": 0.1,
    "c2": 0.1,
    "iterations": 100,
}
"""The classical baseline: word, shape, affixes and the words next to it, c1 = c2 = 0.1, 100 iterations."""


def _shape(word: str) -> str:
    return "".join("X" if c.isupper() else "x" if c.isalpha() else "9" if c.isdigit() else c for c in word)


def _short(word: str) -> str:
    out = ""
    for c in _shape(word):
        out += c if c != out[-1:] else ""
    return out


def peer_features(words: list[str]) -> list[list[str]]:
    """The features of `PLAIN` as one writes them for sklearn-crfsuite: token by token."""
    out = []
    for at, word in enumerate(words):
        low = word.lower()
        own = [f"w={word}", f"l={low}", f"s={_shape(word)[:12]}", f"c={_short(word)}"]
        own += [f"p{n}={low[:n]}" for n in range(1, 5) if n <= len(low)]
        own += [f"u{n}={low[-n:]}" for n in range(1, 5) if n <= len(low)]
        for by in (-1, 1):
            if 0 <= at + by < len(words):
                other = words[at + by]
                own += [f"{by:+d}:w={other}", f"{by:+d}:l={other.lower()}", f"{by:+d}:c={_short(other)}"]
            else:
                own.append(f"{by:+d}:none")
        out.append(own)
    return out


def titles(folder: Path, count: int) -> tuple[Any, Any, list[list[str]], list[str]]:
    """Made-up titles like eBay's: 5,000 or fewer tagged ones with their tags, and `count` others with categories."""
    import karatage
    from karatage.challenges.ebay_2025.generator.challenge_files import LISTINGS, TRAIN, generate
    from karatage.training.examples import examples_of, in_tokens, tagset_of

    tagged = min(5000, count)
    generate(folder, records=tagged + count, tagged_records=tagged)
    learned = in_tokens(karatage.read(folder / TRAIN), Counter())
    tags = tagset_of(learned, "category")
    units = karatage.read(folder / LISTINGS).units
    texts = units.texts or []
    return (
        examples_of(learned, tags, "category"),
        tags,
        [text.split() for text in texts[tagged:]],
        list(units.attributes["category"][tagged:]),
    )


def training(learned: Any, tags: Any, iterations: int, folder: Path) -> VariantResult:
    """The same model by Karatage and by sklearn-crfsuite, features included."""
    import sklearn_crfsuite

    from karatage.training.crf.crf_labeller import CrfLabeller
    from karatage.training.crf.crf_settings import CrfSettings

    settings = CrfSettings(**PLAIN | {"iterations": iterations})
    tokens = [list(own) for own in learned.tokens]
    bounds = np.cumsum(learned.sizes)[:-1]
    gold = [[tags.tags[code] for code in own.tolist()] for own in np.split(learned.codes, bounds)]
    path = folder / "peer.crfsuite"

    def ours() -> Any:
        return CrfLabeller.fit(learned, tags, settings).labeller

    def theirs() -> Any:
        path.unlink(missing_ok=True)
        model = sklearn_crfsuite.CRF(
            algorithm="lbfgs",
            c1=0.1,
            c2=0.1,
            max_iterations=iterations,
            all_possible_transitions=True,
            model_filename=str(path),
        )
        return model.fit([peer_features(own) for own in tokens], gold)

    if ours().models[0].content != (theirs(), path.read_bytes())[1]:
        raise AssertionError("the model differs from sklearn-crfsuite's")
    mine, peer = best(ours, 2), best(theirs, 2)
    return (
        f"train a CRF on {len(tokens):,} titles, {iterations} iterations, with features: karatage / sklearn-crfsuite",
        f"{mine:.1f} s against {peer:.1f} s, the same model byte for byte",
        f"{peer / mine:.2f}×",
        "at least 1×",
    )


_KEPT: list[Any] = []


def _load(folder: str, tags: Any, settings: Any) -> None:
    from karatage.training.crf.crf_labeller import CrfLabeller

    _KEPT.append(CrfLabeller.load(Path(folder), tags, settings))


def _label(part: tuple[list[list[str]], list[str]]) -> float:
    """Label titles; return the seconds that took."""
    began = time.perf_counter()
    _KEPT[0].label(*part)
    return time.perf_counter() - began


def tagging(learned: Any, tags: Any, tokens: list[list[str]], groups: list[str], folder: Path) -> list[VariantResult]:
    """Titles a second under the default features: in one process, in two, and by CRFsuite's own tagger."""
    from karatage.training.crf.crf_labeller import CrfLabeller
    from karatage.training.crf.crf_settings import CrfSettings

    settings = CrfSettings(iterations=30)
    made = CrfLabeller.fit(learned, tags, settings).labeller
    made.save(folder)
    one = best(lambda: made.label(tokens, groups), 2)
    sure = best(lambda: made.marginals(tokens[:10_000], groups[:10_000]), 2)
    half = len(tokens) // 2
    parts = [(tokens[:half], groups[:half]), (tokens[half:], groups[half:])]
    with ProcessPoolExecutor(2, get_context("spawn"), _load, (str(folder), tags, settings)) as pool:
        list(pool.map(_label, [([["a"]], ["1"])] * 8))  # both have started
        two = min(max(pool.map(_label, parts)) for _ in range(2))
    peer = best(lambda: _by_crfsuite(made, tokens[:2000], groups[:2000], folder), 1) / 2000
    return [
        (
            f"label {len(tokens):,} titles with the default features, one process: karatage / CRFsuite's own tagger on "
            "the same features",
            f"{len(tokens) / one:,.0f} against {1 / peer:,.0f} titles a second",
            f"{peer * len(tokens) / one:.1f}×",
            "",
        ),
        (
            "the same in two processes",
            f"{len(tokens) / two:,.0f} titles a second",
            f"{one / two:.2f}×",
            "20,000 titles a second",
        ),
        ("the probability of each tag at each token, one process", f"{10_000 / sure:,.0f} titles a second", "", ""),
    ]


def _by_crfsuite(made: Any, tokens: list[list[str]], groups: list[str], folder: Path) -> None:
    """Tag with pycrfsuite; what it takes to make the features is given to it."""
    import pycrfsuite

    tagger = pycrfsuite.Tagger()
    tagger.open(str(folder / "crf.crfsuite"))
    columns = made.features.columns(tokens, groups)
    tables = [(column.keys.tolist(), column.rows()) for column in columns]
    end = 0
    for own in tokens:
        start, end = end, end + len(own)
        tagger.tag([[name for keys, rows in tables for name in rows[keys[at]]] for at in range(start, end)])


def rows(scale: int = 1) -> list[VariantResult]:
    """Measure the speed."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        learned, tags, tokens, groups = titles(place, 50_000 // scale)
        first = training(learned, tags, 50 // min(scale, 5), place)
        return [first, *tagging(learned, tags, tokens, groups, place)]


def read(path: Path) -> tuple[Any, Any]:
    """Read tagged sentences as examples with their tags."""
    import karatage
    from karatage.training.examples import examples_of, in_tokens, tagset_of

    learned = in_tokens(karatage.read(path), Counter())
    tags = tagset_of(learned, "")
    return examples_of(learned, tags, ""), tags


def folds(count: int, parts: int = 5, seed: int = 0) -> np.ndarray:
    """The fold of each of so many sentences: those of a seeded shuffle, dealt out in turn."""
    out = np.empty(count, np.int64)
    out[np.random.default_rng(seed).permutation(count)] = np.arange(count) % parts
    return out


def tagged(learned: Any, codes: np.ndarray, tags: Any) -> list[list[str]]:
    """The tags of each sentence by name."""
    return [[tags.tags[code] for code in own.tolist()] for own in np.split(codes, np.cumsum(learned.sizes)[:-1])]


def fold_f1(path: str, number: int, settings: dict[str, Any], held_path: str = "") -> float:
    """Train on four folds, or on all where other sentences are held out; return conlleval's micro F1 on the rest."""
    import karatage
    from karatage.training.crf.crf_labeller import CrfLabeller
    from karatage.training.crf.crf_settings import CrfSettings

    learned, tags = read(Path(path))
    if held_path:
        held, own = read(Path(held_path))
        gold = tagged(held, held.codes, own)
    else:
        fold = folds(len(learned))
        held, learned = learned.take(np.flatnonzero(fold == number)), learned.take(np.flatnonzero(fold != number))
        gold = tagged(held, held.codes, tags)
    made = CrfLabeller.fit(learned, tags, CrfSettings(**settings)).labeller
    found = tagged(held, made.label(held.tokens, None), tags)
    return float(karatage.score(gold, found, like="conlleval", resamples=0)["f1"].value or 0.0)


def accuracy(workers: int = 2) -> list[VariantResult]:
    """F1 with the plain features and with the default ones: German legal decisions in five folds, and WNUT-17."""
    decisions, tweets = DATA / "german-ler" / "ler-sample.conll", DATA / "wnut17"
    cases = [("plain features, c1 = c2 = 0.1", PLAIN), ("the defaults", {})]
    out: list[VariantResult] = []
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        waiting = [
            (
                name,
                [pool.submit(fold_f1, str(decisions), number, settings) for number in range(5)],
                pool.submit(fold_f1, str(tweets / "train.conll"), 0, settings, str(tweets / "dev.conll")),
            )
            for name, settings in cases
        ]
        for name, each, other in waiting:
            found = [future.result() for future in each]
            out.append(
                (
                    f"F1 on german-ler, the mean of 5 folds: {name}",
                    ", ".join(f"{one:.4f}" for one in found),
                    f"{np.mean(found):.4f}",
                    "over .836",
                )
            )
            out.append((f"F1 on WNUT-17's dev, trained on its train: {name}", f"{other.result():.4f}", "", ""))
            for row in out[-2:]:
                print("| " + " | ".join(row) + " |", flush=True)
    return out


if __name__ == "__main__":
    if "--folds" in sys.argv:
        accuracy()
    else:
        for line in rows(10 if "--quick" in sys.argv else 1):
            print("| " + " | ".join(line) + " |", flush=True)
