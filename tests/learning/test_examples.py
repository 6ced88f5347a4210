"""Which rows a fit sees, how much they count, and in which images."""

from dataclasses import replace

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.games.rows import canonical_keys, images, left_of
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.split import Split
from samuel.learning.fitting.targets import Labels
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan


@pytest.fixture(scope="module")
def split(tmp_path_factory):
    plan = SelfplayPlan(
        game="othello_6x6", depth=1, epsilon=0.05, exact_from=5, opening_plies=2, seed=4
    )
    return Split.of(generate(plan, 200, tmp_path_factory.mktemp("data") / "six"), seed=1)


def of(split, classifier=False, **settings):
    return split.examples(FitOptions(**settings), classifier=classifier)


def test_the_chosen_rows(split):
    every, some = of(split), of(split, plies=(10, 20), plies_left=(14, 18))
    ply = split.frame["ply"].to_numpy()
    remaining = left_of(split.game, split.dataset.positions)
    expected = [r for r in every.rows if 10 <= ply[r] <= 20 and 14 <= remaining[r] <= 18]
    assert some.rows.tolist() == expected and some.weight is None
    with pytest.raises(UserError, match="no training rows remain; play more games, or choose more"):
        of(split, plies=(90, 99))


def test_the_rows_of_a_game_are_limited(split):
    every, some = of(split), of(split, rows_per_game=3)
    games = split.frame["game_id"].to_numpy()
    counts = np.bincount(games[every.rows])
    assert (
        np.bincount(games[some.rows], minlength=len(counts)).tolist()
        == np.minimum(counts, 3).tolist()
    )
    assert some.rows.tolist() == of(split, rows_per_game=3).rows.tolist()
    assert np.isin(some.rows, every.rows).all() and np.all(np.diff(some.rows) > 0)


def counts_of(split, rows):
    keys = canonical_keys(split.game, split.dataset.positions[rows]).tolist()
    return np.array([keys.count(key) for key in keys])


def test_weights_are_what_they_are_said_to_be(split):
    rows, target = of(split).rows, of(split).target
    exact = split.frame["exact"].to_numpy()[rows]
    played = 1 - left_of(split.game, split.dataset.positions[rows]) / 32
    for weights, expected in (
        ({"late": 3}, 1 + 3 * played),
        ({"exact": 0.25}, np.where(exact, 0.25, 1)),
        ({"rare": 0.5}, counts_of(split, rows) ** -0.5),
        ({"close": 8.0}, 1 / (1 + (target / 8) ** 2)),
        ({"late": 1, "exact": 2}, (1 + played) * np.where(exact, 2, 1)),
    ):
        found = of(split, weights=weights).weight
        assert found.mean() == pytest.approx(1)
        assert found == pytest.approx(expected / expected.mean(), rel=1e-5)


def test_the_weights_of_a_dataset_multiply_and_tell_how_often_a_position_came(split):
    frame = split.frame.assign(weight=np.arange(1, len(split.frame) + 1, dtype=np.float32))
    weighted = replace(split, labels=Labels(frame, split.game))
    found = of(weighted)
    assert (found.weight == frame["weight"].to_numpy()[found.rows]).all()
    alone = counts_of(split, found.rows) == 1
    rare = of(weighted, weights={"rare": 1}).weight
    assert np.ptp(rare[alone]) == pytest.approx(0, abs=1e-3)


def test_same_positions_are_merged_and_count_as_before(split):
    every, merged = of(split), of(split, dedupe=True)
    keys = canonical_keys(split.game, split.dataset.positions)
    assert len(set(keys[merged.rows])) == len(merged) == len(set(keys[every.rows])) < len(every)
    for i in np.random.default_rng(0).choice(len(merged), 50):
        same = keys[every.rows] == keys[merged.rows[i]]
        assert merged.weight[i] == same.sum()
        assert merged.target[i] == pytest.approx(every.target[same].mean(), rel=1e-5)
        assert merged.rows[i] == every.rows[same][0]


def test_every_image_is_seen_with_its_share_of_the_weight(split):
    every, found = of(split), of(split, augment=True)
    positions, n = split.positions_of(found), len(every)
    assert len(found) == 8 * n and found.weight == pytest.approx(1 / 8)
    for i in (0, n // 2, n - 1):
        rows = np.flatnonzero(found.rows == every.rows[i])
        expected = images(split.game, split.dataset.positions[every.rows[i]])
        assert (positions[rows] == expected).all() and set(found.target[rows]) == {every.target[i]}
    assert (split.games_of(found)[:n] == split.games_of(every)).all()
