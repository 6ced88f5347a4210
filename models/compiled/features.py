"""From features and parameters to an evaluator that the search runs.

A compiled evaluator reads the features off a position and hands them to `predict`, one small
kernel for each kind of model, with a block: the parameters of one stage, a record of the kind. A
model without stages has one block.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import float32, int32, int64
from numpy.typing import ArrayLike, NDArray

from samuel.features import Feature, column_names, extract, extractor
from samuel.features.terms import Stages
from samuel.games.catalog import known_game
from samuel.games.evaluator import Evaluator
from samuel.games.feature import LARGEST_FEATURE
from samuel.games.game import Game
from samuel.games.rows import left_of
from samuel.games.rules import EVALUATE
from samuel.kernels.jit import jit
from samuel.kernels.laid_out import laid_out, reading
from samuel.kernels.pointers import Pointer, at, compose, offset, view
from samuel.kernels.records import array, filled, length, number, record, room
from samuel.models.compiled.model import (
    arrays_for,
    arrays_of,
    described,
    described_features,
    evaluator_of,
    known_features,
    require,
    require_ascending,
    require_bounded,
    require_room,
    require_shapes,
    taken,
)


@record
class Linear(NamedTuple):
    """The parameters of a linear model."""

    columns: int = length("weights", "how many numbers the features have")
    intercept: float = number("what the score begins with", float32)
    weights: Any = array(float32, ("columns",), "of the features' numbers")


@jit
def linear(values: Pointer, scratch: Pointer, its: Linear) -> float:
    """Return the intercept and the sum of weights, each times its value."""
    score, weights = its.intercept, its.weights
    for k in range(its.columns):
        score += weights[k] * values[k]
    return score


def linear_block(weights: ArrayLike, intercept: float = 0.0) -> Linear:
    """Return the block of a linear model; one weight a column."""
    flat = np.ravel(np.asarray(weights, np.float32))
    return Linear(len(flat), float(np.float32(intercept)), flat)


def check_linear(block: Linear, columns: int) -> None:
    """Raise ValueError unless `linear` stays within the columns and gives finite scores."""
    require_shapes(block, {"weights": (columns,)})
    most = abs(block.intercept) + LARGEST_FEATURE * np.abs(block.weights.astype(float)).sum()
    require_bounded("weights", most)


@record
class _Parameters(NamedTuple):
    """Numbers that an evaluation over features reads and writes."""

    blocks: Any = array(int32, ("words",), "the blocks as they are laid out, one behind another")
    places: Any = array(
        int32, ("counts", 2), "for each count of squares left, where two blocks begin"
    )
    shares: Any = array(
        float32, ("counts",), "what the first of them counts; what is missing to 1, the second"
    )
    values: Any = room(float32, ("columns",), "the features' numbers")
    scratch: Any = room(float32, ("scratch",), "what the kind's kernel needs")


_EVALUATE = """
def evaluate(position, integers, floats):
    its = read(integers, floats)
    values, scratch, blocks, places = its.values, its.scratch, its.blocks, its.places
    extract(position, values)
    left = min(max(int64({count}), 0), {most})
    share = its.shares[left]
    score = predict(values, scratch, block_at(offset(blocks, places[2 * left]), floats))
    if share < ONE:
        other = predict(values, scratch, block_at(offset(blocks, places[2 * left + 1]), floats))
        score = share * score + (ONE - share) * other
    return score
"""


_EVALUATE_SUMS = """
def evaluate(position, integers, floats):
    its = read(integers, floats)
    values, row = its.values, view(position, {words})
    left = min(max(game_left(row), 0), {most})
    block = block_at(offset(its.blocks, its.places[2 * left]), floats)
    weights, score = block.weights, block.intercept
    {sums}
    return score
