"""Why a position has its score: what each part of a model adds to it.

Sums are taken apart exactly: linear models into their features, models of patterns into their
instances and tables. Models that are no sum over features, trees and networks, are explained by
Shapley values (L. Shapley 1953; for models E. Strumbelj and I. Kononenko 2010): what a feature adds
to those before it, the mean over random orders and over random positions of the same phase, whose
own score is a part as well. In a network over patterns an instance's part is its weight and what
its row adds along the straight way from no rows to all (integrated gradients: M. Sundararajan, A.
Taly and Q. Yan 2017). So is a piece's in a network over pieces, along the way from the empty board.
Where only the score is known, a square's part is what is lost without its piece, and the rest is
said.

In each case the parts, with `rest`, add up to the score.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samuel.errors import UserError
from samuel.features import column_names, extract
from samuel.features.shapes import PatternSet
from samuel.features.terms import Stages
from samuel.games.board import Board
from samuel.games.changes import board_of, turned_squares
from samuel.games.evaluator import HAND_MADE, Evaluator
from samuel.games.interface import Game
from samuel.games.playing import random_positions
from samuel.games.position import Position
from samuel.games.rows import are_possible, left_of
from samuel.models.compiled.features import FeatureModel
from samuel.models.compiled.model import CompiledModel
from samuel.models.compiled.sums import SumModel
from samuel.models.evaluate import evaluate
from samuel.models.learned import folder_of, learned_names
from samuel.models.named import handmade_model
from samuel.models.nnue.inputs import buckets_in, rows_by_code, views_in
from samuel.models.nnue.kernel import ONE_UNIT
from samuel.models.nnue.model import NnueModel
from samuel.models.patterns.model import PatternModel
from samuel.models.patterns.network import CEILING, NetworkModel
from samuel.models.patterns.network_kernel import layers_of
from samuel.models.saved.loading import load_compiled

EXACT = "exact: the model is the sum of these parts"
SHAPLEY = "Shapley values: means over random orders and positions of the same phase"
GRADIENTS = "integrated gradients: the weight of each pattern and its share of the network"
PIECES = "integrated gradients: the share of each piece in the network"
ABLATION = "ablation: the loss of score without each piece; the rest is not due to one piece"
_LINES = 10
"""Differences that are shown."""
_ORDERS = 64
_STEPS = 256
"""Places on the way at which the gradient of a network is taken."""
_OTHER = {"player": "opponent", "opponent": "player"}
_POOL = 2000
"""Random positions, of which those nearest in phase are compared with."""


@dataclass(frozen=True)
class Part:
    """Contribution of a part.

    Attributes
    ----------
    name
        name of the part: a feature and its value, a pattern and what stands on it, a square. In the
        name of a feature, `player` is the side asked about, and `opponent` the other.
    value
        in the game's unit, for the side asked about.
    squares
        the names of those that it looks at, where that can be said.
    """

    name: str
    value: float
    squares: tuple[str, ...] = ()


class PartOfBoth(NamedTuple):
    """Contributions of a part to the first of two scores, and to the second."""

    name: str
    first: float
    second: float


@dataclass(frozen=True, repr=False)
class Difference:
    """Difference between two static scores: `contributions(...).less(...)`.

    Attributes
    ----------
    first, second
        the two scores, for the side asked about, in the game's unit.
    parts
        contributions of each part to both, the largest difference first.
    method
        description of the method, in a line.
    side
        the side asked about: 0 for the first player, 1 for the second.
    """

    first: float
    second: float
    parts: tuple[PartOfBoth, ...]
    method: str
    side: int

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
    """A static score, taken apart.

    Attributes
    ----------
    score
        for the side asked about, in the game's unit.
    method
        description of the method, in a line.
    parts
        in the model's order.
    rest
        rest of the score; 0 but for ablation.
    side
        the side asked about: 0 for the first player, 1 for the second.
    """

    score: float
    method: str
    parts: tuple[Part, ...]
    rest: float = 0.0
    side: int = 0

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

        Raises
        ------
        ValueError
            The two are from different sides.
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


def contributions(
    evaluator: Evaluator | Path | str,
    position: Position,
    *,
    model: CompiledModel | None = None,
    seed: int = 0,
    side: int | None = None,
) -> Contributions:
    """Split the static score of a position into the parts of its features or patterns.

    Parameters
    ----------
    evaluator
        Evaluator, its name, or the folder of a model.
    position
        Position in which a side is to move.
    model
        Model of the evaluator. By default it is looked up (`model_of`).
    seed
        Seed of the orders and positions of Shapley values.
    side
        Side, 0 or 1, from which scores and parts are seen. By default the side to move.

    Returns
    -------
    Contributions
        Parts of the score, and the static score that they add up to.

    Raises
    ------
    UserError
        The game is over, chance is to move, or the evaluator is for another game.

    Examples
    --------
    >>> import samuel
    >>> position = samuel.Position.start("tic_tac_toe")
    >>> parts = samuel.contributions("runs/ridge", position).parts
    >>> parts[0].name
    'intercept'
    """
    if not isinstance(evaluator, Evaluator):
        from samuel.models import load_evaluator

        evaluator = load_evaluator(evaluator, position.game)
    evaluator.require_game(position.game)
    if position.is_terminal or position.is_chance:
        what = "the game is over" if position.is_terminal else "chance is to move"
        raise UserError(
            f"{what} here: contributions exist only for positions where a side is to move"
        )
    model = model_of(evaluator, position.game) if model is None else model
    if model is None:
        found = _by_ablation(evaluator, position)
    else:
        rows = position.game.rows([position.words])
        parts = tuple(_parts(model, rows, position.side, seed))
        score = float(evaluate(evaluator, position.game, [position.words])[0])
        methods = {_method(one) for one in _addends(model)}
        method = next(name for name in (SHAPLEY, GRADIENTS, PIECES, EXACT) if name in methods)
        found = Contributions(score, method, parts, 0.0, position.side)
    return found if side in (None, found.side) else _turned(found, model)


def _turned(found: Contributions, model: CompiledModel | None) -> Contributions:
    """Return what was found for the side to move as the other side sees it."""
    columns = {name for one in _addends(model) for name in _columns(one)} if model else set()
    parts = tuple(
        replace(part, name=_turned_name(part.name, columns), value=-part.value)
        for part in found.parts
    )
    return Contributions(-found.score, found.method, parts, -found.rest, 1 - found.side)


def _columns(model: CompiledModel) -> list[str]:
    if isinstance(model, NetworkModel):
        model = model.linear
    if isinstance(model, PatternModel):
        return column_names(model.terms.features) if model.terms.tables else []
    return column_names(model.features) if isinstance(model, FeatureModel) else []


def _turned_name(name: str, columns: set[str]) -> str:
    """Return a part's name with the columns in it as the side that is not to move calls them."""
    about, equals, value = name.partition(" = ")
    table, comma = "table of ", ", "
    if about.startswith(table):
        turned = (_turned_column(one) for one in about.removeprefix(table).split(comma))
        return f"{table}{comma.join(turned)}{equals}{value}"
    return _turned_column(about) + equals + value if about in columns else name


