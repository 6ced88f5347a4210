"""What patterns hold: the index kernel and the matrix of `Patterns` against sums over squares.

Stages: the shares that knots have of a count of squares left. Squares and patterns on boards of
five contents, and of more than 64 squares.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import int16, types
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

from samuel.common.errors import UserError
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
from samuel.features.terms import PatternTerms, Stages, count_tables, even_knots
from samuel.games import Board, Game, game_named
from samuel.games.interface import ROWS
from samuel.games.playing import random_positions
from samuel.games.rows import left_of
from samuel.games.symmetry import images
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from tests.games.test_board import plain_signs, positions_of
from tests.processes import run
from tests.toys.gomoku import GAME as GOMOKU
from tests.toys.kings import GAME as KINGS
from tests.toys.thousand import GAME as THOUSAND

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


@settings(max_examples=60, deadline=None)
@given(
    player=st.integers(0, 2**64 - 1),
    other=st.integers(0, 2**64 - 1),
    squares=st.lists(st.integers(0, 63), min_size=1, max_size=10, unique=True),
)
def test_any_stones_and_any_shape(player: int, other: int, squares: list[int]) -> None:
    names = game_named("othello").squares
    patterns = pattern_set([[names[square] for square in squares], ["a1", "h8"]])
    for words in ((player, other & ~player), (2**64 - 1, 0), (0, 2**64 - 1), (0, 0)):
        position = np.array([words], np.uint64)
        expected = [plain_configurations(patterns, position[0])]
        np.testing.assert_array_equal(configurations(patterns, position), expected)


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


def test_it_is_a_transformer_that_pipelines_and_clones() -> None:
    positions = random_positions(game_named("connect_four"), 200, seed=7)
    y = left_of(game_named("connect_four"), positions).astype(float)
    original = Patterns([["a1"], "a1 b1"], "connect_four", stages=2)
    pipeline = make_pipeline(clone(original), LinearRegression()).fit(positions, y)
    assert pipeline[0].n_features_in_ == 2
    assert pipeline[0].knots_ == (0, 42)
    assert not hasattr(original, "patterns_")
    assert pipeline.score(positions, y) > 0.9
    with pytest.raises(NotFittedError):
        original.transform(positions)
    with pytest.raises(NotFittedError):
        original.get_feature_names_out()


@pytest.mark.parametrize(
    "view",
    [
        lambda X: np.asfortranarray(X),
        lambda X: np.repeat(X, 2, axis=0)[::2],
        lambda X: X.astype(np.int64),
        lambda X: X.tolist(),
        lambda X: np.frombuffer(X.tobytes(), np.uint64).reshape(X.shape),
    ],
    ids=["columns first", "strided", "int64", "list", "read-only"],
)
def test_any_layout_of_positions_is_taken(view: Any) -> None:
    positions = random_positions(game_named("othello_4x4"), 20, seed=8)
    patterns = Patterns("tuples2", "othello_4x4").fit(positions)
    expected = patterns.transform(positions).toarray()
    np.testing.assert_array_equal(patterns.transform(view(positions)).toarray(), expected)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.zeros((3, 3), np.uint64), r"an array \(n, 2\) of uint64"),
        (np.zeros(2, np.uint64), r"an array \(n, 2\) of uint64"),
        (np.zeros((3, 2)), "An outer merge in pandas turns words into float64 and"),
        (np.array([["a", "b"]]), "An outer merge in pandas turns words into float64 and"),
    ],
)
def test_what_are_no_positions_is_refused(X: np.ndarray, message: str) -> None:
    patterns = Patterns("tuples2").fit(np.zeros((1, 2), np.uint64))
    with pytest.raises(ValueError, match=message):
        patterns.transform(X)
    with pytest.raises(ValueError, match=message):
        clone(patterns).fit(X)


def test_no_position_gives_no_row() -> None:
    patterns = Patterns("tuples2", stages=2).fit(np.zeros((0, 2), np.uint64))
    assert patterns.transform(np.zeros((0, 2), np.uint64)).shape == (0, 2 * 264)


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


def test_numbers_outside_the_range_of_a_table_take_the_nearest_cell() -> None:
    game = game_named("othello")
    positions = random_positions(game, 500, seed=10)
    mobility = extract(features_named(["mobility"]), positions)[:, 0]
    middle = positions[(mobility > 3) & (mobility < 8)]
    (table,) = count_tables(["mobility_player"], game.name, middle)
    assert (table.low, table.sizes) == ((4,), (4,))
    terms = PatternTerms(pattern_set("tuples2"), (table,))
    cells = terms.cells(positions)[:, 0] - terms.patterns.size
    np.testing.assert_array_equal(cells, np.clip(mobility - 4, 0, 3))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["mobility_playr"], "no number of a feature called 'mobility_playr'.*mobility_player"),
        ([("mobility_player",) * 3], "one or two numbers"),
    ],
)
def test_tables_that_are_none_are_refused(columns: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        count_tables(columns, "othello", random_positions(game_named("othello"), 50, seed=11))


def test_hats_of_known_counts() -> None:
    hats = Stages.of((0, 30, 60), 60).hats(np.array([0, 15, 30, 50, 60, 64]))
    known = [[1, 0, 0], [0.5, 0.5, 0], [0, 1, 0], [0, 1 / 3, 2 / 3], [0, 0, 1], [0, 0, 1]]
    np.testing.assert_allclose(hats, known)


@pytest.mark.parametrize("knots", [(0,), (20,), (20, 40), (0, 15, 30, 45, 60), even_knots(11, 36)])
def test_hats_are_interpolation_between_unit_vectors(knots: tuple[int, ...]) -> None:
    """Knots may lie beyond the most squares that can be left: 36."""
    left = np.arange(37)
    units = np.eye(len(knots))
    expected = np.column_stack([np.interp(left, knots, unit) for unit in units])
    np.testing.assert_allclose(Stages.of(knots, 36).hats(left), expected, atol=1e-12)


TOYS = pytest.mark.parametrize("game", [KINGS, GOMOKU], ids=lambda game: game.name)
SHAPES = ["a1 b1 a2 b2 c3", "c3", "d1 d2 d3 d4 d5"]


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


def test_the_other_side_of_kings_sees_minus_the_numbers() -> None:
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
    with pytest.raises(UserError, match="shape 'a1 b1 c1 d1 a2 b2 c2' must have 1 to 6 squares"):
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
