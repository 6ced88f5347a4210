"""The rules of checkers, or English draughts.

Men step and jump forward, kings one square either way; who can jump must, along any path but to its
end, and a man that comes to the last row ends its move there, crowned. Who cannot move has lost.
Rules: World Checkers and Draughts Federation, "Rules of Draughts (Checkers)". The third time that a
position stands, and 40 moves of each side without a jump or a step of a man, are draws.

words: the men of the mover and of the opponent, their kings in the same order, and 1 where White is
to move, else 0: the board is turned by half then, so that one's men go up, while moves are named as
everybody numbers the squares. One capture by two paths is two moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int32, int64

from samuel.games.checkers.handmade import EVALUATORS, FEATURES, SHAPES
from samuel.games.checkers.moves import JUMPS_AT, MOST_JUMPS, STEPS_AT
from samuel.games.checkers.notation import CheckersNotation
from samuel.games.checkers.squares import (
    BOARD,
    LAST,
    LAST_ROW,
    PLACES,
    STEPS,
    VALID,
    place_of,
    shifted,
    square_at,
    turned,
)
from samuel.games.defaults import Defaults
from samuel.games.interface import OTHER, QUIET, Game, Row
from samuel.kernels.bits import ONE, ZERO, Word, bit, popcount, trailing_zeros
from samuel.kernels.jit import jit

MEN, THEIR_MEN, KINGS, THEIR_KINGS, WHITES_TURN = range(5)
MOST_MOVES = 128
"""Kings alone have at most 124 steps; of paths to jump along, no more are listed."""
FORWARD, DIRECTIONS = 2, 4
_STEPS = np.array(STEPS, np.int64)
_BACKWARD = int("10" * MOST_JUMPS, 2)
"""Turned by half, a direction is two on."""


DEFAULTS = Defaults(
    title="Checkers",
    features_in="samuel.features.checkers",
    features=FEATURES,
    endings_in="samuel.games.checkers.endings.database",
    formats_in=("samuel.games.checkers.pdn",),
    evaluators=EVALUATORS,
    shapes=SHAPES,
    recipe="ridge",
    first="classic",
    depth=5,
)


@jit
def all_of(position: Row) -> tuple[Word, Word, Word, Word]:
    """Return the mover's pieces, the opponent's, the empty squares, and the mover's kings."""
    mine = position[MEN] | position[KINGS]
    theirs = position[THEIR_MEN] | position[THEIR_KINGS]
    return mine, theirs, VALID & ~(mine | theirs), position[KINGS]


@jit
def landings(pieces: Word, theirs: Word, empty: Word, direction: int) -> Word:
    """Return where pieces come to by a jump in a direction."""
    return shifted(shifted(pieces, direction) & theirs, direction) & empty


@jit
def can_jump(mine: Word, theirs: Word, empty: Word, kings: Word) -> bool:
    """Return whether the side to move has a jump."""
    found = landings(mine, theirs, empty, 0) | landings(mine, theirs, empty, 1)
    if kings != ZERO:
        found |= landings(kings, theirs, empty, 2) | landings(kings, theirs, empty, 3)
    return found != ZERO


@jit
def can_step(mine: Word, empty: Word, kings: Word) -> bool:
    """Return whether the side to move has a step."""
    found = shifted(mine, 0) | shifted(mine, 1) | shifted(kings, 2) | shifted(kings, 3)
    return found & empty != ZERO


@jit
def _move(position: Row, square: int, jumps: int, steps: int, n: int) -> int:
    """Return the number of a move of n steps, which are as the mover sees them."""
    if position[WHITES_TURN] != ZERO:
        square, steps = LAST - square, steps ^ (_BACKWARD & ((1 << 2 * n) - 1))
    return place_of(square) | jumps << JUMPS_AT | (steps | 1 << 2 * n) << STEPS_AT


@jit
def _list_jumps(position: Row, square: int, moves: Any, listed: int) -> int:
    """Add the moves of a piece that jumps to those listed; return how many there are then.

    Depth first over all paths; the steps so far are all that has to be kept of the way back.
    """
    _, theirs, empty, kings = all_of(position)
    empty |= bit(square)
    directions = DIRECTIONS if kings & bit(square) != ZERO else FORWARD
    here, steps, n, direction, went_on = square, int64(0), int64(0), int64(0), False
    while True:
        if direction < directions and n < MOST_JUMPS:
            landing = landings(bit(here), theirs, empty, direction)
            if landing == ZERO:
                direction += 1
                continue
            theirs ^= shifted(bit(here), direction)
            here += 2 * _STEPS[direction]
            steps |= direction << 2 * n
            n += 1
            direction, went_on = int64(0), False
            if directions == FORWARD and landing & LAST_ROW != ZERO:
                direction = int64(directions)  # crowned: the move ends
            continue
        if not went_on and n > 0 and listed < MOST_MOVES:
            moves[listed] = int32(_move(position, square, 1, steps, n))
            listed += 1
        if n == 0:
            return listed
        n -= 1
        direction = (steps >> 2 * n) & 3
        steps ^= direction << 2 * n
        here -= 2 * _STEPS[direction]
        theirs ^= shifted(bit(here), direction)
        direction, went_on = direction + 1, True


