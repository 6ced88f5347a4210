"""Parts of scores: by weights of models that are sums, or the change by a feature or a piece.

Results of `contributions`: the parts of a score, and how two scores differ.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from samuel.common.displayable import rounded
from samuel.features import column_names, extract
from samuel.features.shapes import PatternSet
from samuel.features.terms import Stages
from samuel.games.board import Board
from samuel.games.changes import board_of, turned_squares
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.rows import are_possible, left_of
from samuel.models.compiled.features import FeatureModel
from samuel.models.compiled.model import CompiledModel
from samuel.models.compiled.sums import SumModel
from samuel.models.evaluate import evaluate
from samuel.models.patterns.model import PatternModel
from samuel.models.patterns.network import NetworkModel

_LINES = 10
"""Differences that are shown."""


@dataclass(frozen=True)
class Part:
    """Contribution of a part."""

    name: str
    value: float  # in the game's unit, for the side asked about
    squares: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()  # of features, that its name is about


def part_of(column: str, number: float, value: float, game: Game) -> Part:
    """Return the part of a column of features, which has a number."""
    feature, _, last = column.rpartition("_")
    is_square = feature in ("squares", "places") and last in game.squares
    squares = (last,) if is_square else ()
    return Part(f"{column} = {rounded(number, 6)}", value, squares, (column,))


def names_seen(game: Game, side: int) -> list[str]:
    """Return the name of each square that a side sees; some games turn the board for the second."""
    squares = board_of(game).squares
    return [squares[k] for k in turned_squares(game)] if side else list(squares)


class PartOfBoth(NamedTuple):
    """Contributions of a part to the first of two scores, and to the second."""

    name: str
    first: float
    second: float


@dataclass(frozen=True, repr=False)
class Difference:
    """Difference between two static scores: `contributions(...).less(...)`."""

    first: float
    second: float
    parts: tuple[PartOfBoth, ...]  # the largest difference first
    method: str
    side: int  # 0 for the first player

    def lines(self) -> Iterator[str]:
        """Yield a line for each of the largest differences; parts that are alike are left out."""
        differ = [row for row in self.parts if round(abs(row.first - row.second), 2) > 0]
        for name, first, second in differ[:_LINES]:
            yield f"{first - second:+z.2f}  {name} ({first:+z.2f} and {second:+z.2f})"
        rest = differ[_LINES:]
        if rest:
            total = sum(row.first - row.second for row in rest)
            yield f"{total:+z.2f}  {len(rest):,} smaller parts"

    def __repr__(self) -> str:
        head = f"{self.first - self.second:+z.2f} ({self.first:+z.2f} and {self.second:+z.2f})"
        of = ("first", "second")[self.side]
        return "\n".join([f"Difference({head}, for the {of} player)", *self.lines()])


@dataclass(frozen=True)
class Contributions:
    """A static score, taken apart."""

    score: float  # in the game's unit, for the side asked about
    method: str
    parts: tuple[Part, ...]  # in the model's order
    rest: float = 0.0  # what several parts add together
    side: int = 0  # 0 for the first player

    def by_square(self) -> dict[str, float]:
        """Return what each square adds: its even share of every part that looks at it."""
        found: dict[str, float] = {}
        for part in self.parts:
            for square in part.squares:
                found[square] = found.get(square, 0.0) + part.value / len(part.squares)
        return found

    def less(self, other: Contributions) -> Difference:
        """Return what tells this score from another one, part by part.

        Parts that are told apart by what they hold are the same by their squares, or by their
        name up to an equals sign.
        """
        if self.side != other.side:
            raise ValueError(
                "contributions can be compared only from one side (contributions(side=...))"
            )
        here, there = self._named(), other._named()
        rows = [
            PartOfBoth(name, here.get(name, 0.0), there.get(name, 0.0)) for name in here | there
        ]
        rows.sort(key=lambda row: -abs(row.first - row.second))
        return Difference(self.score, other.score, tuple(rows), self.method, self.side)

    def _named(self) -> dict[str, float]:
        found: dict[str, float] = {"rest": self.rest} if self.rest else {}
        for part in self.parts:
            name = part.name.partition(" = ")[0]
            found[name] = found.get(name, 0.0) + part.value
        return found


FEATURES = "one feature at a time: the change of score from 0 to its value; the rest is joint"
PIECES = "one piece at a time: the loss of score without it; the rest is joint"


def _scores_at(
    model: FeatureModel, count: int, columns: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Return the scores (n,) of columns (n, F) at a stage of the game, or of a class."""
    stages = Stages.of(model.knots, model.most_count)
    low, share = int(stages.knot[count]), float(stages.share[count])
    total = np.zeros(len(columns))
    for knot, weight in ((low, share), (min(low + 1, len(model.blocks) - 1), 1.0 - share)):
        if weight > 0:
            total += weight * model.scores_of(model.blocks[knot], columns)
    return total


