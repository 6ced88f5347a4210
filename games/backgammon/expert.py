"""Numbers that experts count on the board, for networks to read beside the checkers.

G. Tesauro gave TD-Gammon such inputs ("Programming backgammon using self-teaching neural nets",
2002) and did not publish them. Those of H. Berliner ("Backgammon computer program beats world
champion", 1980) and of GNU Backgammon are described in words in its manual: contact, loss of pips
by shots, escape, containment, mobility, moment, entry, timing. Here they are counted independently.

Places are bits, as in games/backgammon/features.py: a side moves down, from the bar at 25.

Shots are where a roll brings checkers, and which rolls hit. P. Magriel has the table of shots
("Backgammon", 1976); GNU Backgammon's networks read such counts beside the raw board. Each side is
counted as if it rolled next. A checker on the bar enters first; that both dice must be played where
they can be is left out of account.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64, uint64
from numpy.typing import NDArray

from samuel.games.backgammon.checkers import (
    BAR,
    CHECKERS,
    HOME,
    MINE,
    OFF,
    POINTS,
    THEIRS,
    count_at,
    has_contact,
    held,
    own_places,
)
from samuel.games.feature import feature
from samuel.games.rules import Row
from samuel.kernels.bits import Word, leading_zeros, trailing_zeros
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


RACE, CRASHED, CONTACT = range(3)
_CRASHED = 6
"""A side with at most so many checkers that are neither off nor on its last two points."""
_AHEAD, _PRIME = 12, 6
_FIRST_BEHIND = POINTS - HOME + 1
_MIDDLE = 13


@jit
def _active(low: Word, high: Word) -> int:
    return CHECKERS - count_at(low, high, OFF) - count_at(low, high, 1) - count_at(low, high, 2)


@jit
def _phase(position: Row) -> int:
    if not has_contact(position):
        return RACE
    mine = _active(position[MINE], position[MINE + 1])
    theirs = _active(position[THEIRS], position[THEIRS + 1])
    return CRASHED if min(mine, theirs) <= _CRASHED else CONTACT


@feature(game="backgammon", ignores_chance=True)
def phase(position: Row) -> float:
    """Class of a position: 0 is a race, 1 contact with a crashed side, 2 other contact.

    A side is crashed if at most 6 checkers are neither off nor on its last two points.
    """
    return float(_phase(position))


FREE, ANCHORED, LOOSE = range(3)


@jit
def _back(low: Word, high: Word) -> int:
    """Return FREE, ANCHORED or LOOSE for a side's checkers on the bar and in the other home."""
    if own_places(low, high, 1) >> _FIRST_BEHIND == 0:
        return FREE
    return ANCHORED if (own_places(low, high, 2) & BOARD) >> _FIRST_BEHIND != 0 else LOOSE


@feature(game="backgammon", ignores_chance=True)
def plan(position: Row) -> float:
    """Class of a position: 0 and 1 as in `phase`, 2 to 10 other contact by both sides' plans.

    It is 2 + 3 * player + opponent. A side is 0 without checkers on the bar or in the other home
    (it races), 1 if it holds a point there (an anchor), else 2 (it can be attacked).
    """
    found = _phase(position)
    if found == CONTACT:
        mine = _back(position[MINE], position[MINE + 1])
        found += 3 * mine + _back(position[THEIRS], position[THEIRS + 1])
    return float(found)


def _escaping_rolls() -> NDArray[np.int64]:
    """Return how many rolls of 36 bring a checker beyond a prime, by the 12 places before it."""
    masks = np.arange(1 << _AHEAD)

    def free(far: int) -> NDArray[np.bool_]:
        return (masks >> (_AHEAD - far)) & 1 == 0

    rolls = np.zeros(len(masks), np.int64)
    for die in range(1, HOME + 1):
        for other in range(1, die):
            if die + other > _PRIME:
                rolls += 2 * (free(die + other) & (free(die) | free(other)))
        steps = _PRIME // die + 1
        if steps <= 4:
            rolls += np.logical_and.reduce([free(die * step) for step in range(1, steps + 1)])
    return rolls


_ESCAPES = _escaping_rolls()


@jit
def escaping_from(made: int, place: int) -> int:
    """Return how many rolls bring a checker from a place beyond a prime, by the places held."""
    ahead = made >> (place - _AHEAD) if place >= _AHEAD else made << (_AHEAD - place)
    return _ESCAPES[ahead & ((1 << _AHEAD) - 1)]


_NAMES = (
    *("pips", "to_pass", "last", "anchor", "front_anchor", "anchors", "behind"),
    *("loss", "two_shots", "mobility", "last_escapes", "contains", "could_contain"),
    *("moment", "closed", "shut_out", "home", "prime", "timing", "dead"),
    *("off_5", "off_10", "off_15"),
)
_EACH = len(_NAMES)


@jit
def _highest(places: int) -> int:
    """Return the highest place of some; 0 where there is none."""
    return int64(63) - int64(leading_zeros(uint64(places | 1)))


