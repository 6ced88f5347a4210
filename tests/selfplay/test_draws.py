"""Self-play of a game with draws by rule, replayed in plain Python and by its transcripts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from samuel.games import Position
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.data.export import export
from samuel.selfplay.data.importing import import_games
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan
from tests.toys import RETREAT

PLAN = SelfplayPlan(game=RETREAT.name, evaluator="zero", depth=2, seed=4, epsilon=0.3)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return generate(PLAN, 60, tmp_path_factory.mktemp("draws") / "data")


def games_of(data: Dataset) -> list[tuple[pd.DataFrame, list[Position]]]:
    """Return the rows of each game, and its positions as Python plays it from its first row on."""
    found = []
    for _, rows in data.frame().groupby("game_id"):
        words = rows[[f"word_{k}" for k in range(RETREAT.words)]].to_numpy(np.uint64)
        line = [Position(RETREAT, tuple(map(int, words[0])), int(rows["side"].iloc[0]))]
        for move in rows["move"]:
            line.append(line[-1].play(int(move)))
        assert [one.words for one in line[:-1]] == [tuple(map(int, row)) for row in words]
        found.append((rows, line))
    return found


def test_games_end_by_both_rules(data: Dataset) -> None:
    drawn = []
    for rows, line in games_of(data):
        end = line[-1]
        assert end.is_terminal and not any(one.is_terminal for one in line[:-1])
        sign = np.where(rows["side"] == end.side, 1, -1)
        assert (rows["outcome"] == sign * end.utility()).all()
        if end.is_drawn:
            drawn.append(len(end.past))
            assert (rows["outcome"] == 0).all() and len(RETREAT.moves_in(end.row)) > 0
    assert RETREAT.draws.reversible_plies in drawn and min(drawn) < RETREAT.draws.reversible_plies
    assert len(drawn) < data.games  # others are won


def test_games_come_back_from_their_transcripts(data: Dataset, tmp_path: Path) -> None:
    assert export(data, tmp_path / "games", "transcripts") == 0
    back = import_games([tmp_path / "games"], tmp_path / "back", game=RETREAT.name)
    names = ["game_id", "side", "outcome", "move"]
    pd.testing.assert_frame_equal(back.frame(names), data.frame(names))
