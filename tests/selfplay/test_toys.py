"""Self-play where a side moves again, and with dice, replayed in plain Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from samuel.games import Game, game_named
from samuel.games.rules import SAME
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.data.manifest import file_digest, read_manifest, write_manifest
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan
from tests.toys import RETREAT, TOYS

PLAN = SelfplayPlan(evaluator="zero", depth=1, seed=4, epsilon=0.2, exact_from=0)


def played(game: Game, out: Path, **more) -> Dataset:
    return generate(SelfplayPlan(**{**vars(PLAN), "game": game.name, **more}), 30, out)


def nodes_after(game: Game, row: np.ndarray, side: int) -> list[tuple[tuple[int, ...], int]]:
    """Return where the dice may lead, with whose turn it is there; the position itself without."""
    outcomes = game.outcomes_in(row)[0]
    if not len(outcomes):
        return [(tuple(row.tolist()), side)]
    found = []
    for outcome in outcomes:
        child, turn = game.after(row, int(outcome))
        found += nodes_after(game, child, side if turn & SAME else 1 - side)
    return found


def follow(game: Game, rows: pd.DataFrame) -> None:
    """Check the rows of one game: what follows what, whose turn it is, and how it ended."""
    words = rows[[f"word_{k}" for k in range(game.words)]].to_numpy(np.uint64)
    assert list(rows["ply"]) == list(range(rows["ply"].iloc[0], rows["ply"].iloc[0] + len(rows)))
    for k in range(len(rows)):
        side, move = int(rows["side"].iloc[k]), int(rows["move"].iloc[k])
        assert move in game.moves_in(words[k])
        child, turn = game.after(words[k], move)
        after = nodes_after(game, child, side if turn & SAME else 1 - side)
        if k + 1 < len(rows):
            assert (tuple(words[k + 1].tolist()), rows["side"].iloc[k + 1]) in after
            continue
        ends = [(game.row(row), turn) for row, turn in after if game.is_over(game.row(row))]
        results = [game.utility_of(row) * (1 if turn == 0 else -1) for row, turn in ends]
        outcome = rows["outcome"].to_numpy() * np.where(rows["side"] == 0, 1, -1)
        assert len(set(outcome)) == 1 and outcome[0] in results


@pytest.mark.parametrize("game", [*TOYS, game_named("othello")], ids=lambda game: game.name)
def test_rows_are_those_of_plain_python(game, tmp_path):
    frame = played(game, tmp_path / "data").frame()
    for _, rows in frame.groupby("game_id"):
        follow(game, rows)
    assert {0, 1} == set(frame["side"])


@pytest.mark.parametrize("game", [*TOYS, RETREAT], ids=lambda game: game.name)
@pytest.mark.parametrize("more", [{}, {"temperature": 0.5}], ids=["explored", "drawn"])
def test_rows_do_not_depend_on_the_number_of_workers(game, more, tmp_path):
    plan = SelfplayPlan(**{**vars(PLAN), "game": game.name, **more})
    frames = [generate(plan, 80, tmp_path / f"{jobs}", jobs=jobs).frame() for jobs in (1, 2)]
    pd.testing.assert_frame_equal(*frames)


def test_a_dataset_without_sides_is_read(tmp_path):
    data = generate(
        SelfplayPlan(game="tic_tac_toe", evaluator="zero", depth=1), 20, tmp_path / "data"
    )
    columns, kept, manifest = data.columns, data.frame(), read_manifest(data.folder)
    for name, shard in manifest["shards"].items():
        table = pq.read_table(data.folder / name)
        pq.write_table(table.drop_columns("side"), data.folder / name)
        shard["sha256"] = file_digest(data.folder / name)
    write_manifest(data.folder, manifest)
    older = Dataset.open(data.folder)
    assert older.columns == columns
    pd.testing.assert_frame_equal(older.frame(), kept)
    assert list(older.frame(["side"]).columns) == ["side"]
    assert (older.frame(["side"])["side"] == kept["side"]).all()
    assert (kept["side"] == kept["ply"] % 2).all()