@jit
def _fill_shots(low: Word, high: Word, other_low: Word, other_high: Word, values: Any) -> None:
    """Fill in the mean pips that a side loses to the next roll, and the rolls with two shots."""
    blocked = held(low, high, 2)
    blots = held(low, high, 1) & ~blocked
    loss = twice = int64(0)
    if blots != 0:
        places = own_places(other_low, other_high, 1)
        on_bar = count_at(other_low, other_high, BAR)
        if places > (blots & -blots):  # else none is in front of a checker
            for first in range(1, HOME + 1):
                for second in range(1, first + 1):
                    hit = got_by(places, BOARD & ~blocked, on_bar, first, second) & blots
                    if hit != 0:
                        times = 1 if first == second else 2
                        loss += times * _highest(hit)
                        twice += times if hit & (hit - 1) != 0 else 0
    values[7], values[8] = loss / (10 * ROLLS), twice / ROLLS


@jit
def _fill_side(low: Word, high: Word, other_low: Word, other_high: Word, values: Any) -> None:
    """Fill in the numbers of one side."""
    blocked, own = held(other_low, other_high, 2), own_places(low, high, 2) & BOARD
    # the other side's last checker, as this side numbers the places
    passed = int64(BAR) - _highest(own_places(other_low, other_high, 1))
    pips = to_pass = last = anchor = front = anchors = behind = int64(0)
    home = prime = timing = mobility = int64(0)
    rows = own
    while rows != 0:
        rows &= rows >> 1
        prime += 1
    left = own_places(low, high, 1)
    while left != 0:
        place = int64(trailing_zeros(uint64(left)))
        left &= left - 1
        n = count_at(low, high, place)
        pips += n * place
        to_pass += n * max(int64(0), place - passed)
        last = int64(place)
        if place > HOME:
            mobility += n * (place - HOME) * escaping_from(blocked, place)
            timing += n * (place - HOME)
        else:
            home += 1 if n > 1 else 0
            timing += max(int64(0), n - 2) * place
        if n > 1 and _MIDDLE < place < BAR:
            anchor = int64(place)
            front = front if front else int64(place)
            anchors += 1 if place >= _FIRST_BEHIND else 0
        behind += n if place >= _FIRST_BEHIND else 0
    spread = pips / CHECKERS
    moment, left = 0.0, own_places(low, high, 1)
    while left != 0:
        place = int64(trailing_zeros(uint64(left)))
        left &= left - 1
        if place > spread:
            moment += count_at(low, high, place) * (place - spread) ** 2
    made, contains, could = held(low, high, 2), int64(ROLLS), int64(ROLLS)
    for place in range(_MIDDLE, BAR + 1):
        rolls = escaping_from(made, place)
        could = min(could, rolls)
        contains = min(contains, rolls) if place <= BAR - passed else contains
    shut = (home / HOME) ** 2
    off = count_at(low, high, OFF)
    values[0], values[1], values[2] = pips / 100, to_pass / 100, last / BAR
    values[3], values[4] = anchor / POINTS, front / POINTS
    values[5], values[6] = anchors / 3, behind / 5
    values[9], values[10] = mobility / 3600, escaping_from(blocked, last) / ROLLS
    values[11], values[12] = 1 - contains / ROLLS, 1 - could / ROLLS
    values[13], values[14] = moment / 500, shut
    values[15] = shut if count_at(other_low, other_high, BAR) > 0 else 0.0
    values[16], values[17], values[18] = home / HOME, prime / _PRIME, timing / 100
    values[19] = (count_at(low, high, 1) + count_at(low, high, 2)) / CHECKERS
    for third in range(3):
        values[20 + third] = min(max(off - 5 * third, int64(0)), int64(5)) / 5


@feature(
    game="backgammon",
    outputs=[f"{side}_{name}" for side in ("player", "opponent") for name in _NAMES],
    ignores_chance=True,
)
def expert(position: Row, values: Any) -> None:
    """Expert numbers, 23 per side: contact, shots, anchors, escape, containment, timing.

    `pips`: pips to go; `to_pass`: pips until all checkers are past the other side's last one;
    `last`, `anchor`, `front_anchor`: places of the last checker and of the anchors; `anchors`,
    `behind`: points made and checkers in the other home; `loss`: pips that the next roll can cost;
    `two_shots`: share of rolls that hit twice; `mobility`, `last_escapes`: rolls that bring
    checkers, or the last one, past the other side's points; `contains`, `could_contain`: share of
    rolls that the side's own points stop; `moment`: spread of the checkers; `home`: share of home
    points made; `closed`: its square; `shut_out`: `closed` if the other side is on the bar, else 0;
    `prime`: longest run of points; `timing`: pips that can be played before points break; `dead`:
    checkers on the last two points; `off_5` to `off_15`: checkers off, in fives.
    """
    for side in range(2):
        mine, theirs = (MINE, THEIRS) if side == 0 else (THEIRS, MINE)
        low, high = position[mine], position[mine + 1]
        other_low, other_high = position[theirs], position[theirs + 1]
        own = values[side * _EACH : (side + 1) * _EACH]
        _fill_side(low, high, other_low, other_high, own)
        _fill_shots(low, high, other_low, other_high, own)
