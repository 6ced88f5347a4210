"""Correction history: static evaluations corrected by what searches of like positions found.

Positions are alike where they agree on a region of the board (`Game.regions`). For each content
of each region a running mean is kept of how far searches ended from the static evaluation; the
mean over the regions is added to later evaluations. The idea is old ("dynamic correction"); in
this form it is chess engines' of 2023 on. Scores then depend on what was searched before.
"""

from __future__ import annotations

import numpy as np
from numba import int32, int64

from samuel.kernels.bits import ZERO, mix
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer
from samuel.search.alphabeta.frame import LEARN, thaw
from samuel.search.alphabeta.memory import CORRECTIONS, REGIONS, SearchStack, position_at
from samuel.search.score import static_score

_SCALE = 16
"""A correction is kept in sixteenths of a point, so that small steps are not lost."""
_INERTIA = 64
"""A search moves the mean by depth / 64 of the way, at most by a quarter."""


@jit
def _place(work: SearchStack, ply: int, region: int) -> int:
    position, key = position_at(work, ply), ZERO
    for k in range(work.words):
        key = mix(key, position[k] & work.regions[region * work.words + k])
    return region * CORRECTIONS + int64(key & np.uint64(CORRECTIONS - 1))


@jit
def uncorrected_score(frame: Pointer, ply: int) -> int:
    """Return the static evaluation of the position at `ply`; ends by their utility."""
    rules, evaluation, _, work = thaw(frame)
    return static_score(
        rules, evaluation, position_at(work, ply), ply, work.proven, work.static_limit
    )


@jit(forceinline=False)
def corrected_score(frame: Pointer, ply: int) -> int:
    """Return the corrected static evaluation of the position at `ply`; ends by their utility."""
    rules, _, _, work = thaw(frame)
    score = uncorrected_score(frame, ply)
    if rules.is_terminal(position_at(work, ply)):
        return score
    total, regions = int64(0), min(REGIONS, work.region_count)
    for region in range(regions):
        total += work.corrections[_place(work, ply, region)]
    if regions > 0:
        score += total // (_SCALE * regions)
    return max(-work.static_limit, min(work.static_limit, score))


@jit(LEARN)
def correct(frame: Pointer, ply: int, depth: int, best: int, alpha: int, beta: int) -> None:
    """Learn from a search of the position at `ply` that found a score or a bound of it."""
    rules, _, _, work = thaw(frame)
    if abs(best) >= work.proven or rules.is_terminal(position_at(work, ply)):
        return
    now = uncorrected_score(frame, ply)
    if (best >= beta and best <= now) or (best <= alpha and best >= now):
        return  # a bound on the wrong side says nothing
    weight = min(depth, _INERTIA // 4)
    for region in range(min(REGIONS, work.region_count)):
        at = _place(work, ply, region)
        error = (best - now) * _SCALE - work.corrections[at]
        work.corrections[at] += int32(error * weight // _INERTIA)
