"""Solved endings as a file, and in front of an evaluator."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numba import int64

from samuel.errors import UserError
from samuel.files import read_bytes, whole
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
from samuel.games.evaluator import ANY_LENGTH, Evaluator
from samuel.games.interface import Row
from samuel.kernels.bits import popcount
from samuel.kernels.jit import EntryPoint, jit
from samuel.kernels.pointers import at, view

__all__ = ["IMPOSSIBLE", "MOST_PIECES", "load", "save", "solve", "with_endings"]

_SIGN = b"samuel: endings of checkers, 1\n"
_SURE, _A_PLY, _MOST_ESTIMATED = 0.87, 0.001, 0.6
"""In results: what a win at once scores, what each ply takes off, and what no estimate goes beyond,
so that a win is more than all that is not known for one."""
_PIECES, _VALUES_AT, _OWN_AT, _STARTS_AT = range(4)
"""Places in the integers of an evaluator with endings."""


def save(tables: Tables, path: Path | str) -> None:
    """Write tables to a file.

    Raises
    ------
    UserError
        It cannot be written; nothing is left behind.
    """
    with whole(path) as partial, open(partial, "wb") as file:
        file.write(_SIGN)
        file.write(tables.values.tobytes())


def load(path: Path | str) -> Tables:
    """Return the tables of a file.

    Raises
    ------
    UserError
        There is no file, or it is none of these, or cut off.
    """
    content = read_bytes(path)
    if not content.startswith(_SIGN):
        raise UserError(
            f"{path} holds no endings of checkers; samuel models endings makes such a file"
        )
    length = len(content) - len(_SIGN)
    for pieces in range(2, MOST_PIECES + 1):
        starts, whole_length = starts_of(pieces)
        if length == whole_length:
            return Tables(np.frombuffer(content, np.uint8, offset=len(_SIGN)), starts)
    raise UserError(f"{path} is cut off or altered; make it anew with samuel models endings")


def with_endings(evaluator: Evaluator, tables: Tables) -> Evaluator:
    """Return an evaluator that knows endings: what is solved scores so, the sooner won the higher.

    A win scores from 0.87 down to 0.61, by its plies; a draw 0; what is not solved what `evaluator`
    says, at most 0.6. The search needs nothing else to play an ending out.

    Raises
    ------
    UserError
        The evaluator is for another game.
    """
    from samuel.games.checkers.rules import GAME

    evaluator.require_game(GAME)
    pieces, padding = tables.starts.shape[0] - 1, -len(tables.values) % 4
    values = np.append(tables.values, np.zeros(padding, np.uint8)).view(np.int32)
    values_at = _STARTS_AT + tables.starts.size
    header = np.array([pieces, values_at, values_at + len(values)], np.int32)
    starts = tables.starts.ravel().astype(np.int32)
    return replace(
        evaluator,
        name=f"{evaluator.name} with endings",
        evaluate=_evaluate_of(evaluator.evaluate),
        integers=np.concatenate([header, starts, values, evaluator.integers]),
        origin=f"{evaluator.origin}; endings of {pieces} pieces solved",
    )


@jit
def _solved(position: Row, integers: Any) -> int:
    """Return the value of a position (retrograde.py), or -1 where it is not solved."""
    men, theirs = popcount(position[MEN]), popcount(position[THEIR_MEN])
    kings, their_kings = popcount(position[KINGS]), popcount(position[THEIR_KINGS])
    n = integers[_PIECES] + 1
    if men + theirs + kings + their_kings >= n or men + kings == 0 or theirs + their_kings == 0:
        return int64(-1)
    start = integers[_STARTS_AT + ((men * n + theirs) * n + kings) * n + their_kings]
    place = int64(start) + number_of(position)
    return int64(integers[integers[_VALUES_AT] + (place >> 2)] >> 8 * (place & 3)) & 255


@functools.cache
def _evaluate_of(own: Any) -> Any:
    takes_pointers = isinstance(own, EntryPoint)

    @jit
    def evaluate(position: Row, integers: Any, floats: Any) -> float:
        value = _solved(position, integers)
        if value == DRAW:
            return 0.0
        if value > 0:
            score = _SURE - _A_PLY * value
            return -score if value & 1 else score
        first = int64(integers[_OWN_AT])
        if takes_pointers:
            estimate = own(at(position, 0), at(integers, first), at(floats, 0))
        else:
            estimate = own(position, view(at(integers, first), ANY_LENGTH), floats)
        return max(-_MOST_ESTIMATED, min(_MOST_ESTIMATED, estimate))

    return evaluate
