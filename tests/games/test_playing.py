"""A game is played in one place: whose turn it is, the dice, random play."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from numba import int64, types

from samuel.errors import UserError
from samuel.games import Game, Position
from samuel.games.interface import NO_MOVE, ROW, RULES
from samuel.games.playing import (
    GAME_STATE,
    advance,
    begin,
    forced,
    is_chances_turn,
    is_legal,
    mover,
    new_game_state,
    playout,
    random_positions,
    result_of,
    thrown_at,
)
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from samuel.kernels.random import seed_stream
from samuel.kernels.records import to_pointers
from tests.toys import DOTS_AND_BOXES, PIG, RACE, TOYS

_SEEN = types.Array(int64, 1, "C")


@jit(types.void(RULES, ROW, GAME_STATE, types.Array(types.int32, 1, "C"), _SEEN))
def _play(rules: Any, start: Any, arrays: Any, moves: Any, seen: Any) -> None:
    state = to_pointers(arrays)
    begin(rules, state, at(start, 0), int64(0))
    for k in range(moves.shape[0]):
        seen[4] += 1 if is_legal(rules, state, int64(moves[k])) else 0
        advance(rules, state, int64(moves[k]))
    seen[0], seen[1] = mover(state), is_chances_turn(state)
    seen[2] = forced(rules, state)
    seen[3] = int64(result_of(rules, state)) if rules.is_terminal(state.position) else int64(0)


@jit(int64(RULES, ROW, GAME_STATE, int64, int64))
def _random_game(rules: Any, start: Any, arrays: Any, seed: int, plies: int) -> int:
    state = to_pointers(arrays)
    seed_stream(state.stream, seed, 0)
    begin(rules, state, at(start, 0), int64(0))
    return playout(rules, state, plies)


def _after(game: Game, names: str) -> tuple[Position, list[int]]:
    """Return where some moves lead, in plain Python and in the kernel."""
    moves = np.array(game.notation.read_moves(names), np.int32)
    seen, room = np.zeros(5, np.int64), new_game_state(game)
    _play(game.rules_of_play, game.row(game.start), room, moves, seen)
    position = Position.from_transcript(names, game)
    assert tuple(room.position.tolist()) == position.words
    assert seen[4] == len(moves)
    return position, seen.tolist()[:4]


def test_who_closes_a_box_moves_again():
    position, seen = _after(DOTS_AND_BOXES, "a c g")  # three sides of the first box
    assert (position.side, position.words[1:]) == (1, (0, 0)) and seen == [1, 0, NO_MOVE, 0]
    position, seen = _after(DOTS_AND_BOXES, "a c g h")
    assert (position.side, position.words[1:]) == (1, (1, 0)) and seen == [1, 0, NO_MOVE, 0]
    position, seen = _after(DOTS_AND_BOXES, "a c g h b")
    assert (position.side, position.words[1:]) == (0, (0, 1)) and seen == [0, 0, NO_MOVE, 0]


def test_the_result_is_for_the_side_that_began():
    random, found = np.random.default_rng(1), set()
    for _ in range(10):
        position, seen = _after(DOTS_AND_BOXES, " ".join(random.permutation([*"abcdefghijkl"])))
        ours = position.utility() if position.side == 0 else -position.utility()
        assert position.is_terminal and seen[3] == ours
        found.add((position.side, np.sign(ours)))
    assert {-1.0, 1.0} <= {sign for _, sign in found}


def test_dice_are_thrown_before_the_turn_that_they_belong_to():
    start = Position.start(PIG)
    assert (start.legal_moves(), start.outcomes(), start.is_chance) == (["roll"], [], False)
    rolled, seen = _after(PIG, "roll")
    assert (rolled.side, rolled.is_chance, rolled.legal_moves()) == (0, True, [])
    assert rolled.outcomes() == [("1", 1), ("2", 3), ("3", 2)] and seen[:2] == [0, 1]
    assert _after(PIG, "roll 3")[1] == [0, 0, NO_MOVE, 0]
    position, seen = _after(PIG, "roll 1")
    assert position.side == 1 and seen == [1, 0, 0, 0]  # a single move: to roll
    with pytest.raises(UserError, match="roll is not legal here; legal moves: 1, 2, 3"):
        rolled.play("roll")


def test_a_game_may_begin_with_the_dice():
    start = Position.start(RACE)
    assert start.is_chance and not start.is_terminal and start.side == 0
    assert sum(weight for _, weight in start.outcomes()) == RACE.chances
    position, seen = _after(RACE, "(2) a")
    assert (position.side, position.is_chance, seen[:2]) == (1, True, [1, 1])
    assert _after(RACE, "(6) a")[1][:2] == [0, 0]


@pytest.mark.parametrize("game", TOYS, ids=lambda game: game.name)
def test_random_play_stops_where_a_side_is_to_move_or_the_game_is_over(game):
    room = new_game_state(game)
    for seed in range(50):
        for plies in (0, 1, 3, 1000):
            played = _random_game(game.rules_of_play, game.row(game.start), room, seed, plies)
            row = room.position
            assert played == plies or game.is_over(row)
            assert game.is_over(row) or len(game.moves_in(row)) > 0
            assert game.is_over(row) or plies < 1000


def test_dice_fall_by_their_weights():
    position = Position.from_transcript("roll", PIG)
    room = new_game_state(PIG)
    n = 6000
    seen = Counter(thrown_at(PIG.rules_of_play, position.row, room) for _ in range(n))
    for name, weight in position.outcomes():
        assert seen[PIG.notation.read_move(name)] == pytest.approx(n * weight / 6, rel=0.1)
    assert thrown_at(PIG.rules_of_play, PIG.row(PIG.start), room) == NO_MOVE


@pytest.mark.parametrize("game", TOYS, ids=lambda game: game.name)
def test_random_positions_are_those_of_a_side_to_move(game):
    for row in random_positions(game, 100, seed=1, max_plies=4):
        assert len(game.moves_in(row)) > 0 and not len(game.outcomes_in(row)[0])