def _turned_column(column: str) -> str:
    """Return what the other side calls a number that the side to move has read.

    The player's number is the opponent's there. A number without such a partner is still seen by
    the side to move, and that is said.
    """
    words = column.split("_")
    if not _OTHER.keys() & set(words):
        return f"{column} seen by the opponent"
    return "_".join(_OTHER.get(word, word) for word in words)


@functools.lru_cache(maxsize=16)
def model_of(evaluator: Evaluator, game: Game) -> CompiledModel | None:
    """Return what an evaluator was compiled from; None where only its function is known.

    The file that it came from may hold another model by now, or may score otherwise.
    """
    folder = evaluator.origin
    if evaluator.name in learned_names(game.name) and not folder:
        folder = str(folder_of(evaluator.name, game))
    model: CompiledModel | None = None
    with suppress(UserError):
        is_handmade = folder == HAND_MADE
        model = handmade_model(evaluator.name, game) if is_handmade else load_compiled(folder)
    is_same = model and model.evaluator("").is_like(replace(evaluator, probcut=None))
    return model if is_same else None


def _addends(model: CompiledModel) -> Iterator[CompiledModel]:
    for part in model.parts if isinstance(model, SumModel) else ():
        yield from _addends(part)
    if not isinstance(model, SumModel):
        yield model


def _method(model: CompiledModel) -> str:
    if isinstance(model, FeatureModel) and model.kind != "linear":
        return SHAPLEY
    if isinstance(model, NnueModel):
        return PIECES
    return GRADIENTS if isinstance(model, NetworkModel) else EXACT


def _parts(model: CompiledModel, rows: NDArray[np.uint64], side: int, seed: int) -> Iterator[Part]:
    if isinstance(model, SumModel):
        for addend in model.parts:
            yield from _parts(addend, rows, side, seed)
    elif isinstance(model, PatternModel):
        yield from _of_patterns(model, rows, side)
    elif isinstance(model, NetworkModel):
        yield from _of_network(model, rows, side)
    elif isinstance(model, NnueModel):
        yield from _of_pieces(model, rows, side)
    elif isinstance(model, FeatureModel) and model.kind == "linear":
        yield from _of_features(model, rows)
    elif isinstance(model, FeatureModel):
        yield from _by_shapley(model, rows, seed)
    else:
        yield Part(model.kind, _static(model, rows))


def _static(model: CompiledModel, rows: NDArray[np.uint64]) -> float:
    return float(evaluate(model.evaluator("part"), model.game, rows)[0])


