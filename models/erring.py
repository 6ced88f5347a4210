"""Evaluators that err: the same of the same position, as a person does who misjudges it.

The error is a number of mean 0 that the position and a seed decide, nearly normal: the sum of four
parts of a hash. A search takes erring scores as any others, so that what goes wrong is what hardly
differs or lies beyond its depth; no move is made at random.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numba import float32, float64, int64

from samuel.common.errors import require_number
from samuel.games.evaluator import Evaluator, derived
from samuel.games.game import Game
from samuel.games.playing import random_positions
from samuel.games.rules import EVALUATE
from samuel.kernels.bits import hash_of
from samuel.kernels.compose import compose_closure
from samuel.kernels.laid_out import laid_out, reading
from samuel.kernels.pointers import Pointer
from samuel.kernels.records import inner_evaluator, number, record
from samuel.models.evaluate import evaluate


@record
class _Parameters(NamedTuple):
    words: int = number("words per position")
    seed: int = number("which errors")
    size: float = number("the standard deviation of the errors", float32)
    own: Any = inner_evaluator("what errs")


_PART, _PARTS = np.uint64(0xFFFF), 4
_16 = np.uint64(16)
_TO_UNIT = float(np.sqrt(12 / _PARTS)) / 65536
"""Factor of a sum of parts: its standard deviation is then 1."""
_MEAN = _PARTS * 65535 / 2
_SAMPLE = 500
"""Positions that tell how far scores lie from each other."""


def erring(evaluator: Evaluator, game: Game, size: float, seed: int = 0) -> Evaluator:
    """Return an evaluator whose scores are wrong by errors of a size."""
    require_number("size", size, 0.0, 1000.0)
    evaluator.require_game(game)
    if size == 0:
        return evaluator
    deviation = float(np.float32(size * spread_of_scores(evaluator, game)))
    integers, floats = laid_out(_Parameters(game.words, seed % (1 << 31), deviation, evaluator))
    made = replace(
        evaluator,
        name=f"{evaluator.name}, erring by {size:g}",
        game=game.name,
        words=game.words,
        evaluate=_evaluate_of(evaluator.entry_point),
        integers=integers,
        floats=floats,
    )
    return derived(made, erring, evaluator, game, size, seed)


@functools.lru_cache(maxsize=64)
def spread_of_scores(evaluator: Evaluator, game: Game) -> float:
    """Return the standard deviation of the static scores of positions of random games."""
    return float(np.std(evaluate(evaluator, game, random_positions(game, _SAMPLE)))) or 1.0


@functools.cache
def _evaluate_of(own: Any) -> Any:
    read = reading(_Parameters)

    def evaluate(position: Pointer, integers: Pointer, floats: Pointer) -> float:
        its = read(integers, floats)
        key = hash_of(position, its.words, np.uint64(its.seed))
        total = int64(key & _PART) + int64((key >> _16) & _PART)
        total += int64((key >> (_16 + _16)) & _PART) + int64(key >> (_16 + _16 + _16))
        error = (float64(total) - _MEAN) * _TO_UNIT * its.size
        return own(position, its.own.integers, its.own.floats) + error

    return compose_closure(evaluate, EVALUATE)
