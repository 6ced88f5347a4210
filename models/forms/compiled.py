"""From features and parameters to an evaluator that the search runs.

A compiled evaluator reads the features off a position and hands them to `predict`, one small
kernel for each kind of model. What it needs lies in two flat arrays:

    integers: where the table, the shares and the scratch start, 0; the table; the
              blocks' integers
    floats:   the feature values; scratch; the shares; the blocks' floats

A block is the parameters of one stage. For each count of remaining squares the table names two
blocks, and a share that of the first; what is missing to 1 comes from the second. A model without
stages has one block.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samuel.features import Feature, column_names, extractor
from samuel.features.stages import Stages
from samuel.games.evaluator import Evaluator
from samuel.games.feature import LARGEST_FEATURE
from samuel.games.interface import EVALUATE, Game
from samuel.kernels.compose import compose
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, offset, view

LARGEST_SCORE = 1e37
"""No sound model can give a score, or anything on the way to one, so far from 0: a sum of several
is still a number in single precision. The search clips scores to the largest result."""
MOST_NUMBERS = 1 << 31
"""Places in an evaluator's arrays are 32-bit numbers."""

_HEADER = 4
_AT_TABLE, _AT_SHARES, _AT_SCRATCH = 0, 1, 2
_ENTRY = 4
"""Integers of a table row: offsets of the block's integers and floats, and of the next block's."""


@dataclass(frozen=True)
class Block:
    """The parameters of a model at one stage, as its kernel reads them."""

    integers: NDArray[np.int32]
    floats: NDArray[np.float32]


@jit
def linear(values: Pointer, scratch: Pointer, integers: Pointer, floats: Pointer) -> float:
    """Return floats[0] + sum of floats[1 + k] * values[k] over the integers[0] features."""
    score = floats[0]
    for k in range(integers[0]):
        score += floats[1 + k] * values[k]
    return score


def linear_block(weights: ArrayLike, intercept: float = 0.0) -> Block:
    """Return the block of a linear model; one weight a column."""
    flat = np.ravel(np.asarray(weights, np.float32))
    return Block(np.array([len(flat)], np.int32), np.concatenate([[np.float32(intercept)], flat]))


def linear_is_sound(block: Block, columns: int) -> bool:
    """Return whether `linear` stays within the arrays and columns, and gives finite scores."""
    if block.integers.tolist() != [columns] or len(block.floats) != 1 + columns:
        return False
    start, *weights = np.abs(block.floats.astype(np.float64))
    return bool(start + LARGEST_FEATURE * np.sum(weights) < LARGEST_SCORE)  # nor is NaN


_EVALUATE = """
def evaluate(position, integers, floats):
    extract(position, floats)
    left = min(max(game_left(view(position, {words})), 0), {most})
    entry = offset(integers, integers[AT_TABLE] + ENTRY * left)
    share = floats[integers[AT_SHARES] + left]
    scratch = offset(floats, integers[AT_SCRATCH])
    score = predict(floats, scratch, offset(integers, entry[0]), offset(floats, entry[1]))
    if share < ONE:
        other = predict(floats, scratch, offset(integers, entry[2]), offset(floats, entry[3]))
        score = share * score + (ONE - share) * other
    return score
"""


@functools.lru_cache(maxsize=64)
def _evaluate(features: tuple[Feature, ...], predict: Any, game: Game) -> Any:
    """Return the compiled function for these features and this kind of model."""
    parts = {
        "extract": extractor(features),
        "predict": predict,
        "game_left": game.left,
        "view": view,
        "offset": offset,
        "AT_TABLE": _AT_TABLE,
        "AT_SHARES": _AT_SHARES,
        "AT_SCRATCH": _AT_SCRATCH,
        "ENTRY": _ENTRY,
        "ONE": np.float32(1),
    }
    source = _EVALUATE.format(words=game.words, most=game.most_left)
    return compose("evaluate", source, parts, EVALUATE)


def compiled_evaluator(
    name: str,
    game: Game,
    features: Sequence[Feature],
    predict: Any,
    blocks: Sequence[Block],
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
        the kernel `predict(values, scratch, integers, floats)` of the kind of model.
    blocks
        its parameters, one block a stage.
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

    width = len(column_names(features))
    shares_at = width + scratch
    integers_at = _HEADER + _ENTRY * len(low) + _starts([b.integers for b in blocks])
    floats_at = shares_at + len(low) + _starts([b.floats for b in blocks])
    table = np.stack([integers_at[low], floats_at[low], integers_at[high], floats_at[high]], axis=1)
    header = [_HEADER, shares_at, width, 0]
    return Evaluator(
        name=name,
        game=game.name,
        evaluate=_evaluate(features, predict, game),
        words=game.words,
        integers=np.concatenate([header, table.ravel(), *[b.integers for b in blocks]]).astype(
            np.int32
        ),
        floats=np.concatenate(
            [np.zeros(shares_at), stages.share, *[b.floats for b in blocks]]
        ).astype(np.float32),
        origin=origin,
        ignores_chance=all(feature.ignores_chance for feature in features),
    )


def _starts(arrays: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Return where each array starts when they are laid end to end."""
    return np.concatenate([[0], np.cumsum([len(a) for a in arrays])[:-1]]).astype(np.int64)


def _blended_ahead(
    blocks: Sequence[Block], knots: Sequence[int], game: Game
) -> tuple[list[Block], list[int]]:
    """Blend linear blocks for every count of remaining squares: one dot product an evaluation."""
    if len(blocks) == 1:
        return list(blocks), list(knots)
    parameters = np.stack([b.floats for b in blocks]).astype(np.float64)
    blended = Stages.of(knots, game.most_left).blended(parameters)
    ahead = [Block(blocks[0].integers, row.astype(np.float32)) for row in blended]
    return ahead, list(range(len(ahead)))