def _of_features(model: FeatureModel, rows: NDArray[np.uint64]) -> Iterator[Part]:
    parameters = np.stack([[b.intercept, *b.weights] for b in model.blocks]).astype(np.float64)
    stages = Stages.of(model.knots, model.most_count)
    weights = list(stages.blended(parameters))[int(model.counts_of(rows)[0])]
    values = extract(model.features, rows)[0]
    if weights[0]:
        yield Part("intercept", float(weights[0]))
    for name, value, weight in zip(column_names(model.features), values, weights[1:], strict=True):
        yield Part(f"{name} = {value:g}", float(weight * value), _square_in(name, model.game))


def _square_in(column: str, game: Game) -> tuple[str, ...]:
    """Return the square of a column of the feature of single squares."""
    feature, _, last = column.rpartition("_")
    return (last,) if feature in ("squares", "places") and last in game.squares else ()


def _of_network(model: NetworkModel, rows: NDArray[np.uint64], side: int) -> Iterator[Part]:
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
    yield from _of_patterns(model.linear, rows, side, shares)
    with_it, without = (_static(one, rows) for one in (model, model.linear))
    yield Part("network at this stage", with_it - without - float(shares.sum()))


def _of_pieces(model: NnueModel, rows: NDArray[np.uint64], side: int) -> Iterator[Part]:
    """Share a network over pieces out to them, along the straight way from the empty board."""
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
    names = _names_seen(game, side)
    for square, share in zip(held.tolist(), shares.tolist(), strict=True):
        sign = board.contents[digits[square]].signs[side]
        yield Part(f"{names[square]} = {sign}", share, (names[square],))
    yield Part("network without pieces", _static(model, rows) - float(shares.sum()))


def _names_seen(game: Game, side: int) -> list[str]:
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


def _of_patterns(
    model: PatternModel, rows: NDArray[np.uint64], side: int, shares: ArrayLike = 0.0
) -> Iterator[Part]:
    """Take a sum apart; each instance has a share of something else besides."""
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
        seen_text = ", ".join(f"{counts[column]:g}" for column in table.columns)
        yield Part(f"table of {columns} = {seen_text}", float(worth[cell]) / unit)


@functools.lru_cache(maxsize=4)
def _held_of(model: PatternModel) -> NDArray[np.int16]:
    """The weights as the search holds them: what is added up is these, rounded."""
    return model.held()


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


def _by_shapley(model: FeatureModel, rows: NDArray[np.uint64], seed: int) -> Iterator[Part]:
    """Let a column at a time take the value it has here, from others' values, in random orders.

    Each order adds up to the score here less that of the position begun with, and so does the mean.
    """
    game, names = model.game, column_names(model.features)
    count = int(model.counts_of(rows)[0])
    begun = extract(model.features, _alike(model, count, seed))
    here = extract(model.features, rows)[0]
    chooser, width = np.random.default_rng(seed), len(names)
    orders = np.stack([chooser.permutation(width) for _ in range(_ORDERS)])
    starts = begun[np.arange(_ORDERS) % len(begun)]
    ways = np.repeat(starts[:, None, :], width + 1, axis=1)
    for step in range(width):
        ways[
            np.arange(_ORDERS)[:, None], np.arange(step + 1, width + 1)[None], orders[:, [step]]
        ] = here[orders[:, [step]]]
    scores = _scores_at(model, count, ways.reshape(-1, width)).reshape(_ORDERS, width + 1)
    added = np.zeros(width)
    np.add.at(added, orders, np.diff(scores, axis=1))
    yield Part("random positions of the same phase", float(scores[:, 0].mean()))
    for name, value, part in zip(names, here, added / _ORDERS, strict=True):
        yield Part(f"{name} = {value:g}", float(part), _square_in(name, game))


def _alike(model: FeatureModel, count: int, seed: int) -> NDArray[np.uint64]:
    """Return the random positions whose count of what is left, or class, is nearest."""
    pool = _pool(model.game, seed)
    distance = np.abs(model.counts_of(pool) - count)
    return pool[np.argsort(distance, kind="stable")[:_ORDERS]]


@functools.lru_cache(maxsize=8)
def _pool(game: Game, seed: int) -> NDArray[np.uint64]:
    return random_positions(game, _POOL, seed=seed)


def _by_ablation(evaluator: Evaluator, position: Position) -> Contributions:
    game, words = position.game, position.game.rows([position.words])
    board = game.board
    score = float(evaluate(evaluator, game, words)[0])
    if board is None:
        return Contributions(score, ABLATION, (), score, position.side)
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
    names = _names_seen(game, position.side)
    lost = score - evaluate(evaluator, game, without).astype(np.float64)
    parts = tuple(
        Part(f"{names[square]} = {board.contents[digits[square]].signs[position.side]}",
             float(part), (names[square],))
        for square, part in zip(held, lost, strict=True)
    )  # fmt: skip
    rest = score - sum(part.value for part in parts)
    return Contributions(score, ABLATION, parts, rest, position.side)
