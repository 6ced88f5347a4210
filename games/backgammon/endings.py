"""Solved bearing off in a file (games/endings.py), and in front of an evaluator."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numba import float32, float64
from numpy.typing import NDArray

from samuel.games.backgammon.bearoff import THROWS, Tables, number_of, rows_of, size_of, solve
from samuel.games.backgammon.checkers import CHECKERS, DICE, HOME, MINE, OFF, THEIRS, count_at
from samuel.games.evaluator import Evaluator, derived
from samuel.games.interface import EVALUATE, Row
from samuel.kernels.bits import ZERO, Word
from samuel.kernels.compose import compose_closure
from samuel.kernels.jit import jit
from samuel.kernels.laid_out import laid_out, reading
from samuel.kernels.pointers import Pointer
from samuel.kernels.records import array, inner_evaluator, number, record

__all__ = ["MOST_PIECES", "PIECES", "array_of", "count", "solve", "tables_of", "with_endings"]

PIECES = MOST_PIECES = CHECKERS
"""Checkers of a side."""
_ROUNDED = 1e-3
_BEYOND_HOME = np.uint64(4 * (HOME + 1))


_ALL_BUT_ONE = size_of(CHECKERS - 1)


@record
class _Parameters(NamedTuple):
    """An evaluator with endings."""

    pieces: int = number("most checkers of a side in the solved endings")
    solved: int = number("number of solved positions of a side")
    chances: Any = array(float32, ("rows", THROWS), "as Tables has them")
    own: Any = inner_evaluator("what estimates the rest")


def count(tables: Tables) -> int:
    """Return the number of solved positions of a side."""
    return size_of(tables.pieces)


def array_of(tables: Tables) -> NDArray[np.float32]:
    """Return the probabilities of each number of throws."""
    return tables.chances


def tables_of(content: bytes) -> Tables | None:
    """Return the tables in bytes; None if the length is wrong, or a row holds no probabilities."""
    for pieces in range(1, MOST_PIECES + 1):
        if len(content) == 4 * THROWS * rows_of(pieces):
            rows = np.frombuffer(content, np.float32).reshape(-1, THROWS)
            if (rows >= 0).all() and (abs(rows.sum(axis=1) - 1) < _ROUNDED).all():
                return Tables(pieces, rows)
    return None


def with_endings(evaluator: Evaluator, tables: Tables) -> Evaluator:
    """Return an evaluator that knows the solved positions of bearing off.

    If both sides have all checkers at home and the dice are to be thrown, its score is the mean of
    the points when each side plays for the fewest throws. Else it is that of `evaluator`.

    Raises
    ------
    UserError
        The evaluator is for another game.
    """
    from samuel.games.backgammon.rules import GAME

    evaluator.require_game(GAME)
    parameters = _Parameters(tables.pieces, count(tables), tables.chances, evaluator)
    integers, floats = laid_out(parameters)
    made = replace(
        evaluator,
        name=f"{evaluator.name} with endings",
        evaluate=_evaluate_of(evaluator.entry_point),
        integers=integers,
        floats=floats,
        origin=f"{evaluator.origin}; bearing off of {tables.pieces} checkers solved",
    )
    return derived(made, with_endings, evaluator, tables)


@jit
def _is_solved(low: Word, high: Word, pieces: int) -> bool:
    """Return whether a side has all checkers at home, at most `pieces` of them."""
    at_home = high == ZERO and low >> _BEYOND_HOME == ZERO
    return at_home and CHECKERS - count_at(low, ZERO, OFF) <= pieces


@jit
def _is_sooner(its: _Parameters, row: int, other: int, later: int) -> float:
    """Return the probability that a row's throws plus `later` are at most those of another."""
    chance = float64(0)
    left = float64(1) - (its.chances[THROWS * other] if later else float32(0))
    for throws in range(THROWS - later):
        chance += its.chances[THROWS * row + throws] * left
        left -= its.chances[THROWS * other + throws + later]
    return chance


@jit
def _points(position: Row, its: _Parameters) -> float:
    """Return the mean of the points of the side to move, which throws first."""
    mine, theirs = number_of(position[MINE]), number_of(position[THEIRS])
    points = 2 * _is_sooner(its, mine, theirs, 0) - 1
    # a side with all 15 checkers left loses a gammon if the other one is done before one is off
    if theirs >= _ALL_BUT_ONE:
        points += _is_sooner(its, mine, its.solved + theirs - _ALL_BUT_ONE, 0)
    if mine >= _ALL_BUT_ONE:
        points -= _is_sooner(its, theirs, its.solved + mine - _ALL_BUT_ONE, 1)
    return points


@functools.cache
def _evaluate_of(own: Any) -> Callable[..., Any]:
    read = reading(_Parameters)

    def evaluate(position: Pointer, integers: Pointer, floats: Pointer) -> float:
        its = read(integers, floats)
        known = position[DICE] == ZERO
        known &= _is_solved(position[MINE], position[MINE + 1], its.pieces)
        known &= _is_solved(position[THEIRS], position[THEIRS + 1], its.pieces)
        if known:
            return float32(_points(position, its))
        return float32(own(position, its.own.integers, its.own.floats))

    return compose_closure(evaluate, EVALUATE)
