"""Shots: where a roll brings checkers, and which rolls hit.

P. Magriel has the table of shots ("Backgammon", 1976); GNU Backgammon's networks read such counts
beside the raw board. Each side is counted as if it rolled next. A checker on the bar enters first;
that both dice must be played where they can be is left out of account. Places are bits, numbered as
the side that rolls numbers them: it moves down, from the bar at 25.
"""

from __future__ import annotations

from numba import int64

from samuel.games.backgammon.checkers import BAR, POINTS
from samuel.kernels.jit import jit

ROLLS, FACES, SAME = 36, 6, 4
BOARD = ((1 << POINTS) - 1) << 1


@jit
def reached(places: int, free: int, first: int, second: int) -> int:
    """Return where checkers get by one die, or with one checker by both of two unequal dice."""
    one, other = (places >> first) & free, (places >> second) & free
    return one | other | (((one >> second) | (other >> first)) & free)


@jit
def reached_by_same(places: int, free: int, die: int, times: int) -> int:
    """Return where checkers get by one die, played up to so many times by one checker."""
    found = int64(0)
    for _ in range(times):
        places = (places >> die) & free
        found |= places
    return found


@jit
def entering(free: int, die: int) -> int:
    """Return the place where a checker enters from the bar, as a bit; 0 where it cannot."""
    return (int64(1) << (BAR - die)) & free


@jit
def _after_the_bar(places: int, free: int, on_bar: int, first: int, second: int) -> int:
    """Return where checkers get by a roll where some are on the bar."""
    one, other = entering(free, first), entering(free, second)
    board = places & BOARD
    if first == second:
        left = SAME - on_bar
        return one | reached_by_same(board | one, free, first, left) if one != 0 else one
    if on_bar == 1:
        then = ((board | one) >> second) & free if one != 0 else int64(0)
        before = ((board | other) >> first) & free if other != 0 else int64(0)
        return one | other | then | before
    return one | other


@jit
def got_by(places: int, free: int, on_bar: int, first: int, second: int) -> int:
    """Return where checkers get by a roll, those on the bar first."""
    if on_bar != 0:
        return _after_the_bar(places, free, on_bar, first, second)
    if first == second:
        return reached_by_same(places, free, first, SAME)
    return reached(places, free, first, second)


@jit
def hits(places: int, free: int, on_bar: int, blots: int) -> int:
    """Return how many rolls of 36 reach a blot."""
    count = int64(0)
    for first in range(1, FACES + 1):
        for second in range(1, first + 1):
            if got_by(places, free, on_bar, first, second) & blots != 0:
                count += 1 if first == second else 2
    return count