"""
"""Evaluation by a linear model of which some features sum their numbers themselves."""


@jit
def _dot(weights: Any, values: Any) -> float:
    """Return the sum of products, in four sums that do not wait for each other."""
    a = b = c = d = float32(0)
    n = len(values)
    for k in range(0, n - 3, 4):
        a += weights[k] * values[k]
        b += weights[k + 1] * values[k + 1]
        c += weights[k + 2] * values[k + 2]
        d += weights[k + 3] * values[k + 3]
    for k in range(n - n % 4, n):
        a += weights[k] * values[k]
    return (a + b) + (c + d)


def _evaluate_sums(features: tuple[Feature, ...], game: Game) -> Any:
    """Return the compiled function of a linear model, with `Feature.summed` where there is one."""
    parts: dict[str, Any] = {"block_at": reading(Linear), "read": reading(_Parameters)}
    parts |= {"game_left": game.left, "view": view, "offset": offset, "dot": _dot}
    lines, column = [], 0
    for place, f in enumerate(features):
        n = len(f.columns)
        parts[f"f{place}"] = f.summed or f.function
        its = f"view(offset(weights, {column}), {n})"
        if f.summed:
            lines.append(f"score += f{place}(row, {its})")
        elif f.scalar:
            lines.append(f"score += weights[{column}] * f{place}(row)")
        else:
            numbers = f"view(offset(values, {column}), {n})"
            lines += [f"f{place}(row, {numbers})", f"score += dot({its}, {numbers})"]
        column += n
    source = _EVALUATE_SUMS.format(words=game.words, most=game.most_left, sums="\n    ".join(lines))
    return compose("evaluate", source, parts, EVALUATE)


@functools.lru_cache(maxsize=64)
def _evaluate(
    features: tuple[Feature, ...], predict: Any, block: Any, game: Game, classes: str, most: int
) -> Any:
    """Return the compiled function for these features and this kind of model."""
    if predict is linear and any(f.summed for f in features) and not classes:
        return _evaluate_sums(features, game)
    parts = {
        "extract": extractor(features),
        "predict": predict,
        "block_at": reading(block),
        "read": reading(_Parameters),
        "game_left": game.left,
        "view": view,
        "offset": offset,
        "int64": int64,
        "ONE": np.float32(1),
    }
    count = f"game_left(view(position, {game.words}))"
    if classes:
        count = f"values[{column_names(features).index(classes)}]"
    source = _EVALUATE.format(count=count, most=most)
    return compose("evaluate", source, parts, EVALUATE)


def _blended_ahead(
    blocks: tuple[Linear, ...], knots: tuple[int, ...], game: Game
) -> tuple[tuple[Linear, ...], tuple[int, ...]]:
    """Blend linear blocks for every count of plies left: one dot product an evaluation."""
    if len(blocks) == 1:
        return blocks, knots
    parameters = np.stack([[b.intercept, *b.weights] for b in blocks]).astype(np.float64)
    blended = Stages.of(knots, game.most_left).blended(parameters)
    ahead = tuple(linear_block(weights, intercept) for intercept, *weights in blended)
    return ahead, tuple(range(len(ahead)))


@dataclass(frozen=True)
class BlockKernel:
    """A kind of model that runs inside the search."""

    block: Any  # record of the parameters at one stage
    predict: Any  # predict(values, scratch, block)
    check: Callable[[Any, int], None]  # of a block, for so many columns
    scratch: Callable[[Any], int] = lambda _block: 0  # floats of room that it needs


KINDS = ("linear", "mlp", "trees")


@functools.cache
def kernel_of(kind: str) -> BlockKernel:
    """Return the kernel of one of KINDS, whose module is imported at the first use."""
    if kind == "mlp":
        from samuel.models.compiled.layers import Network, check_mlp, forward, mlp_scratch

        return BlockKernel(Network, forward, check_mlp, mlp_scratch)
    if kind == "trees":
        from samuel.models.compiled.trees import Trees, check_trees, trees

        return BlockKernel(Trees, trees, check_trees)
    return BlockKernel(Linear, linear, check_linear)


@functools.cache
def _predictions(predict: Any, block: Any) -> Any:
    """Return a function that gives a kernel's scores of rows of columns."""
    read = reading(block)

    @jit
    def scores(rows: Any, scratch: Any, integers: Any, found: Any) -> None:
        for n in range(rows.shape[0]):
            its = read(at(integers, 0), at(scratch, 0))
            found[n] = float32(predict(at(rows, n), at(scratch, 0), its))

    return scores


@dataclass(frozen=True)
class _Classes:
    """Entry of a card about the classes of positions, where a model has some."""

    classes: str = ""


