"""Which rows a fit sees, how much they count, and in which images."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from samuel.common.errors import UserError
from samuel.games.board import Board
from samuel.games.catalog import game_named
from samuel.games.notation import GridNotation
from samuel.games.playing import random_positions
from samuel.games.rows import are_quiet, left_of
from samuel.games.symmetry import canonical_keys, images, seen_under
from samuel.learning import FitOptions, Split
from samuel.learning.fitting.examples import prepared
from samuel.learning.fitting.targets import Examples
from samuel.selfplay import SelfplayPlan, generate


@pytest.fixture(scope="module")
def split(tmp_path_factory):
    plan = SelfplayPlan(
        game="othello_6x6", depth=1, epsilon=0.05, exact_from=5, opening_plies=2, seed=4
    )
    return Split.of(generate(plan, 200, tmp_path_factory.mktemp("data") / "six"), seed=1)


def of(split, classifier=False, **settings):
    return split.examples(FitOptions(**settings), classifier=classifier)


def test_the_chosen_rows(split):
    every, some = of(split), of(split, plies=(10, 20), remaining=(14, 18))
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


def test_the_quiet_rows(tmp_path):
    plan = SelfplayPlan(game="checkers", depth=1, opening_plies=4, seed=4)
    split = Split.of(generate(plan, 20, tmp_path / "games"), seed=1)
    every, some = of(split), of(split, quiet_only=True)
    quiet = are_quiet(split.game, split.dataset.positions)
    assert some.rows.tolist() == [r for r in every.rows if quiet[r]] and len(some) < len(every)


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
    weighted = replace(split, frame=frame)
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


def test_a_position_that_was_won_and_lost_stays_two_rows(split):
    every, merged = (of(split, True, target="outcome", dedupe=d) for d in (False, True))
    keys = canonical_keys(split.game, split.dataset.positions)
    assert set(merged.target) == {0, 1}
    kinds = set(zip(keys[every.rows], every.target, strict=True))
    assert len(merged) == len(kinds)
    assert merged.weight.sum() == pytest.approx(every.weight.sum())


@pytest.mark.parametrize("name", ["othello", "connect_four", "tic_tac_toe"])
def test_images_are_the_games(name):
    game = game_named(name)
    positions = random_positions(game, 20, seed=3)
    for number in range(len(game.symmetries)):
        seen = seen_under(game, positions, np.full(20, number, np.int8))
        assert (seen == [images(game, position)[number] for position in positions]).all()


def test_every_image_is_seen_with_its_share_of_the_weight(split):
    every, found = of(split), of(split, augment=True)
    positions, n = split.positions_of(found), len(every)
    assert len(found) == 8 * n and found.weight == pytest.approx(1 / 8)
    for i in (0, n // 2, n - 1):
        rows = np.flatnonzero(found.rows == every.rows[i])
        expected = images(split.game, split.dataset.positions[every.rows[i]])
        assert (positions[rows] == expected).all() and set(found.target[rows]) == {every.target[i]}
    assert (split.games_of(found)[:n] == split.games_of(every)).all()


def test_held_out_targets_are_there_for_every_row(split):
    exact = split.frame["exact"].to_numpy()[split.held_out]
    score = split.frame["score"].to_numpy()[split.held_out]
    outcome = split.outcomes[split.held_out]
    found = split.held_out_targets(FitOptions("exact", plies=(0, 3)))
    assert (found == np.where(exact, score, outcome)).all() and 0 < exact.mean() < 1


def test_a_torus_has_more_images_than_a_byte_counts():
    board = np.arange(36).reshape(6, 6)
    turned = [np.rot90(one, k) for one in (board, board.T) for k in range(4)]
    shifted = [np.roll(one, by, (0, 1)).ravel() for one in turned for by in np.ndindex(6, 6)]
    torus = Board(6, 6, symmetric=np.array(shifted))
    start = game_named("tic_tac_toe")
    written = GridNotation(torus, torus.squares)
    game = replace(start, name="torus", board=torus, notation=written)
    every = Examples(np.arange(2), np.zeros(2, np.float32))
    position = np.array([[1, 2], [1 << 35, 0]], np.uint64)
    frame = pd.DataFrame({"exact": [False, False]})
    augmented = FitOptions(augment=True)
    chosen = prepared(every, frame, position, game, augmented, classifier=False)
    assert len(chosen) == 2 * 288 and chosen.image.tolist() == np.repeat(np.arange(288), 2).tolist()
    seen = seen_under(game, position[chosen.rows], chosen.image)
    assert len(np.unique(canonical_keys(game, seen))) == 2
