"""Checkers of a side in two words, and its plays in one number.

The n-th four bits hold how many of its 15 checkers the side has at place n: 0 those borne off, 1
to 24 the points as the side itself numbers them, 25 the bar; places 0 to 15 in the low word, the
others in the high one. A position is the low and the high word of the side to move, those of the
other side, and the dice.

A play is what a side does with its dice, one to four steps of checkers:

    bits 0 to 19    the places from which the steps start, five bits each, the farthest first; 0
                    after the last step
    bits 20 to 23   which steps hit
    bits 24 to 26   how far they go; of a play of two steps the first one
    bits 27 to 29   how far the second of two steps goes

A checker that is borne off goes as far as its point, whatever the die: the number holds what
people write, who leave out the dice. Steps that can be done in any order can be done the farthest
first: what starts farther away is in the way of no other, and bearing off only waits for it. So a
double is a set of starts and its die; of two dice, the two chains of one checker lead to the same
position unless one hits, and so do two checkers borne off by either die.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numba import boolean, int32, int64, uint64

from samuel.games.rules import PASS, Row
from samuel.kernels.bits import ONE, ZERO, Word, reversed_bits
from samuel.kernels.jit import jit

CHECKERS, POINTS, HOME, OFF, BAR = 15, 24, 6, 0, 25
MINE, THEIRS, DICE = 0, 2, 4
"""Places in a position: the low words of both sides, and the dice (0 until they are thrown)."""

_LOWEST_OF_FOUR = np.uint64(0x1111111111111111)
_GATHERED = tuple(
    (np.uint64(shift), np.uint64(kept))
    for shift, kept in (
        (3, 0x0303030303030303),
        (6, 0x000F000F000F000F),
        (12, 0x000000FF000000FF),
        (24, 0xFFFF),
    )
)
"""Shifts that bring bits four apart side by side, and what is kept after each."""
_TURNED = np.uint64(63 - BAR)
_ON_THE_BOARD = np.uint64(((1 << POINTS) - 1) << 1)

Side: TypeAlias = tuple[Word, Word]

_COUNT = np.uint64(15)
_BAR_AT = np.uint64(4 * (BAR - 16))
_BEYOND_HOME = np.uint64(4 * (HOME + 1))


@jit
def count_at(low: Word, high: Word, place: int) -> int:
    """Return how many checkers a side has at a place."""
    word = high if place >= 16 else low
    return int64((word >> uint64(4 * (place & 15))) & _COUNT)


@jit
def mine_at(position: Row, place: int) -> int:
    """Return how many checkers the side to move has at one of its places."""
    return count_at(position[MINE], position[MINE + 1], place)


@jit
def theirs_at(position: Row, place: int) -> int:
    """Return how many checkers the other side has at one of its own places."""
    return count_at(position[THEIRS], position[THEIRS + 1], place)


@jit
def with_moved(low: Word, high: Word, start: int, end: int) -> Side:
    """Return a side's words after one checker went from one place to another."""
    taken, put = ONE << uint64(4 * (start & 15)), ONE << uint64(4 * (end & 15))
    if start >= 16:
        high -= taken
    else:
        low -= taken
    if end >= 16:
        high += put
    else:
        low += put
    return low, high


@jit
def _bits_of_fours(word: Word, least: int) -> Word:
    """Return a bit for each four bits of a word: whether they count 1, or 2, at least."""
    bits = word >> uint64(1) | word >> uint64(2) | word >> uint64(3)
    bits = (bits | word if least == 1 else bits) & _LOWEST_OF_FOUR
    for shift, kept in _GATHERED:
        bits = (bits | bits >> shift) & kept
    return bits


@jit
def own_places(low: Word, high: Word, least: int) -> int:
    """Return the places from 1 to the bar where a side has at least 1 checker, or 2, as bits."""
    bits = _bits_of_fours(low, least) | _bits_of_fours(high, least) << uint64(16)
    return int64(bits & ~ONE)


@jit
def held(low: Word, high: Word, least: int) -> int:
    """Return the points where the other side has at least 1 checker, or 2, as bits."""
    bits = uint64(own_places(low, high, least)) & _ON_THE_BOARD
    return int64(reversed_bits(bits) >> _TURNED)


@jit
def can_step(low: Word, high: Word, blocked: int, start: int, die: int) -> bool:
    """Return whether a checker of a side may go from a place by one die; `blocked` is of `held`.

    From the bar first; off only once all are home, and by more than is needed only from the
    farthest point.
    """
    if count_at(low, high, start) == 0 or (start != BAR and (high >> _BAR_AT) & _COUNT != ZERO):
        return False
    end = start - die
    if end > OFF:
        return (blocked >> end) & 1 == 0
    if high != ZERO or low >> _BEYOND_HOME != ZERO:
        return False
    return end == OFF or low >> uint64(4 * (start + 1)) == ZERO


@jit
def pips_of(low: Word, high: Word) -> int:
    """Return how many points a side has still to go, all checkers together."""
    pips = int64(0)
    for place in range(1, BAR + 1):
        pips += place * count_at(low, high, place)
    return pips


@jit
def has_contact(position: Row) -> bool:
    """Return whether a checker of either side still has to pass one of the other."""
    farthest = BAR
    while farthest > OFF and mine_at(position, farthest) == 0:
        farthest -= 1
    for place in range(BAR, BAR - farthest, -1):
        if theirs_at(position, place) > 0:
            return farthest > OFF
    return False


STEPS = 4
MOST_PLAYS = 3060
"""Four steps can be divided among 15 checkers in (15 + 3 choose 4) ways."""
START_BITS, HITS_AT, FAR_AT, SECOND_AT = 5, 20, 24, 27
_START, _FAR = (1 << START_BITS) - 1, 7


