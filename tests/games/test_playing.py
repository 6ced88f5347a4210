"""A game is played in one place: whose turn it is, the dice, random play.

Random streams, random positions, and the images of positions under symmetries.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from numba import float64, int64, types, uint64

from samuel.common.errors import UserError
from samuel.games import Game, Position, game_named, game_names
from samuel.games.interface import NO_MOVE, ROW, RULES
from samuel.games.othello.rules import SQUARES
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
from samuel.games.symmetry import canonical, canonical_keys, images
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from samuel.kernels.random import STREAM, below, next_word, seed_stream, uniform
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


_FLOATS = types.Array(float64, 1, "C")


@jit(types.void(STREAM, types.Array(uint64, 1, "C")))
def fill_words(state, words):
    for i in range(words.shape[0]):
        words[i] = next_word(state)


@jit(types.void(STREAM, _FLOATS))
def fill_uniform(state, values):
    for i in range(values.shape[0]):
        values[i] = uniform(state)


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


def test_streams_differ_in_every_word() -> None:
    drawn = [stream(seed, number) for seed in range(8) for number in range(8)]
    assert len(np.unique(np.concatenate(drawn))) == 64 * 1000


def test_every_bit_of_a_stream_is_fair() -> None:
    words = np.concatenate([stream(0, number, 100) for number in range(1000)])
    ones = [(words >> np.uint64(k) & np.uint64(1)).mean() for k in range(64)]
    assert np.abs(np.array(ones) - 0.5).max() < 0.01  # six deviations


def test_uniform_numbers_fill_the_unit_interval() -> None:
    state, values = np.zeros(1, np.uint64), np.zeros(100_000)
    seed_stream(state, 1, 2)
    fill_uniform(state, values)
    assert values.min() >= 0
    assert values.max() < 1
    assert np.histogram(values, 10, (0, 1))[0] == pytest.approx(10_000, rel=0.06)


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


def test_random_positions_have_the_plies_asked_for() -> None:
    game = game_named("connect_four")
    left = [game.plies_left_in(row) for row in random_positions(game, 200, 1, 5, 9)]
    assert set(left) == set(range(42 - 9, 42 - 5 + 1))
    exact = random_positions(game_named("othello"), 100, 4, 8, 8)
    assert {game_named("othello").plies_left_in(row) for row in exact} == {60 - 8}


@pytest.mark.parametrize(("name", "plies"), [("tic_tac_toe", 9), ("othello", 100)])
def test_random_positions_that_no_game_reaches_are_refused(name: str, plies: int) -> None:
    with pytest.raises(UserError, match=f"rarely last {plies} plies"):
        random_positions(game_named(name), 1, 0, plies, plies)


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


def test_swapping_the_sides_gives_another_key() -> None:
    game = game_named("othello")
    positions = random_positions(game, 100, seed=9, min_plies=20)
    assert not np.intersect1d(
        canonical_keys(game, positions), canonical_keys(game, positions[:, ::-1])
    ).size


def test_no_positions_have_no_keys() -> None:
    game = game_named("othello")
    assert canonical_keys(game, np.zeros((0, 2), np.uint64)).shape == (0,)


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


def test_every_game_has_a_canonical_start() -> None:
    for name in game_names()[:3]:
        game = game_named(name)
        assert len(np.unique(canonical_keys(game, images(game, game.start)))) == 1


def test_read_only_positions_and_those_in_other_order_are_taken() -> None:
    game = game_named("othello")
    positions = random_positions(game, 50, seed=1)
    keys = canonical_keys(game, positions)
    read_only = positions.copy()
    read_only.flags.writeable = False
    for same in (read_only, np.asfortranarray(positions), np.repeat(positions, 2, 0)[::2]):
        assert np.array_equal(canonical_keys(game, same), keys)
        for row, other in zip(positions[:5], same, strict=False):
            assert np.array_equal(game.moves_in(other), game.moves_in(row))
            move = int(game.moves_in(row)[0])
            assert np.array_equal(game.child_of(other, move), game.child_of(row, move))
            assert game.is_over(other) == game.is_over(row)
            assert game.plies_left_in(other) == game.plies_left_in(row)


def test_positions_of_another_game_are_refused() -> None:
    with pytest.raises(ValueError, match="positions of othello must be an array"):
        canonical_keys(game_named("othello"), np.zeros((4, 3), np.uint64))
