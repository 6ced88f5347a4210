"""From features and parameters to an evaluator that the search runs.

A compiled evaluator reads the features off a position and hands them to `predict`, one small
kernel for each kind of model, with a block: the parameters of one stage, a record of the kind. A
model without stages has one block.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import float32, int32
from numpy.typing import ArrayLike

from samuel.features import Feature, column_names, extractor
from samuel.features.terms import Stages
from samuel.games.evaluator import Evaluator
from samuel.games.feature import LARGEST_FEATURE
from samuel.games.interface import EVALUATE, Game
from samuel.kernels.compose import compose
from samuel.kernels.jit import jit
from samuel.kernels.laid_out import laid_out, reading
from samuel.kernels.pointers import Pointer, offset, view
from samuel.kernels.records import array, filled, length, number, record, room

LARGEST_SCORE = 1e37
"""No sound model can give a score, or anything on the way to one, so far from 0: a sum of several
is still a number in single precision. The search clips scores to the largest result."""
MOST_NUMBERS = 1 << 31
"""Places in an evaluator's arrays are 32-bit numbers."""


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


def linear_is_sound(block: Linear, columns: int) -> bool:
    """Return whether `linear` stays within the columns and gives finite scores."""
    most = abs(block.intercept) + LARGEST_FEATURE * np.abs(block.weights.astype(float)).sum()
    return bool(block.columns == columns and most < LARGEST_SCORE)  # nor is NaN


@record
class _Parameters(NamedTuple):
    """What an evaluation over features reads and writes."""

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
    left = min(max(game_left(view(position, {words})), 0), {most})
    share = its.shares[left]
    score = predict(values, scratch, block_at(offset(blocks, places[2 * left]), floats))
    if share < ONE:
        other = predict(values, scratch, block_at(offset(blocks, places[2 * left + 1]), floats))
        score = share * score + (ONE - share) * other
    return score
"""


@functools.lru_cache(maxsize=64)
def _evaluate(features: tuple[Feature, ...], predict: Any, block: Any, game: Game) -> Any:
    """Return the compiled function for these features and this kind of model."""
    parts = {
        "extract": extractor(features),
        "predict": predict,
        "block_at": reading(block),
        "read": reading(_Parameters),
        "game_left": game.left,
        "view": view,
        "offset": offset,
        "ONE": np.float32(1),
    }
    source = _EVALUATE.format(words=game.words, most=game.most_left)
    return compose("evaluate", source, parts, EVALUATE)


def compiled_evaluator(
    name: str,
    game: Game,
    features: Sequence[Feature],
    predict: Any,
    blocks: Sequence[Any],
    knots: Sequence[int] = (0,),
    *,
    scratch: int = 0,
    origin: str = "hand-made",
) -> Evaluator:
    """Return an evaluator over features.

    Parameters
    ----------
    name
        what reports call it.
    features
        in the order of the model's columns.
    predict
        the kernel `predict(values, scratch, block)` of the kind of model.
    blocks
        its parameters, a record for each stage.
    knots
        for each block the count of remaining squares at which it alone counts,
        ascending; between two knots their blocks are blended, beyond the ends the end
        blocks hold.
    scratch
        floats of room that `predict` needs.
    origin
        where the model came from.
    """
    features = tuple(features)
    if predict is linear:
        blocks, knots = _blended_ahead(blocks, knots, game)
    stages = Stages.of(knots, game.most_left)
    low, high = stages.knot, np.minimum(stages.knot + 1, len(blocks) - 1)
    made: Any = type(blocks[0])
    parts = [laid_out(block)[0] for block in blocks]
    starts = np.concatenate([[0], np.cumsum(list(map(len, parts)))]).astype(np.int32)
    values = {
        "blocks": np.concatenate(parts),
        "places": np.column_stack([starts[low], starts[high]]),
        "shares": stages.share.astype(np.float32),
        "values": np.zeros(len(column_names(features)), np.float32),
        "scratch": np.zeros(scratch, np.float32),
    }
    integers, floats = laid_out(filled(_Parameters, values))
    return Evaluator(
        name=name,
        game=game.name,
        evaluate=_evaluate(features, predict, made, game),
        words=game.words,
        integers=integers,
        floats=floats,
        origin=origin,
        ignores_chance=all(feature.ignores_chance for feature in features),
    )


def _blended_ahead(
    blocks: Sequence[Linear], knots: Sequence[int], game: Game
) -> tuple[list[Linear], list[int]]:
    """Blend linear blocks for every count of remaining squares: one dot product an evaluation."""
    if len(blocks) == 1:
        return list(blocks), list(knots)
    parameters = np.stack([[b.intercept, *b.weights] for b in blocks]).astype(np.float64)
    blended = Stages.of(knots, game.most_left).blended(parameters)
    ahead = [linear_block(weights, intercept) for intercept, *weights in blended]
    return ahead, list(range(len(ahead)))
