"""Multi-ProbCut: subtrees left out that a shallow search shows to be almost surely irrelevant.

A deep score is about slope * shallow score + offset, with a normal error of standard deviation
sigma. Where that puts it beyond the window by `confidence` sigmas, the deep search is not made (M.
Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm", 1995; "Experiments
with Multi-ProbCut and a new high-quality evaluation function for Othello", 1997). The pairs of
depths and their parameters are fitted from the evaluator's own searches, by stage of the game.
"""

from __future__ import annotations

import math

from numba import int64

from samuel.games.rules import Rules
from samuel.kernels.budget import STOPPED
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, offset
from samuel.search.alphabeta.context import thaw
from samuel.search.alphabeta.evaluation import leaf_score
from samuel.search.alphabeta.stack import SearchStack, position_at
from samuel.search.score import INFINITY

PAIRS = 2
"""Shallow depths that may be tried for a deep one."""
SHALLOW, SLOPE, OFFSET, SIGMA, FIELDS = range(5)
"""Places in a pair: the shallow depth (0 for no pair), and the fit, in points."""


@jit
def pairs_of(rules: Rules, stack: SearchStack, ply: int, depth: int) -> Pointer:
    """Return the pairs for a search of the position at `ply` to `depth` (< stack.depths)."""
    stage = rules.left(position_at(stack, ply)) * stack.stages // (stack.most_left + 1)
    stage = max(int64(0), min(stack.stages - 1, stage))
    return offset(stack.cuts, (stage * stack.depths + depth) * PAIRS * FIELDS)


@jit
def shallow_bound(stack: SearchStack, pair: Pointer, bound: int, sign: int) -> int:
    """Return what a shallow score must reach for the deep one to reach `bound`."""
    margin = sign * stack.confidence * pair[SIGMA]
    needed = (bound + margin - pair[OFFSET]) / pair[SLOPE]
    if not abs(needed) < stack.static_limit:  # nor where it is not a number
        return int64(sign * INFINITY)
    return int64(math.ceil(needed)) if sign > 0 else int64(math.floor(needed))


@jit(forceinline=False)
def selective_cutoff(context: Pointer, ply: int, depth: int, alpha: int) -> int:
    """Return 1 if the score is almost surely > alpha, -1 if almost surely <= alpha, else 0."""
    rules, _, parts, stack = thaw(context)
    pairs = pairs_of(rules, stack, ply, depth)
    # the static evaluation tells which side of the window is worth a try, and whether: where it
    # falls short itself, the shallow search seldom cuts, and errs more often
    now = leaf_score(context, ply)
    sign, target = (int64(1), alpha + 1) if now > alpha else (int64(-1), alpha)
    for k in range(PAIRS):
        pair = offset(pairs, k * FIELDS)
        if pair[SHALLOW] == 0:
            break
        bound = shallow_bound(stack, pair, target, sign)
        if abs(bound) == INFINITY or (now - bound) * sign < 0:
            continue
        low = bound - 1 if sign > 0 else bound
        score = parts.node(context, ply, int64(pair[SHALLOW]), low, low + 1)
        if stack.counters[STOPPED] or (score - bound) * sign >= 0:
            return sign
    return int64(0)
