"""The score of a position without search."""

from __future__ import annotations

from games.pointers import Pointer
from jit import jit
from search.correction import corrected_score
from search.frame import thaw
from search.memory import is_on, position_at
from search.score import static_score
from search.switches import CORRECTION


@jit
def leaf_score(frame: Pointer, ply: int) -> int:
    """Return the score of the position at `ply` without search: utility or evaluation."""
    rules, static, work = thaw(frame)
    if is_on(work, CORRECTION):
        return corrected_score(rules, static, work, ply)
    return static_score(rules, static, position_at(work, ply), ply, work.proven, work.static_limit)
