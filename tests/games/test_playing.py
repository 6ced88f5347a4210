"""A game is played in one place: whose turn it is, the dice, random play.

Random streams, random positions, and the images of positions under symmetries.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from numba import int64, types, uint64

from samuel.common.errors import UserError
from samuel.games import Game, Position, game_named
from samuel.games.othello.rules import SQUARES
from samuel.games.playing import (
    GAME_STATE,
    advance,
    begin,
    forced,
    is_among,
    is_chances_turn,
    listed,
    mover,
    new_game_state,
    random_positions,
    result_of,
    thrown_at,
)
from samuel.games.rows import canonical, canonical_keys, images
from samuel.games.rules import NO_MOVE, ROW, RULES
from samuel.kernels.bits import STREAM, below, next_word, seed_stream
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from samuel.kernels.records import to_pointers
from tests.toys import DOTS_AND_BOXES, PIG, TOYS

_SEEN = types.Array(int64, 1, "C")


@jit(types.void(RULES, ROW, GAME_STATE, types.Array(types.int32, 1, "C"), _SEEN))
def _play(rules: Any, start: Any, arrays: Any, moves: Any, seen: Any) -> None:
    state = to_pointers(arrays)
    begin(rules, state, at(start, 0), int64(0))
    for k in range(moves.shape[0]):
        seen[4] += 1 if is_among(state.moves, listed(rules, state), int64(moves[k])) else 0
        advance(rules, state, int64(moves[k]))
    seen[0], seen[1] = mover(state), is_chances_turn(state)
    seen[2] = forced(rules, state)
    seen[3] = int64(result_of(rules, state)) if rules.is_terminal(state.position) else int64(0)


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


@jit(types.void(STREAM, types.Array(uint64, 1, "C")))
def fill_words(state, words):
    for i in range(words.shape[0]):
        words[i] = next_word(state)


@jit(types.void(STREAM, int64, types.Array(int64, 1, "C")))
def fill_below(state, n, values):
    for i in range(values.shape[0]):
        values[i] = below(state, n)


def stream(seed: int, number: int, n: int = 1000):
    state, words = np.zeros(1, np.uint64), np.zeros(n, np.uint64)
    seed_stream(state, seed, number)
    fill_words(state, words)
    return words


def test_a_stream_is_its_seed_and_number() -> None:
    assert np.array_equal(stream(3, 5), stream(3, 5))


@pytest.mark.parametrize("n", [1, 2, 7, 34])
def test_integers_below_a_bound_are_all_drawn(n: int) -> None:
    state, values = np.zeros(1, np.uint64), np.zeros(10_000 * n, np.int64)
    fill_below(state, n, values)
    assert np.bincount(values) == pytest.approx(10_000, rel=0.06)
    assert len(np.bincount(values)) == n


@pytest.mark.parametrize("name", ["othello", "connect_four", "tic_tac_toe"])
def test_random_positions_are_unfinished_and_repeat(name: str) -> None:
    game = game_named(name)
    positions = random_positions(game, 300, seed=2)
    assert positions.shape == (300, game.words)
    assert positions.dtype == np.uint64
    assert not any(game.is_over(row) for row in positions)
    assert np.array_equal(positions, random_positions(game, 300, seed=2))
    assert not np.array_equal(positions, random_positions(game, 300, seed=3))


def test_the_images_of_a_corner_and_an_edge() -> None:
    game = game_named("othello")
    for square, orbit in {
        "a1": "a1 a8 h1 h8",
        "b1": "b1 g1 a2 h2 a7 h7 b8 g8",
        "c2": "c2 f2 b3 g3 b6 g6 c7 f7",
        "d4": "d4 e4 d5 e5",
    }.items():
        words = (1 << SQUARES.index(square), 0)
        found = {SQUARES[int(word).bit_length() - 1] for word in images(game, words)[:, 0]}
        assert found == set(orbit.split())


@pytest.mark.parametrize("name", ["othello", "connect_four", "tic_tac_toe"])
def test_the_canonical_image_is_the_smallest_and_is_its_own(name: str) -> None:
    game = game_named(name)
    positions = random_positions(game, 200, seed=7)
    smallest = canonical(game, positions)
    expected = [min(map(tuple, images(game, row).tolist())) for row in positions]
    assert list(map(tuple, smallest.tolist())) == expected
    assert np.array_equal(canonical(game, smallest), smallest)


@pytest.mark.parametrize("name", ["othello", "connect_four", "tic_tac_toe"])
def test_canonical_keys_are_equal_for_images_and_for_nothing_else(name: str) -> None:
    game = game_named(name)
    positions = random_positions(game, 500, seed=8)
    keys = canonical_keys(game, positions)
    for row, key in zip(positions, keys, strict=True):
        assert set(canonical_keys(game, images(game, row)).tolist()) == {int(key)}
    different = {tuple(row) for row in canonical(game, positions).tolist()}
    assert len(np.unique(keys)) == len(different)


def test_765_positions_of_tic_tac_toe_differ() -> None:
    # known from many sources: 5478 positions, 765 up to symmetry, of which 138 are finished
    game = game_named("tic_tac_toe")
    level, everything = {game.start}, {game.start}
    while level:
        level = {
            tuple(int(word) for word in game.child_of(game.row(words), int(move)))
            for words in level
            for move in game.moves_in(game.row(words))
        }
        everything |= level
    assert len(everything) == 5478
    rows = canonical(game, list(everything))
    distinct = {tuple(row) for row in rows.tolist()}
    assert len(distinct) == 765
    assert sum(Position(game, words).is_terminal for words in distinct) == 138


def test_positions_of_another_game_are_refused() -> None:
    with pytest.raises(ValueError, match="positions of othello must be an array"):
        canonical_keys(game_named("othello"), np.zeros((4, 3), np.uint64))
