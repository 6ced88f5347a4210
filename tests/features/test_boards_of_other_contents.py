"""Squares and patterns on boards of five contents, and of more than 64 squares."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numba import int16, types

from samuel.errors import UserError
from samuel.features import (
    Patterns,
    PatternSet,
    column_names,
    extract,
    features_named,
    pattern_set,
    set_names,
)
from samuel.features.pattern_index import INDEX, fill_numbers, index_of, lanes_of, middles
from samuel.features.shapes import most_squares
from samuel.games import Board, Game
from samuel.games.interface import ROWS
from samuel.games.playing import random_positions
from samuel.games.symmetry import images
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from tests.games.test_board import plain_signs, positions_of
from tests.processes import run
from tests.toys.gomoku import GAME as GOMOKU
from tests.toys.kings import GAME as KINGS
from tests.toys.thousand import GAME as THOUSAND

TOYS = pytest.mark.parametrize("game", [KINGS, GOMOKU], ids=lambda game: game.name)
SHAPES = ["a1 b1 a2 b2 c3", "c3", "d1 d2 d3 d4 d5"]


@jit(types.void(ROWS, INDEX, types.Array(int16, 2, "C")))
def numbers_of(positions: Any, index: Any, numbers: Any) -> None:
    for i in range(positions.shape[0]):
        fill_numbers(index, at(positions, i))
        numbers[i] = index.numbers


def configurations(patterns: PatternSet, positions: Any) -> Any:
    """Return the configuration of each instance, as compiled."""
    found = np.full((len(positions), lanes_of(patterns)), 99, np.int16)
    numbers_of(positions, index_of(patterns), found)
    return middles(patterns) + found[:, : len(patterns.instances)]


@TOYS
def test_squares_are_told_by_kind(game: Game) -> None:
    assert game.board is not None
    features = features_named(["squares"], game.name)
    kinds = [("", "XO"), ("K_", "KQ")][: len(game.board.pieces)]
    names = [f"squares_{kind}{square}" for kind, _ in kinds for square in game.squares]
    assert column_names(features) == names
    positions = positions_of(game)
    for row, values in zip(positions, extract(features, positions), strict=True):
        signs = plain_signs(game, row)
        expected = [
            (sign == mine) - (sign == theirs) for _, (mine, theirs) in kinds for sign in signs
        ]
        assert values.tolist() == expected


@TOYS
def test_squares_are_permuted_by_symmetries(game: Game) -> None:
    features, size = features_named(["squares"], game.name), len(game.squares)
    for row in positions_of(game, 10):
        values = extract(features, images(game, row)).reshape(len(game.symmetries), -1, size)
        for symmetry, moved in zip(game.symmetries, values, strict=True):
            assert np.array_equal(moved[:, symmetry], values[0])


@TOYS
def test_configurations_are_what_stands_on_the_squares(game: Game) -> None:
    patterns = pattern_set(SHAPES, game)
    every = [patterns.contents(number) for number in range(len(SHAPES))]
    positions = positions_of(game)
    for row, found in zip(positions, configurations(patterns, positions), strict=True):
        signs = plain_signs(game, row)
        for (shape, squares), number in zip(patterns.instances, found, strict=True):
            held = every[shape][number - patterns.starts[shape]]
            assert held == "".join(signs[square] for square in squares)


def test_words_that_contradict_each_other_stay_within_the_shape() -> None:
    words = np.random.default_rng(0).integers(0, 2**64, (200, 4), np.uint64)
    patterns = pattern_set(SHAPES, KINGS)
    shapes = np.array([shape for shape, _ in patterns.instances])
    for positions in (words, np.full((1, 4), 2**64 - 1, np.uint64)):
        found = configurations(patterns, positions)
        assert (found >= patterns.starts[shapes]).all()
        assert (found < patterns.starts[shapes + 1]).all()


@TOYS
def test_images_have_the_same_weights(game: Game) -> None:
    patterns = pattern_set([*SHAPES, "a3 b3 c3 d3"], game)
    for row in positions_of(game, 20):
        found = configurations(patterns, images(game, row))
        held = [Counter(patterns.weight_of[one].tolist()) for one in found]
        assert all(one == held[0] for one in held)


def test_weights_are_shared_where_a_symmetry_leaves_the_shape() -> None:
    row = pattern_set(["a1 b1 c1 d1"], KINGS)
    assert (row.size, row.n_weights, len(row.instances)) == (5**4, (5**4 + 5**2) // 2, 1)
    assert row.contents(0)[:6] == ["QQQQ", "OQQQ", "-QQQ", "XQQQ", "KQQQ", "QOQQ"]
    line = pattern_set(["a1 b2 c3"], GOMOKU)
    assert (line.size, line.n_weights, len(line.instances)) == (27, 27, 4)
    across = pattern_set(["h7 h8 h9"], GOMOKU)
    assert (across.n_weights, len(across.instances)) == (18, 2)


def test_the_other_side_sees_minus_the_numbers() -> None:
    patterns, positions = pattern_set(SHAPES, KINGS), positions_of(KINGS)
    own = configurations(patterns, positions) - middles(patterns)
    other = configurations(patterns, positions[:, [1, 0, 3, 2]].copy()) - middles(patterns)
    np.testing.assert_array_equal(own, -other)


@TOYS
def test_the_matrix_counts_configurations(game: Game) -> None:
    positions, patterns = positions_of(game, 30), pattern_set("tuples2", game)
    expected = np.zeros((30, patterns.n_weights))
    for row, found in zip(expected, configurations(patterns, positions), strict=True):
        np.add.at(row, patterns.weight_of[found], 1)
    transformer = Patterns("tuples2", game.name)
    np.testing.assert_allclose(transformer.fit_transform(positions).toarray(), expected)
    assert len(set(transformer.get_feature_names_out())) == patterns.n_weights


def test_the_kernel_is_the_same_as_plain_python() -> None:
    code = (
        "import json; from samuel.features.pattern_index import *;"
        "from samuel.features import pattern_set; from tests.toys.kings import GAME;"
        "from samuel.games.playing import random_positions;"
        "index = index_of(pattern_set('tuples3', GAME));"
        "X = random_positions(GAME, 10, seed=3, max_plies=9);"
        "print(json.dumps([(fill_numbers(index, x), index.numbers.tolist())[1] for x in X]))"
    )
    plain = json.loads(run("-c", code, env={"NUMBA_DISABLE_JIT": "1"}))
    patterns = pattern_set("tuples3", KINGS)
    positions = random_positions(KINGS, 10, seed=3, max_plies=9)
    numbers = np.array(plain)[:, : len(patterns.instances)]
    np.testing.assert_array_equal(configurations(patterns, positions), middles(patterns) + numbers)


@pytest.mark.parametrize(
    ("board", "most"),
    [
        (Board(4, 4), 10),
        (Board(4, 4, pieces=("XO", "KQ")), 6),
        (Board(4, 4, pieces=("XO", "#")), 7),
        (Board(4, 4, pieces=("PA", "NB", "CD", "EF", "GH", "IJ")), 4),
    ],
)
def test_so_many_squares_are_read_together_as_16_bits_number(board: Board, most: int) -> None:
    assert most_squares(board) == most


def test_a_shape_of_too_many_squares_is_refused() -> None:
    with pytest.raises(UserError, match="has 7 squares; 1 to 6 can be read together"):
        pattern_set(["a1 b1 c1 d1 a2 b2 c2"], KINGS)
    assert "tuples5" in set_names(KINGS) and "tuples6" not in set_names(KINGS)
    assert "tuples6" in set_names(GOMOKU)


def test_sets_with_more_lines_than_are_read_are_not_offered() -> None:
    assert not set_names(THOUSAND)
    with pytest.raises(UserError, match="no set of patterns called 'tuples2'"):
        pattern_set("tuples2", THOUSAND)
    men = [sign + sign.lower() for sign in "ABCDEFG"]
    game = replace(GOMOKU, name="large", start=(0,) * 56, board=Board(15, 15, pieces=men))
    assert set(set_names(game)) == {"tuples2", "tuples3"}