@jit
def _jumpers(mine: Word, theirs: Word, empty: Word, kings: Word) -> Word:
    """Return the pieces that have a jump: a landing's jump back."""
    found = landings(empty, theirs, mine, 2) | landings(empty, theirs, mine, 3)
    return found | landings(empty, theirs, kings, 0) | landings(empty, theirs, kings, 1)


@jit
def jumps_of(position: Row, moves: Any) -> int:
    """List the moves that jump; return how many."""
    mine, theirs, empty, kings = all_of(position)
    n, left = int64(0), _jumpers(mine, theirs, empty, kings)
    while left != ZERO:
        n = _list_jumps(position, trailing_zeros(left), moves, n)
        left &= left - ONE
    return n


@jit
def legal_moves(position: Row, moves: Any) -> int:
    """List the jumps, or where there is none the steps."""
    mine, theirs, empty, kings = all_of(position)
    if can_jump(mine, theirs, empty, kings):
        return jumps_of(position, moves)
    n = int64(0)
    for direction in range(DIRECTIONS):
        movers = shifted(empty, direction ^ 2) & (mine if direction < FORWARD else kings)
        while movers != ZERO:
            moves[n] = int32(_move(position, trailing_zeros(movers), 0, direction, 1))
            n += 1
            movers &= movers - ONE
    return n


@jit
def pending(position: Row, moves: Any) -> int:
    """List the jumps, of which one has to be played."""
    mine, theirs, empty, kings = all_of(position)
    return -jumps_of(position, moves) if can_jump(mine, theirs, empty, kings) else int64(0)


@jit
def play(position: Row, move: int, child: Row) -> int:
    """Move a piece along its steps, take what it jumps, and crown it on the last row."""
    is_white = position[WHITES_TURN] != ZERO
    square, jumps, steps = square_at(move & (PLACES - 1)), move >> JUMPS_AT & 1, move >> STEPS_AT
    flip = int64(0)
    if is_white:
        square, flip = LAST - square, int64(2)
    start, taken = bit(square), ZERO
    while steps > 1:
        step = _STEPS[(steps & 3) ^ flip]
        if jumps:
            taken |= bit(square + step)
            square += step
        square += step
        steps >>= 2
    end, is_man = bit(square), position[MEN] & start != ZERO
    men, kings = position[MEN], position[KINGS]
    if is_man:
        men ^= start
        if end & LAST_ROW != ZERO:
            kings |= end
        else:
            men |= end
    else:
        kings = (kings ^ start) | end
    child[MEN], child[THEIR_MEN] = turned(position[THEIR_MEN] & ~taken), turned(men)
    child[KINGS], child[THEIR_KINGS] = turned(position[THEIR_KINGS] & ~taken), turned(kings)
    child[WHITES_TURN] = ZERO if is_white else ONE
    return OTHER if is_man or jumps else OTHER | QUIET


@jit
def is_terminal(position: Row) -> bool:
    """Return whether the side to move cannot."""
    mine, theirs, empty, kings = all_of(position)
    return not can_step(mine, empty, kings) and not can_jump(mine, theirs, empty, kings)


@jit
def utility(position: Row) -> float:
    """Return the result of a finished game: who cannot move has lost."""
    return -1.0


@jit
def progress(position: Row) -> int:
    """Return how many of the 24 pieces are gone."""
    pieces = position[MEN] | position[THEIR_MEN] | position[KINGS] | position[THEIR_KINGS]
    return 24 - popcount(pieces)


@jit
def order(position: Row, moves: Any, n: int, hints: Any) -> None:
    """Rate jumps by their length, then crownings, then steps of men by how far they are."""
    is_white = position[WHITES_TURN] != ZERO
    for i in range(n):
        move = int64(moves[i])
        steps = move >> STEPS_AT
        hints[i] = 0
        if move >> JUMPS_AT & 1:
            while steps > 1:
                hints[i] += 200
                steps >>= 2
        else:
            square = square_at(move & (PLACES - 1))
            if is_white:
                square = LAST - square
            if position[MEN] & bit(square) != ZERO:
                hints[i] = 100 if square >= 27 else square


_BLACK = sum(1 << k for k in range(13) if k != 8)
_WHITE = sum(1 << LAST - k for k in range(13) if k != 8)
GAME = Game(
    name="checkers",
    start=(_BLACK, _WHITE, 0, 0, 0),
    legal_moves=legal_moves,
    play=play,
    is_terminal=is_terminal,
    utility=utility,
    plies_left=None,
    notation=CheckersNotation(BOARD, (), second_sees="rotated"),
    max_moves=MOST_MOVES,
    max_plies=400,
    repetitions=3,
    quiet_plies=80,
    progress=progress,
    progress_max=24,
    order=order,
    pending=pending,
    opening_plies=6,
    defaults=DEFAULTS,
)
