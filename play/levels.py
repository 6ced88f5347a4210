"""Levels: how strong a person's opponent is, from a beginner's to the strongest.

Evaluators that err: the same of the same position, as a person does who misjudges it.

The error is a number of mean 0 that the position and a seed decide, nearly normal: the sum of four
parts of a hash. A search takes erring scores as any others, so that what goes wrong is what hardly
differs or lies beyond its depth; no move is made at random.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numba import float32, float64, int64

from samuel.common.errors import require_number
from samuel.games.evaluator import Evaluator, derived
from samuel.games.game import Game
from samuel.games.playing import random_positions
from samuel.games.rules import EVALUATE
from samuel.kernels.bits import hash_of
from samuel.kernels.laid_out import laid_out, reading
from samuel.kernels.pointers import Pointer, compose_closure
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


@dataclass(frozen=True)
class Level:
    """A strength."""

    depth: int | None = None
    errors: float = 0.0
    exact_from: int | None = None
    nodes: int | None = None


_USUAL = (
    *((1, 0.75), (1, 0.45), (1, 0.27), (1, 0.15)),
    *((2, 0.19), (3, 0.21), (4, 0.2), (5, 0.17), (6, 0.13), (7, 0.08)),
    *((9, 0.05), (11, 0.0)),
)
"""Plies and errors, for games that say nothing of their own (`Defaults.levels`)."""
_FEWEST_NODES = 100
"""Nodes of the first level, where methods sample; each further one has twice as many."""
USUAL_LEVEL = 10
"""Level where nothing else is asked for, and there is no clock."""

_SOLVED_IN_A_SECOND = 20
_GROWTH = 2.3
"""Time of an exact endgame: its median is 0.3 s from 20 empty squares, and so many times that for
each further one (from 1.1 ms at 14 to 290 ms at 20, measured on one core)."""
_MOST_SOLVED = 26


def levels_of(game: Game) -> tuple[Level, ...]:
    """Return the levels of a game, from the weakest, 1, to the strongest."""
    return tuple(
        Level(depth, errors, 0 if errors else None, _FEWEST_NODES << number)
        for number, (depth, errors) in enumerate(game.defaults.levels or _USUAL)
    )


def solved_within(seconds: float) -> int:
    """Return how many empty squares Othello's solver may take on, given so long."""
    further = math.log(max(seconds, 1e-9)) / math.log(_GROWTH)
    return max(0, min(_MOST_SOLVED, _SOLVED_IN_A_SECOND + math.floor(further)))
