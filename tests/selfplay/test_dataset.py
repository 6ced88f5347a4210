"""Reading datasets: frames, batches, clean outcomes, splits, numbers."""

import numpy as np
import pandas as pd
import pytest

from samuel.games.rows import canonical_keys
from samuel.selfplay.data.dataset import clean_outcomes
from samuel.selfplay.data.splitting import split_keys
from samuel.selfplay.data.summary import summarize
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    plan = SelfplayPlan(depth=1, epsilon=0.1, seed=5, opening_plies=4)
    return generate(plan, 700, tmp_path_factory.mktemp("dataset") / "data")


def test_batches_are_the_frame_in_pieces(dataset):
    batches = list(dataset.batches(size=1000))
    assert max(map(len, batches)) <= 1000
    assert len(batches) > 5
    whole = pd.concat(batches, ignore_index=True)
    pd.testing.assert_frame_equal(whole, dataset.frame(), check_categorical=False)


def test_outcomes_are_clean_after_the_last_exploratory_move():
    frame = pd.DataFrame(
        {
            "game_id": [0, 0, 0, 0, 1, 1, 2],
            "ply": [8, 9, 10, 11, 8, 9, 8],
            "exploratory": [False, True, False, False, False, False, True],
        }
    )
    assert clean_outcomes(frame).tolist() == [False, False, True, True, True, True, False]


def test_split_by_game_shares_no_game_and_no_position(dataset):
    frame = dataset.frame()
    keys, games = canonical_keys(dataset.game, dataset.positions), frame["game_id"].to_numpy()
    train, test = split_keys(games, keys, 0.25, seed=1)
    assert not set(games[train]) & set(games[test])
    assert len(np.unique(games[train])) == round(0.75 * dataset.games)
    assert not np.isin(keys[test], keys[train]).any()
    # four plies deep in 700 games there are positions that both sides reach
    assert len(train) + len(test) < len(frame)
    again = split_keys(games, keys, 0.25, seed=1)
    assert np.array_equal(again[0], train) and np.array_equal(again[1], test)


def test_summary_counts(dataset):
    summary, frame = summarize(dataset, samples=2), dataset.frame()
    assert summary.games == 700
    assert summary.positions == len(frame) == sum(summary.plies.values())
    assert sum(summary.histogram[1]) == len(frame)
    assert sum(summary.outcomes) == pytest.approx(1)
    keys = canonical_keys(dataset.game, dataset.positions)
    assert summary.distinct == len(np.unique(keys)) / len(keys)
    assert summary.exploratory == pytest.approx(frame["exploratory"].mean())
    assert len(summary.samples) == 2
