"""What a game of one's own suggests: evaluators made by hand, and sets of shapes."""

from dataclasses import replace

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.features import feature
from samuel.games import Position, game_named, register_game
from samuel.games.groups import Defaults, Handmade
from samuel.games.playing import random_positions
from samuel.kernels.bits import popcount
from samuel.learning.generations.settings import checked
from samuel.learning.options import LearnOptions
from samuel.models import evaluate, evaluator_names, load_evaluator, usual_evaluator
from samuel.search import analyse
from samuel.testing import check_evaluator

SHAPES = {"crosses": ("the middle row and column", ("across: a2 b2 c2", "b1 b2 b3"))}
STONES = Handmade(
    "stones that count the more the fewer there are",
    ("stones_of_each",),
    {"stones_of_each_player": (1.0, 2.0, 9.0), "stones_of_each_opponent": (-1.0, -2.0, -3.0)},
)
GAME = register_game(
    replace(
        game_named("tic_tac_toe"),
        name="suggested",
        defaults=Defaults(evaluators={"stones": STONES}, shapes=SHAPES),
    )
)


@feature(game="suggested", outputs=["player", "opponent"])
def stones_of_each(position, values):
    values[0], values[1] = popcount(position[0]), popcount(position[1])


def test_its_evaluators_are_known_by_name() -> None:
    assert (
        list(evaluator_names(GAME)) == ["stones", "zero", "random"]
        and usual_evaluator(GAME) == "stones"
    )
    assert evaluator_names("suggested")["stones"] == STONES.about
    made = load_evaluator("stones", GAME)
    positions = random_positions(GAME, 40, seed=1)
    count = np.bitwise_count(positions).astype(float)
    left = 9 - count.sum(axis=1)
    # knots 0, 4 and 9, halves rounded to even
    of = [np.interp(left, (0, 4, 9), STONES.weights[name]) for name in STONES.weights]
    expected = of[0] * count[:, 0] + of[1] * count[:, 1]
    assert np.allclose(evaluate(made, GAME, positions), expected, atol=1e-5)
    with pytest.raises(UserError, match="has no evaluator called 'wpc'; there are stones, zero"):
        load_evaluator("wpc", GAME)


@pytest.mark.parametrize(
    ("game", "first", "against"),
    [
        ("othello", "wpc", ("classic",)),
        ("othello_6x6", "zero", ("classic",)),
        ("connect_four", "zero", ("classic",)),
        ("suggested", "zero", ("stones",)),
    ],
)
def test_who_is_met_where_nobody_is_named(game, first, against) -> None:
    settings = checked(LearnOptions(game=game, model="tuples2"))
    assert (settings.start, settings.gate.baselines) == (first, against)


def test_random_plays_any_move_and_always_the_same_in_a_position() -> None:
    game = game_named("connect_four")
    evaluator = load_evaluator("random", game)
    check_evaluator(evaluator, game)
    rows = random_positions(game, 60, seed=3, max_plies=6)
    positions = [Position(game, tuple(map(int, row))) for row in rows]
    moves = [analyse(position, evaluator, depth=1).move for position in positions]
    assert set(moves) == set(Position.start(game).legal_moves())
    assert moves == [analyse(position, "random", depth=1).move for position in positions]
    scores = evaluate(evaluator, game, rows)
    assert scores.min() < -0.8 and scores.max() > 0.8 and abs(scores.mean()) < 0.2