def by_feature(model: FeatureModel, rows: NDArray[np.uint64]) -> Iterator[Part]:
    """Yield the change of score of a position, of one row, by each column."""
    here = extract(model.features, rows)
    without = np.repeat(here, here.shape[1], axis=0)
    np.fill_diagonal(without, 0)
    scores = _scores_at(model, int(model.counts_of(rows)[0]), np.concatenate([here, without]))
    for name, value, part in zip(
        column_names(model.features), here[0], scores[0] - scores[1:], strict=True
    ):
        yield part_of(name, value, float(part), model.game)


def by_piece(evaluator: Evaluator, position: Position) -> Contributions:
    """Return the loss of score without each piece."""
    game, words = position.game, position.game.rows([position.words])
    board = game.board
    score = float(evaluate(evaluator, game, words)[0])
    if board is None:
        return Contributions(score, PIECES, (), score, position.side)
    digits = board.digits(words)[:, 0]
    held = [square for square, digit in enumerate(digits) if digit != board.empty]
    without = np.repeat(words, len(held), axis=0)
    for row, square in zip(without, held, strict=True):
        word, bit = divmod(board.bits[square], 64)
        for content in board.kept:
            assert content.word is not None
            row[content.word + word] &= ~(np.uint64(1) << np.uint64(bit))
    possible = are_possible(game, without)  # no game of Chinese chess lacks a general
    held = [square for square, one in zip(held, possible, strict=True) if one]
    without = without[possible]
    names = names_seen(game, position.side)
    lost = score - evaluate(evaluator, game, without).astype(np.float64)
    parts = tuple(
        Part(f"{names[square]} = {board.contents[digits[square]].signs[position.side]}",
             float(part), (names[square],))
        for square, part in zip(held, lost, strict=True)
    )  # fmt: skip
    rest = score - sum(part.value for part in parts)
    return Contributions(score, PIECES, parts, rest, position.side)


def _static_score(model: CompiledModel, rows: NDArray[np.uint64]) -> float:
    """Return the score of a position, of one row, without search."""
    return float(evaluate(model.evaluator("part"), model.game, rows)[0])


@functools.singledispatch
def parts_of(model: Any, rows: NDArray[np.uint64], side: int) -> Iterator[Part]:
    """Yield the parts of a model at a position, of one row: a network is one part."""
    yield Part("network", _static_score(model, rows))


@parts_of.register
def _of_sum(model: SumModel, rows: Any, side: int) -> Iterator[Part]:
    for addend in model.parts:
        yield from parts_of(addend, rows, side)


@parts_of.register
def _of_network(model: NetworkModel, rows: Any, side: int) -> Iterator[Part]:
    yield from parts_of(model.linear, rows, side)
    with_it, without = (_static_score(one, rows) for one in (model, model.linear))
    yield Part("network", with_it - without)


@parts_of.register
def _of_features(model: FeatureModel, rows: Any, _side: int) -> Iterator[Part]:
    """Yield the parts of a linear model: its intercept, and each column times its weight."""
    if model.kind != "linear":
        yield from by_feature(model, rows)
        return
    parameters = np.stack([[b.intercept, *b.weights] for b in model.blocks]).astype(np.float64)
    stages = Stages.of(model.knots, model.most_count)
    weights = list(stages.blended(parameters))[int(model.counts_of(rows)[0])]
    values = extract(model.features, rows)[0]
    if weights[0]:
        yield Part("intercept", float(weights[0]))
    for name, value, weight in zip(column_names(model.features), values, weights[1:], strict=True):
        yield part_of(name, value, float(weight * value), model.game)


def _configurations(patterns: PatternSet, rows: NDArray[np.uint64]) -> NDArray[np.int64]:
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


@parts_of.register
def _of_patterns(model: PatternModel, rows: Any, side: int) -> Iterator[Part]:
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
        name = f"table of {columns} = {seen_text}"
        yield Part(name, float(worth[cell]) / unit, columns=table.columns)


@functools.lru_cache(maxsize=4)
def _held_of(model: PatternModel) -> NDArray[np.int16]:
    """Return the weights as the search adds them up, rounded."""
    return model.held()
