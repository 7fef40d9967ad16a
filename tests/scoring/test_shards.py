"""Gold and predictions in shards: counted shard by shard, with the same result as one after the other."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from tests.engines import Here, use_here

import karatage
from karatage.errors import InputError, KaratageError, UsageError
from karatage.inputs import cutting

Row = dict[str, Any]


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Here:
    """Let shards of any size be counted by this engine, unless one process is asked for."""
    return use_here(monkeypatch)


def outcome(gold: Any, pred: Any, jobs: int, **options: Any) -> str:
    """Return the result as JSON, without where it came from, or the message."""
    try:
        found = karatage.score(gold, pred, jobs=jobs, **options).compute().to_dict()
    except KaratageError as error:
        return f"{type(error).__name__}: {error}"
    del found["provenance"]
    return json.dumps(found)


def rows(rng: random.Random, count: int, *, ids: bool = True, first: int = 0) -> tuple[list[Row], list[Row]]:
    gold, pred = [], []
    for number in range(first, first + count):
        tags = [rng.choice(["O", "B-PER", "I-PER", "B-LOC"]) for _ in range(rng.randint(1, 5))]
        one: Row = {"id": f"s{number}"} if ids else {}
        one["tokens"] = [rng.choice(["Ann", "in", "Paris", "ü"]) for _ in tags]
        gold.append({**one, "ner_tags": tags})
        pred.append({**one, "ner_tags": [tag.replace("B-", "S-") if rng.random() < 0.8 else "O" for tag in tags]})
    return gold, pred


def as_lines(own: list[Row]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in own).encode()


def as_columns(own: list[Row]) -> bytes:
    return "\n".join(
        "".join(f"{w}\t{t}\n" for w, t in zip(row["tokens"], row["ner_tags"], strict=True)) for row in own
    ).encode()


def as_parquet(own: list[Row]) -> bytes:
    import io

    import polars as pl

    out = io.BytesIO()
    pl.DataFrame(own).write_parquet(out)
    return out.getvalue()


WRITERS: dict[str, tuple[str, Callable[[list[Row]], bytes]]] = {
    "lines": (".jsonl", as_lines),
    "columns": (".conll", as_columns),
    "gzip": (".conll.gz", lambda own: gzip.compress(as_columns(own))),
    "zstd": (".jsonl.zst", lambda own: zstandard.compress(as_lines(own))),
    "parquet": (".parquet", as_parquet),
}


def shards(folder: Path, count: int, kind: str, *, ids: bool, seed: int = 0) -> tuple[Path, Path]:
    """Write shards of uneven sizes; those of gold and predictions have the same names."""
    rng, number = random.Random(seed), 0
    ending, encode = WRITERS[kind]
    for shard in range(count):
        size = rng.randint(1, 7)
        for side, own in zip(("gold", "pred"), rows(rng, size, ids=ids, first=number), strict=True):
            (folder / side).mkdir(exist_ok=True)
            (folder / side / f"part-{shard}{ending}").write_bytes(encode(own))
        number += size
    return folder / "gold", folder / "pred"


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize("count", [3, 22])
def test_shards_of_any_format_are_parts(
    tmp_path: Path, engine: Here, monkeypatch: pytest.MonkeyPatch, kind: str, ids: bool, count: int
) -> None:
    """Also the number of the sentence in a warning, and documents, as each of many files is one."""
    gold, pred = shards(tmp_path, count, kind, ids=ids)
    options: dict[str, Any] = {"like": "conlleval", "metrics": ["f1", "accuracy"]}
    known = outcome(gold, pred, 1, **options)
    assert known.startswith("{")
    assert engine.parts == 0
    for size in (1, 500, 10_000):
        monkeypatch.setattr(cutting, "_MOST", size)
        assert outcome(gold, pred, 2, **options) == known
    assert engine.parts >= count


def test_the_number_of_a_sentence_counts_on_from_the_shards_before(tmp_path: Path, engine: Here) -> None:
    """The first entity is in the third sentence of the second file: the sixth of all, as the first file has three."""
    for side, tag in (("gold", "B-PER"), ("pred", "S-PER")):
        (tmp_path / side).mkdir()
        own = [{"tokens": ["x"], "ner_tags": [one]} for one in ("O", "O", "O", "O", "O", tag)]
        (tmp_path / side / "a.jsonl").write_bytes(as_lines(own[:3]))
        (tmp_path / side / "b.jsonl").write_bytes(as_lines(own[3:]))
    result = karatage.score(tmp_path / "gold", tmp_path / "pred", metrics=["accuracy"], jobs=2)
    assert engine.parts == 2
    assert any("sentence 6: B-PER in gold, S-PER in the predictions" in warning for warning in result.warnings)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.usefixtures("engine")
def test_the_order_of_a_list_does_not_matter(tmp_path: Path, jobs: int) -> None:
    gold, pred = shards(tmp_path, 9, "lines", ids=False)
    known = outcome(gold, pred, jobs)
    rng = random.Random(5)
    for _ in range(3):
        ours, theirs = list(gold.iterdir()), [str(path) for path in pred.iterdir()]
        rng.shuffle(ours)
        rng.shuffle(theirs)
        listing = tmp_path / "shards.txt"
        listing.write_text("\n".join(theirs) + "\n\n")
        assert outcome(ours, theirs, jobs) == known
        assert outcome(ours, f"@{listing}", jobs) == known
        assert outcome(str(gold / "*.jsonl"), tuple(theirs), jobs) == known


def test_files_are_paired_by_name_in_whatever_folder_and_format(tmp_path: Path) -> None:
    """In the order of their paths, y would come before x."""
    gold, pred = shards(tmp_path, 2, "lines", ids=False)
    known = outcome(gold, pred, 1)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    data = gzip.compress((pred / "part-1.jsonl").read_bytes())
    (tmp_path / "a" / "part-1.jsonl.gz").write_bytes(data)
    (pred / "part-0.jsonl").rename(tmp_path / "b" / "part-0.json")
    theirs = [tmp_path / "a" / "part-1.jsonl.gz", tmp_path / "b" / "part-0.json"]
    assert outcome(gold, theirs, 1) == known


def test_other_names_are_paired_in_their_order(tmp_path: Path) -> None:
    gold, pred = shards(tmp_path, 3, "columns", ids=False)
    known = outcome(gold, pred, 1)
    for path in list(pred.iterdir()):
        path.rename(pred / path.name.replace("part", "predicted"))
    assert outcome(gold, pred, 1) == known
    ours, theirs = sorted(gold.iterdir()), sorted(pred.iterdir())
    assert outcome(ours[::-1], theirs[::-1], 1) == known
    with pytest.raises(UsageError, match="which belong together"):
        karatage.score(ours, theirs[::-1])


def test_units_that_moved_to_another_shard_are_found(tmp_path: Path, engine: Here) -> None:
    gold, pred = shards(tmp_path, 4, "lines", ids=True)
    first, second = (pred / f"part-{k}.jsonl" for k in (0, 2))
    lines = first.read_text().splitlines(keepends=True)
    known = outcome(gold, pred, 1)
    first.write_text("".join(lines[:-1]))
    second.write_text(second.read_text() + lines[-1])
    assert outcome(gold, pred, 1) == known
    assert outcome(gold, pred, 2) == known
    assert engine.parts


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.usefixtures("engine")
def test_an_id_in_two_shards_is_an_error_that_names_both(tmp_path: Path, jobs: int) -> None:
    gold, pred = shards(tmp_path, 4, "lines", ids=True)
    for folder in (gold, pred):
        again = (folder / "part-0.jsonl").read_text().splitlines(keepends=True)[0]
        with (folder / "part-3.jsonl").open("a") as out:
            out.write(again)
    message = outcome(gold, pred, jobs)
    assert f"{gold / 'part-3.jsonl'}: duplicate id: number" in message
    assert f"number 1 of {gold / 'part-0.jsonl'}" in message


def test_a_shard_without_a_partner_is_named(tmp_path: Path) -> None:
    gold, pred = shards(tmp_path, 3, "lines", ids=True)
    (pred / "part-1.jsonl").unlink()
    with pytest.raises(InputError, match=rf"No file of the predictions has the name of {gold / 'part-1.jsonl'}"):
        karatage.score(gold, pred)


def test_some_files_with_ids_and_some_without(tmp_path: Path, engine: Here) -> None:
    gold, pred = shards(tmp_path, 3, "lines", ids=True)
    for folder in (gold, pred):
        path = folder / "part-2.jsonl"
        path.write_text(
            "".join(json.dumps({**json.loads(x), "id": None}) + "\n" for x in path.read_text().splitlines())
        )
    assert outcome(gold, pred, 2) == outcome(gold, pred, 1)
    assert engine.parts


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("side", ["gold", "pred"])
@pytest.mark.parametrize("damage", ["cut off", "not JSON", "empty", "other sentences"])
@pytest.mark.usefixtures("engine")
def test_bad_shards_are_left_out_with_their_partners(tmp_path: Path, jobs: int, side: str, damage: str) -> None:
    """The result is that of the other shards; by default, the message says how to get it."""
    gold, pred = shards(tmp_path, 5, "zstd", ids=False)
    bad = tmp_path / side / "part-2.jsonl.zst"
    text = zstandard.decompress(bad.read_bytes(), 1 << 20)
    new = {
        "cut off": bad.read_bytes()[:-5],
        "not JSON": zstandard.compress(text + b'{"tokens": \n'),
        "empty": b"",
        "other sentences": zstandard.compress(text + b'{"tokens": ["x"], "ner_tags": ["O"]}\n'),
    }
    bad.write_bytes(new[damage])
    message = outcome(gold, pred, jobs)
    assert str(tmp_path) in message
    assert ("--skip-bad (in Python skip_bad=True)" in message) == (damage != "other sentences")
    found = json.loads(outcome(gold, pred, jobs, skip_bad=True))
    partner = tmp_path / {"gold": "pred", "pred": "gold"}[side] / bad.name
    (skipped,) = found.pop("skipped")
    assert {skipped["file"], *skipped["partners"]} == {str(bad), str(partner)}
    if damage != "other sentences":
        assert skipped["file"] == str(bad)
        assert str(bad) in skipped["reason"]
    assert found["warnings"].pop() == (
        f"files left out with their partners, as they cannot be scored ({skipped['file']}): 1 of 5"
    )
    bad.unlink()
    partner.unlink()
    assert found == json.loads(outcome(gold, pred, jobs))


def test_sound_shards_are_not_left_out(tmp_path: Path) -> None:
    gold, pred = shards(tmp_path, 3, "lines", ids=False)
    assert outcome(gold, pred, 1, skip_bad=True) == outcome(gold, pred, 1)


def test_if_no_shard_is_left_that_is_an_error(tmp_path: Path) -> None:
    gold, pred = shards(tmp_path, 3, "gzip", ids=False)
    for path in pred.iterdir():
        path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(InputError, match=r"none of the 3 files can be scored. The first: .*truncated"):
        karatage.score(gold, pred, skip_bad=True)


def test_only_pairs_of_shards_can_be_left_out(tmp_path: Path) -> None:
    gold, pred = shards(tmp_path, 3, "lines", ids=True)
    with pytest.raises(UsageError, match="as many files of predictions as of gold.*got 3 and 1"):
        karatage.score(gold, pred / "part-1.jsonl", skip_bad=True)
    with pytest.raises(UsageError, match="without a judge"):
        karatage.score(gold, pred, judge=gold, skip_bad=True)


def test_gold_and_predictions_in_the_same_shards(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.conll").write_text("Ann B-PER B-PER\nin O O\n\n" * 2)
    (tmp_path / "b.conll").write_text("Ann B-PER\n")
    result = karatage.score(tmp_path, skip_bad=True)
    assert result.counts["units"] == 4
    assert [(one.file, one.partners) for one in result.skipped] == [(str(tmp_path / "b.conll"), ())]


def tagged_twice(folder: Path) -> tuple[Path, Path, Path]:
    """Write five shards of gold and of two systems, the second of which tags nothing."""
    gold, pred = shards(folder, 5, "lines", ids=False)
    (folder / "none").mkdir()
    for path in pred.iterdir():
        own = [json.loads(line) for line in path.read_text().splitlines()]
        (folder / "none" / path.name).write_bytes(
            as_lines([row | {"ner_tags": ["O"] * len(row["tokens"])} for row in own])
        )
    return gold, pred, folder / "none"


def told(found: Any) -> dict[str, Any]:
    """Return a result as plain data, without where it came from."""
    out: dict[str, Any] = json.loads(json.dumps(found.to_dict()))

    def bare(one: Any) -> Any:
        if isinstance(one, dict):
            return {key: bare(own) for key, own in one.items() if key not in ("provenance", "skipped", "warnings")}
        return [bare(own) for own in one] if isinstance(one, list) else one

    return dict(bare(out))


COMMANDS: dict[str, Callable[..., Any]] = {
    "compare": lambda gold, a, b, **more: karatage.compare(gold, {"a": a, "b": b}, **more),
    "explain": lambda gold, a, b, **more: karatage.explain(gold, {"a": a, "b": b}, **more),
    "explain one": lambda gold, _, b, **more: karatage.explain(gold, b, **more),
    "gate": lambda gold, a, b, **more: karatage.gate(gold, a, baseline=b, minimum=0.1, max_drop=0.1, **more),
}


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("engine")
def test_a_shard_that_is_bad_for_one_system_is_left_out_for_all(tmp_path: Path, jobs: int, command: str) -> None:
    """The second system's part 3 has a line cut off: nothing of part 3 counts, for either system."""
    run = COMMANDS[command]
    gold, a, b = tagged_twice(tmp_path)
    bad = b / "part-3.jsonl"
    bad.write_bytes(bad.read_bytes()[:-9])
    with pytest.raises(InputError, match=r"part-3\.jsonl.*--skip-bad \(in Python skip_bad=True\)"):
        run(gold, a, b, jobs=jobs)
    found = run(gold, a, b, jobs=jobs, skip_bad=True)
    partners = (gold, b) if command == "explain one" else (gold, a, b)
    results = [found] if "explain" not in command else [one.result for one in found.systems.values()]
    results += [found.comparison] if command == "explain" else []
    for one in results:
        (skipped,) = one.skipped
        assert skipped.file == str(bad)
        assert set(skipped.partners) == {str(own / bad.name) for own in partners if own != b}
        assert str(bad) in skipped.reason
        assert one.warnings[-1].endswith(f"as they cannot be scored ({bad}): 1 of 5")
        assert one.to_dict()["skipped"][0]["file"] == str(bad)
    for own in (gold, a, b):
        (own / bad.name).unlink()
    assert told(found) == told(run(gold, a, b, jobs=jobs))