@dataclass(frozen=True)
class FeatureModel:
    """All that a compiled evaluator is made of."""

    kind: str  # one of KINDS
    game: Game
    features: tuple[Feature, ...]
    blocks: tuple[Any, ...]  # one for each stage
    knots: tuple[int, ...] = (0,)  # plies left where each block alone counts, ascending
    classes: str = ""  # column whose number chooses the block

    @property
    def most_count(self) -> int:
        """The largest count that the knots are compared with."""
        return len(self.blocks) - 1 if self.classes else self.game.most_left

    def counts_of(self, positions: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the plies left, or the class, of positions (n, K)."""
        if not self.classes:
            counts = left_of(self.game, positions)
        else:
            column = column_names(self.features).index(self.classes)
            counts = extract(self.features, positions)[:, column].astype(np.int64)
        return np.clip(counts, 0, self.most_count)

    def check(self) -> None:
        """Raise ValueError with what is wrong, unless the search can run it within its arrays."""
        columns, knots, n = column_names(self.features), self.knots, len(self.blocks)
        require_ascending(knots)
        require(len(knots) == n, f"'knots' has {len(knots)} numbers for {n} blocks")
        if self.classes:
            numbered = self.classes in columns and knots == tuple(range(n))
            require(numbered, "'knots' must number the classes, a column of the features")
        require_room(sum(array.size for array in self.arrays().values()))
        for block in self.blocks:
            kernel_of(self.kind).check(block, len(columns))

    def evaluator(self, name: str, origin: str = "") -> Evaluator:
        """Return it as an evaluator called `name`."""
        kind, game, blocks, knots = kernel_of(self.kind), self.game, self.blocks, self.knots
        if self.kind == "linear" and not self.classes:
            blocks, knots = _blended_ahead(blocks, knots, game)
        stages = Stages.of(knots, self.most_count)
        low, high = stages.knot, np.minimum(stages.knot + 1, len(blocks) - 1)
        parts = [laid_out(block)[0] for block in blocks]
        starts = np.concatenate([[0], np.cumsum(list(map(len, parts)))]).astype(np.int32)
        values = {
            "blocks": np.concatenate(parts),
            "places": np.column_stack([starts[low], starts[high]]),
            "shares": stages.share.astype(np.float32),
            "values": np.zeros(len(column_names(self.features)), np.float32),
            "scratch": np.zeros(max(map(kind.scratch, blocks)), np.float32),
        }
        code = kind.predict, kind.block, game, self.classes, self.most_count
        ignores_chance = all(feature.ignores_chance for feature in self.features)
        its, evaluate = filled(_Parameters, values), _evaluate(self.features, *code)
        return evaluator_of(its, evaluate, game, name, origin, ignores_chance)

    def scores_of(self, block: Any, columns: NDArray[Any]) -> NDArray[np.float32]:
        """Return the scores (n,) that one of its blocks gives to columns (n, F) of features."""
        kind, rows = kernel_of(self.kind), np.ascontiguousarray(columns, np.float32)
        scratch = np.zeros(max(1, kind.scratch(block)), np.float32)
        found = np.zeros(len(rows), np.float32)
        _predictions(kind.predict, kind.block)(rows, scratch, laid_out(block)[0], found)
        return found

    def described(self) -> dict[str, Any]:
        """Return the model's entry of a card; `arrays` has the rest."""
        found = {"kind": self.kind, "game": self.game.name, **described_features(self.features)}
        return found | ({"classes": self.classes} if self.classes else {})

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the knots and the fields of each block, the block's number before their names."""
        found: dict[str, NDArray[Any]] = {"knots": np.array(self.knots, np.int64)}
        for k, block in enumerate(self.blocks):
            found |= {f"{k}_{name}": array for name, array in arrays_of(block).items()}
        return found

    @classmethod
    def read(cls, card: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> FeatureModel:
        """Return the model of a card and its arrays, which may be unsound."""
        features = known_features(card)
        classes = described(card, _Classes).classes
        knots = tuple(taken(arrays, "knots", np.int64).tolist())
        block = kernel_of(card["kind"]).block
        blocks = [filled(block, arrays_for(block, arrays, f"{k}_")) for k in range(len(knots))]
        return cls(card["kind"], known_game(card["game"]), features, tuple(blocks), knots, classes)
