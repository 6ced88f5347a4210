"""What patterns hold: the index kernel and the matrix of `Patterns` against sums over squares.

Stages: the shares that knots have of a count of squares left. Squares and patterns on boards of
five contents, and of more than 64 squares.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numba import int16, types
from scipy.sparse import csr_array

from samuel.features import (
    Patterns,
    PatternSet,
    column_names,
    extract,
    features_named,
    pattern_set,
)
from samuel.features.pattern_index import INDEX, fill_numbers, index_of, lanes_of, middles
from samuel.features.shapes import most_squares
from samuel.features.terms import PatternTerms, Stages, count_tables, even_knots
from samuel.games import Board, Game, game_named
from samuel.games.playing import random_positions
from samuel.games.rows import images, left_of
from samuel.games.rules import ROWS
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from tests.games.test_board import plain_signs, positions_of
from tests.processes import run
from tests.toys.gomoku import GAME as GOMOKU
from tests.toys.kings import GAME as KINGS

CONNECT_FOUR = game_named("connect_four")
SETS = [
    ("othello", "logistello"),
    ("othello", "tuples2"),
    ("othello_6x6", "tuples3"),
    ("othello_4x4", "logistello"),
    ("connect_four", "tuples4"),
    ("tic_tac_toe", "tuples2"),
]


def plain_configurations(patterns: PatternSet, position: Any) -> list[int]:
    """Return the configuration of each instance, square by square as the module's text says."""
    player, opponent = (int(word) for word in position)
    found = []
    for shape, squares in patterns.instances:
        number = 0
        for place, square in enumerate(squares):
            bit = patterns.board.bits[square]
            number += 3**place * ((player >> bit & 1) - (opponent >> bit & 1))
        middle = 3 ** len(squares) // 2
        found.append(int(patterns.starts[shape]) + middle + number)
    return found


def plain_matrix(patterns: PatternSet, positions: Any, stages: int) -> np.ndarray:
    """Return the matrix of Patterns, as its docstring says."""
    game = game_named(patterns.game)
    knots = even_knots(stages, game.most_left)
    matrix = np.zeros((len(positions), stages, patterns.n_weights))
    for i, left in enumerate(left_of(game, positions)):
        hats = [np.interp(left, knots, unit) for unit in np.eye(stages)]
        for configuration in plain_configurations(patterns, positions[i]):
            matrix[i, :, patterns.weight_of[configuration]] += hats
    return matrix.reshape(len(positions), -1)


@jit(types.void(ROWS, INDEX, types.Array(int16, 2, "C")))
def numbers_of(positions: Any, index: Any, numbers: Any) -> None:
    for i in range(positions.shape[0]):
        fill_numbers(index, at(positions, i))
        numbers[i] = index.numbers


def configurations(patterns: PatternSet, positions: Any) -> np.ndarray:
    """Return the configuration of each instance, as compiled."""
    found = np.full((len(positions), lanes_of(patterns)), 99, np.int16)
    numbers_of(game_named(patterns.game).rows(positions), index_of(patterns), found)
    return middles(patterns) + found[:, : len(patterns.instances)]


@pytest.mark.parametrize(("game", "name"), SETS)
def test_the_kernel_numbers_what_instances_hold(game: str, name: str) -> None:
    patterns = pattern_set(name, game)
    positions = random_positions(game_named(game), 100, seed=1)
    expected = [plain_configurations(patterns, position) for position in positions]
    np.testing.assert_array_equal(configurations(patterns, positions), expected)


@pytest.mark.parametrize(
    ("game", "where", "most"),
    [(CONNECT_FOUR, "samuel.games.connect_four.rules", 40), (KINGS, "tests.toys.kings", 9)],
    ids=repr,
)
def test_the_kernel_is_the_same_as_plain_python(game: Game, where: str, most: int) -> None:
    code = (
        "import json; from samuel.features.pattern_index import *;"
        f"from samuel.features import pattern_set; from {where} import GAME;"
        "from samuel.games.playing import random_positions;"
        "index = index_of(pattern_set('tuples3', GAME));"
        f"X = random_positions(GAME, 20, seed=3, max_plies={most});"
        "print(json.dumps([(fill_numbers(index, x), index.numbers.tolist())[1] for x in X]))"
    )
    plain = json.loads(run("-c", code, env={"NUMBA_DISABLE_JIT": "1"}))
    patterns = pattern_set("tuples3", game)
    found = configurations(patterns, random_positions(game, 20, seed=3, max_plies=most))
    numbers = np.array(plain)[:, : len(patterns.instances)]
    np.testing.assert_array_equal(found, middles(patterns) + numbers)


@pytest.mark.parametrize("stages", [1, 3])
@pytest.mark.parametrize(("game", "name"), [s for s in SETS if s != ("othello", "logistello")])
def test_the_matrix_counts_weights_by_stage(game: str, name: str, stages: int) -> None:
    positions = random_positions(game_named(game), 40, seed=2)
    found = Patterns(name, game, stages=stages).fit_transform(positions)
    assert isinstance(found, csr_array)
    assert found.dtype == np.float32
    assert found.has_canonical_format
    assert (found.data != 0).all()
    expected = plain_matrix(pattern_set(name, game), positions, stages)
    np.testing.assert_allclose(found.toarray(), expected, atol=1e-6)


@pytest.mark.parametrize(("game", "name"), SETS)
def test_a_position_and_its_images_have_the_same_weights(game: str, name: str) -> None:
    rules = game_named(game)
    patterns = pattern_set(name, game)
    for position in random_positions(rules, 20, seed=4):
        held = [
            Counter(patterns.weight_of[row].tolist())
            for row in configurations(patterns, images(rules, position))
        ]
        assert all(one == held[0] for one in held)
        assert held[0].total() == len(patterns.instances)