def test_what_was_left_out_is_on_the_page_and_in_the_terminal(tmp_path: Path) -> None:
    gold, a, b = tagged_twice(tmp_path)
    (a / "part-1.jsonl").write_text("{")
    found = karatage.explain(gold, {"a": a, "b": b}, skip_bad=True)
    page = found.to_html()
    for text in (page, str(found), str(karatage.compare(gold, [a, b], skip_bad=True))):
        assert "files left out with their partners" in " ".join(text.split())


def test_several_golds_do_not_go_with_leaving_out(tmp_path: Path) -> None:
    gold, a, b = tagged_twice(tmp_path)
    for given in (karatage.Sets(x=gold), karatage.Annotators(x=gold, y=gold)):
        with pytest.raises(UsageError, match="works with one gold and without a judge"):
            karatage.compare(given, [a, b], skip_bad=True)
    with pytest.raises(UsageError, match="works with one gold and without a judge"):
        karatage.gate(gold, a, minimum=0.1, judge=gold, skip_bad=True)


def test_a_scheme_is_detected_without_the_bad_file(tmp_path: Path) -> None:
    gold, pred = shards(tmp_path, 3, "columns", ids=False)
    for folder in (gold, pred):
        for path in folder.iterdir():
            path.write_text("Ann\tB-PER\nin\tO\n\n")
    (gold / "part-1.conll").write_bytes(b"Ann\tB-PER\nin\n\n")
    result = karatage.score(gold, pred, scheme="detect", skip_bad=True)
    assert [one.file for one in result.skipped] == [str(gold / "part-1.conll")]
    assert result.counts["units"] == 2


