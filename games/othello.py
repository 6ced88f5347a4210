"""Othello: two words, the discs of the player and of the opponent; a1 is bit 0, b1 bit 1.

The unit is the final difference in discs, empty squares going to the winner. A side that has no
move while the other has one must pass, and a pass is a ply.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import float32, int32
from numpy.typing import NDArray

from games.abi import PASS, Game, Row
from games.bits import ONE, ZERO, bit, popcount, trailing_zeros
from games.notation import GridNotation
from games.othello_bits import MOST_MOVES, final_difference, flips_of, moves_of
from games.othello_endgame import solve
from jit import jit

SQUARES = tuple(f"{column}{row}" for row in range(1, 9) for column in "abcdefgh")

# Which squares tend to be good moves, for ordering only: corners first, then the inner ring,
# squares next to a corner last. One eighth of the board; the rest by symmetry.
_OCTANT = {"a1": 18, "b1": 2, "c1": 12, "d1": 10, "b2": 0, "c2": 6, "d2": 6, "c3": 8, "d3": 7}


def _square_order() -> NDArray[np.int32]:
    values = np.zeros(64, np.int32)
    for square in range(64):
        row, column = (min(k, 7 - k) for k in divmod(square, 8))
        values[square] = _OCTANT.get(SQUARES[8 * min(row, column) + max(row, column)], 0)
    return values


_SQUARE_ORDER = _square_order()
_MOBILITY_ORDER = 12


@jit
def legal_moves(position: Row, moves: Any) -> int:
    """List the moves by square; a forced pass alone."""
    squares = moves_of(position[0], position[1])
    n = 0
    while squares:
        moves[n] = int32(trailing_zeros(squares))
        squares &= squares - ONE
        n += 1
    if n == 0 and moves_of(position[1], position[0]) != ZERO:
        moves[0] = PASS
        n = 1
    return n


@jit
def play(position: Row, move: int, child: Row) -> None:
    """Write the position after `move`, from the other side."""
    player, opponent = position[0], position[1]
    if move == PASS:
        child[0], child[1] = opponent, player
    else:
        flips = flips_of(player, opponent, move)
        child[0], child[1] = opponent ^ flips, player ^ flips ^ bit(move)


@jit
def is_terminal(position: Row) -> bool:
    """Return whether neither side can move."""
    player, opponent = position[0], position[1]
    return moves_of(player, opponent) == ZERO and moves_of(opponent, player) == ZERO


@jit
def utility(position: Row) -> float:
    """Return the final disc difference."""
    return float32(final_difference(position[0], position[1]))


@jit
def remaining(position: Row) -> int:
    """Return the number of empty squares."""
    return 64 - popcount(position[0] | position[1])


@jit
def order(position: Row, moves: Any, n: int, hints: Any) -> None:
    """Prefer moves that leave the opponent few replies, then good squares."""
    player, opponent = position[0], position[1]
    for i in range(n):
        move = moves[i]
        if move == PASS:
            hints[i] = 0
            continue
        flips = flips_of(player, opponent, move)
        replies = popcount(moves_of(opponent ^ flips, player ^ flips ^ bit(move)))
        hints[i] = _SQUARE_ORDER[move] - _MOBILITY_ORDER * replies


def _symmetries() -> NDArray[np.int8]:
    """Return the eight symmetries of the square as permutations of bits, the identity first."""
    board = np.arange(64, dtype=np.int8).reshape(8, 8)
    turned = [np.rot90(board, k) for k in range(4)]
    return np.array([b.ravel() for b in (*turned, *(np.fliplr(b) for b in turned))])


GAME = Game(
    name="othello",
    start=(0x0000000810000000, 0x0000001008000000),
    legal_moves=legal_moves,
    play=play,
    is_terminal=is_terminal,
    utility=utility,
    remaining=remaining,
    notation=GridNotation(8, 8, range(64), SQUARES, passes=True),
    max_moves=MOST_MOVES,
    max_plies=128,
    unit="discs",
    max_utility=64.0,
    sooner_is_better=False,
    order=order,
    solve=solve,
    exact_from=10,
    opening_plies=8,
    symmetries=_symmetries(),
    squares=tuple((name, square) for square, name in enumerate(SQUARES)),
    shape=(8, 8),
)
