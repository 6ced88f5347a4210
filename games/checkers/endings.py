"""Solved endings in a file (games/endings.py), and in front of an evaluator."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numba import float32, int32, int64, uint8
from numpy.typing import NDArray

from samuel.games.checkers.listing import KINGS, MEN, THEIR_KINGS, THEIR_MEN
from samuel.games.checkers.retrograde import (
    DRAW,
    IMPOSSIBLE,
    MOST_PIECES,
    Tables,
    number_of,
    solve,
    starts_of,
)
from samuel.games.evaluator import Evaluator, derived
from samuel.games.interface import EVALUATE
from samuel.kernels.bits import popcount
from samuel.kernels.compose import compose_closure
from samuel.kernels.jit import jit
from samuel.kernels.laid_out import laid_out, reading
from samuel.kernels.pointers import Pointer
from samuel.kernels.records import array, inner_evaluator, number, record

__all__ = ["MOST_PIECES", "PIECES", "array_of", "count", "solve", "tables_of", "with_endings"]

PIECES = 4
"""Pieces of both sides together that are solved by default."""
_SURE, _A_PLY, _MOST_ESTIMATED = 0.87, 0.001, 0.6
"""Score of a win at once, loss for each ply, and bound of all estimates, in results: a solved win
scores more than any estimate."""


@record
class _Parameters(NamedTuple):
    """An evaluator with endings."""

    pieces: int = number("most pieces of the solved endings")
    starts: Any = array(int32, ("n", "n", "n", "n"), "as Tables has them")
    values: Any = array(uint8, ("length",), "as Tables has them")
    own: Any = inner_evaluator("what estimates the rest")


def count(tables: Tables) -> int:
    """Return the number of solved positions."""
    return int((tables.values != IMPOSSIBLE).sum())


def array_of(tables: Tables) -> NDArray[np.uint8]:
    """Return the values, one for each number of each material."""
    found: NDArray[np.uint8] = tables.values
    return found


def tables_of(content: bytes) -> Tables | None:
    """Return the tables in bytes; None if the length is wrong."""
    for pieces in range(2, MOST_PIECES + 1):
        starts, length = starts_of(pieces)
        if len(content) == length:
            return Tables(np.frombuffer(content, np.uint8), starts)
    return None


def with_endings(evaluator: Evaluator, tables: Tables) -> Evaluator:
    """Return an evaluator that knows solved endings.

    A win scores 0.87 to 0.61, the sooner the higher, and a draw 0. Other positions have the score
    of `evaluator`, at most 0.6. A search needs nothing else to play an ending out.

    Raises
    ------
    UserError
        The evaluator is for another game.
    """
    from samuel.games.checkers.rules import GAME

    evaluator.require_game(GAME)
    pieces, starts = len(tables.starts) - 1, tables.starts.astype(np.int32)
    integers, floats = laid_out(_Parameters(pieces, starts, tables.values, evaluator))
    made = replace(
        evaluator,
        name=f"{evaluator.name} with endings",
        evaluate=_evaluate_of(evaluator.entry_point),
        integers=integers,
        floats=floats,
        origin=f"{evaluator.origin}; endings of {pieces} pieces solved",
    )
    return derived(made, with_endings, evaluator, tables)


@jit
def _solved(position: Pointer, its: _Parameters) -> int:
    """Return the value of a position (retrograde.py), or -1 where it is not solved."""
    men, theirs = popcount(position[MEN]), popcount(position[THEIR_MEN])
    kings, their_kings = popcount(position[KINGS]), popcount(position[THEIR_KINGS])
    n = its.pieces + 1
    if men + theirs + kings + their_kings >= n or men + kings == 0 or theirs + their_kings == 0:
        return int64(-1)
    start = int64(its.starts[((men * n + theirs) * n + kings) * n + their_kings])
    return int64(its.values[start + number_of(position)])


@functools.cache
def _evaluate_of(own: Any) -> Any:
    read = reading(_Parameters)

    def evaluate(position: Pointer, integers: Pointer, floats: Pointer) -> float:
        its = read(integers, floats)
        value = _solved(position, its)
        if value == DRAW:
            return float32(0)
        if value > 0:
            score = _SURE - _A_PLY * value
            return float32(-score if value & 1 else score)
        estimate = own(position, its.own.integers, its.own.floats)
        return float32(max(-_MOST_ESTIMATED, min(_MOST_ESTIMATED, estimate)))

    return compose_closure(evaluate, EVALUATE)
