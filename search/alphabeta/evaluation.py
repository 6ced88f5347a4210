"""The score of a position without search."""

from __future__ import annotations

from typing import Any

from samuel.games.evaluator import ANY_LENGTH
from samuel.kernels.jit import EntryPoint, jit
from samuel.kernels.pointers import Pointer, at, view
from samuel.search.alphabeta.correction import corrected_score, uncorrected_score
from samuel.search.alphabeta.frame import thaw
from samuel.search.alphabeta.memory import is_on
from samuel.search.alphabeta.switches import CORRECTION


@jit
def leaf_score(frame: Pointer, ply: int) -> int:
    """Return the score of the position at `ply` without search: utility or evaluation."""
    if is_on(thaw(frame).work, CORRECTION):
        return corrected_score(frame, ply)
    return uncorrected_score(frame, ply)


def evaluation_of_rows(evaluate: Any) -> Any:
    """Return an evaluation that takes an array (K,), to be compiled together with the rules."""
    takes_pointers = isinstance(evaluate, EntryPoint)

    @jit
    def of_row(row: Any, integers: Pointer, floats: Pointer) -> float:
        if takes_pointers:
            return evaluate(at(row, 0), integers, floats)
        return evaluate(row, view(integers, ANY_LENGTH), view(floats, ANY_LENGTH))

    return of_row
