"""The score of a position without search."""

from __future__ import annotations

from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer
from samuel.search.alphabeta.correction import corrected_score
from samuel.search.alphabeta.switches import CORRECTION
from samuel.search.frame import thaw
from samuel.search.memory import is_on, position_at
from samuel.search.score import static_score


@jit
def leaf_score(frame: Pointer, ply: int) -> int:
    """Return the score of the position at `ply` without search: utility or evaluation."""
    rules, static, work = thaw(frame)
    if is_on(work, CORRECTION):
        return corrected_score(rules, static, work, ply)
    return static_score(rules, static, position_at(work, ply), ply, work.proven, work.static_limit)
