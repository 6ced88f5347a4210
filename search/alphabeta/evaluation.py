"""The score of a position without search."""

from __future__ import annotations

from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer
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
