"""What patterns hold: the index kernel and the matrix of `Patterns` against sums over squares."""

import json
from collections import Counter
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

from samuel.errors import UserError
from samuel.features import Patterns, PatternSet, column_names, extract, features_named, pattern_set
from samuel.features.pattern_index import INDEX, fill_numbers, index_of, lanes_of, middles
from samuel.features.terms import Stages, Terms, count_tables, even_knots
from samuel.games import game_named
from samuel.games.interface import ROWS
from samuel.games.playing import random_positions
from samuel.games.rows import left_of
from samuel.games.symmetry import images
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from tests.processes import run

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


def test_the_kernel_is_the_same_as_plain_python() -> None:
    code = (
        "import json, numpy as np; from samuel.features.pattern_index import *;"
        "from samuel.features import pattern_set; from samuel.games import game_named;"
        "from samuel.games.playing import random_positions;"
        "patterns = pattern_set('tuples3', 'connect_four');"
        "index = index_of(patterns);"
        "X = random_positions(game_named('connect_four'), 20, seed=3);"
        "print(json.dumps([(fill_numbers(index, x), index.numbers.tolist())[1] for x in X]))"
    )
    plain = json.loads(run("-c", code, env={"NUMBA_DISABLE_JIT": "1"}))
    patterns = pattern_set("tuples3", "connect_four")
    found = configurations(patterns, random_positions(game_named("connect_four"), 20, seed=3))
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
        (np.zeros((3, 2)), "not float64"),
        (np.array([["a", "b"]]), "uint64 words, not str_"),
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
    terms = Terms(pattern_set("tuples2", game), tables)
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
    terms = Terms(pattern_set("tuples2"), (table,))
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