@jit(int64(int64, int64))
def start_of(play: int, step: int) -> int:
    """Return the place where a step of a play starts; 0 where it has no such step."""
    return (play >> (START_BITS * step)) & _START


@jit(int64(int64, int64))
def end_of(play: int, step: int) -> int:
    """Return the place where a step of a play ends."""
    is_second_of_two = step == 1 and start_of(play, 2) == 0
    far = (play >> (SECOND_AT if is_second_of_two else FAR_AT)) & _FAR
    return max(int64(OFF), start_of(play, step) - far)


@jit(boolean(int64, int64))
def hits(play: int, step: int) -> bool:
    """Return whether a step of a play hits."""
    return (play >> (HITS_AT + step)) & 1 != 0


@jit
def _with_hits(play: int, steps: int, blots: int) -> int:
    """Return a play with what hits told: the first step to each point that has one checker."""
    reached = int64(1 << OFF)
    for step in range(steps):
        end = int64(1) << end_of(play, step)
        if blots & end & ~reached != 0:
            play |= int64(1) << (HITS_AT + step)
        reached |= end
    return play


@jit
def _number(starts: int, steps: int, die: int, second: int, blots: int) -> int:
    """Return the number of a play of steps by `die`, of two steps the second by `second`."""
    play = starts | min(die, starts & _START) << FAR_AT
    if steps == 2:
        play |= min(second, starts >> START_BITS) << SECOND_AT
    return _with_hits(play, steps, blots)


@jit
def _of_a_double(low: Word, high: Word, blocked: int, blots: int, die: int, moves: Any) -> int:
    """List the longest sets of up to four steps, each once: no step starts before the last one."""
    n, longest, steps, starts, start = int64(0), int64(0), int64(0), int64(0), int64(BAR)
    while True:
        while start > OFF and not can_step(low, high, blocked, start, die):
            start -= 1
        if start > OFF:
            low, high = with_moved(low, high, start, max(int64(OFF), start - die))
            starts |= start << (START_BITS * steps)
            steps += 1
            if steps > longest:
                longest, n = steps, int64(0)
            if steps == longest:
                moves[n] = int32(_number(starts, steps, die, die, blots))
                n += 1
            if steps < STEPS:
                continue
        elif steps == 0:
            return n
        steps -= 1
        start = start_of(starts, steps)
        starts &= (int64(1) << (START_BITS * steps)) - 1
        low, high = with_moved(low, high, max(int64(OFF), start - die), start)
        start -= 1


@jit
def _is_listed(
    low: Word, high: Word, blocked: int, blots: int, far: int, near: int, larger: int, smaller: int
) -> bool:
    """Return whether the larger die played first leads where these steps lead."""
    if far <= smaller:
        return True  # so both are borne off
    between = far - larger
    if near != far - smaller or between <= OFF or not can_step(low, high, blocked, far, larger):
        return False
    if (blots >> near | blots >> between) & 1 != 0:
        return False
    low, high = with_moved(low, high, far, between)
    return can_step(low, high, blocked, between, smaller)


@jit
def _of_two_dice(
    low: Word, high: Word, blocked: int, blots: int, larger: int, smaller: int, moves: Any
) -> int:
    """List the plays of both dice, by the larger one from farther away and the other way round."""
    n = int64(0)
    for turned in range(2):
        die, other = (smaller, larger) if turned else (larger, smaller)
        for far in range(BAR, OFF, -1):
            if not can_step(low, high, blocked, far, die):
                continue
            left, right = with_moved(low, high, far, max(OFF, far - die))
            for near in range(far - turned, OFF, -1):
                if can_step(left, right, blocked, near, other) and not (
                    turned and _is_listed(low, high, blocked, blots, far, near, larger, smaller)
                ):
                    starts = far | near << START_BITS
                    moves[n] = int32(_number(starts, 2, die, other, blots))
                    n += 1
    return n


@jit
def list_plays(position: Row, larger: int, smaller: int, moves: Any) -> int:
    """List the plays of a throw, one for each position that they lead to; return how many.

    As many dice as possible are played; the larger one where either could be, but not both.
    """
    low, high = position[0], position[1]
    blocked = held(position[THEIRS], position[THEIRS + 1], 2)
    blots = held(position[THEIRS], position[THEIRS + 1], 1) & ~blocked
    if larger == smaller:
        n = _of_a_double(low, high, blocked, blots, larger, moves)
    else:
        n = _of_two_dice(low, high, blocked, blots, larger, smaller, moves)
        for single in range(2):
            die = smaller if single else larger
            if n == 0:
                for start in range(BAR, OFF, -1):
                    if can_step(low, high, blocked, start, die):
                        moves[n] = int32(_number(start, 1, die, 0, blots))
                        n += 1
    if n == 0:
        moves[0] = int32(PASS)
        return 1
    return n


@jit
def do_play(position: Row, play: int, child: Row) -> None:
    """Write the position after a play into `child`, seen by the other side, no dice thrown."""
    low, high = position[0], position[1]
    others_low, others_high = position[THEIRS], position[THEIRS + 1]
    step = 0
    while play != PASS and step < STEPS and start_of(play, step) != 0:
        end = end_of(play, step)
        low, high = with_moved(low, high, start_of(play, step), end)
        if hits(play, step):
            others_low, others_high = with_moved(others_low, others_high, BAR - end, BAR)
        step += 1
    child[0], child[1] = others_low, others_high
    child[THEIRS], child[THEIRS + 1] = low, high
