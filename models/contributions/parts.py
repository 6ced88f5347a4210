"""Parts of scores by the weights of models that are sums."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from samuel.common.units import rounded
from samuel.features import column_names, extract
from samuel.features.shapes import PatternSet
from samuel.features.terms import Stages
from samuel.games.board import Board
from samuel.games.changes import board_of, turned_squares
from samuel.games.game import Game
from samuel.games.rows import left_of
from samuel.models.compiled.features import FeatureModel
from samuel.models.compiled.model import CompiledModel
from samuel.models.contributions.result import Part
from samuel.models.evaluate import evaluate
from samuel.models.patterns.model import PatternModel


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
    """Return the name of a straight line of squares, and these in the board's order, or None."""
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


def pattern_parts(model: PatternModel, rows: NDArray[np.uint64], side: int) -> Iterator[Part]:
    """Yield the parts of a sum over patterns."""
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
    values = worth[configurations] / unit
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
