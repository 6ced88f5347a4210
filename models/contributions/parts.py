"""Parts of scores by the weights of models: exact for sums, integrated gradients for networks."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samuel.common.units import rounded
from samuel.features import column_names, extract
from samuel.features.shapes import PatternSet
from samuel.features.terms import Stages
from samuel.games.board import Board
from samuel.games.changes import board_of, turned_squares
from samuel.games.interface import Game
from samuel.games.rows import left_of
from samuel.models.compiled.features import FeatureModel
from samuel.models.compiled.model import CompiledModel
from samuel.models.contributions.result import Part
from samuel.models.evaluate import evaluate
from samuel.models.nnue.inputs import buckets_in, rows_by_code, views_in
from samuel.models.nnue.kernel import ONE_UNIT
from samuel.models.nnue.model import NnueModel
from samuel.models.patterns.model import PatternModel
from samuel.models.patterns.network import CEILING, NetworkModel
from samuel.models.patterns.network_kernel import layers_of

_STEPS = 256
"""Places on the way at which the gradient of a network is taken."""


def static_score(model: CompiledModel, rows: NDArray[np.uint64]) -> float:
    """Return the score of a position, of one row, without search."""
    return float(evaluate(model.evaluator("part"), model.game, rows)[0])


def feature_parts(model: FeatureModel, rows: NDArray[np.uint64]) -> Iterator[Part]:
    """Yield the parts of a linear model: its intercept, and each column times its weight."""
    parameters = np.stack([[b.intercept, *b.weights] for b in model.blocks]).astype(np.float64)
    stages = Stages.of(model.knots, model.most_count)
    weights = list(stages.blended(parameters))[int(model.counts_of(rows)[0])]
    values = extract(model.features, rows)[0]
    if weights[0]:
        yield Part("intercept", float(weights[0]))
    for name, value, weight in zip(column_names(model.features), values, weights[1:], strict=True):
        yield Part(
            f"{name} = {rounded(value, 6)}", float(weight * value), square_in(name, model.game)
        )


def square_in(column: str, game: Game) -> tuple[str, ...]:
    """Return the square of a column of the feature of single squares."""
    feature, _, last = column.rpartition("_")
    return (last,) if feature in ("squares", "places") and last in game.squares else ()


def network_parts(model: NetworkModel, rows: NDArray[np.uint64], side: int) -> Iterator[Part]:
    """Yield the parts of a network over patterns: its instances and the network at the stage."""
    patterns, game = model.linear.terms.patterns, model.game
    left = min(max(int(left_of(game, rows)[0]), 0), game.most_left)
    stage = left * len(model.inner) // (game.most_left + 1)
    held = model.rows[patterns.weight_of[_configurations(patterns, rows)]] * model.steps
    way = (np.arange(_STEPS) + 0.5)[:, None] / _STEPS
    before = model.biases[left] + way * held.sum(axis=0)
    layers, floats = layers_of(len(model.steps)), model.layers[stage]
    made = layers.forward(floats, np.clip(before, 0, CEILING))
    slopes = layers.slopes(floats, made) * (before == made[0]) * (abs(made[-1]) < model.limit)
    shares = held.astype(float) @ slopes.mean(axis=0)
    yield from pattern_parts(model.linear, rows, side, shares)
    with_it, without = (static_score(one, rows) for one in (model, model.linear))
    yield Part("network at this stage", with_it - without - float(shares.sum()))


def piece_parts(model: NnueModel, rows: NDArray[np.uint64], side: int) -> Iterator[Part]:
    """Yield the share of each piece in a network, along the straight way from the empty board."""
    game, board, layers = model.game, board_of(model.game), model.shape.layers
    (bucket,) = buckets_in(game, model.shape.buckets, rows)
    floats = model.float_layers[bucket].astype(float)
    digits = board.digits(rows)[:, 0]
    held = np.flatnonzero(digits != board.empty)
    words = [board.contents[digits[square]].word or 0 for square in held]
    codes = 64 * np.array(words, np.int64) + np.array(board.bits)[held]
    tables, views = rows_by_code(game, model.shape.n_areas), views_in(game, model.shape, rows)[0]
    halves = [model.rows[tables[view, half, codes]] / ONE_UNIT for half, view in enumerate(views)]
    added = np.concatenate(halves, axis=1)
    way = (np.arange(_STEPS) + 0.5)[:, None] / _STEPS
    values, inner = layers.activated(
        np.tile(model.biases / ONE_UNIT, 2) + way * added.sum(axis=0, keepdims=True)
    )
    slopes = layers.slopes(floats, layers.forward(floats, values)) * inner
    shares = model.unit * (added @ slopes.mean(axis=0))
    names = names_seen(game, side)
    for square, share in zip(held.tolist(), shares.tolist(), strict=True):
        sign = board.contents[digits[square]].signs[side]
        yield Part(f"{names[square]} = {sign}", share, (names[square],))
    yield Part("network without pieces", static_score(model, rows) - float(shares.sum()))


def names_seen(game: Game, side: int) -> list[str]:
    """Return the name of each square that a side sees; some games turn the board for the second."""
    squares = board_of(game).squares
    return [squares[k] for k in turned_squares(game)] if side else list(squares)


def _configurations(patterns: PatternSet, rows: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the configuration of each instance in a position, of one row."""
    digits = patterns.board.digits(rows)[:, 0].astype(np.int64)
    base = len(patterns.board.contents)
    return np.array(
        [
            patterns.starts[shape] + int(digits[list(squares)] @ base ** np.arange(len(squares)))
            for shape, squares in patterns.instances
        ]
    )


