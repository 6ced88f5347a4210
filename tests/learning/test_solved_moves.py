import functools
from types import SimpleNamespace

import numpy as np
import pytest

from samuel.games import Evaluator, Position, game_named
from samuel.games.playing import random_positions
from samuel.games.rows import left_of
from samuel.kernels.jit import jit
from samuel.learning.comparison.intervals import Resampling
from samuel.learning.comparison.solved import solved_moves
from tests.toys import DOTS_AND_BOXES, PIG


@jit
def remainder(position, integers, floats):
    return float(position[1] % np.uint64(5)) - 2.0


def split_of(game, positions):
    left = left_of(game, positions)
    return SimpleNamespace(game=game, seed=1, held_out_positions=positions, held_out_left=left)


def scores_of_moves(position, score):
    """Return the scores of all moves, from what `score` says of the positions that they lead to."""
    after = [position.play(move) for move in position.legal_moves()]
    return [score(child) * (1 if child.side == position.side else -1) for child in after]


@functools.cache
def value_of(position):
    return position.utility() if position.is_terminal else max(scores_of_moves(position, value_of))


@pytest.mark.parametrize("game", [game_named("tic_tac_toe"), DOTS_AND_BOXES], ids=lambda g: g.name)
def test_the_share_is_that_of_minimax(game):
    """Ties are drawn, a slower win keeps the value, and a side may move twice."""
    evaluator = Evaluator("remainder", game.name, remainder)
    split = split_of(game, random_positions(game, 60, min_plies=game.most_plies - 5))
    shares = {}
    for row, words in enumerate(split.held_out_positions.tolist()):
        position = Position(game, tuple(words))
        kept = np.array(scores_of_moves(position, value_of)) == value_of(position)
        if not kept.all():
            scores = scores_of_moves(
                position, lambda p: p.utility() if p.is_terminal else p.words[1] % 5 - 2
            )
            shares[row] = kept[scores == np.max(scores)].mean()
    found = solved_moves(split)
    assert found.most_left == split.held_out_left.max() and len(shares) > 20
    assert dict(zip(found.rows.tolist(), found.shares(evaluator), strict=True)) == shares
    share, (low, high) = found.share(evaluator, Resampling(np.arange(60), 1))
    assert share == pytest.approx(np.mean([*shares.values()])) and low < share < high


def test_nothing_is_solved_in_a_game_with_dice_or_too_far_from_its_end():
    assert solved_moves(split_of(PIG, random_positions(PIG, 2))) is None
    connect_four = game_named("connect_four")
    assert solved_moves(split_of(connect_four, connect_four.rows([connect_four.start]))) is None
