"""Random streams, random positions, and the images of positions under symmetries."""

import numpy as np
import pytest
from numba import float64, int64, types, uint64

from samuel.errors import UserError
from samuel.games import Position, game_named, game_names
from samuel.games.othello.rules import SQUARES
from samuel.games.playing import random_positions
from samuel.games.symmetry import canonical, canonical_keys, images
from samuel.kernels.jit import jit
from samuel.kernels.random import STREAM, below, next_word, seed_stream, uniform

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
    with pytest.raises(UserError, match=f"hardly ever last {plies} plies"):
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
    with pytest.raises(ValueError, match=r"array \(n, 2\) of uint64, not one of shape \(4, 3\)"):
        canonical_keys(game_named("othello"), np.zeros((4, 3), np.uint64))
