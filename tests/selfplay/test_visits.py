"""Visits that self-play by UCT keeps: what they are of, and what becomes of them in datasets."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from samuel.games import game_named
from samuel.games.rows import count_moves
from samuel.selfplay.data.combine import merge
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan, play_task
from tests.rarely import rarely

GAME = "connect_four"
PLAN = SelfplayPlan(game=GAME, evaluator="zero", method="uct:playouts=60,candidates=false", seed=3)


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return generate(PLAN, 6, tmp_path_factory.mktemp("sampled") / "data")


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return generate(
        SelfplayPlan(game=GAME, depth=1, seed=3), 6, tmp_path_factory.mktemp("s") / "data"
    )


def test_the_move_that_is_played_was_visited_most(sampled: Dataset) -> None:
    frame, game = sampled.frame(), sampled.game
    moves = [game.moves_in(tuple(row)) for row in sampled.positions.tolist()]
    assert [len(visits) for visits in frame["visits"]] == [len(legal) for legal in moves]
    unproven = 0
    for (_, row), legal in zip(frame.iterrows(), moves, strict=True):
        if not row["exact"]:  # what is certain comes before what was tried most
            unproven += 1
            assert row["visits"][legal == row["move"]] > 0
            assert row["visits"].sum() >= 60 - 1  # the first simulation ends in the root, at most
    best = [
        legal[np.argmax(visits)] == move
        for legal, visits, move, exact in zip(
            moves, frame["visits"], frame["move"], frame["exact"], strict=True
        )
        if not exact
    ]
    assert unproven > 50 and np.mean(best) > 0.95  # all but where the most visited loses


@pytest.mark.parametrize("name", ["pig_20", rarely("backgammon")])
def test_dice_and_sides_that_move_again(name: str) -> None:
    game = game_named(name)
    table = play_task(SelfplayPlan(game=name, evaluator="zero", method="uct:playouts=20"), 0, 3)
    words = np.column_stack([table[f"word_{k}"] for k in range(game.words)])
    lengths = [len(visits) for visits in table["visits"].to_pylist()]
    assert lengths == count_moves(game, words).tolist() and max(lengths) > 1


def test_rows_without_visits_have_none_where_others_have(
    sampled: Dataset, searched: Dataset, tmp_path: Path
) -> None:
    assert "visits" not in searched.columns
    assert (searched.frame(["visits"])["visits"].map(len) == 0).all()
    both = merge([searched, sampled], tmp_path / "both").frame(["visits"])["visits"]
    assert (both[: len(searched)].map(len) == 0).all()
    rest = both[len(searched) :].reset_index(drop=True)
    pd.testing.assert_series_equal(rest, sampled.frame()["visits"])
