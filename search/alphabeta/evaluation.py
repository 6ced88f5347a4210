"""The score of a position without search."""

from __future__ import annotations

from typing import Any

from numba import float32

from samuel.games.evaluator import ANY_LENGTH
from samuel.kernels.jit import EntryPoint, jit
from samuel.kernels.pointers import Pointer, at, view
from samuel.search.alphabeta.correction import corrected_score, uncorrected_score
from samuel.search.alphabeta.frame import thaw
from samuel.search.alphabeta.memory import is_on
from samuel.search.alphabeta.switches import CORRECTION
from samuel.search.score import POINTS, from_evaluation


@jit
def leaf_score(context: Pointer, ply: int) -> int:
    """Return the score of the position at `ply` without search: utility or evaluation."""
    if is_on(thaw(context).stack, CORRECTION):
        return corrected_score(context, ply)
    return uncorrected_score(context, ply)


def evaluation_of_rows(evaluate: Any, within: Any, static_limit: int) -> Any:
    """Return an evaluation that takes an array (K,), to be compiled together with the rules.

    It returns points: the score, or where that is outside a window what `Evaluator.within` returns.
    """
    takes_pointers, has_within = isinstance(evaluate, EntryPoint), within is not None

    @jit
    def of_row(row: Any, integers: Pointer, floats: Pointer, low: int, high: int) -> int:
        if has_within:
            # below INFINITY < 2**23, from which single precision takes less than half a point
            bounds = float32(low / POINTS), float32(high / POINTS)
            static = within(at(row, 0), integers, floats, *bounds)
        elif takes_pointers:
            static = evaluate(at(row, 0), integers, floats)
        else:
            static = evaluate(row, view(integers, ANY_LENGTH), view(floats, ANY_LENGTH))
        # single precision, as an entry point returns it: half a point is rounded alike
        return from_evaluation(float32(static), static_limit)

    return of_row
