"""Shards that somebody else made: whatever they hold, their digests right."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from samuel.common.errors import UserError
from samuel.games.rows import are_legal
from samuel.selfplay.data import shard
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.data.manifest import begin_manifest, file_digest
from samuel.selfplay.data.shard import OPTIONAL, schema_of
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan

Change = Callable[[dict[str, Any]], dict[str, Any]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return generate(
        SelfplayPlan(game="tic_tac_toe", depth=1, seed=3),
        20,
        tmp_path_factory.mktemp("made") / "data",
    )


def remade(made: Dataset, folder: Path, table: pa.Table, **claims: Any) -> Dataset:
    """Return the dataset with another table in its one shard, which the manifest says to be so."""
    folder.mkdir()
    manifest = json.loads((made.folder / "manifest.json").read_text())
    (name, shard), *_ = manifest["shards"].items()
    pq.write_table(table, folder / name)
    shard |= {"rows": len(table), "sha256": file_digest(folder / name)} | claims
    manifest["positions"] = shard["rows"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return Dataset.open(folder)


def with_values(**first: Any) -> Change:
    """Return a change of the first value of some columns."""

    def change(columns: dict[str, Any]) -> dict[str, Any]:
        for name, value in first.items():
            columns[name] = columns[name].copy()
            columns[name][0] = value
        return columns

    return change


def with_visits(first: Any, kind: pa.DataType = OPTIONAL["visits"]) -> Change:
    """Return a change that adds visits: those of the first row, and empty ones of all others."""

    def change(columns: dict[str, Any]) -> dict[str, Any]:
        rest: Any = [] if pa.types.is_list(kind) else 0
        visits = pa.array([first, *[rest] * (len(columns["ply"]) - 1)], kind)
        return columns | {"visits": visits}

    return change


def test_visits_of_some_rows_are_read(made: Dataset, tmp_path: Path) -> None:
    table = next(made.arrow_tables())
    stones = table["word_0"][0].as_py() | table["word_1"][0].as_py()
    visits = [*range(9 - stones.bit_count())]
    column = with_visits(visits)({"ply": table["ply"]})["visits"]
    data = remade(made, tmp_path / "data", table.append_column("visits", column))
    assert data.frame()["visits"][0].tolist() == visits
    assert data.frame(["visits"])["visits"].map(len).sum() == len(visits)


def test_what_is_written_is_what_the_schema_says(made: Dataset, tmp_path: Path) -> None:
    table = next(made.arrow_tables())
    assert table.schema.remove_metadata() == schema_of(made.game)
    again = remade(made, tmp_path / "data", table.replace_schema_metadata())
    assert next(again.arrow_tables()).equals(table)
    assert again.columns == table.column_names


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (with_values(word_0=1 << 9), "a position is none of tic_tac_toe"),
        (with_values(game_id=-1), "'game_id' has a number out of range"),
        (with_values(ply=-1), "'ply' has a number out of range"),
        (with_values(depth=-1), "'depth' has a number out of range"),
        (with_values(move=2**31 - 1), "a move is not legal"),
        (with_values(move=8, word_0=1 << 8, word_1=0), "a move is not legal"),
        (with_values(score=np.inf), "'score' has a number out of range"),
        (with_values(outcome=np.float32(1.5)), "'outcome' has a number out of range"),
        (
            lambda c: c | {"weight": np.zeros(len(c["ply"]), "f4")},
            "'weight' has a number",
        ),
        (with_values(game_id=7), "its games are not in one piece"),
        (with_visits([-1] * 9), "a number of visits is missing or negative"),
        (with_visits([None] * 9), "a number of visits is missing or negative"),
        (with_visits([1] * 10), "visits are not as many as legal moves"),
        (with_visits(None), "'visits' lacks a value"),
        (with_visits([0] * 10**5), "it has more values than its rows can"),
        (with_visits([1] * 9, pa.list_(pa.int64())), "the column 'visits' is missing, or not"),
        (lambda c: c | {"ply": c["ply"].astype(np.int64)}, "the column 'ply' is missing, or not"),
        (lambda c: c | {"word_2": c["word_0"]}, "the column 'word_2' is missing, or not"),
        (lambda c: {k: v for k, v in c.items() if k != "exact"}, "'exact' is missing"),
    ],
)
def test_values_and_columns_that_no_dataset_has(
    made: Dataset, tmp_path: Path, change: Change, sentence: str
) -> None:
    table = next(made.arrow_tables())
    columns = {name: table[name].to_numpy() for name in table.column_names if name != "source"}
    changed = pa.table(change(columns) | {"source": table["source"]})
    with pytest.raises(UserError, match=rf"parquet is damaged: .*{sentence}"):
        remade(made, tmp_path / "data", changed).frame()


@pytest.mark.parametrize(
    ("claims", "sentence"),
    [
        ({"rows": 10**14}, "and [0-9]+ rows, not 100,000,000,000,000"),
        ({"rows": 3}, "and [0-9]+ rows, not 3"),
        ({"games": 19}, "its games are not in one piece, or not so many"),
    ],
)
def test_counts_are_those_of_the_rows(
    made: Dataset, tmp_path: Path, claims: dict[str, int], sentence: str
) -> None:
    data = remade(made, tmp_path / "data", next(made.arrow_tables()), **claims)
    with pytest.raises(UserError, match=sentence):
        data.frame()
    if "rows" in claims:
        with pytest.raises(UserError, match=sentence):
            _ = data.positions


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" * 10, b"no Parquet"])
def test_what_is_no_parquet(made: Dataset, tmp_path: Path, content: bytes) -> None:
    data = remade(made, tmp_path / "data", next(made.arrow_tables()))
    (name, shard), *_ = data.manifest["shards"].items()
    (data.folder / name).write_bytes(content)
    shard["sha256"] = file_digest(data.folder / name)
    with pytest.raises(UserError, match="cannot be read") as error:
        data.frame()
    assert "\n" not in str(error.value)


def test_a_file_is_verified_once_and_again_when_it_has_changed(
    made: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = remade(made, tmp_path / "data", next(made.arrow_tables()))
    monkeypatch.setattr(shard, "_passed", {})  # other tests read the same rows
    looked: list[Any] = []
    for what in ("file_digest", "are_legal"):
        real = getattr(shard, what)
        monkeypatch.setattr(shard, what, lambda *a, real=real: (looked.append(real), real(*a))[1])
    assert data.columns == Dataset.open(data.folder).columns
    assert looked == [file_digest]
    for _ in range(2):
        Dataset.open(data.folder).frame(["score"])
    assert looked == [file_digest]
    for _ in range(2):
        assert len(Dataset.open(data.folder).frame()) == len(data.positions)
    assert looked[1:] == [are_legal]
    (path,) = data.folder.glob("*.parquet")
    content = path.read_bytes()
    path.write_bytes(content[:50] + bytes([content[50] ^ 1]) + content[51:])
    with pytest.raises(UserError, match="altered"):
        data.frame(["score"])


def test_a_shard_that_cannot_be_reached_is_not_missing(made: Dataset, tmp_path: Path) -> None:
    (shard_of_it,) = made.manifest["shards"].values()
    for name, said in (("games-9", "is missing"), (300 * "g", "cannot be read")):
        with pytest.raises(UserError, match=said):
            shard.shard_columns(tmp_path / f"{name}.parquet", shard_of_it, made.game)


def test_a_run_that_goes_on_hashes_its_shards_afresh(
    made: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's times may be too coarse to show that a file was altered."""
    monkeypatch.setattr(shard, "_state_of", lambda path: (0,))
    data = remade(made, tmp_path / "data", next(made.arrow_tables()))
    data.frame()
    (path,) = data.folder.glob("*.parquet")
    path.write_bytes(path.read_bytes()[:-1])
    again = {name: data.manifest[name] for name in ("game", "settings", "evaluator_digest")}
    assert not begin_manifest(data.folder, again, None)["shards"]