def test_the_other_side_sees_minus_the_numbers() -> None:
    patterns = pattern_set("logistello")
    positions = random_positions(game_named("othello"), 100, seed=5)
    own = configurations(patterns, positions) - middles(patterns)
    turned = configurations(patterns, positions[:, ::-1]) - middles(patterns)
    np.testing.assert_array_equal(own, -turned)


@pytest.mark.parametrize("stages", [1, 2])
def test_names_of_columns_say_what_each_counts(stages: int) -> None:
    game = game_named("othello_4x4")
    positions = random_positions(game, 30, seed=6)
    patterns = Patterns(["pair: a1 b2", "b1 c1 c2"], game.name, stages=stages).fit(positions)
    names, matrix = patterns.get_feature_names_out(), patterns.transform(positions).toarray()
    assert names.shape == (matrix.shape[1],) == (len(set(names)),)
    assert names.dtype == object
    number = {square: k for k, square in enumerate(game.squares)}
    for name, column in zip(names, matrix.T, strict=True):
        shape, _, knot = name.partition(" at ")
        title, _, contents = shape.rpartition(" ")
        squares = {"pair": "a1 b2", "b1 c1 c2": "b1 c1 c2"}[title].split()
        held = [number[square] for square in squares]
        wanted = frozenset(zip(held, contents, strict=True))
        alike = {
            frozenset((int(symmetry[square]), held) for square, held in wanted)
            for symmetry in game.symmetries
        }
        hat = 1.0
        left = left_of(game, positions)
        if stages == 2:
            hat = left / 12 if int(knot) == 12 else 1 - left / 12
        counted = [
            sum(
                all(letter(position, game.board.bits[k]) == held for k, held in image)
                for image in alike
            )
            for position in positions
        ]
        np.testing.assert_allclose(column, hat * np.array(counted), atol=1e-6, err_msg=name)


def letter(position: Any, bit: int) -> str:
    player, opponent = (int(word) >> bit & 1 for word in position)
    return "X" if player else "O" if opponent else "-"


def test_stages_are_hats() -> None:
    assert even_knots(1, 60) == (0,)
    assert even_knots(4, 60) == (0, 20, 40, 60)
    for most in (9, 12, 60):
        for stages in range(2, most + 2):
            knots = even_knots(stages, most)
            assert (knots[0], knots[-1], len(set(knots))) == (0, most, stages)
            assert list(knots) == sorted(knots)
    stages = Stages.of((10, 20, 40), 60)
    for left in range(61):
        hats = np.zeros(3)
        hats[stages.knot[left]] += stages.share[left]
        if stages.share[left] < 1:
            hats[stages.knot[left] + 1] += 1 - stages.share[left]
        np.testing.assert_allclose(hats, [np.interp(left, (10, 20, 40), u) for u in np.eye(3)])


PAIR = ("mobility_player", "mobility_opponent")


def test_cells_of_tables_are_the_numbers_of_features() -> None:
    game = game_named("othello_6x6")
    positions = random_positions(game, 300, seed=9)
    tables = count_tables([PAIR, "mobility_player"], game.name, positions)
    terms = PatternTerms(pattern_set("tuples2", game), tables)
    features = features_named(["mobility"], game.name)
    assert column_names(features)[:2] == list(PAIR)
    values = extract(features, positions)[:, :2].astype(int)
    low, high = values.min(axis=0), values.max(axis=0)
    assert tables[0].low == tuple(low)
    assert tables[0].sizes == tuple(high - low + 1)
    assert (tables[0].name, tables[1].name) == (" x ".join(PAIR), "mobility_player")
    own, other = (values - low).T
    expected = np.stack([own * tables[0].sizes[1] + other, tables[0].size + own], axis=1)
    np.testing.assert_array_equal(terms.cells(positions), terms.patterns.size + expected)
    assert terms.size == terms.patterns.size + sum(table.size for table in tables)
    cells = terms.weight_of[terms.patterns.size :]
    np.testing.assert_array_equal(cells, np.arange(terms.patterns.n_weights, terms.n_weights))


TOYS = pytest.mark.parametrize("game", [KINGS, GOMOKU], ids=lambda game: game.name)
SHAPES = ["a1 b1 a2 b2 c3", "c3", "d1 d2 d3 d4 d5"]


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


def test_weights_are_shared_where_a_symmetry_leaves_the_shape() -> None:
    row = pattern_set(["a1 b1 c1 d1"], KINGS)
    assert (row.size, row.n_weights, len(row.instances)) == (5**4, (5**4 + 5**2) // 2, 1)
    assert row.contents(0)[:6] == ["QQQQ", "OQQQ", "-QQQ", "XQQQ", "KQQQ", "QOQQ"]
    line = pattern_set(["a1 b2 c3"], GOMOKU)
    assert (line.size, line.n_weights, len(line.instances)) == (27, 27, 4)
    across = pattern_set(["h7 h8 h9"], GOMOKU)
    assert (across.n_weights, len(across.instances)) == (18, 2)


@TOYS
def test_the_matrix_counts_configurations(game: Game) -> None:
    positions, patterns = positions_of(game, 30), pattern_set("tuples2", game)
    expected = np.zeros((30, patterns.n_weights))
    for row, found in zip(expected, configurations(patterns, positions), strict=True):
        np.add.at(row, patterns.weight_of[found], 1)
    transformer = Patterns("tuples2", game.name)
    np.testing.assert_allclose(transformer.fit_transform(positions).toarray(), expected)
    assert len(set(transformer.get_feature_names_out())) == patterns.n_weights


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