def test_if_files_are_bad_only_together_that_is_the_error(tmp_path: Path) -> None:
    """Each of two files with the same id can be read by itself."""
    gold, pred = shards(tmp_path, 3, "lines", ids=True)
    for folder in (gold, pred):
        (folder / "part-2.jsonl").write_bytes((folder / "part-0.jsonl").read_bytes())
    with pytest.raises(InputError, match="duplicate id"):
        karatage.score(gold, pred, skip_bad=True)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.usefixtures("engine")
def test_labels_of_one_shard_only(tmp_path: Path, jobs: int) -> None:
    """PER is in the first file, LOC in the second, where the predictions have ORG: each has its own counts."""
    for side, other in (("gold", "LOC"), ("pred", "ORG")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.conll").write_text("Ann\tB-PER\n\n" * 3)
        (tmp_path / side / "b.conll").write_text(f"Ulm\tB-{other}\n\n" * 2)
    result = karatage.score(tmp_path / "gold", tmp_path / "pred", jobs=jobs)
    found = {label: one.counts for label, one in result.by_label.items()}
    assert found["PER"] == {"gold": 3, "predicted": 3, "correct": 3}
    assert found["LOC"] == {"gold": 2, "predicted": 0, "correct": 0}
    assert found["ORG"] == {"gold": 0, "predicted": 2, "correct": 0}
    assert any("does not occur in gold (ORG)" in warning for warning in result.warnings)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.usefixtures("engine")
def test_other_numbers_of_columns_are_told(tmp_path: Path, jobs: int) -> None:
    """The last column of b.conll is not that of a.conll, unless somebody says which one is meant."""
    for side in ("gold", "pred"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.conll").write_text("Ann\tB-PER\n\n" * 3)
        (tmp_path / side / "b.conll").write_text("Ulm\tB-LOC\n\n")
    gold, pred = tmp_path / "gold", tmp_path / "pred"
    assert not any("columns" in one for one in karatage.score(gold, pred, jobs=jobs).warnings)
    (pred / "b.conll").write_text("# a comment\nUlm\tB-LOC\tO\n\n")
    warnings = karatage.score(gold, pred, jobs=jobs).warnings
    assert (
        f"predictions: files have different numbers of columns (2 in {pred / 'a.conll'}, 3 in {pred / 'b.conll'}), and "
        "tags are read from the last one. Use --columns to name it, if that is wrong"
    ) in warnings
    result = karatage.score(gold, pred, jobs=jobs, columns="2")
    assert not any("columns" in one for one in result.warnings)
    assert result.counts["correct"] == 4


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.usefixtures("engine")
def test_a_table_that_lacks_a_column_is_named(tmp_path: Path, jobs: int) -> None:
    for side in ("gold", "pred"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.csv").write_text("unit,label,start,end\ns1,PER,0,1\n")
        (tmp_path / side / "b.csv").write_text("unit,start,end\ns2,0,1\n")
    gold = tmp_path / "gold"
    with pytest.raises(InputError, match=rf"{gold / 'b.csv'}:1: .*Expected the columns unit .*label .*--skip-bad"):
        karatage.score(gold, tmp_path / "pred", jobs=jobs, format="csv")