def _named_line(board: Board, squares: tuple[int, ...]) -> tuple[str, tuple[int, ...]] | None:
    """Return the name of a straight line of squares, and these in the board's order, or None.

    A shape has one name for all its images; of the shape "row 3" one image is column c.
    """
    squares = squares if squares[0] < squares[-1] else squares[::-1]
    places = [divmod(square, board.columns) for square in squares]
    steps = {(b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(places)}
    if len(squares) < 3 or len(steps) != 1:
        return None
    (down, right), (row, column) = steps.pop(), places[0]
    if (down, right) == (0, 1):
        return f"row {board.row_names[row]}", squares
    if (down, right) == (1, 0):
        return f"column {board.column_names[column]}", squares
    return ("diagonal", squares) if (down, abs(right)) == (1, 1) else None


def pattern_parts(
    model: PatternModel, rows: NDArray[np.uint64], side: int, shares: ArrayLike = 0.0
) -> Iterator[Part]:
    """Yield the parts of a sum over patterns; `shares` are added to those of the instances."""
    terms, game = model.terms, model.game
    patterns, board = terms.patterns, terms.patterns.board
    left = min(max(int(left_of(game, rows)[0]), 0), game.most_left)
    worth, unit = _held_of(model)[left], model.unit
    turned = turned_squares(game) if side else np.arange(len(board.squares))
    digits = board.digits(rows)[turned, 0].astype(np.int64)
    bias = round(unit * model.intercept) / unit
    if bias:
        yield Part("intercept", bias)
    signs = [content.signs[side] for content in board.contents]
    configurations = _configurations(patterns, rows)
    values = worth[configurations] / unit + shares
    for (shape, seen), value in zip(patterns.instances, values, strict=True):
        squares = tuple(turned[list(seen)].tolist())
        title, squares = _named_line(board, squares) or (patterns.shapes[shape].name, squares)
        names = tuple(board.squares[square] for square in squares)
        holds = "".join(signs[digits[square]] for square in squares)
        yield Part(f"{title}: {' '.join(names)} = {holds}", float(value), names)
    if not terms.tables:
        return
    counts = dict(zip(column_names(terms.features), extract(terms.features, rows)[0], strict=True))
    for table, cell in zip(terms.tables, terms.cells(rows)[0], strict=True):
        columns = ", ".join(table.columns)
        seen_text = ", ".join(rounded(counts[column], 6) for column in table.columns)
        yield Part(f"table of {columns} = {seen_text}", float(worth[cell]) / unit)


@functools.lru_cache(maxsize=4)
def _held_of(model: PatternModel) -> NDArray[np.int16]:
    """Return the weights as the search adds them up, rounded."""
    return model.held()
